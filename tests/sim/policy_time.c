#include "tests/sim/policy_time.h"

#include "tests/sim/policy_model.h"

enum {
    SLACK_MS = 150,
    TAKE_MS = 2500, /* a takeover's answers and those of the renewal before may take so long */
    SET_LONG_AGO_MS = 60000,
};

void policy_clock_set(struct policy *policy, bool do_hubs_differ)
{
    policy->time.set_at = policy->sim->now;
    policy->time.do_hubs_differ = do_hubs_differ;
}

static void I32_it_is_not_early(struct policy *policy)
{
    struct policy_time *time = &policy->time;
    fl_ms ahead = policy->at - policy->formed_at * POLICY_PACE_MOST / 1000;

    if (!time->has_begun || ahead < time->ahead_least) time->ahead_least = ahead;
    if (ahead <= time->ahead_least + SLACK_MS) return;
    sim_broken(policy->sim, "I32", "the core's time has gained %lld ms on the true time",
               (long long)(ahead - time->ahead_least));
}

static void I32_it_is_not_late(struct policy *policy)
{
    const struct policy_time *time = &policy->time;
    fl_ms passed = policy->at - time->at, due;

    if (!time->has_begun) return;
    due = (policy->formed_at - time->formed_at) * POLICY_PACE_LEAST / 1000 - SLACK_MS;
    if (policy->epoch != time->epoch) {
        bool is_set = time->set_at && time->set_at > time->formed_at - SET_LONG_AGO_MS;

        if (is_set || time->do_hubs_differ) return;
        due -= TAKE_MS;
    }
    if (passed >= due) return;
    sim_broken(policy->sim, "I32", "the core's time has lost %lld ms of %lld",
               (long long)(due - passed), (long long)(policy->formed_at - time->formed_at));
}

void policy_time_batch(struct policy *policy)
{
    struct policy_time *time = &policy->time;

    I32_it_is_not_early(policy);
    I32_it_is_not_late(policy);
    time->has_begun = true;
    time->at = policy->at;
    time->formed_at = policy->formed_at;
    time->epoch = policy->epoch;
}
