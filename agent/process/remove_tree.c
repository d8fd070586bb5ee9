#include "agent/process/remove_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/base/err.h"

enum { DEPTH_MAX = 32 };

struct removal {
    int top;
    unsigned left; /* entries that may still be removed now */
    unsigned moved;
};

static bool empty(struct removal *removal, int dir, int depth);

/* Moves a folder that lies too deep up to the top, where a later call removes it. */
static bool lift(struct removal *removal, int dir, const char *name)
{
    for (; removal->moved < 100000; removal->moved++) {
        char above[32];

        snprintf(above, sizeof(above), "deep-%u", removal->moved);
        if (renameat2(dir, name, removal->top, above, RENAME_NOREPLACE) == 0) return true;
        if (errno != EEXIST) return false;
    }
    return false;
}

static bool remove_folder(struct removal *removal, int dir, const char *name, int depth)
{
    int fd;
    bool is_empty;

    if (unlinkat(dir, name, AT_REMOVEDIR) == 0) return true;
    fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == EACCES && fchmodat(dir, name, 0700, 0) == 0) {
        fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    if (fd < 0) return errno == ENOENT;
    FL_IGNORE(fchmod(fd, 0700));
    is_empty = empty(removal, fd, depth); /* closes fd */
    return is_empty && unlinkat(dir, name, AT_REMOVEDIR) == 0;
}

static bool remove_entry(struct removal *removal, int dir, const struct dirent *entry, int depth)
{
    if (removal->left == 0) return false;
    removal->left--;
    if (entry->d_type != DT_DIR && unlinkat(dir, entry->d_name, 0) == 0) return true;
    if (entry->d_type != DT_DIR && errno != EISDIR && errno != EPERM) return errno == ENOENT;
    if (depth >= DEPTH_MAX) return lift(removal, dir, entry->d_name);
    return remove_folder(removal, dir, entry->d_name, depth + 1);
}

/* Takes over 'dir'.  False: something is left. */
static bool empty(struct removal *removal, int dir, int depth)
{
    DIR *folder = fdopendir(dir);
    struct dirent *entry;
    bool is_empty = true;

    if (!folder) {
        close(dir);
        return false;
    }
    while ((entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (!remove_entry(removal, dirfd(folder), entry, depth)) is_empty = false;
        if (removal->left == 0) {
            is_empty = false;
            break;
        }
    }
    closedir(folder);
    return is_empty;
}

bool remove_tree_counted(int dir, const char *name, unsigned *entries_left)
{
    struct removal removal = {.left = *entries_left};
    bool is_gone;

    if (*entries_left > 0) --*entries_left;

    removal.top = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (removal.top < 0) return errno == ENOENT;
    is_gone = remove_folder(&removal, dir, name, 0);
    close(removal.top);
    *entries_left = removal.left < *entries_left ? removal.left : *entries_left;
    return is_gone;
}

bool remove_tree_some(int dir, const char *name, unsigned entries_max)
{
    return remove_tree_counted(dir, name, &entries_max);
}
