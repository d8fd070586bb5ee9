/* process.h - the runtime of plain hosts: each replica is a process under a supervisor of its own.
 * The supervisor (docs/supervisor.md) outlives this object and the agent; the truth about a replica
 * stands in its directory below 'dir'.  This object only starts supervisors, sends them commands,
 * and reads.  One that finds the directory of a supervisor that lives adopts it; one whose
 * supervisor died before it could write how the job ended has the rest of the job ended first, and
 * then says 'lost'.
 * It is no isolation: jobs run as the agent's user, see its files and each other's.  Limits of cpu
 * and memory hold where a control group was delegated.
 * Nodes may be made up: their cpu, memory and gpus are what the configuration says.
 * Uses shared code and agent/runtime.h.  One thread: the loop's. */
#pragma once

#include "agent/runtime.h"
#include "shared/io/loop.h"

enum { PROCESS_NODES_MAX = 1000 };

struct process_config {
    const char *dir;          /* below which each replica has its directory; made when absent */
    const char *supervisor;   /* the program */
    const char *name;         /* of the node; with several, "-1", "-2" follow */
    const char *cgroup;       /* a delegated group; NULL: no limits */
    int lifeline;             /* supervisors end their jobs when it is cut; -1: none */
    uint32_t nodes;           /* 1 .. PROCESS_NODES_MAX */
    struct fl_resources each; /* what each node has; 0 cpus or memory: what the host has */
    uint64_t head_bytes, tail_bytes; /* of the output of each replica, kept from begin and end */
    /* A removal waits so long for the output to be taken, and as long again for the gap that is
     * left of it. */
    fl_ms log_grace_ms;
};

struct process;

/* All is copied.  FL_IO, FL_INVALID. */
FL_CHECK bool process_create(struct fl_loop *loop, const struct process_config *config,
                             struct process **ret_process, struct fl_err *err);

/* Leaves everything running.  NULL is fine. */
void process_destroy(struct process *process);

struct runtime process_runtime(struct process *process);

struct process_stats {
    size_t replicas, supervisors, removals;
};
struct process_stats process_stats(const struct process *process);
