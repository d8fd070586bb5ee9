#include "agent/core/node_table.h"

#include "shared/base/assert.h"
#include "shared/base/hash.h"

static void destroy_node(struct node *node)
{
    fl_free(node->name);
    fl_free(node->labels);
    fl_free(node->taints);
    fl_amounts_free(&node->own_named);
    fl_amounts_free(&node->total_named);
    fl_amounts_free(&node->foreign_named);
    fl_free(node);
}

void node_table_fini(struct node_table *table)
{
    for (size_t i = 0; i < table->nodes.len; i++) {
        destroy_node(table->nodes.at[i].node);
    }
    fl_vec_fini(&table->nodes);
    fl_vec_fini(&table->urgent);
    fl_heap_fini(&table->timed);
}

struct node *node_table_find(const struct node_table *table, uint32_t number)
{
    size_t i = fl_vec_lower_bound(&table->nodes, number, number);

    return i < table->nodes.len && table->nodes.at[i].number == number ? table->nodes.at[i].node
                                                                       : NULL;
}

static struct node *find_or_add(struct node_table *table, uint32_t number)
{
    struct node *node = node_table_find(table, number);

    if (node) return node;
    node = fl_new(struct node);
    node->number = number;
    fl_vec_insert(&table->nodes, fl_vec_lower_bound(&table->nodes, number, number),
                  (struct node_slot){number, node});
    return node;
}

static bool is_needed(const struct node *node)
{
    return node->is_here || node->charges || node->is_changed || node->is_urgent || node->is_timed;
}

static void forget_unneeded(struct node_table *table, struct node *node)
{
    if (is_needed(node)) return;
    fl_vec_remove(&table->nodes, fl_vec_lower_bound(&table->nodes, number, node->number));
    destroy_node(node);
}

static bool is_same_text(const char *have, size_t have_len, struct fl_str text)
{
    return fl_str_eq((struct fl_str){have, have_len}, text);
}

static void set_text(char **have, size_t *have_len, struct fl_str text)
{
    char *copy = fl_str_dup(text);

    fl_free(*have);
    *have = copy;
    *have_len = text.len;
}

static void set_amounts(struct fl_amounts *have, const struct fl_amounts *amounts)
{
    fl_amounts_free(have);
    *have = fl_amounts_clone(amounts);
}

static bool is_as_known(const struct node *node, const struct node_facts *facts)
{
    return node->is_here && node->is_ready == facts->is_ready &&
           fl_resources_is_same(node->total, facts->total) &&
           fl_resources_is_same(node->foreign, facts->foreign) &&
           fl_amounts_are_same(&node->total_named, &facts->total_named) &&
           fl_amounts_are_same(&node->foreign_named, &facts->foreign_named) &&
           is_same_text(node->name, node->name_len, facts->name) &&
           is_same_text(node->labels, node->labels_len, facts->labels) &&
           is_same_text(node->taints, node->taints_len, facts->taints);
}

bool node_table_see(struct node_table *table, uint32_t number, const struct node_facts *facts)
{
    struct node *node = find_or_add(table, number);

    if (is_as_known(node, facts)) return false;
    table->here_len += !node->is_here;
    node->is_here = true;
    node->is_ready = facts->is_ready;
    node->total = facts->total;
    node->foreign = facts->foreign;
    set_amounts(&node->total_named, &facts->total_named);
    set_amounts(&node->foreign_named, &facts->foreign_named);
    set_text(&node->name, &node->name_len, facts->name);
    set_text(&node->labels, &node->labels_len, facts->labels);
    set_text(&node->taints, &node->taints_len, facts->taints);
    return true;
}

void node_table_leave(struct node_table *table, struct node *node)
{
    fl_assert(node->is_here);
    table->here_len--;
    node->is_here = node->is_ready = false;
    node->total = node->foreign = (struct fl_resources){0};
    fl_amounts_free(&node->total_named);
    fl_amounts_free(&node->foreign_named);
    set_text(&node->labels, &node->labels_len, (struct fl_str){0});
    set_text(&node->taints, &node->taints_len, (struct fl_str){0});
}

void node_table_charge(struct node_table *table, uint32_t number, struct fl_resources resources,
                       const struct fl_amounts *named)
{
    struct node *node = find_or_add(table, number);

    node->charges++;
    fl_resources_sum_add(&node->own, resources);
    fl_amounts_sum_add(&node->own_named, named);
}

void node_table_uncharge(struct node_table *table, uint32_t number, struct fl_resources resources,
                         const struct fl_amounts *named)
{
    struct node *node = node_table_find(table, number);

    fl_assert(node && node->charges > 0);
    node->charges--;
    fl_resources_sum_take(&node->own, resources);
    fl_amounts_sum_take(&node->own_named, named);
    forget_unneeded(table, node);
}

struct fl_resources node_table_free(const struct node *node)
{
    struct fl_resources free = node->total;

    fl_resources_take_most(&free, node->foreign);
    fl_resources_take_most(&free, fl_resources_sum_least(node->own, free));
    return free;
}

uint64_t node_table_free_named(const struct node *node, struct fl_str name)
{
    uint64_t free = fl_amounts_of(&node->total_named, name);
    uint64_t foreign = fl_amounts_of(&node->foreign_named, name);
    uint64_t own = fl_amounts_of(&node->own_named, name);

    free -= foreign < free ? foreign : free;
    return free - (own < free ? own : free);
}

static void push_timed(struct node_table *table, struct node *node)
{
    node->is_timed = true;
    fl_heap_push(
        &table->timed,
        (struct fl_heap_item){.key = node->next_at, .tie = node->number, .value = node->number});
}

void node_table_touch(struct node_table *table, struct node *node, bool is_urgent)
{
    node->is_changed = true;
    if (is_urgent && !node->is_urgent) {
        node->is_urgent = true;
        fl_vec_push(&table->urgent, node->number);
    }
    if (!is_urgent && !node->is_timed) push_timed(table, node);
}

void node_table_touch_all(struct node_table *table)
{
    node_table_clear_due(table);
    for (size_t i = 0; i < table->nodes.len; i++) {
        struct node *node = table->nodes.at[i].node;

        if (!node->is_here) continue;
        node->is_untold = true;
        table->untold_len++;
        node_table_touch(table, node, true);
    }
}

static struct node *take_urgent(struct node_table *table)
{
    struct node *node;

    if (table->urgent_taken == table->urgent.len) return NULL;
    node = node_table_find(table, table->urgent.at[table->urgent_taken++]);
    if (table->urgent_taken == table->urgent.len) {
        table->urgent_taken = 0;
        fl_vec_clear(&table->urgent);
    }
    fl_assert(node && node->is_urgent && node->is_changed);
    node->is_urgent = false;
    return node;
}

struct node *node_table_take_due(struct node_table *table, fl_ms now)
{
    const struct fl_heap_item *top;
    struct node *node = take_urgent(table);

    if (node) return node;
    while ((top = fl_heap_peek(&table->timed)) && top->key <= now) {
        node = node_table_find(table, (uint32_t)fl_heap_pop(&table->timed).value);
        fl_assert(node && node->is_timed);
        node->is_timed = false;
        if (!node->is_changed) { /* an urgent report has covered it since */
            forget_unneeded(table, node);
        } else if (node->next_at > now) {
            push_timed(table, node);
        } else {
            return node;
        }
    }
    return NULL;
}

void node_table_settle(struct node_table *table, struct node *node, fl_ms next_at)
{
    node->is_changed = false;
    table->untold_len -= node->is_untold;
    node->is_untold = false;
    node->next_at = next_at;
    forget_unneeded(table, node);
}

fl_ms node_table_due_at(const struct node_table *table, fl_ms now)
{
    const struct fl_heap_item *top = fl_heap_peek(&table->timed);

    if (table->urgent.len) return now;
    return top ? top->key : INT64_MAX;
}

void node_table_clear_due(struct node_table *table)
{
    size_t kept = 0;

    fl_vec_clear(&table->urgent);
    table->urgent_taken = 0;
    fl_heap_fini(&table->timed);
    table->untold_len = 0;
    for (size_t i = 0; i < table->nodes.len; i++) {
        struct node *node = table->nodes.at[i].node;

        node->is_changed = node->is_urgent = node->is_timed = node->is_untold = false;
        if (is_needed(node)) {
            table->nodes.at[kept++] = table->nodes.at[i];
        } else {
            destroy_node(node);
        }
    }
    table->nodes.len = kept;
}

static uint64_t hash_resources(uint64_t so_far, struct fl_resources resources)
{
    so_far = fl_hash_u64(so_far, resources.memory_bytes);
    return fl_hash_u64(so_far, (uint64_t)resources.cpu_milli << 32 | resources.gpus);
}

uint64_t node_table_hash(const struct node_table *table, uint64_t so_far)
{
    for (size_t i = 0; i < table->nodes.len; i++) {
        const struct node *node = table->nodes.at[i].node;
        uint64_t flags = node->is_here;

        flags = flags << 1 | node->is_ready;
        flags = flags << 1 | node->is_changed;
        flags = flags << 1 | node->is_urgent;
        flags = flags << 1 | node->is_timed;
        flags = flags << 1 | node->is_untold;
        so_far = fl_hash_u64(so_far, (uint64_t)node->number << 32 | node->charges);
        so_far = fl_hash_u64(so_far, flags);
        so_far = hash_resources(so_far, node->total);
        so_far = hash_resources(so_far, node->foreign);
        so_far = fl_hash_u64(so_far, node->own.memory_bytes);
        so_far = fl_hash_u64(so_far, node->own.cpu_milli);
        so_far = fl_hash_u64(so_far, node->own.gpus);
        so_far = fl_amounts_hash(so_far, &node->own_named);
        so_far = fl_amounts_hash(so_far, &node->total_named);
        so_far = fl_amounts_hash(so_far, &node->foreign_named);
        so_far = fl_hash_u64(so_far, (uint64_t)node->next_at);
        if (node->name) so_far = fl_hash64(so_far, node->name, node->name_len);
        if (node->labels) so_far = fl_hash64(so_far, node->labels, node->labels_len);
        if (node->taints) so_far = fl_hash64(so_far, node->taints, node->taints_len);
    }
    for (size_t i = table->urgent_taken; i < table->urgent.len; i++) {
        so_far = fl_hash_u64(so_far, table->urgent.at[i]);
    }
    return so_far;
}

void node_table_check(const struct node_table *table)
{
    size_t here_len = 0;
    size_t timed_len = 0;
    size_t urgent_len = 0;
    size_t untold_len = 0;

    for (size_t i = 0; i < table->nodes.len; i++) {
        const struct node_slot *slot = &table->nodes.at[i];

        fl_assert(i == 0 || table->nodes.at[i - 1].number < slot->number);
        fl_assert(slot->node->number == slot->number && is_needed(slot->node));
        fl_assert(!slot->node->is_changed || slot->node->is_urgent || slot->node->is_timed);
        fl_assert(slot->node->charges ||
                  (fl_resources_sum_is_zero(slot->node->own) && slot->node->own_named.len == 0));
        here_len += slot->node->is_here;
        timed_len += slot->node->is_timed;
        urgent_len += slot->node->is_urgent;
        untold_len += slot->node->is_untold;
        fl_assert(!slot->node->is_untold || slot->node->is_urgent);
    }
    fl_assert(here_len == table->here_len);
    fl_assert(timed_len == table->timed.len);
    fl_assert(untold_len == table->untold_len);
    fl_assert(urgent_len == table->urgent.len - table->urgent_taken);
}
