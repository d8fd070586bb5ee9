/* resources.h - amounts of what replicas ask for and nodes have, and the sums of many.
 * These are the resources that nearly every job asks for: memory, cpu, and whole accelerators
 * ('gpus', of whichever kind the cluster has).  They stand in sixteen bytes that go by value, since
 * a round of placement compares them with every node it looks at.  All others have names, and stand
 * beside these only where there are any (decision 97).
 * Uses libc only.  Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct fl_resources {
    uint64_t memory_bytes;
    uint32_t cpu_milli;
    uint32_t gpus;
};

/* The resources of many together, in numbers that do not wrap. */
struct fl_resources_sum {
    uint64_t memory_bytes, cpu_milli, gpus;
};

/* ---- one replica or node --------------------------------------------------------------------- */

static inline bool fl_resources_is_same(struct fl_resources a, struct fl_resources b)
{
    return a.memory_bytes == b.memory_bytes && a.cpu_milli == b.cpu_milli && a.gpus == b.gpus;
}

static inline bool fl_resources_is_zero(struct fl_resources one)
{
    return !one.memory_bytes && !one.cpu_milli && !one.gpus;
}

static inline bool fl_resources_fit(struct fl_resources want, struct fl_resources have)
{
    return want.memory_bytes <= have.memory_bytes && want.cpu_milli <= have.cpu_milli &&
           want.gpus <= have.gpus;
}

/* How many of 'each' fit into 'room', at most 'most'. */
static inline uint32_t fl_resources_count(struct fl_resources room, struct fl_resources each,
                                          uint32_t most)
{
    uint64_t count = most;

    if (each.cpu_milli && room.cpu_milli / each.cpu_milli < count) {
        count = room.cpu_milli / each.cpu_milli;
    }
    if (each.memory_bytes && room.memory_bytes / each.memory_bytes < count) {
        count = room.memory_bytes / each.memory_bytes;
    }
    if (each.gpus && room.gpus / each.gpus < count) count = room.gpus / each.gpus;
    return (uint32_t)count;
}

/* The sum must fit. */
static inline void fl_resources_add(struct fl_resources *sum, struct fl_resources add)
{
    sum->memory_bytes += add.memory_bytes;
    sum->cpu_milli += add.cpu_milli;
    sum->gpus += add.gpus;
}

/* No more may be taken than is there. */
static inline void fl_resources_take(struct fl_resources *sum, struct fl_resources take)
{
    sum->memory_bytes -= take.memory_bytes;
    sum->cpu_milli -= take.cpu_milli;
    sum->gpus -= take.gpus;
}

/* As many of 'each' as fl_resources_count says fit. */
static inline void fl_resources_take_times(struct fl_resources *sum, struct fl_resources each,
                                           uint32_t times)
{
    sum->memory_bytes -= each.memory_bytes * times;
    sum->cpu_milli -= each.cpu_milli * times;
    sum->gpus -= each.gpus * times;
}

/* As fl_resources_take; where more is taken than is there, nothing is left. */
static inline void fl_resources_take_most(struct fl_resources *sum, struct fl_resources take)
{
    sum->memory_bytes -=
        take.memory_bytes < sum->memory_bytes ? take.memory_bytes : sum->memory_bytes;
    sum->cpu_milli -= take.cpu_milli < sum->cpu_milli ? take.cpu_milli : sum->cpu_milli;
    sum->gpus -= take.gpus < sum->gpus ? take.gpus : sum->gpus;
}

static inline struct fl_resources fl_resources_least(struct fl_resources a, struct fl_resources b)
{
    return (struct fl_resources){.memory_bytes = a.memory_bytes < b.memory_bytes ? a.memory_bytes
                                                                                 : b.memory_bytes,
                                 .cpu_milli = a.cpu_milli < b.cpu_milli ? a.cpu_milli : b.cpu_milli,
                                 .gpus = a.gpus < b.gpus ? a.gpus : b.gpus};
}

/* The most of each that one of them has. */
static inline struct fl_resources fl_resources_most(struct fl_resources a, struct fl_resources b)
{
    return (struct fl_resources){.memory_bytes = a.memory_bytes > b.memory_bytes ? a.memory_bytes
                                                                                 : b.memory_bytes,
                                 .cpu_milli = a.cpu_milli > b.cpu_milli ? a.cpu_milli : b.cpu_milli,
                                 .gpus = a.gpus > b.gpus ? a.gpus : b.gpus};
}

/* ---- many ------------------------------------------------------------------------------------ */

static inline struct fl_resources_sum fl_resources_sum_of(struct fl_resources one)
{
    return (struct fl_resources_sum){one.memory_bytes, one.cpu_milli, one.gpus};
}

static inline bool fl_resources_sum_is_same(struct fl_resources_sum a, struct fl_resources_sum b)
{
    return a.memory_bytes == b.memory_bytes && a.cpu_milli == b.cpu_milli && a.gpus == b.gpus;
}

static inline bool fl_resources_sum_is_zero(struct fl_resources_sum sum)
{
    return !sum.cpu_milli && !sum.memory_bytes && !sum.gpus;
}

static inline bool fl_resources_sum_has(struct fl_resources_sum sum, struct fl_resources want)
{
    return want.memory_bytes <= sum.memory_bytes && want.cpu_milli <= sum.cpu_milli &&
           want.gpus <= sum.gpus;
}

static inline void fl_resources_sum_add(struct fl_resources_sum *sum, struct fl_resources add)
{
    sum->memory_bytes += add.memory_bytes;
    sum->cpu_milli += add.cpu_milli;
    sum->gpus += add.gpus;
}

static inline void fl_resources_sum_merge(struct fl_resources_sum *sum, struct fl_resources_sum add)
{
    sum->memory_bytes += add.memory_bytes;
    sum->cpu_milli += add.cpu_milli;
    sum->gpus += add.gpus;
}

/* No more may be taken than is there. */
static inline void fl_resources_sum_take(struct fl_resources_sum *sum, struct fl_resources take)
{
    sum->memory_bytes -= take.memory_bytes;
    sum->cpu_milli -= take.cpu_milli;
    sum->gpus -= take.gpus;
}

/* As fl_resources_sum_take; where more is taken than is there, nothing is left. */
static inline void fl_resources_sum_take_most(struct fl_resources_sum *sum,
                                              struct fl_resources take)
{
    sum->memory_bytes -=
        take.memory_bytes < sum->memory_bytes ? take.memory_bytes : sum->memory_bytes;
    sum->cpu_milli -= take.cpu_milli < sum->cpu_milli ? take.cpu_milli : sum->cpu_milli;
    sum->gpus -= take.gpus < sum->gpus ? take.gpus : sum->gpus;
}

/* The part of 'most' that is in the sum. */
static inline struct fl_resources fl_resources_sum_least(struct fl_resources_sum sum,
                                                         struct fl_resources most)
{
    if (sum.memory_bytes < most.memory_bytes) most.memory_bytes = sum.memory_bytes;
    if (sum.cpu_milli < most.cpu_milli) most.cpu_milli = (uint32_t)sum.cpu_milli;
    if (sum.gpus < most.gpus) most.gpus = (uint32_t)sum.gpus;
    return most;
}
