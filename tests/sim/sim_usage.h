/* sim_usage.h - the usage of a replica of the fake clusters: numbers of its own, or nothing, so
 * that the model knows which sum belongs to which attempt.  Uses shared/base only. */
#pragma once

#include "shared/base/hash.h"
#include "shared/base/types.h"
#include "shared/base/usage.h"

static inline struct fl_usage sim_usage(struct fl_attempt attempt, uint32_t replica)
{
    uint64_t n = fl_hash_u64(fl_hash_u64(attempt.job.n, attempt.element),
                             (uint64_t)attempt.n << 32 | replica);

    if (n % 4 == 0) return (struct fl_usage){0}; /* no meter saw it */
    return (struct fl_usage){
        .meter = n % 4 == 1 ? FL_METER_group : FL_METER_processes,
        .replicas = 1,
        .cpu_us = n % 16 == 1 ? FL_USAGE_MAX : n >> 40,
        .memory_bytes = n >> 30,
        .read_bytes = n % 3 == 0 ? 0 : n >> 44,
        .written_bytes = n >> 20 & 0xffff,
    };
}
