/* policy_time.h - the core's time against the true time: a part of the policy model (I32).
 * Deadlines, pauses and expiries count in the core's time, so it must not run ahead of the true
 * time by more than a host's drift, however wall clocks are set: then nothing ends early.  Within a
 * term it does not fall behind either; between two terms only where a clock was set, and by no more
 * than the time between them (decision 70). */
#pragma once

#include "tests/sim/policy_state.h"

/* The core's time in 1,000 ms of true time, on the slowest host and on the fastest. */
enum { POLICY_PACE_LEAST = 980, POLICY_PACE_MOST = 1012 };

/* A batch is durable; before its rows are folded. */
void policy_time_batch(struct policy *policy);
