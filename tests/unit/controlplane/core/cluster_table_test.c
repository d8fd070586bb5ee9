#include "controlplane/core/cluster_table.h"

#include "tests/fl_test.h"
#include "tests/unit/controlplane/core/report_node.h"

static const struct fl_resources none = {0};
static const struct fl_cluster next = {0}; /* the next id */

static struct cluster *enrol(struct cluster_table *table, const char *name)
{
    struct fl_err err = {0};
    struct cluster *cluster = NULL;

    assert_true(cluster_table_add(table, next, fl_str_c(name), FL_STR("uid"), &cluster, &err));
    return cluster;
}

static struct fl_resources cpu(uint32_t cores)
{
    return (struct fl_resources){.cpu_milli = cores * 1000, .memory_bytes = 100, .gpus = 1};
}

static void report(struct cluster_table *table, struct cluster *cluster, uint32_t number,
                   const char *name, uint32_t total, uint32_t free)
{
    assert_true(cluster_report_node(table, cluster, ++table->stamp, number, true, fl_str_c(name),
                                    FL_STR(""), cpu(total), cpu(free)));
}

static void a_removed_clusters_name_is_free_and_its_id_is_not(void **state)
{
    struct cluster_table table;
    struct fl_err err = {0};
    struct cluster *east, *cluster;

    (void)state;
    cluster_table_init(&table, 3, 4);
    east = enrol(&table, "east");
    assert_int_equal(east->id.n, 1);
    assert_false(cluster_table_add(&table, next, FL_STR("east"), FL_STR("uid"), &cluster, &err));
    assert_int_equal(err.code, FL_EXISTS);
    cluster_table_remove(&table, east);
    assert_null(cluster_table_find_name(&table, FL_STR("east")));
    cluster = enrol(&table, "east");
    assert_int_equal(cluster->id.n, 2);
    assert_ptr_equal(cluster_table_find_name(&table, FL_STR("east")), cluster);
    assert_ptr_equal(cluster_table_find(&table, (struct fl_cluster){1}), east);
    assert_null(cluster_table_find(&table, (struct fl_cluster){0}));
    assert_null(cluster_table_find(&table, (struct fl_cluster){3}));
    enrol(&table, "west");
    enrol(&table, "north"); /* the removed one does not count */
    assert_false(cluster_table_add(&table, next, FL_STR("south"), FL_STR("uid"), &cluster, &err));
    assert_int_equal(err.code, FL_FULL);
    cluster_table_fini(&table);
}

static void clusters_may_come_and_go_so_often_and_no_more(void **state)
{
    struct cluster_table table;
    struct fl_err err = {0};
    struct cluster *cluster;

    (void)state;
    cluster_table_init(&table, 2, 4);
    for (int i = 0; i < 2 * CLUSTER_TURNS_MAX; i++) {
        cluster_table_remove(&table, enrol(&table, "east"));
    }
    assert_false(cluster_table_add(&table, next, FL_STR("east"), FL_STR("uid"), &cluster, &err));
    assert_int_equal(err.code, FL_FULL);
    assert_non_null(strstr(err.text, "since the beginning"));
    cluster_table_fini(&table);
}

static void a_removed_cluster_keeps_no_node_without_replicas(void **state)
{
    struct cluster_table table;
    struct cluster *east;

    (void)state;
    cluster_table_init(&table, 2, 4);
    east = enrol(&table, "east");
    cluster_begin_session(&table, east, 5);
    report(&table, east, 1, "n1", 4, 4);
    report(&table, east, 2, "n2", 4, 4);
    cluster_join_node(east, 1);
    cluster_end_session(&table, east);
    cluster_table_remove(&table, east);
    assert_int_equal(east->nodes_by_name.len, 1);
    cluster_leave_node(&table, east, 1);
    assert_int_equal(east->nodes_by_name.len, 0);
    assert_null(east->nodes.at);
    cluster_table_fini(&table);
}

static void what_is_no_name_no_uid_or_the_wrong_id_is_refused(void **state)
{
    static const char uid_of_65[] =
        "uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu";
    struct cluster_table table;
    struct fl_err err = {0};
    struct cluster *cluster;

    (void)state;
    cluster_table_init(&table, 3, 4);
    assert_int_equal(strlen(uid_of_65), 65);
    assert_false(cluster_table_add(&table, next, FL_STR("E"), FL_STR("uid"), &cluster, &err));
    assert_false(cluster_table_add(&table, next, FL_STR("e"), FL_STR(""), &cluster, &err));
    assert_false(cluster_table_add(&table, next, FL_STR("e"), fl_str_c(uid_of_65), &cluster, &err));
    assert_false(cluster_table_add(&table, next, FL_STR("e"), FL_STR("\xff"), &cluster, &err));
    assert_int_equal(err.code, FL_INVALID);
    assert_false(cluster_table_add(&table, (struct fl_cluster){2}, FL_STR("e"), FL_STR("uid"),
                                   &cluster, &err));
    assert_int_equal(err.code, FL_TORN);
    cluster_table_fini(&table);
}

static void sums_are_those_of_the_ready_nodes_of_this_session(void **state)
{
    struct cluster_table table;
    struct cluster *east;

    (void)state;
    cluster_table_init(&table, 3, 4);
    east = enrol(&table, "east");
    cluster_begin_session(&table, east, 1);
    report(&table, east, 1, "n1", 8, 8);
    report(&table, east, 2, "n2", 4, 1);
    assert_int_equal(east->total_sum.cpu_milli, 12000);
    assert_int_equal(east->free_sum.cpu_milli, 9000);
    report(&table, east, 1, "n1", 8, 2); /* replaces */
    assert_int_equal(east->total_sum.cpu_milli, 12000);
    assert_int_equal(east->free_sum.cpu_milli, 3000);
    assert_true(cluster_report_node(&table, east, ++table.stamp, 2, false, FL_STR("n2"), FL_STR(""),
                                    cpu(4), cpu(4)));
    assert_int_equal(east->total_sum.cpu_milli, 8000);
    assert_int_equal(east->free_sum.cpu_milli, 2000);
    cluster_begin_session(&table, east, 2);
    assert_int_equal(east->total_sum.cpu_milli, 0);
    assert_false(cluster_node_is_usable(east, &east->nodes.at[0]));
    report(&table, east, 7, "n1", 8, 5);
    assert_int_equal(east->nodes.len, 2); /* the same node under another number */
    assert_int_equal(east->free_sum.cpu_milli, 5000);
    cluster_table_fini(&table);
}

/* A node's cores are a number of 32 bits; their sum over a cluster is not. */
static void the_sums_of_a_large_cluster_do_not_wrap(void **state)
{
    const struct fl_resources most = {
        .memory_bytes = UINT64_MAX, .cpu_milli = UINT32_MAX, .gpus = UINT32_MAX};
    const uint64_t each = CLUSTER_NODE_MEMORY_MAX;
    struct cluster_table table;
    struct cluster *east;

    (void)state;
    cluster_table_init(&table, 3, 8);
    east = enrol(&table, "east");
    cluster_begin_session(&table, east, 1);
    for (uint32_t n = 1; n <= 3; n++) {
        char name[] = {'n', (char)('0' + n), '\0'};

        assert_true(cluster_report_node(&table, east, ++table.stamp, n, true, fl_str_c(name),
                                        FL_STR(""), most, most));
    }
    assert_true(east->total_sum.cpu_milli == 3 * (uint64_t)UINT32_MAX);
    assert_true(east->total_sum.gpus == 3 * (uint64_t)UINT32_MAX);
    assert_true(east->total_sum.memory_bytes == 3 * each);
    cluster_take(&table, east, 0, most);
    assert_true(east->free_sum.cpu_milli == 2 * (uint64_t)UINT32_MAX);
    assert_true(east->free_sum.memory_bytes == 2 * each);
    cluster_claim(east, 1, most);
    cluster_claim(east, 2, most);
    assert_true(east->claimed_sum.cpu_milli == 2 * (uint64_t)UINT32_MAX);
    /* No sum of memory does, however many nodes there are. */
    assert_true(each <= UINT64_MAX / ((uint64_t)CLUSTER_NODE_NUMBER_MAX + 1));
    cluster_table_fini(&table);
}

/* An agent may report the whole node as free again and again: more is held there then than the
 * node has. */
static void what_is_held_on_one_node_does_not_wrap(void **state)
{
    const struct fl_resources large = {.cpu_milli = 100000000, .memory_bytes = 100};
    struct cluster_table table;
    struct cluster *east;

    (void)state;
    cluster_table_init(&table, 3, 8);
    east = enrol(&table, "east");
    cluster_begin_session(&table, east, 1);
    report(&table, east, 1, "n1", 100000, 100000);
    for (int i = 0; i < 43; i++) {
        (void)cluster_hold(east, 0, large);
    }
    cluster_leave_late(east, 0, large, 7);
    for (int i = 0; i < 43; i++) {
        cluster_unhold(east, 0, large, 0);
    }
    assert_true(east->nodes.at[0].held.cpu_milli == 0);
    cluster_take(&table, east, 0, large);
    for (int i = 0; i < 43; i++) {
        cluster_take(&table, east, 0, large);
    }
    for (int i = 0; i < 43; i++) {
        cluster_give(&table, east, 0, large);
        assert_true(east->nodes.at[0].free.cpu_milli == 0);
    }
    cluster_give(&table, east, 0, large);
    assert_true(east->nodes.at[0].free.cpu_milli == large.cpu_milli);
    cluster_table_fini(&table);
}

static void taking_and_giving_never_leave_the_range_of_the_node(void **state)
{
    struct cluster_table table;
    struct cluster *east;

    (void)state;
    cluster_table_init(&table, 3, 4);
    east = enrol(&table, "east");
    cluster_begin_session(&table, east, 1);
    report(&table, east, 1, "n1", 8, 8);
    cluster_take(&table, east, 0, cpu(5));
    assert_int_equal(east->nodes.at[0].free.cpu_milli, 3000);
    assert_int_equal(east->free_sum.cpu_milli, 3000);
    cluster_take(&table, east, 0, cpu(5));
    assert_int_equal(east->nodes.at[0].free.cpu_milli, 0);
    assert_int_equal(east->free_sum.cpu_milli, 0);
    cluster_give(&table, east, 0, cpu(7));
    cluster_give(&table, east, 0, cpu(7));
    assert_int_equal(east->nodes.at[0].free.cpu_milli, 8000);
    assert_int_equal(east->free_sum.cpu_milli, 8000);
    report(&table, east, 1, "n1", 4, 9); /* more free than there is */
    assert_int_equal(east->nodes.at[0].free.cpu_milli, 4000);
    cluster_table_fini(&table);
}

static void only_what_gives_work_a_new_chance_is_growth(void **state)
{
    struct cluster_table table;
    struct cluster *east;
    uint64_t grown, totals;

    (void)state;
    cluster_table_init(&table, 3, 4);
    east = enrol(&table, "east");
    cluster_begin_session(&table, east, 1);
    grown = east->grown_at;
    totals = table.totals_at;
    report(&table, east, 1, "n1", 8, 4);
    assert_true(east->grown_at > grown && table.totals_at > totals);
    grown = east->grown_at;
    totals = table.totals_at;
    report(&table, east, 1, "n1", 8, 4);
    report(&table, east, 1, "n1", 8, 3);
    assert_int_equal(east->grown_at, grown); /* nothing became free */
    assert_int_equal(table.totals_at, totals);
    report(&table, east, 1, "n1", 8, 4);
    assert_true(east->grown_at > grown);
    grown = east->grown_at;
    assert_true(cluster_report_node(&table, east, ++table.stamp, 1, true, FL_STR("n1"),
                                    FL_STR("a=b\n"), cpu(8), cpu(4)));
    assert_true(east->grown_at > grown && table.totals_at > totals); /* labels count too */
    grown = east->grown_at;
    cluster_take(&table, east, 0, cpu(1));
    assert_int_equal(east->grown_at, grown);
    cluster_give(&table, east, 0, cpu(1));
    assert_true(east->grown_at > grown);
    cluster_table_fini(&table);
}

static void a_node_report_out_of_bounds_changes_nothing(void **state)
{
    static char long_text[CLUSTER_NODE_LABELS_MAX + 2];
    struct cluster_table table;
    struct cluster *east;
    const struct {
        uint32_t number;
        struct fl_str name, labels;
    } bad[] = {{65536, FL_STR("n1"), FL_STR("")},
               {1, FL_STR(""), FL_STR("")},
               {1, FL_STR("a\nb"), FL_STR("")},
               {1, FL_STR("\xc0"), FL_STR("")},
               {1, {long_text, 254}, FL_STR("")},
               {1, FL_STR("n1"), {long_text, CLUSTER_NODE_LABELS_MAX + 1}}};

    (void)state;
    memset(long_text, 'x', sizeof long_text);
    cluster_table_init(&table, 3, 2);
    east = enrol(&table, "east");
    cluster_begin_session(&table, east, 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(cluster_report_node(&table, east, 9, bad[i].number, true, bad[i].name,
                                         bad[i].labels, cpu(1), none));
    }
    assert_int_equal(east->nodes.len, 0);
    assert_true(cluster_report_node(&table, east, 9, 65535, true, (struct fl_str){long_text, 253},
                                    (struct fl_str){long_text, CLUSTER_NODE_LABELS_MAX}, cpu(1),
                                    none));
    report(&table, east, 2, "n2", 1, 1);
    assert_false(
        cluster_report_node(&table, east, 9, 3, true, FL_STR("n3"), FL_STR(""), cpu(1), none));
    assert_int_equal(east->nodes.len, 2); /* nodes_max */
    cluster_table_fini(&table);
}

static uint32_t index_of(struct cluster *cluster, const char *name)
{
    uint64_t i = UINT32_MAX;

    (void)fl_map_find(&cluster->nodes_by_name, name, strlen(name), &i);
    return (uint32_t)i;
}

static void say_gone(struct cluster_table *table, struct cluster *cluster, uint32_t number,
                     const char *name)
{
    assert_true(cluster_report_node(table, cluster, ++table->stamp, number, false, fl_str_c(name),
                                    FL_STR(""), none, none));
}

static void a_node_that_goes_is_forgotten_with_the_last_replica_on_it(void **state)
{
    struct cluster_table table;
    struct cluster *east;
    uint64_t totals;
    uint32_t n1;

    (void)state;
    cluster_table_init(&table, 3, 4);
    east = enrol(&table, "east");
    cluster_begin_session(&table, east, 1);
    report(&table, east, 1, "n1", 8, 8);
    report(&table, east, 2, "n2", 4, 4);
    n1 = index_of(east, "n1");
    cluster_join_node(east, n1);
    cluster_join_node(east, n1);
    totals = table.totals_at;
    say_gone(&table, east, 1, "n1");
    assert_true(table.totals_at > totals); /* the last room is gone */
    assert_int_equal(east->total_sum.cpu_milli, 4000);
    assert_int_equal(east->told_len, 1);
    cluster_leave_node(&table, east, n1);
    assert_int_equal(index_of(east, "n1"), n1);
    cluster_give(&table, east, n1, cpu(3)); /* gives the room back */
    cluster_leave_node(&table, east, n1);
    assert_int_equal(index_of(east, "n1"), UINT32_MAX);
    say_gone(&table, east, 1, "n1"); /* again: nothing */
    report(&table, east, 1, "n9", 2, 2);
    assert_int_equal(index_of(east, "n9"), n1); /* the hole is filled first */
    assert_int_equal(east->total_sum.cpu_milli, 6000);
    assert_int_equal(east->nodes.len, 2);
    cluster_table_fini(&table);
}

static void a_node_whose_number_another_one_takes_is_gone(void **state)
{
    struct cluster_table table;
    struct cluster *east;

    (void)state;
    cluster_table_init(&table, 3, 1);
    east = enrol(&table, "east");
    cluster_begin_session(&table, east, 1);
    report(&table, east, 1, "n1", 8, 8);
    assert_false(
        cluster_report_node(&table, east, 9, 2, true, FL_STR("n2"), FL_STR(""), cpu(1), none));
    report(&table, east, 1, "n2", 4, 4);
    assert_int_equal(index_of(east, "n1"), UINT32_MAX);
    assert_int_equal(east->total_sum.cpu_milli, 4000);
    assert_int_equal(east->told_len, 1);
    cluster_table_fini(&table);
}

static void whom_a_session_does_not_tell_of_is_gone_once_it_tells_of_somebody_again(void **state)
{
    struct cluster_table table;
    struct cluster *east;

    (void)state;
    cluster_table_init(&table, 3, 8);
    east = enrol(&table, "east");
    cluster_begin_session(&table, east, 1);
    for (uint32_t i = 1; i <= 4; i++) {
        report(&table, east, i, (const char *[]){"n1", "n2", "n3", "n4"}[i - 1], 8, 8);
    }
    cluster_join_node(east, index_of(east, "n3"));
    cluster_begin_session(&table, east, 2);
    report(&table, east, 1, "n1", 8, 8);
    assert_int_equal(east->nodes_by_name.len, 4); /* the others may follow */
    report(&table, east, 2, "n2", 8, 8);
    report(&table, east, 1, "n1", 8, 7);
    assert_int_equal(east->nodes_by_name.len, 3);
    cluster_leave_node(&table, east, index_of(east, "n3"));
    assert_int_equal(east->nodes_by_name.len, 2);
    assert_int_equal(east->total_sum.cpu_milli, 16000);
    cluster_table_fini(&table);
}

static void nodes_max_is_of_a_session_however_many_names_there_were_before(void **state)
{
    enum { MAX = 5 };
    struct cluster_table table;
    struct cluster *east;
    char name[16];
    uint32_t number = 0, names = 0;

    (void)state;
    cluster_table_init(&table, 3, MAX);
    east = enrol(&table, "east");
    for (int session = 1; session <= 3 * MAX; session++) { /* all of them renamed in between */
        cluster_begin_session(&table, east, (uint64_t)session);
        for (number = 1; number <= MAX; number++) {
            (void)snprintf(name, sizeof name, "n%u", ++names);
            report(&table, east, number, name, 8, 8);
        }
        assert_int_equal(east->nodes.len, MAX);
        assert_int_equal(east->free_sum.cpu_milli, MAX * 8000);
    }
    for (; names < 6 * MAX * MAX; number++) { /* one by one */
        char old[16];

        (void)snprintf(old, sizeof old, "n%u", names - MAX + 1);
        say_gone(&table, east, number - MAX, old);
        (void)snprintf(name, sizeof name, "n%u", ++names);
        report(&table, east, number, name, 8, 8);
        assert_int_equal(east->nodes.len, MAX);
        assert_int_equal(east->told_len, MAX);
    }
    cluster_table_fini(&table);
}

/* ---- claims ---------------------------------------------------------------------------------- */

static uint32_t spare(const struct cluster *cluster, uint32_t i)
{
    const struct node *node = &cluster->nodes.at[i];

    return cluster_spare(node->total, node->free, node->held, node->guests, node->claimed)
               .cpu_milli /
           1000;
}

static void take(struct cluster_table *table, struct cluster *cluster, uint32_t cores,
                 uint16_t *ret_guest_no)
{
    cluster_take(table, cluster, 0, cpu(cores));
    *ret_guest_no = cluster_hold(cluster, 0, cpu(cores));
}

static void give(struct cluster_table *table, struct cluster *cluster, uint32_t cores,
                 uint16_t guest_no)
{
    cluster_give(table, cluster, 0, cpu(cores));
    cluster_unhold(cluster, 0, cpu(cores), guest_no);
}

/* Ten cores: eight are held when a claim comes for six of them. */
static void beside_a_claim_is_free_what_does_not_delay_it(void **state)
{
    struct cluster_table table;
    struct cluster *east;
    uint16_t first, second, guest, none_yet;

    (void)state;
    cluster_table_init(&table, 3, 4);
    east = enrol(&table, "east");
    cluster_begin_session(&table, east, 1);
    report(&table, east, 1, "n1", 10, 10);
    take(&table, east, 5, &first);
    take(&table, east, 3, &second);
    assert_int_equal(first + second, 0); /* no guests: there is no claim */
    cluster_claim(east, 0, cpu(6));
    assert_int_equal(spare(east, 0), 2);
    take(&table, east, 2, &guest);
    assert_int_not_equal(guest, 0);
    assert_int_equal(east->nodes.at[0].guests.cpu_milli, 2000);
    assert_int_equal(spare(east, 0), 0);
    give(&table, east, 3, second);
    assert_int_equal(spare(east, 0), 2); /* 10 less 6 claimed less 2 that came beside it */
    give(&table, east, 5, first);
    assert_int_equal(east->nodes.at[0].free.cpu_milli, 8000);
    assert_int_equal(spare(east, 0), 2); /* the claim has its six */
    give(&table, east, 2, guest);
    assert_int_equal(spare(east, 0), 4);
    assert_int_equal(east->nodes.at[0].guests.cpu_milli, 0);
    cluster_unclaim(east, 0, cpu(6));
    assert_int_equal(spare(east, 0), 10);
    take(&table, east, 1, &none_yet);
    assert_int_equal(none_yet, 0);
    cluster_table_fini(&table);
}

/* A guest of a claim that has ended is no guest of the next one: it was there first. */
static void guests_are_those_of_the_claims_that_are_there(void **state)
{
    struct cluster_table table;
    struct cluster *east;
    uint16_t old, new, newer;

    (void)state;
    cluster_table_init(&table, 3, 4);
    east = enrol(&table, "east");
    cluster_begin_session(&table, east, 1);
    report(&table, east, 1, "n1", 10, 10);
    cluster_claim(east, 0, cpu(6));
    take(&table, east, 2, &old);
    cluster_claim(east, 0, cpu(1)); /* one more, while there is one: they stay guests */
    assert_int_equal(east->nodes.at[0].guests.cpu_milli, 2000);
    cluster_unclaim(east, 0, cpu(6));
    cluster_unclaim(east, 0, cpu(1));
    cluster_claim(east, 0, cpu(5));
    assert_int_equal(east->nodes.at[0].guests.cpu_milli, 0);
    take(&table, east, 3, &new);
    assert_int_not_equal(new, old);
    give(&table, east, 2, old);
    assert_int_equal(east->nodes.at[0].guests.cpu_milli, 3000);
    give(&table, east, 3, new);
    assert_int_equal(east->nodes.at[0].guests.cpu_milli, 0);
    assert_int_equal(east->nodes.at[0].held.cpu_milli, 0);
    cluster_unclaim(east, 0, cpu(5));
    east->nodes.at[0].claim_no = UINT16_MAX; /* after so many, numbers begin anew: never with 0 */
    cluster_claim(east, 0, cpu(1));
    take(&table, east, 1, &newer);
    assert_int_equal(newer, 1);
    cluster_table_fini(&table);
}

static void a_claimed_node_that_is_not_what_it_was_breaks_the_claims_of_its_cluster(void **state)
{
    enum { SHRINKS, GROWS, LABELLED, NOT_READY, GONE, RENUMBERED, SESSION_ENDS, OTHER_NODE, CASES };
    static const bool breaks[CASES] = {
        [SHRINKS] = true, [LABELLED] = true,   [NOT_READY] = true,
        [GONE] = true,    [RENUMBERED] = true, [SESSION_ENDS] = true};

    (void)state;
    for (int i = 0; i < CASES; i++) {
        struct cluster_table table;
        struct cluster *east;

        cluster_table_init(&table, 3, 4);
        east = enrol(&table, "east");
        cluster_begin_session(&table, east, 1);
        report(&table, east, 1, "n1", 10, 10);
        report(&table, east, 2, "n2", 4, 4);
        cluster_claim(east, 0, cpu(6));
        east->claims_len = 1;
        report(&table, east, 1, "n1", 10, 2); /* less is free: the claim waits for it */
        assert_false(east->is_claim_broken);
        switch (i) {
        case SHRINKS:
            report(&table, east, 1, "n1", 9, 9);
            break;
        case GROWS:
            report(&table, east, 1, "n1", 11, 11);
            break;
        case LABELLED:
            assert_true(cluster_report_node(&table, east, ++table.stamp, 1, true, FL_STR("n1"),
                                            FL_STR("a=b\n"), cpu(10), cpu(10)));
            break;
        case NOT_READY:
            assert_true(cluster_report_node(&table, east, ++table.stamp, 1, false, FL_STR("n1"),
                                            FL_STR(""), cpu(10), cpu(10)));
            break;
        case GONE:
            say_gone(&table, east, 1, "n1");
            break;
        case RENUMBERED:
            report(&table, east, 1, "n3", 10, 10);
            break;
        case SESSION_ENDS:
            cluster_end_session(&table, east);
            break;
        default:
            say_gone(&table, east, 2, "n2");
            break;
        }
        assert_int_equal(east->is_claim_broken, breaks[i]);
        if (breaks[i]) {
            east->claims_len = 0;
            cluster_clear_claims(east);
            assert_false(east->is_claim_broken);
            assert_int_equal(east->claimed_sum.cpu_milli, 0);
            assert_int_equal(east->nodes.at[0].claimed.cpu_milli, 0);
        } else {
            assert_int_equal(east->claimed_sum.cpu_milli, 6000);
        }
        cluster_table_fini(&table);
    }
}

static void clear_while_claimed(void *arg)
{
    cluster_clear_claims(arg);
}

static void unhold_what_nobody_holds(void *arg)
{
    cluster_unhold(arg, 0, cpu(1), 0);
}

static void ending_what_has_not_begun_is_a_bug(void **state)
{
    struct cluster_table table;
    struct cluster *east;

    (void)state;
    cluster_table_init(&table, 3, 4);
    east = enrol(&table, "east");
    cluster_begin_session(&table, east, 1);
    report(&table, east, 1, "n1", 10, 10);
    east->claims_len = 1;
    assert_true(fl_test_aborts(clear_while_claimed, east));
    assert_true(fl_test_aborts(unhold_what_nobody_holds, east));
    cluster_table_fini(&table);
}

/* ---- sessions -------------------------------------------------------------------------------- */

static void each_session_has_the_next_epoch_and_knows_nothing_of_the_last(void **state)
{
    struct cluster_table table;
    struct cluster *east;

    (void)state;
    cluster_table_init(&table, 3, 2);
    east = enrol(&table, "east");
    cluster_begin_session(&table, east, 41);
    assert_int_equal(east->session_epoch, 1);
    east->is_reconciled = east->is_ack_due = true;
    east->control_seq = east->report_seq = east->inventory_len = 7;
    cluster_begin_session(&table, east, 42);
    assert_int_equal(east->session_epoch, 2);
    assert_int_equal(east->connection, 42);
    assert_false(east->is_reconciled || east->is_ack_due);
    assert_int_equal(east->control_seq + east->report_seq + east->inventory_len, 0);
    cluster_end_session(&table, east);
    assert_false(east->is_connected);
    assert_int_equal(east->session_epoch, 2);
    cluster_table_fini(&table);
}

/* Shapes that wait for the cluster ask it again and hear why; one round settles that. */
static void the_end_of_a_session_is_a_change_that_a_round_sees_once(void **state)
{
    struct cluster_table table;
    struct cluster *east;
    uint64_t stamp;

    (void)state;
    cluster_table_init(&table, 3, 2);
    east = enrol(&table, "east");
    cluster_begin_session(&table, east, 41);
    cluster_table_settle(&table);
    assert_int_equal(table.loads_changed.len, 0);
    stamp = table.stamp;
    cluster_end_session(&table, east);
    assert_true(table.stamp > stamp && east->grown_at == table.stamp);
    assert_int_equal(table.grown_first.n, east->id.n);
    assert_int_equal(table.loads_changed.len, 1);
    stamp = table.stamp;
    cluster_end_session(&table, east);
    assert_int_equal(table.stamp, stamp);
    assert_int_equal(table.loads_changed.len, 1);
    cluster_table_settle(&table);
    assert_false(east->is_load_changed);
    assert_int_equal(table.loads_changed.len, 0);
    cluster_table_fini(&table);
}

/* Taints that come make it less for a while; those of a node that is new do not. */
static void taints_are_heard_and_counted(void **state)
{
    struct cluster_table table;
    struct cluster *east;
    struct cluster_node_report one = {.stamp = 1,
                                      .number = 1,
                                      .is_ready = true,
                                      .name = FL_STR("n1"),
                                      .taints = FL_STR("a:NoSchedule\nb:NoSchedule\n"),
                                      .total = cpu(4),
                                      .free = cpu(4)};
    uint64_t grown;

    (void)state;
    cluster_table_init(&table, 3, 2);
    east = enrol(&table, "east");
    cluster_begin_session(&table, east, 1);
    assert_true(cluster_report(&table, east, &one));
    assert_int_equal(east->tainted_len, 1);
    assert_false(east->has_shrunk);
    assert_int_equal(east->ready_len, 1);
    one.taints = FL_STR("b:NoSchedule\n");
    grown = table.stamp++;
    assert_true(cluster_report(&table, east, &one));
    assert_true(east->grown_at > grown); /* jobs that wait are tried again */
    assert_false(east->has_shrunk);
    one.taints = FL_STR("b:NoSchedule\nc:NoSchedule\n");
    assert_true(cluster_report(&table, east, &one));
    assert_true(east->has_shrunk);
    one.taints = FL_STR("b:PreferNoSchedule\n");
    assert_false(cluster_report(&table, east, &one));
    one.taints = (struct fl_str){0};
    assert_true(cluster_report(&table, east, &one));
    assert_int_equal(east->tainted_len, 0);
    one.taints = FL_STR("b:NoSchedule\n");
    assert_true(cluster_report(&table, east, &one));
    one.is_ready = false;
    one.total = none;
    assert_true(cluster_report(&table, east, &one)); /* it is gone */
    assert_int_equal(east->tainted_len, 0);
    cluster_table_fini(&table);
}

FL_TESTS(cmocka_unit_test(a_removed_clusters_name_is_free_and_its_id_is_not),
         cmocka_unit_test(clusters_may_come_and_go_so_often_and_no_more),
         cmocka_unit_test(a_removed_cluster_keeps_no_node_without_replicas),
         cmocka_unit_test(what_is_no_name_no_uid_or_the_wrong_id_is_refused),
         cmocka_unit_test(sums_are_those_of_the_ready_nodes_of_this_session),
         cmocka_unit_test(the_sums_of_a_large_cluster_do_not_wrap),
         cmocka_unit_test(what_is_held_on_one_node_does_not_wrap),
         cmocka_unit_test(taking_and_giving_never_leave_the_range_of_the_node),
         cmocka_unit_test(only_what_gives_work_a_new_chance_is_growth),
         cmocka_unit_test(a_node_report_out_of_bounds_changes_nothing),
         cmocka_unit_test(a_node_that_goes_is_forgotten_with_the_last_replica_on_it),
         cmocka_unit_test(a_node_whose_number_another_one_takes_is_gone),
         cmocka_unit_test(whom_a_session_does_not_tell_of_is_gone_once_it_tells_of_somebody_again),
         cmocka_unit_test(nodes_max_is_of_a_session_however_many_names_there_were_before),
         cmocka_unit_test(beside_a_claim_is_free_what_does_not_delay_it),
         cmocka_unit_test(guests_are_those_of_the_claims_that_are_there),
         cmocka_unit_test(a_claimed_node_that_is_not_what_it_was_breaks_the_claims_of_its_cluster),
         cmocka_unit_test(ending_what_has_not_begun_is_a_bug),
         cmocka_unit_test(each_session_has_the_next_epoch_and_knows_nothing_of_the_last),
         cmocka_unit_test(the_end_of_a_session_is_a_change_that_a_round_sees_once),
         cmocka_unit_test(taints_are_heard_and_counted))
