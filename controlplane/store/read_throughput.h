/* read_throughput.h - reads the counts of table queue_hour, step by step.
 * Answers come from reader_turn; their contents live as long as the call.
 * Uses reader.h. */
#pragma once

#include "controlplane/store/reader.h"
#include "controlplane/store/throughput_sums.h"
#include "shared/base/histogram.h"

enum { READ_THROUGHPUT_MAX = 1000 }; /* steps in one answer */

struct read_throughput_query {
    uint32_t hours; /* a step has so many: THROUGHPUT_HOUR or THROUGHPUT_DAY */
    int32_t from;   /* hours since 1970, where the first and the last step begin; each a whole */
    int32_t to;     /* number of steps, and READ_THROUGHPUT_MAX of them at most */
    struct fl_tenant tenant;
    struct fl_queue_id queue; /* 0: all together */
};

struct read_throughput_step {
    uint64_t counts[THROUGHPUT_COUNTS_LEN];
    struct fl_histogram waits, runs;
};

struct read_throughput {
    const struct fl_err *err;              /* NULL: all went well */
    const struct read_throughput_step *at; /* each step, also those without anything */
    size_t len;
    struct read_throughput_step total; /* all together */
    fl_ms counted_from;                /* nothing from before is in it; 0: all is */
    bool is_whole;                     /* all that has happened is counted */
    fl_ms counted_at;                  /* else all from before; 0: nothing yet */
};

typedef void read_throughput_fn(void *ctx, const struct read_throughput *throughput);

/* Returns the question's number; 0: FL_FULL. */
uint64_t read_throughput(struct reader *reader, const struct read_throughput_query *query,
                         read_throughput_fn *fn, void *ctx, struct fl_err *err);
