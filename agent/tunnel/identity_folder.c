#include "agent/tunnel/identity_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/io/file.h"

#define FOLDER "identity"

static bool open_folder(const char *state_dir, bool is_made, int *ret_fd, struct fl_err *err)
{
    int parent = open(state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd;

    if (parent < 0) return fl_fail(err, FL_IO, "%s: %s", state_dir, strerror(errno));
    if (is_made && mkdirat(parent, FOLDER, 0700) < 0 && errno != EEXIST) {
        fl_fail(err, FL_IO, "%s/" FOLDER ": %s", state_dir, strerror(errno));
        close(parent);
        return false;
    }
    fd = openat(parent, FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        fl_fail(err, errno == ENOENT ? FL_ABSENT : FL_IO, "%s/" FOLDER ": %s", state_dir,
                strerror(errno));
    }
    close(parent);
    *ret_fd = fd;
    return fd >= 0;
}

static bool list(void *self, void (*fn)(void *ctx, const char *name), void *ctx, struct fl_err *err)
{
    const struct dirent *entry;
    DIR *dir;
    int fd = -1;

    if (!open_folder(self, false, &fd, err)) return false;
    dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        return fl_fail(err, FL_IO, FOLDER ": %s", strerror(errno));
    }
    while ((entry = readdir(dir))) {
        fn(ctx, entry->d_name);
    }
    closedir(dir);
    return true;
}

static bool read_text(void *self, const char *name, struct fl_buf *text, struct fl_err *err)
{
    bool is_read;
    int fd = -1;

    if (!open_folder(self, false, &fd, err)) return false;
    is_read = fl_file_read(fd, name, text, err) || fl_err_wrap(err, FOLDER "/%s", name);
    close(fd);
    return is_read;
}

static bool write_text(void *self, const char *name, struct fl_str text, struct fl_err *err)
{
    bool is_written;
    int fd = -1;

    if (!open_folder(self, true, &fd, err)) return false;
    is_written = fl_file_write(fd, name, text.at, text.len, 0600, err);
    close(fd);
    return is_written;
}

static bool remove_text(void *self, const char *name, struct fl_err *err)
{
    bool is_removed;
    int fd = -1;

    if (!open_folder(self, true, &fd, err)) return false;
    is_removed = fl_file_remove(fd, name, err);
    close(fd);
    return is_removed;
}

struct identity_store identity_folder(const char *state_dir)
{
    static const struct identity_store_ops ops = {list, read_text, write_text, remove_text};

    return (struct identity_store){&ops, (void *)state_dir};
}
