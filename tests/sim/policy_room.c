#include <string.h>

#include "shared/base/assert.h"
#include "tests/sim/policy_state.h"
#include "tests/sim/sim_affinity.h"
#include "tests/sim/sim_taints.h"

/* The room on nodes.  A node has free as much as its agent last said, less the starts that the
 * agent did not know of yet, plus the ends since (docs/simulator.md, I26).  It is not always
 * known which report the leader had last, nor which starts that one includes: then there is a most
 * and a least. */

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_listed(const struct fl_str *names, uint32_t len, const char *name)
{
    for (uint32_t i = 0; i < len; i++) {
        if (fl_str_eq(names[i], fl_str_c(name))) return true;
    }
    return false;
}

bool policy_names_allow(const struct policy_shape *shape, const struct policy_cluster *cluster)
{
    const struct shape *s = &shape->shape;

    if (is_listed(s->not_clusters, s->not_clusters_len, cluster->name)) return false;
    return s->clusters_len == 0 || is_listed(s->clusters, s->clusters_len, cluster->name);
}

/* 'labels' are lines of key=value. */
static bool has_line(const char *labels, const struct shape_label *label)
{
    struct fl_str key = label->key, value = label->value;

    for (const char *line = labels; *line;) {
        const char *end = strchr(line, '\n');
        size_t len = end ? (size_t)(end - line) : strlen(line);

        if (len == key.len + 1 + value.len && strncmp(line, key.at, key.len) == 0 &&
            line[key.len] == '=' &&
            (value.len == 0 || strncmp(line + key.len + 1, value.at, value.len) == 0)) {
            return true;
        }
        line += len + (end ? 1 : 0);
    }
    return false;
}

static bool has_labels(const struct policy_report *report, const struct policy_shape *shape)
{
    for (uint32_t i = 0; i < shape->shape.node_labels_len; i++) {
        if (!has_line(report->labels, &shape->shape.node_labels[i])) return false;
    }
    return sim_affinity_lets(&shape->shape, report->labels);
}

/* ---- one node -------------------------------------------------------------------------------- */

/* Whether the report was made without (-1), with (1), or perhaps with (0) what the attempt takes.
 * */
static int knows(const struct policy_cluster *cluster, const struct policy_report *report,
                 const struct policy_element *element)
{
    if (element->start_session == cluster->session) {
        return element->start_seq <= report->mark ? 1 : -1;
    }
    if (element->durable_at > report->at) return -1;
    if (element->told_session == cluster->session && element->told_seq < report->seq) return 1;
    return 0;
}

/* The live attempts with knows() <= 'sure' take so much of the node, by that report. */
static struct sim_amounts taken(struct policy *policy, const struct policy_cluster *cluster,
                                uint32_t node, const struct policy_report *report, int sure)
{
    struct sim_amounts sum = {0};

    for (size_t i = 0; i < cluster->live.len; i++) {
        const struct policy_job *job = policy_job(policy, cluster->live.at[i].job);
        const struct policy_element *element = &job->begun.at[cluster->live.at[i].place];
        const struct shape *shape = &policy_shape(policy, job->shape)->shape;

        if (knows(cluster, report, element) > sure) continue;
        for (uint32_t r = 0; r < element->replicas.len; r++) {
            const struct policy_replica *replica = &element->replicas.at[r];
            struct sim_amounts each;

            if (replica->node != node || replica->is_ended) continue;
            each = sim_amounts_of_role(shape, shape_role_of(shape, r));
            sim_amounts_add(&sum, &each);
        }
    }
    return sum;
}

bool policy_may_fit(struct policy *policy, const struct policy_cluster *cluster, uint32_t node,
                    const struct policy_shape *shape, const struct shape_role *role,
                    const struct sim_amounts *want)
{
    const struct policy_node *known = &cluster->nodes[node];

    for (size_t v = 0; v < known->reports.len; v++) {
        const struct policy_report *report = &known->reports.at[v];
        struct sim_amounts room = report->free, gone;

        if (report->at > policy->known_at || !report->is_ready) continue;
        if (!has_labels(report, shape)) continue;
        if (!sim_taints_let(report->taints, &shape->shape, role)) continue;
        for (size_t i = 0; i < cluster->given.len; i++) {
            const struct policy_given *given = &cluster->given.at[i];

            if (given->node == node && given->is_durable && given->seq > report->seq &&
                given->start_seq <= report->mark) {
                sim_amounts_add(&room, &given->each);
            }
        }
        gone = taken(policy, cluster, node, report, -1);
        sim_amounts_take(&room, &gone);
        if (sim_amounts_fit(want, &room)) return true;
    }
    return false;
}

/* At least so much is free on the node, as the leader knows. */
static struct sim_amounts least_room(struct policy *policy, const struct policy_cluster *cluster,
                                     uint32_t node)
{
    const struct policy_node *known = &cluster->nodes[node];
    struct sim_amounts least = {.usual = {UINT64_MAX, UINT32_MAX, UINT32_MAX}};

    if (known->reports.len == 0 || known->reports.at[0].seq > cluster->acked) {
        return (struct sim_amounts){0};
    }
    memset(least.named, 0xff, sizeof least.named);
    for (size_t v = 0; v < known->reports.len; v++) {
        const struct policy_report *report = &known->reports.at[v];
        struct sim_amounts room = report->free, gone;

        if (!report->is_ready) return (struct sim_amounts){0};
        gone = taken(policy, cluster, node, report, 0);
        sim_amounts_take(&room, &gone);
        for (size_t i = 0; i < cluster->ghosts.len; i++) {
            const struct policy_ghost *ghost = &cluster->ghosts.at[i];

            if (ghost->node == node && report->at <= ghost->at) {
                sim_amounts_take(&room, &ghost->each);
            }
        }
        sim_amounts_keep_less(&least, &room);
    }
    return least;
}

static bool lets_all(const struct policy_report *report, const struct policy_shape *shape)
{
    for (uint32_t r = 0; r < shape->shape.roles_len; r++) {
        if (!sim_taints_let(report->taints, &shape->shape, &shape->shape.roles[r])) return false;
    }
    return true;
}

/* By its labels and taints, each role may go there. */
static bool surely_lets_in(const struct policy_node *node, const struct policy_shape *shape)
{
    for (size_t v = 0; v < node->reports.len; v++) {
        if (!has_labels(&node->reports.at[v], shape)) return false;
        if (!lets_all(&node->reports.at[v], shape)) return false;
    }
    return true;
}

/* ---- clusters -------------------------------------------------------------------------------- */

uint32_t policy_unconfirmed_least(const struct policy *policy, const struct policy_cluster *cluster)
{
    uint32_t count = 0;

    for (size_t i = 0; i < cluster->live.len; i++) {
        const struct policy_live *live = &cluster->live.at[i];

        count += !policy->jobs.at[live->job].begun.at[live->place].was_told;
    }
    return count;
}

uint32_t policy_unconfirmed_most(const struct policy *policy, const struct policy_cluster *cluster)
{
    uint32_t count = 0;

    for (size_t i = 0; i < cluster->live.len; i++) {
        const struct policy_live *live = &cluster->live.at[i];
        const struct policy_element *element = &policy->jobs.at[live->job].begun.at[live->place];

        count += element->told_session != cluster->session || element->told_seq > cluster->acked;
    }
    return count;
}

bool policy_takes_work(const struct policy *policy, const struct policy_cluster *cluster)
{
    return cluster->is_known && cluster->state == POLICY_CLUSTER_ENROLLED &&
           cluster->access == CORE_ACCESS_open && !cluster->is_cordoned && !cluster->is_closed &&
           cluster->session_term == policy->epoch && cluster->is_listed &&
           cluster->looks_left == 0 && !cluster->is_lost && cluster->acked > 0;
}

static void need_rooms(struct policy *policy, struct policy_cluster *cluster)
{
    if (cluster->room_at == policy->state) return;
    for (uint32_t i = 0; i < cluster->nodes_len; i++) {
        cluster->room[i] = least_room(policy, cluster, i);
    }
    cluster->room_at = policy->state;
}

/* How many replicas the cluster has room for, leaving aside the 'but' nodes that have room for
 * most. */
static uint32_t slots_there(struct policy *policy, struct policy_cluster *cluster,
                            const struct policy_shape *shape, uint32_t but)
{
    uint32_t count[POLICY_NODES_MAX] = {0}, sum = 0;

    need_rooms(policy, cluster);
    for (uint32_t i = 0; i < cluster->nodes_len; i++) {
        if (!surely_lets_in(&cluster->nodes[i], shape)) continue;
        count[i] = sim_amounts_slots(&cluster->room[i], &shape->largest, FL_JOB_REPLICAS_MAX);
        sum += count[i];
    }
    for (; but > 0; but--) {
        uint32_t most = 0;

        for (uint32_t i = 1; i < cluster->nodes_len; i++) {
            if (count[i] > count[most]) most = i;
        }
        sum -= count[most];
        count[most] = 0;
    }
    return sum;
}

static bool may_send(struct policy *policy, const struct policy_shape *shape,
                     const struct policy_cluster *cluster)
{
    return policy_takes_work(policy, cluster) && policy_names_allow(shape, cluster) &&
           policy_unconfirmed_most(policy, cluster) < policy->config.unconfirmed_max;
}

bool policy_does_fit(struct policy *policy, const struct policy_shape *shape)
{
    for (size_t i = 0; i < policy->clusters.len; i++) {
        struct policy_cluster *cluster = &policy->clusters.at[i];

        if (!may_send(policy, shape, cluster)) continue;
        if (slots_there(policy, cluster, shape, 0) >= shape->replicas) return true;
    }
    return false;
}

/* So much would be free on the node if none of our jobs ran, as far as reports tell. */
static struct sim_amounts empty_room(struct policy *policy, const struct policy_cluster *cluster,
                                     uint32_t node)
{
    const struct policy_node *known = &cluster->nodes[node];
    const struct policy_report *newest;
    struct sim_amounts room, part;

    if (known->reports.len == 0) return (struct sim_amounts){0};
    newest = &known->reports.at[known->reports.len - 1];
    if (!newest->is_ready) return (struct sim_amounts){0};
    room = newest->free;
    part = taken(policy, cluster, node, newest, 1);
    sim_amounts_add(&room, &part);
    part = taken(policy, cluster, node, newest, 0);
    sim_amounts_take(&room, &part);
    return room;
}

uint32_t policy_empty_slots(struct policy *policy, const struct policy_cluster *cluster,
                            const struct policy_shape *shape)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < cluster->nodes_len; i++) {
        struct sim_amounts room;

        if (!surely_lets_in(&cluster->nodes[i], shape)) continue;
        room = empty_room(policy, cluster, i);
        sum += sim_amounts_slots(&room, &shape->largest, FL_JOB_REPLICAS_MAX);
    }
    return sum;
}

bool policy_set_has(const struct policy_cluster_set *set, size_t cluster)
{
    return set->at[cluster / 64] >> cluster % 64 & 1;
}

bool policy_fits_empty(struct policy *policy, const struct policy_shape *shape,
                       struct policy_cluster_set *ret_clusters)
{
    bool is_any = false;

    fl_assert(policy->clusters.len <= POLICY_CLUSTERS_MAX);
    *ret_clusters = (struct policy_cluster_set){0};
    for (size_t c = 0; c < policy->clusters.len; c++) {
        const struct policy_cluster *cluster = &policy->clusters.at[c];

        if (!policy_takes_work(policy, cluster) || !policy_names_allow(shape, cluster)) continue;
        if (policy_empty_slots(policy, cluster, shape) < shape->replicas) continue;
        ret_clusters->at[c / 64] |= (uint64_t)1 << c % 64;
        is_any = true;
    }
    return is_any;
}

/* ---- claims ---------------------------------------------------------------------------------- */

/* It surely fits, leaving aside as many nodes of each cluster as may be claimed. */
static bool fits_beside(struct policy *policy, const struct policy_shape *shape)
{
    for (size_t i = 0; i < policy->clusters.len; i++) {
        struct policy_cluster *cluster = &policy->clusters.at[i];

        if (!may_send(policy, shape, cluster) || cluster->claimable >= cluster->nodes_len) continue;
        if (slots_there(policy, cluster, shape, cluster->claimable) >= shape->replicas) return true;
    }
    return false;
}

uint32_t policy_queue_claims(struct policy *policy, const struct policy_queue *queue,
                             const struct policy_cluster *cluster)
{
    uint32_t most = 0;

    for (size_t i = 0; i < queue->unfit.len; i++) {
        const struct policy_shape *shape = policy_shape(policy, queue->unfit.at[i]);

        if (shape->replicas <= most) continue;
        if (!policy_names_allow(shape, cluster)) continue;
        most = shape->replicas;
    }
    return most;
}

/* True: with the claims known so far, one more of the waiting shapes may not fit. */
static bool see_shapes(struct policy *policy)
{
    bool is_new = false;

    for (size_t i = 0; i < policy->shapes.len; i++) {
        struct policy_shape *shape = &policy->shapes.at[i];

        if (!shape->is_known || !shape->does_fit || fits_beside(policy, shape)) continue;
        shape->does_fit = false;
        is_new = true;
    }
    return is_new;
}

/* Once for all clusters: there may be hundreds of them. */
static void list_unfit(struct policy *policy, struct policy_queue *queue)
{
    fl_vec_clear(&queue->unfit);
    for (size_t i = 0; i < queue->open.len; i++) {
        uint32_t shape = policy_job(policy, queue->open.at[i])->shape;
        bool is_listed = false;

        if (policy_shape(policy, shape)->does_fit) continue;
        for (size_t k = 0; k < queue->unfit.len && !is_listed; k++) {
            is_listed = queue->unfit.at[k] == shape;
        }
        if (!is_listed) fl_vec_push(&queue->unfit, shape);
    }
}

/* At most so many nodes of each cluster are claimed, a node for each replica of one job of each
 * queue: one that fits nowhere, or only where others have claims.  As of the newest batch before
 * its first start, or of this walk: a claim whose job starts lasts for that round. */
static void look_for_claims(struct policy *policy)
{
    uint64_t now = policy->batch << 32 | (uint32_t)policy->pass;

    if (policy->claims_at == now) return;
    policy->claims_at = now;
    for (size_t i = 0; i < policy->shapes.len; i++) {
        policy->shapes.at[i].does_fit = true;
    }
    for (size_t c = 0; c < policy->clusters.len; c++) {
        policy->clusters.at[c].claimable = 0;
    }
    for (size_t i = 0; i < policy->queues.len; i++) {
        fl_vec_clear(&policy->queues.at[i].unfit);
    }
    while (see_shapes(policy)) {
        for (size_t i = 0; i < policy->queues.len; i++) {
            list_unfit(policy, &policy->queues.at[i]);
        }
        for (size_t c = 0; c < policy->clusters.len; c++) {
            struct policy_cluster *cluster = &policy->clusters.at[c];

            cluster->claimable = 0;
            for (size_t i = 0; i < policy->queues.len; i++) {
                if (policy->queues.at[i].is_paused) continue;
                cluster->claimable += policy_queue_claims(policy, &policy->queues.at[i], cluster);
            }
        }
    }
}

void policy_note_claims(struct policy *policy)
{
    policy->claims_at = 0;
    look_for_claims(policy);
    for (size_t c = 0; c < policy->clusters.len; c++) {
        struct policy_cluster *cluster = &policy->clusters.at[c];
        uint32_t before = cluster->claimable_back[(policy->batch - 1) % POLICY_CLAIMS_BACK];
        uint32_t claimable = cluster->claimable;

        /* Nothing can start there now, so claims of before may well stand. */
        if (!policy_takes_work(policy, cluster) && before > claimable) claimable = before;
        cluster->claimable_back[policy->batch % POLICY_CLAIMS_BACK] = claimable;
    }
    policy->claims_at = 0;
}

/* Claims that have just ended may bind still. */
static void add_old_claims(struct policy *policy)
{
    for (size_t c = 0; c < policy->clusters.len; c++) {
        struct policy_cluster *cluster = &policy->clusters.at[c];

        for (size_t i = 0; i < POLICY_CLAIMS_BACK; i++) {
            if (cluster->claimable < cluster->claimable_back[i]) {
                cluster->claimable = cluster->claimable_back[i];
            }
        }
    }
}

bool policy_does_fit_beside_claims(struct policy *policy, const struct policy_shape *shape)
{
    look_for_claims(policy);
    add_old_claims(policy);
    return fits_beside(policy, shape);
}

bool policy_does_fit_beside_newest_claims(struct policy *policy, const struct policy_shape *shape)
{
    if (!policy_does_fit_beside_claims(policy, shape)) return false;
    policy->claims_at = 0;
    look_for_claims(policy);
    add_old_claims(policy);
    return fits_beside(policy, shape);
}

bool policy_fits_there(struct policy *policy, const struct policy_cluster *cluster,
                       const struct policy_shape *shape)
{
    struct policy_cluster *there = (struct policy_cluster *)cluster;

    look_for_claims(policy);
    add_old_claims(policy);
    return may_send(policy, shape, cluster) && cluster->claimable < cluster->nodes_len &&
           slots_there(policy, there, shape, cluster->claimable) >= shape->replicas;
}

/* ---- whether nodes are known ----------------------------------------------------------------- */

enum {
    TOLD_BEFORE_MS = 20000, /* longer than a core waits for the rest of an old agent's list */
    ENDED_BEFORE_MS = 3000, /* longer than the end of a list waits for a batch behind the list */
};

/* By its own word; an older agent's by the time since each node was reported.  One that has shrunk
 * excludes nothing for longer than a seed lasts. */
static bool has_told(struct policy *policy, const struct policy_cluster *cluster)
{
    bool is_ended =
        cluster->nodes_ended_at && cluster->nodes_ended_at + ENDED_BEFORE_MS <= policy->formed_at;

    if (cluster->session_term != policy->epoch || cluster->is_lost || cluster->is_closed ||
        !cluster->is_listed || cluster->shrunk_term == policy->epoch ||
        (!is_ended && cluster->listed_at + TOLD_BEFORE_MS > policy->formed_at)) {
        return false;
    }
    for (uint32_t i = 0; i < cluster->nodes_len; i++) {
        const struct policy_node *node = &cluster->nodes[i];

        if (node->reports.len == 0) return false;
        if (is_ended ? node->reports.at[0].seq > cluster->acked
                     : node->reports.at[0].at + TOLD_BEFORE_MS > policy->formed_at) {
            return false;
        }
    }
    if (is_ended) sim_mark(policy->sim, MARK_nodes_ended);
    return cluster->nodes_len > 0;
}

bool policy_knows_gpus(const struct policy *policy, struct fl_cluster id, const char *name)
{
    const struct policy_cluster *cluster =
        id.n < policy->clusters.len ? &policy->clusters.at[id.n] : NULL;

    for (uint32_t i = 0; cluster && i < cluster->nodes_len; i++) {
        const struct policy_node *node = &cluster->nodes[i];

        if (strcmp(node->name, name) != 0) continue;
        return node->gpus_term == policy->epoch && node->gpus_at <= policy->formed_at;
    }
    return false;
}

bool policy_all_told(struct policy *policy)
{
    bool has_some = false;

    for (size_t i = 0; i < policy->clusters.len; i++) {
        const struct policy_cluster *cluster = &policy->clusters.at[i];

        if (!cluster->is_known || cluster->state != POLICY_CLUSTER_ENROLLED) continue;
        if (!has_told(policy, cluster)) return false;
        has_some = true;
    }
    return has_some;
}
