/* policy_share.h - no owner and no queue takes all the room: a part of the policy model (I41).
 * When a job is accepted, or comes into a queue by an edit, its queue and its owner have no more
 * open jobs than their share of all there may be; and their open jobs have no more kinds (queue,
 * priority and shape) than their share of all shapes.  A single one may always come. */
#pragma once

#include "tests/sim/policy_state.h"

void policy_share_job(struct policy *policy, uint64_t job, bool is_new);
