/* policy_each.h - arrays of which each element waits for the same element of another one: a part of
 * the policy model (I38).
 * An element starts once its fellow has succeeded, and ends as NeverMet, without an attempt, only
 * where its fellow ended otherwise, in the batch of that end.  The mark names the other array and
 * comes with the job, once. */
#pragma once

#include "tests/sim/policy_state.h"

void policy_each_job(struct policy *policy, const struct row_job_new *row);
void policy_each_mark(struct policy *policy, const struct row_mark_set *row);
void policy_each_start(struct policy *policy, const struct row_attempt_new *row);
void policy_each_end(struct policy *policy, const struct row_element_end *row);
void policy_each_job_end(struct policy *policy, const struct row_job_end *row);
void policy_each_batch(struct policy *policy);

/* An element that never started may start; where it waits for a fellow, that has succeeded. */
bool policy_each_is_fresh(struct policy *policy, const struct policy_job *job);
/* Some element waits for its fellow. */
bool policy_each_waits(struct policy *policy, const struct policy_job *job);
/* Its elements wait so. */
static inline bool policy_each_is(const struct policy_job *job)
{
    return job->each != 0;
}
