/* read_usage.h - reads the sums of table usage_day, put together by what is asked for.
 * Answers come from reader_turn; their contents live as long as the call.
 * Uses reader.h. */
#pragma once

#include "controlplane/store/reader.h"
#include "controlplane/store/usage_sums.h"
#include "shared/base/str.h"

enum { READ_USAGE_MAX = 1000 }; /* groups in one answer */

/* The sums are kept apart by these; bits. */
enum read_usage_by {
    READ_USAGE_day = 1,
    READ_USAGE_queue = 2,
    READ_USAGE_owner = 4,
    READ_USAGE_label = 8,
};

struct read_usage_query {
    int32_t from, to; /* days since 1970-01-01, both included */
    struct fl_tenant tenant;
    struct fl_queue_id queue;   /* 0: all */
    struct fl_str owner;        /* empty: all */
    struct fl_str label, value; /* only what carried it; empty: all */
    unsigned by;                /* enum read_usage_by, or-ed */
    struct fl_str by_label;     /* its name, with READ_USAGE_label */
    size_t len_max;             /* at most READ_USAGE_MAX */
};

struct read_usage_group {
    int32_t day; /* these three with their bits; else 0 and empty */
    struct fl_queue_id queue;
    struct fl_str owner; /* empty: not known */
    struct fl_str label; /* its value */
    bool has_label;      /* false: it was not there, or is not counted */
    uint64_t sums[USAGE_SUMS_LEN];
};

struct read_usage {
    const struct fl_err *err;          /* NULL: all went well */
    const struct read_usage_group *at; /* by day; in each, those that held most are first */
    size_t len;
    bool has_more;
    bool is_whole;    /* all that has ended is counted */
    fl_ms counted_at; /* else all that ended before; 0: nothing yet */
};

typedef void read_usage_fn(void *ctx, const struct read_usage *usage);

/* Returns the question's number; 0: FL_FULL. */
uint64_t read_usage(struct reader *reader, const struct read_usage_query *query, read_usage_fn *fn,
                    void *ctx, struct fl_err *err);
