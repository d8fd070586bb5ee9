#include "controlplane/logs/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

#define IOV_LEN_MAX 1024 /* the most that one call takes */
#define WINDOW_BYTES ((size_t)1 << 20)

const struct log_disk log_disk_system = {.writev = pwritev, .sync = fdatasync};

static bool fail_errno(struct fl_err *err, const char *what, const char *path)
{
    bool is_space = errno == ENOSPC || errno == EDQUOT;

    return fl_fail(err, is_space ? FL_NO_SPACE : FL_IO, "%s %s: %s", what, path, strerror(errno));
}

char *log_file_path(const char *dir, const struct log_segment_header *header, const char *suffix)
{
    size_t bytes = strlen(dir) + 64;
    char *path = fl_alloc(bytes);

    snprintf(path, bytes, "%s/%08" PRIx32 "-%016" PRIx64 ".%s", dir, header->cluster.n, header->seq,
             suffix);
    return path;
}

bool log_dir_sync(const char *dir, struct fl_err *err)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_synced;

    if (fd < 0) return fail_errno(err, "open", dir);
    is_synced = fsync(fd) == 0;
    if (!is_synced) fail_errno(err, "sync", dir);
    close(fd);
    return is_synced;
}

static struct log_segment *adopt(char *path, int fd, const struct log_disk *disk)
{
    struct log_segment *segment = fl_new(struct log_segment);

    segment->disk = disk;
    segment->path = path;
    segment->fd = fd;
    atomic_init(&segment->refs, 1);
    return segment;
}

struct log_segment *log_segment_create(const char *dir, const struct log_segment_header *header,
                                       const struct log_disk *disk, struct fl_err *err)
{
    char *path = log_file_path(dir, header, "open");
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    uint8_t bytes[LOG_SEGMENT_HEADER_BYTES];
    struct iovec iov = {bytes, sizeof(bytes)};
    struct log_segment *segment;

    if (fd < 0) {
        fail_errno(err, "create", path);
        fl_free(path);
        return NULL;
    }
    segment = adopt(path, fd, disk);
    segment->header = *header;
    log_segment_header_put(bytes, header);
    if (log_segment_append(segment, &iov, 1, err) && log_segment_sync(segment, err) &&
        log_dir_sync(dir, err)) {
        return segment;
    }
    segment->is_removed = true;
    log_segment_unref(segment);
    return NULL;
}

struct log_segment *log_segment_ref(struct log_segment *segment)
{
    atomic_fetch_add(&segment->refs, 1);
    return segment;
}

void log_segment_unref(struct log_segment *segment)
{
    if (!segment || atomic_fetch_sub(&segment->refs, 1) > 1) return;
    if (segment->is_removed && !segment->is_damaged) unlink(segment->path);
    close(segment->fd);
    fl_vec_fini(&segment->sources);
    fl_free(segment->path);
    fl_free(segment);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Writes all of iov at *pos, moving *pos on. */
static bool write_all(struct log_segment *segment, struct iovec *iov, size_t iov_len, uint64_t *pos,
                      struct fl_err *err)
{
    while (iov_len > 0) {
        int part = iov_len < IOV_LEN_MAX ? (int)iov_len : IOV_LEN_MAX;
        ssize_t n = segment->disk->writev(segment->fd, iov, part, (off_t)*pos);

        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            if (n == 0) errno = ENOSPC;
            return fail_errno(err, "write", segment->path);
        }
        *pos += (uint64_t)n;
        while (iov_len > 0 && (size_t)n >= iov->iov_len) {
            n -= (ssize_t)iov->iov_len;
            iov++;
            iov_len--;
        }
        if (iov_len > 0) {
            iov->iov_base = (char *)iov->iov_base + n;
            iov->iov_len -= (size_t)n;
        }
    }
    return true;
}

bool log_segment_append(struct log_segment *segment, struct iovec *iov, size_t iov_len,
                        struct fl_err *err)
{
    uint64_t pos = segment->bytes;

    if (write_all(segment, iov, iov_len, &pos, err)) {
        segment->bytes = pos;
        return true;
    }
    /* Removes the part that was written.  If that fails, the next append overwrites it, or the next
     * start cuts it. */
    if (pos > segment->bytes && ftruncate(segment->fd, (off_t)segment->bytes) != 0) {
        fl_err_wrap(err, "and could not be taken back");
    }
    return false;
}

bool log_segment_sync(struct log_segment *segment, struct fl_err *err)
{
    if (segment->synced_bytes == segment->bytes) return true;
    if (segment->disk->sync(segment->fd) != 0) return fail_errno(err, "sync", segment->path);
    segment->synced_bytes = segment->bytes;
    return true;
}

bool log_segment_cut(struct log_segment *segment, struct fl_err *err)
{
    segment->bytes = segment->synced_bytes;
    if (ftruncate(segment->fd, (off_t)segment->bytes) == 0) return true;
    return fail_errno(err, "truncate", segment->path);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Up to 'len' bytes; fewer only at the end of the file. */
static ssize_t read_some(int fd, uint64_t pos, uint8_t *at, size_t len)
{
    size_t got = 0;

    while (got < len) {
        ssize_t n = pread(fd, at + got, len - got, (off_t)(pos + got));

        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        if (n == 0) break;
        got += (size_t)n;
    }
    return (ssize_t)got;
}

bool log_pread(int fd, uint64_t pos, size_t len, struct fl_buf *out, struct fl_err *err)
{
    size_t before = out->len;
    uint8_t *at = len > 0 ? fl_buf_room(out, len) : NULL;
    ssize_t got;

    if (len == 0) return true;
    if (!at) return fl_fail(err, FL_TORN, "stored output is longer than it may be");
    got = read_some(fd, pos, at, len);
    if (got == (ssize_t)len) return true;
    fl_buf_truncate(out, before);
    if (got < 0) return fl_fail(err, FL_IO, "reading stored output: %s", strerror(errno));
    return fl_fail(err, FL_TORN, "stored output ends too early");
}

bool log_segment_read(const struct log_segment *segment, uint64_t pos, size_t len,
                      struct fl_buf *out, struct fl_err *err)
{
    return log_pread(segment->fd, pos, len, out, err);
}

struct visit {
    void (*entry)(void *ctx, struct log_segment *segment, const struct log_entry *entry);
    void *ctx;
    struct log_segment *segment;
    const struct log_segment_header *named;
};

static void visit_entry(const struct visit *visit, const struct log_scan *scan,
                        const struct log_entry *entry)
{
    struct log_segment *segment = visit->segment;

    segment->header = scan->header.seq != 0 ? scan->header : *visit->named;
    segment->is_damaged = scan->is_damaged;
    while (segment->sources.len < scan->sources.len) {
        fl_vec_push(&segment->sources, (struct log_segment_source){0});
    }
    segment->sources.at[entry->number] =
        (struct log_segment_source){entry->key, entry->after, entry->kind == LOG_ENTRY_END};
    visit->entry(visit->ctx, segment, entry);
}

/* Walks the file in windows; each holds at least one whole entry, or the rest of the file. */
static bool walk(const struct visit *visit, uint64_t bytes, struct log_scan *scan,
                 struct fl_err *err)
{
    uint8_t *window = fl_realloc_array(NULL, uint8_t, WINDOW_BYTES);
    bool is_read = true;

    while (is_read && scan->pos < bytes) {
        uint64_t pos = scan->pos;
        uint64_t left = bytes - pos;
        ssize_t len =
            read_some(visit->segment->fd, pos, window, left < WINDOW_BYTES ? left : WINDOW_BYTES);
        bool is_last = len >= 0 && (uint64_t)len == left;

        is_read = len > 0 || fail_errno(err, "read", visit->segment->path);
        while (is_read && scan->pos - pos < (uint64_t)len) {
            struct fl_str rest = {(const char *)window + (scan->pos - pos),
                                  (size_t)len - (size_t)(scan->pos - pos)};
            struct log_entry entry;
            enum fl_log_answer answer = log_scan_next(scan, rest, &entry);

            if (answer == FL_LOG_READY) {
                visit_entry(visit, scan, &entry);
            } else if (answer == FL_LOG_BAD || is_last) {
                log_scan_skip(scan, rest);
            } else {
                break; /* the next window has the whole entry */
            }
        }
    }
    fl_free(window);
    return is_read;
}

struct log_segment *log_segment_recover(
    const char *path, const struct log_segment_header *named, const struct log_disk *disk,
    void (*entry)(void *ctx, struct log_segment *segment, const struct log_entry *entry), void *ctx,
    struct log_damage *ret_damage, struct fl_err *err)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    struct visit visit = {.entry = entry, .ctx = ctx, .named = named};
    struct log_segment *segment;
    struct log_scan scan;
    struct stat stat;
    bool is_good;

    if (fd < 0) {
        fail_errno(err, "open", path);
        return NULL;
    }
    segment = adopt(fl_alloc(strlen(path) + 1), fd, disk);
    memcpy(segment->path, path, strlen(path));
    segment->header = *named;
    visit.segment = segment;
    log_scan_init(&scan);
    is_good = fstat(fd, &stat) == 0 || fail_errno(err, "stat", path);
    is_good = is_good && walk(&visit, (uint64_t)stat.st_size, &scan, err);
    if (scan.header.seq != 0) segment->header = scan.header;
    segment->bytes = scan.good_bytes;
    segment->is_damaged = scan.damaged_bytes > 0;
    *ret_damage = (struct log_damage){scan.damaged_at, scan.damaged_bytes};
    if (is_good && scan.good_bytes == 0) {
        is_good = fl_fail(err, FL_TORN, "%s has no header and no entry", path);
    }
    if (is_good && (uint64_t)stat.st_size > scan.good_bytes) {
        segment->synced_bytes = scan.good_bytes;
        is_good = log_segment_cut(segment, err);
    }
    /* Bytes that were never synced may be in memory only: they must not be acknowledged before they
     * are on the disk. */
    if (is_good) {
        segment->synced_bytes = 0;
        is_good = log_segment_sync(segment, err);
    }
    log_scan_fini(&scan);
    if (is_good) return segment;
    log_segment_unref(segment);
    return NULL;
}

bool log_segment_keep(struct log_segment *segment, struct fl_err *err)
{
    static const char suffix[] = ".damaged";
    size_t len = strlen(segment->path);
    char *kept = fl_alloc(len + sizeof(suffix));
    bool is_kept;

    memcpy(kept, segment->path, len);
    memcpy(kept + len, suffix, sizeof(suffix));
    is_kept = rename(segment->path, kept) == 0 || fail_errno(err, "rename", segment->path);
    fl_free(segment->path);
    segment->path = kept;
    return is_kept;
}
