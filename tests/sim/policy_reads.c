#include "tests/sim/policy_reads.h"

#include <inttypes.h>
#include <string.h>

#include "tests/sim/policy_after.h"
#include "tests/sim/policy_each.h"
#include "tests/sim/policy_requests.h"
#include "tests/sim/policy_runs.h"
#include "tests/sim/policy_singleton.h"

/* ---- a job ----------------------------------------------------------------------------------- */

static void I31_counts_are_true(struct policy *policy, const struct core_job_view *view)
{
    const struct policy_job *job = policy_job(policy, view->job.n);
    uint32_t started = job->started - job->unplaced;
    bool is_true = view->elements == job->elements && view->elements_started == started &&
                   view->elements_live == job->live && view->elements_running <= job->running &&
                   view->elements_succeeded == job->succeeded &&
                   view->elements_failed == job->failed &&
                   view->elements_cancelled == job->cancelled;

    sim_mark(policy->sim, MARK_counts_compared);
    if (is_true) return;
    sim_broken(policy->sim, "I31",
               "job %" PRIu64 " is shown with %u elements: %u started, %u live, %u running, %u "
               "succeeded, %u failed, %u cancelled; they are %u: %u, %u, %u, %u, %u, %u",
               view->job.n, view->elements, view->elements_started, view->elements_live,
               view->elements_running, view->elements_succeeded, view->elements_failed,
               view->elements_cancelled, job->elements, started, job->live, job->running,
               job->succeeded, job->failed, job->cancelled);
}

static bool is_silent(const struct policy *policy, const struct policy_cluster *cluster)
{
    return cluster->silent_term == policy->epoch;
}

/* Its live attempts on silent clusters. */
static uint32_t count_unknown(struct policy *policy, const struct policy_job *job)
{
    uint32_t count = 0;

    for (size_t i = 0; i < job->begun.len; i++) {
        const struct policy_element *element = &job->begun.at[i];

        if (!element->is_live) continue;
        count += is_silent(policy, policy_cluster(policy, element->cluster));
    }
    return count;
}

static void I31_the_state_is_true(struct policy *policy, const struct core_job_view *view)
{
    const struct policy_job *job = policy_job(policy, view->job.n);
    enum job_state idle = job->is_held ? JOB_held : JOB_queued;
    bool is_true;

    if (job->is_stopped) {
        is_true = view->state == JOB_stopping;
    } else if (job->live == 0) {
        is_true = view->state == idle;
    } else {
        is_true = view->state == (view->elements_running ? JOB_running : JOB_starting);
    }
    if (is_true) return;
    sim_broken(policy->sim, "I31", "job %" PRIu64 " is shown as %s: %u elements live, held %d",
               view->job.n, job_state_name(view->state), job->live, job->is_held);
}

/* Some element of it may wait for no pause. */
static bool may_be_in_line(const struct policy *policy, const struct policy_job *job)
{
    if (policy_each_is_fresh((struct policy *)policy, job)) return true;
    for (size_t i = 0; i < job->begun.len; i++) {
        const struct policy_element *element = &job->begun.at[i];

        if (element->is_live || element->is_ended) continue;
        if (policy_ready_from(element) <= policy_core_now(policy)) return true;
    }
    return false;
}

static bool is_of_waiting(enum reason reason)
{
    return reason != REASON_none && reason != REASON_Held && reason != REASON_QueuePaused &&
           reason != REASON_Dispatching && reason != REASON_ClusterSilent &&
           reason != REASON_WaitsForJobs && reason != REASON_WaitsForTurn &&
           reason != REASON_ArrayThrottle && reason != REASON_WaitsForElements &&
           reason < REASON_Succeeded;
}

static bool is_stop_repeated(const struct policy *policy, const struct policy_job *job)
{
    for (size_t i = 0; i < job->begun.len; i++) {
        if (job->begun.at[i].is_live && job->begun.at[i].repeated_term == policy->epoch) {
            return true;
        }
    }
    return false;
}

/* It is at its limit, with something to start beyond it; which may just wait for a pause yet. */
static bool may_be_throttled(const struct policy *policy, const struct policy_job *job)
{
    return policy_is_at_limit(job) && !job->is_held && may_be_in_line(policy, job);
}

static bool is_true_reason(struct policy *policy, const struct policy_job *job,
                           const struct core_job_view *view)
{
    bool is_unknown = count_unknown(policy, job) > 0;

    if (view->reason == REASON_ClusterSilent) return is_unknown;
    if (is_unknown) return policy->is_walking;
    if (is_stop_repeated(policy, job)) return view->reason == REASON_StopUnanswered;
    if (job->is_stopped) return view->reason == job->stop;
    if (view->elements_running > 0 && may_be_throttled(policy, job)) {
        if (view->reason == REASON_ArrayThrottle) return true;
        return job->started == job->elements && view->reason == REASON_none;
    }
    if (view->elements_running > 0) return view->reason == REASON_none;
    if (job->live > 0) return view->reason == REASON_Dispatching;
    if (job->is_held) return view->reason == REASON_Held;
    if (policy_after_waits(policy, job)) return view->reason == REASON_WaitsForJobs;
    if (policy_singleton_waits(policy, view->job.n)) return view->reason == REASON_WaitsForTurn;
    if (policy_queue(policy, job->queue)->is_paused) return view->reason == REASON_QueuePaused;
    if (view->reason == REASON_WaitsForElements) {
        return policy_each_waits(policy, job) && !policy_is_ready(policy, job, true);
    }
    if (view->reason == REASON_BackoffUntil) return !policy_is_ready(policy, job, true);
    return is_of_waiting(view->reason) && may_be_in_line(policy, job);
}

static void I31_the_reason_is_true(struct policy *policy, const struct core_job_view *view)
{
    const struct policy_job *job = policy_job(policy, view->job.n);

    if (is_true_reason(policy, job, view)) return;
    sim_broken(policy->sim, "I31",
               "job %" PRIu64 " is shown for reason %s: %u live, %u of them unknown, %u of %u "
               "started; held %d, paused %d",
               view->job.n, reason_name(view->reason), job->live, count_unknown(policy, job),
               job->started, job->elements, job->is_held,
               policy_queue(policy, job->queue)->is_paused);
}

/* Its constants, and the place of its first element. */
static void I31_the_rest_is_true(struct policy *policy, const struct core_job_view *view)
{
    struct policy_job *job = policy_job(policy, view->job.n);
    bool is_true = view->queue.n == job->queue && view->priority == job->priority &&
                   view->first_start == job->first_start && view->revision == job->revision &&
                   view->deadline_s == job->deadline_s && view->parallelism == job->parallelism;
    const struct policy_element *found = NULL;

    if (view->attempt && !view->is_picked) found = policy_element(job, 0);
    if (view->attempt && !view->is_picked) {
        is_true = is_true && found && found->is_live && found->n == view->attempt &&
                  found->cluster == view->cluster.n;
    }
    if (is_true) return;
    sim_broken(policy->sim, "I31",
               "job %" PRIu64 " is shown in queue %u, priority %d, deadline %u s, parallelism %u, "
               "edited %u times, "
               "first start %lld, attempt %u on cluster %u",
               view->job.n, view->queue.n, view->priority, view->deadline_s, view->parallelism,
               view->revision, (long long)view->first_start, view->attempt, view->cluster.n);
}

/* ---- its elements ---------------------------------------------------------------------------- */

static const char *why_not_element(struct policy *policy, const struct policy_element *element,
                                   const struct core_element_view *view)
{
    bool is_live = view->state != ATTEMPT_ended;

    if (!element || element->is_ended) return "has not begun, or is over";
    if (element->n != view->attempt) return "has another attempt";
    if (element->is_live != is_live) return "lives, or not";
    if (element->failures != view->failures) return "has failed more or less often";
    if (!is_live) {
        if (view->reason != REASON_BackoffUntil) return NULL;
        if (view->wait_until < policy_ready_from(element)) return "may not start so early";
        return view->wait_until > policy_ready_to(policy, element) ? "waits too long" : NULL;
    }
    if (element->cluster != view->cluster.n) return "is elsewhere";
    if (view->replicas_len != element->replicas.len) return "has more replicas, or fewer";
    for (size_t i = 0; i < view->replicas_len; i++) {
        const struct policy_replica *replica = &element->replicas.at[i];
        uint8_t phase = replica->phase_term == policy->epoch ? replica->phase : FL_REPLICA_pending;

        if (view->replicas[i] != phase) return "has a replica in another state";
    }
    if ((view->state == ATTEMPT_unknown) !=
        is_silent(policy, policy_cluster(policy, element->cluster))) {
        return "is unknown, or not";
    }
    return NULL;
}

static void I31_elements_are_true(struct policy *policy, const struct core_answer *answer)
{
    struct policy_job *job = policy_job(policy, answer->jobs[0].job.n);
    uint32_t open = 0;

    for (size_t i = 0; i < answer->elements_len; i++) {
        const struct core_element_view *view = &answer->elements[i];
        const char *why = why_not_element(policy, policy_element(job, view->element), view);

        sim_mark(policy->sim, MARK_elements_compared);
        if (!why) continue;
        sim_broken(policy->sim, "I31", "job %" PRIu64 ".%u is shown with attempt %u; it %s",
                   answer->jobs[0].job.n, view->element, view->attempt, why);
    }
    for (size_t i = 0; i < job->begun.len; i++) {
        open += !job->begun.at[i].is_ended;
    }
    if (answer->next || answer->elements_len == open) return;
    sim_broken(policy->sim, "I31", "job %" PRIu64 " is shown with %zu elements, and has %u",
               answer->jobs[0].job.n, answer->elements_len, open);
}

/* ---- a page of jobs -------------------------------------------------------------------------- */

static void I31_the_page_is_whole(struct policy *policy, const struct core_answer *answer,
                                  uint32_t tenant, uint64_t before)
{
    uint64_t id = before && before < policy->jobs.len ? before : policy->jobs.len;
    size_t shown = 0;

    while (id-- > 0) {
        const struct policy_job *job = &policy->jobs.at[id];

        if (!job->is_open || job->tenant != tenant) continue;
        if (shown == answer->jobs_len) break;
        if (answer->jobs[shown].job.n != id) {
            sim_broken(policy->sim, "I31", "job %" PRIu64 " is missing in a list, or out of order",
                       id);
        }
        shown++;
    }
    if (shown < answer->jobs_len || (id != UINT64_MAX && !answer->next)) {
        sim_broken(policy->sim, "I31", "a list of %zu jobs ends too early or too late",
                   answer->jobs_len);
    }
}

/* ---- explain --------------------------------------------------------------------------------- */

static bool may_fit_there(struct policy *policy, const struct policy_cluster *cluster,
                          const struct policy_shape *shape)
{
    struct sim_amounts first = sim_amounts_of_role(&shape->shape, &shape->shape.roles[0]);

    for (uint32_t i = 0; i < cluster->nodes_len; i++) {
        if (policy_may_fit(policy, cluster, i, shape, &shape->shape.roles[0], &first)) return true;
    }
    return false;
}

static bool has_taints(const struct policy_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->nodes_len; i++) {
        for (size_t v = 0; v < cluster->nodes[i].reports.len; v++) {
            if (cluster->nodes[i].reports.at[v].taints[0]) return true;
        }
    }
    return false;
}

static bool is_true_verdict(struct policy *policy, const struct policy_cluster *cluster,
                            const struct policy_shape *shape, enum reason reason)
{
    bool is_allowed = policy_names_allow(shape, cluster);

    if (!is_allowed || reason == REASON_ClusterExcluded) {
        return !is_allowed && reason == REASON_ClusterExcluded;
    }
    if (cluster->is_cordoned) return reason == REASON_ClusterUnhealthy;
    switch (reason) {
    case REASON_ClusterUnhealthy:
        return !policy_takes_work(policy, cluster);
    case REASON_Fits:
        return cluster->session_term == policy->epoch && cluster->is_listed &&
               policy_unconfirmed_least(policy, cluster) < policy->config.unconfirmed_max &&
               may_fit_there(policy, cluster, shape);
    case REASON_DispatchLimit:
        return policy_unconfirmed_most(policy, cluster) >= policy->config.unconfirmed_max;
    case REASON_NodeSelectorUnmatched:
        if (policy_fits_there(policy, cluster, shape)) return false;
        if (shape->shape.node_labels_len > 0) return true;
        sim_mark(policy->sim, MARK_affinity_explained);
        return shape->shape.affinity.len > 0;
    case REASON_TaintNotTolerated:
        sim_mark(policy->sim, MARK_taint_explained);
        return has_taints(cluster) && !policy_fits_there(policy, cluster, shape);
    case REASON_NoMatchingCluster:
    case REASON_InsufficientCapacity:
    case REASON_Fragmented:
        return !policy_fits_there(policy, cluster, shape);
    default:
        return reason == REASON_Claimed;
    }
}

static void I31_verdicts_are_true(struct policy *policy, const struct core_answer *answer)
{
    const struct policy_job *job = policy_job(policy, answer->jobs[0].job.n);
    const struct policy_shape *shape = policy_shape(policy, job->shape);
    size_t enrolled = 0;

    for (size_t i = 0; i < answer->verdicts_len; i++) {
        const struct core_verdict *verdict = &answer->verdicts[i];
        const struct policy_cluster *cluster = policy_cluster(policy, verdict->cluster.n);

        sim_mark(policy->sim, MARK_verdicts_compared);
        if (cluster->state == POLICY_CLUSTER_ENROLLED &&
            is_true_verdict(policy, cluster, shape, verdict->reason)) {
            continue;
        }
        sim_broken(policy->sim, "I31",
                   "explain says of job %" PRIu64 " on cluster %u: %s; cordoned %d, excluded %d",
                   answer->jobs[0].job.n, verdict->cluster.n, reason_name(verdict->reason),
                   cluster->is_cordoned, !policy_names_allow(shape, cluster));
    }
    for (size_t i = 0; i < policy->clusters.len; i++) {
        enrolled += policy->clusters.at[i].state == POLICY_CLUSTER_ENROLLED;
    }
    if (enrolled == answer->verdicts_len) return;
    sim_broken(policy->sim, "I31", "explain has %zu verdicts for %zu clusters",
               answer->verdicts_len, enrolled);
}

/* ---- clusters and queues --------------------------------------------------------------------- */

static void I31_the_cluster_is_true(struct policy *policy, const struct core_cluster_view *view)
{
    const struct policy_cluster *cluster = policy_cluster(policy, view->cluster.n);
    bool is_true = view->state == cluster->state && view->access == cluster->access &&
                   view->is_draining == cluster->is_draining &&
                   (view->cordon[0] != '\0') == cluster->is_cordoned &&
                   view->session_epoch == cluster->session && view->attempts == cluster->live.len &&
                   view->is_silent == is_silent(policy, cluster) &&
                   view->attempts_unconfirmed >= policy_unconfirmed_least(policy, cluster) &&
                   strcmp(view->name, cluster->name) == 0;

    if (is_true) return;
    sim_broken(policy->sim, "I31",
               "cluster %u is shown: state %u, access %u, draining %d, cordon \"%s\", session "
               "%" PRIu64 ", %u attempts, silent %d",
               view->cluster.n, view->state, view->access, view->is_draining, view->cordon,
               view->session_epoch, view->attempts, view->is_silent);
}

/* The model does not know each attempt's news in time: one that lives may start or run. */
static bool are_true_states(struct policy *policy, const struct policy_queue *queue,
                            const struct core_queue_view *view)
{
    uint32_t held = 0, queued = 0, live = 0, stopping = 0;

    for (size_t i = 0; i < queue->open.len; i++) {
        const struct policy_job *job = policy_job(policy, queue->open.at[i]);

        if (job->is_stopped) {
            stopping++;
        } else if (job->live > 0) {
            live++;
        } else if (job->is_held) {
            held++;
        } else {
            queued++;
        }
    }
    return view->in_state[JOB_held] == held && view->in_state[JOB_queued] == queued &&
           view->in_state[JOB_starting] + view->in_state[JOB_running] == live &&
           view->in_state[JOB_stopping] == stopping;
}

static void I31_the_queue_is_true(struct policy *policy, const struct core_queue_view *view)
{
    const struct policy_queue *queue = policy_queue(policy, view->queue.n);

    if (!are_true_states(policy, queue, view)) {
        sim_broken(policy->sim, "I31",
                   "queue %u is shown with %u jobs held, %u queued, %u starting, %u running, %u "
                   "stopping",
                   view->queue.n, view->in_state[JOB_held], view->in_state[JOB_queued],
                   view->in_state[JOB_starting], view->in_state[JOB_running],
                   view->in_state[JOB_stopping]);
    }
    if (view->is_paused == queue->is_paused && view->jobs == queue->open.len &&
        strcmp(view->name, queue->name) == 0) {
        return;
    }
    sim_broken(policy->sim, "I31",
               "queue %u is shown as %s, paused %d, with %" PRIu64 " jobs; it has %zu",
               view->queue.n, view->name, view->is_paused, view->jobs, queue->open.len);
}

void policy_reads_answered(struct policy *policy, const struct core_answer *answer)
{
    struct policy_question question = policy_requests_question(policy, answer);

    policy->known_at = policy->sim->now; /* no batch bounds what the leader has heard */

    for (size_t i = 0; i < answer->jobs_len; i++) {
        I31_counts_are_true(policy, &answer->jobs[i]);
        I31_the_state_is_true(policy, &answer->jobs[i]);
        I31_the_reason_is_true(policy, &answer->jobs[i]);
        I31_the_rest_is_true(policy, &answer->jobs[i]);
    }
    for (size_t i = 0; i < answer->clusters_len; i++) {
        I31_the_cluster_is_true(policy, &answer->clusters[i]);
    }
    for (size_t i = 0; i < answer->queues_len; i++) {
        I31_the_queue_is_true(policy, &answer->queues[i]);
    }
    switch (question.kind) {
    case CORE_EV_read_job:
        I31_elements_are_true(policy, answer);
        break;
    case CORE_EV_explain:
        I31_verdicts_are_true(policy, answer);
        break;
    case CORE_EV_list_jobs:
        I31_the_page_is_whole(policy, answer, question.tenant, question.before);
        break;
    default:
        break;
    }
    policy->known_at = policy->formed_at;
}
