/* usage_hour.h - counts what happened to the jobs of a queue, by hour and by day.
 * Each thing counts in the hour (of UTC) in which it happened, and in the queue that the job has
 * when it is counted:
 *   submitted    a job, when it was accepted
 *   started      an element, when its first attempt was placed on a cluster; later attempts of it
 *                do not count
 *   wait         with it, the time from the job's submission to this placement, so also the time in
 *                which the job was held or waited for other jobs
 *   succeeded, failed, cancelled
 *                a job, when it ended
 *   run          the time from the placement of an attempt to its end, when its element ended well
 * An element that never started has no wait.
 * The sums of a day, and of all queues of a tenant together, are kept beside those of its hours and
 * queues, so that any answer is read without adding up.
 * Uses shared/base and the table of counts.  Pure. */
#pragma once

#include "controlplane/store/throughput_sums.h"
#include "shared/base/histogram.h"
#include "shared/base/map.h"
#include "shared/base/types.h"

struct usage_step {
    uint32_t hours; /* THROUGHPUT_HOUR or THROUGHPUT_DAY */
    int32_t hour;   /* the first one, since 1970 */
    uint32_t tenant;
    uint32_t queue; /* 0: all of the tenant's */
};

struct usage_hour {
    struct usage_step step;
    uint64_t counts[THROUGHPUT_COUNTS_LEN];
    struct fl_histogram waits, runs;
};

struct usage_hours { /* {0} is empty */
    struct usage_hour *at;
    size_t len, cap;
    struct fl_map index; /* usage_step -> its place in 'at' */
    size_t newest;       /* the place that was used last */
};

void usage_hours_fini(struct usage_hours *hours);
void usage_hours_empty(struct usage_hours *hours);

/* The counts of the hour in which 'at' is; the pointer is good until the next call. */
struct usage_hour *usage_hours_at(struct usage_hours *hours, uint32_t tenant, uint32_t queue,
                                  fl_ms at);

/* Adds the sums of days and of all queues, once, and sorts them: nothing is added to them then. */
void usage_hours_complete(struct usage_hours *hours);
