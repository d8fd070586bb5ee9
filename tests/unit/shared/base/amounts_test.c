#include "shared/base/amounts.h"

#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "tests/fl_test.h"

static struct fl_amounts three(struct fl_arena *arena)
{
    struct fl_amounts amounts = {0};

    fl_amounts_set(&amounts, (struct fl_amount){FL_STR("rdma/hca"), 4}, arena);
    fl_amounts_set(&amounts, (struct fl_amount){FL_STR("a/z"), 1}, arena);
    fl_amounts_set(&amounts, (struct fl_amount){FL_STR("hugepages-2Mi"), 7}, arena);
    return amounts;
}

static void a_list_is_sorted_and_has_no_nothing(void **state)
{
    struct fl_arena arena = {0};
    struct fl_amounts amounts = three(&arena), other = three(&arena);

    (void)state;
    assert_int_equal(amounts.len, 3);
    assert_true(fl_str_eq(amounts.at[0].name, FL_STR("a/z")));
    assert_int_equal(fl_amounts_of(&amounts, FL_STR("rdma/hca")), 4);
    assert_int_equal(fl_amounts_of(&amounts, FL_STR("rdma/hcb")), 0);
    assert_true(fl_amounts_are_same(&amounts, &other));
    assert_int_equal(fl_amounts_hash(1, &amounts), fl_amounts_hash(1, &other));
    fl_amounts_set(&amounts, (struct fl_amount){FL_STR("hugepages-2Mi"), 8}, &arena);
    assert_false(fl_amounts_are_same(&amounts, &other));
    fl_amounts_set(&amounts, (struct fl_amount){FL_STR("hugepages-2Mi"), 0}, &arena);
    fl_amounts_set(&amounts, (struct fl_amount){FL_STR("b/b"), 0}, &arena);
    assert_int_equal(amounts.len, 2);
    assert_true(fl_str_eq(amounts.at[1].name, FL_STR("rdma/hca")));
    fl_arena_fini(&arena);
}

static void a_copy_has_its_own_names(void **state)
{
    struct fl_arena arena = {0}, other = {0};
    struct fl_amounts amounts = three(&arena), copy = fl_amounts_copy(&amounts, &other),
                      clone = fl_amounts_clone(&amounts), none = {0};

    (void)state;
    assert_true(fl_amounts_are_same(&copy, &amounts));
    fl_arena_fini(&arena);
    assert_true(fl_amounts_are_same(&copy, &clone));
    fl_amounts_free(&clone);
    assert_int_equal(clone.len, 0);
    assert_null(fl_amounts_clone(&none).at);
    fl_arena_fini(&other);
}

static void bytes_are_read_again_or_refused(void **state)
{
    struct fl_arena arena = {0};
    struct fl_amounts amounts = three(&arena), back;
    struct fl_buf buf;
    struct fl_reader reader;

    (void)state;
    fl_buf_init(&buf, 1024);
    fl_amounts_put(&buf, &amounts);
    reader = fl_reader(buf.at, buf.len);
    assert_true(fl_amounts_read(&reader, 3, &arena, &back));
    assert_true(fl_amounts_are_same(&amounts, &back));
    reader = fl_reader(buf.at, buf.len);
    assert_false(fl_amounts_read(&reader, 2, &arena, &back)); /* more than may be */
    reader = fl_reader(buf.at, buf.len - 1);
    assert_false(fl_amounts_read(&reader, 3, &arena, &back)); /* cut */
    amounts.at[0].name = FL_STR("z/z");
    fl_buf_clear(&buf);
    fl_amounts_put(&buf, &amounts);
    reader = fl_reader(buf.at, buf.len);
    assert_false(fl_amounts_read(&reader, 3, &arena, &back)); /* not sorted */
    amounts.at[0] = (struct fl_amount){FL_STR("cpu"), 1};
    fl_buf_clear(&buf);
    fl_amounts_put(&buf, &amounts);
    reader = fl_reader(buf.at, buf.len);
    assert_false(fl_amounts_read(&reader, 3, &arena, &back)); /* no resource with a name */
    amounts.at[0] = (struct fl_amount){FL_STR("a/a"), FL_AMOUNT_MAX + 1};
    fl_buf_clear(&buf);
    fl_amounts_put(&buf, &amounts);
    reader = fl_reader(buf.at, buf.len);
    assert_false(fl_amounts_read(&reader, 3, &arena, &back)); /* too much */
    fl_buf_fini(&buf);
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(a_list_is_sorted_and_has_no_nothing),
         cmocka_unit_test(a_copy_has_its_own_names),
         cmocka_unit_test(bytes_are_read_again_or_refused))
