#include "controlplane/core/sched/room.h"

#include "shared/base/prng.h"
#include "tests/unit/controlplane/core/sched/sched_world.h"

static struct room *room_of(struct world *world)
{
    return &world->chooser.room;
}

static const struct room_node *changed(struct world *world, uint32_t i)
{
    return room_node(room_of(world), room_changed(room_of(world), cluster_one), i);
}

static uint32_t free_of(struct world *world, uint32_t i)
{
    return room_free(changed(world, i), &at(world, 1)->nodes.at[i]).cpu_milli / 1000;
}

static uint32_t spare_of(struct world *world, uint32_t i)
{
    return room_spare(changed(world, i), &at(world, 1)->nodes.at[i]).cpu_milli / 1000;
}

static uint32_t empty_of(struct world *world, uint32_t i)
{
    return room_empty(changed(world, i), &at(world, 1)->nodes.at[i], false).cpu_milli / 1000;
}

static uint32_t bare_of(struct world *world, uint32_t i)
{
    return room_empty(changed(world, i), &at(world, 1)->nodes.at[i], true).cpu_milli / 1000;
}

/* One part of a claim. */
static struct claim_part part(uint32_t i, uint32_t cores)
{
    return (struct claim_part){i, cpu(cores)};
}

static void what_the_round_takes_is_gone_for_the_round_only(void **state)
{
    struct world world;
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 8);
    node(&world, east, "n2", 4);
    east->unconfirmed = 3;
    begin(&world);
    assert_null(room_changed(room_of(&world), cluster_one));
    assert_int_equal(free_of(&world, 0), 8);
    room_take(room_of(&world), cluster_one, 0, cpu(3));
    room_take(room_of(&world), cluster_one, 0, cpu(2));
    room_start(room_of(&world), cluster_one, 1);
    assert_int_equal(free_of(&world, 0), 3);
    assert_int_equal(free_of(&world, 1), 4);
    assert_null(changed(&world, 1));
    assert_int_equal(room_changed(room_of(&world), cluster_one)->free_sum.cpu_milli, 7000);
    assert_int_equal(room_changed(room_of(&world), cluster_one)->unconfirmed, 4);
    assert_int_equal(room_changed(room_of(&world), cluster_one)->cursor, 1);
    room_take(room_of(&world), cluster_one, 0, cpu(5)); /* more than is there */
    assert_int_equal(free_of(&world, 0), 0);
    assert_int_equal(room_changed(room_of(&world), cluster_one)->free_sum.cpu_milli, 4000);
    assert_int_equal(east->nodes.at[0].free.cpu_milli, 8000); /* the table is only read */
    assert_int_equal(east->free_sum.cpu_milli, 12000);
    begin(&world);
    assert_null(room_changed(room_of(&world), cluster_one));
    assert_int_equal(free_of(&world, 0), 8);
    room_take(room_of(&world), cluster_one, 1, cpu(1));
    assert_int_equal(free_of(&world, 0), 8); /* nor does another node bring it back */
    assert_int_equal(room_changed(room_of(&world), cluster_one)->free_sum.cpu_milli, 11000);
    fini(&world);
}

static void clusters_and_nodes_that_came_between_rounds_are_seen(void **state)
{
    struct world world;
    struct cluster *east, *west;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 8);
    begin(&world);
    room_take(room_of(&world), cluster_one, 0, cpu(1));
    node(&world, east, "n2", 4);
    west = enrol(&world, "west");
    node(&world, west, "n1", 2);
    begin(&world);
    room_take(room_of(&world), cluster_one, 1, cpu(1));
    room_take(room_of(&world), west->id, 0, cpu(1));
    assert_int_equal(free_of(&world, 0), 8);
    assert_int_equal(free_of(&world, 1), 3);
    assert_int_equal(room_changed(room_of(&world), west->id)->free_sum.cpu_milli, 1000);
    fini(&world);
}

/* n1 has 8 cores, 6 of them held when a claim for 5 comes: 2 of those are free. */
static void beside_a_claim_is_free_what_does_not_delay_it(void **state)
{
    struct world world;
    struct claim_part five = part(0, 5);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    report(&world, east, "n1", cpu(8), cpu(2), "");
    (void)cluster_hold(east, 0, cpu(6));
    begin(&world);
    assert_int_equal(spare_of(&world, 0), 2);
    assert_int_equal(empty_of(&world, 0), 8);
    room_claim(room_of(&world), cluster_one, &five, 1, true);
    assert_int_equal(room_changed(room_of(&world), cluster_one)->claims_len, 1);
    assert_int_equal(room_changed(room_of(&world), cluster_one)->claimed_sum.cpu_milli, 5000);
    assert_int_equal(free_of(&world, 0), 2);
    assert_int_equal(spare_of(&world, 0), 2); /* once the six have ended, three are beside it */
    assert_int_equal(empty_of(&world, 0), 3);
    room_take(room_of(&world), cluster_one, 0, cpu(2));
    assert_int_equal(changed(&world, 0)->guests.cpu_milli, 2000);
    assert_int_equal(spare_of(&world, 0), 0);
    assert_int_equal(empty_of(&world, 0), 1); /* one more may come when one of the six has ended */
    assert_int_equal(bare_of(&world, 0), 8);
    room_unclaim(room_of(&world), cluster_one, &five, 1);
    assert_int_equal(empty_of(&world, 0), 8); /* without a claim there are no guests */
    assert_int_equal(east->claims_len, 0);
    assert_int_equal(east->nodes.at[0].guests.cpu_milli, 0);
    fini(&world);
}

/* As when the agent's number does not include a start yet: no node has more than its total. */
static void room_that_is_held_and_reported_as_free_counts_once(void **state)
{
    struct world world;
    struct claim_part six = part(0, 6);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 8);
    (void)cluster_hold(east, 0, cpu(3));
    begin(&world);
    assert_int_equal(empty_of(&world, 0), 8);
    room_claim(room_of(&world), cluster_one, &six, 1, true);
    assert_int_equal(spare_of(&world, 0), 2);
    assert_int_equal(empty_of(&world, 0), 2);
    fini(&world);
}

static void lifting_a_claim_and_putting_it_back_changes_nothing(void **state)
{
    struct world world;
    struct claim_part parts[2] = {part(0, 6), part(1, 2)};
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 8);
    report(&world, east, "n2", cpu(4), cpu(1), "");
    (void)cluster_hold(east, 1, cpu(3));
    claim(east, 0, 6);
    claim(east, 1, 2);
    east->claims_len = 2; /* another one stays there */
    cluster_claim(east, 1, cpu(1));
    cluster_take(&world.clusters, east, 0, cpu(1));
    assert_int_not_equal(cluster_hold(east, 0, cpu(1)), 0); /* a guest */
    begin(&world);
    assert_int_equal(spare_of(&world, 0), 1);
    assert_int_equal(spare_of(&world, 1), 1);
    room_unclaim(room_of(&world), cluster_one, parts, 2);
    assert_int_equal(spare_of(&world, 0), 7);
    assert_int_equal(spare_of(&world, 1), 1);
    assert_int_equal(room_changed(room_of(&world), cluster_one)->claims_len, 1);
    assert_int_equal(room_changed(room_of(&world), cluster_one)->claimed_sum.cpu_milli, 1000);
    room_claim(room_of(&world), cluster_one, parts, 2, false);
    assert_int_equal(spare_of(&world, 0), 1);
    assert_int_equal(spare_of(&world, 1), 1);
    assert_int_equal(changed(&world, 0)->guests.cpu_milli, 1000);
    assert_int_equal(room_changed(room_of(&world), cluster_one)->claimed_sum.cpu_milli, 9000);

    /* A start while it is lifted came beside it all the same. */
    room_unclaim(room_of(&world), cluster_one, parts, 2);
    room_take(room_of(&world), cluster_one, 0, cpu(1));
    room_claim(room_of(&world), cluster_one, parts, 2, false);
    assert_int_equal(changed(&world, 0)->guests.cpu_milli, 2000);
    assert_int_equal(spare_of(&world, 0), 0);
    assert_int_equal(empty_of(&world, 0), 0);
    fini(&world);
}

/* All that is there when a node's first claim comes was there before it; the next one finds
 * guests. */
static void a_new_claim_on_a_node_without_one_finds_no_guests(void **state)
{
    struct world world;
    struct claim_part four = part(0, 4), two = part(0, 2);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    node(&world, east, "n1", 8);
    claim(east, 0, 4);
    cluster_take(&world.clusters, east, 0, cpu(3));
    (void)cluster_hold(east, 0, cpu(3));
    begin(&world);
    assert_int_equal(empty_of(&world, 0), 1);
    room_claim(room_of(&world), cluster_one, &two, 1, true);
    assert_int_equal(changed(&world, 0)->guests.cpu_milli, 3000);
    room_unclaim(room_of(&world), cluster_one, &four, 1);
    room_unclaim(room_of(&world), cluster_one, &two, 1);
    room_claim(room_of(&world), cluster_one, &four, 1, true);
    assert_int_equal(changed(&world, 0)->guests.cpu_milli, 0);
    assert_int_equal(empty_of(&world, 0), 4);
    fini(&world);
}

static void a_cluster_is_closed_to_new_claims_for_the_round_only(void **state)
{
    struct world world;
    struct cluster *west;

    (void)state;
    init(&world);
    (void)enrol(&world, "east");
    west = enrol(&world, "west");
    begin(&world);
    assert_false(room_is_closed(room_of(&world), cluster_one));
    room_close(room_of(&world), cluster_one);
    assert_true(room_is_closed(room_of(&world), cluster_one));
    assert_false(room_is_closed(room_of(&world), west->id));
    begin(&world);
    assert_false(room_is_closed(room_of(&world), cluster_one));
    fini(&world);
}

/* The same takes and claims, in the overlay and on the tables, leave the same room. */
static void what_a_round_sees_is_what_carrying_it_out_makes(void **state)
{
    enum { NODES = 4, CLAIMS = 3 };
    struct fl_prng prng;

    (void)state;
    fl_prng_seed(&prng, 13);
    for (int round = 0; round < 500; round++) {
        struct claim_part claims[CLAIMS];
        bool is_made[CLAIMS] = {0};
        struct cluster *east;
        struct world world;
        char name[16];

        init(&world);
        east = enrol(&world, "east");
        for (uint32_t i = 0; i < NODES; i++) {
            (void)snprintf(name, sizeof name, "n%u", i);
            node(&world, east, name, (uint32_t)fl_prng_between(&prng, 1, 8));
        }
        for (int rounds = 0; rounds < 4; rounds++) {
            begin(&world);
            for (int step = 0; step < 12; step++) {
                uint32_t i = (uint32_t)fl_prng_below(&prng, NODES);
                size_t c = fl_prng_below(&prng, CLAIMS);
                uint32_t cores = (uint32_t)fl_prng_between(&prng, 1, 3);

                if (fl_prng_chance(&prng, 500000)) {
                    room_take(room_of(&world), cluster_one, i, cpu(cores));
                    cluster_take(&world.clusters, east, i, cpu(cores));
                    (void)cluster_hold(east, i, cpu(cores));
                } else if (!is_made[c]) {
                    claims[c] = part(i, cores);
                    is_made[c] = true;
                    room_claim(room_of(&world), cluster_one, &claims[c], 1, true);
                    claim(east, i, cores);
                } else if (fl_prng_chance(&prng, 500000)) { /* to see what its job may have */
                    room_unclaim(room_of(&world), cluster_one, &claims[c], 1);
                    room_claim(room_of(&world), cluster_one, &claims[c], 1, false);
                } else {
                    is_made[c] = false;
                    room_unclaim(room_of(&world), cluster_one, &claims[c], 1);
                    cluster_unclaim(east, claims[c].node, claims[c].room);
                    east->claims_len--;
                }
            }
            for (uint32_t i = 0; i < NODES; i++) {
                const struct node *n = &east->nodes.at[i];

                assert_int_equal(free_of(&world, i), n->free.cpu_milli / 1000);
                assert_int_equal(spare_of(&world, i), room_spare(NULL, n).cpu_milli / 1000);
            }
            if (!room_changed(room_of(&world), cluster_one)) continue;
            assert_int_equal(room_changed(room_of(&world), cluster_one)->free_sum.cpu_milli,
                             east->free_sum.cpu_milli);
            assert_int_equal(room_changed(room_of(&world), cluster_one)->claimed_sum.cpu_milli,
                             east->claimed_sum.cpu_milli);
            assert_int_equal(room_changed(room_of(&world), cluster_one)->claims_len,
                             east->claims_len);
        }
        fini(&world);
    }
}

FL_TESTS(cmocka_unit_test(what_the_round_takes_is_gone_for_the_round_only),
         cmocka_unit_test(clusters_and_nodes_that_came_between_rounds_are_seen),
         cmocka_unit_test(beside_a_claim_is_free_what_does_not_delay_it),
         cmocka_unit_test(room_that_is_held_and_reported_as_free_counts_once),
         cmocka_unit_test(lifting_a_claim_and_putting_it_back_changes_nothing),
         cmocka_unit_test(a_new_claim_on_a_node_without_one_finds_no_guests),
         cmocka_unit_test(a_cluster_is_closed_to_new_claims_for_the_round_only),
         cmocka_unit_test(what_a_round_sees_is_what_carrying_it_out_makes))
