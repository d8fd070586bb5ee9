/* policy_runs.h - how often it may run, and when again: a part of the policy model (I28).
 * An exit code other than 0, or memory that ran out, is the job's own fault and is charged; nothing
 * else is (docs/concepts.md).  A charged failure is followed by a pause of 10 s, 20 s, 40 s ... up
 * to 5 min, +-20 %; so is a refused start, and a loss from the second in a row on (decision 7).  A
 * pause is in no row: a new leader begins it anew. */
#pragma once

#include "tests/sim/policy_state.h"

bool policy_is_charged(const struct policy_element *element, uint16_t reason);
fl_ms policy_deadline_ms(const struct policy_job *job); /* 0: none */

/* The element's attempt has ended and it is queued again: judged, then counted. */
void policy_runs_again(struct policy *policy, const struct row_attempt_end *row);

/* When an element whose attempt has ended may be ready again at the earliest, and is at the latest.
 */
fl_ms policy_ready_from(const struct policy_element *element);
fl_ms policy_ready_to(const struct policy *policy, const struct policy_element *element);
/* The core's time is at most this now. */
fl_ms policy_core_now(const struct policy *policy);
/* As many of its elements are live as it allows (I39). */
bool policy_is_at_limit(const struct policy_job *job);
/* Something of the open job may wait for a place; 'is_sure': it does, and the leader knows. */
bool policy_is_ready(const struct policy *policy, const struct policy_job *job, bool is_sure);
