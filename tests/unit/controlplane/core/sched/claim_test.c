#include "controlplane/core/sched/claim.h"

#include "controlplane/core/cluster_named_resources.h"
#include "controlplane/core/cluster_table.h"
#include "controlplane/core/sched/tolerance.h"
#include "shared/base/prng.h"
#include "tests/unit/controlplane/core/sched/sched_world.h"

static struct shape_memo *memo_of(struct world *world, const struct shape *shape)
{
    return choose_memo(&world->chooser, entry_of(world, shape), shape_in(world, shape));
}

/* The cluster on which a claim is made in the round that has begun; 0: none can be. */
static uint32_t make(struct world *world, const struct shape *shape, struct claim_draft *ret)
{
    *ret = (struct claim_draft){0};
    return claim_make(&world->chooser, entry_of(world, shape), memo_of(world, shape), 50,
                      &world->arena, ret)
               ? ret->cluster.n
               : 0;
}

/* Somebody's replica holds so many cores of the node, which are not free. */
static void fill(struct world *world, struct cluster *cluster, uint32_t i, uint32_t cores)
{
    cluster_take(&world->clusters, cluster, i, cpu(cores));
    (void)cluster_hold(cluster, i, cpu(cores));
}

/* The queue's claim as the table has it once 'draft' was carried out. */
static struct claim carry_out(struct world *world, const struct claim_draft *draft,
                              uint32_t replicas)
{
    struct claim claim = {.cluster = draft->cluster};

    at(world, draft->cluster.n)->claims_len++;
    for (size_t i = 0; i < draft->parts_len; i++) {
        fl_vec_push(&claim.parts, draft->parts[i]);
        cluster_claim(at(world, draft->cluster.n), draft->parts[i].node, draft->parts[i].room);
    }
    for (uint32_t i = 0; i < replicas; i++) {
        fl_vec_push(&claim.nodes, draft->nodes[i]);
    }
    return claim;
}

static void claim_fini(struct claim *claim)
{
    fl_vec_fini(&claim->parts);
    fl_vec_fini(&claim->nodes);
}

static void it_takes_free_room_first_then_where_least_is_missing(void **state)
{
    struct world world;
    struct shape shape = gang(2, 4);
    struct claim_draft draft;
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 8);
    node(&world, east, "n2", 8);
    node(&world, east, "n3", 8);
    fill(&world, east, 0, 8);
    fill(&world, east, 1, 4);
    fill(&world, east, 2, 6);
    begin(&world);
    assert_int_equal(make(&world, &shape, &draft), 1);
    assert_int_equal(draft.parts_len, 2);
    assert_int_equal(draft.parts[0].node, 1);
    assert_int_equal(draft.parts[0].room.cpu_milli, 4000);
    assert_int_equal(draft.parts[1].node, 2);
    assert_int_equal(draft.parts[1].room.cpu_milli, 4000);
    assert_int_equal(draft.nodes[0], 1);
    assert_int_equal(draft.nodes[1], 2);
    fini(&world);
}

static void it_goes_to_the_cluster_where_least_is_missing(void **state)
{
    struct world world;
    struct shape shape = gang(1, 8);
    struct claim_draft draft;

    (void)state;
    init(&world);
    for (uint32_t slot = 1; slot <= 3; slot++) {
        struct cluster *cluster = enrol(&world, (const char *[]){"a", "b", "c"}[slot - 1]);

        node(&world, cluster, "n1", 8);
        node(&world, cluster, "n2", 8);
        fill(&world, cluster, 0, 5);
        fill(&world, cluster, 1, slot == 2 ? 1 : 4);
    }
    begin(&world);
    assert_int_equal(make(&world, &shape, &draft), 2);
    assert_int_equal(draft.nodes[0], 1);
    shape.not_clusters[0] = FL_STR("b");
    shape.not_clusters_len = 1;
    assert_int_equal(make(&world, &shape, &draft), 1);
    shape = gang(1, 9);
    assert_int_equal(make(&world, &shape, &draft), 0); /* no node is that large */
    fini(&world);
}

/* The cluster has 16 cores, of which the claims together may have half; one alone may have more. */
static void claims_take_a_share_of_the_cluster_together_but_one_may_take_all(void **state)
{
    struct world world;
    struct shape all = gang(2, 8), half = gang(1, 8), small = gang(1, 4);
    struct claim_draft draft;
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 8);
    node(&world, east, "n2", 8);
    fill(&world, east, 0, 7);
    fill(&world, east, 1, 7);
    begin(&world);
    assert_int_equal(make(&world, &all, &draft), 1);
    room_claim(&world.chooser.room, cluster_one, draft.parts, draft.parts_len, true);
    assert_int_equal(make(&world, &small, &draft), 0); /* all is claimed */
    begin(&world);
    assert_int_equal(make(&world, &small, &draft), 1);
    room_claim(&world.chooser.room, cluster_one, draft.parts, draft.parts_len, true);
    assert_int_equal(make(&world, &half, &draft), 0); /* 12 of 16 */
    begin(&world);
    assert_int_equal(make(&world, &small, &draft), 1);
    room_claim(&world.chooser.room, cluster_one, draft.parts, draft.parts_len, true);
    assert_int_equal(make(&world, &small, &draft), 1);
    fini(&world);
}

/* A claim that only others kept from the cluster closes it to those who come later in the round. */
static void a_claim_that_others_are_in_the_way_of_closes_the_cluster(void **state)
{
    struct world world;
    struct shape half = gang(1, 8), small = gang(1, 4);
    struct claim_draft draft;
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 8);
    node(&world, east, "n2", 8);
    claim(east, 0, 4);
    begin(&world);
    assert_int_equal(make(&world, &small, &draft), 1);
    assert_int_equal(make(&world, &half, &draft), 0);
    assert_true(room_is_closed(&world.chooser.room, cluster_one));
    assert_int_equal(make(&world, &small, &draft), 0);
    begin(&world);
    assert_int_equal(make(&world, &small, &draft), 1);
    fini(&world);
}

static void a_claim_is_free_once_all_its_parts_are_and_whole_while_they_may_be(void **state)
{
    struct world world;
    struct shape shape = gang(2, 6);
    struct claim_draft draft;
    struct placement placement;
    struct claim claim;
    struct cluster *east;
    const struct room *room = &world.chooser.room;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 8);
    node(&world, east, "n2", 8);
    fill(&world, east, 0, 6);
    fill(&world, east, 1, 6);
    begin(&world);
    assert_int_equal(make(&world, &shape, &draft), 1);
    claim = carry_out(&world, &draft, 2);
    begin(&world);
    room_unclaim(&world.chooser.room, cluster_one, claim.parts.at, claim.parts.len);
    assert_true(claim_is_whole(room, &claim));
    assert_false(claim_is_free(room, &claim, UNCONFIRMED_MAX, &placement));
    cluster_unhold(east, 0, cpu(6), 0);
    cluster_give(&world.clusters, east, 0, cpu(6));
    cluster_unhold(east, 1, cpu(4), 0);
    cluster_give(&world.clusters, east, 1, cpu(4));
    begin(&world);
    room_unclaim(&world.chooser.room, cluster_one, claim.parts.at, claim.parts.len);
    assert_true(claim_is_free(room, &claim, UNCONFIRMED_MAX, &placement));
    assert_int_equal(placement.cluster.n, 1);
    assert_int_equal(placement.nodes_len, 2);
    assert_int_equal(placement.nodes[0] + placement.nodes[1], 1);
    assert_false(claim_is_free(room, &claim, 0, &placement));
    /* It came beside the claim, and is too much. */
    room_take(&world.chooser.room, cluster_one, 0, cpu(3));
    assert_false(claim_is_free(room, &claim, UNCONFIRMED_MAX, &placement));
    claim_fini(&claim);
    fini(&world);
}

/* A gang that fits the empty cluster can claim room there, however full it is and in any order of
 * its roles: else it may wait for ever. */
static void a_gang_that_fits_the_empty_cluster_can_claim_room_there(void **state)
{
    struct fl_prng prng;
    unsigned could = 0, claimed = 0;

    (void)state;
    fl_prng_seed(&prng, 17);
    for (int round = 0; round < 3000; round++) {
        struct shape shape =
            gang((uint32_t)fl_prng_between(&prng, 1, 3), (uint32_t)fl_prng_between(&prng, 1, 4));
        uint32_t nodes_len = (uint32_t)fl_prng_between(&prng, 1, 4);
        struct claim_draft draft;
        struct cluster *east;
        struct world world;

        init(&world);
        east = enrol(&world, "east");
        for (uint32_t i = 0; i < nodes_len; i++) {
            char name[16];
            uint32_t cores = (uint32_t)fl_prng_between(&prng, 1, 8);

            (void)snprintf(name, sizeof name, "n%u", i);
            node(&world, east, name, cores);
            fill(&world, east, i, (uint32_t)fl_prng_between(&prng, 0, cores));
        }
        while (shape.roles_len < 3 && fl_prng_chance(&prng, 600000)) {
            add_role(&shape, (uint32_t)fl_prng_between(&prng, 1, 2),
                     (uint32_t)fl_prng_between(&prng, 1, 5));
        }
        begin(&world);
        if (judge_could_ever(&world.chooser.room, cluster_one, entry_of(&world, &shape))) {
            could++;
            claimed += make(&world, &shape, &draft) == 1;
        }
        fini(&world);
    }
    assert_int_equal(claimed, could);
}

/* Others than we may use more than before, at the same totals: a claim is possible no longer, and
 * the next of the queue may have it. */
static void others_who_use_more_end_what_was_possible(void **state)
{
    struct world world;
    struct shape shape = gang(1, 8);
    struct claim_draft draft;
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 8);
    begin(&world);
    assert_true(
        claim_is_possible(&world.chooser, entry_of(&world, &shape), memo_of(&world, &shape)));
    report(&world, east, "n1", cpu(8), cpu(4), "");
    begin(&world);
    assert_int_equal(make(&world, &shape, &draft), 0);
    begin(&world);
    assert_false(
        claim_is_possible(&world.chooser, entry_of(&world, &shape), memo_of(&world, &shape)));
    report(&world, east, "n1", cpu(8), cpu(8), "");
    begin(&world);
    assert_true(
        claim_is_possible(&world.chooser, entry_of(&world, &shape), memo_of(&world, &shape)));
    fini(&world);
}

static void a_share_of_nothing_means_no_claims(void **state)
{
    struct world world;
    struct shape shape = gang(1, 8);
    struct claim_draft draft;
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 8);
    fill(&world, east, 0, 4);
    begin(&world);
    assert_false(claim_make(&world.chooser, entry_of(&world, &shape), memo_of(&world, &shape), 0,
                            &world.arena, &draft));
    begin(&world);
    assert_true(claim_make(&world.chooser, entry_of(&world, &shape), memo_of(&world, &shape), 1,
                           &world.arena, &draft));
    fini(&world);
}

/* A claim keeps a resource with a name from others, and for its own job. */
static void a_claim_keeps_what_has_a_name(void **state)
{
    static const uint8_t number = KIND;
    static const uint64_t three = 3;
    struct shape four = gang(1, 1), one = gang(1, 1);
    struct claim_draft draft;
    struct cluster *east;
    struct world world;
    struct placement placement;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node_with(&world, east, "n1", 8, 4, 1);
    (void)cluster_hold(east, 0, cpu(0));
    cluster_hold_named(east, 0, (struct named_requests){&number, &three, 1}, 0);
    add_fpgas(&four, 4);
    add_fpgas(&one, 1);
    assert_int_equal(ask(&world, 1, &one, NULL), REASON_Fits);
    assert_int_equal(ask(&world, 1, &four, NULL), REASON_InsufficientCapacity);
    assert_true(claim_make(&world.chooser, entry_of(&world, &four), &(struct shape_memo){0}, 50,
                           &world.arena, &draft));
    assert_int_equal(draft.parts_len, 1);
    assert_int_equal(draft.parts[0].named[0], 4);
    assert_int_equal(draft.parts[0].kind_numbers[0], KIND);
    room_claim(&world.chooser.room, cluster_one, draft.parts, draft.parts_len, true);
    assert_int_equal(judge(&world.chooser.room, cluster_one, entry_of(&world, &one),
                           UNCONFIRMED_MAX, &placement),
                     REASON_Claimed);
    room_unclaim(&world.chooser.room, cluster_one, draft.parts, draft.parts_len);
    assert_int_equal(judge(&world.chooser.room, cluster_one, entry_of(&world, &one),
                           UNCONFIRMED_MAX, &placement),
                     REASON_Fits);
    four.roles[0].named[0] = 5; /* more than the node has */
    assert_false(claim_make(&world.chooser, entry_of(&world, &four), &(struct shape_memo){0}, 50,
                            &world.arena, &draft));
    fini(&world);
}

/* They cost more than a count, and looks. */
static void taints_are_compared_where_there_is_room_and_charged(void **state)
{
    struct shape shape = gang(1, 8);
    struct claim_draft draft;
    uint64_t looked[2];
    char taints[FL_NODE_TAINTS_BYTES_MAX + 1];
    size_t len = 0;

    (void)state;
    for (int i = 10; i < 15; i++) {
        len += (size_t)snprintf(taints + len, sizeof taints - len, "%d%0315d=%063d:NoSchedule\n", i,
                                1, 1);
    }
    shape.tolerations = FL_STR("a\n");
    for (uint32_t i = 0; i < 2; i++) {
        struct world world;
        struct cluster *east;

        init(&world);
        east = enrol(&world, "east");
        node(&world, east, "n1", 8);
        tainted(&world, east, "n2", i == 0 ? 7 : 8, taints);
        fill(&world, east, 0, 4);
        begin(&world);
        looked[i] = world.chooser.room.looked;
        assert_int_equal(make(&world, &shape, &draft), 1);
        assert_int_equal(draft.parts[0].node, 0);
        looked[i] = world.chooser.room.looked - looked[i];
        if (i == 1) {
            assert_int_equal(looked[1],
                             looked[0] + 2 * tolerance_looks(&east->nodes.at[1], &shape));
        }
        fini(&world);
    }
}

FL_TESTS(cmocka_unit_test(a_claim_keeps_what_has_a_name),
         cmocka_unit_test(it_takes_free_room_first_then_where_least_is_missing),
         cmocka_unit_test(it_goes_to_the_cluster_where_least_is_missing),
         cmocka_unit_test(claims_take_a_share_of_the_cluster_together_but_one_may_take_all),
         cmocka_unit_test(a_share_of_nothing_means_no_claims),
         cmocka_unit_test(others_who_use_more_end_what_was_possible),
         cmocka_unit_test(a_claim_that_others_are_in_the_way_of_closes_the_cluster),
         cmocka_unit_test(a_claim_is_free_once_all_its_parts_are_and_whole_while_they_may_be),
         cmocka_unit_test(a_gang_that_fits_the_empty_cluster_can_claim_room_there),
         cmocka_unit_test(taints_are_compared_where_there_is_room_and_charged))
