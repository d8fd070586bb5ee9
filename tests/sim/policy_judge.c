#include <inttypes.h>
#include <string.h>

#include "tests/sim/policy_after.h"
#include "tests/sim/policy_each.h"
#include "tests/sim/policy_runs.h"
#include "tests/sim/policy_singleton.h"

/* Each decision is compared with what the model knew just before it. */

enum { POLICY_DEADLINE_SLACK_MS = 1000 };

/* ---- I25: may it start ----------------------------------------------------------------------- */

static void I25_it_may_start(struct policy *policy, const struct row_attempt_new *row)
{
    struct policy_job *job = policy_job(policy, row->job);
    const struct policy_element *element = policy_element(job, row->element);
    const char *why = NULL;

    policy_each_start(policy, row);
    if (job->is_held) why = "is held";
    if (policy_after_waits(policy, job)) why = "waits for other jobs";
    if (policy_singleton_waits(policy, row->job)) why = "is not the oldest of its name";
    if (policy_queue(policy, job->queue)->is_paused) why = "is in a paused queue";
    if (job->is_stopped) why = "is to stop";
    if (job->first_start &&
        policy->at_old > job->first_start + policy_deadline_ms(job) + POLICY_DEADLINE_SLACK_MS) {
        why = "is past its deadline";
    }
    if (element && policy_ready_from(element) > policy->at) why = "waits after a failure";
    if (element && element->failures > job->retries_max) why = "has no retry left";
    if (element && element->n) {
        sim_mark(policy->sim, element->pause_ms ? MARK_started_after_pause : MARK_started_again);
    }
    if (!why) return;
    sim_broken(policy->sim, "I25", "job %" PRIu64 ".%u is started, and %s", row->job, row->element,
               why);
}

/* ---- I39: no more of its array than it allows ------------------------------------------------ */

/* An attempt on a silent cluster counts: it may run. */
static void I39_its_array_allows_it(struct policy *policy, const struct row_attempt_new *row)
{
    const struct policy_job *job = policy_job(policy, row->job);

    if (policy_is_at_limit(job)) {
        sim_broken(policy->sim, "I39",
                   "job %" PRIu64 ".%u is started while %u of its elements are live: its "
                   "parallelism is %u",
                   row->job, row->element, job->live, job->parallelism);
    }
    if (job->parallelism > 0 && job->live + 1 == job->parallelism &&
        job->started + 1 < job->elements) {
        sim_mark(policy->sim, MARK_parallelism_reached);
    }
}

/* ---- I26: may it be there -------------------------------------------------------------------- */

static const char *why_not_cluster(struct policy *policy, const struct policy_cluster *cluster,
                                   const struct policy_shape *shape)
{
    if (!cluster->is_known || cluster->state != POLICY_CLUSTER_ENROLLED) return "is not enrolled";
    if (cluster->access != CORE_ACCESS_open || cluster->is_closed) return "is locked or revoked";
    if (cluster->is_cordoned) return "is cordoned";
    if (cluster->session_term != policy->epoch) return "has said nothing to this leader";
    if (!cluster->is_listed || cluster->listed_at > policy->formed_at) {
        return "has not told what it holds";
    }
    if (!policy_names_allow(shape, cluster)) return "is excluded by the job";
    if (policy_unconfirmed_least(policy, cluster) >= policy->config.unconfirmed_max) {
        return "has too many unconfirmed starts";
    }
    return NULL;
}

static void mark_place(struct policy *policy, struct policy_cluster *cluster,
                       const struct policy_shape *shape)
{
    struct sim *sim = policy->sim;

    if (shape->shape.node_labels_len) sim_mark(sim, MARK_started_by_labels);
    if (shape->shape.affinity.len > 0) sim_mark(sim, MARK_started_by_affinity);
    if (shape->shape.clusters_len) sim_mark(sim, MARK_started_by_clusters);
    if (shape->shape.not_clusters_len) sim_mark(sim, MARK_started_by_not_clusters);
    if (shape->largest.usual.gpus) sim_mark(sim, MARK_started_with_gpus);
    if (shape->shape.kinds_len) sim_mark(sim, MARK_started_with_named);
    if (shape->replicas > 1 && policy_empty_slots(policy, cluster, shape) == shape->replicas) {
        sim_mark(sim, MARK_started_on_whole_cluster);
    }
    for (size_t i = 0; i < policy->clusters.len; i++) {
        const struct policy_cluster *other = &policy->clusters.at[i];

        if (!other->is_listed || other->is_lost || other->session_term != policy->epoch) continue;
        if (other->is_cordoned) sim_mark(sim, MARK_cordoned_left_out);
        if (!policy_names_allow(shape, other)) sim_mark(sim, MARK_excluded_left_out);
    }
    if (policy_unconfirmed_most(policy, cluster) + 1 == policy->config.unconfirmed_max) {
        sim_mark(sim, MARK_dispatch_limit_reached);
    }
}

static uint32_t find_node(const struct policy_cluster *cluster, struct fl_str name)
{
    for (uint32_t i = 0; i < cluster->nodes_len; i++) {
        if (fl_str_eq(fl_str_c(cluster->nodes[i].name), name)) return i;
    }
    return POLICY_NODES_MAX;
}

static void mark_taints(struct policy *policy, const struct policy_node *node,
                        const struct policy_shape *shape)
{
    if (node->reports.len == 0 || !node->reports.at[node->reports.len - 1].taints[0]) return;
    sim_mark(policy->sim, shape->shape.tolerations.len > 0 ? MARK_started_by_toleration
                                                           : MARK_started_by_device);
}

static void I26_its_nodes_have_room(struct policy *policy, const struct row_attempt_new *row,
                                    const struct policy_cluster *cluster,
                                    const struct policy_shape *shape)
{
    struct sim_amounts want[POLICY_NODES_MAX] = {0};
    struct fl_str names = row->nodes;
    uint32_t replica = 0;

    for (; names.len > 0 && replica < shape->replicas; replica++) {
        const char *end = memchr(names.at, '\n', names.len);
        size_t len = end ? (size_t)(end - names.at) : names.len;
        uint32_t node = find_node(cluster, (struct fl_str){names.at, len});
        struct sim_amounts each =
            sim_amounts_of_role(&shape->shape, shape_role_of(&shape->shape, replica));

        if (node == POLICY_NODES_MAX) break;
        sim_amounts_add(&want[node], &each);
        mark_taints(policy, &cluster->nodes[node], shape);
        if (!policy_may_fit(policy, cluster, node, shape, shape_role_of(&shape->shape, replica),
                            &want[node])) {
            sim_broken(policy->sim, "I26",
                       "job %" PRIu64 ".%u: node %s of cluster %u is not ready, lacks a label, "
                       "has a taint, or lacks room for replica %u",
                       row->job, row->element, cluster->nodes[node].name, row->cluster, replica);
        }
        len += end ? 1 : 0;
        names.at += len;
        names.len -= len;
    }
    if (replica == shape->replicas && names.len == 0) return;
    sim_broken(policy->sim, "I26", "job %" PRIu64 ".%u: its %u replicas have not a known node each",
               row->job, row->element, shape->replicas);
}

static void I26_it_may_be_there(struct policy *policy, const struct row_attempt_new *row)
{
    struct policy_cluster *cluster = policy_cluster(policy, row->cluster);
    const struct policy_shape *shape = policy_shape(policy, policy_job(policy, row->job)->shape);
    const char *why = why_not_cluster(policy, cluster, shape);

    mark_place(policy, cluster, shape);
    if (why) {
        sim_broken(policy->sim, "I26", "job %" PRIu64 ".%u is started on cluster %u, which %s",
                   row->job, row->element, row->cluster, why);
    }
    I26_its_nodes_have_room(policy, row, cluster, shape);
}

/* ---- I27: is it its turn --------------------------------------------------------------------- */

/* No job of its queue stands before it that could have started instead: a job of the same shape
 * always could, a job of another shape where that fits somewhere. */
static void I27_it_is_its_turn(struct policy *policy, const struct row_attempt_new *row)
{
    const struct policy_job *job = policy_job(policy, row->job);
    const struct policy_queue *queue = policy_queue(policy, job->queue);

    for (size_t i = 0; i < queue->open.len && queue->open.at[i] != row->job; i++) {
        const struct policy_job *first = policy_job(policy, queue->open.at[i]);
        bool is_alike = first->shape == job->shape;
        bool does_fit;

        if (!policy_is_ready(policy, first, true)) continue;
        sim_mark(policy->sim, first->priority > job->priority ? MARK_passed_by_less_important
                                                              : MARK_passed_by_younger);
        does_fit = is_alike ||
                   policy_does_fit_beside_newest_claims(policy, policy_shape(policy, first->shape));
        if (!does_fit) continue;
        sim_broken(policy->sim, "I27",
                   "job %" PRIu64 " (priority %d) starts before job %" PRIu64
                   " (priority %d) of its queue, which %s",
                   row->job, job->priority, queue->open.at[i], first->priority,
                   is_alike ? "has the same shape" : "fits too");
    }
}

void policy_judge_start(struct policy *policy, const struct row_attempt_new *row)
{
    if (policy_shape(policy, policy_job(policy, row->job)->shape)->replicas >= 256) {
        sim_mark(policy->sim, MARK_large_gang_started);
    }
    I25_it_may_start(policy, row);
    I39_its_array_allows_it(policy, row);
    I26_it_may_be_there(policy, row);
    I27_it_is_its_turn(policy, row);
}
