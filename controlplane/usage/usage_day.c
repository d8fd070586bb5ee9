#include "controlplane/usage/usage_day.h"

#include <stdlib.h>

#include "shared/base/vec.h"

enum how { HOW_add, HOW_most };

static const enum how hows[USAGE_SUMS_LEN] = {
#define USAGE_SUM_HOW(name, how, meaning) [USAGE_##name] = HOW_##how,
    USAGE_SUMS(USAGE_SUM_HOW)
#undef USAGE_SUM_HOW
};

void usage_days_fini(struct usage_days *days)
{
    fl_vec_fini(days);
}

/* ---- one attempt ----------------------------------------------------------------------------- */

static uint64_t bounded(unsigned __int128 n)
{
    return n > USAGE_SUM_MAX ? USAGE_SUM_MAX : (uint64_t)n;
}

static uint64_t times(uint64_t amount, uint64_t ms)
{
    return bounded((unsigned __int128)amount * ms);
}

/* The whole of an attempt. */
static void whole_of(const struct usage_attempt *attempt, uint64_t ms, uint64_t sums[])
{
    const struct fl_resources_sum *held = &attempt->held;
    const struct fl_usage *used = &attempt->used;

    sums[USAGE_replica_ms] = times(attempt->replicas, ms);
    sums[USAGE_cpu_ms] = bounded((unsigned __int128)held->cpu_milli * ms / 1000);
    sums[USAGE_memory_mib_ms] = bounded((unsigned __int128)held->memory_bytes * ms >> 20);
    sums[USAGE_gpu_ms] = times(held->gpus, ms);
    if (used->meter == FL_METER_none) return;
    sums[USAGE_measured_cpu_ms] = sums[USAGE_cpu_ms];
    sums[USAGE_used_cpu_us] = bounded(used->cpu_us);
    sums[USAGE_memory_bytes] = bounded(used->memory_bytes);
    sums[USAGE_read_bytes] = bounded(used->read_bytes);
    sums[USAGE_written_bytes] = bounded(used->written_bytes);
}

/* The share of 'whole' that comes before 'ms' of all 'whole_ms'. */
static uint64_t before(uint64_t whole, uint64_t ms, uint64_t whole_ms)
{
    return (uint64_t)((unsigned __int128)whole * ms / whole_ms);
}

void usage_days_add(struct usage_days *days, const struct usage_attempt *attempt)
{
    fl_ms end = attempt->ended_at > 0 ? attempt->ended_at : 0;
    fl_ms begin = attempt->began_at > 0 && attempt->began_at < end ? attempt->began_at : end;
    int64_t last = end / FL_DAY_MS, first = begin / FL_DAY_MS;
    uint64_t whole[USAGE_SUMS_LEN] = {0}, ms = (uint64_t)(end - begin), done = 0;

    if (last - first >= USAGE_ATTEMPT_DAYS_MAX) first = last - USAGE_ATTEMPT_DAYS_MAX + 1;
    whole_of(attempt, ms, whole);
    for (int64_t day = first; day <= last; day++) {
        struct usage_day one = {.day = (int32_t)day, .group = attempt->group};
        uint64_t until = day == last ? ms : (uint64_t)((day + 1) * FL_DAY_MS - begin);

        for (size_t i = 0; i < USAGE_SUMS_LEN; i++) {
            one.sums[i] = whole[i];
            if (hows[i] == HOW_add && first < last) {
                one.sums[i] = before(whole[i], until, ms) - before(whole[i], done, ms);
            }
        }
        one.sums[USAGE_attempts] = day == last;
        one.sums[USAGE_measured] = day == last && attempt->used.meter != FL_METER_none;
        done = until;
        fl_vec_push(days, one);
    }
}

/* ---- many ------------------------------------------------------------------------------------ */

static int by_group(const void *a, const void *b)
{
    const struct usage_day *left = a, *right = b;
    const struct usage_group *of = &left->group, *to = &right->group;
    int order;

    if (left->day != right->day) return left->day < right->day ? -1 : 1;
    if (of->tenant != to->tenant) return of->tenant < to->tenant ? -1 : 1;
    if (of->queue != to->queue) return of->queue < to->queue ? -1 : 1;
    order = fl_str_cmp(of->owner, to->owner);
    return order ? order : fl_str_cmp(of->labels, to->labels);
}

static void put_together(struct usage_day *to, const struct usage_day *more)
{
    for (size_t i = 0; i < USAGE_SUMS_LEN; i++) {
        if (hows[i] == HOW_add) {
            to->sums[i] = bounded((unsigned __int128)to->sums[i] + more->sums[i]);
        } else if (more->sums[i] > to->sums[i]) {
            to->sums[i] = more->sums[i];
        }
    }
}

void usage_days_merge(struct usage_days *days)
{
    size_t len = 0;

    if (days->len > 0) qsort(days->at, days->len, sizeof *days->at, by_group);
    for (size_t i = 0; i < days->len; i++) {
        if (len > 0 && by_group(&days->at[len - 1], &days->at[i]) == 0) {
            put_together(&days->at[len - 1], &days->at[i]);
        } else {
            days->at[len++] = days->at[i];
        }
    }
    days->len = len;
}
