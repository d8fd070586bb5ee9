#include "controlplane/core/sched/judge.h"

#include "shared/base/prng.h"
#include "tests/unit/controlplane/core/sched/sched_world.h"

static bool could_ever(struct world *world, const struct shape *shape)
{
    begin(world);
    return judge_could_ever(&world->chooser.room, cluster_one, entry_of(world, shape));
}

/* ---- where it fits --------------------------------------------------------------------------- */

static void roles_share_what_is_left_on_a_node(void **state)
{
    struct world world;
    struct shape shape = gang(1, 3);
    struct placement placement;
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 4);
    node(&world, east, "n2", 4);
    add_role(&shape, 2, 2);
    add_role(&shape, 1, 1);
    assert_int_equal(ask(&world, 1, &shape, &placement), REASON_Fits);
    assert_int_equal(placement.nodes_len, 4);
    assert_int_equal(placement.nodes[0], 0);
    assert_int_equal(placement.nodes[1], 1);
    assert_int_equal(placement.nodes[2], 1);
    assert_int_equal(placement.nodes[3], 0);
    add_role(&shape, 1, 1);
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_NoMatchingCluster);
    fini(&world);
}

/* In their own order the small ones would take the front of both nodes, and the large one would
 * have none. */
static void the_role_that_needs_most_is_placed_first(void **state)
{
    struct world world;
    struct shape shape = gang(2, 1);
    struct placement placement;
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 4);
    node(&world, east, "n2", 2);
    add_role(&shape, 1, 4);
    assert_int_equal(ask(&world, 1, &shape, &placement), REASON_Fits);
    assert_int_equal(placement.nodes[0], 1);
    assert_int_equal(placement.nodes[1], 1);
    assert_int_equal(placement.nodes[2], 0);
    assert_true(could_ever(&world, &shape));

    /* GPUs before cores, cores before memory. */
    shape = gang(1, 2);
    shape.roles[shape.roles_len++] = (struct shape_role){1, 1, {100, 1000, 1}};
    report(&world, east, "n1", (struct fl_resources){100, 2000, 1},
           (struct fl_resources){100, 2000, 1}, "");
    report(&world, east, "n2", (struct fl_resources){100, 2000, 0},
           (struct fl_resources){100, 2000, 0}, "");
    assert_int_equal(ask(&world, 1, &shape, &placement), REASON_Fits);
    assert_int_equal(placement.nodes[0], 1);
    assert_int_equal(placement.nodes[1], 0);
    shape = gang(1, 1);
    shape.roles[shape.roles_len++] = (struct shape_role){1, 1, {100, 1000, 0}};
    report(&world, east, "n1", (struct fl_resources){100, 1000, 0},
           (struct fl_resources){100, 1000, 0}, "");
    report(&world, east, "n2", (struct fl_resources){0, 1000, 0}, (struct fl_resources){0, 1000, 0},
           "");
    assert_int_equal(ask(&world, 1, &shape, &placement), REASON_Fits);
    assert_int_equal(placement.nodes[0], 1);
    assert_int_equal(placement.nodes[1], 0);
    fini(&world);
}

static void add_random_nodes(struct world *world, struct fl_prng *prng, struct cluster *cluster,
                             uint32_t cores_max)
{
    uint32_t len = (uint32_t)fl_prng_between(prng, 1, 5);

    for (uint32_t i = 0; i < len; i++) {
        uint32_t total = (uint32_t)fl_prng_between(prng, 1, cores_max);
        char name[16];

        (void)snprintf(name, sizeof name, "n%u", i);
        report(world, cluster, name, cpu(total), cpu((uint32_t)fl_prng_between(prng, 0, total)),
               "");
    }
}

static struct shape random_shape(struct fl_prng *prng, uint32_t cores_max)
{
    struct shape shape =
        gang((uint32_t)fl_prng_between(prng, 1, 4), (uint32_t)fl_prng_between(prng, 0, cores_max));

    while (shape.roles_len < 4 && fl_prng_chance(prng, 500000)) {
        add_role(&shape, (uint32_t)fl_prng_between(prng, 1, 3),
                 (uint32_t)fl_prng_between(prng, 1, cores_max));
    }
    return shape;
}

/* No node gives more than is free there beside the claims, and every replica has a node, however
 * roles and nodes are. */
static void no_placement_ever_overfills_a_node(void **state)
{
    struct fl_prng prng;
    unsigned placed = 0;

    (void)state;
    fl_prng_seed(&prng, 2);
    for (int round = 0; round < 3000; round++) {
        struct shape shape = random_shape(&prng, 4);
        struct fl_resources left[8];
        struct placement placement;
        struct cluster *east;
        struct world world;
        enum reason said;

        init(&world);
        east = enrol(&world, "east");
        add_random_nodes(&world, &prng, east, 6);
        for (uint32_t i = 0; i < east->nodes.len; i++) {
            if (fl_prng_chance(&prng, 200000)) claim(east, i, 1);
            left[i] = room_spare(NULL, &east->nodes.at[i]);
        }
        east->node_cursor = (uint32_t)fl_prng_below(&prng, 7);
        said = ask(&world, 1, &shape, &placement);
        if (said == REASON_Fits) {
            placed++;
            assert_int_equal(placement.nodes_len, shape_replicas(&shape));
            assert_true(could_ever(&world, &shape));
        } else {
            placement.nodes_len = 0;
        }
        for (uint32_t i = 0; i < placement.nodes_len; i++) {
            struct fl_resources each = shape_role_of(&shape, i)->each;

            assert_true(placement.nodes[i] < east->nodes.len);
            assert_true(fl_resources_fit(each, left[placement.nodes[i]]));
            fl_resources_take(&left[placement.nodes[i]], each);
        }
        fini(&world);
    }
    assert_true(placed > 500 && placed < 2500);
}

static void the_search_begins_at_the_cursor_and_goes_round_once(void **state)
{
    struct world world;
    struct shape shape = gang(3, 1);
    struct placement placement;
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 1);
    node(&world, east, "n2", 1);
    node(&world, east, "n3", 1);
    east->node_cursor = 2;
    assert_int_equal(ask(&world, 1, &shape, &placement), REASON_Fits);
    assert_int_equal(placement.nodes[0], 2);
    assert_int_equal(placement.nodes[1], 0);
    assert_int_equal(placement.nodes[2], 1);
    assert_int_equal(placement.cursor, 1);
    fini(&world);
}

/* Were the search to begin at n2, the first role would take the room that the second one needs: the
 * gang would wait for ever on an empty cluster, though judge_could_ever names that cluster. */
static void what_fits_an_empty_cluster_fits_it_wherever_the_cursor_stands(void **state)
{
    struct world world;
    struct shape shape = gang(1, 4);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    add_role(&shape, 2, 3);
    node(&world, east, "n1", 4);
    node(&world, east, "n2", 6);
    assert_true(could_ever(&world, &shape));
    for (east->node_cursor = 0; east->node_cursor < 2; east->node_cursor++) {
        assert_int_equal(ask(&world, 1, &shape, NULL), REASON_Fits);
    }
    fini(&world);
}

/* ---- why it does not ------------------------------------------------------------------------- */

static void what_the_job_excludes_or_lacks_is_said_in_words(void **state)
{
    struct world world;
    struct shape shape = gang(1, 1);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 4);
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_Fits);
    assert_string_equal(text_of(&world, &shape), "fits on east now");
    shape.clusters[0] = FL_STR("west");
    shape.clusters_len = 1;
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_ClusterExcluded);
    assert_string_equal(text_of(&world, &shape), "the job's clusters or notClusters exclude east");
    assert_false(could_ever(&world, &shape));
    shape.clusters[0] = FL_STR("east");
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_Fits);
    shape.not_clusters[0] = FL_STR("east");
    shape.not_clusters_len = 1;
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_ClusterExcluded);
    shape = gang(1, 1);
    shape.has_image = true;
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_NoImages);
    assert_string_equal(text_of(&world, &shape),
                        "the job has an image or mounts, and east runs processes");
    assert_false(could_ever(&world, &shape));
    east->has_images = true;
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_Fits);
    memcpy(east->cordon, "repair", 7);
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_ClusterUnhealthy);
    assert_string_equal(text_of(&world, &shape), "east is cordoned: repair");
    assert_true(could_ever(&world, &shape));
    east->cordon[0] = '\0';
    east->is_reconciled = false;
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_ClusterUnhealthy);
    assert_string_equal(text_of(&world, &shape), "east is connected and still tells what it holds");
    east->is_reconciled = true;
    east->is_connected = false;
    assert_string_equal(text_of(&world, &shape), "east is not connected");
    east->is_connected = true;
    east->unconfirmed = UNCONFIRMED_MAX;
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_DispatchLimit);
    assert_string_equal(text_of(&world, &shape), "east has 10 starts to confirm, the most it may");
    east->unconfirmed--;
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_Fits);
    fini(&world);
}

static void starts_of_this_round_count_as_unconfirmed(void **state)
{
    struct world world;
    struct shape shape = gang(1, 1);
    struct placement placement;
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 9);
    east->unconfirmed = UNCONFIRMED_MAX - 1;
    assert_int_equal(ask(&world, 1, &shape, &placement), REASON_Fits);
    choose_start(&world.chooser, entry_of(&world, &shape), &placement);
    assert_int_equal(judge(&world.chooser.room, cluster_one, entry_of(&world, &shape),
                           UNCONFIRMED_MAX, &placement),
                     REASON_DispatchLimit);
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_Fits);
    fini(&world);
}

static void fragmented_is_enough_in_sum_insufficient_is_not(void **state)
{
    struct world world;
    struct shape shape = gang(1, 3);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    report(&world, east, "n1", cpu(4), cpu(2), "");
    report(&world, east, "n2", cpu(4), cpu(2), "");
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_Fragmented);
    assert_string_equal(text_of(&world, &shape),
                        "needs 3.000 CPU, 0 MiB; east has 4.000 CPU, 0 MiB free in all, at most "
                        "2.000 CPU, 0 MiB on one node");
    report(&world, east, "n2", cpu(4), cpu(0), "");
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_InsufficientCapacity);
    assert_string_equal(
        text_of(&world, &shape),
        "needs 3.000 CPU, 0 MiB; east has 2.000 CPU, 0 MiB free of 8.000 CPU, 0 MiB");
    shape = gang(2, 5);
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_NoMatchingCluster);
    assert_string_equal(text_of(&world, &shape),
                        "needs 2 x (5.000 CPU, 0 MiB); the most that one node of east has is "
                        "4.000 CPU, 0 MiB");
    assert_false(could_ever(&world, &shape));
    shape = gang(1, 3);
    shape.node_labels[0] = (struct shape_label){FL_STR("disk"), FL_STR("ssd")};
    shape.node_labels_len = 1;
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_NodeSelectorUnmatched);
    assert_string_equal(text_of(&world, &shape),
                        "none of 2 nodes of east carries the node labels asked for");
    assert_false(could_ever(&world, &shape));
    fini(&world);
}

/* A sum that is larger than what a number holds is no small one. */
/* 43 nodes of 100,000 cores: 4,300 million milli-cores, which is 5 million modulo 2^32. */
static void a_cluster_of_millions_of_cores_has_them_all(void **state)
{
    struct world world;
    struct shape shape = gang(10, 5000);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    for (uint32_t i = 0; i < 43; i++) {
        char name[16];

        (void)snprintf(name, sizeof name, "n%u", i);
        report(&world, east, name, cpu(100000), cpu(99999), "");
    }
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_Fits);
    shape = gang(43, 100000);
    assert_string_equal(text_of(&world, &shape),
                        "needs 43 x (100000.000 CPU, 0 MiB); east has 4299957.000 CPU, 0 MiB free "
                        "of 4300000.000 CPU, 0 MiB");
    fini(&world);
}

static void a_gang_larger_than_any_number_is_insufficient(void **state)
{
    struct world world;
    struct shape_entry entry = {.id = 1, .replicas = 4};
    struct placement placement;
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    report(&world, east, "n1", (struct fl_resources){UINT64_MAX / 2 + 1, 1000, 0},
           (struct fl_resources){1000, 1000, 0}, "");
    entry.shape = gang(4, 0);
    entry.shape.roles[0].each.memory_bytes = UINT64_MAX / 2 + 1;
    begin(&world);
    assert_int_equal(judge(&world.chooser.room, cluster_one, &entry, UNCONFIRMED_MAX, &placement),
                     REASON_NoMatchingCluster);
    fini(&world);
}

static void a_cluster_not_heard_of_yet_could_run_anything_it_is_not_excluded_from(void **state)
{
    struct world world;
    struct shape shape = gang(9, 9);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    assert_false(could_ever(&world, &shape));
    east->is_known = false;
    assert_true(could_ever(&world, &shape));
    shape.not_clusters[0] = FL_STR("east");
    shape.not_clusters_len = 1;
    assert_false(could_ever(&world, &shape));
    cluster_end_session(&world.clusters, east);
    cluster_table_remove(&world.clusters, east);
    shape = gang(1, 1);
    assert_false(could_ever(&world, &shape));
    fini(&world);
}

/* ---- claims ---------------------------------------------------------------------------------- */

static void what_others_have_claimed_is_not_free(void **state)
{
    struct world world;
    struct shape shape = gang(1, 3);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 4);
    node(&world, east, "n2", 2);
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_Fits);
    claim(east, 0, 2);
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_Claimed);
    assert_string_equal(text_of(&world, &shape),
                        "needs 3.000 CPU, 0 MiB; east has 6.000 CPU, 0 MiB free, of which earlier "
                        "jobs (1) have claimed 2.000 CPU, 0 MiB");
    assert_true(could_ever(&world, &shape)); /* a claim ends */
    shape = gang(2, 2);
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_Fits); /* the room beside it is free */
    shape = gang(1, 7);
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_NoMatchingCluster);
    report(&world, east, "n2", cpu(4), cpu(2), "");
    shape = gang(2, 3);
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_Fragmented); /* without the claim too */
    fini(&world);
}

/* A job that has a claim hears only about the others'. */
static void a_claim_that_is_lifted_is_not_among_those_it_is_told_of(void **state)
{
    struct world world;
    struct claim_part own = {0, cpu(3)};
    struct shape shape = gang(1, 4);
    const char *text = NULL;
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 4);
    claim(east, 0, 3);
    claim(east, 0, 1);
    begin(&world);
    room_unclaim(&world.chooser.room, cluster_one, &own, 1);
    assert_int_equal(judge_explain(&world.chooser.room, cluster_one, entry_of(&world, &shape),
                                   UNCONFIRMED_MAX, &world.arena, &text),
                     REASON_Claimed);
    assert_non_null(strstr(text, "(1) have claimed 1.000 CPU"));
    fini(&world);
}

/* The claim waits for what runs there now to end: until then, what fits beside it may start. */
static void what_is_free_may_be_used_while_the_claim_cannot_start(void **state)
{
    struct world world;
    struct shape shape = gang(1, 2);
    struct placement placement;
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    report(&world, east, "n1", cpu(8), cpu(2), "");
    (void)cluster_hold(east, 0, cpu(6));
    claim(east, 0, 6);
    assert_int_equal(ask(&world, 1, &shape, &placement), REASON_Fits);
    choose_start(&world.chooser, entry_of(&world, &shape), &placement);
    cluster_take(&world.clusters, east, 0, cpu(2));
    assert_int_equal(cluster_hold(east, 0, cpu(2)), east->nodes.at[0].claim_no);
    cluster_unhold(east, 0, cpu(3), 0); /* half of what was there before has ended */
    cluster_give(&world.clusters, east, 0, cpu(3));
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_Claimed);
    fini(&world);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The note says what is free, claimed or not: it may be asked with a claim and without. */
static void a_cluster_full_of_claims_is_asked_again_once_they_are_lifted(void **state)
{
    struct world world;
    struct claim_part own = {0, cpu(3)};
    struct shape shape = gang(1, 4);
    struct placement placement;
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 4);
    claim(east, 0, 3);
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_Claimed);
    room_unclaim(&world.chooser.room, cluster_one, &own, 1);
    assert_int_equal(judge(&world.chooser.room, cluster_one, entry_of(&world, &shape),
                           UNCONFIRMED_MAX, &placement),
                     REASON_Fits);
    room_claim(&world.chooser.room, cluster_one, &own, 1, false);
    assert_int_equal(judge(&world.chooser.room, cluster_one, entry_of(&world, &shape),
                           UNCONFIRMED_MAX, &placement),
                     REASON_Claimed);
    fini(&world);
}

/* The same questions, each in a round of its own, have the same answers as in one round, in which
 * the first that found nothing has made a note of it. */
static void what_is_known_of_a_full_cluster_changes_no_answer(void **state)
{
    struct fl_prng prng;
    unsigned refused = 0;

    (void)state;
    fl_prng_seed(&prng, 7);
    for (int round = 0; round < 1000; round++) {
        struct shape shapes[8];
        enum reason alone[8];
        struct cluster *east;
        struct world world;

        init(&world);
        east = enrol(&world, "east");
        add_random_nodes(&world, &prng, east, 4);
        if (fl_prng_chance(&prng, 500000)) claim(east, 0, 1);
        for (size_t i = 0; i < 8; i++) {
            shapes[i] = random_shape(&prng, 4);
            alone[i] = ask(&world, 1, &shapes[i], NULL);
            refused += alone[i] == REASON_Fragmented || alone[i] == REASON_Claimed;
        }
        begin(&world);
        for (size_t i = 0; i < 8; i++) {
            struct placement placement;

            assert_int_equal(judge(&world.chooser.room, cluster_one, entry_of(&world, &shapes[i]),
                                   UNCONFIRMED_MAX, &placement),
                             alone[i]);
        }
        fini(&world);
    }
    assert_true(refused > 300);
}

/* The note saves the walk over the nodes. */
static void a_full_cluster_is_searched_once_in_a_round(void **state)
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
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_Fragmented);
    looked = world.chooser.room.looked;
    assert_true(looked >= 60);
    assert_int_equal(judge(&world.chooser.room, cluster_one, entry_of(&world, &shape),
                           UNCONFIRMED_MAX, &placement),
                     REASON_Fragmented);
    assert_true(world.chooser.room.looked - looked < 10);
    shape = gang(1, 1);
    assert_int_equal(judge(&world.chooser.room, cluster_one, entry_of(&world, &shape),
                           UNCONFIRMED_MAX, &placement),
                     REASON_Fits);
    fini(&world);
}

/* The size of the largest node is kept over rounds, until the cluster's nodes change. */
static void what_a_cluster_could_hold_is_looked_at_again_once_it_changes(void **state)
{
    struct world world;
    struct shape shape = gang(1, 6);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 4);
    assert_false(could_ever(&world, &shape));
    report(&world, east, "n1", cpu(8), cpu(0), "");
    assert_true(could_ever(&world, &shape));
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_InsufficientCapacity);
    report(&world, east, "n1", cpu(4), cpu(4), "");
    assert_false(could_ever(&world, &shape));
    fini(&world);
}

/* A node that has the cores and not the name has no room, and the other way round. */
static void a_resource_with_a_name_is_room_too(void **state)
{
    struct shape one = gang(1, 2), three = gang(3, 2), unknown = gang(1, 1);
    struct placement placement;
    struct cluster *east;
    struct world world;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n0", 8);
    node_with(&world, east, "n1", 1, 9, 9);
    node_with(&world, east, "n2", 8, 4, 3);
    add_fpgas(&one, 2);
    add_fpgas(&three, 1);
    add_fpgas(&unknown, 1);
    unknown.kinds[0] = FL_STR("x.io/none");
    assert_int_equal(ask(&world, 1, &one, &placement), REASON_Fits);
    assert_int_equal(placement.nodes[0], 2);
    assert_int_equal(ask(&world, 1, &three, &placement), REASON_Fits);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(placement.nodes[i], 2);
    }
    three.roles[0].replicas = three.roles[0].replicas_min = 4; /* only 3 are free */
    assert_int_equal(ask(&world, 1, &three, NULL), REASON_Fragmented);
    one.roles[0].named[0] = 5;
    assert_int_equal(ask(&world, 1, &one, NULL), REASON_NoMatchingCluster);
    assert_int_equal(ask(&world, 1, &unknown, NULL), REASON_NoMatchingCluster);
    fini(&world);
}

/* Within one round, and among the roles of one job, what one has taken the next does not find. */
static void what_has_a_name_is_given_once(void **state)
{
    struct shape pair = gang(2, 1), roles = gang(1, 1);
    const struct shape_entry *entry;
    struct placement placement;
    struct cluster *east;
    struct world world;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node_with(&world, east, "n1", 8, 3, 3);
    node_with(&world, east, "n2", 8, 2, 2);
    add_fpgas(&pair, 1);
    add_fpgas(&roles, 1);
    add_role(&roles, 2, 1);
    roles.roles[1].named[0] = 2;
    assert_int_equal(ask(&world, 1, &roles, &placement), REASON_Fits);
    assert_int_equal(placement.nodes[1], 0); /* the larger role first: 2 of 3, 2 of 2 ... */
    assert_int_equal(placement.nodes[2], 1);
    assert_int_equal(placement.nodes[0], 0); /* ... and the last one of n1 */
    roles.roles[1].replicas = roles.roles[1].replicas_min = 3;
    assert_int_equal(ask(&world, 1, &roles, NULL), REASON_NoMatchingCluster);

    entry = entry_of(&world, &pair);
    begin(&world);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            choose(&world.chooser, entry, &(struct shape_memo){0}, UNCONFIRMED_MAX, &placement),
            REASON_Fits);
        choose_start(&world.chooser, entry, &placement);
    }
    assert_int_equal(judge(&world.chooser.room, cluster_one, entry, UNCONFIRMED_MAX, &placement),
                     REASON_InsufficientCapacity);
    assert_int_equal(named_resources_find(room_named(NULL, &east->nodes.at[0]), KIND)->free, 3);
    fini(&world);
}

static void names_are_explained(void **state)
{
    struct shape one = gang(1, 1);
    struct cluster *east;
    struct world world;
    const char *text;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node_with(&world, east, "n1", 8, 4, 1);
    add_fpgas(&one, 2);
    begin(&world);
    assert_int_equal(judge_explain(&world.chooser.room, cluster_one, entry_of(&world, &one),
                                   UNCONFIRMED_MAX, &world.arena, &text),
                     REASON_InsufficientCapacity);
    assert_string_equal(text, "needs 1.000 CPU, 0 MiB, 2 x.io/fpga; east has 8.000 CPU, 0 MiB, 1 "
                              "x.io/fpga free of 8.000 CPU, 0 MiB, 4 x.io/fpga");
    one.roles[0].named[0] = 5;
    assert_int_equal(judge_explain(&world.chooser.room, cluster_one, entry_of(&world, &one),
                                   UNCONFIRMED_MAX, &world.arena, &text),
                     REASON_NoMatchingCluster);
    assert_string_equal(text, "needs 1.000 CPU, 0 MiB, 5 x.io/fpga; the most that one node of east "
                              "has is 8.000 CPU, 0 MiB, 4 x.io/fpga");
    fini(&world);
}

static void a_node_with_a_taint_takes_only_those_who_tolerate_it(void **state)
{
    struct world world;
    struct shape shape = gang(1, 3);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 2);
    tainted(&world, east, "n2", 4, "a=b:NoSchedule\n");
    tainted(&world, east, "n3", 4, "a=b:NoSchedule\nc:NoExecute\n");
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_TaintNotTolerated);
    assert_string_equal(text_of(&world, &shape),
                        "node n2 has the taint a=b:NoSchedule, which the job does not tolerate; "
                        "with a toleration of it the job could run on east");
    assert_false(could_ever(&world, &shape));
    shape = gang(2, 3); /* on one of them it has no room */
    assert_string_equal(text_of(&world, &shape),
                        "node n3 has the taint a=b:NoSchedule, which the job does not tolerate; "
                        "with a toleration of it and of c:NoExecute the job could run on east");
    shape.tolerations = FL_STR("a\n");
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_TaintNotTolerated);
    shape = gang(1, 3);
    shape.tolerations = FL_STR("a\n");
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_Fits);
    assert_true(could_ever(&world, &shape));
    shape = gang(1, 5); /* tolerance would not help */
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_NoMatchingCluster);
    assert_int_equal(east->tainted_len, 2);
    tainted(&world, east, "n2", 4, "");
    assert_int_equal(east->tainted_len, 1);
    shape = gang(1, 3);
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_Fits);
    fini(&world);
}

static void more_taints_than_are_told_are_called_others(void **state)
{
    struct world world;
    struct shape shape = gang(1, 3);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    tainted(&world, east, "n1", 4, "a:NoSchedule\nb:NoSchedule\nc:NoSchedule\nd:NoSchedule\n");
    assert_string_equal(text_of(&world, &shape),
                        "node n1 has the taint a:NoSchedule, which the job does not tolerate; with "
                        "a toleration of it and of b:NoSchedule and of c:NoSchedule and of others "
                        "the job could run on east");
    fini(&world);
}

FL_TESTS(cmocka_unit_test(a_resource_with_a_name_is_room_too),
         cmocka_unit_test(what_has_a_name_is_given_once), cmocka_unit_test(names_are_explained),
         cmocka_unit_test(roles_share_what_is_left_on_a_node),
         cmocka_unit_test(the_role_that_needs_most_is_placed_first),
         cmocka_unit_test(no_placement_ever_overfills_a_node),
         cmocka_unit_test(the_search_begins_at_the_cursor_and_goes_round_once),
         cmocka_unit_test(what_fits_an_empty_cluster_fits_it_wherever_the_cursor_stands),
         cmocka_unit_test(what_the_job_excludes_or_lacks_is_said_in_words),
         cmocka_unit_test(starts_of_this_round_count_as_unconfirmed),
         cmocka_unit_test(fragmented_is_enough_in_sum_insufficient_is_not),
         cmocka_unit_test(a_cluster_of_millions_of_cores_has_them_all),
         cmocka_unit_test(a_gang_larger_than_any_number_is_insufficient),
         cmocka_unit_test(a_cluster_not_heard_of_yet_could_run_anything_it_is_not_excluded_from),
         cmocka_unit_test(what_others_have_claimed_is_not_free),
         cmocka_unit_test(a_claim_that_is_lifted_is_not_among_those_it_is_told_of),
         cmocka_unit_test(what_is_free_may_be_used_while_the_claim_cannot_start),
         cmocka_unit_test(a_cluster_full_of_claims_is_asked_again_once_they_are_lifted),
         cmocka_unit_test(what_is_known_of_a_full_cluster_changes_no_answer),
         cmocka_unit_test(a_full_cluster_is_searched_once_in_a_round),
         cmocka_unit_test(what_a_cluster_could_hold_is_looked_at_again_once_it_changes),
         cmocka_unit_test(a_node_with_a_taint_takes_only_those_who_tolerate_it),
         cmocka_unit_test(more_taints_than_are_told_are_called_others))
