/* call_budget.h - the memory of all requests that wait for an answer from elsewhere, together.
 * One for all fronts of a process.  A request counts what it holds (its body, its tree, its items)
 * when it begins to wait, and is refused with 503 where that is too much now, with 413 where it
 * needs more than there is for all: in both cases it has done nothing.
 * Uses libc only.  Thread-safe. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "shared/base/err.h"

struct call_budget {
    size_t max;
    atomic_size_t used;
};

/* Takes more for a request that has taken 'held' bytes.  False: FL_UNAVAILABLE, or FL_TOO_LARGE
 * for good; nothing is taken. */
FL_CHECK bool call_budget_take(struct call_budget *budget, size_t held, size_t bytes,
                               struct fl_err *err);
void call_budget_give(struct call_budget *budget, size_t bytes);
