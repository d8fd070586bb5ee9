/* denial_budget.h - how many refusals a minute become rows of the audit.
 * One for all fronts of a process, so that strangers cannot load the engine: beyond the limit they
 * are counted, and one row of the next minute says how many.
 * Time comes in as 'now', of the loops' clock.  Uses libc only.  Thread-safe. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "shared/base/types.h"

struct denial_budget {
    uint32_t rows_max;            /* a minute */
    _Atomic uint64_t taken;       /* the minute, and in the lower half how many rows of it */
    atomic_uint_fast64_t counted; /* have no row, and no row says so yet */
};

/* False: this minute's rows are used up, and the refusal is counted. */
bool denial_budget_take(struct denial_budget *budget, fl_ms now);

/* Refusals that have no row after all: the engine did not take them, or its answer was lost. */
void denial_budget_count(struct denial_budget *budget, uint64_t n);

/* How many were counted since the last call. */
uint64_t denial_budget_counted(struct denial_budget *budget);

/* When the next minute begins. */
fl_ms denial_budget_next(fl_ms now);
