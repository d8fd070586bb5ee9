#include "controlplane/core/sched/ever.h"

#include "tests/unit/controlplane/core/sched/sched_world.h"

static const fl_ms told = 10 * NODES_SETTLE_MS;

static enum ever_verdict ever_at(struct world *world, struct ever *ever, const struct shape *shape,
                                 fl_ms now)
{
    const char *text;

    ever_begin(ever, &world->chooser.room, &world->clusters);
    return ever_judge(ever, &world->chooser.room, entry_of(world, shape), now, &text);
}

static enum ever_verdict judged(struct world *world, struct ever *ever, const struct shape *shape)
{
    return ever_at(world, ever, shape, told);
}

static void a_cluster_counts_whether_it_takes_work_now_or_not(void **state)
{
    struct world world;
    struct ever ever = {0};
    struct shape shape = gang(1, 8), large = gang(1, 9);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    report(&world, east, "n1", cpu(8), cpu(0), "");
    assert_int_equal(judged(&world, &ever, &shape), EVER_COULD);
    cluster_end_session(&world.clusters, east);
    snprintf(east->cordon, sizeof east->cordon, "repairs");
    ever_fini(&ever);
    ever = (struct ever){0};
    assert_int_equal(judged(&world, &ever, &shape), EVER_COULD);
    assert_int_equal(judged(&world, &ever, &large), EVER_NEVER);
    cluster_table_remove(&world.clusters, east);
    assert_int_equal(judged(&world, &ever, &shape), EVER_NEVER);
    ever_fini(&ever);
    fini(&world);
}

static void nodes_that_are_not_all_known_exclude_nothing(void **state)
{
    struct world world;
    struct ever ever = {0};
    struct shape shape = gang(1, 9), elsewhere = gang(1, 9);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    east->is_known = false;
    assert_int_equal(judged(&world, &ever, &shape), EVER_COULD);
    elsewhere.not_clusters[elsewhere.not_clusters_len++] = FL_STR("east");
    assert_int_equal(judged(&world, &ever, &elsewhere), EVER_NEVER);
    node(&world, east, "n1", 8);
    east->is_known = true;
    east->told_at = 100;
    assert_int_equal(ever_at(&world, &ever, &shape, 100 + NODES_SETTLE_MS - 1), EVER_COULD);
    assert_int_equal(ever_at(&world, &ever, &shape, 100 + NODES_SETTLE_MS), EVER_NEVER);
    east->told_at = told;
    node(&world, east, "n2", 4);
    assert_int_equal(judged(&world, &ever, &shape), EVER_COULD);
    node(&world, east, "n1", 8); /* a second time: the list is whole */
    assert_int_equal(judged(&world, &ever, &shape), EVER_NEVER);
    ever_fini(&ever);
    fini(&world);
}

static void the_sum_of_a_gang_counts(void **state)
{
    struct world world;
    struct ever ever = {0};
    struct shape fits = gang(4, 2), shape = gang(5, 2);
    struct cluster *east, *west;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    west = enrol(&world, "west");
    node(&world, east, "n1", 4);
    node(&world, east, "n2", 4);
    node(&world, west, "n1", 4);
    assert_int_equal(judged(&world, &ever, &fits), EVER_COULD);
    assert_int_equal(judged(&world, &ever, &shape), EVER_NEVER);
    node(&world, west, "n2", 6);
    assert_int_equal(judged(&world, &ever, &shape), EVER_COULD);
    ever_fini(&ever);
    fini(&world);
}

static void a_verdict_is_kept_until_a_clusters_totals_change(void **state)
{
    struct world world;
    struct ever ever = {0};
    struct shape shape = gang(1, 9);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 8);
    assert_int_equal(judged(&world, &ever, &shape), EVER_NEVER);
    report(&world, east, "n1", cpu(8), cpu(1), "");
    assert_int_equal(judged(&world, &ever, &shape), EVER_NEVER);
    assert_int_equal(world.chooser.room.looked, 0);
    node(&world, east, "n2", 16);
    assert_int_equal(judged(&world, &ever, &shape), EVER_COULD);
    assert_int_equal(judged(&world, &ever, &shape), EVER_COULD);
    assert_int_equal(world.chooser.room.looked, 0);
    node(&world, east, "n2", 8);
    assert_int_equal(judged(&world, &ever, &shape), EVER_NEVER);
    ever_fini(&ever);
    fini(&world);
}

/* One request looks at so much and no more; the next one goes on there. */
static void a_search_that_is_cut_goes_on(void **state)
{
    struct world world;
    struct ever ever = {0};
    struct shape shape = gang(1, 9);
    const char *text;

    (void)state;
    init(&world);
    for (uint32_t i = 0; i < 10; i++) {
        char name[8];

        snprintf(name, sizeof name, "c%u", i);
        node(&world, enrol(&world, name), "n1", 8);
    }
    for (uint32_t i = 0; i < 20; i++) {
        enum ever_verdict verdict;

        ever_begin(&ever, &world.chooser.room, &world.clusters);
        ever.looks_left = 6; /* three looks a cluster the first time */
        verdict = ever_judge(&ever, &world.chooser.room, entry_of(&world, &shape), told, &text);
        if (verdict == EVER_NEVER) {
            assert_true(i > 2);
            assert_non_null(strstr(text, "no enrolled cluster can ever run this"));
            ever_fini(&ever);
            fini(&world);
            return;
        }
        assert_int_equal(verdict, EVER_UNJUDGED);
    }
    fail();
}

FL_TESTS(cmocka_unit_test(a_cluster_counts_whether_it_takes_work_now_or_not),
         cmocka_unit_test(nodes_that_are_not_all_known_exclude_nothing),
         cmocka_unit_test(the_sum_of_a_gang_counts),
         cmocka_unit_test(a_verdict_is_kept_until_a_clusters_totals_change),
         cmocka_unit_test(a_search_that_is_cut_goes_on))
