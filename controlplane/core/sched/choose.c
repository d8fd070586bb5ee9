#include "controlplane/core/sched/choose.h"

#include "shared/base/assert.h"

#define NO_LOAD UINT64_MAX /* a cluster that takes no work is behind all others */

/* So many clusters that have grown are sorted by hand; if more have, the whole order is walked. */
enum { GROWN_MAX = 16 };

void chooser_fini(struct chooser *chooser)
{
    room_fini(&chooser->room);
    fl_vec_fini(&chooser->shapes);
    fl_vec_fini(&chooser->order);
    fl_vec_fini(&chooser->place);
    fl_vec_fini(&chooser->load);
    fl_vec_fini(&chooser->walked);
    fl_heap_fini(&chooser->frontier);
}

/* ---- the order by load ----------------------------------------------------------------------- */

/* How much of 'total' is not free, in parts per million.  'step' keeps the numbers small. */
static uint64_t used_ppm(uint64_t total, uint64_t free, uint32_t step)
{
    uint64_t steps = total >> step;

    return steps ? ((total - free) >> step) * 1000000 / steps : 0;
}

/* How much of its scarcest resource is in use, in parts per million. */
static uint64_t load_ppm(const struct room *room, struct fl_cluster id)
{
    const struct cluster *cluster = cluster_table_at(room->clusters, id);
    const struct room_cluster *changed = room_changed(room, id);
    struct fl_resources_sum total = cluster->total_sum;
    struct fl_resources_sum free = changed ? changed->free_sum : cluster->free_sum;
    const struct named_resources *named = changed ? &changed->named : &cluster->named;
    uint64_t worst = used_ppm(total.cpu_milli, free.cpu_milli, total.cpu_milli >> 32 ? 10 : 0);
    uint64_t memory = used_ppm(total.memory_bytes, free.memory_bytes, 20);
    uint64_t gpus = used_ppm(total.gpus, free.gpus, total.gpus >> 32 ? 10 : 0);

    if (!judge_takes_work(cluster)) return NO_LOAD;
    if (memory > worst) worst = memory;
    if (gpus > worst) worst = gpus;
    for (uint8_t i = 0; i < named->len; i++) {
        const struct named_resource *resource = &named->at[i];
        uint64_t used = used_ppm(resource->total, resource->free, resource->total >> 32 ? 20 : 0);

        if (used > worst) worst = used;
    }
    return worst;
}

static bool is_before(const struct chooser *chooser, struct fl_cluster a, struct fl_cluster b)
{
    uint64_t load_a = chooser->load.at[a.n - 1], load_b = chooser->load.at[b.n - 1];

    return load_a != load_b ? load_a < load_b : a.n < b.n;
}

static void put(struct chooser *chooser, uint32_t place, struct fl_cluster id)
{
    chooser->order.at[place] = id;
    chooser->place.at[id.n - 1] = place;
}

static void sift(struct chooser *chooser, struct fl_cluster id)
{
    uint32_t place = chooser->place.at[id.n - 1], len = (uint32_t)chooser->order.len;

    while (place > 0 && is_before(chooser, id, chooser->order.at[(place - 1) / 2])) {
        put(chooser, place, chooser->order.at[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    for (;;) {
        uint32_t child = 2 * place + 1;

        if (child + 1 < len &&
            is_before(chooser, chooser->order.at[child + 1], chooser->order.at[child])) {
            child++;
        }
        if (child >= len || is_before(chooser, id, chooser->order.at[child])) break;
        put(chooser, place, chooser->order.at[child]);
        place = child;
    }
    put(chooser, place, id);
}

static void weigh(struct chooser *chooser, struct fl_cluster id)
{
    uint64_t load = load_ppm(&chooser->room, id);

    if (chooser->load.at[id.n - 1] == load) return;
    chooser->load.at[id.n - 1] = load;
    chooser->is_order_changed = true;
    sift(chooser, id);
}

void chooser_begin(struct chooser *chooser, const struct cluster_table *clusters)
{
    room_begin(&chooser->room, clusters);
    while (chooser->order.len < clusters->clusters.len) {
        uint32_t place = (uint32_t)chooser->order.len;

        fl_vec_push(&chooser->place, place);
        fl_vec_push(&chooser->load, NO_LOAD);
        fl_vec_push(&chooser->order, (struct fl_cluster){place + 1});
    }
    for (size_t i = 0; i < clusters->loads_changed.len; i++) {
        weigh(chooser, clusters->loads_changed.at[i]);
    }
}

static void reach(struct chooser *chooser, uint32_t place)
{
    struct fl_cluster id;

    if (place >= chooser->order.len) return;
    id = chooser->order.at[place];
    if (chooser->load.at[id.n - 1] == NO_LOAD) return;
    fl_heap_push(&chooser->frontier,
                 (struct fl_heap_item){
                     .key = (int64_t)chooser->load.at[id.n - 1], .tie = id.n, .value = place});
}

void choose_walk(struct chooser *chooser)
{
    chooser->walk = 0;
    if (!chooser->is_order_changed) return;
    chooser->is_order_changed = false;
    chooser->walked.len = chooser->frontier.len = 0;
    reach(chooser, 0);
}

/* False: the walks have had all. */
static bool walk_on(struct chooser *chooser)
{
    struct fl_heap_item next;

    if (chooser->frontier.len == 0) return false;
    next = fl_heap_pop(&chooser->frontier);
    reach(chooser, 2 * (uint32_t)next.value + 1);
    reach(chooser, 2 * (uint32_t)next.value + 2);
    fl_vec_push(&chooser->walked, (struct fl_cluster){(uint32_t)next.tie});
    return true;
}

struct fl_cluster choose_next(struct chooser *chooser)
{
    if (chooser->walk == chooser->walked.len && !walk_on(chooser)) return (struct fl_cluster){0};
    chooser->room.looked++;
    return chooser->walked.at[chooser->walk++];
}

/* ---- memory about a shape -------------------------------------------------------------------- */

struct shape_memo *choose_memo(struct chooser *chooser, const struct shape_entry *entry,
                               struct shape_slot shape)
{
    struct shape_memo *memo;

    while (chooser->shapes.len <= shape.n) {
        fl_vec_push(&chooser->shapes, (struct shape_memo){0});
    }
    memo = &chooser->shapes.at[shape.n];
    if (memo->id != entry->id) *memo = (struct shape_memo){.id = entry->id};
    return memo;
}

bool choose_could_ever(struct chooser *chooser, const struct shape_table *shapes,
                       struct shape_slot shape)
{
    const struct shape_entry *entry = shape_table_at(shapes, shape);
    const struct cluster_table *clusters = chooser->room.clusters;
    struct shape_memo *memo = choose_memo(chooser, entry, shape);

    if (memo->never_at == clusters->totals_at) return false;
    if (memo->ever.n) {
        if (memo->ever_at >= cluster_table_at(clusters, memo->ever)->totals_at) return true;
        memo->ever_at = clusters->totals_at;
        if (judge_could_ever(&chooser->room, memo->ever, entry)) return true;
        memo->ever.n = 0;
    }
    for (struct fl_cluster id = {1}; id.n <= clusters->clusters.len; id.n++) {
        if (cluster_table_at(clusters, id)->totals_at <= memo->never_at) continue;
        if (!judge_could_ever(&chooser->room, id, entry)) continue;
        memo->ever = id;
        memo->ever_at = clusters->totals_at;
        return true;
    }
    memo->never_at = clusters->totals_at;
    return false;
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* Whether the cluster will be able to, without anybody's help. */
static bool is_busy(enum reason reason)
{
    return reason == REASON_InsufficientCapacity || reason == REASON_Fragmented ||
           reason == REASON_Claimed || reason == REASON_DispatchLimit;
}

/* Whether any cluster that takes work now is one that the job may go to.  It walks the heap's own
 * array, in which nearly always the first will do. */
static bool has_candidate(struct chooser *chooser, const struct shape_entry *entry)
{
    for (size_t i = 0; i < chooser->order.len; i++) {
        struct fl_cluster id = chooser->order.at[i];

        if (chooser->load.at[id.n - 1] == NO_LOAD) continue;
        chooser->room.looked++;
        if (judge_allows(cluster_table_at(chooser->room.clusters, id), &entry->shape)) return true;
    }
    return false;
}

/* Those that have grown since, by load, and none behind the last; false: they are many. */
static bool grown_since(const struct chooser *chooser, uint64_t tried_at,
                        struct fl_cluster ret_ids[GROWN_MAX + 1])
{
    const struct cluster_table *clusters = chooser->room.clusters;
    uint32_t len = 0;

    for (struct fl_cluster id = clusters->grown_first; id.n;) {
        const struct cluster *cluster = cluster_table_at(clusters, id);
        uint32_t at;

        if (cluster->grown_at <= tried_at) break;
        if (len == GROWN_MAX) return false;
        if (chooser->load.at[id.n - 1] != NO_LOAD) {
            for (at = len++; at > 0 && is_before(chooser, id, ret_ids[at - 1]); at--) {
                ret_ids[at] = ret_ids[at - 1];
            }
            ret_ids[at] = id;
        }
        id = cluster->grown_next;
    }
    ret_ids[len] = (struct fl_cluster){0};
    return true;
}

enum reason choose(struct chooser *chooser, const struct shape_entry *entry,
                   struct shape_memo *memo, uint32_t unconfirmed_max, struct placement *ret)
{
    const struct cluster_table *clusters = chooser->room.clusters;
    struct fl_cluster grown[GROWN_MAX + 1], id;
    uint32_t next = 0;
    bool is_short;

    if (memo->tried_at == clusters->stamp) return (enum reason)memo->said;
    is_short = grown_since(chooser, memo->tried_at, grown);
    chooser->room.looked++;
    chooser->asked++;
    if (!is_short) choose_walk(chooser);
    while ((id = is_short ? grown[next++] : choose_next(chooser)).n != 0) {
        enum reason reason;

        if (!is_short && cluster_table_at(clusters, id)->grown_at <= memo->tried_at) continue;
        reason = judge(&chooser->room, id, entry, unconfirmed_max, ret);
        if (reason == REASON_Fits) return reason;
        if (is_busy(reason)) memo->busy = (uint8_t)reason;
    }
    memo->tried_at = clusters->stamp;
    memo->said = memo->busy && has_candidate(chooser, entry) ? memo->busy : REASON_ClusterUnhealthy;
    return (enum reason)memo->said;
}

void choose_start(struct chooser *chooser, const struct shape_entry *shape,
                  const struct placement *placement)
{
    for (uint32_t i = 0; i < placement->nodes_len; i++) {
        const struct shape_role *role = shape_role_of(&shape->shape, i);

        room_take(&chooser->room, placement->cluster, placement->nodes[i], role->each);
        if (shape->shape.kinds_len == 0) continue;
        room_take_named(&chooser->room, placement->cluster, placement->nodes[i],
                        shape_wants(&shape->shape, role));
    }
    room_start(&chooser->room, placement->cluster, placement->cursor);
    weigh(chooser, placement->cluster);
}
