#include "controlplane/api/call_memory.h"

#include "controlplane/api/call_budget.h"
#include "tests/fl_test.h"

#define MIB ((size_t)1 << 20)
enum {
    PIECES = 80 << 10, /* each is a KiB */
    WAITING_MIB = 64,
    BODY_BYTES = 1000,
    TURNS_MAX = 100
};

struct rig {
    struct fl_loop *loop;
    struct call_budget budget;
    struct call_memory memory;
};

static void begin(struct rig *rig)
{
    *rig = (struct rig){.loop = fl_loop_create(), .budget = {.max = 1000 * MIB}};
    call_memory_init(&rig->memory, rig->loop, &rig->budget);
}

static void end(struct rig *rig)
{
    call_memory_fini(&rig->memory);
    assert_int_equal(atomic_load(&rig->budget.used), 0);
    fl_loop_destroy(rig->loop);
}

/* As a call does that holds a body besides its arena. */
static size_t count(struct rig *rig, const struct fl_arena *arena)
{
    struct fl_err err = {0};
    size_t bytes = fl_arena_bytes(arena) + BODY_BYTES;

    assert_true(call_budget_take(&rig->budget, 0, bytes, &err));
    return bytes;
}

static struct fl_arena large_arena(struct rig *rig)
{
    struct fl_arena arena = call_memory_take(&rig->memory);

    for (int i = 0; i < PIECES; i++) {
        fl_arena_alloc(&arena, 1 << 10);
    }
    return arena;
}

static void a_small_arena_serves_the_next_call(void **state)
{
    struct rig rig;
    struct fl_arena arena;
    char *piece;

    (void)state;
    begin(&rig);
    arena = call_memory_take(&rig.memory);
    piece = fl_arena_alloc(&arena, 100);
    memset(piece, 's', 100);
    call_memory_give(&rig.memory, &arena, count(&rig, &arena));
    assert_int_equal(atomic_load(&rig.budget.used), 0);
    assert_false(fl_timer_is_on(&rig.memory.trim));
    arena = call_memory_take(&rig.memory);
    assert_true(fl_arena_bytes(&arena) > 0);
    assert_ptr_equal(fl_arena_alloc(&arena, 100), piece);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(piece[i], 0);
    }
    call_memory_give(&rig.memory, &arena, 0);
    end(&rig);
}

static void large_memory_goes_in_slices_and_counts_until_then(void **state)
{
    struct rig rig;
    struct fl_arena arena;
    size_t counted, used, turns = 0;

    (void)state;
    begin(&rig);
    arena = large_arena(&rig);
    counted = count(&rig, &arena);
    call_memory_give(&rig.memory, &arena, counted);
    used = atomic_load(&rig.budget.used);
    assert_true(used >= WAITING_MIB * MIB); /* not what the front keeps */
    assert_int_equal(used, fl_page_pool_excess(&rig.memory.pages));
    while (used > 0 && turns < TURNS_MAX) {
        size_t before = used;

        fl_loop_turn(rig.loop, 100);
        used = atomic_load(&rig.budget.used);
        assert_true(before - used <= FL_PAGE_POOL_SLICE_BYTES);
        assert_int_equal(used, fl_page_pool_excess(&rig.memory.pages));
        turns++;
    }
    assert_int_equal(used, 0);
    assert_true(turns >= WAITING_MIB * MIB / FL_PAGE_POOL_SLICE_BYTES);
    assert_false(fl_timer_is_on(&rig.memory.trim));
    end(&rig);
}

static void uncounted_memory_goes_too(void **state)
{
    struct rig rig;
    struct fl_arena arena;

    (void)state;
    begin(&rig);
    arena = large_arena(&rig);
    call_memory_give(&rig.memory, &arena, 0); /* its call was refused: the budget was used up */
    assert_int_equal(atomic_load(&rig.budget.used), 0);
    for (int i = 0; i < TURNS_MAX && fl_timer_is_on(&rig.memory.trim); i++) {
        fl_loop_turn(rig.loop, 100);
    }
    assert_int_equal(fl_page_pool_excess(&rig.memory.pages), 0);
    end(&rig);
}

static void the_end_gives_back_what_waits(void **state)
{
    struct rig rig;
    struct fl_arena arena;

    (void)state;
    begin(&rig);
    arena = large_arena(&rig);
    call_memory_give(&rig.memory, &arena, count(&rig, &arena));
    assert_true(fl_timer_is_on(&rig.memory.trim));
    end(&rig);
}

FL_TESTS(cmocka_unit_test(a_small_arena_serves_the_next_call),
         cmocka_unit_test(large_memory_goes_in_slices_and_counts_until_then),
         cmocka_unit_test(uncounted_memory_goes_too),
         cmocka_unit_test(the_end_gives_back_what_waits))
