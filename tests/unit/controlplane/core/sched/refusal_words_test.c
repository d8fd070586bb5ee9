#include "controlplane/core/sched/refusal_words.h"

#include "controlplane/core/resource_table.h"
#include "tests/unit/controlplane/core/sched/sched_world.h"

#define BEGIN "no enrolled cluster can ever run this: "
#define END ", or wait for a cluster that could (waitForCluster, --wait-for-cluster)"

static struct resource_table names; /* x.io/fpga is number KIND */

static void says(struct world *world, const struct shape *shape, const char *middle)
{
    char text[REFUSAL_WORDS_MAX];
    const char *whole = fl_arena_printf(&world->arena, "%s%s%s", BEGIN, middle, END);

    begin(world);
    assert_true(refusal_words_write(&world->chooser.room, &entry_of(world, shape)->shape, &names,
                                    1000, text));
    assert_string_equal(text, whole);
}

static void make(struct world *world)
{
    struct cluster *east, *west;
    struct fl_err err = {0};

    init(world);
    if (names.names.len == 0) {
        assert_true(resource_table_put(&names, KIND, FL_STR("x.io/fpga"), &err));
    }
    east = enrol(world, "east");
    west = enrol(world, "west");
    report(world, east, "n1", (struct fl_resources){(uint64_t)16 << 30, 8000, 0},
           (struct fl_resources){0}, "disk=ssd");
    node_with(world, west, "n1", 4, 2, 2);
}

static void what_is_too_large_is_named_with_the_most_there_is(void **state)
{
    struct world world;
    struct shape shape = gang(1, 900);

    (void)state;
    make(&world);
    says(&world, &shape,
         "a replica asks for 900 CPUs, and the largest node (east) has 8; ask for at most 8 CPUs");
    shape.roles[0].each.memory_bytes = ((uint64_t)64 << 30) + 1;
    shape.roles[0].each.cpu_milli = 8500;
    says(&world, &shape,
         "a replica asks for 8.500 CPUs, and the largest node (east) has 8; for 65537 MiB memory, "
         "and the largest node (east) has 16384 MiB; ask for at most 8 CPUs, 16384 MiB memory");
    shape = gang(1, 1);
    shape.roles[0].each.gpus = 2;
    says(&world, &shape, "a replica asks for 2 GPUs, and no node has any; leave out GPUs");
    shape = gang(1, 9);
    shape.roles[0].each.gpus = 2;
    add_fpgas(&shape, 1);
    shape.kinds[0] = FL_STR("x.io/tpu");
    says(
        &world, &shape,
        "a replica asks for 9 CPUs, and the largest node (east) has 8; for 2 GPUs, and no node has "
        "any; for 1 x.io/tpu, and no node has any; ask for at most 8 CPUs; leave out GPUs, "
        "x.io/tpu");
    shape = gang(1, 1);
    add_fpgas(&shape, 3);
    says(&world, &shape,
         "a replica asks for 3 x.io/fpga, and the largest node (west) has 2; ask for at most 2 "
         "x.io/fpga");
    fini(&world);
}

/* Amounts are of the nodes that the job may go to, and so the words say. */
static void amounts_say_of_which_nodes_they_are(void **state)
{
    struct world world;
    struct shape shape = gang(1, 6);

    (void)state;
    make(&world);
    shape.clusters[shape.clusters_len++] = FL_STR("west");
    says(&world, &shape,
         "a replica asks for 6 CPUs, and the largest node that it may go to (west) has 4; ask for "
         "at most 4 CPUs");
    shape.roles[0].each = cpu(1);
    shape.node_labels[shape.node_labels_len++] =
        (struct shape_label){FL_STR("disk"), FL_STR("ssd")};
    says(&world, &shape,
         "it asks for nodes with disk=ssd, and none of those that it may go to carries that; leave "
         "it out");
    shape = gang(1, 1);
    shape.node_labels[shape.node_labels_len++] =
        (struct shape_label){FL_STR("disk"), FL_STR("ssd")};
    add_fpgas(&shape, 1);
    says(
        &world, &shape,
        "a replica asks for 1 x.io/fpga, and no node with its labels has any; leave out x.io/fpga");
    fini(&world);
}

static void accelerators_that_have_names_are_named(void **state)
{
    struct world world;
    struct shape shape = gang(1, 1);
    struct fl_err err = {0};

    (void)state;
    make(&world);
    shape.roles[0].each.gpus = 2;
    resource_table_fini(&names);
    assert_true(resource_table_put(&names, KIND, FL_STR("nvidia.com/gpu"), &err));
    says(&world, &shape,
         "a replica asks for 2 GPUs, and no node has any; accelerators are there by name only "
         "(nvidia.com/gpu): ask for one of these, or let the agent's kube_accelerator say which of "
         "them gpus are");
    resource_table_fini(&names);
    names = (struct resource_table){0};
    fini(&world);
}

static void a_gang_is_told_how_many_one_cluster_holds(void **state)
{
    struct world world;
    struct shape shape = gang(5, 3);

    (void)state;
    make(&world);
    says(&world, &shape,
         "its 5 replicas start together, and the cluster with most room (east) holds 2 of them at "
         "once; ask for at most 2");
    shape = gang(1, 6);
    add_fpgas(&shape, 1);
    says(&world, &shape,
         "no node has all that a replica asks for at once; ask for less of something");
    shape = gang(2, 4);
    add_role(&shape, 1, 1);
    says(&world, &shape,
         "its 3 replicas start together, and no cluster holds all of them at once; ask for fewer, "
         "or for smaller ones");
    fini(&world);
}

static void lists_labels_and_images_come_before_amounts(void **state)
{
    struct world world;
    struct shape shape = gang(1, 900);

    (void)state;
    make(&world);
    shape.node_labels[shape.node_labels_len++] =
        (struct shape_label){FL_STR("disk"), FL_STR("ssd")};
    shape.node_labels[shape.node_labels_len++] = (struct shape_label){FL_STR("zone"), FL_STR("a")};
    says(&world, &shape, "it asks for nodes with zone=a, and none carries that; leave it out");
    shape.has_image = true;
    says(&world, &shape,
         "it has an image or mounts, and those that it may go to run processes; leave it out");
    shape.clusters[shape.clusters_len++] = FL_STR("north");
    says(&world, &shape,
         "its lists of clusters leave none of those enrolled, which are east, west; name another "
         "one");
    fini(&world);
}

static void an_affinity_that_nothing_matches_is_named(void **state)
{
    struct world world;
    struct shape shape = gang(1, 1);

    (void)state;
    make(&world);
    shape.affinity = FL_STR("zone in (x)\nzone in (y)\n");
    says(&world, &shape,
         "its affinity asks for nodes with zone in (x) or zone in (y), and none matches; change "
         "it, or leave it out");
    shape.clusters[shape.clusters_len++] = FL_STR("east");
    says(&world, &shape,
         "its affinity asks for nodes with zone in (x) or zone in (y), and none of those that it "
         "may go to matches; change it, or leave it out");
    shape.node_labels[shape.node_labels_len++] =
        (struct shape_label){FL_STR("disk"), FL_STR("ssd")};
    says(&world, &shape,
         "its affinity asks for nodes with zone in (x) or zone in (y), and none that carries its "
         "other labels matches; change it, or leave it out");
    shape.node_labels[0].value = FL_STR("none");
    says(&world, &shape,
         "it asks for nodes with disk=none, and none of those that it may go to carries that; "
         "leave it out");
    shape = gang(1, 900);
    shape.affinity = FL_STR("disk in (ssd)\n");
    says(&world, &shape,
         "a replica asks for 900 CPUs, and the largest node with its labels (east) has 8; ask for "
         "at most 8 CPUs");
    fini(&world);
}

static void a_fleet_that_is_too_large_to_look_at_gets_no_numbers(void **state)
{
    struct world world;
    struct shape shape = gang(1, 900);
    char text[REFUSAL_WORDS_MAX];

    (void)state;
    make(&world);
    begin(&world);
    assert_false(refusal_words_write(&world.chooser.room, &shape, &names, 3, text));
    assert_string_equal(text, BEGIN "none of them holds all that it asks for; the fleet is too "
                                    "large to say here what is nearest; with --dry-run "
                                    "--wait-for-cluster each says what it has" END);
    shape.clusters[shape.clusters_len++] = FL_STR("north");
    begin(&world);
    assert_true(
        refusal_words_write(&world.chooser.room, &shape, &names, 2, text)); /* without any node */
    assert_non_null(strstr(text, "its lists of clusters leave none"));
    fini(&world);
}

/* Long labels are many looks, and the looks end inside a cluster too. */
static void a_search_ends_within_a_cluster(void **state)
{
    struct world world;
    struct shape shape = gang(1, 900);
    char text[REFUSAL_WORDS_MAX], labels[4096];
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    memset(labels, 'x', sizeof labels - 1);
    labels[sizeof labels - 1] = '\0';
    for (uint32_t i = 0; i < 40; i++) {
        char name[8];

        snprintf(name, sizeof name, "n%u", i);
        report(&world, east, name, cpu(8), cpu(8), labels);
    }
    for (uint32_t i = 0; i < 16; i++) {
        shape.node_labels[shape.node_labels_len++] =
            (struct shape_label){FL_STR("disk"), FL_STR("ssd")};
    }
    begin(&world);
    assert_false(refusal_words_write(&world.chooser.room, &shape, &names, 1000, text));
    assert_in_range(world.chooser.room.looked, 1000, 1000 + 17 * 8);
    fini(&world);
}

/* Taints that alone keep it off a cluster come before amounts. */
static void taints_that_are_not_tolerated_are_named(void **state)
{
    struct world world;
    struct shape shape = gang(1, 20);
    char long_taints[1250], text[REFUSAL_WORDS_MAX];
    size_t len = 0;

    (void)state;
    make(&world);
    tainted(&world, at(&world, 2), "n2", 32, "nvidia.com/gpu=present:NoSchedule\n");
    says(&world, &shape,
         "west could hold it if it tolerated the taint nvidia.com/gpu=present:NoSchedule of its "
         "nodes; add that to its tolerations (--tolerate)");
    shape = gang(1, 40);
    says(&world, &shape,
         "a replica asks for 40 CPUs, and the largest node (east) has 8; ask for at most 8 CPUs");
    tainted(&world, at(&world, 2), "n3", 48, "a:NoSchedule\nb=c:NoExecute\nd:NoSchedule\n");
    says(&world, &shape,
         "west could hold it if it tolerated the taints a:NoSchedule and b=c:NoExecute and "
         "d:NoSchedule of its nodes; add them to its tolerations (--tolerate)");
    shape = gang(1, 60);
    shape.tolerations = FL_STR("nvidia.com/gpu\n");
    says(&world, &shape,
         "a replica asks for 60 CPUs, and the largest node (west) has 32; ask for at most 32 CPUs");
    for (int i = 1; i <= 4; i++) { /* the end of the sentence is there all the same */
        len += (size_t)snprintf(long_taints + len, sizeof long_taints - len,
                                "%0230d=%063d:NoSchedule\n", i, 1);
    }
    tainted(&world, at(&world, 2), "n4", 64, long_taints);
    begin(&world);
    assert_true(refusal_words_write(&world.chooser.room, &entry_of(&world, &shape)->shape, &names,
                                    1000, text));
    assert_non_null(strstr(text, " and others of its nodes; add them to its tolerations"));
    assert_string_equal(text + strlen(text) - strlen(END), END);
    fini(&world);
}

/* A node that would hold one replica of many is no help. */
static void a_taint_is_named_only_where_it_is_all_that_is_in_the_way(void **state)
{
    struct world world;
    struct shape shape = gang(1000, 1);

    (void)state;
    make(&world);
    tainted(&world, at(&world, 2), "n2", 4, "node-role.kubernetes.io/control-plane:NoSchedule\n");
    says(&world, &shape,
         "its 1000 replicas start together, and the cluster with most room (east) holds 8 of them "
         "at once; ask for at most 8");
    shape = gang(7, 1);
    shape.clusters[shape.clusters_len++] = FL_STR("west");
    says(&world, &shape,
         "west could hold it if it tolerated the taint "
         "node-role.kubernetes.io/control-plane:NoSchedule of its nodes; add that to its "
         "tolerations (--tolerate)");
    fini(&world);
}

/* The head tolerates by itself what the workers do not. */
static void taints_are_named_for_each_role(void **state)
{
    struct world world;
    struct shape shape = gang(1, 1);
    struct cluster_node_report one = {.stamp = 9,
                                      .number = 9,
                                      .is_ready = true,
                                      .name = FL_STR("g1"),
                                      .taints = FL_STR("nvidia.com/gpu:NoExecute\n"),
                                      .total = {.cpu_milli = 16000, .gpus = 8},
                                      .free = {.cpu_milli = 16000, .gpus = 8}};

    (void)state;
    make(&world);
    assert_true(cluster_report(&world.clusters, at(&world, 2), &one));
    add_role(&shape, 4, 2);
    shape.roles[1].each.gpus = 2;
    says(&world, &shape,
         "west could hold it if it tolerated the taint nvidia.com/gpu:NoExecute of its nodes; add "
         "that to its tolerations (--tolerate)");
    one.taints = FL_STR("x.io/fpga:NoSchedule\n");
    assert_true(cluster_report(&world.clusters, at(&world, 2), &one));
    add_fpgas(&shape, 0);
    shape.roles[0].named[0] = 1; /* the head may go there */
    says(&world, &shape,
         "west could hold it if it tolerated the taint x.io/fpga:NoSchedule of its nodes; add that "
         "to its tolerations (--tolerate)");
    fini(&world);
}

FL_TESTS(cmocka_unit_test(what_is_too_large_is_named_with_the_most_there_is),
         cmocka_unit_test(amounts_say_of_which_nodes_they_are),
         cmocka_unit_test(accelerators_that_have_names_are_named),
         cmocka_unit_test(a_gang_is_told_how_many_one_cluster_holds),
         cmocka_unit_test(lists_labels_and_images_come_before_amounts),
         cmocka_unit_test(an_affinity_that_nothing_matches_is_named),
         cmocka_unit_test(a_fleet_that_is_too_large_to_look_at_gets_no_numbers),
         cmocka_unit_test(a_search_ends_within_a_cluster),
         cmocka_unit_test(taints_that_are_not_tolerated_are_named),
         cmocka_unit_test(a_taint_is_named_only_where_it_is_all_that_is_in_the_way),
         cmocka_unit_test(taints_are_named_for_each_role))
