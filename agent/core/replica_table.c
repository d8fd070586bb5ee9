#include "agent/core/replica_table.h"

#include "agent/core/element.h"
#include "shared/base/assert.h"

static void free_texts(struct replica *replica)
{
    fl_amounts_free(&replica->named);
    fl_free(replica->words);
    replica->words = NULL;
}

void replica_table_init(struct replica_table *table)
{
    *table = (struct replica_table){0};
    /* The core checks the configured bounds; adopted replicas may exceed them. */
    fl_slab_init(&table->attempts, sizeof(struct attempt), UINT32_MAX);
    fl_slab_init(&table->replicas, sizeof(struct replica), UINT32_MAX);
}

void replica_table_fini(struct replica_table *table)
{
    for (uint32_t slot = table->first; slot; slot = replica_table_attempt(table, slot)->next) {
        struct attempt *attempt = replica_table_attempt(table, slot);

        for (size_t i = 0; i < attempt->replicas.len; i++) {
            free_texts(replica_table_at(table, attempt->replicas.at[i].slot));
        }
        fl_vec_fini(&attempt->replicas);
    }
    fl_slab_fini(&table->attempts);
    fl_slab_fini(&table->replicas);
    fl_map_fini(&table->by_element);
}

uint32_t replica_table_find_newest(const struct replica_table *table, struct fl_attempt of_element)
{
    struct element_key key = element_key(of_element);
    uint64_t slot = 0;

    return fl_map_find(&table->by_element, &key, sizeof(key), &slot) ? (uint32_t)slot : 0;
}

uint32_t replica_table_find_attempt(const struct replica_table *table, struct fl_attempt id)
{
    uint32_t slot = replica_table_find_newest(table, id);

    while (slot && !fl_attempt_is_same(replica_table_attempt(table, slot)->id, id)) {
        slot = replica_table_attempt(table, slot)->older;
    }
    return slot;
}

uint32_t replica_table_find(const struct replica_table *table, struct fl_attempt id,
                            uint32_t number)
{
    uint32_t slot = replica_table_find_attempt(table, id);
    struct attempt *attempt;
    size_t i;

    if (!slot) return 0;
    attempt = replica_table_attempt(table, slot);
    i = fl_vec_lower_bound(&attempt->replicas, number, number);
    if (i == attempt->replicas.len || attempt->replicas.at[i].number != number) return 0;
    return attempt->replicas.at[i].slot;
}

uint32_t replica_table_add_attempt(struct replica_table *table, struct fl_attempt id)
{
    struct element_key key = element_key(id);
    uint32_t slot = fl_slab_take(&table->attempts);
    struct attempt *attempt = replica_table_attempt(table, slot);
    uint32_t newer = 0;
    uint32_t older = replica_table_find_newest(table, id);

    attempt->id = id;
    while (older && attempt_is_older(id, replica_table_attempt(table, older)->id)) {
        newer = older;
        older = replica_table_attempt(table, older)->older;
    }
    fl_assert(!older || !fl_attempt_is_same(replica_table_attempt(table, older)->id, id));
    attempt->older = older;
    if (newer) {
        replica_table_attempt(table, newer)->older = slot;
    } else {
        fl_map_put(&table->by_element, &key, sizeof(key), slot);
    }
    attempt->prev = table->last;
    if (table->last) {
        replica_table_attempt(table, table->last)->next = slot;
    } else {
        table->first = slot;
    }
    table->last = slot;
    return slot;
}

static void remove_attempt(struct replica_table *table, uint32_t slot)
{
    struct attempt *attempt = replica_table_attempt(table, slot);
    struct element_key key = element_key(attempt->id);
    uint32_t newest = replica_table_find_newest(table, attempt->id);

    if (newest != slot) {
        uint32_t newer = newest;

        while (replica_table_attempt(table, newer)->older != slot) {
            newer = replica_table_attempt(table, newer)->older;
        }
        replica_table_attempt(table, newer)->older = attempt->older;
    } else if (attempt->older) {
        fl_map_put(&table->by_element, &key, sizeof(key), attempt->older);
    } else {
        fl_map_remove(&table->by_element, &key, sizeof(key));
    }
    if (attempt->prev) {
        replica_table_attempt(table, attempt->prev)->next = attempt->next;
    } else {
        table->first = attempt->next;
    }
    if (attempt->next) {
        replica_table_attempt(table, attempt->next)->prev = attempt->prev;
    } else {
        table->last = attempt->prev;
    }
    fl_vec_fini(&attempt->replicas);
    fl_slab_give(&table->attempts, slot);
}

uint32_t replica_table_add(struct replica_table *table, uint32_t attempt_slot, uint32_t number)
{
    struct attempt *attempt = replica_table_attempt(table, attempt_slot);
    uint32_t slot = fl_slab_take(&table->replicas);
    struct replica *replica = replica_table_at(table, slot);
    size_t i = fl_vec_lower_bound(&attempt->replicas, number, number);

    fl_assert(i == attempt->replicas.len || attempt->replicas.at[i].number != number);
    replica->attempt = attempt_slot;
    replica->number = number;
    fl_vec_insert(&attempt->replicas, i, (struct attempt_replica){number, slot});
    return slot;
}

void replica_table_remove(struct replica_table *table, uint32_t slot)
{
    struct replica *replica = replica_table_at(table, slot);
    uint32_t attempt_slot = replica->attempt;
    struct attempt *attempt = replica_table_attempt(table, attempt_slot);
    size_t i = fl_vec_lower_bound(&attempt->replicas, number, replica->number);

    for (int list = 0; list < REPLICA_LISTS_LEN; list++) {
        replica_table_unlink(table, list, slot);
    }
    if (replica->is_acked) attempt->acked--;
    fl_vec_remove(&attempt->replicas, i);
    free_texts(replica);
    fl_slab_give(&table->replicas, slot);
    if (attempt->replicas.len == 0) remove_attempt(table, attempt_slot);
}

void replica_table_append(struct replica_table *table, enum replica_list_name list, uint32_t slot)
{
    struct replica *replica = replica_table_at(table, slot);
    uint32_t last = table->lists[list].last;

    fl_assert(!replica->links[list].is_in);
    replica->links[list].is_in = true;
    replica->links[list].prev = last;
    replica->links[list].next = 0;
    if (last) {
        replica_table_at(table, last)->links[list].next = slot;
    } else {
        table->lists[list].first = slot;
    }
    table->lists[list].last = slot;
    table->lists[list].len++;
}

void replica_table_unlink(struct replica_table *table, enum replica_list_name list, uint32_t slot)
{
    struct replica *replica = replica_table_at(table, slot);
    uint32_t prev = replica->links[list].prev;
    uint32_t next = replica->links[list].next;

    if (!replica->links[list].is_in) return;
    if (prev) {
        replica_table_at(table, prev)->links[list].next = next;
    } else {
        table->lists[list].first = next;
    }
    if (next) {
        replica_table_at(table, next)->links[list].prev = prev;
    } else {
        table->lists[list].last = prev;
    }
    replica->links[list].is_in = false;
    replica->links[list].prev = replica->links[list].next = 0;
    table->lists[list].len--;
}

static uint64_t hash_replica(uint64_t so_far, const struct replica *replica)
{
    uint8_t usage[FL_USAGE_BYTES];
    struct fl_str used = fl_usage_write(&replica->usage, usage);
    uint64_t flags = replica->asked;

    flags = flags << 1 | replica->is_given_up;
    flags = flags << 1 | replica->is_charged;
    flags = flags << 1 | replica->is_acked;
    flags = flags << 1 | replica->is_gone;
    so_far = fl_hash_u64(so_far, (uint64_t)replica->number << 32 | replica->node);
    so_far = fl_hash_u64(so_far, (uint64_t)replica->seen << 32 | (uint32_t)replica->exit_code);
    so_far = fl_hash_u64(so_far, replica->resources.memory_bytes);
    so_far =
        fl_hash_u64(so_far, (uint64_t)replica->resources.cpu_milli << 32 | replica->resources.gpus);
    so_far = fl_amounts_hash(so_far, &replica->named);
    so_far = fl_hash64(so_far, replica->words, replica->words ? strlen(replica->words) : 0);
    so_far = fl_hash64(so_far, used.at, used.len);
    so_far = fl_hash_u64(so_far, replica->output_bytes);
    so_far = fl_hash_u64(so_far, replica->report_seq);
    so_far = fl_hash_u64(so_far, (uint64_t)replica->gate_until);
    so_far = fl_hash_u64(so_far, (uint64_t)replica->again_at);
    return fl_hash_u64(so_far, (uint64_t)replica->cause << 32 | flags);
}

uint64_t replica_table_hash(const struct replica_table *table, uint64_t so_far)
{
    for (uint32_t slot = table->first; slot; slot = replica_table_attempt(table, slot)->next) {
        const struct attempt *attempt = replica_table_attempt(table, slot);

        so_far = attempt_hash(so_far, attempt->id);
        so_far = fl_hash64(so_far, attempt->spec.at, sizeof(attempt->spec.at));
        so_far = fl_hash_u64(so_far, (uint64_t)attempt->want << 32 | attempt->grace_ms);
        for (size_t i = 0; i < attempt->replicas.len; i++) {
            so_far = hash_replica(so_far, replica_table_at(table, attempt->replicas.at[i].slot));
        }
    }
    return so_far;
}

static void check_list(const struct replica_table *table, enum replica_list_name list)
{
    uint32_t prev = 0;
    uint32_t len = 0;

    for (uint32_t slot = table->lists[list].first; slot;
         slot = replica_table_at(table, slot)->links[list].next) {
        const struct replica *replica = replica_table_at(table, slot);

        fl_assert(replica->links[list].is_in && replica->links[list].prev == prev);
        if (prev && list == REPLICA_GATED) {
            fl_assert(replica_table_at(table, prev)->gate_until <= replica->gate_until);
        }
        if (prev && list == REPLICA_AGAIN) {
            fl_assert(replica_table_at(table, prev)->again_at <= replica->again_at);
        }
        if (prev && list == REPLICA_UNACKED) {
            fl_assert(replica_table_at(table, prev)->report_seq < replica->report_seq);
        }
        prev = slot;
        len++;
    }
    fl_assert(table->lists[list].last == prev && table->lists[list].len == len);
}

void replica_table_check(const struct replica_table *table)
{
    size_t attempts_len = 0;
    size_t newest_len = 0;
    size_t replicas_len = 0;
    size_t listed_len[REPLICA_LISTS_LEN] = {0};
    uint32_t prev = 0;

    for (uint32_t slot = table->first; slot; slot = replica_table_attempt(table, slot)->next) {
        const struct attempt *attempt = replica_table_attempt(table, slot);

        uint32_t acked_len = 0;

        fl_assert(attempt->prev == prev && attempt->replicas.len > 0);
        fl_assert(replica_table_find_attempt(table, attempt->id) == slot);
        if (attempt->older) {
            const struct attempt *older = replica_table_attempt(table, attempt->older);

            fl_assert(older->id.job.n == attempt->id.job.n);
            fl_assert(older->id.element == attempt->id.element);
            fl_assert(attempt_is_older(older->id, attempt->id));
        }
        newest_len += replica_table_find_newest(table, attempt->id) == slot;
        for (size_t i = 0; i < attempt->replicas.len; i++) {
            const struct attempt_replica *entry = &attempt->replicas.at[i];
            const struct replica *replica = replica_table_at(table, entry->slot);

            acked_len += replica->is_acked;
            fl_assert(i == 0 || attempt->replicas.at[i - 1].number < entry->number);
            fl_assert(replica->attempt == slot && replica->number == entry->number);
            for (int list = 0; list < REPLICA_LISTS_LEN; list++) {
                listed_len[list] += replica->links[list].is_in;
            }
        }
        fl_assert(acked_len == attempt->acked);
        replicas_len += attempt->replicas.len;
        attempts_len++;
        prev = slot;
    }
    fl_assert(table->last == prev);
    fl_assert(attempts_len == table->attempts.len && replicas_len == table->replicas.len);
    fl_assert(newest_len == table->by_element.len);
    for (int list = 0; list < REPLICA_LISTS_LEN; list++) {
        check_list(table, list);
        fl_assert(table->lists[list].len == listed_len[list]);
    }
}
