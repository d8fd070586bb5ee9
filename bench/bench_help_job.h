/* bench_help_job.h - the job that is submitted, and how many at a time: the same for floor and
 * candidate.  A plain job of one replica, 160 bytes of parameters, one spec for all:
 * benchmarks.md's bulk submit.  As in life parameters are alike but not equal: 32 of their bytes
 * are the job's own, drawn from its number, so that packing what is stored gains no more here than
 * it would there. */
#pragma once

#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/base/usage.h"

enum {
    BENCH_REQUEST_JOBS = 500,
    BENCH_BATCH_JOBS = 2000, /* the engine closes a batch at so many */
    BENCH_BATCH_REQUESTS = BENCH_BATCH_JOBS / BENCH_REQUEST_JOBS,
    BENCH_INFLIGHT = 2,
    BENCH_PARAMS_BYTES = 160,
    BENCH_OWN_BYTES = 32, /* the first of them: letters */
    BENCH_CLUSTERS = 10,
};

#define BENCH_QUEUE "bench"
#define BENCH_ACTOR "bench"
#define BENCH_NODE "node-0"
#define BENCH_SPEC "{\"command\": [\"true\"]}"

/* Each replica that exits tells this. */
extern const struct fl_usage bench_usage;

/* The parameters of the n-th job; 'out' has room for all their bytes. */
struct fl_str bench_params(uint64_t n, char *out);

/* Its own bytes alone, over those of another. */
void bench_params_own(uint64_t n, char *out);
