/* policy_overdue.h - no cluster keeps work waiting for a word: a part of the policy model (I33).
 * A START that is not confirmed ends its attempt, not before its limit nor much later, and its STOP
 * follows; a STOP without an end is repeated, and ends nothing by itself; a session whose inventory
 * does not end is closed (decision 71).  Times count while a hub leads and Postgres works. */
#pragma once

#include "tests/sim/policy_state.h"

/* START or STOP was let out for the live attempt; a session was closed. */
void policy_overdue_start_sent(struct policy *policy, struct policy_element *element);
void policy_overdue_stop_sent(struct policy *policy, struct policy_element *element,
                              const struct core_send *send);
void policy_overdue_closed(struct policy *policy, struct policy_cluster *cluster);
/* STOP for any attempt, live or not. */
void policy_overdue_stopped(struct policy *policy, struct fl_attempt attempt);

/* The attempt may end, since its START was not confirmed; before the row is folded. */
bool policy_overdue_may_end(const struct policy *policy, const struct policy_element *element);
/* It does. */
void policy_overdue_ended(struct policy *policy, uint64_t job,
                          const struct policy_element *element);
void policy_overdue_passed(struct policy *policy, fl_ms for_ms, bool is_steady);
