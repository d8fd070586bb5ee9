#include "agent/process/results.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/process/tree_size.h"
#include "shared/base/alloc.h"
#include "shared/io/log.h"

enum {
    SLICE_MS = 20,
    SLICE_ENTRIES = 500, /* entries that one slice looks at */
    FIRST_ENTRIES = 64,  /* entries looked at at once: enough for a few files */
    SLICE_FATES = 16,    /* kept folders that one slice takes away */
    LOOK_MS_MAX = 60000, /* the wall clock may have been set */
};

struct results {
    struct fl_loop *loop;
    struct result_limits limits;
    struct results_port port;
    int dir; /* -1: nothing can be kept */
    struct result_list list;
    struct fl_timer work;
    struct tree_size size; /* that of 'measured' */
    char measured[LAYOUT_NAME_MAX];
};

/* ---- going ----------------------------------------------------------------------------------- */

static void sweep(struct results *results, const struct result_entry *entry)
{
    char name[RESULT_NAME_MAX];

    result_entry_name(entry, name);
    if (!result_entry_has_files(entry)) {
        (void)unlinkat(results->dir, name, 0);
    } else if (!results->port.sweep(results->port.ctx, results->dir, name) && errno != ENOENT) {
        fl_log(FL_LOG_WARN, "process", "kept_not_removed", FL_LOG_S("replica", entry->replica),
               FL_LOG_S("why", strerror(errno)));
    }
}

/* The files go first: a crash between the two costs a note, and leaves no files. */
static void leave_note(struct results *results, struct result_entry *entry, enum result_state why)
{
    char name[RESULT_NAME_MAX];
    int fd;

    fl_log(FL_LOG_INFO, "process", "results_not_kept", FL_LOG_S("replica", entry->replica),
           FL_LOG_S("why", why == RESULT_TOO_LARGE ? "too large, too deep, or not to be read"
                                                   : "newer ones need the place"));
    sweep(results, entry);
    result_list_set(&results->list, entry, why, 0);
    result_entry_name(entry, name);
    fd = openat(results->dir, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0) close(fd);
}

/* True: all that is left may stay. */
static bool settle(struct results *results)
{
    for (unsigned i = 0; i < SLICE_FATES; i++) {
        struct result_entry *entry;

        switch (result_list_next(&results->list, &results->limits, layout_now(), &entry)) {
        case RESULT_ALL_STAY:
            return true;
        case RESULT_GOES:
            sweep(results, entry);
            result_list_remove(&results->list, entry);
            break;
        case RESULT_LEAVES:
            leave_note(results, entry, RESULT_MADE_ROOM);
            break;
        }
    }
    return false;
}

/* ---- measuring ------------------------------------------------------------------------------- */

static bool begin_measuring(struct results *results, struct result_entry *entry)
{
    char name[RESULT_NAME_MAX];

    result_entry_name(entry, name);
    snprintf(results->measured, sizeof results->measured, "%s", entry->replica);
    return tree_size_begin(&results->size, results->dir, name, results->limits.replica_bytes_max);
}

static void measure_one(struct results *results, struct result_entry *entry, unsigned *entries_left)
{
    enum tree_size_answer answer = TREE_SIZE_CLOSED;

    if (results->size.depth > 0 && strcmp(results->measured, entry->replica) != 0) {
        tree_size_end(&results->size); /* that one has gone meanwhile */
    }
    if (results->size.depth > 0 || begin_measuring(results, entry)) {
        answer = tree_size_some(&results->size, entries_left);
    } else if (tree_size_is_for_later()) {
        answer = TREE_SIZE_LATER;
    } else if (errno == ENOENT) { /* it was removed by hand */
        result_list_remove(&results->list, entry);
        return;
    }
    switch (answer) {
    case TREE_SIZE_MORE:
        break;
    case TREE_SIZE_KNOWN:
        result_list_set(&results->list, entry, RESULT_MEASURED, results->size.bytes);
        break;
    case TREE_SIZE_OVER:
    case TREE_SIZE_CLOSED:
        leave_note(results, entry, RESULT_TOO_LARGE);
        break;
    case TREE_SIZE_LATER:
        *entries_left = 0;
        break;
    }
}

static void measure(struct results *results, unsigned entries)
{
    struct result_entry *entry;

    while (entries > 0 && (entry = result_list_unmeasured(&results->list))) {
        measure_one(results, entry, &entries);
        if (entries > 0) entries--;
    }
}

/* ---- its time -------------------------------------------------------------------------------- */

static void arm(struct results *results, bool is_settled)
{
    fl_ms in = result_list_due_in(&results->list, &results->limits, layout_now());

    if (in < 0) return;
    if (in > LOOK_MS_MAX) in = LOOK_MS_MAX;
    if (!is_settled || results_is_busy(results)) in = SLICE_MS;
    fl_timer_in(&results->work, in);
}

static void work(void *ctx)
{
    struct results *results = ctx;

    measure(results, SLICE_ENTRIES);
    arm(results, settle(results));
}

/* ---- taking ---------------------------------------------------------------------------------- */

/* A folder that its owner may not write cannot be moved, but by root. */
static bool open_up(int dir, const char *from)
{
    char path[40];
    int fd = openat(dir, from, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool is_done;

    if (fd < 0) return false;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    is_done = chmod(path, 0700) == 0;
    close(fd);
    return is_done;
}

static bool is_folder(int dir, const char *from)
{
    struct stat info;

    if (fstatat(dir, from, &info, AT_SYMLINK_NOFOLLOW) != 0) return false;
    errno = ENOTDIR;
    return S_ISDIR(info.st_mode);
}

static bool move(struct results *results, int dir, const char *from, const char *name)
{
    if (!is_folder(dir, from)) return false;
    if (renameat2(dir, from, results->dir, name, RENAME_NOREPLACE) == 0) return true;
    return errno == EACCES && open_up(dir, from) &&
           renameat2(dir, from, results->dir, name, RENAME_NOREPLACE) == 0;
}

bool results_take(struct results *results, int dir, const char *from, const char *replica)
{
    struct result_entry entry = {.at = layout_now(), .state = RESULT_NEW};
    char name[RESULT_NAME_MAX];

    if (results->dir < 0 || results->limits.keep_ms == 0) return false;
    if (unlinkat(dir, from, AT_REMOVEDIR) == 0) return false; /* it was empty */
    snprintf(entry.replica, sizeof entry.replica, "%s", replica);
    result_entry_name(&entry, name);
    if (!move(results, dir, from, name)) {
        if (errno == ENOENT) return false;
        fl_log(FL_LOG_WARN, "process", "results_not_kept", FL_LOG_S("replica", replica),
               FL_LOG_S("why", strerror(errno)));
        return false;
    }
    result_list_add(&results->list, entry, entry.at);
    measure(results, FIRST_ENTRIES);
    arm(results, settle(results));
    return true;
}

int results_open(struct results *results, const char *replica, struct fl_err *err)
{
    const struct result_entry *entry = result_list_find(&results->list, replica);
    char name[RESULT_NAME_MAX];
    int fd;

    if (!entry || !result_entry_has_files(entry)) {
        (void)result_list_explain(&results->list, &results->limits, replica, err);
        return -1;
    }
    result_entry_name(entry, name);
    fd = openat(results->dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) fl_fail(err, FL_IO, "cannot open its kept folder: %s", strerror(errno));
    return fd;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void find_earlier(struct results *results)
{
    int fd = openat(results->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *found;
    fl_ms now = layout_now();

    if (!folder) {
        if (fd >= 0) close(fd);
        return;
    }
    while ((found = readdir(folder))) {
        struct result_entry entry;
        char name[RESULT_NAME_MAX];

        if (!result_entry_parse(found->d_name, &entry)) continue;
        result_entry_name(&entry, name);
        if (strcmp(name, found->d_name) == 0) result_list_add(&results->list, entry, now);
    }
    closedir(folder);
}

struct results *results_create(struct fl_loop *loop, const char *path,
                               const struct result_limits *limits, const struct results_port *port)
{
    struct results *results = fl_new(struct results);

    results->loop = loop;
    results->limits = *limits;
    results->port = *port;
    results->dir = -1;
    fl_timer_init(&results->work, loop, work, results);
    if (mkdir(path, 0700) == 0 || errno == EEXIST) {
        results->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (results->dir < 0) {
        fl_log(FL_LOG_ERROR, "process", "nothing_is_kept", FL_LOG_S("path", path),
               FL_LOG_S("why", strerror(errno)));
        return results;
    }
    find_earlier(results);
    if (result_list_len(&results->list) > 0) fl_timer_in(&results->work, 0);
    return results;
}

void results_destroy(struct results *results)
{
    if (!results) return;
    fl_timer_off(&results->work);
    tree_size_end(&results->size);
    result_list_fini(&results->list);
    if (results->dir >= 0) close(results->dir);
    fl_free(results);
}

void results_forget(struct results *results)
{
    tree_size_end(&results->size);
    if (results_len(results) > 0) {
        fl_log(FL_LOG_INFO, "process", "results_forgotten",
               FL_LOG_N("replicas", results_len(results)));
    }
    while (result_list_len(&results->list) > 0) {
        struct result_entry *entry = result_list_oldest(&results->list);

        sweep(results, entry);
        result_list_remove(&results->list, entry);
    }
}

size_t results_len(const struct results *results)
{
    return result_list_len(&results->list);
}

bool results_is_busy(const struct results *results)
{
    return results->dir >= 0 && results->list.unmeasured > 0;
}
