/* policy_ends.h - why it ended: a part of the policy model (I28).
 * An attempt ends as its replicas did.  The first of them that fails, in the order of the rows, is
 * the cause: it gives reason, exit code and replica, and the others end because of it
 * (docs/concepts.md).  A job that is to stop ends for that reason, also when its replicas exit
 * with 0 (decision 6); an attempt that a drain has stopped is not blamed for its exit code.  The
 * agent says whether memory ran out or a node went.  An element ends as its last attempt did, a job
 * as its elements did, in the batch that knows it.
 * Its usage is the sum that its exited replicas told of themselves.
 * The first cause of a gang is stored with the STOP of the others, so that no reload changes it
 * (decision 68).
 * Each function that judges a row is called before the row is folded. */
#pragma once

#include "tests/sim/policy_state.h"

/* The agent of the attempt's cluster said so in the session that counts. */
void policy_ends_told(struct policy *policy, struct policy_element *element,
                      const struct core_replica_told *told);
/* STOP was let out for the attempt. */
void policy_ends_stop_sent(const struct policy *policy, struct policy_element *element,
                           enum reason reason);

void policy_ends_phase(struct policy *policy, struct policy_element *element,
                       const struct row_replica_phase *row);
void policy_ends_stop(struct policy *policy, const struct row_attempt_stop *row);
void policy_ends_words(struct policy *policy, const struct row_attempt_words *row);
void policy_ends_attempt(struct policy *policy, const struct row_attempt_end *row);
void policy_ends_element(struct policy *policy, const struct row_element_end *row);
void policy_ends_job(struct policy *policy, const struct row_job_end *row);
void policy_ends_first_start(struct policy *policy, const struct row_mark_set *row);
/* All rows of a batch are folded. */
void policy_ends_batch(struct policy *policy);
