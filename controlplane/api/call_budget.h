/* call_budget.h - the memory of all requests that wait for an answer from elsewhere, together.
 * One for all fronts of a process.  A request counts what it holds (its body, its tree, its items)
 * when it begins to wait, and is refused with 503 where that is too much: then it has done nothing.
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

/* False: FL_UNAVAILABLE, and nothing is taken. */
FL_CHECK bool call_budget_take(struct call_budget *budget, size_t bytes, struct fl_err *err);
void call_budget_give(struct call_budget *budget, size_t bytes);
