/* openings.h - sources that agents opened, and of whom it is being asked whose they are.
 * A question is out until it is answered, also when its source is given up meanwhile: so openings_max bounds
 * what whoever answers has to do, whatever agents open and close.
 * Uses shared/base only.  Not thread-safe: its front owns it. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/map.h"
#include "shared/base/types.h"
#include "shared/base/vec.h"

struct log_opening {
    uint64_t connection;
    uint32_t source;
    struct fl_attempt attempt;
    uint32_t replica;
};

struct log_openings_slot {
    struct log_opening opening;
    uint32_t use;     /* grows each time the slot is taken */
    bool is_out;      /* the question is */
    bool is_given_up; /* and its source is gone */
};

struct log_openings {
    size_t openings_max;
    FL_VEC(struct log_openings_slot) slots;
    FL_VEC(uint32_t) spare;
    struct fl_map by_source; /* to the slot, of those that are not given up */
};

void log_openings_init(struct log_openings *openings, size_t openings_max);
void log_openings_fini(struct log_openings *openings);

/* False: FL_EXISTS, this source of this connection is being opened already; FL_FULL.  A ticket is never 0 and
 * never given out twice. */
FL_CHECK bool log_openings_add(struct log_openings *openings, const struct log_opening *opening,
                               uint64_t *ret_ticket, struct fl_err *err);

/* It is answered; false: nobody waits for it any more. */
FL_CHECK bool log_openings_take(struct log_openings *openings, uint64_t ticket,
                                struct log_opening *ret_opening);

/* The agent gave the source up; was it being opened? */
bool log_openings_drop(struct log_openings *openings, uint64_t connection, uint32_t source);
