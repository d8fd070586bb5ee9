/* owner_table.h - who has the open jobs, and how much of the room that is there for all.
 * An owner is the name that a job carries (row job_new), in one tenant: all tokens of a person
 * count together.  One without a name is many, of an older program's jobs: no share binds it.  An
 * owner is here while it has an open job.  The kinds of its jobs are their buckets.
 * Uses shared/base only.  Not thread-safe: the core owns it and is its only caller. */
#pragma once

#include "controlplane/core/slot.h"
#include "shared/base/map.h"
#include "shared/base/slab.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/base/vec.h"

#define OWNERS_MAX 65536 /* at it, one that has no open job brings none */

/* OWNER_SHARE(name, words): each owner has a share of it, and a refusal calls it so. */
#define OWNER_SHARES(OWNER_SHARE)                                                                  \
    OWNER_SHARE(jobs, "open jobs")                                                                 \
    OWNER_SHARE(kinds, "different shapes and priorities of open jobs")                             \
    OWNER_SHARE(waits, "waits of open jobs for others")                                            \
    OWNER_SHARE(singletons, "open singletons")                                                     \
    OWNER_SHARE(pairs, "arrays that wait for another one element by element")                      \
    OWNER_SHARE(pair_elements, "elements of arrays that wait for another one element by element")

enum owner_share {
#define OWNER_SHARE_ENUM(name, words) OWNER_##name,
    OWNER_SHARES(OWNER_SHARE_ENUM)
#undef OWNER_SHARE_ENUM
        OWNER_SHARES_LEN
};

const char *owner_share_words(enum owner_share share);

/* Some jobs of an owner are in this bucket. */
struct owner_kind {
    uint32_t bucket, jobs;
};

struct owner {
    struct fl_tenant tenant;
    uint32_t used[OWNER_SHARES_LEN];
    FL_VEC(struct owner_kind) kinds; /* by bucket */
    uint8_t name_len;
    char name[FL_NAME_BYTES_MAX];
};

struct owner_table {
    struct fl_slab owners;
    struct fl_map by_name;    /* tenant and name -> slot */
    struct owner_slot newest; /* was asked for last: the next job is likely its own, too */
};

void owner_table_init(struct owner_table *table, uint32_t owners_max);
void owner_table_fini(struct owner_table *table);

static inline struct owner *owner_table_at(const struct owner_table *table, struct owner_slot slot)
{
    return fl_slab_at(&table->owners, slot.n);
}

static inline struct fl_str owner_name(const struct owner *owner)
{
    return (struct fl_str){owner->name, owner->name_len};
}

/* None: it has no open job.  The name has FL_NAME_BYTES_MAX at most. */
struct owner_slot owner_table_find(struct owner_table *table, struct fl_tenant tenant,
                                   struct fl_str name);

/* Made if it is not there: a job of it joins next.  owner_table_has_room was asked, but for loaded
 * jobs. */
struct owner_slot owner_table_need(struct owner_table *table, struct fl_tenant tenant,
                                   struct fl_str name);

bool owner_table_has_room(const struct owner_table *table);

/* An open job of it is in this bucket; or no longer, and with its last job the owner goes. */
void owner_table_join(struct owner_table *table, struct owner_slot slot, struct bucket_slot bucket);
void owner_table_leave(struct owner_table *table, struct owner_slot slot,
                       struct bucket_slot bucket);

/* So many of its jobs are in this bucket. */
uint32_t owner_table_jobs(const struct owner_table *table, struct owner_slot slot,
                          struct bucket_slot bucket);
