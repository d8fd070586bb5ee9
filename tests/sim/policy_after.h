/* policy_after.h - jobs that run after others: a part of the policy model (I34).
 * A job starts when each job that it names has ended as it asks.  It ends as NeverMet, unstarted,
 * when one has ended otherwise, and has a mark of that in the batch of that end.  Its other mark
 * names those that are still open, after each batch. */
#pragma once

#include "tests/sim/policy_state.h"

void policy_after_job(struct policy *policy, const struct row_job_new *row);
void policy_after_mark(struct policy *policy, const struct row_mark_set *row);
void policy_after_job_end(struct policy *policy, const struct row_job_end *row);
void policy_after_batch(struct policy *policy);

/* Some job that it names has not ended. */
bool policy_after_waits(const struct policy *policy, const struct policy_job *job);
