#include "controlplane/core/pair_table.h"

#include "tests/fl_test.h"

static const struct job_slot own = {2}, other = {1}, none = {0};

static void an_element_waits_then_is_ready_then_has_begun(void **state)
{
    struct pair_table table = {0};
    struct pair *pair = pair_table_add(&table, own, other, 130);

    (void)state;
    assert_int_equal(pair->waiting_len, 130);
    assert_true(pair_waits(pair, 129) && !pair_is_ready(pair, 129));
    assert_true(pair_make_ready(pair, 129));
    assert_false(pair_make_ready(pair, 129));
    assert_true(pair_is_ready(pair, 129) && !pair_waits(pair, 129));
    assert_int_equal(pair_first_ready(pair), 129);
    assert_true(pair_take(pair, 129));
    assert_false(pair_take(pair, 129));
    assert_int_equal(pair->waiting_len, 129);
    assert_int_equal(pair->ready_len, 0);
    pair_table_fini(&table);
}

static void the_first_ready_one_may_come_late(void **state)
{
    struct pair_table table = {0};
    struct pair *pair = pair_table_add(&table, own, other, 200);

    (void)state;
    assert_true(pair_make_ready(pair, 150));
    assert_int_equal(pair_first_ready(pair), 150);
    assert_true(pair_make_ready(pair, 3));
    assert_int_equal(pair_first_ready(pair), 3);
    assert_true(pair_take(pair, 3));
    assert_int_equal(pair_first_ready(pair), 150);
    pair_table_fini(&table);
}

static void those_that_are_left_wait_or_are_ready(void **state)
{
    struct pair_table table = {0};
    struct pair *pair = pair_table_add(&table, own, other, 66);

    (void)state;
    for (uint32_t place = 0; place < 66; place++) {
        if (place != 63 && place != 65) assert_true(pair_take(pair, place));
    }
    assert_true(pair_make_ready(pair, 65));
    assert_int_equal(pair_next_left(pair, 0), 63);
    assert_int_equal(pair_next_left(pair, 64), 65);
    assert_int_equal(pair_next_left(pair, 66), UINT32_MAX);
    pair_table_fini(&table);
}

/* Were each one looked for from the first on, this would take hours. */
static void those_that_are_left_are_found_in_one_walk(void **state)
{
    enum { ELEMENTS = 1 << 24 };

    struct pair_table table = {0};
    struct pair *pair = pair_table_add(&table, own, other, ELEMENTS);

    (void)state;
    assert_true(pair_take(pair, 0) && pair_make_ready(pair, 2));
    for (uint32_t place = 1; place < ELEMENTS; place++) {
        if (pair_first_left(pair) != place || !pair_take(pair, place)) fail();
    }
    assert_int_equal(pair->waiting_len + pair->ready_len, 0);
    assert_int_equal(pair->left_from, ELEMENTS - 1);
    pair_table_fini(&table);
}

static void expect_ready(const struct pair *pair, const char *bits, uint32_t from)
{
    for (uint32_t i = 0; bits[i]; i++) {
        assert_int_equal(pair_is_ready(pair, from + i), bits[i] == 'r');
        assert_int_equal(pair_waits(pair, from + i), bits[i] == 'w');
    }
}

static void a_new_one_is_met_by_those_that_began_before(void **state)
{
    struct pair_table table = {0};
    struct pair *pair = pair_table_add(&table, own, other, 200);
    struct pair *whole = pair_table_add(&table, own, other, 128);

    (void)state;
    pair_make_ready_before(pair, 130);
    assert_int_equal(pair->ready_len, 130);
    pair_wait_again(pair, 64);
    assert_int_equal(pair->ready_len, 129);
    assert_int_equal(pair->waiting_len, 71);
    expect_ready(pair, "rwr", 63);
    expect_ready(pair, "rrww", 128);
    assert_int_equal(pair_first_ready(pair), 0);
    pair_make_ready_before(whole, 128);
    assert_int_equal(whole->ready_len, 128);
    assert_int_equal(whole->waiting_len, 0);
    pair_table_fini(&table);
}

static void a_new_one_is_met_by_those_that_began_in_another_pair(void **state)
{
    struct pair_table table = {0};
    struct pair *target = pair_table_add(&table, other, own, 66);
    struct pair *pair = pair_table_add(&table, own, other, 66);

    (void)state;
    assert_true(pair_take(target, 1) && pair_take(target, 64) && pair_take(target, 65));
    assert_true(pair_make_ready(target, 2)); /* it has not begun */
    pair_make_ready_begun(pair, target);
    assert_int_equal(pair->ready_len, 3);
    assert_int_equal(pair->waiting_len, 63);
    expect_ready(pair, "wrww", 0);
    expect_ready(pair, "wrr", 63);
    assert_int_equal(pair_first_ready(pair), 1);
    pair_table_fini(&table);
}

static void without_a_target_all_are_ready(void **state)
{
    struct pair_table table = {0};
    struct pair *pair = pair_table_add(&table, own, none, 64);

    (void)state;
    assert_int_equal(pair->waiting_len, 0);
    assert_int_equal(pair->ready_len, 64);
    assert_int_equal(pair_first_ready(pair), 0);
    pair_table_fini(&table);
}

static void room_is_bounded_by_pairs_and_by_elements(void **state)
{
    struct pair_table table = {0};
    struct pair *first = pair_table_add(&table, own, other, PAIR_ELEMENTS_MAX - 1), *second;

    (void)state;
    assert_true(pair_table_has_room(&table, 1));
    assert_false(pair_table_has_room(&table, 2));
    second = pair_table_add(&table, own, other, 1);
    pair_table_remove(&table, first);
    assert_int_equal(table.elements, 1);
    assert_ptr_equal(table.pairs.at[0], second);
    assert_int_equal(second->place_in_table, 0);
    while (pair_table_has_room(&table, 1)) {
        (void)pair_table_add(&table, own, other, 1);
    }
    assert_int_equal(table.pairs.len, PAIRS_MAX);
    pair_table_fini(&table);
}

FL_TESTS(cmocka_unit_test(an_element_waits_then_is_ready_then_has_begun),
         cmocka_unit_test(the_first_ready_one_may_come_late),
         cmocka_unit_test(those_that_are_left_wait_or_are_ready),
         cmocka_unit_test(those_that_are_left_are_found_in_one_walk),
         cmocka_unit_test(a_new_one_is_met_by_those_that_began_before),
         cmocka_unit_test(a_new_one_is_met_by_those_that_began_in_another_pair),
         cmocka_unit_test(without_a_target_all_are_ready),
         cmocka_unit_test(room_is_bounded_by_pairs_and_by_elements))
