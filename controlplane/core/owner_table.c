#include "controlplane/core/owner_table.h"

#include <string.h>

/* The key of an owner: fixed width, zero-filled, and without padding. */
struct owner_key {
    uint32_t tenant;
    char name[FL_NAME_BYTES_MAX + 1];
};
_Static_assert(sizeof(struct owner_key) == sizeof(uint32_t) + FL_NAME_BYTES_MAX + 1, "no padding");

static struct owner_key owner_key(struct fl_tenant tenant, struct fl_str name)
{
    struct owner_key key = {.tenant = tenant.n};

    fl_assert(name.len <= FL_NAME_BYTES_MAX);
    if (name.len > 0) memcpy(key.name, name.at, name.len);
    return key;
}

const char *owner_share_words(enum owner_share share)
{
    static const char *const words[OWNER_SHARES_LEN] = {
#define OWNER_SHARE_WORDS(name, words) [OWNER_##name] = (words),
        OWNER_SHARES(OWNER_SHARE_WORDS)
#undef OWNER_SHARE_WORDS
    };

    return words[share];
}

void owner_table_init(struct owner_table *table, uint32_t owners_max)
{
    *table = (struct owner_table){0};
    fl_slab_init(&table->owners, sizeof(struct owner), owners_max);
}

void owner_table_fini(struct owner_table *table)
{
    for (uint32_t i = 1; i <= table->owners.used; i++) {
        if (fl_slab_is_taken(&table->owners, i)) {
            fl_vec_fini(&owner_table_at(table, (struct owner_slot){i})->kinds);
        }
    }
    fl_slab_fini(&table->owners);
    fl_map_fini(&table->by_name);
}

static bool is_called(const struct owner *owner, struct fl_tenant tenant, struct fl_str name)
{
    return owner->tenant.n == tenant.n && fl_str_eq(owner_name(owner), name);
}

struct owner_slot owner_table_find(struct owner_table *table, struct fl_tenant tenant,
                                   struct fl_str name)
{
    struct owner_key key;
    uint64_t found;

    if (table->newest.n && is_called(owner_table_at(table, table->newest), tenant, name)) {
        return table->newest;
    }
    key = owner_key(tenant, name);
    if (!fl_map_find(&table->by_name, &key, sizeof key, &found)) return (struct owner_slot){0};
    table->newest.n = (uint32_t)found;
    return table->newest;
}

struct owner_slot owner_table_need(struct owner_table *table, struct fl_tenant tenant,
                                   struct fl_str name)
{
    struct owner_slot slot = owner_table_find(table, tenant, name);
    struct owner_key key;
    struct owner *owner;

    if (slot.n) return slot;
    slot.n = fl_slab_take(&table->owners);
    fl_assert(slot.n);
    owner = owner_table_at(table, slot);
    key = owner_key(tenant, name);
    owner->tenant = tenant;
    owner->name_len = (uint8_t)name.len;
    memcpy(owner->name, key.name, sizeof owner->name);
    fl_map_put(&table->by_name, &key, sizeof key, slot.n);
    table->newest = slot;
    return slot;
}

bool owner_table_has_room(const struct owner_table *table)
{
    return table->owners.len < OWNERS_MAX;
}

/* The bucket's place among the owner's kinds; where it is not there, it belongs before that. */
static size_t kind_place(const struct owner *owner, struct bucket_slot bucket)
{
    return fl_vec_lower_bound(&owner->kinds, bucket, bucket.n);
}

static bool is_there(const struct owner *owner, size_t place, struct bucket_slot bucket)
{
    return place < owner->kinds.len && owner->kinds.at[place].bucket == bucket.n;
}

uint32_t owner_table_jobs(const struct owner_table *table, struct owner_slot slot,
                          struct bucket_slot bucket)
{
    const struct owner *owner = owner_table_at(table, slot);
    size_t place = kind_place(owner, bucket);

    return is_there(owner, place, bucket) ? owner->kinds.at[place].jobs : 0;
}

void owner_table_join(struct owner_table *table, struct owner_slot slot, struct bucket_slot bucket)
{
    struct owner *owner = owner_table_at(table, slot);
    size_t place = kind_place(owner, bucket);

    if (!is_there(owner, place, bucket)) {
        struct owner_kind kind = {.bucket = bucket.n};

        fl_vec_insert(&owner->kinds, place, kind);
        owner->used[OWNER_kinds]++;
    }
    owner->kinds.at[place].jobs++;
    owner->used[OWNER_jobs]++;
}

static void drop(struct owner_table *table, struct owner_slot slot)
{
    struct owner *owner = owner_table_at(table, slot);
    struct owner_key key = owner_key(owner->tenant, owner_name(owner));

    for (int i = 0; i < OWNER_SHARES_LEN; i++) {
        fl_assert(owner->used[i] == 0);
    }
    fl_vec_fini(&owner->kinds);
    fl_assert(fl_map_remove(&table->by_name, &key, sizeof key));
    if (table->newest.n == slot.n) table->newest.n = 0;
    fl_slab_give(&table->owners, slot.n);
}

void owner_table_leave(struct owner_table *table, struct owner_slot slot, struct bucket_slot bucket)
{
    struct owner *owner = owner_table_at(table, slot);
    size_t place = kind_place(owner, bucket);

    fl_assert(is_there(owner, place, bucket) && owner->used[OWNER_jobs] > 0);
    if (--owner->kinds.at[place].jobs == 0) {
        fl_vec_remove(&owner->kinds, place);
        owner->used[OWNER_kinds]--;
    }
    if (--owner->used[OWNER_jobs] == 0) drop(table, slot);
}
