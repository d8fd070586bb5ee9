#include "agent/process/kept.h"

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

struct kept {
    struct fl_loop *loop;
    struct kept_limits limits;
    struct kept_port port;
    int dir; /* -1: nothing can be kept */
    struct kept_list list;
    struct fl_timer work;
    struct tree_size size; /* that of 'measured' */
    char measured[LAYOUT_NAME_MAX];
};

/* ---- going ----------------------------------------------------------------------------------- */

static void sweep(struct kept *kept, const struct kept_entry *entry)
{
    char name[KEPT_NAME_MAX];

    kept_entry_name(entry, name);
    if (!kept_entry_has_files(entry)) {
        (void)unlinkat(kept->dir, name, 0);
    } else if (!kept->port.sweep(kept->port.ctx, kept->dir, name) && errno != ENOENT) {
        fl_log(FL_LOG_WARN, "process", "kept_not_removed", FL_LOG_S("replica", entry->replica),
               FL_LOG_S("why", strerror(errno)));
    }
}

/* The files go first: a crash between the two costs a note, and leaves no files. */
static void leave_note(struct kept *kept, struct kept_entry *entry, enum kept_state why)
{
    char name[KEPT_NAME_MAX];
    int fd;

    fl_log(FL_LOG_INFO, "process", "results_not_kept", FL_LOG_S("replica", entry->replica),
           FL_LOG_S("why", why == KEPT_TOO_LARGE ? "too large, too deep, or not to be read"
                                                 : "newer ones need the place"));
    sweep(kept, entry);
    kept_list_set(&kept->list, entry, why, 0);
    kept_entry_name(entry, name);
    fd = openat(kept->dir, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0) close(fd);
}

/* True: all that is left may stay. */
static bool settle(struct kept *kept)
{
    for (unsigned i = 0; i < SLICE_FATES; i++) {
        struct kept_entry *entry;

        switch (kept_list_next(&kept->list, &kept->limits, layout_now(), &entry)) {
        case KEPT_ALL_STAY:
            return true;
        case KEPT_GOES:
            sweep(kept, entry);
            kept_list_remove(&kept->list, entry);
            break;
        case KEPT_LEAVES:
            leave_note(kept, entry, KEPT_MADE_ROOM);
            break;
        }
    }
    return false;
}

/* ---- measuring ------------------------------------------------------------------------------- */

static bool begin_measuring(struct kept *kept, struct kept_entry *entry)
{
    char name[KEPT_NAME_MAX];

    kept_entry_name(entry, name);
    snprintf(kept->measured, sizeof kept->measured, "%s", entry->replica);
    return tree_size_begin(&kept->size, kept->dir, name, kept->limits.replica_bytes_max);
}

static void measure_one(struct kept *kept, struct kept_entry *entry, unsigned *entries_left)
{
    enum tree_size_answer answer = TREE_SIZE_CLOSED;

    if (kept->size.depth > 0 && strcmp(kept->measured, entry->replica) != 0) {
        tree_size_end(&kept->size); /* that one has gone meanwhile */
    }
    if (kept->size.depth > 0 || begin_measuring(kept, entry)) {
        answer = tree_size_some(&kept->size, entries_left);
    } else if (tree_size_is_for_later()) {
        answer = TREE_SIZE_LATER;
    } else if (errno == ENOENT) { /* it was removed by hand */
        kept_list_remove(&kept->list, entry);
        return;
    }
    switch (answer) {
    case TREE_SIZE_MORE:
        break;
    case TREE_SIZE_KNOWN:
        kept_list_set(&kept->list, entry, KEPT_MEASURED, kept->size.bytes);
        break;
    case TREE_SIZE_OVER:
    case TREE_SIZE_CLOSED:
        leave_note(kept, entry, KEPT_TOO_LARGE);
        break;
    case TREE_SIZE_LATER:
        *entries_left = 0;
        break;
    }
}

static void measure(struct kept *kept, unsigned entries)
{
    struct kept_entry *entry;

    while (entries > 0 && (entry = kept_list_unmeasured(&kept->list))) {
        measure_one(kept, entry, &entries);
        if (entries > 0) entries--;
    }
}

/* ---- its time -------------------------------------------------------------------------------- */

static void arm(struct kept *kept, bool is_settled)
{
    fl_ms in = kept_list_due_in(&kept->list, &kept->limits, layout_now());

    if (in < 0) return;
    if (in > LOOK_MS_MAX) in = LOOK_MS_MAX;
    if (!is_settled || kept_is_busy(kept)) in = SLICE_MS;
    fl_timer_in(&kept->work, in);
}

static void work(void *ctx)
{
    struct kept *kept = ctx;

    measure(kept, SLICE_ENTRIES);
    arm(kept, settle(kept));
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

static bool move(struct kept *kept, int dir, const char *from, const char *name)
{
    if (!is_folder(dir, from)) return false;
    if (renameat2(dir, from, kept->dir, name, RENAME_NOREPLACE) == 0) return true;
    return errno == EACCES && open_up(dir, from) &&
           renameat2(dir, from, kept->dir, name, RENAME_NOREPLACE) == 0;
}

bool kept_take(struct kept *kept, int dir, const char *from, const char *replica)
{
    struct kept_entry entry = {.at = layout_now(), .state = KEPT_NEW};
    char name[KEPT_NAME_MAX];

    if (kept->dir < 0 || kept->limits.keep_ms == 0) return false;
    if (unlinkat(dir, from, AT_REMOVEDIR) == 0) return false; /* it was empty */
    snprintf(entry.replica, sizeof entry.replica, "%s", replica);
    kept_entry_name(&entry, name);
    if (!move(kept, dir, from, name)) {
        if (errno == ENOENT) return false;
        fl_log(FL_LOG_WARN, "process", "results_not_kept", FL_LOG_S("replica", replica),
               FL_LOG_S("why", strerror(errno)));
        return false;
    }
    kept_list_add(&kept->list, entry, entry.at);
    measure(kept, FIRST_ENTRIES);
    arm(kept, settle(kept));
    return true;
}

int kept_open(struct kept *kept, const char *replica, struct fl_err *err)
{
    const struct kept_entry *entry = kept_list_find(&kept->list, replica);
    char name[KEPT_NAME_MAX];
    int fd;

    if (!entry || !kept_entry_has_files(entry)) {
        (void)kept_list_explain(&kept->list, &kept->limits, replica, err);
        return -1;
    }
    kept_entry_name(entry, name);
    fd = openat(kept->dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) fl_fail(err, FL_IO, "cannot open its kept folder: %s", strerror(errno));
    return fd;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void find_earlier(struct kept *kept)
{
    int fd = openat(kept->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *found;
    fl_ms now = layout_now();

    if (!folder) {
        if (fd >= 0) close(fd);
        return;
    }
    while ((found = readdir(folder))) {
        struct kept_entry entry;
        char name[KEPT_NAME_MAX];

        if (!kept_entry_parse(found->d_name, &entry)) continue;
        kept_entry_name(&entry, name);
        if (strcmp(name, found->d_name) == 0) kept_list_add(&kept->list, entry, now);
    }
    closedir(folder);
}

struct kept *kept_create(struct fl_loop *loop, const char *path, const struct kept_limits *limits,
                         const struct kept_port *port)
{
    struct kept *kept = fl_new(struct kept);

    kept->loop = loop;
    kept->limits = *limits;
    kept->port = *port;
    kept->dir = -1;
    fl_timer_init(&kept->work, loop, work, kept);
    if (mkdir(path, 0700) == 0 || errno == EEXIST) {
        kept->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (kept->dir < 0) {
        fl_log(FL_LOG_ERROR, "process", "nothing_is_kept", FL_LOG_S("path", path),
               FL_LOG_S("why", strerror(errno)));
        return kept;
    }
    find_earlier(kept);
    if (kept_list_len(&kept->list) > 0) fl_timer_in(&kept->work, 0);
    return kept;
}

void kept_destroy(struct kept *kept)
{
    if (!kept) return;
    fl_timer_off(&kept->work);
    tree_size_end(&kept->size);
    kept_list_fini(&kept->list);
    if (kept->dir >= 0) close(kept->dir);
    fl_free(kept);
}

void kept_forget(struct kept *kept)
{
    tree_size_end(&kept->size);
    if (kept_len(kept) > 0) {
        fl_log(FL_LOG_INFO, "process", "results_forgotten", FL_LOG_N("replicas", kept_len(kept)));
    }
    while (kept_list_len(&kept->list) > 0) {
        struct kept_entry *entry = kept_list_oldest(&kept->list);

        sweep(kept, entry);
        kept_list_remove(&kept->list, entry);
    }
}

size_t kept_len(const struct kept *kept)
{
    return kept_list_len(&kept->list);
}

bool kept_is_busy(const struct kept *kept)
{
    return kept->dir >= 0 && kept->list.unmeasured > 0;
}
