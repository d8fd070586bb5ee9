/* usage_sums.h - the sums that table usage_day keeps, for controlplane/usage, which adds
 * them up, and read_usage.h.  Types only. */
#pragma once

/* name, how two are put together (add, most), meaning.  Also the columns of table usage_day. */
#define USAGE_SUMS(X)                                                                              \
    X(attempts, add, "attempts that ended")                                                        \
    X(replica_ms, add, "time of their replicas")                                                   \
    X(cpu_ms, add, "the same times the processors that each asked for")                            \
    X(memory_mib_ms, add, "times the memory")                                                      \
    X(gpu_ms, add, "times the accelerators")                                                       \
    X(measured, add, "attempts of which a meter saw something")                                    \
    X(measured_cpu_ms, add, "cpu_ms of these")                                                     \
    X(used_cpu_us, add, "CPU time that they used")                                                 \
    X(memory_bytes, most, "the most memory that one replica used at a time")                       \
    X(read_bytes, add, "read from block devices")                                                  \
    X(written_bytes, add, "written to them")

enum usage_sum {
#define USAGE_SUM_ENUM(name, how, meaning) USAGE_##name,
    USAGE_SUMS(USAGE_SUM_ENUM)
#undef USAGE_SUM_ENUM
        USAGE_SUMS_LEN
};
