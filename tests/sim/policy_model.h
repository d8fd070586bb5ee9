/* policy_model.h - a second opinion on each decision: may it start, there, and is it its turn.
 * The model is written from docs/ and the decisions, and includes nothing of the product's round or
 * placement.  It learns from two sources: rows, at the instant their batch is durable, and reports
 * of agents, at the instant a hub takes them in.  It judges each attempt_new row and each end, and
 * it measures how long work waits that could start.
 *   I25 only what may start is started    I26 only where it may be    I27 in its queue's order
 *   I28 ends have their true reasons, are charged, repeated, summed up (policy_ends, policy_runs)
 *   I29 each change was asked for (policy_requests)    I30 who may come in does (policy_access)
 *   I31 what is shown is so (policy_reads)
 *   I32 the core's time keeps pace with the true time (policy_time)
 *   I33 no cluster keeps work waiting for a word (policy_overdue)
 *   I34 jobs run after others as they ask (policy_after)    I35 edits count at once (policy_edit)
 *   I36 singletons run one at a time (policy_singleton)
 *   I38 elements wait for the same elements of another array (policy_each)
 *   I39 an array runs as many elements as its parallelism allows (policy_runs)
 *   I41 no queue and no owner takes all the room (policy_share)
 *   I20 work that fits is not kept waiting (policy_wait.c)
 * What the leader knew at a decision is known within bounds: at least each report that it had
 * acknowledged, at most each report taken in before the batch was formed.  Where the two differ the
 * model gives the benefit of the doubt.
 * A broken invariant ends the process through sim_broken.  Single-threaded, in the sim's time. */
#pragma once

#include "controlplane/core/core_command.h"
#include "controlplane/core/core_event.h"
#include "tests/sim/fake_pg.h"
#include "tests/sim/sim.h"

struct policy_config {
    uint32_t unconfirmed_max;
    uint32_t slice_max; /* looks of the core at a time */
    uint32_t backoff_first_ms, backoff_max_ms;
    uint32_t start_ms, stop_ms, inventory_ms;
    uint32_t rejoin_ms;
    uint32_t jobs_max, shapes_max, queue_percent, owner_percent;
};

struct policy;

struct policy *policy_create(struct sim *sim, const struct policy_config *config);
void policy_destroy(struct policy *policy);

/* A hub takes in what an agent's connection brought.  Hearing the same report twice is harmless. */
void policy_heard(struct policy *policy, const struct core_event *event);
/* A hub lets a frame out; 'is_current': no other has taken over from it. */
void policy_sent(struct policy *policy, const struct core_send *send, bool is_current);
/* Postgres's wall clock was set, or a hub's. */
void policy_clock_set(struct policy *policy, bool do_hubs_differ);
/* A batch is durable that was formed at this true time. */
/* A hub goes on with its turn, inside of which it stood still: the frames that it lets out now
 * were decided before. */
void policy_turn_stopped(struct policy *policy);
/* A takeover succeeded: the new leader has heard nothing yet. */
void policy_took(struct policy *policy, uint64_t epoch);
void policy_committed(struct policy *policy, const struct fake_pg_journal *entry, fl_ms formed_at);
/* An answer goes out.  'is_current': it was made of the state that is durable now, and of all of
 * it, under that epoch. */
void policy_answered(struct policy *policy, const struct core_answer *answer, bool is_current,
                     uint64_t epoch);

/* Each enrolled cluster had told its nodes to the leader, some time before the newest batch. */
bool policy_all_told(struct policy *policy);

/* The leader had heard before the newest batch that the node has GPUs. */
bool policy_knows_gpus(const struct policy *policy, struct fl_cluster cluster, const char *node);

/* 'for_ms' have passed.  'is_steady': a hub led and Postgres worked all that time. */
void policy_passed(struct policy *policy, fl_ms for_ms, bool is_steady);
