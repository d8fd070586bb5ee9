#include "agent/process/tree_size.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_BYTES = 512 };

static bool enter(struct tree_size *size, int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;

    if (!folder) {
        int why = errno;

        if (fd >= 0) close(fd);
        errno = why;
        return false;
    }
    size->at[size->depth++] = folder;
    return true;
}

static void leave(struct tree_size *size)
{
    closedir(size->at[--size->depth]);
}

static enum tree_size_answer end(struct tree_size *size, enum tree_size_answer answer)
{
    tree_size_end(size);
    return answer;
}

static uint64_t bytes_of(const struct stat *info)
{
    uint64_t length = S_ISREG(info->st_mode) ? (uint64_t)info->st_size : 0;
    uint64_t blocks = (uint64_t)info->st_blocks * BLOCK_BYTES;
    uint64_t larger = length > blocks ? length : blocks;

    return larger > TREE_SIZE_ENTRY_BYTES ? larger : TREE_SIZE_ENTRY_BYTES;
}

static enum tree_size_answer count(struct tree_size *size, int dir, const char *name)
{
    struct stat info;

    if (fstatat(dir, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return TREE_SIZE_MORE;
    size->bytes += bytes_of(&info);
    if (size->bytes > size->bytes_max) return TREE_SIZE_OVER;
    if (!S_ISDIR(info.st_mode)) return TREE_SIZE_MORE;
    if (size->depth == TREE_SIZE_DEPTH_MAX) return TREE_SIZE_OVER;
    if (enter(size, dir, name)) return TREE_SIZE_MORE;
    return tree_size_is_for_later() ? TREE_SIZE_LATER : TREE_SIZE_CLOSED;
}

bool tree_size_is_for_later(void)
{
    return errno == EMFILE || errno == ENFILE || errno == ENOMEM;
}

bool tree_size_begin(struct tree_size *size, int dir, const char *name, uint64_t bytes_max)
{
    *size = (struct tree_size){.bytes_max = bytes_max};
    return enter(size, dir, name);
}

enum tree_size_answer tree_size_some(struct tree_size *size, unsigned *entries_left)
{
    while (size->depth > 0 && *entries_left > 0) {
        DIR *folder = size->at[size->depth - 1];
        const struct dirent *entry = readdir(folder);
        enum tree_size_answer answer = TREE_SIZE_MORE;

        --*entries_left;
        if (!entry) {
            leave(size);
        } else if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            answer = count(size, dirfd(folder), entry->d_name);
        }
        if (answer != TREE_SIZE_MORE) return end(size, answer);
    }
    return size->depth > 0 ? TREE_SIZE_MORE : TREE_SIZE_KNOWN;
}

void tree_size_end(struct tree_size *size)
{
    while (size->depth > 0) {
        leave(size);
    }
}
