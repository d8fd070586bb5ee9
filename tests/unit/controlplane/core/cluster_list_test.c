#include "controlplane/core/cluster_table.h"
#include "tests/fl_test.h"
#include "tests/unit/controlplane/core/report_node.h"

static struct fl_resources cpu(uint32_t cores)
{
    return (struct fl_resources){.cpu_milli = cores * 1000};
}

/* A cluster with a session that has reported one node. */
static struct cluster *enrol(struct cluster_table *table)
{
    struct fl_err err = {0};
    struct cluster *cluster;

    cluster_table_init(table, 3, 2);
    assert_true(cluster_table_add(table, (struct fl_cluster){0}, FL_STR("east"), FL_STR("uid"),
                                  &cluster, &err));
    cluster_begin_session(table, cluster, 1);
    assert_true(cluster_report_node(table, cluster, ++table->stamp, 1, true, FL_STR("n1"),
                                    FL_STR(""), cpu(4), cpu(4)));
    return cluster;
}

/* A job that could not run may run now: a verdict that is kept has an older stamp. */
static void a_list_that_is_cut_is_a_change_once(void **state)
{
    struct cluster_table table;
    struct cluster *east;
    uint64_t was;

    (void)state;
    east = enrol(&table);
    was = east->totals_at; /* an agent of before may be known by now, without an end */
    cluster_cut_list(&table, east);
    assert_true(east->totals_at > was);
    was = table.totals_at;
    cluster_cut_list(&table, east);
    cluster_end_list(&table, east, true);
    cluster_end_list(&table, east, false);
    cluster_cut_list(&table, east);
    assert_false(east->was_listed);
    assert_int_equal(table.totals_at, was);
    cluster_table_fini(&table);
}

static void ends_in_turns_whole_and_cut_are_one_change(void **state)
{
    struct cluster_table table;
    struct cluster *east;
    uint64_t was;

    (void)state;
    east = enrol(&table);
    cluster_end_list(&table, east, true);
    assert_true(east->was_listed);
    was = table.totals_at;
    cluster_end_list(&table, east, true);
    assert_int_equal(table.totals_at, was);
    cluster_end_list(&table, east, false);
    assert_false(east->was_listed);
    assert_true(table.totals_at > was);
    was = table.totals_at;
    for (int i = 0; i < 10; i++) {
        cluster_end_list(&table, east, i % 2 == 0);
    }
    assert_false(east->was_listed);
    assert_int_equal(table.totals_at, was);
    cluster_begin_session(&table, east, 2);
    cluster_end_list(&table, east, true);
    assert_true(east->was_listed);
    cluster_table_fini(&table);
}

/* A node may be cordoned and ready again as often as it likes. */
static void a_node_that_is_not_ready_for_a_while_is_not_less(void **state)
{
    struct cluster_table table;
    struct cluster *east;
    struct cluster_node_report one = {.stamp = 1,
                                      .number = 2,
                                      .is_ready = true,
                                      .name = FL_STR("n2"),
                                      .taints = FL_STR("a:NoSchedule\n"),
                                      .total = cpu(4),
                                      .free = cpu(4)};

    (void)state;
    east = enrol(&table);
    for (int i = 0; i < 3; i++) {
        one.is_ready = i != 1;
        assert_true(cluster_report(&table, east, &one));
    }
    assert_false(east->has_shrunk);
    cluster_table_fini(&table);
}

FL_TESTS(cmocka_unit_test(a_list_that_is_cut_is_a_change_once),
         cmocka_unit_test(ends_in_turns_whole_and_cut_are_one_change),
         cmocka_unit_test(a_node_that_is_not_ready_for_a_while_is_not_less))
