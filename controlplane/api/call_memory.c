#include "controlplane/api/call_memory.h"

#include "controlplane/api/call_budget.h"

/* The budget counts no more than the excess that is there. */
static void settle(struct call_memory *memory)
{
    size_t excess = fl_page_pool_excess(&memory->pages);

    if (memory->returning <= excess) return;
    call_budget_give(memory->budget, memory->returning - excess);
    memory->returning = excess;
}

static void on_trim(void *ctx)
{
    struct call_memory *memory = ctx;

    fl_page_pool_trim(&memory->pages);
    settle(memory);
    if (fl_page_pool_excess(&memory->pages) > 0) fl_timer_in(&memory->trim, 0);
}

void call_memory_init(struct call_memory *memory, struct fl_loop *loop, struct call_budget *budget)
{
    *memory = (struct call_memory){.budget = budget};
    fl_page_pool_init(&memory->pages);
    fl_timer_init(&memory->trim, loop, on_trim, memory);
}

void call_memory_fini(struct call_memory *memory)
{
    fl_timer_off(&memory->trim);
    while (memory->spares_len > 0) {
        fl_arena_fini(&memory->spares[--memory->spares_len]);
    }
    fl_page_pool_fini(&memory->pages);
    if (memory->returning > 0) call_budget_give(memory->budget, memory->returning);
    memory->returning = 0;
}

struct fl_arena call_memory_take(struct call_memory *memory)
{
    if (memory->spares_len > 0) return memory->spares[--memory->spares_len];
    return (struct fl_arena){.source = &memory->pages.source};
}

/* The blocks of an arena are counted already: they stay so, now as what waits. */
static void free_arena(struct call_memory *memory, struct fl_arena *arena, size_t counted)
{
    memory->returning += counted;
    fl_arena_fini(arena);
    settle(memory);
    if (fl_page_pool_excess(&memory->pages) > 0 && !fl_timer_is_on(&memory->trim)) {
        fl_timer_in(&memory->trim, 0);
    }
}

void call_memory_give(struct call_memory *memory, struct fl_arena *arena, size_t counted)
{
    if (memory->spares_len == CALL_SPARES_MAX || fl_arena_bytes(arena) > CALL_SPARE_BYTES_MAX) {
        free_arena(memory, arena, counted);
        return;
    }
    fl_arena_wipe(arena); /* some bodies and answers have secrets */
    memory->spares[memory->spares_len++] = *arena;
    if (counted > 0) call_budget_give(memory->budget, counted);
}
