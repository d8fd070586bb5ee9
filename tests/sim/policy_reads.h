/* policy_reads.h - whether what is shown is so: a part of the policy model (I31).
 * An answer about live state that no batch has overtaken says what the rows say: counts, states,
 * reasons, attempts, waits, all jobs of a page and no other, clusters, queues.  Explain names for
 * each enrolled cluster why the job may or may not go there, and nothing that the model knows to be
 * otherwise (docs/concepts.md, docs/api.md). */
#pragma once

#include "tests/sim/policy_state.h"

/* The answer was made of the state that is durable now, and of all of it. */
void policy_reads_answered(struct policy *policy, const struct core_answer *answer);
