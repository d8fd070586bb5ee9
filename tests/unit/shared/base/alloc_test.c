#include "shared/base/alloc.h"

#include "tests/fl_test.h"

struct pair {
    uint64_t a, b;
};

/* volatile: the compiler would warn of sizes it can see through */
static void ask_for_more_than_can_be_counted(void *arg)
{
    volatile size_t n = SIZE_MAX / 8;

    (void)arg;
    fl_free(fl_new_array(struct pair, n));
}

static void ask_for_more_than_half_the_address_space(void *arg)
{
    volatile size_t n = (size_t)PTRDIFF_MAX + 1;

    (void)arg;
    fl_free(fl_alloc(n));
}

static void grow_beyond_what_can_be_counted(void *arg)
{
    volatile size_t n = SIZE_MAX / 8;

    (void)arg;
    fl_free(fl_realloc_array(NULL, struct pair, n));
}

static void new_memory_is_zeroed(void **state)
{
    struct pair *one = fl_new(struct pair);
    struct pair *many = fl_new_array(struct pair, 1000);
    uint8_t *bytes = fl_alloc(1000);

    (void)state;
    assert_int_equal(one->a | one->b, 0);
    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(many[i].a | many[i].b | bytes[i], 0);
    }
    fl_free(one);
    fl_free(many);
    fl_free(bytes);
}

static void nothing_at_all_may_be_had_and_freed(void **state)
{
    void *nothing = fl_alloc(0);

    (void)state;
    assert_non_null(nothing);
    nothing = fl_realloc_array(nothing, struct pair, 0);
    assert_non_null(nothing);
    fl_free(nothing);
    fl_free(NULL);
}

static void an_array_keeps_its_items_when_it_is_resized(void **state)
{
    uint32_t *array = fl_realloc_array(NULL, uint32_t, 4);

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        array[i] = i + 1;
    }
    array = fl_realloc_array(array, uint32_t, 10000);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(array[i], i + 1);
    }
    array = fl_realloc_array(array, uint32_t, 2);
    assert_int_equal(array[1], 2);
    fl_free(array);
}

static void a_size_that_overflows_aborts(void **state)
{
    (void)state;
    assert_true(fl_test_aborts(ask_for_more_than_can_be_counted, NULL));
    assert_true(fl_test_aborts(ask_for_more_than_half_the_address_space, NULL));
    assert_true(fl_test_aborts(grow_beyond_what_can_be_counted, NULL));
}

FL_TESTS(cmocka_unit_test(new_memory_is_zeroed),
         cmocka_unit_test(nothing_at_all_may_be_had_and_freed),
         cmocka_unit_test(an_array_keeps_its_items_when_it_is_resized),
         cmocka_unit_test(a_size_that_overflows_aborts))
