#include "controlplane/core/sched/judge.h"

#include <inttypes.h>
#include <string.h>

#include "controlplane/core/sched/labels.h"
#include "controlplane/core/sched/tolerance.h"
#include "shared/base/assert.h"
#include "shared/base/resource_name.h"

/* ---- the job's own lists --------------------------------------------------------------------- */

static bool names_have(const struct fl_str *names, uint32_t len, const char *name)
{
    struct fl_str wanted;

    if (len == 0) return false; /* most lists are empty, and there are many clusters */
    wanted = fl_str_c(name);
    for (uint32_t i = 0; i < len; i++) {
        if (fl_str_eq(names[i], wanted)) return true;
    }
    return false;
}

bool judge_is_excluded(const struct cluster *cluster, const struct shape *shape)
{
    if (names_have(shape->not_clusters, shape->not_clusters_len, cluster->name)) return true;
    return shape->clusters_len > 0 &&
           !names_have(shape->clusters, shape->clusters_len, cluster->name);
}

uint64_t judge_cluster_looks(const struct shape *shape)
{
    return 1 + (shape->clusters_len + shape->not_clusters_len) / 8;
}

bool judge_takes_work(const struct cluster *cluster)
{
    return cluster->is_connected && cluster->is_reconciled && cluster->cordon[0] == '\0';
}

bool judge_allows(const struct cluster *cluster, const struct shape *shape)
{
    return !judge_is_excluded(cluster, shape) && (cluster->has_images || !shape->has_image);
}

/* ---- room on the nodes ----------------------------------------------------------------------- */

/* Room for a job without a claim, all free room, or the room of an empty node. */
enum room_kind { ROOM_SPARE, ROOM_FREE, ROOM_WHEN_EMPTY };

static struct fl_resources room_of(enum room_kind kind, const struct room_node *changed,
                                   const struct node *node)
{
    if (kind == ROOM_SPARE) return room_spare(changed, node);
    return kind == ROOM_FREE ? room_free(changed, node) : node->total;
}

/* The same of a resource with a name. */
static uint64_t amount_of(enum room_kind kind, const struct named_resources *named, uint8_t number)
{
    const struct named_resource *resource = named_resources_find(named, number);

    if (!resource) return 0;
    if (kind == ROOM_SPARE) return named_resource_spare(resource);
    return kind == ROOM_FREE ? resource->free : resource->total;
}

static bool counts(enum room_kind kind, const struct cluster *cluster, const struct node *node)
{
    return kind == ROOM_WHEN_EMPTY ? node->name.len > 0 : cluster_node_is_usable(cluster, node);
}

static struct fl_resources most_of(const struct room *room, struct fl_cluster id,
                                   enum room_kind kind, bool is_of_untainted)
{
    const struct cluster *cluster = cluster_table_at(room->clusters, id);
    const struct room_cluster *changed = room_changed(room, id);
    struct fl_resources most = {0};

    for (uint32_t i = 0; i < cluster->nodes.len; i++) {
        const struct node *node = &cluster->nodes.at[i];

        if (!counts(kind, cluster, node) || (is_of_untainted && node->taints.len > 0)) continue;
        most = fl_resources_most(most, room_of(kind, room_node(room, changed, i), node));
    }
    return most;
}

/* The first resource, by name, whose amounts differ decides. */
static bool asks_for_more(const struct shape_role *role, const struct shape_role *than)
{
    for (uint32_t k = 0; k < SHAPE_KINDS_MAX; k++) {
        if (role->named[k] != than->named[k]) return role->named[k] > than->named[k];
    }
    return false;
}

void judge_order_roles(const struct shape *shape, uint32_t ret_order[FL_JOB_ROLES_MAX])
{
    for (uint32_t r = 0; r < shape->roles_len; r++) {
        struct fl_resources each = shape->roles[r].each;
        uint32_t at = r;

        for (; at > 0; at--) {
            struct fl_resources before = shape->roles[ret_order[at - 1]].each;

            if (before.gpus > each.gpus) break;
            if (before.gpus == each.gpus && before.cpu_milli > each.cpu_milli) break;
            if (before.gpus == each.gpus && before.cpu_milli == each.cpu_milli &&
                before.memory_bytes > each.memory_bytes) {
                break;
            }
            if (fl_resources_is_same(before, each) &&
                !asks_for_more(&shape->roles[r], &shape->roles[ret_order[at - 1]])) {
                break;
            }
            ret_order[at] = ret_order[at - 1];
        }
        ret_order[at] = r;
    }
}

uint32_t judge_first_replica(const struct shape *shape, uint32_t role)
{
    uint32_t first = 0;

    for (uint32_t r = 0; r < role; r++) {
        first += shape->roles[r].replicas;
    }
    return first;
}

/* A search for nodes.  Several roles share what is left on each: then the lists have that. */
struct search {
    struct room *room;
    const struct cluster *cluster;
    const struct room_cluster *changed;
    const struct shape *shape;
    enum room_kind kind;
    struct tolerance *tolerance;
    struct fl_resources *left; /* NULL: there is one role */
    uint64_t *left_named;      /* by node and kind */
};

static void list_left(struct search *search)
{
    struct room *room = search->room;
    uint32_t nodes_len = (uint32_t)search->cluster->nodes.len, kinds = search->shape->kinds_len;

    fl_vec_reserve(&room->left, nodes_len);
    fl_vec_reserve(&room->left_named, (size_t)nodes_len * kinds);
    search->left = room->left.at;
    search->left_named = room->left_named.at;
    for (uint32_t i = 0; i < nodes_len; i++) {
        const struct node *node = &search->cluster->nodes.at[i];
        const struct room_node *changed = room_node(room, search->changed, i);

        search->left[i] = room_of(search->kind, changed, node);
        for (uint32_t k = 0; k < kinds; k++) {
            search->left_named[i * kinds + k] =
                amount_of(search->kind, room_named(changed, node), search->shape->kind_numbers[k]);
        }
    }
    room->looked += nodes_len;
}

/* How many of the role's replicas the node has room for, by name too; at most 'most'. */
static uint32_t count_on(const struct search *search, uint32_t i, const struct shape_role *role,
                         uint32_t most)
{
    const struct node *node = &search->cluster->nodes.at[i];
    const struct room_node *changed = room_node(search->room, search->changed, i);
    uint32_t kinds = search->shape->kinds_len;
    uint32_t count = fl_resources_count(
        search->left ? search->left[i] : room_of(search->kind, changed, node), role->each, most);

    for (uint32_t k = 0; k < kinds && count > 0; k++) {
        uint64_t have;

        if (role->named[k] == 0) continue;
        have = search->left ? search->left_named[i * kinds + k]
                            : amount_of(search->kind, room_named(changed, node),
                                        search->shape->kind_numbers[k]);
        count = (uint32_t)named_resource_least(count, have / role->named[k]);
    }
    return count;
}

/* Whether its labels and taints let the role in.  The room of empty nodes is asked for while a
 * request waits: there each label counts as a look.  An affinity and taints always do. */
static bool lets_in(const struct search *search, const struct node *node,
                    const struct shape_role *role)
{
    const struct shape *shape = search->shape;

    for (uint32_t i = 0; i < shape->node_labels_len; i++) {
        if (search->kind == ROOM_WHEN_EMPTY) search->room->looked += labels_looks(node);
        if (!labels_carry(node, &shape->node_labels[i])) return false;
    }
    if (shape->affinity.len > 0) {
        search->room->looked += labels_affinity_looks(node, shape);
        if (!labels_match_affinity(node, shape)) return false;
    }
    if (node->taints.len == 0) return true;
    search->room->looked += tolerance_looks(node, shape);
    return tolerance_has(search->tolerance, node, role);
}

static void take_on(const struct search *search, uint32_t i, const struct shape_role *role,
                    uint32_t times)
{
    uint32_t kinds = search->shape->kinds_len;

    fl_resources_take_times(&search->left[i], role->each, times);
    for (uint32_t k = 0; k < kinds; k++) {
        search->left_named[i * kinds + k] -= role->named[k] * times;
    }
}

/* Replicas of all roles, each on a node; false as soon as one has none.  'nodes' may be NULL.
 * A search over the free room of one role starts at the cluster's cursor and goes round once, so
 * that a full front of the list is not walked for every start.  Several roles always go over the
 * nodes in the same order: it decides whether they fit, and earlier placements must not. */
static bool fit_nodes(struct room *room, struct fl_cluster id, const struct shape *shape,
                      enum room_kind kind, uint32_t *nodes, uint32_t *cursor)
{
    const struct cluster *cluster = cluster_table_at(room->clusters, id);
    struct tolerance tolerance;
    struct search search = {.room = room,
                            .cluster = cluster,
                            .changed = room_changed(room, id),
                            .shape = shape,
                            .kind = kind,
                            .tolerance = &tolerance};
    uint32_t nodes_len = (uint32_t)cluster->nodes.len;
    uint32_t first = cursor && shape->roles_len == 1 && *cursor < nodes_len ? *cursor : 0;
    uint32_t order[FL_JOB_ROLES_MAX];

    tolerance_init(&tolerance, shape);
    judge_order_roles(shape, order);
    if (shape->roles_len > 1) list_left(&search);
    for (uint32_t r = 0; r < shape->roles_len; r++) {
        const struct shape_role *role = &shape->roles[order[r]];
        uint32_t filled = nodes ? judge_first_replica(shape, order[r]) : 0;
        uint32_t missing = role->replicas, step = 0;

        for (; step < nodes_len && missing > 0; step++) {
            uint32_t i = first + step < nodes_len ? first + step : first + step - nodes_len;
            const struct node *node = &cluster->nodes.at[i];
            uint32_t count;

            if (!counts(kind, cluster, node)) continue;
            count = count_on(&search, i, role, missing);
            if (count == 0 || !lets_in(&search, node, role)) continue;
            if (search.left) take_on(&search, i, role, count);
            missing -= count;
            if (cursor) *cursor = i;
            while (nodes && count-- > 0) {
                nodes[filled++] = i;
            }
        }
        room->looked += step;
        if (missing > 0) return false;
    }
    return true;
}

/* False: some replica wants more of something than any node has. */
static bool may_fit(const struct shape *shape, struct fl_resources most)
{
    for (uint32_t r = 0; r < shape->roles_len; r++) {
        if (!fl_resources_fit(shape->roles[r].each, most)) return false;
    }
    return true;
}

static bool fits_when_empty(struct room *room, struct fl_cluster id, const struct shape *shape)
{
    const struct cluster *cluster = cluster_table_at(room->clusters, id);
    struct room_cluster *known = &room->at.at[id.n - 1];

    if (known->totals_at != cluster->totals_at) {
        known->totals_at = cluster->totals_at;
        known->total_most = most_of(room, id, ROOM_WHEN_EMPTY, false);
        room->looked += cluster->nodes.len;
    }
    return may_fit(shape, known->total_most) &&
           fit_nodes(room, id, shape, ROOM_WHEN_EMPTY, NULL, NULL);
}

bool judge_could_ever(struct room *room, struct fl_cluster id, const struct shape_entry *entry)
{
    const struct cluster *cluster = cluster_table_at(room->clusters, id);

    room->looked++;
    if (cluster->state != CLUSTER_ENROLLED || judge_is_excluded(cluster, &entry->shape)) {
        return false;
    }
    if (!cluster->is_known) return true;
    return judge_allows(cluster, &entry->shape) && fits_when_empty(room, id, &entry->shape);
}

/* ---- the judgement --------------------------------------------------------------------------- */

static uint64_t sum_of_kind(const struct shape *shape, uint32_t k)
{
    uint64_t sum = 0;

    for (uint32_t r = 0; r < shape->roles_len; r++) {
        sum += shape->roles[r].replicas * shape->roles[r].named[k];
    }
    return sum;
}

static bool sum_fits(const struct shape *shape, struct fl_resources_sum free,
                     const struct named_resources *free_named)
{
    struct fl_resources_sum sum = {0};

    for (uint32_t r = 0; r < shape->roles_len; r++) {
        const struct shape_role *role = &shape->roles[r];

        sum.cpu_milli += (uint64_t)role->replicas * role->each.cpu_milli;
        sum.gpus += (uint64_t)role->replicas * role->each.gpus;
        if (role->each.memory_bytes &&
            role->replicas > (UINT64_MAX - sum.memory_bytes) / role->each.memory_bytes) {
            return false;
        }
        sum.memory_bytes += role->replicas * role->each.memory_bytes;
    }
    for (uint32_t k = 0; k < shape->kinds_len; k++) {
        if (sum_of_kind(shape, k) > amount_of(ROOM_FREE, free_named, shape->kind_numbers[k])) {
            return false;
        }
    }
    return sum.cpu_milli <= free.cpu_milli && sum.memory_bytes <= free.memory_bytes &&
           sum.gpus <= free.gpus;
}

/* Whether it tolerates no taint at all. */
static bool keeps_to_untainted(const struct shape *shape)
{
    for (uint32_t r = 0; r < shape->roles_len; r++) {
        if (shape->roles[r].each.gpus > 0) return false;
    }
    return shape->tolerations.len == 0 && shape->kinds_len == 0;
}

/* Whether no node has room for one of the replicas, as far as this round knows already. */
static bool is_known_full(const struct room *room, struct fl_cluster id, const struct shape *shape)
{
    const struct room_cluster *known = &room->at.at[id.n - 1];

    if (known->most_round != room->round) return false;
    return !may_fit(shape, keeps_to_untainted(shape) ? known->untainted_most : known->most);
}

/* A search that failed looked at every node: the most that any has is kept for the next one. */
static void learn_most(struct room *room, struct fl_cluster id)
{
    struct room_cluster *known = &room->at.at[id.n - 1];

    if (known->most_round == room->round) return;
    known->most_round = room->round;
    known->most = most_of(room, id, ROOM_FREE, false);
    known->untainted_most = most_of(room, id, ROOM_FREE, true);
    room->looked += 2 * cluster_table_at(room->clusters, id)->nodes.len;
}

/* The shape, if it tolerated each taint. */
static struct shape as_tolerant(const struct shape *shape)
{
    struct shape tolerant = *shape;

    tolerant.tolerations = FL_STR("*\n");
    return tolerant;
}

static bool has_match(struct room *room, const struct cluster *cluster, const struct shape *shape)
{
    for (size_t i = 0; i < cluster->nodes.len; i++) {
        const struct node *node = &cluster->nodes.at[i];

        if (node->name.len == 0) continue;
        room->looked += labels_affinity_looks(node, shape);
        if (labels_match(node, shape)) return true;
    }
    return false;
}

static enum reason why_never(struct room *room, struct fl_cluster id, const struct shape *shape)
{
    const struct cluster *cluster = cluster_table_at(room->clusters, id);
    struct shape tolerant;

    if (labels_are_asked_for(shape) && !has_match(room, cluster, shape)) {
        return REASON_NodeSelectorUnmatched;
    }
    if (cluster->tainted_len == 0) return REASON_NoMatchingCluster;
    tolerant = as_tolerant(shape);
    return fits_when_empty(room, id, &tolerant) ? REASON_TaintNotTolerated
                                                : REASON_NoMatchingCluster;
}

enum reason judge(struct room *room, struct fl_cluster id, const struct shape_entry *entry,
                  uint32_t unconfirmed_max, struct placement *ret)
{
    const struct cluster *cluster = cluster_table_at(room->clusters, id);
    const struct room_cluster *changed = room_changed(room, id);
    const struct shape *shape = &entry->shape;
    struct fl_resources_sum free_sum = changed ? changed->free_sum : cluster->free_sum;
    uint32_t claims_len = changed ? changed->claims_len : cluster->claims_len;
    uint32_t unconfirmed = changed ? changed->unconfirmed : cluster->unconfirmed;
    bool is_enough = sum_fits(shape, free_sum, changed ? &changed->named : &cluster->named);

    room->looked++;
    if (judge_is_excluded(cluster, shape)) return REASON_ClusterExcluded;
    if (!judge_takes_work(cluster)) return REASON_ClusterUnhealthy;
    if (shape->has_image && !cluster->has_images) return REASON_NoImages;
    if (unconfirmed >= unconfirmed_max) return REASON_DispatchLimit;
    if (is_enough && !is_known_full(room, id, shape)) {
        fl_vec_reserve(&room->found, entry->replicas);
        *ret = (struct placement){.cluster = id,
                                  .nodes = room->found.at,
                                  .nodes_len = entry->replicas,
                                  .cursor = changed ? changed->cursor : cluster->node_cursor};
        if (fit_nodes(room, id, shape, ROOM_SPARE, ret->nodes, &ret->cursor)) return REASON_Fits;
        learn_most(room, id);
    }
    if (!fits_when_empty(room, id, shape)) return why_never(room, id, shape);
    if (!is_enough) return REASON_InsufficientCapacity;
    if (claims_len > 0 && fit_nodes(room, id, shape, ROOM_FREE, NULL, NULL)) {
        return REASON_Claimed;
    }
    return REASON_Fragmented;
}

/* ---- taints in the way ----------------------------------------------------------------------- */

/* So many nodes are tried alone, and a search ends after so many looks, the tries apart. */
enum { TAINTED_TRIED_MAX = 3, TAINTED_LOOKS_MAX = 50000 };

static void note_taint(struct judge_kept_off *off, struct fl_taint taint)
{
    for (uint32_t i = 0; i < off->taints_len; i++) {
        if (fl_str_eq(off->taints[i].key, taint.key) &&
            fl_str_eq(off->taints[i].value, taint.value) && off->taints[i].effect == taint.effect) {
            return;
        }
    }
    if (off->taints_len == JUDGE_TAINTS_TOLD_MAX) {
        off->has_more = true;
    } else {
        off->taints[off->taints_len++] = taint;
    }
}

/* Notes the taints that keep a role off, of those that the node would hold a replica of. */
static void see_taints(const struct search *search, uint32_t i, struct judge_kept_off *off)
{
    const struct shape *shape = search->shape;
    const struct node *node = &search->cluster->nodes.at[i];

    search->room->looked++;
    if (node->taints.len == 0 || !counts(search->kind, search->cluster, node)) return;
    search->room->looked += shape->node_labels_len * labels_looks(node);
    search->room->looked += labels_affinity_looks(node, shape);
    if (!labels_match(node, shape)) return;
    for (uint32_t r = 0; r < shape->roles_len; r++) {
        struct fl_str lines = node->taints;
        struct fl_taint taint;

        if (count_on(search, i, &shape->roles[r], 1) == 0) continue;
        search->room->looked += tolerance_looks(node, shape);
        while (tolerance_lacks(search->tolerance, &lines, &shape->roles[r], &taint)) {
            off->node = node->name;
            note_taint(off, taint);
        }
    }
}

/* Whether the shape would fit if it tolerated the node's taints too. */
static bool is_enough(struct room *room, struct fl_cluster id, const struct shape *shape,
                      enum room_kind kind, const struct node *node)
{
    char lines[FL_JOB_TOLERATIONS_MAX * (FL_TAINT_TEXT_BYTES_MAX + 1) + FL_NODE_TAINTS_BYTES_MAX];
    struct shape other = *shape;

    if (shape->tolerations.len + node->taints.len > sizeof lines) return false;
    if (shape->tolerations.len > 0) memcpy(lines, shape->tolerations.at, shape->tolerations.len);
    memcpy(lines + shape->tolerations.len, node->taints.at, node->taints.len);
    other.tolerations = (struct fl_str){lines, shape->tolerations.len + node->taints.len};
    return fit_nodes(room, id, &other, kind, NULL, NULL);
}

/* One node alone, if its taints are all that is in the way; else all nodes with some. */
static struct judge_kept_off find_kept_off(struct room *room, struct fl_cluster id,
                                           const struct shape *shape, enum room_kind kind)
{
    struct tolerance tolerance;
    struct search search = {.room = room,
                            .cluster = cluster_table_at(room->clusters, id),
                            .changed = room_changed(room, id),
                            .shape = shape,
                            .kind = kind,
                            .tolerance = &tolerance};
    struct judge_kept_off all = {0};
    uint64_t looks = 0;
    uint32_t tried = 0;

    tolerance_init(&tolerance, shape);
    for (uint32_t i = 0; i < search.cluster->nodes.len; i++) {
        struct judge_kept_off one = {0};
        uint64_t before = room->looked;

        if (looks > TAINTED_LOOKS_MAX) all.has_more = true;
        if (looks > TAINTED_LOOKS_MAX || (tried == TAINTED_TRIED_MAX && all.has_more)) break;
        see_taints(&search, i, &one);
        looks += room->looked - before;
        if (one.taints_len == 0) continue;
        if (tried < TAINTED_TRIED_MAX) {
            tried++;
            if (is_enough(room, id, shape, kind, &search.cluster->nodes.at[i])) return one;
        }
        if (all.taints_len == 0) all.node = one.node;
        all.has_more = all.has_more || one.has_more;
        for (uint32_t t = 0; t < one.taints_len; t++) {
            note_taint(&all, one.taints[t]);
        }
    }
    return all;
}

bool judge_keeps_off(struct room *room, struct fl_cluster id, const struct shape *shape,
                     struct judge_kept_off *ret)
{
    const struct cluster *cluster = cluster_table_at(room->clusters, id);
    struct shape tolerant;

    if (cluster->tainted_len == 0) return false;
    tolerant = as_tolerant(shape);
    if (!fits_when_empty(room, id, &tolerant)) return false;
    *ret = find_kept_off(room, id, shape, ROOM_WHEN_EMPTY);
    return ret->taints_len > 0;
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

/* Amounts of the kinds of a shape, in its order. */
struct named {
    uint64_t at[SHAPE_KINDS_MAX];
};

static const char *resources_sum(struct fl_resources_sum r, const struct shape *shape,
                                 struct named named, struct fl_arena *arena)
{
    const char *gpus = r.gpus ? fl_arena_printf(arena, ", %" PRIu64 " GPU", r.gpus) : "";
    const char *text =
        fl_arena_printf(arena, "%" PRIu64 ".%03" PRIu64 " CPU, %" PRIu64 " MiB%s",
                        r.cpu_milli / 1000, r.cpu_milli % 1000, r.memory_bytes >> 20, gpus);

    for (uint32_t k = 0; k < shape->kinds_len; k++) {
        bool is_bytes = fl_is_bytes_resource(shape->kinds[k]);

        text = fl_arena_printf(arena, "%s, %" PRIu64 " %s" FL_STR_FMT, text,
                               is_bytes ? named.at[k] >> 20 : named.at[k], is_bytes ? "MiB " : "",
                               FL_STR_ARG(shape->kinds[k]));
    }
    return text;
}

static const char *resources(struct fl_resources r, const struct shape *shape, struct named named,
                             struct fl_arena *arena)
{
    return resources_sum(fl_resources_sum_of(r), shape, named, arena);
}

static const char *wanted(const struct shape *shape, const struct shape_role *role,
                          struct fl_arena *arena)
{
    struct named named;

    memcpy(named.at, role->named, sizeof named.at);
    return resources(role->each, shape, named, arena);
}

/* The first role that does not fit is what people want to hear of. */
static const char *needs(const struct shape_entry *entry, struct fl_arena *arena)
{
    const struct shape *shape = &entry->shape;
    const struct shape_role *role = &shape->roles[0];

    if (shape->roles_len > 1) {
        return fl_arena_printf(arena,
                               "%" PRIu32 " replicas of %" PRIu32 " roles, the first %s each",
                               entry->replicas, shape->roles_len, wanted(shape, role, arena));
    }
    if (role->replicas == 1) return wanted(shape, role, arena);
    return fl_arena_printf(arena, "%" PRIu32 " x (%s)", role->replicas, wanted(shape, role, arena));
}

/* The most that one node has of each. */
static const char *most_on_a_node(struct room *room, struct fl_cluster id,
                                  const struct shape *shape, enum room_kind kind,
                                  struct fl_arena *arena)
{
    const struct cluster *cluster = cluster_table_at(room->clusters, id);
    const struct room_cluster *changed = room_changed(room, id);
    struct named most = {0};

    for (uint32_t i = 0; i < cluster->nodes.len && shape->kinds_len > 0; i++) {
        const struct node *node = &cluster->nodes.at[i];
        const struct named_resources *named = room_named(room_node(room, changed, i), node);

        if (!counts(kind, cluster, node)) continue;
        for (uint32_t k = 0; k < shape->kinds_len; k++) {
            uint64_t has = amount_of(kind, named, shape->kind_numbers[k]);

            if (has > most.at[k]) most.at[k] = has;
        }
    }
    return resources(most_of(room, id, kind, false), shape, most, arena);
}

/* The cluster's sums, free or when empty. */
static const char *in_all(const struct cluster *cluster, const struct shape *shape,
                          enum room_kind kind, struct fl_arena *arena)
{
    struct named named = {0};

    for (uint32_t k = 0; k < shape->kinds_len; k++) {
        named.at[k] = amount_of(kind, &cluster->named, shape->kind_numbers[k]);
    }
    return resources_sum(kind == ROOM_FREE ? cluster->free_sum : cluster->total_sum, shape, named,
                         arena);
}

static const char *claimed_in(const struct cluster *cluster, const struct room_cluster *changed,
                              const struct shape *shape, struct fl_arena *arena)
{
    struct named named = {0};

    for (uint32_t k = 0; k < shape->kinds_len; k++) {
        const struct named_resource *resource = named_resources_find(
            changed ? &changed->named : &cluster->named, shape->kind_numbers[k]);

        named.at[k] = resource ? resource->claimed : 0;
    }
    return resources_sum(changed ? changed->claimed_sum : cluster->claimed_sum, shape, named,
                         arena);
}

/* "node n1 has the taint a=b:NoSchedule, which the job does not tolerate: with a toleration of it
 * the job could run there" */
static const char *taints_in_words(const struct judge_kept_off *off, const char *could,
                                   struct fl_arena *arena)
{
    char text[FL_TAINT_TEXT_BYTES_MAX];
    const char *others = "";

    if (off->taints_len == 0) { /* its search was cut */
        return fl_arena_printf(arena, "with tolerations of the taints there the job %s", could);
    }
    for (uint32_t i = 1; i < off->taints_len; i++) {
        size_t len = fl_taint_write(&off->taints[i], text);

        others = fl_arena_printf(arena, "%s and of %.*s", others, (int)len, text);
    }
    if (off->has_more) others = fl_arena_printf(arena, "%s and of others", others);
    return fl_arena_printf(
        arena,
        "node " FL_STR_FMT " has the taint %.*s, which the job does not tolerate; with a "
        "toleration of it%s the job %s",
        FL_STR_ARG(off->node), (int)fl_taint_write(&off->taints[0], text), text, others, could);
}

/* Nothing, where taints are not what keeps it from starting. */
static const char *taints_beside(struct room *room, struct fl_cluster id, const struct shape *shape,
                                 struct fl_arena *arena)
{
    struct shape tolerant;
    struct judge_kept_off off;

    if (cluster_table_at(room->clusters, id)->tainted_len == 0) return "";
    tolerant = as_tolerant(shape);
    if (!fit_nodes(room, id, &tolerant, ROOM_SPARE, NULL, NULL)) return "";
    off = find_kept_off(room, id, shape, ROOM_SPARE);
    if (off.taints_len == 0) return "";
    return fl_arena_printf(arena, "; %s", taints_in_words(&off, "would start now", arena));
}

/* "carries the node labels asked for" */
static const char *labels_asked_for(const struct shape *shape, struct fl_arena *arena)
{
    char affinity[LABELS_WORDS_MAX];

    if (shape->affinity.len == 0) return "carries the node labels asked for";
    labels_affinity_words(shape, affinity);
    if (shape->node_labels_len == 0) {
        return fl_arena_printf(arena, "has labels that match the affinity: %s", affinity);
    }
    return fl_arena_printf(arena, "carries the node labels asked for and matches the affinity: %s",
                           affinity);
}

enum reason judge_explain(struct room *room, struct fl_cluster id, const struct shape_entry *entry,
                          uint32_t unconfirmed_max, struct fl_arena *arena, const char **ret_text)
{
    const struct cluster *cluster = cluster_table_at(room->clusters, id);
    const struct room_cluster *changed = room_changed(room, id);
    struct placement unused;
    struct judge_kept_off off;
    enum reason reason = judge(room, id, entry, unconfirmed_max, &unused);
    const struct shape *shape = &entry->shape;
    const char *name = cluster->name;

    switch (reason) {
    case REASON_Fits:
        *ret_text = fl_arena_printf(arena, "fits on %s now", name);
        break;
    case REASON_ClusterExcluded:
        *ret_text = fl_arena_printf(arena, "the job's clusters or notClusters exclude %s", name);
        break;
    case REASON_ClusterUnhealthy:
        *ret_text = unhealthy(cluster, arena);
        break;
    case REASON_NoImages:
        *ret_text =
            fl_arena_printf(arena, "the job has an image or mounts, and %s runs processes", name);
        break;
    case REASON_DispatchLimit:
        *ret_text = fl_arena_printf(arena, "%s has %" PRIu32 " starts to confirm, the most it may",
                                    name, cluster->unconfirmed);
        break;
    case REASON_NodeSelectorUnmatched:
        *ret_text = fl_arena_printf(arena, "none of %zu nodes of %s %s",
                                    cluster->nodes.len - cluster->holes.len, name,
                                    labels_asked_for(shape, arena));
        break;
    case REASON_TaintNotTolerated:
        off = find_kept_off(room, id, shape, ROOM_WHEN_EMPTY);
        *ret_text = taints_in_words(&off, fl_arena_printf(arena, "could run on %s", name), arena);
        break;
    case REASON_NoMatchingCluster:
        *ret_text = fl_arena_printf(arena, "needs %s; the most that one node of %s has is %s",
                                    needs(entry, arena), name,
                                    most_on_a_node(room, id, shape, ROOM_WHEN_EMPTY, arena));
        break;
    case REASON_Claimed:
        *ret_text = fl_arena_printf(
            arena, "needs %s; %s has %s free, of which earlier jobs (%" PRIu32 ") have claimed %s",
            needs(entry, arena), name, in_all(cluster, shape, ROOM_FREE, arena),
            changed ? changed->claims_len : cluster->claims_len,
            claimed_in(cluster, changed, shape, arena));
        break;
    case REASON_Fragmented:
        *ret_text =
            fl_arena_printf(arena, "needs %s; %s has %s free in all, at most %s on one node%s",
                            needs(entry, arena), name, in_all(cluster, shape, ROOM_FREE, arena),
                            most_on_a_node(room, id, shape, ROOM_SPARE, arena),
                            taints_beside(room, id, shape, arena));
        break;
    default:
        *ret_text = fl_arena_printf(arena, "needs %s; %s has %s free of %s", needs(entry, arena),
                                    name, in_all(cluster, shape, ROOM_FREE, arena),
                                    in_all(cluster, shape, ROOM_WHEN_EMPTY, arena));
        break;
    }
    return reason;
}
