/* process.h - the runtime of plain hosts: each replica is a process under a supervisor of its own.
 * The supervisor (docs/supervisor.md) outlives this object and the agent; a replica's directory
 * below 'dir' holds the truth about it.  This object only starts supervisors, sends them commands,
 * and reads their directories.  At its start it adopts the replicas whose supervisors live.  If a
 * supervisor died before it wrote how its job ended, it kills the rest of the job and then reports
 * 'lost'.
 * It isolates nothing: jobs run as the agent's user and see its files and each other's.  Limits of
 * cpu and memory hold where a control group was delegated.
 * A replica's own folder is kept for a while after its end (results.h), and a visit can read it:
 * fl_visit_open.is_files.
 * Nodes may be pretended: the settings then give their cpu, memory and gpus.
 *
 * Descriptors.  Each living replica holds one, for its supervisor's news.  A reserve is kept for
 * all else: at the limit a create is refused (AGENT_CAUSE_full).  Replicas that are adopted beyond
 * it are looked at once a second instead.  A directory that cannot be read now is looked at again:
 * its gate is neither open nor shut, and 'synced' waits until every directory was read.
 * Uses shared code and agent/runtime.h.  One thread: the loop's. */
#pragma once

#include "agent/runtime.h"
#include "shared/io/loop.h"

enum { PROCESS_NODES_MAX = 1000 };

struct process_config {
    const char *dir;                 /* the folder of the replicas' directories; made when absent */
    const char *supervisor;          /* the program */
    const char *name;                /* the node's name; with several nodes, "-1", "-2" follow */
    const char *cgroup;              /* a delegated group; NULL: no limits */
    int lifeline;                    /* supervisors end their jobs when it is cut; -1: none */
    uint64_t descriptors;            /* the soft limit of supervisors and jobs; 0: the agent's */
    uint32_t news_max;               /* living replicas with a descriptor; 0: by the limit */
    uint32_t nodes;                  /* 1 .. PROCESS_NODES_MAX */
    struct fl_resources each;        /* each node's; 0 cpus or memory: the host's */
    struct fl_amounts named;         /* and by name */
    uint64_t head_bytes, tail_bytes; /* how much of each replica's output to keep, from both ends */
    /* How long a removal waits for the output to be taken.  Then the output becomes a gap, and the
     * removal waits as long again for that to be taken. */
    fl_ms log_grace_ms;
    /* Files of replicas that ended; keep_ms 0: none are kept. */
    const char *results_dir; /* beside 'dir', on the same file system; may be NULL with keep_ms 0 */
    fl_ms keep_ms;
    uint64_t keep_bytes_max, keep_replica_bytes_max;
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
    size_t unread; /* directories that could not be adopted yet */
};
struct process_stats process_stats(const struct process *process);
