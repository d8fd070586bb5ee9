/* Where the files of a replica that has ended are: in its directory until that is removed, and then
 * among those that are kept.  The path comes from outside: each folder is opened below the one
 * before it, none by a link. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/process/process_visit.h"

/* The folder of all files of the replica. */
static int open_root(struct process *process, const struct fl_visit_open *open, struct fl_err *err)
{
    const struct process_replica *replica =
        process_table_find(process, open->attempt, open->replica);
    char path[LAYOUT_NAME_MAX + sizeof("/" LAYOUT_FILES)], name[LAYOUT_NAME_MAX];
    int fd;

    layout_name(open->attempt, open->replica, name);
    if (replica && replica->phase != PROCESS_ENDED) {
        fl_fail(err, FL_CONFLICT, "the replica has not ended yet");
        return -1;
    }
    if (replica) {
        snprintf(path, sizeof path, "%s/" LAYOUT_FILES, name);
        fd = openat(process->dir, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0) return fd;
    }
    if (process->results) return results_open(process->results, name, err);
    fl_fail(err, FL_ABSENT, "this agent keeps no files");
    return -1;
}

/* The next name of a path, without '/' and '.'; empty: there is none. */
static struct fl_str next_name(const char **path)
{
    for (;;) {
        struct fl_str name;

        while (**path == '/') {
            ++*path;
        }
        name = (struct fl_str){*path, strcspn(*path, "/")};
        *path += name.len;
        if (!fl_str_eq(name, FL_STR("."))) return name;
    }
}

static void absent(const struct fl_visit_open *open, struct fl_err *err)
{
    fl_fail(err, FL_ABSENT, "the replica left no '" FL_STR_FMT "' in its folder: %s",
            FL_STR_ARG(fl_str_begin(open->words[0], 150)), strerror(errno));
}

/* "out/." is what is in the folder "out", not the folder. */
static bool ends_with_dot(const char *path)
{
    size_t len = strlen(path);

    while (len > 0 && path[len - 1] == '/') {
        len--;
    }
    return len > 0 && path[len - 1] == '.' && (len == 1 || path[len - 2] == '/');
}

/* Closes 'at'. */
static int step_into(int at, const char *name)
{
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int why = errno;

    close(at);
    errno = why;
    return fd;
}

/* Along the path but for its last name, which stays in 'ret_last'; empty: there is only 'at'. */
static int walk(int at, const char *path, char ret_last[NAME_MAX + 1])
{
    struct fl_str name;

    ret_last[0] = 0;
    while (at >= 0 && (name = next_name(&path)).len > 0) {
        if (ret_last[0]) at = step_into(at, ret_last);
        if (name.len <= NAME_MAX && !fl_str_eq(name, FL_STR(".."))) {
            memcpy(ret_last, name.at, name.len);
            ret_last[name.len] = 0;
            continue;
        }
        if (at >= 0) close(at);
        errno = name.len > NAME_MAX ? ENAMETOOLONG : EACCES;
        return -1;
    }
    return at;
}

int process_files_open(struct process *process, const struct fl_visit_open *open,
                       struct fl_arena *arena, const char **ret_name, struct fl_err *err)
{
    const char *path = fl_arena_copy(arena, open->words[0].at, open->words[0].len);
    char last[NAME_MAX + 1];
    struct stat info;
    int at;

    if (path[0] == '/') {
        fl_fail(err, FL_INVALID,
                "after its end a replica's own folder is kept, and nothing else: name a path "
                "below that, as out/model");
        return -1;
    }
    at = open_root(process, open, err);
    if (at < 0) return -1;
    at = walk(at, path, last);
    if (at >= 0 && last[0] && ends_with_dot(path)) {
        at = step_into(at, last);
        last[0] = 0;
    }
    if (at >= 0 && last[0] && fstatat(at, last, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        int why = errno;

        close(at);
        errno = why;
        at = -1;
    }
    if (at < 0) absent(open, err);
    *ret_name = last[0] ? fl_arena_printf(arena, "./%s", last) : "./.";
    return at;
}
