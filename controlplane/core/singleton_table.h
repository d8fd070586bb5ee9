/* singleton_table.h - open jobs that run one at a time, by tenant, owner and name.
 * Jobs of one key stand in a line, by their ids.  The first of a line may start; when it has ended,
 * the next one is first.  A job that ends before its turn leaves its line, and no turn changes.
 * The bytes of a key are the body of the job's mark: the length of the owner in a byte, the owner,
 * the name.  Jobs that are in no line cost nothing here.
 * Uses shared/base only.  Not thread-safe: the core owns it and is its only caller. */
#pragma once

#include "controlplane/core/slot.h"
#include "shared/base/job_limits.h"
#include "shared/base/map.h"
#include "shared/base/page_map.h"
#include "shared/base/slab.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

struct fl_arena;

enum {
    SINGLETONS_MAX = 1000000, /* in all */
    SINGLETONS_OF_NAME_MAX = 4096,
    SINGLETON_OWNER_BYTES_MAX = FL_NAME_BYTES_MAX,
    SINGLETON_KEY_BYTES_MAX = 1 + SINGLETON_OWNER_BYTES_MAX + FL_JOB_NAME_BYTES_MAX,
};

struct singleton_table {
    struct fl_slab singletons, lines;
    struct fl_page_map of_job; /* id -> singleton */
    struct fl_map by_key;      /* tenant and key -> line */
};

void singleton_table_init(struct singleton_table *table);
void singleton_table_fini(struct singleton_table *table);

/* In the arena.  The owner has at most SINGLETON_OWNER_BYTES_MAX bytes, the name
 * FL_JOB_NAME_BYTES_MAX. */
struct fl_str singleton_key(struct fl_str owner, struct fl_str name, struct fl_arena *arena);
/* Total.  False: singleton_key does not write these bytes, or there is no name. */
bool singleton_key_is_whole(struct fl_str key);
struct fl_str singleton_key_name(struct fl_str key);

/* One more has room, as far as all of them count. */
bool singleton_table_has_room(const struct singleton_table *table);
/* So many stand in the line. */
uint32_t singleton_table_len(const struct singleton_table *table, uint32_t tenant,
                             struct fl_str key);
/* The last of the line; 0: it is empty. */
uint64_t singleton_table_last(const struct singleton_table *table, uint32_t tenant,
                              struct fl_str key);
/* At the end of its line, whose last has a smaller id; singleton_table_has_room was asked. */
void singleton_table_add(struct singleton_table *table, uint32_t tenant, struct fl_str key,
                         uint64_t job);

/* The job stands in a line: its first, its key, and how many stand before it there. */
uint64_t singleton_table_first(const struct singleton_table *table, uint64_t job);
struct fl_str singleton_table_key(const struct singleton_table *table, uint64_t job);
uint32_t singleton_table_before(const struct singleton_table *table, uint64_t job);
/* The job leaves its line: the one whose turn it is by that; 0: no turn has changed. */
uint64_t singleton_table_remove(struct singleton_table *table, uint64_t job);
