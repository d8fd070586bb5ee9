/* failure_groups.h - failed elements of one job, put together by how they failed.
 * Those with the same reason, exit code and pattern of their error line (failure_pattern.h) are a
 * group.  Its id is made of these three, so it is the same in each answer, and in each job.
 * It keeps FAILURE_GROUPS_MAX groups, and only counts failures that fit none of them.
 * Uses shared/base and the types of read_failures.h.  Pure. */
#pragma once

#include "controlplane/api/failure_pattern.h"
#include "controlplane/store/read_failures.h"
#include "shared/base/replica.h"

#define FAILURE_GROUPS_MAX 1000

enum {
    FAILURE_RUNS_MAX = 20, /* runs of elements that a group keeps */
    FAILURE_ID_BYTES = 6,
    FAILURE_ID_MAX = 2 * FAILURE_ID_BYTES + 1, /* in hexadecimal, with the final zero */
};

struct failure_run {
    uint32_t first, last; /* elements, both included */
};

struct failure_group {
    char id[FAILURE_ID_MAX];
    uint32_t count;
    struct read_failure first; /* the one that came first; its words are 'line' */
    char line[FL_WORDS_BYTES_MAX + 1];
    char pattern[FAILURE_PATTERN_BYTES_MAX + 1];
    struct failure_run runs[FAILURE_RUNS_MAX];
    size_t runs_len;
    bool has_more_runs;
};

struct failure_groups; /* opaque */

struct failure_groups *failure_groups_create(void);
void failure_groups_destroy(struct failure_groups *groups); /* NULL is fine */

/* Elements come in ascending order, each once. */
void failure_groups_add(struct failure_groups *groups, const struct read_failure *failure);

/* The groups, the most frequent first, of equal ones the one with the lowest element; until the
 * next call. */
const struct failure_group *const *failure_groups_sorted(struct failure_groups *groups,
                                                         size_t *ret_len);
uint32_t failure_groups_failed(const struct failure_groups *groups); /* how many were added */
/* How many of them are in no group. */
uint32_t failure_groups_apart(const struct failure_groups *groups);

/* The id of the group to which it belongs. */
void failure_group_id(const struct read_failure *failure, char ret_id[FAILURE_ID_MAX]);
/* Whether it may be the id of a group. */
bool failure_group_is_id(struct fl_str text);
