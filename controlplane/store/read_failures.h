/* read_failures.h - the elements of a job that failed, each by its last attempt, page by page.
 * Answers come from reader_turn; their contents live as long as the call.
 * Uses reader.h and the core's types. */
#pragma once

#include "controlplane/core/job.h"
#include "controlplane/store/reader.h"
#include "shared/base/str.h"

enum {
    READ_FAILURES_MAX = 500,       /* in one answer */
    READ_FAILURE_ENDS_MAX = 10000, /* ends of elements that one answer looks at */
};

struct read_failure {
    uint32_t element;
    uint16_t attempt;
    enum reason reason;
    int32_t exit_code;
    uint32_t first_replica; /* the first that failed; UINT32_MAX: none did */
    struct fl_str words;    /* its last error line, or what the cluster said; may be empty */
};

struct read_failures {
    const struct fl_err *err; /* NULL: all went well */
    const struct read_failure *at;
    size_t len; /* by element; may be 0 although there is more */
    bool has_more;
    uint32_t next; /* with has_more: ask again from this element on */
};

typedef void read_failures_fn(void *ctx, const struct read_failures *failures);

/* Those from the element 'from' on.  Returns the question's number; 0: FL_FULL. */
uint64_t read_failures(struct reader *reader, struct fl_job job, uint32_t from,
                       read_failures_fn *fn, void *ctx, struct fl_err *err);
