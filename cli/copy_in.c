#include "cli/copy_in.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/base/alloc.h"

enum { DEPTH_MAX = 256 };

struct copy_in {
    struct copy_in_config config;
    struct tar_reader reader;
    int root;
    uint64_t entries, files, bytes;
    /* The file that is being written: */
    int folder, fd; /* -1: none */
    int64_t mtime;
    char name[NAME_MAX + 1]; /* in 'folder' */
    char part[32];           /* its name until it is whole */
};

/* ---- paths ----------------------------------------------------------------------------------- */

/* The next name of a path, without '/' and './'; empty: there is none. */
static struct fl_str next_name(const char **path)
{
    for (;;) {
        size_t len;
        const char *at;

        while (**path == '/') {
            ++*path;
        }
        at = *path;
        len = strcspn(at, "/");
        *path += len;
        if (len != 1 || at[0] != '.') return (struct fl_str){at, len};
    }
}

static bool is_up(struct fl_str name)
{
    return fl_str_eq(name, FL_STR(".."));
}

/* Gives the part of the entry's path behind the base. */
static bool behind_base(const struct copy_in *copy, const char *path, const char **ret_rest,
                        struct fl_err *err)
{
    const char *look = path;
    struct fl_str name;
    size_t depth = 0;

    *ret_rest = path;
    if (path[0] == '/') {
        return fl_fail(err, FL_DENIED, "the archive has an absolute path: %s", path);
    }
    while ((name = next_name(&look)).len > 0) {
        if (is_up(name) || ++depth > DEPTH_MAX || name.len > NAME_MAX) {
            return fl_fail(err, FL_DENIED, "the archive has a path that leads elsewhere: %s", path);
        }
    }
    if (strcmp(copy->config.base, ".") == 0) return true;
    name = next_name(ret_rest);
    if (fl_str_eq(name, fl_str_c(copy->config.base))) return true;
    return fl_fail(err, FL_DENIED, "the archive has a path that was not asked for: %s", path);
}

/* Opens the folder 'name' in 'at', which is closed; made if it is not there. */
static int step_into(int at, struct fl_str name, struct fl_err *err)
{
    char text[NAME_MAX + 1];
    int fd;

    memcpy(text, name.at, name.len);
    text[name.len] = 0;
    if (mkdirat(at, text, 0777) != 0 && errno != EEXIST) {
        fl_fail(err, FL_IO, "cannot make the folder %s: %s", text, strerror(errno));
        close(at);
        return -1;
    }
    fd = openat(at, text, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        fl_fail(err, FL_IO, "%s is not a folder here, or a link, which is not followed: %s", text,
                strerror(errno));
    }
    close(at);
    return fd;
}

/* Walks along 'names', then 'rest', but for the last name, which is left in 'ret_last' (empty:
 * there is only the root).  -1: it cannot, with the reason. */
static int walk(const struct copy_in *copy, const char *rest, char ret_last[NAME_MAX + 1],
                struct fl_err *err)
{
    const char *paths[] = {copy->config.name, rest};
    struct fl_str last = {0};
    int at = fcntl(copy->root, F_DUPFD_CLOEXEC, 0);

    ret_last[0] = 0;
    if (at < 0) fl_fail(err, FL_IO, "cannot open a folder: %s", strerror(errno));
    for (size_t i = 0; i < 2; i++) {
        struct fl_str name;

        while (at >= 0 && (name = next_name(&paths[i])).len > 0) {
            if (last.len > 0) at = step_into(at, last, err);
            last = name;
        }
    }
    if (last.len > 0) memcpy(ret_last, last.at, last.len);
    ret_last[last.len] = 0;
    return at;
}

/* ---- entries --------------------------------------------------------------------------------- */

static void close_file(struct copy_in *copy)
{
    if (copy->fd >= 0) close(copy->fd);
    if (copy->folder >= 0) close(copy->folder);
    copy->fd = copy->folder = -1;
}

static bool make_folder(int at, const char *last, struct fl_err *err)
{
    if (!last[0]) {
        close(at);
        return true;
    }
    at = step_into(at, fl_str_c(last), err);
    if (at >= 0) close(at);
    return at >= 0;
}

static bool begin_file(struct copy_in *copy, int at, const char *last,
                       const struct tar_entry *entry, struct fl_err *err)
{
    copy->folder = at;
    copy->mtime = entry->mtime;
    snprintf(copy->name, sizeof copy->name, "%s", last);
    if (!last[0]) return fl_fail(err, FL_INVALID, "a file cannot take the place of a folder");
    (void)unlinkat(at, copy->part, 0);
    copy->fd = openat(at, copy->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, entry->mode);
    if (copy->fd >= 0) return true;
    return fl_fail(err, FL_IO, "cannot write beside %s: %s", last, strerror(errno));
}

static bool on_entry(void *ctx, const struct tar_entry *entry, struct fl_err *err)
{
    struct copy_in *copy = ctx;
    char last[NAME_MAX + 1];
    const char *rest;
    int at;

    if (!behind_base(copy, entry->path, &rest, err)) return false;
    copy->entries++;
    if (entry->kind == TAR_LINK || entry->kind == TAR_OTHER) {
        copy->config.left_out(copy->config.left_out_ctx, entry->path,
                              entry->kind == TAR_LINK ? "it is a link" : "it is no file");
        return true;
    }
    at = walk(copy, rest, last, err);
    if (at < 0) return false;
    return entry->kind == TAR_FOLDER ? make_folder(at, last, err)
                                     : begin_file(copy, at, last, entry, err);
}

static bool on_bytes(void *ctx, struct fl_str bytes, struct fl_err *err)
{
    struct copy_in *copy = ctx;

    copy->bytes += bytes.len;
    while (bytes.len > 0) {
        ssize_t n = write(copy->fd, bytes.at, bytes.len);

        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fl_fail(err, FL_IO, "cannot write %s: %s", copy->name, strerror(errno));
        bytes.at += n;
        bytes.len -= (size_t)n;
    }
    return true;
}

static bool on_file_end(void *ctx, struct fl_err *err)
{
    struct copy_in *copy = ctx;
    struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_sec = copy->mtime}};
    bool is_there = futimens(copy->fd, times) == 0;

    is_there = close(copy->fd) == 0 && is_there;
    copy->fd = -1;
    is_there = is_there && renameat(copy->folder, copy->part, copy->folder, copy->name) == 0;
    if (!is_there) {
        fl_fail(err, FL_IO, "cannot write %s: %s", copy->name, strerror(errno));
        (void)unlinkat(copy->folder, copy->part, 0);
    }
    close_file(copy);
    copy->files++;
    return is_there;
}

/* ---- the whole ------------------------------------------------------------------------------- */

struct copy_in *copy_in_create(const struct copy_in_config *config, struct fl_err *err)
{
    struct copy_in *copy = fl_new(struct copy_in);
    struct tar_reader_port port = {copy, on_entry, on_bytes, on_file_end};

    copy->config = *config;
    copy->fd = copy->folder = -1;
    snprintf(copy->part, sizeof copy->part, ".fairlead-cp-%ld", (long)getpid());
    copy->root = open(config->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    tar_reader_init(&copy->reader, &port);
    if (copy->root >= 0) return copy;
    fl_fail(err, FL_ABSENT, "%s: %s", config->folder, strerror(errno));
    copy_in_destroy(copy);
    return NULL;
}

void copy_in_destroy(struct copy_in *copy)
{
    if (!copy) return;
    if (copy->fd >= 0) (void)unlinkat(copy->folder, copy->part, 0);
    close_file(copy);
    if (copy->root >= 0) close(copy->root);
    tar_reader_fini(&copy->reader);
    fl_free(copy);
}

bool copy_in_put(struct copy_in *copy, struct fl_str bytes, struct fl_err *err)
{
    return tar_reader_put(&copy->reader, bytes, err);
}

bool copy_in_end(const struct copy_in *copy, struct fl_err *err)
{
    if (!tar_reader_end(&copy->reader, err)) return false;
    return copy->entries > 0 || fl_fail(err, FL_ABSENT, "the archive is empty");
}

uint64_t copy_in_files(const struct copy_in *copy)
{
    return copy->files;
}

uint64_t copy_in_bytes(const struct copy_in *copy)
{
    return copy->bytes;
}
