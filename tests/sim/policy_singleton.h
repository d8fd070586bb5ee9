/* policy_singleton.h - jobs that run one at a time: a part of the policy model (I36).
 * A singleton starts when no older open singleton has its tenant, owner and name, however that one
 * stands.  The mark that says so comes with the job, once, and holds owner and name; the name stays
 * as it is. */
#pragma once

#include "tests/sim/policy_state.h"

void policy_singleton_job(struct policy *policy, const struct row_job_new *row);
void policy_singleton_mark(struct policy *policy, const struct row_mark_set *row);
void policy_singleton_edit(struct policy *policy, const struct row_job_edit *row);
void policy_singleton_job_end(struct policy *policy, uint64_t job);
void policy_singleton_batch(struct policy *policy);

/* An older singleton of its name and owner is open. */
bool policy_singleton_waits(const struct policy *policy, uint64_t job);
