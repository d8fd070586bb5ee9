/* read_attempts.h - the attempts of a job and how they ended, in the order of element and number.
 * Answers come from reader_turn; their contents live as long as the call.
 * Uses reader.h and the core's types. */
#pragma once

#include "controlplane/core/job.h"
#include "controlplane/store/reader.h"
#include "shared/base/str.h"
#include "shared/base/usage.h"

#define READ_ENDS_MAX 100000 /* ends of elements that one answer looks at, with a state */

enum {
    READ_ATTEMPTS_MAX = 1000, /* in one answer */
};

struct read_attempts_query {
    struct fl_job job;
    uint32_t element; /* the attempts behind attempt n of this element; 0 and 0 begin */
    uint16_t n;
    size_t len_max;       /* 0: READ_ATTEMPTS_MAX */
    enum job_state state; /* only those with which an element ended in this state; 0: all */
};

struct read_attempt {
    struct fl_attempt attempt;
    struct fl_cluster cluster;
    struct fl_str nodes; /* a line with the node's name for each replica */
    fl_ms began_at;      /* when it was placed; 0: not known any more */
    bool is_ended;
    bool is_last;         /* its element ended with it, in this state */
    enum job_state state; /* with is_last */
    enum reason reason;   /* with is_ended, as all below */
    int32_t exit_code;
    uint32_t first_replica; /* the first that failed; UINT32_MAX: none did */
    struct fl_str words;    /* its last error line, or its cluster's words; may be empty */
    struct fl_usage usage;
    fl_ms ended_at;
};

struct read_attempts {
    const struct fl_err *err; /* NULL: all went well */
    const struct read_attempt *at;
    size_t len;
    bool has_more; /* ask again, with these; an answer with a state may be empty before that */
    uint32_t element;
    uint16_t n;
};

typedef void read_attempts_fn(void *ctx, const struct read_attempts *attempts);

/* Returns the question's number; 0: FL_FULL. */
uint64_t read_attempts(struct reader *reader, const struct read_attempts_query *query,
                       read_attempts_fn *fn, void *ctx, struct fl_err *err);
