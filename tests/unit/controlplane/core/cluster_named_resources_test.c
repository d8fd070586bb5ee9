/* cluster_named_resources_test.c - a resource with a name counts as cpu does.
 * Every step is taken with both: so the fields of struct node, which other tests know, are the
 * second opinion. */
#include "controlplane/core/cluster_named_resources.h"

#include <stdio.h>

#include "controlplane/core/cluster_table.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"

enum { NODES = 3, NUMBER = 9, PARTS = 24 };

/* It is held or claimed, and will be given back. */
struct part {
    uint32_t node, amount;
    uint16_t guest_no;
    bool is_there;
};

struct world {
    struct cluster_table table;
    struct cluster *cluster;
    struct fl_prng prng;
    struct part held[PARTS], claimed[PARTS];
    uint64_t start_seq;
};

static const uint8_t number = NUMBER;

static struct fl_resources cpu(uint64_t amount)
{
    return (struct fl_resources){.cpu_milli = (uint32_t)amount};
}

static struct named_requests wants(const uint64_t *amount)
{
    return (struct named_requests){&number, amount, 1};
}

static void init(struct world *world, uint64_t seed)
{
    struct fl_err err = {0};

    *world = (struct world){0};
    fl_prng_seed(&world->prng, seed);
    cluster_table_init(&world->table, 4, 8);
    assert_true(cluster_table_add(&world->table, (struct fl_cluster){0}, FL_STR("east"),
                                  FL_STR("uid"), &world->cluster, &err));
    cluster_begin_session(&world->table, world->cluster, 1);
}

static void report(struct world *world, uint32_t i, bool is_gone)
{
    uint64_t total = is_gone ? 0 : fl_prng_between(&world->prng, 1, 10);
    struct named_offer offer = {NUMBER, total, fl_prng_below(&world->prng, total + 1)};
    char name[8];
    struct cluster_node_report report = {
        .stamp = ++world->table.stamp,
        .number = i,
        .is_ready = !is_gone && fl_prng_chance(&world->prng, 900000),
        .total = cpu(total),
        .free = cpu(offer.free),
        .offers = &offer,
        .offers_len = total > 0,
    };

    (void)snprintf(name, sizeof name, "n%u", i);
    report.name = fl_str_c(name);
    assert_true(cluster_report(&world->table, world->cluster, &report));
    if (!is_gone) {
        cluster_take_late(&world->table, world->cluster, i,
                          fl_prng_below(&world->prng, world->start_seq + 1));
    }
}

static void hold(struct world *world, struct part *part)
{
    uint64_t amount = fl_prng_between(&world->prng, 1, 4);

    *part = (struct part){.node = (uint32_t)fl_prng_below(&world->prng, NODES),
                          .amount = (uint32_t)amount,
                          .is_there = true};
    cluster_join_node(world->cluster, part->node);
    cluster_take(&world->table, world->cluster, part->node, cpu(amount));
    cluster_take_named(world->cluster, part->node, wants(&amount));
    part->guest_no = cluster_hold(world->cluster, part->node, cpu(amount));
    cluster_hold_named(world->cluster, part->node, wants(&amount), part->guest_no);
}

static void unhold(struct world *world, struct part *part)
{
    uint64_t amount = part->amount;

    part->is_there = false;
    cluster_unhold(world->cluster, part->node, cpu(amount), part->guest_no);
    cluster_unhold_named(world->cluster, part->node, wants(&amount), part->guest_no);
    if (fl_prng_chance(&world->prng, 300000)) {
        cluster_leave_late(world->cluster, part->node, cpu(amount), ++world->start_seq);
        cluster_leave_late_named(world->cluster, part->node, wants(&amount));
    } else {
        cluster_give(&world->table, world->cluster, part->node, cpu(amount));
        cluster_give_named(world->cluster, part->node, wants(&amount));
    }
}

static void claim(struct world *world, struct part *part)
{
    uint64_t amount = fl_prng_between(&world->prng, 1, 4);

    *part = (struct part){.node = (uint32_t)fl_prng_below(&world->prng, NODES),
                          .amount = (uint32_t)amount,
                          .is_there = true};
    world->cluster->claims_len++;
    cluster_claim(world->cluster, part->node, cpu(amount));
    cluster_claim_named(world->cluster, part->node, wants(&amount));
}

static void unclaim(struct world *world, struct part *part)
{
    uint64_t amount = part->amount;

    part->is_there = false;
    world->cluster->claims_len--;
    cluster_unclaim(world->cluster, part->node, cpu(amount));
    cluster_unclaim_named(world->cluster, part->node, wants(&amount));
}

/* As the core ends claims that are broken. */
static void drop_claims(struct world *world)
{
    for (int i = 0; i < PARTS; i++) {
        world->claimed[i].is_there = false;
    }
    world->cluster->claims_len = 0;
    cluster_clear_claims(world->cluster);
}

static void compare(const struct world *world)
{
    const struct cluster *cluster = world->cluster;
    const struct named_resource *sum = named_resources_find(&cluster->named, NUMBER), none = {0};

    if (!sum) sum = &none;
    assert_int_equal(sum->total, cluster->total_sum.cpu_milli);
    assert_int_equal(sum->free, cluster->free_sum.cpu_milli);
    assert_int_equal(sum->claimed, cluster->claimed_sum.cpu_milli);
    for (uint32_t i = 0; i < NODES; i++) {
        const struct node *node = &cluster->nodes.at[i];
        const struct named_resource *resource = named_resources_find(&node->named, NUMBER);
        struct fl_resources spare =
            fl_resources_sum_is_zero(node->claimed)
                ? node->free
                : cluster_spare(node->total, node->free, node->held, node->guests, node->claimed);

        if (!resource) resource = &none;
        assert_int_equal(resource->total, node->total.cpu_milli);
        assert_int_equal(resource->free, node->free.cpu_milli);
        assert_int_equal(resource->owed, node->owed.cpu_milli);
        assert_int_equal(resource->held, node->held.cpu_milli);
        assert_int_equal(resource->claimed, node->claimed.cpu_milli);
        assert_int_equal(resource->guests, node->guests.cpu_milli);
        assert_int_equal(resource->late, node->late.cpu_milli);
        assert_int_equal(named_resource_spare(resource), spare.cpu_milli);
    }
}

static void step(struct world *world)
{
    struct part *held = &world->held[fl_prng_below(&world->prng, PARTS)];
    struct part *claimed = &world->claimed[fl_prng_below(&world->prng, PARTS)];
    uint32_t node = (uint32_t)fl_prng_below(&world->prng, NODES);

    switch (fl_prng_below(&world->prng, 8)) {
    case 0:
        report(world, node, fl_prng_chance(&world->prng, 100000));
        break;
    case 1:
        if (!fl_prng_chance(&world->prng, 100000)) break;
        cluster_begin_session(&world->table, world->cluster, ++world->start_seq);
        for (uint32_t i = 0; i < NODES; i++) {
            report(world, i, false);
        }
        break;
    case 2:
    case 3:
    case 4:
        held->is_there ? unhold(world, held) : hold(world, held);
        break;
    default:
        claimed->is_there ? unclaim(world, claimed) : claim(world, claimed);
    }
    if (world->cluster->is_claim_broken) drop_claims(world);
}

static void a_resource_with_a_name_counts_as_cpu_does(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct world world;

        init(&world, seed);
        for (uint32_t i = 0; i < NODES; i++) {
            report(&world, i, false);
            cluster_join_node(world.cluster, i); /* none is forgotten */
        }
        for (int i = 0; i < 300; i++) {
            step(&world);
            compare(&world);
        }
        cluster_table_fini(&world.table);
    }
}

/* A claim of nothing but a resource with a name is a claim: a replica beside it is its guest. */
static void a_claim_by_name_alone_has_guests_of_all_kinds(void **state)
{
    const uint64_t two = 2;
    struct world world;
    const struct node *node;

    (void)state;
    init(&world, 1);
    report(&world, 0, false);
    node = &world.cluster->nodes.at[0];
    assert_int_equal(cluster_hold(world.cluster, 0, cpu(1)), 0);
    cluster_claim(world.cluster, 0, cpu(0));
    cluster_claim_named(world.cluster, 0, wants(&two));
    assert_true(cluster_node_is_claimed(node));
    assert_int_equal(cluster_hold(world.cluster, 0, cpu(1)), node->claim_no);
    assert_int_equal(node->guests.cpu_milli, 1);
    cluster_unclaim(world.cluster, 0, cpu(0));
    cluster_unclaim_named(world.cluster, 0, wants(&two));
    assert_false(cluster_node_is_claimed(node));
    cluster_table_fini(&world.table);
}

static void one_that_a_node_offers_no_more_is_gone(void **state)
{
    struct named_offer offers[] = {{1, 4, 4}, {2, 6, 7}};
    struct cluster_node_report report = {.stamp = 9,
                                         .number = 1,
                                         .is_ready = true,
                                         .name = FL_STR("n1"),
                                         .total = cpu(1),
                                         .free = cpu(1),
                                         .offers = offers,
                                         .offers_len = 2};
    struct world world;
    uint64_t resized_at;

    (void)state;
    init(&world, 1);
    assert_true(cluster_report(&world.table, world.cluster, &report));
    assert_int_equal(named_resources_find(&world.cluster->nodes.at[0].named, 2)->free,
                     6); /* no more */
    resized_at = world.cluster->totals_at;
    assert_true(cluster_report(&world.table, world.cluster, &report));
    assert_int_equal(world.cluster->totals_at, resized_at); /* nothing changed */
    report.offers_len = 1;
    assert_true(cluster_report(&world.table, world.cluster, &report));
    assert_true(world.cluster->totals_at > resized_at);
    assert_null(named_resources_find(&world.cluster->nodes.at[0].named, 2));
    assert_int_equal(named_resources_find(&world.cluster->named, 2)->total, 0);
    assert_int_equal(named_resources_find(&world.cluster->named, 1)->total, 4);
    offers[0].total = offers[0].free = UINT64_MAX; /* sums do not wrap */
    assert_true(cluster_report(&world.table, world.cluster, &report));
    assert_int_equal(named_resources_find(&world.cluster->named, 1)->free, NAMED_AMOUNT_MAX);
    cluster_table_fini(&world.table);
}

FL_TESTS(cmocka_unit_test(a_resource_with_a_name_counts_as_cpu_does),
         cmocka_unit_test(a_claim_by_name_alone_has_guests_of_all_kinds),
         cmocka_unit_test(one_that_a_node_offers_no_more_is_gone))
