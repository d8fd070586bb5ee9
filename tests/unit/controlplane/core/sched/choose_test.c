#include "controlplane/core/sched/choose.h"

#include "shared/base/prng.h"
#include "tests/unit/controlplane/core/sched/sched_world.h"

/* The choice for the shape in the round that has begun, as the cluster's id; 0: nowhere.  'ret'
 * and 'ret_why' may be NULL. */
static uint32_t choose_next_for(struct world *world, const struct shape *shape,
                                struct placement *ret, enum reason *ret_why)
{
    struct shape_slot slot = shape_in(world, shape);
    const struct shape_entry *entry = shape_table_at(&world->shapes, slot);
    struct placement unused;
    enum reason why = choose(&world->chooser, entry, choose_memo(&world->chooser, entry, slot),
                             UNCONFIRMED_MAX, ret ? ret : &unused);

    if (ret_why) *ret_why = why;
    return why == REASON_Fits ? (ret ? ret : &unused)->cluster.n : 0;
}

/* ... in a round of its own. */
static uint32_t choose_for(struct world *world, const struct shape *shape, enum reason *ret_why)
{
    begin(world);
    return choose_next_for(world, shape, NULL, ret_why);
}

/* Starts it there, as far as the round sees; the cluster's id. */
static uint32_t start(struct world *world, const struct shape *shape)
{
    struct placement placement;
    uint32_t cluster = choose_next_for(world, shape, &placement, NULL);

    if (cluster) choose_start(&world->chooser, entry_of(world, shape), &placement);
    return cluster;
}

static bool could_ever(struct world *world, const struct shape *shape)
{
    struct shape_slot slot = shape_in(world, shape);

    begin(world);
    return choose_could_ever(&world->chooser, &world->shapes, slot);
}

/* So many clusters of one node each, which has so many cores. */
static void enrol_many(struct world *world, uint32_t len, uint32_t cores)
{
    char name[16];

    for (uint32_t i = 0; i < len; i++) {
        (void)snprintf(name, sizeof name, "c%u", i);
        node(world, enrol(world, name), "n", cores);
    }
}

/* ---- where it goes --------------------------------------------------------------------------- */

static void a_gang_goes_whole_to_one_cluster_or_not_at_all(void **state)
{
    struct world world;
    struct cluster *east, *west;
    struct shape shape = gang(4, 2);
    struct placement placement;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    west = enrol(&world, "west");
    node(&world, east, "n1", 4);
    node(&world, east, "n2", 3);
    node(&world, west, "n1", 2);
    node(&world, west, "n2", 2);
    node(&world, west, "n3", 2);
    assert_int_equal(choose_for(&world, &shape, NULL), 0); /* six places, no four in one */
    shape = gang(3, 2);
    begin(&world);
    assert_int_not_equal(choose_next_for(&world, &shape, &placement, NULL), 0);
    assert_int_equal(placement.nodes_len, 3);
    fini(&world);
}

static void the_least_loaded_by_its_scarcest_resource_is_chosen_then_the_first(void **state)
{
    struct world world;
    struct shape shape = gang(1, 1);

    (void)state;
    init(&world);
    report(&world, enrol(&world, "a"), "n", (struct fl_resources){100 << 20, 10000, 10},
           (struct fl_resources){100 << 20, 10000, 2}, "");
    report(&world, enrol(&world, "b"), "n", (struct fl_resources){100 << 20, 10000, 10},
           (struct fl_resources){50 << 20, 5000, 5}, "");
    report(&world, enrol(&world, "c"), "n", (struct fl_resources){100 << 20, 10000, 10},
           (struct fl_resources){50 << 20, 9000, 9}, "");
    assert_int_equal(choose_for(&world, &shape, NULL),
                     2); /* b and c are half full, a by 8 of 10 GPUs */
    cluster_end_session(&world.clusters, at(&world, 2));
    assert_int_equal(choose_for(&world, &shape, NULL), 3);
    cluster_end_session(&world.clusters, at(&world, 3));
    assert_int_equal(choose_for(&world, &shape, NULL), 1);
    fini(&world);
}

/* Three of ten, ten and nine cores: each start goes where least is in use once the others count. */
/* East: 43 nodes of 100,000 cores, of which a tenth is in use; west: half of one node. */
static void the_load_of_millions_of_cores_is_right(void **state)
{
    struct world world;
    struct shape shape = gang(1, 1);
    struct cluster *east, *west;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    west = enrol(&world, "west");
    for (uint32_t i = 0; i < 43; i++) {
        char name[16];

        (void)snprintf(name, sizeof name, "n%u", i);
        report(&world, east, name, cpu(100000), cpu(90000), "");
    }
    report(&world, west, "n", cpu(100), cpu(50), "");
    assert_int_equal(choose_for(&world, &shape, NULL), 1);
    report(&world, west, "n", cpu(100), cpu(95), "");
    assert_int_equal(choose_for(&world, &shape, NULL), 2);
    fini(&world);
}

static void starts_of_the_round_count_as_load(void **state)
{
    static const uint32_t expected[] = {1, 2, 3, 1, 2, 3, 1, 2, 3};
    struct world world;
    struct shape shape = gang(1, 2);

    (void)state;
    init(&world);
    enrol_many(&world, 2, 10);
    node(&world, enrol(&world, "small"), "n", 9);
    begin(&world);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(start(&world, &shape), expected[i]);
    }
    fini(&world);
}

static void loads_that_changed_between_rounds_change_the_order(void **state)
{
    struct world world;
    struct shape shape = gang(1, 1);

    (void)state;
    init(&world);
    enrol_many(&world, 3, 10);
    assert_int_equal(choose_for(&world, &shape, NULL), 1);
    cluster_take(&world.clusters, at(&world, 1), 0, cpu(4));
    assert_int_equal(choose_for(&world, &shape, NULL), 2);
    cluster_take(&world.clusters, at(&world, 2), 0, cpu(5));
    cluster_take(&world.clusters, at(&world, 3), 0, cpu(3));
    assert_int_equal(choose_for(&world, &shape, NULL), 3);
    cluster_give(&world.clusters, at(&world, 2), 0, cpu(3));
    assert_int_equal(choose_for(&world, &shape, NULL), 2);
    report(&world, at(&world, 1), "n", cpu(10), cpu(9), "");
    assert_int_equal(choose_for(&world, &shape, NULL), 1);
    fini(&world);
}

/* Those that a walk from its beginning meets, which have less and less room free. */
static uint32_t walk(struct world *world)
{
    uint64_t last_free = UINT64_MAX;
    struct fl_cluster id;
    uint32_t met = 0;

    choose_walk(&world->chooser);
    while ((id = choose_next(&world->chooser)).n != 0) {
        const struct room_cluster *changed = room_changed(&world->chooser.room, id);
        uint64_t free = changed ? changed->free_sum.cpu_milli : at(world, id.n)->free_sum.cpu_milli;

        assert_true(judge_takes_work(at(world, id.n)) && free <= last_free);
        last_free = free;
        met++;
    }
    assert_int_equal(choose_next(&world->chooser).n, 0);
    return met;
}

static void a_walk_meets_all_that_take_work_by_load(void **state)
{
    enum { LEN = 40 };
    struct world world;
    struct fl_cluster id;

    (void)state;
    init(&world);
    enrol_many(&world, LEN, 100);
    for (id.n = 1; id.n <= LEN; id.n++) {
        cluster_take(&world.clusters, at(&world, id.n), 0, cpu(id.n * 37 % 41));
        if (id.n % 10 == 0) cluster_end_session(&world.clusters, at(&world, id.n));
    }
    begin(&world);
    assert_int_equal(walk(&world), LEN - LEN / 10);
    fini(&world);
}

/* A walk remembers what those before it have found, and none of it once an order has changed. */
static void a_walk_is_right_after_any_other_and_after_any_change(void **state)
{
    enum { LEN = 12, WALKS = 3000 };
    struct fl_prng prng;
    struct world world;
    uint32_t enrolled = LEN;

    (void)state;
    fl_prng_seed(&prng, 3);
    init(&world);
    enrol_many(&world, LEN, 100);
    begin(&world);
    for (int i = 0; i < WALKS; i++) {
        struct fl_cluster id = {1 + (uint32_t)fl_prng_below(&prng, LEN)};
        uint64_t left;
        struct shape shape = gang(1, 1);

        switch (fl_prng_below(&prng, 5)) {
        case 0: /* in this round, and then it is carried out */
            id.n = start(&world, &shape);
            assert_int_equal(walk(&world), enrolled);
            if (id.n) cluster_take(&world.clusters, at(&world, id.n), 0, cpu(1));
            begin(&world);
            break;
        case 1:
            if (at(&world, id.n)->nodes.at[0].free.cpu_milli >= 1000) {
                cluster_take(&world.clusters, at(&world, id.n), 0, cpu(1));
            }
            begin(&world);
            break;
        case 2: /* a walk that is given up */
            choose_walk(&world.chooser);
            for (left = fl_prng_below(&prng, LEN); left > 0; left--) {
                (void)choose_next(&world.chooser);
            }
            break;
        case 3:
            if (i % 500 == 0) {
                char name[16];

                (void)snprintf(name, sizeof name, "late%d", i);
                node(&world, enrol(&world, name), "n", 100);
                enrolled++;
                begin(&world);
            }
            break;
        }
        assert_int_equal(walk(&world), enrolled);
    }
    assert_true(enrolled > LEN);
    fini(&world);
}

/* ---- why it goes nowhere --------------------------------------------------------------------- */

static void the_reason_is_what_those_say_that_could_run_it(void **state)
{
    struct world world;
    struct cluster *east;
    struct shape shape = gang(1, 3);
    enum reason why;

    (void)state;
    init(&world);
    assert_int_equal(choose_for(&world, &shape, &why), 0);
    assert_int_equal(why, REASON_ClusterUnhealthy); /* there is none at all */
    east = enrol(&world, "east");
    node(&world, enrol(&world, "small"), "n1", 1);
    report(&world, east, "n1", cpu(4), cpu(2), "");
    report(&world, east, "n2", cpu(4), cpu(2), "");
    assert_int_equal(choose_for(&world, &shape, &why), 0);
    assert_int_equal(why, REASON_Fragmented);
    report(&world, east, "n2", cpu(4), cpu(4), "");
    east->unconfirmed = UNCONFIRMED_MAX;
    assert_int_equal(choose_for(&world, &shape, &why), 0);
    assert_int_equal(why, REASON_DispatchLimit);
    east->unconfirmed--;
    cluster_table_grow(&world.clusters, east);
    assert_int_equal(choose_for(&world, &shape, NULL), 1);
    claim(east, 1, 4);
    assert_int_equal(choose_for(&world, &shape, &why), 0);
    assert_int_equal(why, REASON_Claimed);
    fini(&world);
}

static void whom_only_cordoned_and_silent_ones_could_run_waits_for_them(void **state)
{
    struct world world;
    struct cluster *east;
    struct shape shape = gang(1, 1);
    enum reason why;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    report(&world, east, "n1", cpu(4), cpu(0), "");
    shape.clusters[0] = FL_STR("east");
    shape.clusters_len = 1;
    node(&world, enrol(&world, "west"), "n1", 4);
    assert_int_equal(choose_for(&world, &shape, &why), 0);
    assert_int_equal(why, REASON_InsufficientCapacity);
    memcpy(east->cordon, "repair", 7);
    cluster_table_grow(&world.clusters, east); /* as core_control does it */
    assert_int_equal(choose_for(&world, &shape, &why), 0);
    assert_int_equal(why, REASON_ClusterUnhealthy);
    assert_true(could_ever(&world, &shape));
    east->cordon[0] = '\0';
    cluster_table_grow(&world.clusters, east);
    assert_int_equal(choose_for(&world, &shape, &why), 0);
    assert_int_equal(why, REASON_InsufficientCapacity);
    cluster_end_session(&world.clusters, east); /* nothing has grown */
    assert_int_equal(choose_for(&world, &shape, &why), 0);
    assert_int_equal(why, REASON_ClusterUnhealthy);
    fini(&world);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void clusters_that_have_not_grown_are_not_asked_again(void **state)
{
    struct world world;
    struct shape shape = gang(1, 2);
    uint64_t asked;
    enum reason why;

    (void)state;
    init(&world);
    enrol_many(&world, 3, 2);
    for (uint32_t slot = 1; slot <= 3; slot++) {
        cluster_take(&world.clusters, at(&world, slot), 0, cpu(1));
    }
    assert_int_equal(choose_for(&world, &shape, &why), 0);
    assert_int_equal(why, REASON_InsufficientCapacity);
    asked = world.chooser.asked;
    assert_int_equal(choose_for(&world, &shape, &why), 0);
    assert_int_equal(why, REASON_InsufficientCapacity); /* the answer from then */
    assert_int_equal(world.chooser.asked, asked);
    at(&world, 1)->nodes.at[0].free = cpu(2); /* and the table has not noticed */
    at(&world, 1)->free_sum = fl_resources_sum_of(cpu(2));
    cluster_table_grow(&world.clusters, at(&world, 2));
    assert_int_equal(choose_for(&world, &shape, NULL), 0);
    assert_int_equal(world.chooser.asked, asked + 1);
    cluster_table_grow(&world.clusters, at(&world, 1));
    assert_int_equal(choose_for(&world, &shape, NULL), 1);
    fini(&world);
}

/* As above, where more have grown than are sorted by hand. */
static void of_many_that_have_grown_the_others_are_not_asked_either(void **state)
{
    enum { LEN = 60, GROWN = 40 };
    struct world world;
    struct shape shape = gang(1, 2);

    (void)state;
    init(&world);
    enrol_many(&world, LEN, 2);
    for (uint32_t slot = 1; slot <= LEN; slot++) {
        cluster_take(&world.clusters, at(&world, slot), 0, cpu(1));
    }
    assert_int_equal(choose_for(&world, &shape, NULL), 0);
    for (uint32_t slot = 1; slot <= LEN; slot++) {
        at(&world, slot)->nodes.at[0].free = cpu(slot > GROWN ? 2 : 1);
        at(&world, slot)->free_sum = fl_resources_sum_of(at(&world, slot)->nodes.at[0].free);
    }
    for (uint32_t slot = 1; slot <= GROWN; slot++) {
        cluster_table_grow(&world.clusters, at(&world, slot));
    }
    assert_int_equal(choose_for(&world, &shape, NULL), 0);
    cluster_table_grow(&world.clusters, at(&world, LEN));
    assert_int_equal(choose_for(&world, &shape, NULL), LEN);
    fini(&world);
}

static void a_shape_that_takes_the_place_of_another_one_is_asked_for_anew(void **state)
{
    struct world world;
    struct shape large = gang(1, 3), small = gang(1, 1);
    struct shape_slot slot;

    (void)state;
    init(&world);
    enrol_many(&world, 1, 2);
    slot = shape_in(&world, &large);
    assert_int_equal(choose_for(&world, &large, NULL), 0);
    assert_false(could_ever(&world, &large));
    shape_table_drop(&world.shapes, shape_table_at(&world.shapes, slot)->id);
    assert_int_equal(shape_in(&world, &small).n, slot.n);
    assert_int_equal(choose_for(&world, &small, NULL), 1);
    assert_true(could_ever(&world, &small));
    fini(&world);
}

static void whether_any_could_ever_is_asked_again_once_one_has_changed(void **state)
{
    struct world world;
    struct cluster *east, *west;
    struct shape shape = gang(1, 4);
    uint64_t looked;

    (void)state;
    init(&world);
    assert_false(could_ever(&world, &shape)); /* there is no cluster */
    east = enrol(&world, "east");
    assert_false(could_ever(&world, &shape)); /* it has told, and has no node */
    east->is_known = false;
    cluster_table_resize(&world.clusters, east);
    assert_true(could_ever(&world, &shape));
    east->is_known = true;
    cluster_table_resize(&world.clusters, east);
    node(&world, east, "n1", 2);
    west = enrol(&world, "west");
    node(&world, west, "n1", 3);
    assert_false(could_ever(&world, &shape));
    looked = world.chooser.room.looked;
    assert_false(choose_could_ever(&world.chooser, &world.shapes, shape_in(&world, &shape)));
    assert_int_equal(world.chooser.room.looked, looked); /* nothing has changed */
    node(&world, west, "n1", 4);
    assert_true(could_ever(&world, &shape));
    looked = world.chooser.room.looked;
    assert_true(choose_could_ever(&world.chooser, &world.shapes, shape_in(&world, &shape)));
    assert_int_equal(world.chooser.room.looked, looked);
    node(&world, east, "n1", 5); /* not asked while west could */
    assert_true(could_ever(&world, &shape));
    node(&world, west, "n1", 1);
    assert_true(could_ever(&world, &shape));
    memcpy(east->cordon, "repair", 7);
    assert_true(could_ever(&world, &shape)); /* cordons end */
    cluster_end_session(&world.clusters, east);
    cluster_table_remove(&world.clusters, east);
    assert_false(could_ever(&world, &shape));
    node(&world, west, "n1", 4);
    assert_true(could_ever(&world, &shape));
    fini(&world);
}

/* Something that may happen to a cluster between two rounds. */
static void change(struct world *world, struct fl_prng *prng, struct cluster *cluster)
{
    uint32_t cores = (uint32_t)fl_prng_between(prng, 0, 9);

    switch (fl_prng_below(prng, 8)) {
    case 0:
        report(world, cluster, "n", cpu(9), cpu(cores), "");
        break;
    case 1:
        report(world, cluster, "m", cpu(cores), cpu(cores), "");
        break;
    case 2:
        cluster_give(&world->clusters, cluster, 0, cpu(cores));
        break;
    case 3:
        if (cluster->is_connected) cluster_end_session(&world->clusters, cluster);
        break;
    case 4:
        if (cluster->is_connected) break;
        cluster_begin_session(&world->clusters, cluster, ++world->clusters.stamp);
        cluster->is_reconciled = true;
        report(world, cluster, "n", cpu(9), cpu(cores), "");
        cluster_table_grow(&world->clusters, cluster);
        break;
    case 5:
        cluster->cordon[0] = cluster->cordon[0] ? '\0' : 'x';
        cluster_table_grow(&world->clusters, cluster);
        break;
    default:
        cluster_take(&world->clusters, cluster, 0, cpu(cores));
        break;
    }
}

/* The choice without any memory: over all clusters by load, as the round sees them. */
static uint32_t choose_plainly(struct world *world, const struct shape *shape)
{
    const struct shape_entry *entry = entry_of(world, shape);
    uint64_t best_load = UINT64_MAX;
    uint32_t best = 0;

    for (struct fl_cluster id = {1}; id.n <= world->clusters.clusters.len; id.n++) {
        const struct cluster *cluster = at(world, id.n);
        const struct room_cluster *changed = room_changed(&world->chooser.room, id);
        uint64_t total = cluster->total_sum.cpu_milli;
        uint64_t free = changed ? changed->free_sum.cpu_milli : cluster->free_sum.cpu_milli;
        uint64_t load = total ? (total - free) * 1000000 / total : 0;
        struct placement unused;

        if (load < best_load &&
            judge(&world->chooser.room, id, entry, UNCONFIRMED_MAX, &unused) == REASON_Fits) {
            best_load = load;
            best = id.n;
        }
    }
    return best;
}

/* Rounds of starts and refusals over clusters that come, go, fill and empty: remembered loads
 * and refusals change no choice. */
static void memory_changes_no_choice(void **state)
{
    enum { LEN = 48, SHAPES = 6 };
    struct shape shapes[SHAPES] = {gang(1, 1), gang(2, 2), gang(1, 5),
                                   gang(2, 4), gang(1, 9), gang(3, 3)};
    struct fl_prng prng;
    struct world world;
    unsigned starts = 0, refusals = 0;

    (void)state;
    init(&world);
    enrol_many(&world, LEN, 9);
    fl_prng_seed(&prng, 3);
    for (int round = 0; round < 3000; round++) {
        int changes = fl_prng_below(&prng, 4) == 0 ? LEN : 4;

        for (int i = 0; i < changes; i++) {
            change(&world, &prng, at(&world, (uint32_t)fl_prng_between(&prng, 1, LEN)));
        }
        begin(&world);
        for (int i = 0; i < 8; i++) {
            const struct shape *shape = &shapes[fl_prng_below(&prng, SHAPES)];
            struct placement placement;
            uint32_t slot = choose_next_for(&world, shape, &placement, NULL);

            assert_int_equal(slot, choose_plainly(&world, shape));
            starts += slot != 0;
            refusals += slot == 0;
            if (!slot) continue;
            (void)choose_next_for(&world, shape, &placement, NULL); /* its nodes again */
            choose_start(&world.chooser, entry_of(&world, shape), &placement);
        }
        for (struct fl_cluster id = {1}; id.n <= LEN; id.n++) { /* it is carried out */
            const struct room_cluster *changed = room_changed(&world.chooser.room, id);

            for (uint32_t n = 0; changed && n < at(&world, id.n)->nodes.len; n++) {
                const struct room_node *seen = room_node(&world.chooser.room, changed, n);
                struct fl_resources taken = at(&world, id.n)->nodes.at[n].free;

                if (!seen) continue;
                fl_resources_take(&taken, seen->free);
                cluster_take(&world.clusters, at(&world, id.n), n, taken);
            }
        }
    }
    assert_true(starts > 3000 && refusals > 1000);
    fini(&world);
}

FL_TESTS(cmocka_unit_test(a_gang_goes_whole_to_one_cluster_or_not_at_all),
         cmocka_unit_test(the_least_loaded_by_its_scarcest_resource_is_chosen_then_the_first),
         cmocka_unit_test(the_load_of_millions_of_cores_is_right),
         cmocka_unit_test(starts_of_the_round_count_as_load),
         cmocka_unit_test(loads_that_changed_between_rounds_change_the_order),
         cmocka_unit_test(a_walk_meets_all_that_take_work_by_load),
         cmocka_unit_test(a_walk_is_right_after_any_other_and_after_any_change),
         cmocka_unit_test(the_reason_is_what_those_say_that_could_run_it),
         cmocka_unit_test(whom_only_cordoned_and_silent_ones_could_run_waits_for_them),
         cmocka_unit_test(clusters_that_have_not_grown_are_not_asked_again),
         cmocka_unit_test(of_many_that_have_grown_the_others_are_not_asked_either),
         cmocka_unit_test(a_shape_that_takes_the_place_of_another_one_is_asked_for_anew),
         cmocka_unit_test(whether_any_could_ever_is_asked_again_once_one_has_changed),
         cmocka_unit_test(memory_changes_no_choice))
