#include "controlplane/api/call_budget.h"

bool call_budget_take(struct call_budget *budget, size_t held, size_t bytes, struct fl_err *err)
{
    size_t before;

    if (bytes > budget->max - held) {
        return fl_fail(err, FL_TOO_LARGE,
                       "this request needs %zu bytes of memory, more than there are for all of "
                       "them (setting requests_memory, %zu); nothing was done: send less at once, "
                       "or fewer jobs in a batch",
                       held + bytes, budget->max);
    }
    before = atomic_fetch_add(&budget->used, bytes);
    if (before <= budget->max - bytes) return true;
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
