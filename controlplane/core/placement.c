#include "controlplane/core/placement.h"

#include <inttypes.h>
#include <string.h>

#include "shared/base/assert.h"

/* ---- one cluster ----------------------------------------------------------------------------- */

static bool names_have(const struct fl_str *names, uint32_t len, const char *name)
{
    struct fl_str wanted = fl_str_c(name);

    for (uint32_t i = 0; i < len; i++) {
        if (fl_str_eq(names[i], wanted)) return true;
    }
    return false;
}

static bool is_excluded(const struct cluster *cluster, const struct shape *shape)
{
    if (names_have(shape->not_clusters, shape->not_clusters_len, cluster->name)) return true;
    return shape->clusters_len > 0 &&
           !names_have(shape->clusters, shape->clusters_len, cluster->name);
}

static bool has_label(struct fl_str labels, const struct shape_label *label)
{
    while (labels.len > 0) {
        const char *end = memchr(labels.at, '\n', labels.len);
        size_t len = end ? (size_t)(end - labels.at) : labels.len;

        if (len == label->key.len + 1 + label->value.len &&
            memcmp(labels.at, label->key.at, label->key.len) == 0 &&
            labels.at[label->key.len] == '=' &&
            (label->value.len == 0 ||
             memcmp(labels.at + label->key.len + 1, label->value.at, label->value.len) == 0)) {
            return true;
        }
        len += end ? 1 : 0;
        labels.at += len;
        labels.len -= len;
    }
    return false;
}

bool placement_node_matches(const struct node *node, const struct shape *shape)
{
    for (uint32_t i = 0; i < shape->node_labels_len; i++) {
        if (!has_label(node->labels, &shape->node_labels[i])) return false;
    }
    return true;
}

/* How many of 'each' fit into 'room', at most 'most'. */
static uint32_t fit_count(struct fl_resources room, struct fl_resources each, uint32_t most)
{
    uint64_t count = most;

    if (each.cpu_milli && room.cpu_milli / each.cpu_milli < count) {
        count = room.cpu_milli / each.cpu_milli;
    }
    if (each.memory_bytes && room.memory_bytes / each.memory_bytes < count) {
        count = room.memory_bytes / each.memory_bytes;
    }
    if (each.gpus && room.gpus / each.gpus < count) count = room.gpus / each.gpus;
    return (uint32_t)count;
}

static void take(struct fl_resources *room, struct fl_resources each, uint32_t times)
{
    room->cpu_milli -= each.cpu_milli * times;
    room->memory_bytes -= each.memory_bytes * times;
    room->gpus -= each.gpus * times;
}

enum room_kind { ROOM_FREE, ROOM_WHEN_EMPTY };

/* Replicas of all roles, each on a node; false as soon as one has none.  'nodes' may be NULL.
 * A search over the free room starts at the cluster's cursor and goes round once, so that a full
 * front of the list is not walked for every start.  Several roles are always tried in the same
 * order of nodes: it decides whether they fit, and earlier placements must not. */
static bool fit_nodes(const struct cluster *cluster, const struct shape *shape, enum room_kind kind,
                      struct fl_arena *arena, uint32_t *nodes, uint32_t *ret_cursor)
{
    uint32_t nodes_len = (uint32_t)cluster->nodes.len;
    struct fl_resources *left = NULL; /* several roles share what is left on a node */
    uint32_t filled = 0;
    uint32_t cursor = kind == ROOM_FREE && shape->roles_len == 1 && cluster->node_cursor < nodes_len
                          ? cluster->node_cursor
                          : 0;

    if (shape->roles_len > 1) {
        left = fl_arena_array(arena, struct fl_resources, nodes_len);
        for (uint32_t i = 0; i < nodes_len; i++) {
            left[i] = kind == ROOM_FREE ? cluster->nodes.at[i].free : cluster->nodes.at[i].total;
        }
    }
    for (uint32_t r = 0; r < shape->roles_len; r++) {
        const struct shape_role *role = &shape->roles[r];
        uint32_t missing = role->replicas;

        for (uint32_t step = 0; step < nodes_len && missing > 0; step++) {
            uint32_t i = cursor + step < nodes_len ? cursor + step : cursor + step - nodes_len;
            const struct node *node = &cluster->nodes.at[i];
            struct fl_resources room;
            uint32_t count;

            if (kind == ROOM_FREE ? !cluster_node_is_usable(cluster, node) : node->name.len == 0) {
                continue;
            }
            room = left ? left[i] : kind == ROOM_FREE ? node->free : node->total;
            count = fit_count(room, role->each, missing);
            if (count == 0 || !placement_node_matches(node, shape)) continue;
            if (left) take(&left[i], role->each, count);
            missing -= count;
            if (ret_cursor) *ret_cursor = i;
            while (nodes && count-- > 0) {
                nodes[filled++] = i;
            }
        }
        if (missing > 0) return false;
    }
    return true;
}

static bool is_reachable(const struct cluster *cluster)
{
    return cluster->is_connected && cluster->is_reconciled;
}

/* The one judgement.  With Fits, *ret holds the nodes. */
static enum reason judge(const struct cluster_table *clusters, uint32_t slot,
                         const struct shape_entry *entry, struct placement_limits limits,
                         struct fl_arena *arena, struct placement *ret)
{
    const struct cluster *cluster = cluster_table_at(clusters, slot);
    const struct shape *shape = &entry->shape;
    struct fl_resources sum = {0};

    if (is_excluded(cluster, shape)) return REASON_ClusterExcluded;
    if (!is_reachable(cluster) || cluster->cordon[0] != '\0') return REASON_ClusterUnhealthy;
    if (shape->has_image && !cluster->has_images) return REASON_NoImages;
    if (cluster->unconfirmed >= limits.unconfirmed_max) return REASON_DispatchLimit;
    ret->cluster = slot;
    ret->nodes_len = entry->replicas;
    ret->nodes = fl_arena_array(arena, uint32_t, entry->replicas);
    ret->cursor = cluster->node_cursor;
    if (fit_nodes(cluster, shape, ROOM_FREE, arena, ret->nodes, &ret->cursor)) return REASON_Fits;
    if (!fit_nodes(cluster, shape, ROOM_WHEN_EMPTY, arena, NULL, NULL)) {
        if (shape->node_labels_len == 0) return REASON_NoMatchingCluster;
        for (size_t i = 0; i < cluster->nodes.len; i++) {
            if (placement_node_matches(&cluster->nodes.at[i], shape)) {
                return REASON_NoMatchingCluster;
            }
        }
        return REASON_NodeSelectorUnmatched;
    }
    for (uint32_t r = 0; r < shape->roles_len; r++) {
        for (uint32_t i = 0; i < shape->roles[r].replicas; i++) {
            sum.cpu_milli += shape->roles[r].each.cpu_milli;
            sum.memory_bytes += shape->roles[r].each.memory_bytes;
            sum.gpus += shape->roles[r].each.gpus;
        }
    }
    return fl_resources_fit(sum, cluster->free_sum) ? REASON_Fragmented
                                                    : REASON_InsufficientCapacity;
}

/* ---- all clusters ---------------------------------------------------------------------------- */

/* How much of its scarcest resource is in use, in parts per million. */
static uint64_t load_ppm(const struct cluster *cluster)
{
    struct fl_resources total = cluster->total_sum, free = cluster->free_sum;
    uint64_t worst = 0, load;

    if (total.cpu_milli) {
        worst = (uint64_t)(total.cpu_milli - free.cpu_milli) * 1000000 / total.cpu_milli;
    }
    if (total.memory_bytes >> 20) {
        load =
            ((total.memory_bytes - free.memory_bytes) >> 20) * 1000000 / (total.memory_bytes >> 20);
        worst = load > worst ? load : worst;
    }
    if (total.gpus) {
        load = (uint64_t)(total.gpus - free.gpus) * 1000000 / total.gpus;
        worst = load > worst ? load : worst;
    }
    return worst;
}

/* The least loaded cluster that comes after (load, slot) in that order; 0: none. */
static uint32_t next_by_load(const struct cluster_table *clusters, uint64_t tried_at,
                             uint64_t *load, uint32_t *slot)
{
    uint64_t best_load = UINT64_MAX;
    uint32_t best = 0;

    for (size_t i = 0; i < clusters->clusters.len; i++) {
        const struct cluster *cluster = clusters->clusters.at[i];
        uint64_t its_load;

        if (!is_reachable(cluster) || cluster->grown_at <= tried_at) continue;
        its_load = load_ppm(cluster);
        if (its_load < *load || (its_load == *load && cluster->id <= *slot)) continue;
        if (its_load < best_load) {
            best_load = its_load;
            best = cluster->id;
        }
    }
    *load = best_load;
    *slot = best;
    return best;
}

/* A cluster with this reason will have room by itself. */
static bool is_busy(enum reason reason)
{
    return reason == REASON_InsufficientCapacity || reason == REASON_Fragmented ||
           reason == REASON_DispatchLimit;
}

/* Whether any cluster that takes work now is one that the job may go to. */
static bool has_candidate(const struct cluster_table *clusters, const struct shape_entry *entry)
{
    for (size_t i = 0; i < clusters->clusters.len; i++) {
        const struct cluster *cluster = clusters->clusters.at[i];

        if (is_reachable(cluster) && cluster->cordon[0] == '\0' &&
            !is_excluded(cluster, &entry->shape)) {
            return true;
        }
    }
    return false;
}

bool placement_choose(const struct cluster_table *clusters, const struct shape_entry *shape,
                      struct placement_limits limits, struct fl_arena *arena, struct placement *ret,
                      enum reason *ret_why)
{
    enum reason why = shape->why ? (enum reason)shape->why : REASON_ClusterUnhealthy;
    uint64_t load = 0;
    uint32_t slot = 0;

    while (next_by_load(clusters, shape->tried_at, &load, &slot)) {
        struct placement placement;
        enum reason reason = judge(clusters, slot, shape, limits, arena, &placement);

        if (reason == REASON_Fits) {
            *ret = placement;
            return true;
        }
        if (is_busy(reason)) why = reason;
    }
    *ret_why = has_candidate(clusters, shape) ? why : REASON_ClusterUnhealthy;
    return false;
}

bool placement_could_ever(const struct cluster_table *clusters, const struct shape_entry *entry,
                          struct fl_arena *arena)
{
    for (size_t i = 0; i < clusters->clusters.len; i++) {
        const struct cluster *cluster = clusters->clusters.at[i];

        if (cluster->state != CLUSTER_ENROLLED || is_excluded(cluster, &entry->shape)) continue;
        if (!cluster->is_known) return true;
        if (entry->shape.has_image && !cluster->has_images) continue;
        if (fit_nodes(cluster, &entry->shape, ROOM_WHEN_EMPTY, arena, NULL, NULL)) return true;
    }
    return false;
}

/* ---- in words -------------------------------------------------------------------------------- */

static const char *unhealthy(const struct cluster *cluster, struct fl_arena *arena)
{
    if (cluster->cordon[0]) {
        return fl_arena_printf(arena, "%s is cordoned: %s", cluster->name, cluster->cordon);
    }
    if (!cluster->is_connected) {
        return fl_arena_printf(arena, "%s is not connected", cluster->name);
    }
    return fl_arena_printf(arena, "%s is connected and still tells what it holds", cluster->name);
}

static const char *resources(struct fl_resources r, struct fl_arena *arena)
{
    const char *gpus = r.gpus ? fl_arena_printf(arena, ", %" PRIu32 " GPU", r.gpus) : "";

    return fl_arena_printf(arena, "%" PRIu32 ".%03" PRIu32 " CPU, %" PRIu64 " MiB%s",
                           r.cpu_milli / 1000, r.cpu_milli % 1000, r.memory_bytes >> 20, gpus);
}

/* The first role that does not fit is what people want to hear of. */
static const char *needs(const struct shape_entry *entry, struct fl_arena *arena)
{
    const struct shape_role *role = &entry->shape.roles[0];

    if (entry->shape.roles_len > 1) {
        return fl_arena_printf(
            arena, "%" PRIu32 " replicas of %" PRIu32 " roles, the first %s each", entry->replicas,
            entry->shape.roles_len, resources(role->each, arena));
    }
    if (role->replicas == 1) return resources(role->each, arena);
    return fl_arena_printf(arena, "%" PRIu32 " x (%s)", role->replicas,
                           resources(role->each, arena));
}

static struct fl_resources largest(const struct cluster *cluster, enum room_kind kind)
{
    struct fl_resources most = {0};

    for (size_t i = 0; i < cluster->nodes.len; i++) {
        const struct node *node = &cluster->nodes.at[i];
        struct fl_resources r = kind == ROOM_FREE ? node->free : node->total;

        if (kind == ROOM_FREE && !cluster_node_is_usable(cluster, node)) continue;
        if (r.cpu_milli > most.cpu_milli) most.cpu_milli = r.cpu_milli;
        if (r.memory_bytes > most.memory_bytes) most.memory_bytes = r.memory_bytes;
        if (r.gpus > most.gpus) most.gpus = r.gpus;
    }
    return most;
}

struct placement_verdict placement_explain(const struct cluster_table *clusters, uint32_t slot,
                                           const struct shape_entry *entry,
                                           struct placement_limits limits, struct fl_arena *arena)
{
    const struct cluster *cluster = cluster_table_at(clusters, slot);
    struct placement placement;
    struct placement_verdict verdict = {.cluster = slot};
    const char *name = cluster->name;

    verdict.reason = judge(clusters, slot, entry, limits, arena, &placement);
    switch (verdict.reason) {
    case REASON_Fits:
        verdict.text = fl_arena_printf(arena, "fits on %s now", name);
        break;
    case REASON_ClusterExcluded:
        verdict.text = fl_arena_printf(arena, "the job's clusters or notClusters exclude %s", name);
        break;
    case REASON_ClusterUnhealthy:
        verdict.text = unhealthy(cluster, arena);
        break;
    case REASON_NoImages:
        verdict.text = fl_arena_printf(arena, "the job has an image, and %s runs processes", name);
        break;
    case REASON_DispatchLimit:
        verdict.text =
            fl_arena_printf(arena, "%s has %" PRIu32 " starts to confirm, the most it may", name,
                            cluster->unconfirmed);
        break;
    case REASON_NodeSelectorUnmatched:
        verdict.text =
            fl_arena_printf(arena, "none of %zu nodes of %s carries the node labels asked for",
                            cluster->nodes.len - cluster->holes.len, name);
        break;
    case REASON_NoMatchingCluster:
        verdict.text = fl_arena_printf(arena, "needs %s; the most that one node of %s has is %s",
                                       needs(entry, arena), name,
                                       resources(largest(cluster, ROOM_WHEN_EMPTY), arena));
        break;
    case REASON_Fragmented:
        verdict.text =
            fl_arena_printf(arena, "needs %s; %s has %s free in all, at most %s on one node",
                            needs(entry, arena), name, resources(cluster->free_sum, arena),
                            resources(largest(cluster, ROOM_FREE), arena));
        break;
    default:
        verdict.text = fl_arena_printf(arena, "needs %s; %s has %s free of %s", needs(entry, arena),
                                       name, resources(cluster->free_sum, arena),
                                       resources(cluster->total_sum, arena));
        break;
    }
    return verdict;
}
