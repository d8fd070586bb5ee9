#include "shared/io/page_pool.h"

#include <sys/mman.h>

#include "tests/fl_test.h"

#define MIB ((size_t)1 << 20)
enum { BLOCKS = 160 /* 40 MiB */ };

static void *take(struct fl_page_pool *pool, size_t bytes)
{
    uint8_t *at = pool->source.take(&pool->source, bytes);

    at[0] = at[bytes - 1] = 1;
    return at;
}

static void give(struct fl_page_pool *pool, void *at, size_t bytes)
{
    pool->source.give(&pool->source, at, bytes);
}

static bool is_mapped(const void *at)
{
    unsigned char is_resident;

    return mincore((void *)(uintptr_t)at, 4096, &is_resident) == 0;
}

static void take_and_give_blocks(struct fl_page_pool *pool)
{
    void *blocks[BLOCKS];

    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = take(pool, FL_ARENA_LARGE_BYTES);
    }
    assert_int_equal(fl_page_pool_excess(pool), 0);
    for (int i = 0; i < BLOCKS; i++) {
        give(pool, blocks[i], FL_ARENA_LARGE_BYTES);
    }
}

static void a_usual_block_is_used_again(void **state)
{
    struct fl_page_pool pool;
    void *first, *second;

    (void)state;
    fl_page_pool_init(&pool);
    first = take(&pool, FL_ARENA_LARGE_BYTES);
    second = take(&pool, FL_ARENA_LARGE_BYTES);
    assert_ptr_not_equal(first, second);
    give(&pool, first, FL_ARENA_LARGE_BYTES);
    assert_int_equal(fl_page_pool_excess(&pool), 0);
    fl_page_pool_trim(&pool); /* nothing is over what it keeps */
    assert_ptr_equal(take(&pool, FL_ARENA_LARGE_BYTES), first);
    give(&pool, first, FL_ARENA_LARGE_BYTES);
    give(&pool, second, FL_ARENA_LARGE_BYTES);
    fl_page_pool_fini(&pool);
    assert_false(is_mapped(first));
    assert_false(is_mapped(second));
}

static void what_is_over_the_kept_goes_in_slices(void **state)
{
    struct fl_page_pool pool;

    (void)state;
    fl_page_pool_init(&pool);
    take_and_give_blocks(&pool);
    assert_int_equal(fl_page_pool_excess(&pool), 24 * MIB);
    fl_page_pool_trim(&pool);
    assert_int_equal(fl_page_pool_excess(&pool), 16 * MIB);
    fl_page_pool_trim(&pool);
    fl_page_pool_trim(&pool);
    assert_int_equal(fl_page_pool_excess(&pool), 0);
    assert_int_equal(pool.usual_bytes, FL_PAGE_POOL_KEPT_BYTES_MAX);
    fl_page_pool_fini(&pool);
}

static void a_larger_block_goes_from_its_end(void **state)
{
    struct fl_page_pool pool;
    char *at;

    (void)state;
    fl_page_pool_init(&pool);
    at = take(&pool, 20 * MIB - 5);
    give(&pool, at, 20 * MIB - 5);
    assert_int_equal(fl_page_pool_excess(&pool), 20 * MIB);
    fl_page_pool_trim(&pool);
    assert_int_equal(fl_page_pool_excess(&pool), 12 * MIB);
    assert_true(is_mapped(at + 12 * MIB - 4096));
    assert_false(is_mapped(at + 12 * MIB));
    fl_page_pool_trim(&pool);
    fl_page_pool_trim(&pool);
    assert_int_equal(fl_page_pool_excess(&pool), 0);
    assert_false(is_mapped(at));
    fl_page_pool_fini(&pool);
}

static void larger_blocks_and_usual_ones_share_a_slice(void **state)
{
    struct fl_page_pool pool;
    void *at;

    (void)state;
    fl_page_pool_init(&pool);
    at = take(&pool, 5 * MIB);
    take_and_give_blocks(&pool);
    give(&pool, at, 5 * MIB);
    assert_int_equal(fl_page_pool_excess(&pool), 29 * MIB);
    fl_page_pool_trim(&pool);
    assert_int_equal(fl_page_pool_excess(&pool), 21 * MIB);
    fl_page_pool_fini(&pool);
}

static void an_arena_finds_what_another_left(void **state)
{
    struct fl_page_pool pool;

    (void)state;
    fl_page_pool_init(&pool);
    for (int round = 0; round < 3; round++) {
        struct fl_arena arena = {.source = &pool.source};

        for (size_t i = 0; i < 10000; i++) {
            uint8_t *at = fl_arena_alloc(&arena, 1000);

            if (at[0] || at[999]) fail(); /* zeroed, also what was used before */
            at[0] = at[999] = 1;
        }
        assert_true(round == 0 || pool.usual_bytes < MIB);
        fl_arena_fini(&arena);
        assert_int_equal(pool.taken_bytes, 0);
        assert_in_range(pool.usual_bytes, 9 * MIB, 11 * MIB);
    }
    fl_page_pool_fini(&pool);
}

/* As at the end of a process, when a request was not answered. */
static void a_block_that_is_out_stays_when_the_pool_ends(void **state)
{
    struct fl_page_pool pool;
    uint8_t *at;

    (void)state;
    fl_page_pool_init(&pool);
    at = take(&pool, MIB);
    fl_page_pool_fini(&pool);
    memset(at, 1, MIB);
    assert_int_equal(munmap(at, MIB), 0);
}

#if FL_POISON
static void touch(void *arg)
{
    *(volatile uint8_t *)arg = 1;
}

static void the_sanitizer_sees_the_use_of_an_idle_block(void **state)
{
    struct fl_page_pool pool;
    uint8_t *at;

    (void)state;
    fl_page_pool_init(&pool);
    at = take(&pool, FL_ARENA_LARGE_BYTES);
    assert_int_equal(fl_test_child(touch, at + 100), 0);
    give(&pool, at, FL_ARENA_LARGE_BYTES);
    assert_int_not_equal(fl_test_child(touch, at + 100), 0);
    assert_ptr_equal(take(&pool, FL_ARENA_LARGE_BYTES), at);
    assert_int_equal(fl_test_child(touch, at + 100), 0);
    give(&pool, at, FL_ARENA_LARGE_BYTES);
    fl_page_pool_fini(&pool);
}
#endif

FL_TESTS(
#if FL_POISON
    cmocka_unit_test(the_sanitizer_sees_the_use_of_an_idle_block),
#endif
    cmocka_unit_test(a_usual_block_is_used_again),
    cmocka_unit_test(what_is_over_the_kept_goes_in_slices),
    cmocka_unit_test(a_larger_block_goes_from_its_end),
    cmocka_unit_test(larger_blocks_and_usual_ones_share_a_slice),
    cmocka_unit_test(an_arena_finds_what_another_left),
    cmocka_unit_test(a_block_that_is_out_stays_when_the_pool_ends))
