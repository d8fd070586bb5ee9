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

static struct dependency_edge *edge_at(const struct dependency_table *table, uint32_t slot)
{
    return fl_slab_at(&table->edges, slot);
}

/* 0: takes the key out. */
static void put(struct fl_page_map *map, uint64_t key, uint32_t value)
{
    if (value) {
        fl_page_map_put(map, key, value);
    } else {
        fl_page_map_remove(map, key);
    }
}

uint32_t dependency_table_dependents(const struct dependency_table *table, uint64_t target)
{
    return fl_page_map_find(&table->count, target);
}

bool dependency_table_has_room(const struct dependency_table *table, size_t edges)
{
    return edges <= DEPENDENCIES_MAX - table->edges.len;
}

static void link_of_job(struct dependency_table *table, uint64_t job, uint32_t slot)
{
    uint32_t at = fl_page_map_find(&table->of_job, job);

    if (!at) {
        fl_page_map_put(&table->of_job, job, slot);
        return;
    }
    while (edge_at(table, at)->next_of_job) {
        at = edge_at(table, at)->next_of_job;
    }
    edge_at(table, at)->next_of_job = slot;
}

void dependency_table_add(struct dependency_table *table, uint64_t job, uint64_t target,
                          enum fl_dependency_on on)
{
    uint32_t slot = fl_slab_take(&table->edges), last = fl_page_map_find(&table->last, target);
    struct dependency_edge *edge;

    fl_assert(slot && target < job);
    edge = edge_at(table, slot);
    edge->job = job;
    edge->target = target;
    edge->on = (uint8_t)on;
    edge->prev_of_target = last;
    if (last) {
        edge_at(table, last)->next_of_target = slot;
    } else {
        fl_page_map_put(&table->of_target, target, slot);
    }
    fl_page_map_put(&table->last, target, slot);
    fl_page_map_put(&table->count, target, fl_page_map_find(&table->count, target) + 1);
    link_of_job(table, job, slot);
}

const struct dependency_edge *dependency_table_first(const struct dependency_table *table,
                                                     uint64_t job)
{
    uint32_t slot = fl_page_map_find(&table->of_job, job);

    return slot ? edge_at(table, slot) : NULL;
}

const struct dependency_edge *dependency_table_next(const struct dependency_table *table,
                                                    const struct dependency_edge *edge)
{
    return edge->next_of_job ? edge_at(table, edge->next_of_job) : NULL;
}

static void unlink_of_target(struct dependency_table *table, const struct dependency_edge *edge)
{
    uint32_t prev = edge->prev_of_target, next = edge->next_of_target;

    if (prev) {
        edge_at(table, prev)->next_of_target = next;
    } else {
        put(&table->of_target, edge->target, next);
    }
    if (next) {
        edge_at(table, next)->prev_of_target = prev;
    } else {
        put(&table->last, edge->target, prev);
    }
    put(&table->count, edge->target, fl_page_map_find(&table->count, edge->target) - 1);
}

static void unlink_of_job(struct dependency_table *table, uint32_t slot)
{
    const struct dependency_edge *edge = edge_at(table, slot);
    uint32_t at = fl_page_map_find(&table->of_job, edge->job);

    if (at == slot) {
        put(&table->of_job, edge->job, edge->next_of_job);
        return;
    }
    while (edge_at(table, at)->next_of_job != slot) {
        at = edge_at(table, at)->next_of_job;
    }
    edge_at(table, at)->next_of_job = edge->next_of_job;
}

static void drop_edge(struct dependency_table *table, uint32_t slot)
{
    unlink_of_target(table, edge_at(table, slot));
    unlink_of_job(table, slot);
    fl_slab_give(&table->edges, slot);
}

bool dependency_table_take(struct dependency_table *table, uint64_t target,
                           struct dependency_edge *ret)
{
    uint32_t slot = fl_page_map_find(&table->of_target, target);

    if (!slot) return false;
    *ret = *edge_at(table, slot);
    drop_edge(table, slot);
    return true;
}

void dependency_table_drop(struct dependency_table *table, uint64_t job)
{
    uint32_t slot;

    while ((slot = fl_page_map_find(&table->of_job, job)) != 0) {
        drop_edge(table, slot);
    }
}
