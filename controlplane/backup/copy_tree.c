#include "controlplane/backup/copy_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK_BYTES = 1 << 20 };

/* A folder on its way; the names are for refusals. */
struct folder {
    int from, to;
    const char *path;
    unsigned depth;
};

static bool failed(struct fl_err *err, const char *verb, const char *path, const char *name)
{
    return fl_fail(err, errno == EACCES || errno == EPERM ? FL_DENIED : FL_IO, "%s %s/%s: %s", verb,
                   path, name, strerror(errno));
}

static bool own(const struct copy_tree *copy, int fd)
{
    return geteuid() != 0 || fchown(fd, copy->uid, copy->gid) == 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool has_same(int to, const char *name, const struct stat *want)
{
    struct stat found;

    return fstatat(to, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(found.st_mode) &&
           found.st_size == want->st_size && found.st_mtim.tv_sec == want->st_mtim.tv_sec &&
           found.st_mtim.tv_nsec == want->st_mtim.tv_nsec;
}

/* As many bytes as there were when it was opened: a log may grow faster than it is copied. */
static bool copy_bytes(struct copy_tree *copy, int from, int to, off_t left)
{
    while (left > 0) {
        size_t want = left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;
        ssize_t n = copy_file_range(from, NULL, to, NULL, want, 0);
        char chunk[16384];

        if (n < 0 && (errno == EXDEV || errno == EOPNOTSUPP || errno == EINVAL)) {
            n = read(from, chunk, want < sizeof chunk ? want : sizeof chunk);
            if (n > 0 && write(to, chunk, (size_t)n) != n) return false;
        }
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        if (n == 0) break; /* it became shorter */
        left -= n;
        copy->bytes += (uint64_t)n;
    }
    return true;
}

/* The new file takes the name when it is whole. */
static bool copy_opened(struct copy_tree *copy, const struct folder *folder, const char *name,
                        int from, const struct stat *found, struct fl_err *err)
{
    const char *part = ".copying";
    int to = openat(folder->to, part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    struct timespec times[2] = {found->st_atim, found->st_mtim};
    bool is_good = to >= 0 && copy_bytes(copy, from, to, found->st_size) && own(copy, to) &&
                   fchmod(to, found->st_mode & 0777) == 0 && futimens(to, times) == 0 &&
                   renameat(folder->to, part, folder->to, name) == 0;

    if (!is_good) FL_IGNORE(failed(err, "copy", folder->path, name));
    if (to >= 0) close(to);
    if (!is_good) unlinkat(folder->to, part, 0); /* it may not be there */
    return is_good;
}

static bool copy_file(struct copy_tree *copy, const struct folder *folder, const char *name,
                      const struct stat *listed, bool *ret_is_gone, struct fl_err *err)
{
    struct stat found;
    bool is_good;
    int from;

    if (has_same(folder->to, name, listed)) return true;
    from = openat(folder->from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (from < 0 && errno == ENOENT) {
        *ret_is_gone = true;
        return true;
    }
    if (from < 0 || fstat(from, &found) != 0) {
        FL_IGNORE(failed(err, "open", folder->path, name));
        if (from >= 0) close(from);
        return false;
    }
    is_good = copy_opened(copy, folder, name, from, &found, err);
    close(from);
    if (is_good) copy->files++;
    if (is_good && copy->on_more) copy->on_more(copy->ctx, copy);
    return is_good;
}

/* ---- folders --------------------------------------------------------------------------------- */

static bool copy_folder(struct copy_tree *copy, const struct folder *folder, struct fl_err *err);

static bool copy_below(struct copy_tree *copy, const struct folder *folder, const char *name,
                       bool *ret_is_gone, struct fl_err *err)
{
    char path[PATH_MAX];
    struct folder below = {.path = path, .depth = folder->depth + 1};
    struct stat made;
    bool is_good;

    if (below.depth > COPY_TREE_DEPTH_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "%s/%s: its folders are nested more than %d deep",
                       folder->path, name, COPY_TREE_DEPTH_MAX);
    }
    if (snprintf(path, sizeof path, "%s/%s", folder->path, name) >= PATH_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "%s: its path is too long", name);
    }
    below.from = openat(folder->from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below.from < 0 && errno == ENOENT) {
        *ret_is_gone = true;
        return true;
    }
    below.to = -1;
    is_good = below.from >= 0 && fstat(below.from, &made) == 0 &&
              (mkdirat(folder->to, name, 0700) == 0 || errno == EEXIST);
    if (is_good) below.to = openat(folder->to, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    is_good = is_good && below.to >= 0 && own(copy, below.to) &&
              fchmod(below.to, made.st_mode & 0777) == 0;
    if (!is_good) FL_IGNORE(failed(err, "copy", folder->path, name));
    is_good = is_good && copy_folder(copy, &below, err);
    if (below.to >= 0) close(below.to);
    if (below.from >= 0) close(below.from);
    return is_good;
}

static bool copy_entry(struct copy_tree *copy, const struct folder *folder, const char *name,
                       bool *ret_is_gone, struct fl_err *err)
{
    struct stat found;

    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return true;
    if (folder->depth == 0 && copy->without && strcmp(name, copy->without) == 0) return true;
    if (fstatat(folder->from, name, &found, AT_SYMLINK_NOFOLLOW) != 0) {
        *ret_is_gone = errno == ENOENT;
        return errno == ENOENT || failed(err, "look at", folder->path, name);
    }
    if (S_ISDIR(found.st_mode)) return copy_below(copy, folder, name, ret_is_gone, err);
    return !S_ISREG(found.st_mode) || copy_file(copy, folder, name, &found, ret_is_gone, err);
}

/* One pass; 'ret_is_gone': a listed file had vanished, and the one in its place may not have been
 * listed. */
static bool copy_pass(struct copy_tree *copy, const struct folder *folder, bool *ret_is_gone,
                      struct fl_err *err)
{
    int fd = openat(folder->from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    bool is_good = dir != NULL;

    if (!dir) {
        FL_IGNORE(failed(err, "list", folder->path, "."));
        if (fd >= 0) close(fd);
        return false;
    }
    while (is_good && (entry = readdir(dir))) {
        bool is_gone = false;

        is_good = copy_entry(copy, folder, entry->d_name, &is_gone, err);
        *ret_is_gone = *ret_is_gone || is_gone;
    }
    closedir(dir);
    return is_good;
}

static bool copy_folder(struct copy_tree *copy, const struct folder *folder, struct fl_err *err)
{
    for (unsigned pass = 0; pass < COPY_TREE_PASSES_MAX; pass++) {
        bool is_gone = false;

        if (!copy_pass(copy, folder, &is_gone, err)) return false;
        if (!is_gone) return true;
    }
    return fl_fail(err, FL_UNAVAILABLE,
                   "%s: files vanished in each of %d passes; try again when less happens",
                   folder->path, COPY_TREE_PASSES_MAX);
}

bool copy_tree(struct copy_tree *copy, const char *from, const char *to, struct fl_err *err)
{
    struct folder top = {.path = from, .to = -1};
    bool is_good;

    top.from = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (top.from < 0) return fl_fail(err, FL_IO, "%s: %s", from, strerror(errno));
    is_good = mkdir(to, 0700) == 0 || errno == EEXIST;
    if (is_good) top.to = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    is_good = is_good && top.to >= 0 && own(copy, top.to);
    if (!is_good) fl_fail(err, FL_IO, "%s: %s", to, strerror(errno));
    is_good = is_good && copy_folder(copy, &top, err);
    if (is_good && syncfs(top.to) != 0) {
        is_good = fl_fail(err, FL_IO, "sync %s: %s", to, strerror(errno));
    }
    if (top.to >= 0) close(top.to);
    close(top.from);
    return is_good;
}

/* ---- removing -------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *found, int kind, struct FTW *place)
{
    (void)found, (void)kind, (void)place;
    return remove(path);
}

bool copy_tree_remove(const char *path, struct fl_err *err)
{
    if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT) return true;
    return fl_fail(err, FL_IO, "remove %s: %s", path, strerror(errno));
}
