#include "shared/io/state_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hex.h"
#include "shared/io/file.h"

#define LOCK_NAME "lock"
#define INSTANCE_NAME "instance"

struct fl_state_dir {
    char *path;
    int fd, lock_fd;
    char instance[FL_STATE_DIR_INSTANCE_MAX];
};

/* Makes the folder and those above it. */
static bool make_folders(const char *path, struct fl_err *err)
{
    char part[PATH_MAX];
    size_t len = strlen(path);

    if (len == 0 || len >= sizeof part) {
        return fl_fail(err, FL_INVALID, "the state directory's path has 1 to %d bytes",
                       PATH_MAX - 1);
    }
    for (size_t i = 1; i <= len; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0700) != 0 && errno != EEXIST) {
            return fl_fail(err, errno == ENOSPC ? FL_NO_SPACE : FL_IO, "mkdir %s: %s", part,
                           strerror(errno));
        }
    }
    return true;
}

static bool fail_held(struct fl_state_dir *dir, struct fl_err *err)
{
    char pid[16] = {0};
    ssize_t got = pread(dir->lock_fd, pid, sizeof pid - 1, 0);

    for (ssize_t i = 0; i < got; i++) {
        if (pid[i] < '0' || pid[i] > '9') pid[i] = '\0';
    }
    return fl_fail(err, FL_CONFLICT, "%s is in use by process %s", dir->path,
                   pid[0] ? pid : "unknown");
}

static bool take_lock(struct fl_state_dir *dir, struct fl_err *err)
{
    char pid[16];
    int len;

    dir->lock_fd = openat(dir->fd, LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (dir->lock_fd < 0) {
        return fl_fail(err, errno == ENOSPC ? FL_NO_SPACE : FL_IO, "%s/" LOCK_NAME ": %s",
                       dir->path, strerror(errno));
    }
    if (flock(dir->lock_fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return fail_held(dir, err);
        return fl_fail(err, FL_IO, "lock %s: %s", dir->path, strerror(errno));
    }
    /* The pid serves only the message of fail_held, so a full disk does not matter here. */
    len = snprintf(pid, sizeof pid, "%d\n", (int)getpid());
    if (ftruncate(dir->lock_fd, 0) != 0 || pwrite(dir->lock_fd, pid, (size_t)len, 0) != len) {
        errno = 0;
    }
    return true;
}

static bool is_instance(const char *text, size_t len)
{
    if (len != FL_STATE_DIR_INSTANCE_MAX - 1) return false;
    for (size_t i = 0; i < len; i++) {
        bool is_digit = (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f');

        if (!is_digit) return false;
    }
    return true;
}

static bool make_instance(struct fl_state_dir *dir, struct fl_err *err)
{
    uint8_t random[16];
    ssize_t got = getrandom(random, sizeof random, 0);

    fl_assert(got == (ssize_t)sizeof random);
    fl_hex_print(random, sizeof random, dir->instance);
    return fl_file_write(dir->fd, INSTANCE_NAME, dir->instance, strlen(dir->instance), 0600, err) ||
           fl_err_wrap(err, "%s", dir->path);
}

static bool read_instance(struct fl_state_dir *dir, struct fl_err *err)
{
    struct fl_buf text;
    struct fl_err why = {0};
    bool is_good;

    fl_buf_init(&text, 64);
    is_good = fl_file_read(dir->fd, INSTANCE_NAME, &text, &why);
    if (is_good && text.len > 0 && text.at[text.len - 1] == '\n') text.len--;
    if (!is_good && why.code == FL_ABSENT) {
        is_good = make_instance(dir, err);
    } else if (!is_good || !is_instance((const char *)text.at, text.len)) {
        is_good = fl_fail(err, FL_TORN, "%s/" INSTANCE_NAME " is not 32 hex digits; remove it",
                          dir->path);
    } else {
        memcpy(dir->instance, text.at, text.len);
    }
    fl_buf_fini(&text);
    return is_good;
}

static bool open_dir(struct fl_state_dir *dir, const char *path, struct fl_err *err)
{
    char absolute[PATH_MAX];

    if (!make_folders(path, err)) return false;
    if (!realpath(path, absolute)) {
        return fl_fail(err, FL_IO, "%s: %s", path, strerror(errno));
    }
    dir->path = fl_new_array(char, strlen(absolute) + 1);
    memcpy(dir->path, absolute, strlen(absolute));
    dir->fd = open(absolute, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir->fd < 0) return fl_fail(err, FL_IO, "%s: %s", absolute, strerror(errno));
    return take_lock(dir, err) && read_instance(dir, err);
}

bool fl_state_dir_open(const char *path, struct fl_state_dir **ret_dir, struct fl_err *err)
{
    struct fl_state_dir *dir = fl_new(struct fl_state_dir);

    dir->fd = dir->lock_fd = -1;
    if (!open_dir(dir, path, err)) {
        fl_state_dir_close(dir);
        return false;
    }
    *ret_dir = dir;
    return true;
}

void fl_state_dir_close(struct fl_state_dir *dir)
{
    if (!dir) return;
    if (dir->lock_fd >= 0) close(dir->lock_fd);
    if (dir->fd >= 0) close(dir->fd);
    fl_free(dir->path);
    fl_free(dir);
}

const char *fl_state_dir_path(const struct fl_state_dir *dir)
{
    return dir->path;
}

const char *fl_state_dir_instance(const struct fl_state_dir *dir)
{
    return dir->instance;
}

int fl_state_dir_fd(const struct fl_state_dir *dir)
{
    return dir->fd;
}
