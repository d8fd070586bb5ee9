#include "agent/supervise/meter.h"

#include <sys/resource.h>

#include "agent/process/cgroup.h"

enum { KIB = 1024, BLOCK_BYTES = 512 };

static uint64_t us_of(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_usec;
}

static struct fl_usage of_processes(void)
{
    struct rusage all;

    if (getrusage(RUSAGE_CHILDREN, &all) != 0 || all.ru_maxrss == 0) return (struct fl_usage){0};
    return (struct fl_usage){
        .meter = FL_METER_processes,
        .replicas = 1,
        .cpu_us = us_of(all.ru_utime) + us_of(all.ru_stime),
        .memory_bytes = (uint64_t)all.ru_maxrss * KIB,
        .read_bytes = (uint64_t)all.ru_inblock * BLOCK_BYTES,
        .written_bytes = (uint64_t)all.ru_oublock * BLOCK_BYTES,
    };
}

struct fl_usage meter_read(const struct layout_spec *spec)
{
    struct fl_usage usage = of_processes();

    if (usage.meter != FL_METER_none && spec->cgroup.len > 0) {
        (void)cgroup_meter(spec->cgroup.at, &usage);
    }
    return usage;
}
