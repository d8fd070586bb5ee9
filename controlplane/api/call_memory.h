/* call_memory.h - the arenas of one front's calls, from the first request to the next.
 * A small arena is wiped and serves the next call.  A large one goes; its large blocks go back to
 * the system in slices, so that no turn of the front is long, and count in the budget of all
 * requests until then.
 * Uses call_budget.h, shared/base and shared/io.  Not thread-safe: the front owns it. */
#pragma once

#include "shared/base/arena.h"
#include "shared/io/loop.h"
#include "shared/io/page_pool.h"

struct call_budget;

/* So many arenas, each of so much memory, are left to the next calls. */
enum { CALL_SPARES_MAX = 64, CALL_SPARE_BYTES_MAX = 32 << 10 };

struct call_memory {
    struct call_budget *budget;
    struct fl_page_pool pages;
    size_t returning;     /* bytes of 'pages' that the budget counts until they are given back */
    struct fl_timer trim; /* on while there are some to give back */
    struct fl_arena spares[CALL_SPARES_MAX];
    uint32_t spares_len;
};

void call_memory_init(struct call_memory *memory, struct fl_loop *loop, struct call_budget *budget);
/* Calls whose answer never came stay as they are, and are not touched again. */
void call_memory_fini(struct call_memory *memory);

struct fl_arena call_memory_take(struct call_memory *memory); /* to a call, empty */
/* From a call that is over; it has taken 'counted' bytes of the budget, which end with it. */
void call_memory_give(struct call_memory *memory, struct fl_arena *arena, size_t counted);
