#include <string.h>

#include "shared/base/assert.h"
#include "tests/sim/policy_state.h"

/* The room on nodes.  A node has free as much as its agent last said, less the starts that the
 * agent did not know of yet, plus the ends since (design.md, section 6).  It is not always known
 * which report the leader had last, nor which starts that one includes: then there is a most and a
 * least. */

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
    return true;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static void add(struct fl_resources *to, struct fl_resources r)
{
    to->cpu_milli += r.cpu_milli;
    to->memory_bytes += r.memory_bytes;
    to->gpus += r.gpus;
}

static void subtract(struct fl_resources *from, struct fl_resources r)
{
    from->cpu_milli -= r.cpu_milli < from->cpu_milli ? r.cpu_milli : from->cpu_milli;
    from->memory_bytes -= r.memory_bytes < from->memory_bytes ? r.memory_bytes : from->memory_bytes;
    from->gpus -= r.gpus < from->gpus ? r.gpus : from->gpus;
}

static void keep_less(struct fl_resources *have, struct fl_resources r)
{
    if (r.cpu_milli < have->cpu_milli) have->cpu_milli = r.cpu_milli;
    if (r.memory_bytes < have->memory_bytes) have->memory_bytes = r.memory_bytes;
    if (r.gpus < have->gpus) have->gpus = r.gpus;
}

/* How many replicas as large as the job's largest find room; 1024 when it wants nothing. */
static uint32_t slots(struct fl_resources room, struct fl_resources each)
{
    uint64_t count = FL_JOB_REPLICAS_MAX;

    if (each.cpu_milli && room.cpu_milli / each.cpu_milli < count) {
        count = room.cpu_milli / each.cpu_milli;
    }
    if (each.memory_bytes && room.memory_bytes / each.memory_bytes < count) {
        count = room.memory_bytes / each.memory_bytes;
    }
    if (each.gpus && room.gpus / each.gpus < count) count = room.gpus / each.gpus;
    return (uint32_t)count;
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
static struct fl_resources taken(struct policy *policy, const struct policy_cluster *cluster,
                                 uint32_t node, const struct policy_report *report, int sure)
{
    struct fl_resources sum = {0};

    for (size_t i = 0; i < cluster->live.len; i++) {
        const struct policy_job *job = policy_job(policy, cluster->live.at[i].job);
        const struct policy_element *element = &job->begun.at[cluster->live.at[i].place];

        if (knows(cluster, report, element) > sure) continue;
        for (uint32_t r = 0; r < element->replicas.len; r++) {
            const struct policy_replica *replica = &element->replicas.at[r];

            if (replica->node != node || replica->is_ended) continue;
            add(&sum, shape_role_of(&policy_shape(policy, job->shape)->shape, r)->each);
        }
    }
    return sum;
}

bool policy_may_fit(struct policy *policy, const struct policy_cluster *cluster, uint32_t node,
                    const struct policy_shape *shape, struct fl_resources want)
{
    const struct policy_node *known = &cluster->nodes[node];

    for (size_t v = 0; v < known->reports.len; v++) {
        const struct policy_report *report = &known->reports.at[v];
        struct fl_resources room = report->free;

        if (report->at > policy->formed_at || !report->is_ready) continue;
        if (!has_labels(report, shape)) continue;
        for (size_t i = 0; i < cluster->given.len; i++) {
            const struct policy_given *given = &cluster->given.at[i];

            if (given->node == node && given->is_durable && given->seq > report->seq &&
                given->start_seq <= report->mark) {
                add(&room, given->each);
            }
        }
        subtract(&room, taken(policy, cluster, node, report, -1));
        if (fl_resources_fit(want, room)) return true;
    }
    return false;
}

/* At least so much is free on the node, as the leader knows. */
static struct fl_resources least_room(struct policy *policy, const struct policy_cluster *cluster,
                                      uint32_t node)
{
    const struct policy_node *known = &cluster->nodes[node];
    struct fl_resources least = {UINT64_MAX, UINT32_MAX, UINT32_MAX};

    if (known->reports.len == 0 || known->reports.at[0].seq > cluster->acked) {
        return (struct fl_resources){0};
    }
    for (size_t v = 0; v < known->reports.len; v++) {
        const struct policy_report *report = &known->reports.at[v];
        struct fl_resources room = report->free;

        if (!report->is_ready) return (struct fl_resources){0};
        subtract(&room, taken(policy, cluster, node, report, 0));
        keep_less(&least, room);
    }
    return least;
}

static bool surely_has_labels(const struct policy_node *node, const struct policy_shape *shape)
{
    if (shape->shape.node_labels_len == 0) return true;
    for (size_t v = 0; v < node->reports.len; v++) {
        if (!has_labels(&node->reports.at[v], shape)) return false;
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

/* The leader knows that the cluster takes work. */
static bool takes_work(const struct policy *policy, const struct policy_cluster *cluster)
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
        if (!surely_has_labels(&cluster->nodes[i], shape)) continue;
        count[i] = slots(cluster->room[i], shape->largest);
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
    return takes_work(policy, cluster) && policy_names_allow(shape, cluster) &&
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
static struct fl_resources empty_room(struct policy *policy, const struct policy_cluster *cluster,
                                      uint32_t node)
{
    const struct policy_node *known = &cluster->nodes[node];
    const struct policy_report *newest;
    struct fl_resources room;

    if (known->reports.len == 0) return (struct fl_resources){0};
    newest = &known->reports.at[known->reports.len - 1];
    if (!newest->is_ready) return (struct fl_resources){0};
    room = newest->free;
    add(&room, taken(policy, cluster, node, newest, 1));
    subtract(&room, taken(policy, cluster, node, newest, 0));
    return room;
}

uint32_t policy_empty_slots(struct policy *policy, const struct policy_cluster *cluster,
                            const struct policy_shape *shape)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < cluster->nodes_len; i++) {
        if (!surely_has_labels(&cluster->nodes[i], shape)) continue;
        sum += slots(empty_room(policy, cluster, i), shape->largest);
    }
    return sum;
}

uint64_t policy_fits_empty(struct policy *policy, const struct policy_shape *shape)
{
    uint64_t found = 0;

    fl_assert(policy->clusters.len <= 64);
    for (size_t c = 0; c < policy->clusters.len; c++) {
        const struct policy_cluster *cluster = &policy->clusters.at[c];

        if (!takes_work(policy, cluster) || !policy_names_allow(shape, cluster)) continue;
        if (policy_empty_slots(policy, cluster, shape) < shape->replicas) continue;
        found |= (uint64_t)1 << c;
    }
    return found;
}

/* ---- claims ---------------------------------------------------------------------------------- */

/* So many nodes may make up half of the cluster: as many of its smallest as that takes. */
static uint32_t nodes_in_half(const struct policy_cluster *cluster)
{
    uint32_t cpus[POLICY_NODES_MAX], len = 0, half = 0, sum = 0, count = 0;

    for (uint32_t i = 0; i < cluster->nodes_len; i++) {
        const struct policy_node *node = &cluster->nodes[i];
        uint32_t cpu = node->reports.len ? node->reports.at[0].total.cpu_milli : 0;
        uint32_t at = len++;

        for (; at > 0 && cpus[at - 1] > cpu; at--) {
            cpus[at] = cpus[at - 1];
        }
        cpus[at] = cpu;
        half += cpu;
    }
    half /= 2;
    while (count < len && (sum += cpus[count]) <= half) {
        count++;
    }
    return count;
}

/* At most so many nodes of the cluster are claimed: by one head of each queue, together half of it
 * or, where one of them alone wants more, as many as that one has replicas. */
static uint32_t claimable(const struct policy *policy, const struct policy_cluster *cluster,
                          uint64_t bit)
{
    uint32_t wanted = 0, widest = nodes_in_half(cluster);

    for (size_t i = 0; i < policy->buckets.len; i++) {
        const struct policy_bucket *bucket = &policy->buckets.at[i];
        uint32_t replicas = policy->shapes.at[bucket->shape].replicas;

        if (!bucket->is_blocked || !(bucket->blocked_on & bit)) continue;
        wanted += replicas;
        if (replicas > widest) widest = replicas;
    }
    if (wanted > widest) wanted = widest;
    return wanted < cluster->nodes_len ? wanted : cluster->nodes_len;
}

bool policy_does_fit_beside_claims(struct policy *policy, const struct policy_shape *shape)
{
    for (size_t i = 0; i < policy->clusters.len; i++) {
        struct policy_cluster *cluster = &policy->clusters.at[i];
        uint32_t but;

        if (!may_send(policy, shape, cluster)) continue;
        but = claimable(policy, cluster, (uint64_t)1 << i);
        if (slots_there(policy, cluster, shape, but) >= shape->replicas) return true;
    }
    return false;
}
