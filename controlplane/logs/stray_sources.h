/* stray_sources.h - log sources of strays: no row tells of their attempt, as after a restore of the
 * database.  Each waits with its agent for the same time; then its owner is looked up again.
 * At most strays_max wait.
 * Uses shared/base only.  Not thread-safe: its front owns it. */
#pragma once

#include "controlplane/logs/owner_lookups.h"
#include "shared/base/map.h"
#include "shared/base/types.h"
#include "shared/base/vec.h"

struct log_stray_sources_slot {
    struct log_owner_lookup lookup;
    fl_ms due;
    uint32_t before, after; /* in the list; 'after' in the spare ones, too */
};

struct log_stray_sources {
    fl_ms wait_ms;
    size_t strays_max;
    size_t strays_len;
    /* Slot 0 is the ring's head: the one after it has waited longest. */
    FL_VEC(struct log_stray_sources_slot) slots;
    uint32_t spare; /* 0: none */
    struct fl_map by_source;
};

void log_stray_sources_init(struct log_stray_sources *strays, fl_ms wait_ms, size_t strays_max);
void log_stray_sources_fini(struct log_stray_sources *strays);

/* False: FL_FULL.  The source must not be there. */
FL_CHECK bool log_stray_sources_add(struct log_stray_sources *strays,
                                    const struct log_owner_lookup *lookup, fl_ms now,
                                    struct fl_err *err);

bool log_stray_sources_has(const struct log_stray_sources *strays, uint64_t connection,
                           uint32_t source);

/* True: it was there. */
bool log_stray_sources_drop(struct log_stray_sources *strays, uint64_t connection, uint32_t source);

/* When the first is due; false: none waits. */
bool log_stray_sources_due(const struct log_stray_sources *strays, fl_ms *ret_due);

/* Takes the one that has waited longest.  False: none is due. */
bool log_stray_sources_take(struct log_stray_sources *strays, fl_ms now,
                            struct log_owner_lookup *ret_lookup);
