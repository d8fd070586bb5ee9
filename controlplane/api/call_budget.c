#include "controlplane/api/call_budget.h"

bool call_budget_take(struct call_budget *budget, size_t bytes, struct fl_err *err)
{
    size_t before = atomic_fetch_add(&budget->used, bytes);

    if (bytes <= budget->max && before <= budget->max - bytes) return true;
    atomic_fetch_sub(&budget->used, bytes);
    return fl_fail(
        err, FL_UNAVAILABLE,
        "requests under way take %zu of %zu bytes (setting requests_memory), and this one "
        "needs %zu; nothing was done: try again",
        before, budget->max, bytes);
}

void call_budget_give(struct call_budget *budget, size_t bytes)
{
    atomic_fetch_sub(&budget->used, bytes);
}
