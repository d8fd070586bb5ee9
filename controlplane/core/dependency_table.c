#include "controlplane/core/dependency_table.h"

void dependency_table_init(struct dependency_table *table)
{
    *table = (struct dependency_table){0};
    fl_slab_init(&table->edges, sizeof(struct dependency_edge), DEPENDENCIES_MAX);
}

void dependency_table_fini(struct dependency_table *table)
{
    fl_slab_fini(&table->edges);
    fl_page_map_fini(&table->of_job);
    fl_page_map_fini(&table->of_target);
    fl_page_map_fini(&table->last);
    fl_page_map_fini(&table->count);
}

static struct dependency_edge *edge_at(const struct dependency_table *table,
                                       struct dependency_slot slot)
{
    return fl_slab_at(&table->edges, slot.n);
}

static struct dependency_slot find(const struct fl_page_map *map, uint64_t job)
{
    return (struct dependency_slot){fl_page_map_find(map, job)};
}

/* None: takes the job out. */
static void put(struct fl_page_map *map, uint64_t job, struct dependency_slot slot)
{
    if (slot.n) {
        fl_page_map_put(map, job, slot.n);
    } else {
        fl_page_map_remove(map, job);
    }
}

uint32_t dependency_table_dependents(const struct dependency_table *table, uint64_t target)
{
    return fl_page_map_find(&table->count, target);
}

static void count(struct dependency_table *table, uint64_t target, uint32_t dependents)
{
    if (dependents) {
        fl_page_map_put(&table->count, target, dependents);
    } else {
        fl_page_map_remove(&table->count, target);
    }
}

bool dependency_table_has_room(const struct dependency_table *table, size_t edges)
{
    return edges <= DEPENDENCIES_MAX - table->edges.len;
}

static void link_of_job(struct dependency_table *table, uint64_t job, struct dependency_slot slot)
{
    struct dependency_slot at = find(&table->of_job, job);

    if (!at.n) {
        put(&table->of_job, job, slot);
        return;
    }
    while (edge_at(table, at)->next_of_job.n) {
        at = edge_at(table, at)->next_of_job;
    }
    edge_at(table, at)->next_of_job = slot;
}

void dependency_table_add(struct dependency_table *table, uint64_t job, uint64_t target,
                          enum fl_dependency_on on)
{
    struct dependency_slot slot = {fl_slab_take(&table->edges)}, last = find(&table->last, target);
    struct dependency_edge *edge;

    fl_assert(slot.n && target < job);
    edge = edge_at(table, slot);
    edge->job = job;
    edge->target = target;
    edge->on = (uint8_t)on;
    edge->prev_of_target = last;
    if (last.n) {
        edge_at(table, last)->next_of_target = slot;
    } else {
        put(&table->of_target, target, slot);
    }
    put(&table->last, target, slot);
    count(table, target, dependency_table_dependents(table, target) + 1);
    link_of_job(table, job, slot);
}

const struct dependency_edge *dependency_table_first(const struct dependency_table *table,
                                                     uint64_t job)
{
    struct dependency_slot slot = find(&table->of_job, job);

    return slot.n ? edge_at(table, slot) : NULL;
}

const struct dependency_edge *dependency_table_next(const struct dependency_table *table,
                                                    const struct dependency_edge *edge)
{
    return edge->next_of_job.n ? edge_at(table, edge->next_of_job) : NULL;
}

static void unlink_of_target(struct dependency_table *table, const struct dependency_edge *edge)
{
    struct dependency_slot prev = edge->prev_of_target, next = edge->next_of_target;

    if (prev.n) {
        edge_at(table, prev)->next_of_target = next;
    } else {
        put(&table->of_target, edge->target, next);
    }
    if (next.n) {
        edge_at(table, next)->prev_of_target = prev;
    } else {
        put(&table->last, edge->target, prev);
    }
    count(table, edge->target, dependency_table_dependents(table, edge->target) - 1);
}

static void unlink_of_job(struct dependency_table *table, struct dependency_slot slot)
{
    const struct dependency_edge *edge = edge_at(table, slot);
    struct dependency_slot at = find(&table->of_job, edge->job);

    if (at.n == slot.n) {
        put(&table->of_job, edge->job, edge->next_of_job);
        return;
    }
    while (edge_at(table, at)->next_of_job.n != slot.n) {
        at = edge_at(table, at)->next_of_job;
    }
    edge_at(table, at)->next_of_job = edge->next_of_job;
}

static void drop_edge(struct dependency_table *table, struct dependency_slot slot)
{
    unlink_of_target(table, edge_at(table, slot));
    unlink_of_job(table, slot);
    fl_slab_give(&table->edges, slot.n);
}

bool dependency_table_take(struct dependency_table *table, uint64_t target,
                           struct dependency_edge *ret)
{
    struct dependency_slot slot = find(&table->of_target, target);

    if (!slot.n) return false;
    *ret = *edge_at(table, slot);
    drop_edge(table, slot);
    return true;
}

uint32_t dependency_table_drop(struct dependency_table *table, uint64_t job)
{
    struct dependency_slot slot;
    uint32_t dropped = 0;

    for (; (slot = find(&table->of_job, job)).n != 0; dropped++) {
        drop_edge(table, slot);
    }
    return dropped;
}
