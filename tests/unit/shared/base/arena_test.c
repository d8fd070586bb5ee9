#include "shared/base/arena.h"

#include "shared/base/alloc.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"

struct point {
    int32_t x, y;
};

struct point_list {
    struct point *at;
    size_t len, cap;
};

static void ask_for_an_array_that_overflows(void *arg)
{
    volatile size_t n = SIZE_MAX / 4;

    fl_arena_array(arg, struct point, n);
}

static void memory_is_zeroed_aligned_and_apart(void **state)
{
    struct fl_arena arena = {0};
    struct fl_prng prng;
    struct {
        uint8_t *at;
        size_t len;
    } pieces[2000];

    (void)state;
    fl_prng_seed(&prng, 1);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < 2000; i++) {
            size_t len = fl_prng_below(&prng, fl_prng_chance(&prng, 20000) ? 600000 : 200);

            pieces[i].at = fl_arena_alloc(&arena, len);
            pieces[i].len = len;
            assert_non_null(pieces[i].at);
            assert_int_equal((uintptr_t)pieces[i].at % 16, 0);
            for (size_t k = 0; k < len; k++) {
                if (pieces[i].at[k]) fail();
            }
            if (len) memset(pieces[i].at, (int)(i % 255) + 1, len);
        }
        for (size_t i = 0; i < 2000; i++) {
            for (size_t k = 0; k < pieces[i].len; k++) {
                if (pieces[i].at[k] != i % 255 + 1) fail();
            }
        }
        fl_arena_reset(&arena);
    }
    fl_arena_fini(&arena);
}

static void nothing_is_a_pointer_too(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_non_null(fl_arena_alloc(&arena, 0));
    assert_ptr_not_equal(fl_arena_alloc(&arena, 0), fl_arena_alloc(&arena, 0));
    fl_arena_fini(&arena);
}

static void a_reset_keeps_at_most_a_mebibyte(void **state)
{
    struct fl_arena arena = {0};
    size_t kept;

    (void)state;
    for (int i = 0; i < 10000; i++) {
        fl_arena_alloc(&arena, 1000);
    }
    fl_arena_alloc(&arena, 5 << 20);
    assert_true(fl_arena_bytes(&arena) >= 15000000);
    fl_arena_reset(&arena);
    kept = fl_arena_bytes(&arena);
    assert_true(kept > FL_ARENA_KEPT_BYTES_MAX / 2);
    assert_true(kept <= FL_ARENA_KEPT_BYTES_MAX);
    for (int i = 0; i < 400; i++) {
        fl_arena_alloc(&arena, 1000);
    }
    assert_int_equal(fl_arena_bytes(&arena), kept); /* served from what was kept */
    fl_arena_fini(&arena);
    assert_int_equal(fl_arena_bytes(&arena), 0);
}

static void a_large_piece_does_not_waste_the_block_in_use(void **state)
{
    struct fl_arena arena = {0};
    uint8_t *small = fl_arena_alloc(&arena, 16);
    uint8_t *next;

    (void)state;
    fl_arena_alloc(&arena, 1 << 20);
    next = fl_arena_alloc(&arena, 16);
    assert_true(next > small && next - small <= 32);
    fl_arena_fini(&arena);
}

static void a_copy_is_followed_by_a_zero_byte(void **state)
{
    struct fl_arena arena = {0};
    char text[3] = {'a', 'b', 'c'};
    char *copy = fl_arena_copy(&arena, text, 3);

    (void)state;
    assert_string_equal(copy, "abc");
    assert_string_equal(fl_arena_copy(&arena, NULL, 0), "");
    text[0] = 'x';
    assert_string_equal(copy, "abc");
    fl_arena_fini(&arena);
}

static void a_list_grows_and_keeps_its_items(void **state)
{
    struct fl_arena arena = {0};
    struct point_list list = {0};

    (void)state;
    for (int32_t i = 0; i < 10000; i++) {
        fl_arena_push(&arena, &list, (struct point){i, -i});
    }
    assert_int_equal(list.len, 10000);
    for (int32_t i = 0; i < 10000; i++) {
        assert_int_equal(list.at[i].x, i);
        assert_int_equal(list.at[i].y, -i);
    }
    fl_arena_fini(&arena);
}

static void pushing_an_item_of_the_list_itself_is_fine(void **state)
{
    struct fl_arena arena = {0};
    struct point_list list = {0};

    (void)state;
    fl_arena_push(&arena, &list, (struct point){1, 2});
    for (int i = 0; i < 100; i++) {
        fl_arena_push(&arena, &list, list.at[list.len - 1]);
    }
    assert_int_equal(list.at[100].y, 2);
    fl_arena_fini(&arena);
}

static void printing_takes_what_it_needs(void **state)
{
    struct fl_arena arena = {0};
    char wide[5001];

    (void)state;
    assert_string_equal(fl_arena_printf(&arena, "%s-%d", "a", 7), "a-7");
    assert_string_equal(fl_arena_printf(&arena, "%s", ""), "");
    memset(wide, 'w', 5000);
    wide[5000] = 0;
    assert_string_equal(fl_arena_printf(&arena, "%s", wide), wide);
    fl_arena_fini(&arena);
}

static void strings_are_joined(void **state)
{
    struct fl_str parts[] = {FL_STR("token:"), FL_STR(""), {0}, FL_STR("7"), FL_STR(" ann")};
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(fl_arena_join(&arena, parts, 5), "token:7 ann");
    assert_string_equal(fl_arena_join(&arena, parts, 0), "");
    fl_arena_fini(&arena);
}

/* The blocks are whole, or begun. */
static void a_wiped_arena_holds_nothing_of_what_it_had(void **state)
{
    enum { PIECES = 40, BYTES = 1000 };
    struct fl_arena arena = {0};
    char *pieces[PIECES];

    (void)state;
    for (int i = 0; i < PIECES; i++) {
        pieces[i] = fl_arena_alloc(&arena, BYTES);
        memset(pieces[i], 's', BYTES);
    }
    fl_arena_wipe(&arena);
    for (int i = 0; i < PIECES; i++) {
        fl_unpoison(pieces[i], BYTES);
        for (int at = 0; at < BYTES; at++) {
            assert_int_equal(pieces[i][at], 0);
        }
    }
    fl_arena_fini(&arena);
}

static void an_empty_arena_may_be_reset_and_ended(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    fl_arena_reset(&arena);
    fl_arena_fini(&arena);
    fl_arena_fini(&arena);
    fl_arena_fini(NULL);
    assert_non_null(fl_arena_new(&arena, struct point)); /* and used again after its end */
    fl_arena_fini(&arena);
}

static void an_array_that_overflows_aborts(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_true(fl_test_aborts(ask_for_an_array_that_overflows, &arena));
    assert_non_null(fl_arena_array(&arena, struct point, 3));
    fl_arena_fini(&arena);
}

#if FL_POISON
static void touch(void *arg)
{
    *(volatile uint8_t *)arg = 1;
}

static void the_sanitizer_sees_use_after_reset_and_overrun(void **state)
{
    struct fl_arena arena = {0};
    uint8_t *piece = fl_arena_alloc(&arena, 24);

    (void)state;
    assert_int_equal(fl_test_child(touch, piece + 23), 0);
    assert_int_not_equal(fl_test_child(touch, piece + 24), 0);
    fl_arena_reset(&arena);
    assert_int_not_equal(fl_test_child(touch, piece), 0);
    fl_arena_fini(&arena);
}
#endif

static void the_newest_piece_grows_and_shrinks_in_place(void **state)
{
    struct fl_arena arena = {0};
    uint8_t *piece, *other, *moved;

    (void)state;
    piece = fl_arena_resize(&arena, NULL, 0, 100);
    memset(piece, 1, 100);
    if (!FL_POISON) assert_ptr_equal(fl_arena_resize(&arena, piece, 100, 200), piece);
    assert_ptr_equal(fl_arena_resize(&arena, piece, FL_POISON ? 100 : 200, 50), piece);
    other = fl_arena_alloc(&arena, 16);
    if (!FL_POISON) assert_ptr_equal(other, piece + 64);
    memset(other, 2, 16);
    moved = fl_arena_resize(&arena, piece, 50, 100000);
    assert_true(moved != piece);
    for (size_t i = 0; i < 50; i++) {
        assert_int_equal(moved[i], 1);
    }
    assert_int_equal(other[0] + other[15], 4);
    fl_arena_fini(&arena);
}

struct counting_source {
    struct fl_arena_source source;
    size_t takes, bytes;
};

static void *take(struct fl_arena_source *source, size_t bytes)
{
    struct counting_source *counting = (struct counting_source *)source;

    assert_true(bytes >= FL_ARENA_LARGE_BYTES);
    counting->takes++;
    counting->bytes += bytes;
    return fl_alloc(bytes);
}

static void give(struct fl_arena_source *source, void *at, size_t bytes)
{
    ((struct counting_source *)source)->bytes -= bytes;
    fl_free(at);
}

static void only_large_blocks_come_from_a_source(void **state)
{
    struct counting_source counting = {.source = {take, give}};
    struct fl_arena arena = {.source = &counting.source};

    (void)state;
    for (int i = 0; i < 200; i++) {
        fl_arena_alloc(&arena, 1000);
    }
    assert_int_equal(counting.takes, 0);
    for (int i = 0; i < 10000; i++) {
        fl_arena_alloc(&arena, 1000);
    }
    fl_arena_alloc(&arena, 5 << 20);
    assert_true(counting.takes > 30);
    assert_true(counting.bytes > 15000000);
    assert_true(counting.bytes < fl_arena_bytes(&arena));
    fl_arena_reset(&arena);
    assert_true(counting.bytes <= FL_ARENA_KEPT_BYTES_MAX);
    fl_arena_alloc(&arena, 5 << 20); /* a reset leaves the source in place */
    assert_true(counting.bytes > 5 << 20);
    fl_arena_fini(&arena);
    assert_int_equal(counting.bytes, 0);
}

FL_TESTS(
#if FL_POISON
    cmocka_unit_test(the_sanitizer_sees_use_after_reset_and_overrun),
#endif
    cmocka_unit_test(memory_is_zeroed_aligned_and_apart),
    cmocka_unit_test(nothing_is_a_pointer_too), cmocka_unit_test(a_reset_keeps_at_most_a_mebibyte),
    cmocka_unit_test(a_large_piece_does_not_waste_the_block_in_use),
    cmocka_unit_test(a_copy_is_followed_by_a_zero_byte),
    cmocka_unit_test(the_newest_piece_grows_and_shrinks_in_place),
    cmocka_unit_test(a_list_grows_and_keeps_its_items),
    cmocka_unit_test(pushing_an_item_of_the_list_itself_is_fine),
    cmocka_unit_test(printing_takes_what_it_needs), cmocka_unit_test(strings_are_joined),
    cmocka_unit_test(only_large_blocks_come_from_a_source),
    cmocka_unit_test(a_wiped_arena_holds_nothing_of_what_it_had),
    cmocka_unit_test(an_empty_arena_may_be_reset_and_ended),
    cmocka_unit_test(an_array_that_overflows_aborts))
