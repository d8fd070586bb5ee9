/* policy_model.h - a second opinion on each decision: may it start, there, and is it its turn.
 * The model is written from docs/ and the decisions, and includes nothing of the product's round or
 * placement.  It learns from two sources: rows, at the instant their batch is durable, and reports
 * of agents, at the instant a hub takes them in.  It judges each attempt_new row and each end, and
 * it measures how long work waits that could start.
 *   I25 only what may start is started    I26 only where it may be    I27 in its queue's order
 *   I28 an attempt's end is charged, repeated and summed up by the rules
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

/* The rule about the first job of a queue that fits nowhere now.
 *   HEAD_WAITS   it holds its whole queue for head_wait_ms, one of them after the other
 *   HEAD_CLAIMS  it may claim nodes, one claim a queue, at most half of a cluster; else nothing
 *                waits for it */
enum policy_rule { POLICY_HEAD_WAITS, POLICY_HEAD_CLAIMS };

/* The rule that the product keeps today.  docs/simulator.md says what the new round changes here.
 * */
#define POLICY_RULE_TODAY POLICY_HEAD_WAITS

struct policy_config {
    enum policy_rule rule;
    uint32_t head_wait_ms; /* for HEAD_WAITS only */
    uint32_t unconfirmed_max;
    uint32_t slice_max; /* looks of the core at a time */
    uint32_t backoff_first_ms, backoff_max_ms;
};

struct policy;

struct policy *policy_create(struct sim *sim, const struct policy_config *config);
void policy_destroy(struct policy *policy);

/* A hub takes in what an agent's connection brought.  Hearing the same report twice is harmless. */
void policy_heard(struct policy *policy, const struct core_event *event);
/* A hub lets a frame out. */
void policy_sent(struct policy *policy, const struct core_send *send);
/* A batch is durable that was formed at this true time. */
void policy_committed(struct policy *policy, const struct fake_pg_journal *entry, fl_ms formed_at);
/* An answer goes out.  'is_current': it was made of the state that is durable now, and of all of
 * it. */
void policy_answered(struct policy *policy, const struct core_answer *answer, bool is_current);

/* 'for_ms' have passed.  'is_steady': a hub led and Postgres worked all that time. */
void policy_passed(struct policy *policy, fl_ms for_ms, bool is_steady);
