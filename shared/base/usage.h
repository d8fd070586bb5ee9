/* usage.h - CPU, memory and I/O that one replica used, or all replicas of an attempt, and the meter
 * that says so.  Without a meter they are unknown, which is never the same as 0.
 *
 * Exit records, the tunnel, the journal and Postgres have the same bytes, big-endian so that SQL
 * can read them:
 *
 *     meter u8, replicas u32, cpu_us u64, memory_bytes u64, read_bytes u64, written_bytes u64
 *
 * Uses types.h, str.h.  Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/str.h"
#include "shared/base/types.h"

/* name, number, meaning.  The higher number is the better meter.  Numbers are never reused. */
#define FL_METERS(X)                                                                               \
    X(processes, 1, "the kernel's account of processes that ended: memory is that of the largest") \
    X(group, 2, "a control group: memory is that of all its processes together")

enum fl_meter {
    FL_METER_none = 0, /* nothing is known */
#define FL_METER_ENUM(name, number, meaning) FL_METER_##name = (number),
    FL_METERS(FL_METER_ENUM)
#undef FL_METER_ENUM
        FL_METERS_LEN
};

enum { FL_USAGE_BYTES = 1 + 4 + 4 * 8 };

/* One replica uses no more of anything: a petabyte, 35 years of CPU. */
#define FL_USAGE_MAX ((uint64_t)1 << 50)

struct fl_usage {
    enum fl_meter meter;                /* none: all others are 0, and unknown */
    uint32_t replicas;                  /* so many were measured */
    uint64_t cpu_us;                    /* user and system */
    uint64_t memory_bytes;              /* the peak of the replica that had the highest */
    uint64_t read_bytes, written_bytes; /* from and to block devices; a cache does not count */
};

const char *fl_meter_name(enum fl_meter meter);

/* Adds a replica, or an attempt.  The worse of two meters stays; no sum overflows. */
void fl_usage_add(struct fl_usage *to, const struct fl_usage *more);

/* The bytes; empty when nothing is known. */
struct fl_str fl_usage_write(const struct fl_usage *usage, uint8_t ret_bytes[FL_USAGE_BYTES]);

/* Total: bytes that fl_usage_write does not write, be it a newer program's meter or a hostile
 * agent's number, say that nothing is known. */
struct fl_usage fl_usage_read(struct fl_str bytes);

/* The same of one replica: no number above FL_USAGE_MAX. */
struct fl_usage fl_usage_read_one(struct fl_str bytes);
