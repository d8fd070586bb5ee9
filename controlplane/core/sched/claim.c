#include "controlplane/core/sched/claim.h"

#include <string.h>

#include "controlplane/core/sched/labels.h"
#include "controlplane/core/sched/tolerance.h"
#include "shared/base/assert.h"

/* So many clusters that could hold it are compared, of so many that are asked, the least loaded
 * first. */
enum { CLUSTERS_MAX = 4, ASKED_MAX = 16 };

struct part_list { /* in an arena */
    struct claim_part *at;
    size_t len, cap;
};

/* A claim in the making, on one cluster. */
struct draft {
    struct room *room;
    const struct cluster *cluster;
    const struct room_cluster *changed;
    struct fl_resources *picked; /* by node: the claim has so much of it so far */
    uint64_t *picked_named;      /* by node and kind of the shape: likewise */
    uint32_t *nodes;             /* by replica */
    struct fl_heap nearest;      /* nodes by how much is missing there */
    uint64_t missing_ppm;        /* the sum of what was missing at each pick */
    bool is_bare;                /* as if there were no other claims */
    struct tolerance tolerance;
};

static struct fl_resources left_of(const struct draft *draft, uint32_t i, bool is_now)
{
    const struct node *node = &draft->cluster->nodes.at[i];
    const struct room_node *changed = room_node(draft->room, draft->changed, i);
    struct fl_resources left = is_now && !draft->is_bare
                                   ? room_spare(changed, node)
                                   : room_empty(changed, node, draft->is_bare);

    fl_resources_take_most(&left, draft->picked[i]);
    return left;
}

/* The same of the shape's kind. */
static uint64_t named_left_of(const struct draft *draft, uint32_t i, const struct shape *shape,
                              uint32_t kind, bool is_now)
{
    const struct node *node = &draft->cluster->nodes.at[i];
    const struct named_resources *named =
        room_named(room_node(draft->room, draft->changed, i), node);
    const struct named_resource *resource = named_resources_find(named, shape->kind_numbers[kind]);
    uint64_t left;

    if (!resource) return 0;
    left = is_now && !draft->is_bare ? named_resource_spare(resource)
                                     : named_resource_empty(resource, draft->is_bare);
    return left - named_resource_least(left, draft->picked_named[i * shape->kinds_len + kind]);
}

/* How many of the role's replicas the node has left room for, at most 'most'. */
static uint32_t count_on(const struct draft *draft, uint32_t i, const struct shape *shape,
                         const struct shape_role *role, bool is_now, uint32_t most)
{
    uint32_t count = fl_resources_count(left_of(draft, i, is_now), role->each, most);

    for (uint32_t k = 0; k < shape->kinds_len && count > 0; k++) {
        if (role->named[k] == 0) continue;
        count = (uint32_t)named_resource_least(count, named_left_of(draft, i, shape, k, is_now) /
                                                          role->named[k]);
    }
    return count;
}

/* Whether its labels and taints let the role in. */
static bool lets_in(struct draft *draft, uint32_t i, const struct shape *shape,
                    const struct shape_role *role)
{
    const struct node *node = &draft->cluster->nodes.at[i];

    draft->room->looked += labels_affinity_looks(node, shape);
    if (!labels_match(node, shape)) return false;
    if (node->taints.len == 0) return true;
    draft->room->looked += tolerance_looks(node, shape);
    return tolerance_has(&draft->tolerance, node, role);
}

static void pick(struct draft *draft, uint32_t i, const struct shape *shape,
                 const struct shape_role *role, uint32_t *replica)
{
    fl_resources_add(&draft->picked[i], role->each);
    for (uint32_t k = 0; k < shape->kinds_len; k++) {
        draft->picked_named[i * shape->kinds_len + k] += role->named[k];
    }
    draft->nodes[(*replica)++] = i;
}

static uint64_t missing_of(uint64_t want, uint64_t have, uint64_t total)
{
    return want > have ? (want - have) * 1000000 / total : 0;
}

/* How much of the node's scarcest resource is missing for one more, in parts per million of it. */
static uint64_t missing_ppm(const struct draft *draft, uint32_t i, const struct shape *shape,
                            const struct shape_role *role)
{
    const struct node *node = &draft->cluster->nodes.at[i];
    struct fl_resources total = node->total, each = role->each;
    struct fl_resources now = left_of(draft, i, true);
    uint64_t worst = missing_of(each.cpu_milli, now.cpu_milli, total.cpu_milli);
    uint64_t gpus = missing_of(each.gpus, now.gpus, total.gpus);
    uint64_t memory =
        missing_of(each.memory_bytes >> 20, now.memory_bytes >> 20, (total.memory_bytes >> 20) + 1);

    if (gpus > worst) worst = gpus;
    if (memory > worst) worst = memory;
    for (uint32_t k = 0; k < shape->kinds_len; k++) {
        const struct named_resource *resource =
            named_resources_find(&node->named, shape->kind_numbers[k]);
        uint32_t step = resource && resource->total >> 32 ? 20 : 0; /* keeps the numbers small */
        uint64_t missing;

        if (role->named[k] == 0 || !resource) continue;
        missing =
            missing_of(role->named[k] >> step, named_left_of(draft, i, shape, k, true) >> step,
                       resource->total >> step);
        if (missing > worst) worst = missing;
    }
    return worst;
}

static void consider(struct draft *draft, uint32_t i, const struct shape *shape,
                     const struct shape_role *role)
{
    if (!cluster_node_is_usable(draft->cluster, &draft->cluster->nodes.at[i])) return;
    if (count_on(draft, i, shape, role, false, 1) == 0 || !lets_in(draft, i, shape, role)) return;
    fl_heap_push(&draft->nearest,
                 (struct fl_heap_item){
                     .key = (int64_t)missing_ppm(draft, i, shape, role), .tie = i, .value = i});
}

/* Free room first; then, one by one, where least is missing.  'is_plain': node by node, as judge
 * fills the empty cluster. */
static bool pick_role(struct draft *draft, const struct shape *shape, const struct shape_role *role,
                      uint32_t replica, bool is_plain)
{
    uint32_t nodes_len = (uint32_t)draft->cluster->nodes.len, missing = role->replicas;

    for (uint32_t i = 0; i < nodes_len && missing > 0; i++) {
        uint32_t count;

        if (!cluster_node_is_usable(draft->cluster, &draft->cluster->nodes.at[i])) continue;
        count = count_on(draft, i, shape, role, !is_plain, missing);
        if (count == 0 || !lets_in(draft, i, shape, role)) continue;
        missing -= count;
        while (count-- > 0) {
            if (is_plain) draft->missing_ppm += missing_ppm(draft, i, shape, role);
            pick(draft, i, shape, role, &replica);
        }
    }
    draft->nearest.len = 0;
    for (uint32_t i = 0; i < nodes_len && missing > 0; i++) {
        consider(draft, i, shape, role);
    }
    while (missing > 0 && draft->nearest.len > 0) {
        struct fl_heap_item next = fl_heap_pop(&draft->nearest);

        pick(draft, (uint32_t)next.value, shape, role, &replica);
        draft->missing_ppm += (uint64_t)next.key;
        missing--;
        consider(draft, (uint32_t)next.value, shape, role);
    }
    draft->room->looked += 2 * (uint64_t)nodes_len;
    return missing == 0;
}

static bool is_in_share(struct fl_resources_sum sum, struct fl_resources_sum total,
                        uint32_t percent)
{
    return sum.cpu_milli * 100 <= total.cpu_milli * percent &&
           sum.gpus * 100 <= total.gpus * percent &&
           sum.memory_bytes <= total.memory_bytes / 100 * percent;
}

/* The same of resources with a name, alone. */
static bool are_named_in_share(const struct draft *draft, const struct shape *shape,
                               uint32_t percent)
{
    const struct named_resources *claims =
        draft->changed ? &draft->changed->named : &draft->cluster->named;

    for (uint32_t k = 0; k < shape->kinds_len; k++) {
        const struct named_resource *claim = named_resources_find(claims, shape->kind_numbers[k]);
        const struct named_resource *all =
            named_resources_find(&draft->cluster->named, shape->kind_numbers[k]);
        uint64_t sum = claim ? claim->claimed : 0;

        for (uint32_t r = 0; r < shape->roles_len; r++) {
            sum += shape->roles[r].replicas * shape->roles[r].named[k];
        }
        if (sum > (all ? all->total : 0) / 100 * percent) return false;
    }
    return true;
}

/* Whether the cluster's claims may have this much more together. */
static bool may_claim(const struct draft *draft, const struct shape *shape, uint32_t percent_max)
{
    const struct cluster *cluster = draft->cluster;
    struct fl_resources_sum sum =
        draft->changed ? draft->changed->claimed_sum : cluster->claimed_sum;

    if (percent_max == 0) return false;
    if ((draft->changed ? draft->changed->claims_len : cluster->claims_len) == 0) return true;
    for (uint32_t r = 0; r < shape->roles_len; r++) {
        const struct shape_role *role = &shape->roles[r];

        if (!fl_resources_sum_has(cluster->total_sum, role->each)) return false;
        for (uint32_t i = 0; i < role->replicas; i++) {
            fl_resources_sum_add(&sum, role->each);
            if (!is_in_share(sum, cluster->total_sum, percent_max)) return false;
        }
    }
    return are_named_in_share(draft, shape, percent_max);
}

static bool is_part(const struct claim_part *part)
{
    for (uint32_t k = 0; k < part->kinds_len; k++) {
        if (part->named[k] > 0) return true;
    }
    return !fl_resources_is_zero(part->room);
}

static void list_parts(const struct draft *draft, const struct shape_entry *entry,
                       struct fl_arena *arena, struct claim_draft *ret)
{
    const struct shape *shape = &entry->shape;
    struct part_list parts = {0};

    for (uint32_t i = 0; i < draft->cluster->nodes.len; i++) {
        struct claim_part part = {
            .node = i, .room = draft->picked[i], .kinds_len = (uint8_t)shape->kinds_len};

        for (uint32_t k = 0; k < shape->kinds_len; k++) {
            part.kind_numbers[k] = shape->kind_numbers[k];
            part.named[k] = draft->picked_named[i * shape->kinds_len + k];
        }
        if (is_part(&part)) fl_arena_push(arena, &parts, part);
    }
    ret->cluster = draft->cluster->id;
    ret->parts = parts.at;
    ret->parts_len = parts.len;
    ret->nodes = fl_arena_copy(arena, draft->nodes, entry->replicas * sizeof *draft->nodes);
}

static bool pick_roles(struct draft *draft, const struct shape *shape, bool is_plain)
{
    uint32_t order[FL_JOB_ROLES_MAX];

    judge_order_roles(shape, order);
    memset(draft->picked, 0, draft->cluster->nodes.len * sizeof *draft->picked);
    if (shape->kinds_len > 0) {
        memset(draft->picked_named, 0,
               draft->cluster->nodes.len * shape->kinds_len * sizeof *draft->picked_named);
    }
    draft->missing_ppm = 0;
    for (uint32_t r = 0; r < shape->roles_len; r++) {
        if (!pick_role(draft, shape, &shape->roles[order[r]], judge_first_replica(shape, order[r]),
                       is_plain)) {
            return false;
        }
    }
    return true;
}

/* No node could have more of anything free once others have ended, if there were no claims.  The
 * starts of the round itself end, too, so the tables are all that counts. */
static struct fl_resources take_bare_most(const struct cluster *cluster)
{
    struct fl_resources most = {0};

    for (uint32_t i = 0; i < cluster->nodes.len; i++) {
        const struct node *node = &cluster->nodes.at[i];

        if (!cluster_node_is_usable(cluster, node)) continue;
        most = fl_resources_most(most, room_empty(NULL, node, true));
    }
    return most;
}

/* Taken again only when the cluster has changed: else the nodes of the first few clusters would be
 * all that a round may look at, and rounds would come to one job each. */
static struct fl_resources bare_most(struct room *room, struct fl_cluster id)
{
    const struct cluster *cluster = cluster_table_at(room->clusters, id);
    struct room_cluster *known = &room->at.at[id.n - 1];

    if (known->bare_at == cluster->room_changes + 1) return known->bare_most;
    room->looked += cluster->nodes.len;
    known->bare_at = cluster->room_changes + 1;
    known->bare_most = take_bare_most(cluster);
    return known->bare_most;
}

void claim_check(const struct room *room)
{
    for (size_t i = 0; i < room->at.len && room->clusters; i++) {
        const struct room_cluster *known = &room->at.at[i];
        const struct cluster *cluster = room->clusters->clusters.at[i];

        if (known->bare_at != cluster->room_changes + 1) continue;
        fl_assert(fl_resources_is_same(known->bare_most, take_bare_most(cluster)));
    }
}

/* Whether the cluster is worth a draft: the shape may go there, and no replica is too large. */
static bool is_worth(struct chooser *chooser, struct fl_cluster id, const struct shape_entry *shape)
{
    struct room *room = &chooser->room;

    if (!judge_allows(cluster_table_at(room->clusters, id), &shape->shape)) return false;
    if (!judge_could_ever(room, id, shape)) return false;
    for (uint32_t r = 0; r < shape->shape.roles_len; r++) {
        if (!fl_resources_fit(shape->shape.roles[r].each, bare_most(room, id))) return false;
    }
    return true;
}

/* The next cluster by load that is worth it; false: there is none among those that are asked. */
static bool next_draft(struct chooser *chooser, const struct shape_entry *shape, uint32_t *asked,
                       struct draft *draft)
{
    struct room *room = &chooser->room;
    struct fl_cluster id;

    while ((*asked)++ < ASKED_MAX && (id = choose_next(chooser)).n != 0) {
        if (!is_worth(chooser, id, shape)) continue;
        draft->room = room;
        draft->cluster = cluster_table_at(room->clusters, id);
        draft->changed = room_changed(room, id);
        draft->is_bare = false;
        fl_vec_reserve(&room->left, draft->cluster->nodes.len);
        fl_vec_reserve(&room->left_named, draft->cluster->nodes.len * shape->shape.kinds_len);
        fl_vec_reserve(&room->found, shape->replicas);
        draft->picked = room->left.at;
        draft->picked_named = room->left_named.at;
        draft->nodes = room->found.at;
        return true;
    }
    return false;
}

/* Several roles may fit in one order of the nodes only: the one that judge takes when they are
 * empty. */
static bool pick_all(struct draft *draft, const struct shape *shape)
{
    return pick_roles(draft, shape, false) ||
           (shape->roles_len > 1 && pick_roles(draft, shape, true));
}

/* Whether only other claims are in the way of this one. */
static bool would_fit_bare(struct draft *draft, const struct shape *shape)
{
    draft->is_bare = true;
    return pick_all(draft, shape);
}

bool claim_make(struct chooser *chooser, const struct shape_entry *shape, struct shape_memo *memo,
                uint32_t percent_max, struct fl_arena *arena, struct claim_draft *ret)
{
    uint64_t best_ppm = UINT64_MAX;
    uint32_t asked = 0, compared = 0;
    struct draft draft = {0};
    bool is_closed = false;

    tolerance_init(&draft.tolerance, &shape->shape);
    choose_walk(chooser);
    while (compared < CLUSTERS_MAX && next_draft(chooser, shape, &asked, &draft)) {
        is_closed = is_closed || room_is_closed(draft.room, draft.cluster->id);
        if (room_is_closed(draft.room, draft.cluster->id)) continue;
        compared++;
        if (may_claim(&draft, &shape->shape, percent_max) && pick_all(&draft, &shape->shape)) {
            if (draft.missing_ppm < best_ppm) {
                best_ppm = draft.missing_ppm;
                list_parts(&draft, shape, arena, ret);
            }
        } else if (would_fit_bare(&draft, &shape->shape)) {
            room_close(draft.room, draft.cluster->id); /* later claims take nothing of it */
            is_closed = true;
        }
    }
    fl_heap_fini(&draft.nearest);
    if (best_ppm == UINT64_MAX && !is_closed) memo->possible.n = 0; /* others use too much now */
    return best_ppm != UINT64_MAX;
}

/* Tries the first few clusters by load. */
static void find_possible(struct chooser *chooser, const struct shape_entry *shape,
                          struct shape_memo *memo)
{
    uint32_t asked = 0, compared = 0;
    struct draft draft = {0};

    tolerance_init(&draft.tolerance, &shape->shape);
    choose_walk(chooser);
    while (!memo->possible.n && compared++ < CLUSTERS_MAX &&
           next_draft(chooser, shape, &asked, &draft)) {
        if (!would_fit_bare(&draft, &shape->shape)) continue;
        memo->possible = draft.cluster->id;
        memo->possible_at = draft.cluster->totals_at;
    }
    fl_heap_fini(&draft.nearest);
}

bool claim_is_possible(struct chooser *chooser, const struct shape_entry *shape,
                       struct shape_memo *memo)
{
    uint64_t stamp = chooser->room.clusters->stamp;

    if (memo->impossible_at == stamp) return false;
    if (memo->possible.n) {
        const struct cluster *cluster = cluster_table_at(chooser->room.clusters, memo->possible);

        if (judge_takes_work(cluster) && cluster->totals_at == memo->possible_at) return true;
    }
    memo->possible.n = 0;
    find_possible(chooser, shape, memo);
    if (!memo->possible.n) memo->impossible_at = stamp;
    return memo->possible.n != 0;
}

static bool has_named(const struct room_node *seen, const struct node *node,
                      const struct claim_part *part, bool is_now)
{
    for (uint32_t k = 0; k < part->kinds_len; k++) {
        const struct named_resource *resource =
            named_resources_find(room_named(seen, node), part->kind_numbers[k]);
        uint64_t have = 0;

        if (resource) {
            have = is_now ? named_resource_spare(resource) : named_resource_empty(resource, false);
        }
        if (part->named[k] > have) return false;
    }
    return true;
}

static bool has_room(const struct room *room, const struct claim *claim, bool is_now)
{
    const struct cluster *cluster = cluster_table_at(room->clusters, claim->cluster);
    const struct room_cluster *changed = room_changed(room, claim->cluster);

    for (size_t i = 0; i < claim->nodes.len; i++) { /* no part stands for a replica without needs */
        if (!cluster_node_is_usable(cluster, &cluster->nodes.at[claim->nodes.at[i]])) return false;
    }
    for (size_t i = 0; i < claim->parts.len; i++) {
        const struct claim_part *part = &claim->parts.at[i];
        const struct node *node = &cluster->nodes.at[part->node];
        const struct room_node *seen = room_node(room, changed, part->node);

        if (!fl_resources_fit(part->room,
                              is_now ? room_spare(seen, node) : room_empty(seen, node, false)) ||
            !has_named(seen, node, part, is_now)) {
            return false;
        }
    }
    return true;
}

bool claim_is_whole(const struct room *room, const struct claim *claim)
{
    return has_room(room, claim, false);
}

bool claim_is_free(const struct room *room, const struct claim *claim, uint32_t unconfirmed_max,
                   struct placement *ret)
{
    const struct cluster *cluster = cluster_table_at(room->clusters, claim->cluster);
    const struct room_cluster *changed = room_changed(room, claim->cluster);

    *ret = (struct placement){.cluster = claim->cluster,
                              .nodes = claim->nodes.at,
                              .nodes_len = (uint32_t)claim->nodes.len,
                              .cursor = changed ? changed->cursor : cluster->node_cursor};
    return (changed ? changed->unconfirmed : cluster->unconfirmed) < unconfirmed_max &&
           has_room(room, claim, true);
}
