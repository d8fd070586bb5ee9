#include "controlplane/store/partition_plan.h"

#include "shared/base/buf.h"
#include "shared/base/vec.h"
#include "tests/fl_test.h"

static void partitions_are_made_until_there_is_room_and_then_no_more(void **state)
{
    struct partition_list list = {0};
    struct partition_range range;
    int made = 0;

    (void)state;
    while (partition_wanted(&list, list.len, 0, 1000, 4000, &range)) {
        assert_int_equal(range.lo, made * 1000);
        assert_int_equal(range.hi, (made + 1) * 1000);
        fl_vec_push(&list, range);
        made++;
    }
    assert_int_equal(made, 5);
    assert_true(partition_wanted(&list, list.len, 1000, 1000, 4000, &range));
    assert_int_equal(range.lo, 5000);
    fl_vec_fini(&list);
}

static void a_jump_of_the_numbers_is_bridged_by_one_partition_on_the_grid(void **state)
{
    struct partition_range first = {0, 1000}, range;
    struct partition_list list = {&first, 1, 1};

    (void)state;
    assert_true(partition_wanted(&list, 1, 1234567, 1000, 4000, &range));
    assert_int_equal(range.lo, 1000);
    assert_int_equal(range.hi, 1236000);
    list.at[0] = range;
    assert_true(partition_wanted(&list, 1, 1234567, 1000, 4000, &range));
    assert_int_equal(range.hi - range.lo, 1000); /* and the next is of the usual width */
}

static void many_partitions_make_new_ones_wider(void **state)
{
    struct partition_range newest = {0, 8000}, range;
    struct partition_list list = {&newest, 1, 1};

    (void)state;
    assert_true(partition_wanted(&list, PARTITION_MANY - 1, 7999, 1000, 4000, &range));
    assert_int_equal(range.hi - range.lo, 1000);
    assert_true(partition_wanted(&list, PARTITION_MANY, 7999, 1000, 4000, &range));
    assert_int_equal(range.hi - range.lo, 2000);
    assert_true(partition_wanted(&list, PARTITION_MANY + 3, 7999, 1000, 4000, &range));
    assert_int_equal(range.hi - range.lo, 16000);
    assert_true(partition_wanted(&list, PARTITION_MAX - 1, 7999, 1000, 4000, &range));
    assert_int_equal(range.hi - range.lo, 1000 << 20);
}

static void at_the_maximum_none_is_made(void **state)
{
    struct partition_range newest = {0, 1000}, range;
    struct partition_list list = {&newest, 1, 1};

    (void)state;
    assert_true(partition_wanted(&list, PARTITION_MAX - 1, 999, 1000, 4000, &range));
    assert_false(partition_wanted(&list, PARTITION_MAX, 999, 1000, 4000, &range));
}

static void at_full_load_retention_never_meets_the_maximum(void **state)
{
    /* 275,000 jobs/s for 30 days, nothing removed: how many partitions is that? */
    struct partition_list list = {0};
    struct partition_range range;
    uint64_t jobs = (uint64_t)275000 * 86400 * 30;

    (void)state;
    for (uint64_t used = 0; used < jobs;
         used = list.len ? list.at[list.len - 1].hi - 1 : UINT64_MAX) {
        while (partition_wanted(&list, list.len, used, 1000000, 4000000, &range)) {
            fl_vec_push(&list, range);
        }
    }
    assert_true(list.len > PARTITION_MANY && list.len < 60);
    fl_vec_fini(&list);
}

static void only_what_is_behind_the_newest_number_may_go(void **state)
{
    (void)state;
    assert_true(partition_may_go((struct partition_range){0, 1000}, 1000));
    assert_false(partition_may_go((struct partition_range){0, 1000}, 999));
    assert_false(partition_may_go((struct partition_range){1000, 2000}, 1000));
    assert_false(partition_may_go((struct partition_range){0, 1000}, 0));
}

static void bounds_are_read_as_postgres_prints_them(void **state)
{
    struct partition_range range;

    (void)state;
    assert_true(partition_parse("FOR VALUES FROM ('0') TO ('1000000')", &range));
    assert_int_equal(range.lo, 0);
    assert_int_equal(range.hi, 1000000);
    assert_false(partition_parse("FOR VALUES FROM (MINVALUE) TO ('1000000')", &range));
    assert_false(partition_parse("FOR VALUES FROM ('5') TO ('5')", &range));
    assert_false(partition_parse("DEFAULT", &range));
    assert_false(partition_parse("", &range));
}

static void making_names_each_table_of_the_family(void **state)
{
    struct fl_buf sql;

    (void)state;
    fl_buf_init(&sql, 8192);
    assert_true(partition_make_sql(&sql, PARTITION_BATCHES, (struct partition_range){5, 9}));
    assert_string_equal(
        (char *)sql.at,
        "create table audit_p5(like audit including all);"
        "alter table audit attach partition audit_p5 for values from (5) to (9);"
        "create table journal_p5(like journal including all);"
        "alter table journal attach partition journal_p5 for values from (5) to (9);");
    fl_buf_fini(&sql);
    assert_string_equal(partition_master(PARTITION_JOBS), "job");
    assert_string_equal(partition_master(PARTITION_BATCHES), "journal");
}

FL_TESTS(cmocka_unit_test(partitions_are_made_until_there_is_room_and_then_no_more),
         cmocka_unit_test(a_jump_of_the_numbers_is_bridged_by_one_partition_on_the_grid),
         cmocka_unit_test(many_partitions_make_new_ones_wider),
         cmocka_unit_test(at_the_maximum_none_is_made),
         cmocka_unit_test(at_full_load_retention_never_meets_the_maximum),
         cmocka_unit_test(only_what_is_behind_the_newest_number_may_go),
         cmocka_unit_test(bounds_are_read_as_postgres_prints_them),
         cmocka_unit_test(making_names_each_table_of_the_family))
