/* usage_day.h - adds up the resources that attempts held and used, by day and by whose they were.
 * An attempt holds its resources from when it is placed until it ends.  Each day (of UTC) gets the
 * share that fell into it; the attempt itself, and that it was measured, count on the day it ended.
 * Shares are rounded so that all of them together are the whole.  No sum wraps.
 * Strings are borrowed: those of an attempt live as long as the sums.  Uses shared/base and the
 * table of sums.  Pure. */
#pragma once

#include "controlplane/store/usage_sums.h"
#include "shared/base/resources.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/base/usage.h"

/* The most that Postgres's bigint holds. */
#define USAGE_SUM_MAX ((uint64_t)INT64_MAX)

enum { USAGE_ATTEMPT_DAYS_MAX = 4000 }; /* the first one gets the share of all before */

struct usage_group {
    uint32_t tenant, queue;
    struct fl_str owner;  /* empty: not known */
    struct fl_str labels; /* a JSON object of those that are counted */
};

struct usage_attempt {
    struct usage_group group;
    fl_ms began_at, ended_at; /* began_at 0: not known, so nothing was held */
    uint32_t replicas;
    struct fl_resources_sum held; /* by all replicas */
    struct fl_usage used;
};

struct usage_day {
    int32_t day; /* since 1970-01-01 */
    struct usage_group group;
    uint64_t sums[USAGE_SUMS_LEN];
};

struct usage_days { /* {0} is empty */
    struct usage_day *at;
    size_t len, cap;
};

void usage_days_fini(struct usage_days *days);

void usage_days_add(struct usage_days *days, const struct usage_attempt *attempt);

/* Sorts them, and makes one of all those of the same day and group. */
void usage_days_merge(struct usage_days *days);
