/* read_jobs.h - reads jobs from their rows: pages of ended jobs, and single jobs by id.
 * A page walks down the ids, or the ids of one queue, READ_JOBS_WALK_MAX at most, and leaves out
 * jobs that are open (unless 'with_open'), another tenant's, or outside of the filter; so it may be
 * short, or empty, while 'next' still goes on.  Answers come from reader_turn; their contents live
 * as long as the call.  Uses reader.h and the core's types. */
#pragma once

#include "controlplane/core/job.h"
#include "controlplane/core/row.h"
#include "controlplane/store/reader.h"
#include "shared/base/arena.h"
#include "shared/base/job_limits.h"
#include "shared/base/str.h"

#define READ_JOBS_LABELS_MAX 16 /* in a filter; a plain number, as FL_QUOTE wants it */

enum {
    READ_JOBS_WALK_MAX = 1000,
    READ_JOBS_IDS_MAX = 1000,
    READ_JOBS_LABELS_BYTES_MAX = READ_JOBS_LABELS_MAX * (FL_JOB_LABEL_BYTES_MAX + 1),
    READ_JOBS_OWNER_BYTES_MAX = 63,
};

struct read_job {
    struct fl_job job;
    struct fl_tenant tenant;
    struct fl_queue_id queue;
    uint32_t elements;
    bool is_picked;
    bool is_ended;
    enum job_state state; /* valid if it has ended, as 'reason' */
    enum reason reason;

    struct row_job_new row; /* only by id; in a page with open ones its labels alone */

    /* Only by id. */
    bool has_deadline;           /* its row says it; one of an older release has it in its spec */
    fl_ms accepted_at, ended_at; /* 0: not known any more, or not yet */
    uint64_t batch;              /* the batch that accepted it */
    bool has_exit;               /* a plain job that has ended: it has the three fields below */
    uint16_t attempt;            /* its last attempt's number; 0: it never had one */
    int32_t exit_code;
    uint32_t first_replica; /* the first that failed; UINT32_MAX: none did */
};

/* Its strings live as long as the arena. */
struct read_job read_job_copy(const struct read_job *job, struct fl_arena *arena);

struct read_jobs {
    const struct fl_err *err; /* NULL: all went well */
    const struct read_job *at;
    size_t len;
    uint64_t next; /* after a page: 'before' of the next page; 0: this was the last */
};

typedef void read_jobs_fn(void *ctx, const struct read_jobs *jobs);

struct read_jobs_query {
    struct fl_tenant tenant;
    struct fl_queue_id queue; /* 0: all */
    bool with_open;           /* open jobs, too, and each job has its labels */
    uint32_t
        states; /* ended ones: bit 1 << (state - JOB_succeeded) for each that is wanted; 0: all */
    /* "key=value\n" lines, each of which must stand in the job's; empty: any. */
    struct fl_str labels;
    struct fl_str owner; /* empty: any */
    struct fl_str name;  /* as fl_name_fits has it; empty: any */
    uint64_t before;     /* ids below this; 0: from the newest on */
    uint32_t walk;       /* how many rows to walk; 0 or too many: READ_JOBS_WALK_MAX */
};

/* Returns the question's number (for reader_forget); 0: FL_FULL, or FL_INVALID for a filter that is
 * too long. */
uint64_t read_jobs_page(struct reader *reader, const struct read_jobs_query *query,
                        read_jobs_fn *fn, void *ctx, struct fl_err *err);

/* In no order; ids that are not there, another tenant's, or of rows that cannot be read are left
 * out.  FL_TORN: nothing is left, and some row cannot be read. */
uint64_t read_jobs_by_id(struct reader *reader, struct fl_tenant tenant, const struct fl_job *jobs,
                         size_t len, read_jobs_fn *fn, void *ctx, struct fl_err *err);
