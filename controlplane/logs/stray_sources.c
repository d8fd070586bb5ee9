#include "controlplane/logs/stray_sources.h"

#include "shared/base/assert.h"

struct source_key {
    uint64_t connection, source;
};

void log_stray_sources_init(struct log_stray_sources *strays, fl_ms wait_ms, size_t strays_max)
{
    fl_assert(strays_max > 0 && strays_max < UINT32_MAX);
    *strays = (struct log_stray_sources){.wait_ms = wait_ms, .strays_max = strays_max};
    fl_vec_push(&strays->slots, (struct log_stray_sources_slot){0});
}

void log_stray_sources_fini(struct log_stray_sources *strays)
{
    fl_vec_fini(&strays->slots);
    fl_map_fini(&strays->by_source);
}

static uint32_t take_slot(struct log_stray_sources *strays)
{
    uint32_t i = strays->spare;

    if (i > 0) {
        strays->spare = strays->slots.at[i].after;
        return i;
    }
    fl_vec_push(&strays->slots, (struct log_stray_sources_slot){0});
    return (uint32_t)strays->slots.len - 1;
}

bool log_stray_sources_add(struct log_stray_sources *strays, const struct log_owner_lookup *lookup,
                           fl_ms now, struct fl_err *err)
{
    struct source_key key = {lookup->connection, lookup->source};
    uint32_t i, last;

    fl_assert(!log_stray_sources_has(strays, lookup->connection, lookup->source));
    if (strays->strays_len >= strays->strays_max) {
        return fl_fail(err, FL_FULL, "%zu log sources of strays wait", strays->strays_max);
    }
    i = take_slot(strays);
    last = strays->slots.at[0].before;
    strays->slots.at[i] = (struct log_stray_sources_slot){
        .lookup = *lookup, .due = now + strays->wait_ms, .before = last};
    strays->slots.at[last].after = i;
    strays->slots.at[0].before = i;
    strays->strays_len++;
    fl_map_put(&strays->by_source, &key, sizeof key, i);
    return true;
}

bool log_stray_sources_has(const struct log_stray_sources *strays, uint64_t connection,
                           uint32_t source)
{
    struct source_key key = {connection, source};

    return fl_map_find(&strays->by_source, &key, sizeof key, NULL);
}

static void remove_slot(struct log_stray_sources *strays, uint32_t i)
{
    struct log_stray_sources_slot *slot = &strays->slots.at[i];
    struct source_key key = {slot->lookup.connection, slot->lookup.source};

    (void)fl_map_remove(&strays->by_source, &key, sizeof key);
    strays->slots.at[slot->before].after = slot->after;
    strays->slots.at[slot->after].before = slot->before;
    slot->after = strays->spare;
    strays->spare = i;
    strays->strays_len--;
}

bool log_stray_sources_drop(struct log_stray_sources *strays, uint64_t connection, uint32_t source)
{
    struct source_key key = {connection, source};
    uint64_t i;

    if (!fl_map_find(&strays->by_source, &key, sizeof key, &i)) return false;
    remove_slot(strays, (uint32_t)i);
    return true;
}

bool log_stray_sources_due(const struct log_stray_sources *strays, fl_ms *ret_due)
{
    uint32_t first = strays->slots.at[0].after;

    if (first == 0) return false;
    *ret_due = strays->slots.at[first].due;
    return true;
}

bool log_stray_sources_take(struct log_stray_sources *strays, fl_ms now,
                            struct log_owner_lookup *ret_lookup)
{
    uint32_t first = strays->slots.at[0].after;

    if (first == 0 || strays->slots.at[first].due > now) return false;
    *ret_lookup = strays->slots.at[first].lookup;
    remove_slot(strays, first);
    return true;
}
