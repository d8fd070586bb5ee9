#include "controlplane/logs/openings.h"

#include "shared/base/assert.h"

struct source_key {
    uint64_t connection, source;
};

void log_openings_init(struct log_openings *openings, size_t openings_max)
{
    fl_assert(openings_max > 0 && openings_max < UINT32_MAX);
    *openings = (struct log_openings){.openings_max = openings_max};
}

void log_openings_fini(struct log_openings *openings)
{
    fl_vec_fini(&openings->slots);
    fl_vec_fini(&openings->spare);
    fl_map_fini(&openings->by_source);
}

static uint32_t take_slot(struct log_openings *openings)
{
    if (openings->spare.len > 0) return fl_vec_pop(&openings->spare);
    fl_vec_push(&openings->slots, (struct log_openings_slot){0});
    return (uint32_t)openings->slots.len - 1;
}

bool log_openings_add(struct log_openings *openings, const struct log_opening *opening,
                      uint64_t *ret_ticket, struct fl_err *err)
{
    struct source_key key = {opening->connection, opening->source};
    struct log_openings_slot *slot;
    uint32_t i;

    if (fl_map_find(&openings->by_source, &key, sizeof(key), NULL)) {
        return fl_fail(err, FL_EXISTS, "log source %u is opened twice", opening->source);
    }
    if (openings->slots.len - openings->spare.len >= openings->openings_max) {
        return fl_fail(err, FL_FULL, "%zu log sources are being opened", openings->openings_max);
    }
    i = take_slot(openings);
    slot = &openings->slots.at[i];
    *slot = (struct log_openings_slot){.opening = *opening, .use = slot->use + 1, .is_out = true};
    if (slot->use == 0) slot->use = 1;
    fl_map_put(&openings->by_source, &key, sizeof(key), i);
    *ret_ticket = (uint64_t)slot->use << 32 | i;
    return true;
}

bool log_openings_take(struct log_openings *openings, uint64_t ticket,
                       struct log_opening *ret_opening)
{
    uint32_t i = (uint32_t)ticket;
    struct log_openings_slot *slot;
    struct source_key key;

    if (i >= openings->slots.len) return false;
    slot = &openings->slots.at[i];
    if (!slot->is_out || slot->use != ticket >> 32) return false;
    slot->is_out = false;
    fl_vec_push(&openings->spare, i);
    if (slot->is_given_up) return false;
    *ret_opening = slot->opening;
    key = (struct source_key){ret_opening->connection, ret_opening->source};
    fl_map_remove(&openings->by_source, &key, sizeof(key));
    return true;
}

bool log_openings_drop(struct log_openings *openings, uint64_t connection, uint32_t source)
{
    struct source_key key = {connection, source};
    uint64_t i;

    if (!fl_map_find(&openings->by_source, &key, sizeof(key), &i)) return false;
    openings->slots.at[i].is_given_up = true;
    fl_map_remove(&openings->by_source, &key, sizeof(key));
    return true;
}
