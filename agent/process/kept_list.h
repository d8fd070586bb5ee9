/* kept_list.h - which replicas' files are kept, since when, and which of them have to go.
 * An entry is one replica that ended and left files.  Its name in the folder says all that must
 * outlive the agent: "job-7k-0-1-1-3@AT", AT in milliseconds of the wall clock; "@large" or "@room"
 * behind that is a note: its files are gone, and this is why.
 * The oldest goes first, when its time is over, when all together are more than the limit, or when
 * they are too many.  Pure; time comes in as 'now'.  Uses shared/base and layout.h. */
#pragma once

#include "agent/process/layout.h"
#include "shared/base/err.h"
#include "shared/base/types.h"
#include "shared/base/vec.h"

enum { KEPT_NAME_MAX = LAYOUT_NAME_MAX + 32, KEPT_ENTRIES_MAX = 10000 };

enum kept_state {
    KEPT_NEW,       /* its size is not known yet */
    KEPT_MEASURED,  /* it has 'bytes' */
    KEPT_TOO_LARGE, /* a note: it was, or could not be measured */
    KEPT_MADE_ROOM, /* a note: newer ones needed its place */
    KEPT_STATES,
};

struct kept_entry {
    char replica[LAYOUT_NAME_MAX];
    fl_ms at;    /* since when, by its name */
    fl_ms since; /* the same, but not in the future */
    enum kept_state state;
    uint64_t bytes; /* with MEASURED, else 0 */
};

struct kept_limits {
    fl_ms keep_ms; /* 0: nothing is kept */
    uint64_t bytes_max, replica_bytes_max;
    size_t entries_max;
};

struct kept_list {
    FL_VEC(struct kept_entry) entries; /* the oldest first ... */
    size_t head;                       /* ... behind so many that have gone */
    size_t first[KEPT_STATES];         /* no entry before this one is in that state */
    size_t unmeasured;                 /* entries in KEPT_NEW */
    uint64_t bytes;                    /* all together */
};

void kept_list_fini(struct kept_list *list);
size_t kept_list_len(const struct kept_list *list);
struct kept_entry *kept_list_oldest(const struct kept_list *list); /* there is one */

void kept_entry_name(const struct kept_entry *entry, char ret_name[KEPT_NAME_MAX]);
FL_CHECK bool kept_entry_parse(const char *name, struct kept_entry *ret_entry);
bool kept_entry_has_files(const struct kept_entry *entry);

/* Sets 'since': one that claims to be of the future, since the clock was set back, is of now; also
 * those that are there, which are no newer than this one. */
void kept_list_add(struct kept_list *list, struct kept_entry entry, fl_ms now);
/* The newest of that replica; NULL: none.  Valid until the next change. */
struct kept_entry *kept_list_find(const struct kept_list *list, const char *replica);
/* The first whose size is not known; NULL: none. */
struct kept_entry *kept_list_unmeasured(struct kept_list *list);
void kept_list_set(struct kept_list *list, struct kept_entry *entry, enum kept_state state,
                   uint64_t bytes);
void kept_list_remove(struct kept_list *list, struct kept_entry *entry);

enum kept_fate {
    KEPT_ALL_STAY,
    KEPT_GOES,   /* with its note */
    KEPT_LEAVES, /* its files go, and a note stays: KEPT_MADE_ROOM */
};

/* The next that has to go; ask until all stay. */
enum kept_fate kept_list_next(struct kept_list *list, const struct kept_limits *limits, fl_ms now,
                              struct kept_entry **ret_entry);

/* How long until the oldest has to go; -1: there is none. */
fl_ms kept_list_due_in(const struct kept_list *list, const struct kept_limits *limits, fl_ms now);

/* Fills 'err' with why there are no files of this replica; answers false. */
bool kept_list_explain(const struct kept_list *list, const struct kept_limits *limits,
                       const char *replica, struct fl_err *err);
