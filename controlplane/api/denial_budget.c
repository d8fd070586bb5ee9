#include "controlplane/api/denial_budget.h"

static const fl_ms minute_ms = 60000;

bool denial_budget_take(struct denial_budget *budget, fl_ms now)
{
    uint64_t minute = (uint64_t)(now / minute_ms) << 32;
    uint64_t old = atomic_load(&budget->taken);

    for (;;) {
        /* A front whose clock is a turn behind stays in the newer minute. */
        uint64_t next = (old >> 32) < (minute >> 32) ? minute : old;

        if ((uint32_t)next >= budget->rows_max) {
            denial_budget_count(budget, 1);
            return false;
        }
        if (atomic_compare_exchange_weak(&budget->taken, &old, next + 1)) return true;
    }
}

void denial_budget_count(struct denial_budget *budget, uint64_t n)
{
    atomic_fetch_add(&budget->counted, n);
}

uint64_t denial_budget_counted(struct denial_budget *budget)
{
    return atomic_exchange(&budget->counted, 0);
}

fl_ms denial_budget_next(fl_ms now)
{
    return (now / minute_ms + 1) * minute_ms;
}
