/* policy_reports.c - what the model learns from frames: reports of agents, and orders to them. */
#include <inttypes.h>

#include "shared/base/assert.h"
#include "tests/sim/policy_access.h"
#include "tests/sim/policy_ends.h"
#include "tests/sim/policy_overdue.h"
#include "tests/sim/policy_requests.h"
#include "tests/sim/policy_state.h"

/* The cluster, if that is the session which its newest row names. */
static struct policy_cluster *in_session(struct policy *policy, struct fl_cluster id,
                                         uint64_t session)
{
    struct policy_cluster *cluster =
        id.n < policy->clusters.len ? &policy->clusters.at[id.n] : NULL;

    return cluster && cluster->is_known && cluster->session == session ? cluster : NULL;
}

/* The newest attempt of that name, if it lives on the cluster. */
static struct policy_element *live_there(struct policy *policy, struct fl_cluster cluster,
                                         struct fl_attempt attempt)
{
    struct policy_element *element;

    if (attempt.job.n >= policy->jobs.len) return NULL;
    element = policy_element(policy_job(policy, attempt.job.n), attempt.element);
    return element && element->is_live && element->n == attempt.n && element->cluster == cluster.n
               ? element
               : NULL;
}

static void hear_of(struct policy_element *element, uint64_t session, uint64_t seq)
{
    element->was_told = true;
    if (element->told_session == session) return;
    element->told_session = session;
    element->told_seq = seq;
    for (size_t i = 0; i < element->replicas.len; i++) {
        element->replicas.at[i].causes = 0;
        element->replicas.at[i].has_words = element->replicas.at[i].was_wordless = false;
    }
}

/* More than the core looks at, when it walks all that lives anywhere. */
static uint64_t looks_of_all(const struct policy *policy)
{
    enum { LOOKS_OF_ONE = 8 };

    uint64_t looks = LOOKS_OF_ONE;

    for (size_t i = 0; i < policy->clusters.len; i++) {
        looks += LOOKS_OF_ONE * policy->clusters.at[i].live.len;
    }
    return looks;
}

static void hear_inventory(struct policy *policy, const struct core_event *event)
{
    struct policy_cluster *cluster =
        in_session(policy, event->inventory.cluster, event->inventory.session_epoch);

    if (!cluster) return;
    for (size_t i = 0; i < event->inventory.len; i++) {
        const struct core_replica_told *item = &event->inventory.at[i];
        struct policy_element *element =
            live_there(policy, event->inventory.cluster, item->attempt);

        if (!element) continue;
        hear_of(element, cluster->session, 0);
        policy_ends_told(policy, element, item);
    }
    if (!event->inventory.is_end || cluster->is_listed) return;
    cluster->is_listed = true;
    cluster->listed_at = policy->sim->now;
    cluster->looks_left = looks_of_all(policy);
    if (cluster->looks_left <= policy->config.slice_max / 2) cluster->looks_left = 0;
}

static void hear_replica(struct policy *policy, const struct core_event *event)
{
    struct policy_cluster *cluster =
        in_session(policy, event->replica.cluster, event->replica.session_epoch);
    struct fl_attempt attempt = event->replica.told.attempt;
    uint32_t replica = event->replica.told.replica;
    struct policy_element *element;
    struct policy_given given = {.job = attempt.job.n,
                                 .element = attempt.element,
                                 .n = attempt.n,
                                 .replica = replica,
                                 .seq = event->replica.report_seq};
    const struct shape *shape;

    if (!cluster) return;
    element = live_there(policy, event->replica.cluster, attempt);
    if (!element) return;
    hear_of(element, cluster->session, given.seq);
    policy_ends_told(policy, element, &event->replica.told);
    if (replica >= element->replicas.len) return;
    if (!fl_replica_state_is_last(event->replica.told.state)) return;
    given.node = element->replicas.at[replica].node;
    given.start_seq = element->start_session == cluster->session ? element->start_seq : 0;
    shape = &policy_shape(policy, policy_job(policy, attempt.job.n)->shape)->shape;
    given.each = sim_amounts_of_role(shape, shape_role_of(shape, replica));
    fl_vec_push(&cluster->given, given);
}

/* Reports that a newer one has followed are needed no more once that is acknowledged. */
static void forget_old(struct policy_cluster *cluster, uint32_t i)
{
    struct policy_node *node = &cluster->nodes[i];
    size_t kept = 0;

    while (node->reports.len > 1 && node->reports.at[1].seq <= cluster->acked) {
        fl_vec_remove(&node->reports, 0);
    }
    for (size_t g = 0; g < cluster->given.len; g++) {
        struct policy_given given = cluster->given.at[g];

        if (given.node == i && given.seq < node->reports.at[0].seq) continue;
        cluster->given.at[kept++] = given;
    }
    cluster->given.len = kept;
}

static void hear_named(const struct core_node_report *told, struct policy_report *report)
{
    for (size_t i = 0; i < told->named_len; i++) {
        for (size_t k = 0; k < SIM_RESOURCES_LEN; k++) {
            if (!fl_str_eq(told->named[i].name, fl_str_c(sim_resource_name(k)))) continue;
            report->total.named[k] = told->named[i].total;
            report->free.named[k] = told->named[i].free;
        }
    }
}

static void hear_nodes(struct policy *policy, const struct core_event *event)
{
    struct policy_cluster *cluster =
        in_session(policy, event->nodes.cluster, event->nodes.session_epoch);

    for (size_t i = 0; cluster && i < event->nodes.len; i++) {
        const struct core_node_report *told = &event->nodes.at[i];
        struct policy_node *node = &cluster->nodes[policy_need_node(cluster, told->name)];
        struct policy_report report = {.seq = event->nodes.report_seq,
                                       .mark = event->nodes.mark,
                                       .at = policy->sim->now,
                                       .is_ready = told->is_ready,
                                       .total.usual = told->total,
                                       .free.usual = told->free};

        if (node->reports.len && node->reports.at[node->reports.len - 1].seq >= report.seq) {
            continue;
        }
        if (told->total.gpus == 0 && node->gpus_term == cluster->session_term) {
            cluster->shrunk_term = cluster->session_term;
        }
        if (told->total.gpus > 0 && node->gpus_term != cluster->session_term) {
            node->gpus_term = cluster->session_term;
            node->gpus_at = policy->sim->now;
        }
        hear_named(told, &report);
        policy_copy_name(report.labels, told->labels);
        policy_copy_name(report.taints, told->taints);
        fl_vec_push(&node->reports, report);
    }
    if (cluster && event->nodes.is_end) cluster->nodes_ended_at = policy->sim->now;
}

static void hear_lost(struct policy *policy, const struct core_event *event)
{
    struct fl_cluster id = event->session_lost.cluster;
    struct policy_cluster *cluster =
        id.n < policy->clusters.len ? &policy->clusters.at[id.n] : NULL;

    if (!cluster) return;
    if (event->session_lost.session_epoch
            ? event->session_lost.session_epoch == cluster->session
            : event->session_lost.connection == cluster->opened_connection) {
        cluster->is_lost = true;
    }
}

void policy_heard(struct policy *policy, const struct core_event *event)
{
    policy->state++;
    policy_requests_heard(policy, event);
    policy_access_heard(policy, event);
    switch (event->kind) {
    case CORE_EV_session_open:
        if (event->session_open.cluster.n < policy->clusters.len) {
            policy->clusters.at[event->session_open.cluster.n].opened_connection =
                event->session_open.connection;
        }
        break;
    case CORE_EV_session_lost:
        hear_lost(policy, event);
        break;
    case CORE_EV_inventory:
        hear_inventory(policy, event);
        break;
    case CORE_EV_replica:
        hear_replica(policy, event);
        break;
    case CORE_EV_nodes:
        hear_nodes(policy, event);
        break;
    default:
        break;
    }
}

/* A hold of the batch before may have come after this GO was decided; another leader's hold, while
 * the GO waited in a hub that stood still. */
static void I25_it_may_begin(struct policy *policy, struct fl_attempt attempt,
                             const struct policy_element *element)
{
    const struct policy_job *job = policy_job(policy, attempt.job.n);

    if (!job->is_held || job->held_batch + 2 > policy->batch) return;
    for (size_t i = 0; i < element->replicas.len; i++) {
        if (element->replicas.at[i].phase > FL_REPLICA_created) return;
    }
    sim_broken(policy->sim, "I25", "job %" PRIu64 ".%u is held, and its gate is opened",
               attempt.job.n, attempt.element);
}

void policy_sent(struct policy *policy, const struct core_send *send, bool is_current)
{
    struct policy_cluster *cluster = in_session(policy, send->cluster, send->session_epoch);
    struct policy_element *element;

    policy_access_sent(policy, send, is_current);
    if (send->kind == CORE_SEND_stop) policy_overdue_stopped(policy, send->attempt);
    if (!cluster) return;
    policy->state++;
    if (send->kind == CORE_SEND_bye) policy_overdue_closed(policy, cluster);
    if (send->kind == CORE_SEND_ack && send->report_seq > cluster->acked) {
        cluster->acked = send->report_seq;
        for (uint32_t i = 0; i < cluster->nodes_len; i++) {
            if (cluster->nodes[i].reports.len) forget_old(cluster, i);
        }
    }
    if (send->kind != CORE_SEND_start && send->kind != CORE_SEND_stop &&
        send->kind != CORE_SEND_go) {
        return;
    }
    element = live_there(policy, send->cluster, send->attempt);
    if (!element) return;
    if (send->kind == CORE_SEND_stop) {
        if (send->reason == REASON_HeldBack) sim_mark(policy->sim, MARK_held_back);
        policy_ends_stop_sent(policy, element, send->reason);
        if (is_current) policy_overdue_stop_sent(policy, element, send);
        return;
    }
    if (send->kind == CORE_SEND_go) {
        if (is_current) I25_it_may_begin(policy, send->attempt, element);
        return;
    }
    element->start_session = send->session_epoch;
    element->start_seq = send->control_seq;
    policy_overdue_start_sent(policy, element);
}
