#include "controlplane/core/shape_table.h"

#include "shared/base/buf.h"
#include "tests/fl_test.h"

static char bytes_at[64][32];

/* The n-th of some shapes that differ. */
static struct fl_str bytes_of(uint32_t n)
{
    struct shape shape = {.roles_len = 1, .roles = {{1, 1, {0, n, 0}}}};
    struct fl_buf buf;

    fl_buf_init(&buf, 32);
    assert_true(shape_encode(&buf, &shape));
    memcpy(bytes_at[n], buf.at, buf.len);
    fl_buf_fini(&buf);
    return (struct fl_str){bytes_at[n], 11};
}

static struct shape_slot add(struct shape_table *table, uint32_t id, uint32_t n)
{
    struct fl_err err = {0};
    struct shape_slot slot = {0};

    assert_true(shape_table_add(table, id, bytes_of(n), &slot, &err));
    return slot;
}

static void a_shape_is_found_by_its_bytes_and_by_its_id(void **state)
{
    struct shape_table table;
    struct shape_slot slot;

    (void)state;
    shape_table_init(&table, 4);
    slot = add(&table, 0, 1);
    assert_int_equal(shape_table_find(&table, bytes_of(1)).n, slot.n);
    assert_int_equal(shape_table_find(&table, bytes_of(2)).n, 0);
    assert_int_equal(shape_table_find_id(&table, 1).n, slot.n);
    assert_int_equal(shape_table_find_id(&table, 2).n, 0);
    assert_int_equal(shape_table_at(&table, slot)->replicas, 1);
    assert_int_equal(shape_table_at(&table, slot)->shape.roles[0].each.cpu_milli, 1);
    shape_table_fini(&table);
}

static void ids_count_on_from_the_largest(void **state)
{
    struct shape_table table;

    (void)state;
    shape_table_init(&table, 8);
    assert_int_equal(shape_table_at(&table, add(&table, 0, 1))->id, 1);
    assert_int_equal(shape_table_at(&table, add(&table, 7, 2))->id, 7);
    assert_int_equal(shape_table_at(&table, add(&table, 3, 3))->id, 3);
    assert_int_equal(shape_table_at(&table, add(&table, 0, 4))->id, 8);
    shape_table_fini(&table);
}

static void what_is_there_or_is_no_shape_is_refused(void **state)
{
    struct shape_table table;
    struct fl_err err = {0};
    struct shape_slot slot;

    (void)state;
    shape_table_init(&table, 8);
    add(&table, 1, 1);
    assert_false(shape_table_add(&table, 0, bytes_of(1), &slot, &err));
    assert_int_equal(err.code, FL_EXISTS);
    assert_false(shape_table_add(&table, 1, bytes_of(2), &slot, &err));
    assert_int_equal(err.code, FL_EXISTS);
    assert_false(shape_table_add(&table, 0, FL_STR("no shape"), &slot, &err));
    assert_int_equal(err.code, FL_INVALID);
    assert_int_equal(table.entries.len, 1);
    shape_table_fini(&table);
}

static void a_full_table_says_which_idle_shape_goes_first(void **state)
{
    struct shape_table table;
    struct fl_err err = {0};
    struct shape_slot one, two, three, slot;

    (void)state;
    shape_table_init(&table, 3);
    one = add(&table, 0, 1);
    two = add(&table, 0, 2);
    assert_int_equal(shape_table_evict(&table), 0); /* there is room */
    three = add(&table, 0, 3);
    assert_int_equal(shape_table_evict(&table), 1);
    shape_table_ref(&table, one);
    assert_int_equal(shape_table_evict(&table), 2);
    shape_table_ref(&table, two);
    shape_table_ref(&table, two);
    shape_table_ref(&table, three);
    assert_int_equal(shape_table_evict(&table), 0); /* nothing is idle */
    assert_false(shape_table_add(&table, 0, bytes_of(4), &slot, &err));
    assert_int_equal(err.code, FL_FULL);
    shape_table_unref(&table, two);
    shape_table_unref(&table, three);
    assert_int_equal(shape_table_evict(&table), 3); /* two has a job left */
    shape_table_unref(&table, two);
    shape_table_unref(&table, one);
    assert_int_equal(shape_table_evict(&table), 3); /* idle longest */
    shape_table_drop(&table, 3);
    assert_int_equal(shape_table_find(&table, bytes_of(3)).n, 0);
    assert_int_equal(shape_table_at(&table, add(&table, 0, 3))->id, 4);
    assert_int_equal(shape_table_evict(&table), 2);
    shape_table_fini(&table);
}

static void drop_in_use(void *arg)
{
    struct shape_table *table = arg;

    shape_table_drop(table, 1);
}

static void dropping_a_shape_in_use_is_a_bug(void **state)
{
    struct shape_table table;

    (void)state;
    shape_table_init(&table, 3);
    shape_table_ref(&table, add(&table, 0, 1));
    assert_true(fl_test_aborts(drop_in_use, &table));
    shape_table_fini(&table);
}

FL_TESTS(cmocka_unit_test(a_shape_is_found_by_its_bytes_and_by_its_id),
         cmocka_unit_test(ids_count_on_from_the_largest),
         cmocka_unit_test(what_is_there_or_is_no_shape_is_refused),
         cmocka_unit_test(a_full_table_says_which_idle_shape_goes_first),
         cmocka_unit_test(dropping_a_shape_in_use_is_a_bug))
