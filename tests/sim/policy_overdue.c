#include "tests/sim/policy_overdue.h"

#include <inttypes.h>
#include <string.h>

enum {
    COMMIT_MS = 5000, /* the core counts from its decision, the model from the frame */
    LATE_MS = 15000,  /* slices come late, and so do frames */
    STOP_FOLLOWS_MS = 5000,
};

void policy_overdue_start_sent(struct policy *policy, struct policy_element *element)
{
    element->start_sent_at = policy->sim->now;
    element->start_waits_ms = element->stop_waits_ms = 0;
    element->stop_session = element->repeated_term = 0;
}

/* A frame that was let out then had waited in a turn that stood still. */
static bool left_late(const struct policy *policy, fl_ms sent_at)
{
    return sent_at >= policy->turn_stopped_at && sent_at <= policy->turn_stopped_at + COMMIT_MS;
}

void policy_overdue_stop_sent(struct policy *policy, struct policy_element *element,
                              const struct core_send *send)
{
    fl_ms waited_ms = element->stop_waits_ms;

    if (element->stop_session == send->session_epoch && element->stop_term == policy->epoch) {
        if (!left_late(policy, element->stop_sent_at) &&
            waited_ms + COMMIT_MS < (fl_ms)policy->config.stop_ms * 97 / 100 &&
            policy->sim->now - element->stop_sent_at + COMMIT_MS <
                (fl_ms)policy->config.stop_ms * 97 / 100) {
            sim_broken(policy->sim, "I33", "STOP for job %" PRIu64 " is repeated after %lld ms",
                       send->attempt.job.n, (long long)(policy->sim->now - element->stop_sent_at));
        }
        sim_mark(policy->sim, MARK_stop_repeated);
        element->repeated_term = policy->epoch;
    }
    element->stop_session = send->session_epoch;
    element->stop_term = policy->epoch;
    element->stop_sent_at = policy->sim->now;
    element->stop_waits_ms = 0;
}

void policy_overdue_closed(struct policy *policy, struct policy_cluster *cluster)
{
    if (!cluster->is_listed && cluster->unlisted_ms + COMMIT_MS >= policy->config.inventory_ms) {
        sim_mark(policy->sim, MARK_inventory_overdue);
    }
    cluster->is_lost = true;
}

void policy_overdue_stopped(struct policy *policy, struct fl_attempt attempt)
{
    for (size_t i = 0; i < policy->must_stop.len; i++) {
        const struct policy_must_stop *must = &policy->must_stop.at[i];

        if (must->job != attempt.job.n || must->element != attempt.element ||
            must->n != attempt.n) {
            continue;
        }
        fl_vec_remove(&policy->must_stop, i);
        return;
    }
}

/* All replicas are there, as rows of this leader say. */
static bool is_confirmed(const struct policy *policy, const struct policy_element *element)
{
    for (size_t i = 0; i < element->replicas.len; i++) {
        const struct policy_replica *replica = &element->replicas.at[i];

        if (replica->phase_term != policy->epoch || replica->phase == FL_REPLICA_pending) {
            return false;
        }
    }
    return true;
}

bool policy_overdue_may_end(const struct policy *policy, const struct policy_element *element)
{
    const struct policy_cluster *cluster =
        policy_cluster((struct policy *)policy, element->cluster);
    fl_ms from =
        element->start_session == cluster->session ? element->start_sent_at : cluster->listed_at;
    fl_ms waited_ms;

    /* A hub stood still between decision and frame; the core counts on from the decision. */
    if (element->formed_at < policy->turn_stopped_at && element->formed_at < from) {
        from = element->formed_at;
    }
    waited_ms = policy->formed_at - from + COMMIT_MS;
    return !element->did_run && !is_confirmed(policy, element) &&
           waited_ms >= (fl_ms)policy->config.start_ms * 97 / 100;
}

void policy_overdue_ended(struct policy *policy, uint64_t job, const struct policy_element *element)
{
    struct policy_must_stop must = {.job = job,
                                    .element = element->element,
                                    .n = element->n,
                                    .cluster = element->cluster,
                                    .session = policy_cluster(policy, element->cluster)->session,
                                    .term = policy->epoch};

    for (size_t i = 0; i < element->replicas.len; i++) {
        const struct policy_replica *replica = &element->replicas.at[i];
        const struct shape *shape = &policy_shape(policy, policy_job(policy, job)->shape)->shape;
        struct policy_ghost ghost = {
            .node = replica->node,
            .each = sim_amounts_of_role(shape, shape_role_of(shape, (uint32_t)i)),
            .at = policy->sim->now};

        if (replica->is_ended) continue;
        fl_vec_push(&policy_cluster(policy, element->cluster)->ghosts, ghost);
    }
    sim_mark(policy->sim, MARK_start_unconfirmed);
    fl_vec_push(&policy->must_stop, must);
}

/* A leader who has committed nothing yet has no session: each of the books is of a term before. */
static bool is_there(const struct policy *policy, const struct policy_cluster *cluster)
{
    if (policy->taken != policy->epoch) return false;
    return cluster->is_known && cluster->state == POLICY_CLUSTER_ENROLLED &&
           cluster->session_term == policy->epoch && !cluster->is_lost && !cluster->is_closed;
}

static void I33_stop_follows(struct policy *policy, fl_ms for_ms)
{
    size_t kept = 0;

    for (size_t i = 0; i < policy->must_stop.len; i++) {
        struct policy_must_stop *must = &policy->must_stop.at[i];
        const struct policy_cluster *cluster = policy_cluster(policy, must->cluster);

        if (must->term != policy->epoch || must->session != cluster->session ||
            !is_there(policy, cluster)) {
            continue;
        }
        must->waits_ms += for_ms;
        if (must->waits_ms > STOP_FOLLOWS_MS) {
            sim_broken(policy->sim, "I33",
                       "job %" PRIu64 ".%u attempt %u ended unconfirmed, and no STOP follows",
                       must->job, must->element, must->n);
        }
        policy->must_stop.at[kept++] = *must;
    }
    policy->must_stop.len = kept;
}

static void I33_it_is_answered(struct policy *policy, const struct policy_cluster *cluster,
                               const struct policy_live *live, fl_ms for_ms)
{
    const struct policy_job *job = policy_job(policy, live->job);
    struct policy_element *element = (struct policy_element *)&job->begun.at[live->place];
    fl_ms late_ms = LATE_MS;

    if (element->start_session == cluster->session && cluster->is_listed && !job->is_stopped &&
        element->stop_session != cluster->session && !cluster->is_draining && !element->was_told &&
        element->start_sent_at) {
        element->start_waits_ms += for_ms;
        if (element->start_waits_ms > policy->config.start_ms * 103 / 100 + late_ms) {
            sim_broken(policy->sim, "I33", "job %" PRIu64 ".%u waits for its START for %lld ms",
                       live->job, element->element, (long long)element->start_waits_ms);
        }
    }
    if (element->stop_session == cluster->session && element->stop_term == policy->epoch) {
        element->stop_waits_ms += for_ms;
        if (element->stop_waits_ms > policy->config.stop_ms * 103 / 100 + late_ms) {
            sim_broken(policy->sim, "I33",
                       "STOP for job %" PRIu64 ".%u was not repeated for %lld ms", live->job,
                       element->element, (long long)element->stop_waits_ms);
        }
    }
}

static void I33_the_inventory_ends(struct policy *policy, struct policy_cluster *cluster,
                                   uint32_t number, fl_ms for_ms)
{
    if (cluster->is_listed) return;
    cluster->unlisted_ms += for_ms;
    if (cluster->unlisted_ms <= policy->config.inventory_ms * 103 / 100 + LATE_MS) return;
    sim_broken(policy->sim, "I33", "cluster %u is connected for %lld ms without an inventory",
               number, (long long)cluster->unlisted_ms);
}

void policy_overdue_passed(struct policy *policy, fl_ms for_ms, bool is_steady)
{
    for (size_t c = 0; c < policy->clusters.len; c++) {
        struct policy_cluster *cluster = &policy->clusters.at[c];
        bool counts = is_steady && is_there(policy, cluster);

        if (!counts) {
            cluster->unlisted_ms = 0;
        } else {
            I33_the_inventory_ends(policy, cluster, (uint32_t)c, for_ms);
        }
        for (size_t i = 0; i < cluster->live.len; i++) {
            const struct policy_live *live = &cluster->live.at[i];
            struct policy_element *element = &policy_job(policy, live->job)->begun.at[live->place];

            if (counts) {
                I33_it_is_answered(policy, cluster, live, for_ms);
            } else {
                element->start_waits_ms = element->stop_waits_ms = 0;
            }
        }
    }
    if (is_steady) I33_stop_follows(policy, for_ms);
}
