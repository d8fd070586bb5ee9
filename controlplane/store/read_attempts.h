/* read_attempts.h - the attempts of a job and how they ended, in the order of element and number.
 * Answers come from reader_turn; their contents live as long as the call.
 * Uses reader.h and the core's types. */
#pragma once

#include "controlplane/core/job.h"
#include "controlplane/store/reader.h"
#include "shared/base/str.h"

enum { READ_ATTEMPTS_MAX = 1000 }; /* in one answer */

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
    fl_ms ended_at;
};

struct read_attempts {
    const struct fl_err *err; /* NULL: all went well */
    const struct read_attempt *at;
    size_t len;
    bool has_more; /* ask again from the last one on */
};

typedef void read_attempts_fn(void *ctx, const struct read_attempts *attempts);

/* The attempts behind (element, n); (0, 0) begins.  Returns the question's number; 0: FL_FULL. */
uint64_t read_attempts(struct reader *reader, struct fl_job job, uint32_t element, uint16_t n,
                       size_t len_max, read_attempts_fn *fn, void *ctx, struct fl_err *err);
