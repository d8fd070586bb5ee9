/* read_job_queues.h - reads which queue each of many jobs was in before a batch.
 * Answers come from reader_turn; their contents live as long as the call.
 * Uses reader.h. */
#pragma once

#include "controlplane/store/reader.h"

enum { READ_JOB_QUEUES_MAX = 1000 };

struct read_job_queue {
    struct fl_job job;
    struct fl_queue_id queue; /* 0: not known; a release before 0024 moved the job since then */
};

struct read_job_queues {
    const struct fl_err *err; /* NULL: all went well */
    const struct read_job_queue *at;
    size_t len;
};

typedef void read_job_queues_fn(void *ctx, const struct read_job_queues *queues);

/* At most READ_JOB_QUEUES_MAX jobs, as they were before 'batch' was committed.  The answer is in no
 * order, and leaves out jobs that are not there.  Returns the question's number; 0: FL_FULL. */
uint64_t read_job_queues(struct reader *reader, const uint64_t *jobs, size_t len, uint64_t batch,
                         read_job_queues_fn *fn, void *ctx, struct fl_err *err);
