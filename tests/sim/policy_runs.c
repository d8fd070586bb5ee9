#include "tests/sim/policy_runs.h"

#include <inttypes.h>

#include "tests/sim/policy_after.h"
#include "tests/sim/policy_each.h"
#include "tests/sim/policy_singleton.h"

enum {
    POLICY_READY_LATE_MS = 1000,
    POLICY_ARMED_LATE_MS = 3000, /* small slices come late to the waits of a fresh core */
};

/* The third lost node is the element's own fault. */
bool policy_is_charged(const struct policy_element *element, uint16_t reason)
{
    if (reason == REASON_NodeLost) return element->node_losses >= 2;
    return reason == REASON_ReplicaFailed || reason == REASON_OutOfMemory ||
           reason == REASON_ImageUnavailable || reason == REASON_ContainerRefused;
}

fl_ms policy_deadline_ms(const struct policy_job *job)
{
    return job->deadline_s * FL_SECOND_MS;
}

static fl_ms pause_of(const struct policy *policy, const struct policy_element *element,
                      uint16_t reason, bool is_charged)
{
    uint32_t times = is_charged ? element->failures : element->misses;
    fl_ms pause_ms = policy->config.backoff_first_ms;

    if (!is_charged && reason != REASON_StartRefused && reason != REASON_StartUnconfirmed &&
        reason != REASON_Unscheduled && times < 2) {
        return 0;
    }
    while (--times > 0 && pause_ms < policy->config.backoff_max_ms) {
        pause_ms *= 2;
    }
    return pause_ms < policy->config.backoff_max_ms ? pause_ms : policy->config.backoff_max_ms;
}

void policy_runs_again(struct policy *policy, const struct row_attempt_end *row)
{
    struct policy_job *job = policy_job(policy, row->job);
    struct policy_element *element = policy_element(job, row->element);
    bool is_charged = policy_is_charged(element, row->reason);

    if (is_charged && element->failures >= job->retries_max) {
        sim_broken(policy->sim, "I28",
                   "job %" PRIu64 ".%u is queued again after failure %u of %u retries", row->job,
                   row->element, element->failures + 1, job->retries_max);
    }
    if (row->reason == REASON_NodeLost) {
        element->node_losses++;
    } else if (is_charged) {
        element->node_losses = 0;
    }
    if (is_charged) {
        element->failures++;
        element->misses = 0;
    } else {
        element->misses++;
    }
    element->ended_from = policy->at_before;
    element->ended_to = policy->at;
    element->ended_term = policy->epoch;
    element->pause_ms = pause_of(policy, element, row->reason, is_charged);
}

fl_ms policy_ready_from(const struct policy_element *element)
{
    return element->ended_from + element->pause_ms - element->pause_ms / 5;
}

/* A fresh core makes those ready one by one whose wait is over when it begins. */
fl_ms policy_ready_to(const struct policy *policy, const struct policy_element *element)
{
    fl_ms to = element->ended_to + element->pause_ms + element->pause_ms / 5;
    fl_ms begun_to = policy->term_at + (fl_ms)policy->config.backoff_first_ms +
                     (policy->is_walking ? POLICY_ARMED_LATE_MS : 0);

    return element->ended_term != policy->epoch && begun_to > to ? begun_to : to;
}

fl_ms policy_core_now(const struct policy *policy)
{
    fl_ms since = policy->sim->now - policy->formed_at;

    return policy->at + since + since / 50 + 1;
}

bool policy_is_at_limit(const struct policy_job *job)
{
    return job->parallelism > 0 && job->elements > 1 && job->live >= job->parallelism;
}

bool policy_is_ready(const struct policy *policy, const struct policy_job *job, bool is_sure)
{
    if (!job->is_open || job->is_held || job->is_stopped) return false;
    if (policy_after_waits(policy, job) || policy_is_at_limit(job)) return false;
    if (policy_singleton_waits(policy, (uint64_t)(job - policy->jobs.at))) return false;
    if (policy_each_is_fresh((struct policy *)policy, job)) return true;
    for (size_t i = 0; i < job->begun.len; i++) {
        const struct policy_element *element = &job->begun.at[i];

        if (element->is_live || element->is_ended) continue;
        if (!is_sure || policy_ready_to(policy, element) + POLICY_READY_LATE_MS <= policy->at_old) {
            return true;
        }
    }
    return false;
}
