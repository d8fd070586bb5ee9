#include "controlplane/logs/owner_lookups.h"

#include "shared/base/assert.h"

struct source_key {
    uint64_t connection, source;
};

void log_owner_lookups_init(struct log_owner_lookups *lookups, size_t lookups_max)
{
    fl_assert(lookups_max > 0 && lookups_max < UINT32_MAX);
    *lookups = (struct log_owner_lookups){.lookups_max = lookups_max};
}

void log_owner_lookups_fini(struct log_owner_lookups *lookups)
{
    fl_vec_fini(&lookups->slots);
    fl_vec_fini(&lookups->spare);
    fl_map_fini(&lookups->by_source);
}

static uint32_t take_slot(struct log_owner_lookups *lookups)
{
    if (lookups->spare.len > 0) return fl_vec_pop(&lookups->spare);
    fl_vec_push(&lookups->slots, (struct log_owner_lookups_slot){0});
    return (uint32_t)lookups->slots.len - 1;
}

bool log_owner_lookups_is_full(const struct log_owner_lookups *lookups)
{
    return lookups->slots.len - lookups->spare.len >= lookups->lookups_max;
}

bool log_owner_lookups_add(struct log_owner_lookups *lookups, const struct log_owner_lookup *lookup,
                           uint64_t *ret_ticket, struct fl_err *err)
{
    struct source_key key = {lookup->connection, lookup->source};
    struct log_owner_lookups_slot *slot;
    uint32_t i;

    if (fl_map_find(&lookups->by_source, &key, sizeof(key), NULL)) {
        return fl_fail(err, FL_EXISTS, "log source %u is opened twice", lookup->source);
    }
    if (log_owner_lookups_is_full(lookups)) {
        return fl_fail(err, FL_FULL, "%zu log sources are being opened", lookups->lookups_max);
    }
    i = take_slot(lookups);
    slot = &lookups->slots.at[i];
    *slot =
        (struct log_owner_lookups_slot){.lookup = *lookup, .use = slot->use + 1, .is_out = true};
    if (slot->use == 0) slot->use = 1;
    fl_map_put(&lookups->by_source, &key, sizeof(key), i);
    *ret_ticket = (uint64_t)slot->use << 32 | i;
    return true;
}

bool log_owner_lookups_take(struct log_owner_lookups *lookups, uint64_t ticket,
                            struct log_owner_lookup *ret_lookup)
{
    uint32_t i = (uint32_t)ticket;
    struct log_owner_lookups_slot *slot;
    struct source_key key;

    if (i >= lookups->slots.len) return false;
    slot = &lookups->slots.at[i];
    if (!slot->is_out || slot->use != ticket >> 32) return false;
    slot->is_out = false;
    fl_vec_push(&lookups->spare, i);
    *ret_lookup = slot->lookup;
    if (slot->is_given_up) return false;
    key = (struct source_key){ret_lookup->connection, ret_lookup->source};
    fl_map_remove(&lookups->by_source, &key, sizeof(key));
    return true;
}

bool log_owner_lookups_drop(struct log_owner_lookups *lookups, uint64_t connection, uint32_t source)
{
    struct source_key key = {connection, source};
    uint64_t i;

    if (!fl_map_find(&lookups->by_source, &key, sizeof(key), &i)) return false;
    lookups->slots.at[i].is_given_up = true;
    fl_map_remove(&lookups->by_source, &key, sizeof(key));
    return true;
}
