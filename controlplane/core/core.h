/* core.h - the brain: all live state of the control plane, and the one function that changes it.
 * Pure: no I/O, clock, log, thread or random source; equal events give equal batches, bit for bit.
 *
 *   core_create -> core_load (rows of queues, clusters, tokens, shapes, counters, then by id: open
 *   jobs, marks, attempts, attempt ends, element ends) -> core_begin through event 'begin' ->
 *   core_step ... core_settle
 *
 * core_step takes one event and appends what follows from it to the batch.  core_settle does what
 * is done once for many events: a round of placement within its budget, and acknowledgements.  A
 * batch must be settled before it is committed.  A core whose batch failed is destroyed: it has run
 * ahead.
 * Uses shared/base only.  Not thread-safe: the engine owns it and is its only caller. */
#pragma once

#include "controlplane/core/core_command.h"
#include "controlplane/core/core_event.h"

struct core;

enum { CORE_LOOKS_PER_EVENT = 16 };

/* Limits and waits; core_config_default() is what config.def starts from. */
struct core_config {
    uint32_t jobs_max;     /* open at a time */
    uint32_t elements_max; /* started and not ended, at a time */
    uint32_t queues_max;
    uint32_t clusters_max;
    uint32_t shapes_max;
    uint32_t queue_percent;    /* one queue's share in open jobs and shapes */
    uint32_t owner_percent;    /* one owner's, in all that owner_table.h lists */
    uint32_t nodes_max;        /* nodes that one cluster may report */
    uint32_t unconfirmed_max;  /* STARTs that a cluster has not confirmed; at it, no more */
    uint32_t backoff_first_ms; /* 10 s, doubled per failure */
    uint32_t backoff_max_ms;   /* 5 min; both +-20 % */
    uint32_t silence_ms;       /* a lost session makes attempts unknown after it */
    uint32_t resend_ms;        /* a lost START waits so long for its nodes: 30 s */
    uint32_t rejoin_ms;        /* a cluster comes back with a certificate expired so long: 7 d */
    uint32_t stray_ms;         /* a replica of a job that may be lost is stopped after it: 15 min */
    uint32_t start_ms;         /* a START that is not confirmed ends its attempt: 60 s */
    uint32_t stop_ms;      /* a STOP without an end is repeated and named, grace included: 60 s */
    uint32_t inventory_ms; /* a session whose inventory takes longer is closed: 30 s */
    uint32_t claims_percent_max; /* all claims on a cluster take at most this share of it */
    bool refuses_impossible;     /* jobs that no cluster could ever run; else they wait */
    uint32_t round_starts_max;   /* placements of one core_settle; the rest goes on next turn */
    uint64_t round_looks_max;    /* heads, clusters and nodes that it looks at, likewise */
    uint32_t slice_max; /* looks of one slice, about 0.1 us each; the rest goes on next turn */
};

struct core_config core_config_default(void);

struct core *core_create(const struct core_config *config);
void core_destroy(struct core *core);

/* False: the rows contradict each other, which no crash explains; the text names both. */
FL_CHECK bool core_load(struct core *core, const struct row *row, struct fl_err *err);

void core_step(struct core *core, const struct core_event *event, struct core_batch *batch);

/* True: there is more to do at once, call again in the next batch.  Work that one event causes for
 * many (due timers, the elements of a cancelled job, all that lives on a cluster) is done in
 * slices: some in the step, some in each settle. */
bool core_settle(struct core *core, fl_ms now, struct core_batch *batch);

/* When the next tick is due; INT64_MAX: never, or core_settle has due timers left and goes on with
 * them. */
fl_ms core_deadline(const struct core *core);

/* Hash over what rows hold: ids, queues, clusters, tokens, shapes, jobs, marks, attempts, ends.  A
 * core that was loaded from the rows of another has the same. */
uint64_t core_hash(const struct core *core);

/* Asserts that the state is whole: each open job has one next actor and one deadline, usage adds
 * up, indexes agree.  Walks everything; for tests and the simulator. */
void core_check(const struct core *core);

struct core_stats {
    size_t jobs, jobs_queued, elements, shapes, clusters, queues;
    size_t hot_bytes; /* memory that grows with queued jobs */
    uint64_t starts, placements_tried;
    size_t walks;       /* jobs and clusters whose elements are walked in slices, not done yet */
    bool is_timers_cut; /* due timers wait for the next slice */
    bool is_disputed;   /* an agent has seen a later history: nothing is accepted or started */
    uint64_t job_lost_from, job_lost_to; /* ids that a lost history gave out; 0: none known */
};

/* How much the core has looked at in its life; as much as one event costs at least is
 * CORE_LOOKS_PER_EVENT. */
uint64_t core_looked(const struct core *core);

uint64_t core_job_next(const struct core *core);      /* the next job's id */
uint64_t core_jobs_accepted(const struct core *core); /* by this database, ever */
uint64_t core_batch_known(const struct core *core);   /* see enum core_counter */
uint32_t core_incarnation(const struct core *core);   /* given to its new attempts */

struct core_stats core_stats(const struct core *core);
