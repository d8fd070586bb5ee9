/* owner_lookups.h - sources that agents opened, and of whom it is being asked whose they are.
 * A question is out until it is answered, also when its source is given up meanwhile: so
 * lookups_max bounds the work of the answering side, however many sources agents open and close.
 * Uses shared/base only.  Not thread-safe: its front owns it. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/map.h"
#include "shared/base/types.h"
#include "shared/base/vec.h"

struct log_owner_lookup {
    uint64_t connection;
    uint32_t source;
    struct fl_attempt attempt;
    uint32_t replica;
};

struct log_owner_lookups_slot {
    struct log_owner_lookup opening;
    uint32_t use;     /* grows each time the slot is taken */
    bool is_out;      /* the question is */
    bool is_given_up; /* and its source is gone */
};

struct log_owner_lookups {
    size_t lookups_max;
    FL_VEC(struct log_owner_lookups_slot) slots;
    FL_VEC(uint32_t) spare;
    struct fl_map by_source; /* to the slot, of those that are not given up */
};

void log_owner_lookups_init(struct log_owner_lookups *lookups, size_t lookups_max);
void log_owner_lookups_fini(struct log_owner_lookups *lookups);

/* False: FL_EXISTS, this source of this connection is being opened already; FL_FULL.  A ticket is
 * never 0 and never given out twice. */
FL_CHECK bool log_owner_lookups_add(struct log_owner_lookups *lookups,
                                    const struct log_owner_lookup *opening, uint64_t *ret_ticket,
                                    struct fl_err *err);

/* It is answered; false: the source was given up meanwhile. */
FL_CHECK bool log_owner_lookups_take(struct log_owner_lookups *lookups, uint64_t ticket,
                                     struct log_owner_lookup *ret_opening);

/* The agent gave the source up; was it being opened? */
bool log_owner_lookups_drop(struct log_owner_lookups *lookups, uint64_t connection,
                            uint32_t source);
