/* owner_lookups.h - log sources that wait for the look-up of their owner.
 * A look-up counts until it is answered, even if its source was given up meanwhile: so lookups_max
 * bounds the work of the answering side, however many sources agents open and close.
 * Uses shared/base only.  Not thread-safe: its front owns it. */
#pragma once

#include <stdbool.h>

#include "shared/base/err.h"
#include "shared/base/map.h"
#include "shared/base/types.h"
#include "shared/base/vec.h"

struct log_owner_lookup {
    uint64_t connection;
    uint32_t source;
    struct fl_attempt attempt;
    uint32_t replica;
    bool has_waited; /* as a stray's: it is asked for again */
};

struct log_owner_lookups_slot {
    struct log_owner_lookup lookup;
    uint32_t use;     /* grows each time the slot is taken */
    bool is_out;      /* the look-up waits for its answer */
    bool is_given_up; /* its source is gone */
};

struct log_owner_lookups {
    size_t lookups_max;
    FL_VEC(struct log_owner_lookups_slot) slots;
    FL_VEC(uint32_t) spare;
    struct fl_map by_source; /* to the slot, for sources that are not given up */
};

void log_owner_lookups_init(struct log_owner_lookups *lookups, size_t lookups_max);
void log_owner_lookups_fini(struct log_owner_lookups *lookups);

/* False: FL_EXISTS, a look-up for this source is out already; FL_FULL.  A ticket is never 0 and
 * never used twice. */
FL_CHECK bool log_owner_lookups_add(struct log_owner_lookups *lookups,
                                    const struct log_owner_lookup *lookup, uint64_t *ret_ticket,
                                    struct fl_err *err);

bool log_owner_lookups_is_full(const struct log_owner_lookups *lookups);

/* Call it with the answer.  False: the source was given up meanwhile, or the ticket is not known,
 * in which case *ret_lookup is left alone. */
FL_CHECK bool log_owner_lookups_take(struct log_owner_lookups *lookups, uint64_t ticket,
                                     struct log_owner_lookup *ret_lookup);

/* The agent gave the source up.  True: its look-up was still out. */
bool log_owner_lookups_drop(struct log_owner_lookups *lookups, uint64_t connection,
                            uint32_t source);
