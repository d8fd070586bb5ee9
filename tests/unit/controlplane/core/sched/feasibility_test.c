#include "controlplane/core/sched/feasibility.h"

#include "controlplane/core/resource_table.h"
#include "tests/unit/controlplane/core/sched/sched_world.h"

static const fl_ms told = 2 * CLUSTER_SHRUNK_MS;
static const struct resource_table names;

static enum feasibility_verdict ever_at(struct world *world, struct feasibility *feasibility,
                                        const struct shape *shape, fl_ms now)
{
    const char *text;

    feasibility_begin(feasibility, &world->chooser.room, &world->clusters, &names);
    return feasibility_judge(feasibility, &world->chooser.room, entry_of(world, shape), now, &text);
}

static enum feasibility_verdict judged(struct world *world, struct feasibility *feasibility,
                                       const struct shape *shape)
{
    return ever_at(world, feasibility, shape, told);
}

static void a_cluster_counts_whether_it_takes_work_now_or_not(void **state)
{
    struct world world;
    struct feasibility feasibility = {0};
    struct shape shape = gang(1, 8), large = gang(1, 9);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    report(&world, east, "n1", cpu(8), cpu(0), "");
    report(&world, east, "n1", cpu(8), cpu(0), "");
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_COULD);
    cluster_end_session(&world.clusters, east);
    snprintf(east->cordon, sizeof east->cordon, "repairs");
    feasibility_fini(&feasibility);
    feasibility = (struct feasibility){0};
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_COULD);
    assert_int_equal(judged(&world, &feasibility, &large), FEASIBILITY_NEVER);
    cluster_table_remove(&world.clusters, east);
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_NEVER);
    feasibility_fini(&feasibility);
    fini(&world);
}

static void nodes_that_are_not_all_known_exclude_nothing(void **state)
{
    struct world world;
    struct feasibility feasibility = {0};
    struct shape shape = gang(1, 9), elsewhere = gang(1, 9);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    east->is_known = false;
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_COULD);
    elsewhere.not_clusters[elsewhere.not_clusters_len++] = FL_STR("east");
    assert_int_equal(judged(&world, &feasibility, &elsewhere), FEASIBILITY_NEVER);
    world.clusters.now = 100;
    node(&world, east, "n1", 8);
    east->is_known = true;
    assert_int_equal(ever_at(&world, &feasibility, &shape, 100 + NODES_SETTLE_MS - 1),
                     FEASIBILITY_COULD);
    assert_int_equal(ever_at(&world, &feasibility, &shape, 100 + NODES_SETTLE_MS),
                     FEASIBILITY_NEVER);
    world.clusters.now = told;
    node(&world, east, "n2", 4);
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_COULD);
    node(&world, east, "n1", 8); /* a second time: the list is whole */
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_NEVER);
    feasibility_fini(&feasibility);
    fini(&world);
}

/* Its session ends before it has told all, and it counts as one that has told nothing. */
static void a_session_that_ends_early_has_not_told_all(void **state)
{
    struct world world;
    struct feasibility feasibility = {0};
    struct shape shape = gang(1, 9);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 8);
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_NEVER);
    cluster_end_session(&world.clusters, east);
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_COULD);
    cluster_begin_session(&world.clusters, east, 7);
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_COULD);
    world.clusters.now = told;
    node(&world, east, "n1", 8);
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_COULD);
    assert_int_equal(ever_at(&world, &feasibility, &shape, told + NODES_SETTLE_MS),
                     FEASIBILITY_NEVER);
    feasibility_fini(&feasibility);
    fini(&world);
}

/* A job that fitted before the cluster has shrunk is refused only long after. */
static void shrinks(const char *before, const char *after, uint32_t cores, uint32_t less,
                    bool is_gone)
{
    struct world world;
    struct feasibility feasibility = {0};
    struct shape shape = gang(1, 8);
    struct cluster *east;

    init(&world);
    shape.node_labels[shape.node_labels_len++] =
        (struct shape_label){FL_STR("disk"), FL_STR("ssd")};
    east = enrol(&world, "east");
    node(&world, east, "n0", 4);
    report(&world, east, "n1", cpu(cores), cpu(0), before);
    node(&world, east, "n0", 4);
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_COULD);
    world.clusters.now = told;
    if (is_gone) {
        assert_true(cluster_report_node(&world.clusters, east, ++world.clusters.stamp, 1, false,
                                        FL_STR("n1"), FL_STR(""), cpu(0), cpu(0)));
    } else {
        report(&world, east, "n1", cpu(less), cpu(0), after);
    }
    assert_int_equal(ever_at(&world, &feasibility, &shape, told), FEASIBILITY_COULD);
    assert_int_equal(ever_at(&world, &feasibility, &shape, told + CLUSTER_SHRUNK_MS - 1),
                     FEASIBILITY_COULD);
    assert_int_equal(ever_at(&world, &feasibility, &shape, told + CLUSTER_SHRUNK_MS),
                     FEASIBILITY_NEVER);
    feasibility_fini(&feasibility);
    fini(&world);
}

static void a_cluster_that_has_shrunk_excludes_nothing_for_a_while(void **state)
{
    (void)state;
    shrinks("disk=ssd\n", "disk=ssd\n", 8, 2, false);
    shrinks("disk=ssd\n", "disk=ssd\n", 8, 0, true);
    shrinks("disk=ssd\n", "", 8, 8, false);
    shrinks("a=b\ndisk=ssd\nx=y\n", "a=b\nx=y\n", 8, 8, false);
}

static void other_labels_and_more_room_are_no_loss(void **state)
{
    struct world world;
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    report(&world, east, "n1", cpu(4), cpu(0), "b=1\nd=1\n");
    report(&world, east, "n1", cpu(8), cpu(0), "a=1\nb=1\nc=1\nd=1\n");
    cluster_end_session(&world.clusters, east);
    cluster_begin_session(&world.clusters, east, 7);
    report(&world, east, "n1", cpu(8), cpu(0), "a=1\nb=1\nc=1\nd=1\n");
    assert_false(east->has_shrunk);
    fini(&world);
}

/* A device plugin that restarts together with the agent. */
static void resources_with_names_that_are_less_in_a_new_session_count(void **state)
{
    struct world world;
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node_with(&world, east, "n1", 4, 2, 2);
    cluster_end_session(&world.clusters, east);
    cluster_begin_session(&world.clusters, east, 7);
    node_with(&world, east, "n1", 4, 2, 2);
    assert_false(east->has_shrunk);
    cluster_end_session(&world.clusters, east);
    cluster_begin_session(&world.clusters, east, 8);
    node_with(&world, east, "n1", 4, 0, 0);
    assert_true(east->has_shrunk);
    fini(&world);
}

static void a_cluster_without_nodes_excludes_nothing(void **state)
{
    struct world world;
    struct feasibility feasibility = {0};
    struct shape shape = gang(1, 1);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_COULD);
    node(&world, east, "n1", 8);
    node(&world, east, "n1", 8);
    assert_true(cluster_report_node(&world.clusters, east, ++world.clusters.stamp, 0, false,
                                    FL_STR("n1"), FL_STR(""), cpu(0), cpu(0)));
    assert_int_equal(ever_at(&world, &feasibility, &shape, 4 * told), FEASIBILITY_COULD);
    feasibility_fini(&feasibility);
    fini(&world);
}

static void the_sum_of_a_gang_counts(void **state)
{
    struct world world;
    struct feasibility feasibility = {0};
    struct shape fits = gang(4, 2), shape = gang(5, 2);
    struct cluster *east, *west;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    west = enrol(&world, "west");
    node(&world, east, "n1", 4);
    node(&world, east, "n2", 4);
    node(&world, west, "n1", 4);
    assert_int_equal(judged(&world, &feasibility, &fits), FEASIBILITY_COULD);
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_NEVER);
    node(&world, west, "n2", 6);
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_COULD);
    feasibility_fini(&feasibility);
    fini(&world);
}

static void a_verdict_is_kept_until_a_clusters_totals_change(void **state)
{
    struct world world;
    struct feasibility feasibility = {0};
    struct shape shape = gang(1, 9);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 8);
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_NEVER);
    report(&world, east, "n1", cpu(8), cpu(1), "");
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_NEVER);
    assert_int_equal(world.chooser.room.looked, 0);
    node(&world, east, "n2", 16);
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_COULD);
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_COULD);
    assert_int_equal(world.chooser.room.looked, 0);
    node(&world, east, "n2", 8);
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_NEVER);
    feasibility_fini(&feasibility);
    fini(&world);
}

/* Many verdicts at a time that one change made old: the looks of a request bound them too. */
static void verdicts_that_are_old_are_asked_for_within_the_looks(void **state)
{
    enum { SHAPES = 30, NODES = 20 };
    struct world world;
    struct feasibility feasibility = {0};
    struct shape shapes[SHAPES];
    struct cluster *east;
    const char *text;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    for (uint32_t i = 0; i < NODES; i++) {
        char name[8];

        snprintf(name, sizeof name, "n%u", i);
        node(&world, east, name, i == NODES - 1 ? 8 : 1);
    }
    for (uint32_t i = 0; i < SHAPES; i++) {
        shapes[i] = gang(1, 2);
        shapes[i].roles[0].each.cpu_milli += i;
        assert_int_equal(judged(&world, &feasibility, &shapes[i]), FEASIBILITY_COULD);
    }
    node(&world, east, "n0", 2);
    feasibility_begin(&feasibility, &world.chooser.room, &world.clusters, &names);
    feasibility.looks_left = 100;
    for (uint32_t i = 0; i < SHAPES; i++) {
        assert_int_equal(feasibility_judge(&feasibility, &world.chooser.room,
                                           entry_of(&world, &shapes[i]), told, &text),
                         FEASIBILITY_COULD);
    }
    assert_in_range(world.chooser.room.looked, 100, 100 + 2 * NODES + 2);
    feasibility_fini(&feasibility);
    fini(&world);
}

/* A text without numbers is searched again once, by a request that has all its looks. */
static void a_text_that_was_cut_is_kept(void **state)
{
    struct world world;
    struct feasibility feasibility = {0};
    struct shape shape = gang(1, 9);
    const char *text;

    (void)state;
    init(&world);
    for (uint32_t i = 0; i < 10; i++) {
        char name[8];

        snprintf(name, sizeof name, "c%u", i);
        node(&world, enrol(&world, name), "n1", 8);
    }
    feasibility_begin(&feasibility, &world.chooser.room, &world.clusters, &names);
    feasibility.looks_left = 35; /* the search takes 30 */
    assert_int_equal(
        feasibility_judge(&feasibility, &world.chooser.room, entry_of(&world, &shape), told, &text),
        FEASIBILITY_NEVER);
    assert_non_null(strstr(text, "too large to say"));
    world.chooser.room.looked = 0;
    assert_int_equal(
        feasibility_judge(&feasibility, &world.chooser.room, entry_of(&world, &shape), told, &text),
        FEASIBILITY_NEVER);
    assert_int_equal(world.chooser.room.looked, 0);
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_NEVER);
    assert_true(world.chooser.room.looked > 0);
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_NEVER);
    assert_int_equal(world.chooser.room.looked, 0);
    feasibility_begin(&feasibility, &world.chooser.room, &world.clusters, &names);
    assert_int_equal(
        feasibility_judge(&feasibility, &world.chooser.room, entry_of(&world, &shape), told, &text),
        FEASIBILITY_NEVER);
    assert_non_null(strstr(text, "ask for at most 8 CPUs"));
    feasibility_fini(&feasibility);
    fini(&world);
}

/* The shapes that are asked for stay known, however many come by once. */
static void shapes_that_are_asked_for_stay_known(void **state)
{
    struct world world;
    struct feasibility feasibility = {0};
    struct shape shape = gang(1, 1);
    struct shape_entry entry = {0};

    (void)state;
    init(&world);
    node(&world, enrol(&world, "east"), "n1", 8);
    assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_COULD);
    entry = *entry_of(&world, &shape);
    for (uint32_t i = 0; i < 3 * FEASIBILITY_SHAPES_MAX; i++) {
        char bytes[16];
        const char *text;

        snprintf(bytes, sizeof bytes, "shape %u", i);
        entry.bytes = fl_str_c(bytes);
        feasibility_begin(&feasibility, &world.chooser.room, &world.clusters, &names);
        assert_int_equal(feasibility_judge(&feasibility, &world.chooser.room, &entry, told, &text),
                         FEASIBILITY_COULD);
        if (i % 100 != 0) continue;
        assert_int_equal(judged(&world, &feasibility, &shape), FEASIBILITY_COULD);
        assert_int_equal(world.chooser.room.looked, 0);
    }
    assert_true(feasibility.young.at.len + feasibility.old.at.len <= FEASIBILITY_SHAPES_MAX);
    feasibility_fini(&feasibility);
    fini(&world);
}

/* One request looks at so much and no more; the next one goes on there. */
static void a_search_that_is_cut_goes_on(void **state)
{
    struct world world;
    struct feasibility feasibility = {0};
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
        enum feasibility_verdict verdict;

        feasibility_begin(&feasibility, &world.chooser.room, &world.clusters, &names);
        feasibility.looks_left = 6; /* three looks a cluster the first time */
        verdict = feasibility_judge(&feasibility, &world.chooser.room, entry_of(&world, &shape),
                                    told, &text);
        if (verdict == FEASIBILITY_NEVER) {
            assert_true(i > 2);
            assert_non_null(strstr(text, "no enrolled cluster can ever run this"));
            feasibility_fini(&feasibility);
            fini(&world);
            return;
        }
        assert_int_equal(verdict, FEASIBILITY_UNJUDGED);
    }
    fail();
}

FL_TESTS(cmocka_unit_test(a_cluster_counts_whether_it_takes_work_now_or_not),
         cmocka_unit_test(nodes_that_are_not_all_known_exclude_nothing),
         cmocka_unit_test(a_session_that_ends_early_has_not_told_all),
         cmocka_unit_test(a_cluster_that_has_shrunk_excludes_nothing_for_a_while),
         cmocka_unit_test(other_labels_and_more_room_are_no_loss),
         cmocka_unit_test(resources_with_names_that_are_less_in_a_new_session_count),
         cmocka_unit_test(a_cluster_without_nodes_excludes_nothing),
         cmocka_unit_test(the_sum_of_a_gang_counts),
         cmocka_unit_test(a_verdict_is_kept_until_a_clusters_totals_change),
         cmocka_unit_test(verdicts_that_are_old_are_asked_for_within_the_looks),
         cmocka_unit_test(a_text_that_was_cut_is_kept),
         cmocka_unit_test(shapes_that_are_asked_for_stay_known),
         cmocka_unit_test(a_search_that_is_cut_goes_on))
