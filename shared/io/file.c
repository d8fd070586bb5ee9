#include "shared/io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES_MAX = 4096 };

static bool fail_errno(struct fl_err *err, const char *what, const char *path)
{
    int why = errno;
    enum fl_code code = why == ENOENT                    ? FL_ABSENT
                        : why == EACCES || why == EPERM  ? FL_DENIED
                        : why == ENOSPC || why == EDQUOT ? FL_NO_SPACE
                                                         : FL_IO;

    return fl_fail(err, code, "%s %s: %s", what, path, strerror(why));
}

bool fl_file_read(int dir_fd, const char *path, struct fl_buf *ret, struct fl_err *err)
{
    int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    uint8_t piece[16384];
    size_t before = ret->len;
    ssize_t got = 0;
    bool is_good = true;

    if (fd < 0) return fail_errno(err, "open", path);
    while (is_good && (got = read(fd, piece, sizeof piece)) != 0) {
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            is_good = fail_errno(err, "read", path);
        } else if (!fl_buf_put(ret, piece, (size_t)got)) {
            is_good = fl_fail(err, FL_TOO_LARGE, "%s has over %zu bytes", path, ret->max - before);
        }
    }
    close(fd);
    if (!is_good) fl_buf_truncate(ret, before);
    return is_good;
}

static bool write_all(int fd, const void *ptr, size_t len)
{
    const uint8_t *at = ptr;

    while (len > 0) {
        ssize_t put = write(fd, at, len);

        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        at += put;
        len -= (size_t)put;
    }
    return true;
}

/* The folder of a path, "." when it names none. */
static bool sync_folder(int dir_fd, const char *path, struct fl_err *err)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_BYTES_MAX] = ".";
    int fd;
    bool is_good;

    if (slash) snprintf(folder, sizeof folder, "%.*s", (int)(slash - path + 1), path);
    fd = openat(dir_fd, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return fail_errno(err, "open", folder);
    is_good = fsync(fd) == 0;
    if (!is_good) fail_errno(err, "fsync", folder);
    close(fd);
    return is_good;
}

bool fl_file_write(int dir_fd, const char *path, const void *ptr, size_t len, mode_t mode,
                   struct fl_err *err)
{
    char temporary[PATH_BYTES_MAX];
    int fd;
    bool is_good;

    if (strlen(path) + sizeof ".new" > sizeof temporary) {
        return fl_fail(err, FL_TOO_LARGE, "a path has under %d bytes", PATH_BYTES_MAX - 4);
    }
    snprintf(temporary, sizeof temporary, "%s.new", path);
    /* A crash may have left the temporary file, perhaps with another mode. */
    if (unlinkat(dir_fd, temporary, 0) != 0 && errno != ENOENT) {
        return fail_errno(err, "unlink", temporary);
    }
    fd = openat(dir_fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    if (fd < 0) return fail_errno(err, "open", temporary);
    is_good = fchmod(fd, mode) == 0 && write_all(fd, ptr, len) && fsync(fd) == 0;
    if (!is_good) fail_errno(err, "write", temporary);
    if (close(fd) != 0 && is_good) is_good = fail_errno(err, "close", temporary);
    if (is_good && renameat(dir_fd, temporary, dir_fd, path) != 0) {
        is_good = fail_errno(err, "rename", temporary);
    }
    if (!is_good) {
        unlinkat(dir_fd, temporary, 0);
        return false;
    }
    return sync_folder(dir_fd, path, err);
}

bool fl_file_overwrite(int dir_fd, const char *path, const void *ptr, size_t len,
                       struct fl_err *err)
{
    int fd = openat(dir_fd, path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat status;
    bool is_good;

    if (fd < 0) return fail_errno(err, "open", path);
    is_good = write_all(fd, ptr, len) && fstat(fd, &status) == 0;
    if (is_good && status.st_size > (off_t)len) is_good = ftruncate(fd, (off_t)len) == 0;
    is_good = is_good && fdatasync(fd) == 0;
    if (!is_good) fail_errno(err, "write", path);
    if (close(fd) != 0 && is_good) is_good = fail_errno(err, "close", path);
    return is_good;
}

bool fl_file_remove(int dir_fd, const char *path, struct fl_err *err)
{
    if (unlinkat(dir_fd, path, 0) != 0) {
        return errno == ENOENT || fail_errno(err, "unlink", path);
    }
    return sync_folder(dir_fd, path, err);
}
