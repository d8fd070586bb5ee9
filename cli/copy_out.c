#include "cli/copy_out.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/tar_reader.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"

/* A long name, a long target and a head, each in blocks of their own. */
enum { HEADS_BYTES_MAX = 2 * (TAR_PATH_BYTES_MAX + 3 * TAR_BLOCK_BYTES) + TAR_BLOCK_BYTES };

/* As POSIX has it. */
struct head {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100];
    char magic[8], rest[247];
};
_Static_assert(sizeof(struct head) == TAR_BLOCK_BYTES, "a head is a block");

struct copy_out {
    struct copy_out_config config;
    FTS *walk;
    size_t path_len; /* config.path's; the rest of a path is the same in the archive */
    struct fl_buf ready;
    size_t ready_at;
    int fd;
    char path[PATH_MAX + 1]; /* the file that is sent */
    uint64_t left, filler;   /* bytes of it, and zeros behind them */
    bool is_short;           /* it has ended before its time */
    bool is_over;            /* the end was written */
    uint64_t files, bytes;
};

static void leave_out(const struct copy_out *copy, const char *path, const char *why)
{
    copy->config.left_out(copy->config.left_out_ctx, path, why);
}

/* ---- heads ----------------------------------------------------------------------------------- */

static void put(struct copy_out *copy, const void *bytes, size_t len)
{
    bool is_put = fl_buf_put(&copy->ready, bytes, len);

    fl_assert(is_put); /* HEADS_BYTES_MAX */
}

static void put_filler(struct copy_out *copy, size_t len)
{
    static const char zeros[TAR_BLOCK_BYTES] = {0};

    put(copy, zeros, -len % TAR_BLOCK_BYTES);
}

/* Octal; or, where that has no room, 64 bits behind a first byte of its own. */
static void set_number(char *field, size_t len, uint64_t n)
{
    char text[24];

    if (n >> 3 * (len - 1) == 0) {
        snprintf(text, sizeof text, "%0*llo", (int)len - 1, (unsigned long long)n);
        memcpy(field, text, len);
        return;
    }
    memset(field, 0, len);
    field[0] = (char)0x80;
    for (size_t i = len; i-- > len - 8;) {
        field[i] = (char)n;
        n >>= 8;
    }
}

static void put_head(struct copy_out *copy, struct head *head, char type, uint64_t size)
{
    const uint8_t *bytes = (const uint8_t *)head;
    unsigned sum = 0;

    head->type = type;
    memcpy(head->magic, "ustar  ", sizeof head->magic); /* with GNU's version behind it */
    set_number(head->size, sizeof head->size, size);
    memset(head->checksum, ' ', sizeof head->checksum);
    for (size_t i = 0; i < TAR_BLOCK_BYTES; i++) {
        sum += bytes[i];
    }
    set_number(head->checksum, 7, sum);
    put(copy, head, sizeof *head);
}

/* A text that is too long for its field comes before the head, whole. */
static void set_text(struct copy_out *copy, char field[100], const char *text, char long_type)
{
    size_t len = strlen(text);

    if (len >= 100) {
        struct head head = {.name = "././@LongLink",
                            .mode = "0000644",
                            .uid = "0000000",
                            .gid = "0000000",
                            .mtime = "00000000000"};

        put_head(copy, &head, long_type, len + 1);
        put(copy, text, len + 1);
        put_filler(copy, len + 1);
        len = 99;
    }
    for (size_t i = 0; i < len; i++) {
        field[i] = text[i];
    }
}

static void put_entry(struct copy_out *copy, const char *name, const char *link, char type,
                      const struct stat *stat, uint64_t size)
{
    struct head head = {.uid = "0000000", .gid = "0000000"};

    set_text(copy, head.link, link, 'K');
    set_text(copy, head.name, name, 'L');
    set_number(head.mode, sizeof head.mode, stat->st_mode & 0777);
    set_number(head.mtime, sizeof head.mtime, stat->st_mtime > 0 ? (uint64_t)stat->st_mtime : 0);
    put_head(copy, &head, type, size);
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* The name in the archive; NULL: it is too long, and left out. */
static const char *name_of(const struct copy_out *copy, const FTSENT *entry,
                           char name[TAR_PATH_BYTES_MAX + 1])
{
    int len = snprintf(name, TAR_PATH_BYTES_MAX + 1, "%s%s", copy->config.name,
                       entry->fts_path + copy->path_len);

    if (len >= 0 && len <= TAR_PATH_BYTES_MAX) return name;
    leave_out(copy, entry->fts_path, "its path is too long");
    return NULL;
}

static void begin_file(struct copy_out *copy, const FTSENT *entry, const char *name)
{
    struct stat stat;

    copy->fd = open(entry->fts_accpath,
                    O_RDONLY | O_NONBLOCK | O_CLOEXEC | (entry->fts_level > 0 ? O_NOFOLLOW : 0));
    if (copy->fd < 0 || fstat(copy->fd, &stat) != 0 || !S_ISREG(stat.st_mode)) {
        leave_out(copy, entry->fts_path, copy->fd < 0 ? strerror(errno) : "it is no file now");
        if (copy->fd >= 0) close(copy->fd);
        copy->fd = -1;
        return;
    }
    snprintf(copy->path, sizeof copy->path, "%s", entry->fts_path);
    copy->left = (uint64_t)stat.st_size;
    copy->filler = -copy->left % TAR_BLOCK_BYTES;
    copy->is_short = false;
    put_entry(copy, name, "", '0', &stat, copy->left);
}

static void put_link(struct copy_out *copy, const FTSENT *entry, const char *name)
{
    char target[TAR_PATH_BYTES_MAX + 1];
    ssize_t len = readlink(entry->fts_accpath, target, sizeof target - 1);

    if (len < 0) {
        leave_out(copy, entry->fts_path, strerror(errno));
        return;
    }
    target[len] = 0;
    put_entry(copy, name, target, '2', entry->fts_statp, 0);
}

static void visit(struct copy_out *copy, const FTSENT *entry)
{
    char name[TAR_PATH_BYTES_MAX + 1];

    switch (entry->fts_info) {
    case FTS_DP:
        return;
    case FTS_D:
        if (name_of(copy, entry, name)) put_entry(copy, name, "", '5', entry->fts_statp, 0);
        return;
    case FTS_F:
        if (name_of(copy, entry, name)) begin_file(copy, entry, name);
        return;
    case FTS_SL:
    case FTS_SLNONE:
        if (name_of(copy, entry, name)) put_link(copy, entry, name);
        return;
    case FTS_DEFAULT:
        leave_out(copy, entry->fts_path, "it is no file, folder or link");
        return;
    default:
        leave_out(copy, entry->fts_path, strerror(entry->fts_errno));
        return;
    }
}

static void end_archive(struct copy_out *copy)
{
    static const char zeros[2 * TAR_BLOCK_BYTES] = {0};

    put(copy, zeros, sizeof zeros);
    copy->is_over = true;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static size_t read_file(struct copy_out *copy, void *ret_bytes, size_t bytes_max)
{
    size_t want = copy->left < bytes_max ? (size_t)copy->left : bytes_max;
    ssize_t n = copy->is_short ? 0 : read(copy->fd, ret_bytes, want);

    if (n <= 0) {
        if (!copy->is_short) {
            leave_out(copy, copy->path,
                      n < 0 ? strerror(errno) : "it became shorter; zeros stand for the rest");
        }
        copy->is_short = true;
        memset(ret_bytes, 0, want);
        n = (ssize_t)want;
    }
    copy->left -= (uint64_t)n;
    copy->bytes += (uint64_t)n;
    return (size_t)n;
}

static void end_file(struct copy_out *copy)
{
    close(copy->fd);
    copy->fd = -1;
    copy->files++;
    fl_buf_clear(&copy->ready);
    copy->ready_at = 0;
    put_filler(copy, TAR_BLOCK_BYTES - (size_t)copy->filler);
}

size_t copy_out_next(struct copy_out *copy, void *ret_bytes, size_t bytes_max)
{
    for (;;) {
        size_t len = copy->ready.len - copy->ready_at;
        const FTSENT *entry;

        if (len > 0) {
            if (len > bytes_max) len = bytes_max;
            memcpy(ret_bytes, copy->ready.at + copy->ready_at, len);
            copy->ready_at += len;
            return len;
        }
        if (copy->fd >= 0 && copy->left > 0) return read_file(copy, ret_bytes, bytes_max);
        if (copy->is_over) return 0;
        if (copy->fd >= 0) {
            end_file(copy);
            continue;
        }
        fl_buf_clear(&copy->ready);
        copy->ready_at = 0;
        entry = fts_read(copy->walk);
        if (entry) {
            visit(copy, entry);
        } else {
            end_archive(copy);
        }
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

struct copy_out *copy_out_create(const struct copy_out_config *config, struct fl_err *err)
{
    struct copy_out *copy = fl_new(struct copy_out);
    char *path = fl_alloc(strlen(config->path) + 1);
    char *paths[] = {path, NULL};
    struct stat stat;

    memcpy(path, config->path, strlen(config->path) + 1);
    copy->config = *config;
    copy->path_len = strlen(config->path);
    while (copy->path_len > 0 && config->path[copy->path_len - 1] == '/') {
        copy->path_len--;
    }
    copy->fd = -1;
    fl_buf_init(&copy->ready, HEADS_BYTES_MAX);
    /* FTS_COMFOLLOW: the path itself may be a link, and its target is meant. */
    if (lstat(path, &stat) == 0) {
        copy->walk = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
    }
    if (!copy->walk) fl_fail(err, FL_ABSENT, "%s: %s", config->path, strerror(errno));
    fl_free(path);
    if (copy->walk) return copy;
    copy_out_destroy(copy);
    return NULL;
}

void copy_out_destroy(struct copy_out *copy)
{
    if (!copy) return;
    if (copy->fd >= 0) close(copy->fd);
    if (copy->walk) fts_close(copy->walk);
    fl_buf_fini(&copy->ready);
    fl_free(copy);
}

uint64_t copy_out_files(const struct copy_out *copy)
{
    return copy->files;
}

uint64_t copy_out_bytes(const struct copy_out *copy)
{
    return copy->bytes;
}
