/* result_list.h - which replicas' files are kept, since when, and which of them have to go.
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

enum { RESULT_NAME_MAX = LAYOUT_NAME_MAX + 32, RESULT_ENTRIES_MAX = 10000 };

enum result_state {
    RESULT_NEW,       /* its size is not known yet */
    RESULT_MEASURED,  /* it has 'bytes' */
    RESULT_TOO_LARGE, /* a note: it was, or could not be measured */
    RESULT_MADE_ROOM, /* a note: newer ones needed its place */
    RESULT_STATES,
};

struct result_entry {
    char replica[LAYOUT_NAME_MAX];
    fl_ms at;    /* since when, by its name */
    fl_ms since; /* the same, but not in the future */
    enum result_state state;
    uint64_t bytes; /* with MEASURED, else 0 */
};

struct result_limits {
    fl_ms keep_ms; /* 0: nothing is kept */
    uint64_t bytes_max, replica_bytes_max;
    size_t entries_max;
};

struct result_list {
    FL_VEC(struct result_entry) entries; /* the oldest first ... */
    size_t head;                         /* ... behind so many that have gone */
    size_t first[RESULT_STATES];         /* no entry before this one is in that state */
    size_t unmeasured;                   /* entries in RESULT_NEW */
    uint64_t bytes;                      /* all together */
};

void result_list_fini(struct result_list *list);
size_t result_list_len(const struct result_list *list);
struct result_entry *result_list_oldest(const struct result_list *list); /* there is one */

void result_entry_name(const struct result_entry *entry, char ret_name[RESULT_NAME_MAX]);
FL_CHECK bool result_entry_parse(const char *name, struct result_entry *ret_entry);
bool result_entry_has_files(const struct result_entry *entry);

/* Sets 'since': one that claims to be of the future, since the clock was set back, is of now; also
 * those that are there, which are no newer than this one. */
void result_list_add(struct result_list *list, struct result_entry entry, fl_ms now);
/* The newest of that replica; NULL: none.  Valid until the next change. */
struct result_entry *result_list_find(const struct result_list *list, const char *replica);
/* The first whose size is not known; NULL: none. */
struct result_entry *result_list_unmeasured(struct result_list *list);
void result_list_set(struct result_list *list, struct result_entry *entry, enum result_state state,
                     uint64_t bytes);
void result_list_remove(struct result_list *list, struct result_entry *entry);

enum result_fate {
    RESULT_ALL_STAY,
    RESULT_GOES,   /* with its note */
    RESULT_LEAVES, /* its files go, and a note stays: RESULT_MADE_ROOM */
};

/* The next that has to go; ask until all stay. */
enum result_fate result_list_next(struct result_list *list, const struct result_limits *limits,
                                  fl_ms now, struct result_entry **ret_entry);

/* How long until the oldest has to go; -1: there is none. */
fl_ms result_list_due_in(const struct result_list *list, const struct result_limits *limits,
                         fl_ms now);

/* Fills 'err' with why there are no files of this replica; answers false. */
bool result_list_explain(const struct result_list *list, const struct result_limits *limits,
                         const char *replica, struct fl_err *err);
