/* throughput_sums.h - the counts that table queue_hour keeps, for controlplane/usage, which adds
 * them up, and read_throughput.h.  Types only. */
#pragma once

/* name, meaning.  Also the columns of table queue_hour. */
#define THROUGHPUT_COUNTS(X)                                                                       \
    X(submitted, "jobs that were accepted")                                                        \
    X(started, "elements that were placed for the first time")                                     \
    X(succeeded, "jobs that ended well")                                                           \
    X(failed, "jobs that failed")                                                                  \
    X(cancelled, "jobs that were cancelled")

enum throughput_count {
#define THROUGHPUT_ENUM(name, meaning) THROUGHPUT_##name,
    THROUGHPUT_COUNTS(THROUGHPUT_ENUM)
#undef THROUGHPUT_ENUM
        THROUGHPUT_COUNTS_LEN
};

/* The steps that are kept, in hours. */
enum { THROUGHPUT_HOUR = 1, THROUGHPUT_DAY = 24 };
