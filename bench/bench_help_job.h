/* bench_help_job.h - the job that is submitted, and how many at a time: the same for floor and candidate.
 * A plain job of one replica, 160 bytes of parameters, one spec for all: benchmarks.md's bulk submit. */
#pragma once

#include "shared/base/str.h"
#include "shared/base/types.h"

enum {
    BENCH_REQUEST_JOBS = 500,
    BENCH_BATCH_JOBS = 2000, /* the engine closes a batch at so many */
    BENCH_BATCH_REQUESTS = BENCH_BATCH_JOBS / BENCH_REQUEST_JOBS,
    BENCH_INFLIGHT = 2,
    BENCH_PARAMS_BYTES = 160,
    BENCH_CLUSTERS = 10,
};

#define BENCH_QUEUE "bench"
#define BENCH_ACTOR "bench"
#define BENCH_NODE "node-0"
#define BENCH_SPEC "{\"command\": [\"true\"]}"

struct fl_str bench_params(void);
