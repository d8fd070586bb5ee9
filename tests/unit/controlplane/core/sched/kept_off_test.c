#include "controlplane/core/sched/judge.h"

#include "controlplane/core/sched/tolerance.h"
#include "tests/unit/controlplane/core/sched/sched_world.h"

/* The taints that keep the shape off the first cluster. */
static struct judge_kept_off off_of(struct world *world, const struct shape *shape)
{
    struct judge_kept_off off = {0};

    begin(world);
    assert_true(
        judge_keeps_off(&world->chooser.room, cluster_one, &entry_of(world, shape)->shape, &off));
    return off;
}

static void taints_of_all_nodes_are_noted_where_no_node_is_enough(void **state)
{
    struct world world;
    struct shape shape = gang(3, 3);
    struct cluster *east;
    struct judge_kept_off off;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 4);
    tainted(&world, east, "n2", 4, "a:NoSchedule\n");
    tainted(&world, east, "n3", 4, "b:NoSchedule\n");
    off = off_of(&world, &shape);
    assert_true(fl_str_eq(off.node, FL_STR("n2")));
    assert_int_equal(off.taints_len, 2);
    assert_false(off.has_more);
    shape = gang(2, 3); /* one is enough */
    assert_int_equal(off_of(&world, &shape).taints_len, 1);
    shape = gang(4, 3); /* and taints are not all that is in the way */
    begin(&world);
    assert_false(
        judge_keeps_off(&world.chooser.room, cluster_one, &entry_of(&world, &shape)->shape, &off));
    fini(&world);
}

/* With more taints than a text names, and three nodes tried alone, no other node is looked at. */
static void a_search_among_taints_ends_early(void **state)
{
    enum { NODES = 60 };
    struct world world;
    struct shape shape = gang(NODES, 3);
    struct cluster *east;
    struct judge_kept_off off;
    uint64_t looked;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    for (uint32_t i = 0; i < NODES; i++) {
        char name[8], taint[32];

        snprintf(name, sizeof name, "n%u", i);
        snprintf(taint, sizeof taint, "t%u:NoSchedule\n", i);
        tainted(&world, east, name, 4, taint);
    }
    off = off_of(&world, &shape);
    assert_int_equal(off.taints_len, JUDGE_TAINTS_TOLD_MAX);
    assert_true(off.has_more);
    looked = world.chooser.room.looked;
    /* The room when empty, three tries, and each node with its comparison at most once. */
    assert_in_range(looked, 1, (1 + 3) * 2 * NODES + NODES + 4 * 2);
    fini(&world);
}

/* Each role's comparison on each node has its price. */
static void comparisons_of_taints_are_charged(void **state)
{
    struct world world;
    struct shape shape = gang(1, 3);
    struct cluster *east;
    char taints[FL_NODE_TAINTS_BYTES_MAX + 1];
    size_t len = 0;
    uint64_t looked;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    for (int i = 10; i < 15; i++) {
        len += (size_t)snprintf(taints + len, sizeof taints - len, "%d%0315d=%063d:NoSchedule\n", i,
                                1, 1);
    }
    tainted(&world, east, "n1", 4, taints);
    assert_int_equal(off_of(&world, &shape).taints_len, JUDGE_TAINTS_TOLD_MAX);
    looked = world.chooser.room.looked;
    assert_true(looked > 3 * tolerance_looks(&east->nodes.at[0], &shape));
    fini(&world);
}

/* Idle nodes that are kept for others do not make each shape search a full cluster. */
static void a_cluster_full_but_for_tainted_nodes_is_searched_once_in_a_round(void **state)
{
    struct world world;
    struct shape shape = gang(1, 2);
    struct placement placement;
    struct cluster *east;
    uint64_t looked;
    char name[16];

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    for (uint32_t i = 0; i < 60; i++) {
        (void)snprintf(name, sizeof name, "n%u", i);
        report(&world, east, name, cpu(2), cpu(1), "");
    }
    tainted(&world, east, "t1", 4, "a:NoSchedule\n");
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_Fragmented);
    looked = world.chooser.room.looked;
    assert_int_equal(judge(&world.chooser.room, cluster_one, entry_of(&world, &shape),
                           UNCONFIRMED_MAX, &placement),
                     REASON_Fragmented);
    assert_true(world.chooser.room.looked - looked < 10);
    shape.tolerations = FL_STR("a\n");
    assert_int_equal(judge(&world.chooser.room, cluster_one, entry_of(&world, &shape),
                           UNCONFIRMED_MAX, &placement),
                     REASON_Fits);
    fini(&world);
}

FL_TESTS(cmocka_unit_test(taints_of_all_nodes_are_noted_where_no_node_is_enough),
         cmocka_unit_test(a_search_among_taints_ends_early),
         cmocka_unit_test(comparisons_of_taints_are_charged),
         cmocka_unit_test(a_cluster_full_but_for_tainted_nodes_is_searched_once_in_a_round))
