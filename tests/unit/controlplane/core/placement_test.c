#include "controlplane/core/placement.h"

#include "shared/base/buf.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"

static const struct placement_limits limits = {.unconfirmed_max = 10};

struct world {
    struct cluster_table clusters;
    struct fl_arena arena;
};

static struct fl_resources cpu(uint32_t cores)
{
    return (struct fl_resources){.cpu_milli = cores * 1000};
}

static struct cluster *enrol(struct world *world, const char *name)
{
    struct fl_err err = {0};
    struct cluster *cluster;
    uint32_t slot;

    if (world->clusters.clusters_max == 0) cluster_table_init(&world->clusters, 8, 64);
    assert_true(cluster_table_add(&world->clusters, 0, fl_str_c(name), FL_STR("uid"), &slot, &err));
    cluster = cluster_table_at(&world->clusters, slot);
    cluster_begin_session(&world->clusters, cluster, slot);
    cluster->is_reconciled = cluster->is_known = true;
    return cluster;
}

static void node_with(struct world *world, struct cluster *cluster, const char *name,
                      struct fl_resources total, struct fl_resources free, const char *labels)
{
    assert_true(cluster_report_node(&world->clusters, cluster, ++world->clusters.stamp,
                                    (uint32_t)cluster->nodes.len, true, fl_str_c(name),
                                    fl_str_c(labels), total, free));
}

static void node(struct world *world, struct cluster *cluster, const char *name, uint32_t cores)
{
    node_with(world, cluster, name, cpu(cores), cpu(cores), "");
}

static struct shape_entry gang(uint32_t replicas, uint32_t cores)
{
    struct shape_entry entry = {.id = 1, .replicas = replicas};

    entry.shape.roles_len = 1;
    entry.shape.roles[0] = (struct shape_role){replicas, replicas, cpu(cores)};
    return entry;
}

static void add_role(struct shape_entry *entry, uint32_t replicas, uint32_t cores)
{
    entry->shape.roles[entry->shape.roles_len++] =
        (struct shape_role){replicas, replicas, cpu(cores)};
    entry->replicas += replicas;
}

/* The cluster's slot; 0: nowhere. */
static uint32_t choose(struct world *world, const struct shape_entry *entry, struct placement *ret,
                       enum reason *ret_why)
{
    struct placement unused;
    enum reason unused_why;

    return placement_choose(&world->clusters, entry, limits, &world->arena, ret ? ret : &unused,
                            ret_why ? ret_why : &unused_why)
               ? (ret ? ret : &unused)->cluster
               : 0;
}

static enum reason verdict(struct world *world, uint32_t cluster, const struct shape_entry *entry,
                           const char **ret_text)
{
    struct placement_verdict found =
        placement_explain(&world->clusters, cluster, entry, limits, &world->arena);

    assert_int_equal(found.cluster, cluster);
    assert_true(found.text && found.text[0]);
    if (ret_text) *ret_text = found.text;
    return found.reason;
}

static void fini(struct world *world)
{
    cluster_table_fini(&world->clusters);
    fl_arena_fini(&world->arena);
}

static void every_label_must_be_on_the_node_key_and_value_whole(void **state)
{
    struct shape shape = {.node_labels_len = 1};
    struct node n = {.labels = FL_STR("disk=ssd\nempty=\nzone=a")};
    const struct {
        struct shape_label label;
        bool matches;
    } cases[] = {{{FL_STR("disk"), FL_STR("ssd")}, true},   {{FL_STR("disk"), FL_STR("ss")}, false},
                 {{FL_STR("dis"), FL_STR("k=ssd")}, false}, {{FL_STR("isk"), FL_STR("ssd")}, false},
                 {{FL_STR("empty"), FL_STR("")}, true},     {{FL_STR("zone"), FL_STR("a")}, true},
                 {{FL_STR("zone"), FL_STR("")}, false},     {{FL_STR("none"), FL_STR("")}, false}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shape.node_labels[0] = cases[i].label;
        assert_int_equal(placement_node_matches(&n, &shape), cases[i].matches);
    }
    shape.node_labels[0] = cases[0].label;
    shape.node_labels[1] = cases[1].label;
    shape.node_labels_len = 2;
    assert_false(placement_node_matches(&n, &shape));
    shape.node_labels_len = 0;
    assert_true(placement_node_matches(&n, &shape));
}

static void a_gang_goes_whole_to_one_cluster_or_not_at_all(void **state)
{
    struct world world = {0};
    struct cluster *east = enrol(&world, "east"), *west = enrol(&world, "west");
    struct shape_entry entry = gang(4, 2);
    struct placement placement;
    enum reason why;

    (void)state;
    node(&world, east, "n1", 4);
    node(&world, east, "n2", 3);
    node(&world, west, "n1", 2);
    node(&world, west, "n2", 2);
    node(&world, west, "n3", 2);
    assert_int_equal(choose(&world, &entry, &placement, &why),
                     0); /* seven places, no four in one */
    entry = gang(3, 2);
    assert_int_not_equal(choose(&world, &entry, &placement, NULL), 0);
    assert_int_equal(placement.nodes_len, 3);
    fini(&world);
}

static void roles_share_what_is_left_on_a_node(void **state)
{
    struct world world = {0};
    struct cluster *east = enrol(&world, "east");
    struct shape_entry entry = gang(1, 3);
    struct placement placement;

    (void)state;
    node(&world, east, "n1", 4);
    node(&world, east, "n2", 4);
    add_role(&entry, 2, 2);
    add_role(&entry, 1, 1);
    assert_int_equal(choose(&world, &entry, &placement, NULL), 1);
    assert_int_equal(placement.nodes[0], 0);
    assert_int_equal(placement.nodes[1], 1);
    assert_int_equal(placement.nodes[2], 1);
    assert_int_equal(placement.nodes[3], 0);
    add_role(&entry, 1, 1);
    assert_int_equal(choose(&world, &entry, NULL, NULL), 0);
    fini(&world);
}

/* No node is given more than it has, and every replica matches its node, however roles and nodes
 * are. */
static void no_placement_ever_overfills_a_node(void **state)
{
    struct fl_prng prng;
    unsigned placed = 0;

    (void)state;
    fl_prng_seed(&prng, 2);
    for (int round = 0; round < 3000; round++) {
        struct world world = {0};
        struct cluster *east = enrol(&world, "east");
        struct shape_entry entry =
            gang((uint32_t)fl_prng_between(&prng, 1, 4), (uint32_t)fl_prng_between(&prng, 0, 4));
        struct placement placement;
        uint32_t nodes_len = (uint32_t)fl_prng_between(&prng, 1, 5);

        for (uint32_t i = 0; i < nodes_len; i++) {
            char name[16];

            snprintf(name, sizeof name, "n%u", i);
            node(&world, east, name, (uint32_t)fl_prng_between(&prng, 0, 6));
        }
        while (entry.shape.roles_len < 4 && fl_prng_chance(&prng, 500000)) {
            add_role(&entry, (uint32_t)fl_prng_between(&prng, 1, 3),
                     (uint32_t)fl_prng_between(&prng, 1, 3));
        }
        east->node_cursor = (uint32_t)fl_prng_below(&prng, 7);
        if (choose(&world, &entry, &placement, NULL)) {
            placed++;
            assert_int_equal(verdict(&world, 1, &entry, NULL), REASON_Fits);
            assert_int_equal(placement.nodes_len, entry.replicas);
            for (uint32_t i = 0; i < placement.nodes_len; i++) {
                struct node *on = &east->nodes.at[placement.nodes[i]];
                struct fl_resources each = shape_role_of(&entry.shape, i)->each;

                assert_true(placement.nodes[i] < nodes_len && fl_resources_fit(each, on->free));
                on->free.cpu_milli -= each.cpu_milli;
            }
        } else {
            assert_int_not_equal(verdict(&world, 1, &entry, NULL), REASON_Fits);
        }
        fini(&world);
    }
    assert_true(placed > 500 && placed < 2900);
}

static void the_least_loaded_by_its_scarcest_resource_is_chosen_then_the_first(void **state)
{
    struct world world = {0};
    struct cluster *a = enrol(&world, "a"), *b = enrol(&world, "b"), *c = enrol(&world, "c");
    struct shape_entry entry = gang(1, 1);

    (void)state;
    node_with(&world, a, "n", (struct fl_resources){100 << 20, 10000, 10},
              (struct fl_resources){100 << 20, 10000, 2}, "");
    node_with(&world, b, "n", (struct fl_resources){100 << 20, 10000, 10},
              (struct fl_resources){50 << 20, 5000, 5}, "");
    node_with(&world, c, "n", (struct fl_resources){100 << 20, 10000, 10},
              (struct fl_resources){50 << 20, 9000, 9}, "");
    assert_int_equal(choose(&world, &entry, NULL, NULL),
                     2); /* b and c are half full, a by 8 of 10 GPUs */
    b->is_reconciled = false;
    assert_int_equal(choose(&world, &entry, NULL, NULL), 3);
    c->is_connected = false;
    assert_int_equal(choose(&world, &entry, NULL, NULL), 1);
    fini(&world);
}

static void what_the_job_excludes_or_lacks_is_said_cluster_by_cluster(void **state)
{
    struct world world = {0};
    struct cluster *east = enrol(&world, "east");
    struct shape_entry entry = gang(1, 1);
    const char *text;
    enum reason why;

    (void)state;
    node(&world, east, "n1", 4);
    assert_int_equal(verdict(&world, 1, &entry, NULL), REASON_Fits);
    entry.shape.clusters[0] = FL_STR("west");
    entry.shape.clusters_len = 1;
    assert_int_equal(verdict(&world, 1, &entry, NULL), REASON_ClusterExcluded);
    assert_false(placement_could_ever(&world.clusters, &entry, &world.arena));
    entry.shape.clusters[0] = FL_STR("east");
    assert_int_equal(verdict(&world, 1, &entry, NULL), REASON_Fits);
    entry.shape.not_clusters[0] = FL_STR("east");
    entry.shape.not_clusters_len = 1;
    assert_int_equal(verdict(&world, 1, &entry, NULL), REASON_ClusterExcluded);
    entry = gang(1, 1);
    entry.shape.has_image = true;
    assert_int_equal(verdict(&world, 1, &entry, NULL), REASON_NoImages);
    assert_false(placement_could_ever(&world.clusters, &entry, &world.arena));
    east->has_images = true;
    assert_int_equal(verdict(&world, 1, &entry, NULL), REASON_Fits);
    memcpy(east->cordon, "repair", 7);
    assert_int_equal(verdict(&world, 1, &entry, &text), REASON_ClusterUnhealthy);
    assert_non_null(strstr(text, "repair"));
    assert_int_equal(choose(&world, &entry, NULL, &why), 0);
    assert_int_equal(why, REASON_ClusterUnhealthy);
    assert_true(placement_could_ever(&world.clusters, &entry, &world.arena));
    east->cordon[0] = '\0';
    east->unconfirmed = limits.unconfirmed_max;
    assert_int_equal(verdict(&world, 1, &entry, NULL), REASON_DispatchLimit);
    assert_int_equal(choose(&world, &entry, NULL, &why), 0);
    assert_int_equal(why, REASON_DispatchLimit);
    east->unconfirmed--;
    assert_int_equal(choose(&world, &entry, NULL, NULL), 1);
    fini(&world);
}

static void fragmented_is_enough_in_sum_insufficient_is_not(void **state)
{
    struct world world = {0};
    struct cluster *east = enrol(&world, "east");
    struct shape_entry entry = gang(1, 3);
    enum reason why;

    (void)state;
    node_with(&world, east, "n1", cpu(4), cpu(2), "");
    node_with(&world, east, "n2", cpu(4), cpu(2), "");
    assert_int_equal(verdict(&world, 1, &entry, NULL), REASON_Fragmented);
    assert_int_equal(choose(&world, &entry, NULL, &why), 0);
    assert_int_equal(why, REASON_Fragmented);
    node_with(&world, east, "n2", cpu(4), cpu(0), "");
    assert_int_equal(verdict(&world, 1, &entry, NULL), REASON_InsufficientCapacity);
    entry = gang(1, 5);
    assert_int_equal(verdict(&world, 1, &entry, NULL), REASON_NoMatchingCluster);
    assert_false(placement_could_ever(&world.clusters, &entry, &world.arena));
    entry = gang(1, 3);
    entry.shape.node_labels[0] = (struct shape_label){FL_STR("disk"), FL_STR("ssd")};
    entry.shape.node_labels_len = 1;
    assert_int_equal(verdict(&world, 1, &entry, NULL), REASON_NodeSelectorUnmatched);
    assert_false(placement_could_ever(&world.clusters, &entry, &world.arena));
    fini(&world);
}

static void a_cluster_not_heard_of_yet_could_run_anything_it_is_not_excluded_from(void **state)
{
    struct world world = {0};
    struct cluster *east = enrol(&world, "east");
    struct shape_entry entry = gang(9, 9);

    (void)state;
    assert_false(placement_could_ever(&world.clusters, &entry, &world.arena));
    east->is_known = false;
    assert_true(placement_could_ever(&world.clusters, &entry, &world.arena));
    entry.shape.not_clusters[0] = FL_STR("east");
    entry.shape.not_clusters_len = 1;
    assert_false(placement_could_ever(&world.clusters, &entry, &world.arena));
    cluster_table_remove(&world.clusters, 1);
    entry = gang(1, 1);
    assert_false(placement_could_ever(&world.clusters, &entry, &world.arena));
    fini(&world);
}

static void clusters_that_have_not_grown_are_not_asked_again(void **state)
{
    struct world world = {0};
    struct cluster *east = enrol(&world, "east");
    struct shape_entry entry = gang(1, 2);
    enum reason why;

    (void)state;
    node(&world, east, "n1", 2);
    entry.tried_at = world.clusters.stamp;
    entry.why = REASON_Fragmented;
    assert_int_equal(choose(&world, &entry, NULL, &why), 0);
    assert_int_equal(why, REASON_Fragmented); /* the remembered reason */
    cluster_table_grow(&world.clusters, east);
    assert_int_equal(choose(&world, &entry, NULL, NULL), 1);
    fini(&world);
}

static void the_search_begins_at_the_cursor_and_goes_round_once(void **state)
{
    struct world world = {0};
    struct cluster *east = enrol(&world, "east");
    struct shape_entry entry = gang(3, 1);
    struct placement placement;

    (void)state;
    node(&world, east, "n1", 1);
    node(&world, east, "n2", 1);
    node(&world, east, "n3", 1);
    east->node_cursor = 2;
    assert_int_equal(choose(&world, &entry, &placement, NULL), 1);
    assert_int_equal(placement.nodes[0], 2);
    assert_int_equal(placement.nodes[1], 0);
    assert_int_equal(placement.nodes[2], 1);
    assert_int_equal(placement.cursor, 1);
    fini(&world);
}

/* Were the search to begin at n2, the first role would take the room that the second one needs: the
 * gang would wait for ever on an empty cluster, though placement_could_ever names that cluster. */
static void what_fits_an_empty_cluster_fits_it_wherever_the_cursor_stands(void **state)
{
    struct world world = {0};
    struct cluster *east = enrol(&world, "east");
    struct shape_entry entry = gang(1, 4);

    (void)state;
    add_role(&entry, 2, 3);
    node(&world, east, "n1", 4);
    node(&world, east, "n2", 6);
    assert_true(placement_could_ever(&world.clusters, &entry, &world.arena));
    for (east->node_cursor = 0; east->node_cursor < 2; east->node_cursor++) {
        assert_int_equal(choose(&world, &entry, NULL, NULL), 1);
    }
    fini(&world);
}

FL_TESTS(cmocka_unit_test(every_label_must_be_on_the_node_key_and_value_whole),
         cmocka_unit_test(a_gang_goes_whole_to_one_cluster_or_not_at_all),
         cmocka_unit_test(roles_share_what_is_left_on_a_node),
         cmocka_unit_test(no_placement_ever_overfills_a_node),
         cmocka_unit_test(the_least_loaded_by_its_scarcest_resource_is_chosen_then_the_first),
         cmocka_unit_test(what_the_job_excludes_or_lacks_is_said_cluster_by_cluster),
         cmocka_unit_test(fragmented_is_enough_in_sum_insufficient_is_not),
         cmocka_unit_test(a_cluster_not_heard_of_yet_could_run_anything_it_is_not_excluded_from),
         cmocka_unit_test(clusters_that_have_not_grown_are_not_asked_again),
         cmocka_unit_test(the_search_begins_at_the_cursor_and_goes_round_once),
         cmocka_unit_test(what_fits_an_empty_cluster_fits_it_wherever_the_cursor_stands))
