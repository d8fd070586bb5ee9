#include "controlplane/core/sched/labels.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/controlplane/core/sched/sched_world.h"

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
        assert_int_equal(labels_match(&n, &shape), cases[i].matches);
    }
    shape.node_labels[0] = cases[0].label;
    shape.node_labels[1] = cases[1].label;
    shape.node_labels_len = 2;
    assert_false(labels_match(&n, &shape));
    shape.node_labels_len = 0;
    assert_true(labels_match(&n, &shape));
}

static void an_affinity_holds_beside_the_labels(void **state)
{
    struct shape shape = {.node_labels = {{FL_STR("disk"), FL_STR("ssd")}}};
    struct node n = {.labels = FL_STR("disk=ssd\nzone=a\n")};

    (void)state;
    assert_false(labels_are_asked_for(&shape));
    assert_int_equal(labels_affinity_looks(&n, &shape), 0);
    shape.affinity = FL_STR("zone in (b)\n");
    assert_true(labels_are_asked_for(&shape));
    assert_false(labels_match(&n, &shape));
    shape.affinity = FL_STR("zone in (a)\n");
    assert_true(labels_match(&n, &shape));
    shape.node_labels_len = 1;
    assert_true(labels_match(&n, &shape));
    shape.node_labels[0].value = FL_STR("hdd");
    assert_false(labels_match(&n, &shape));
    assert_true(labels_match_affinity(&n, &shape));
}

static void a_long_affinity_ends_in_dots(void **state)
{
    struct shape shape = {.affinity = FL_STR("gpu,!slow\nzone in (a,b)\n")};
    char text[LABELS_WORDS_MAX], terms[400];

    (void)state;
    labels_affinity_words(&shape, text);
    assert_string_equal(text, "gpu,!slow or zone in (a,b)");
    for (int len = LABELS_WORDS_MAX - 2; len <= LABELS_WORDS_MAX; len++) {
        snprintf(terms, sizeof terms, "%0*d\n", len, 1);
        shape.affinity = fl_str_c(terms);
        labels_affinity_words(&shape, text);
        assert_int_equal(strlen(text), len < LABELS_WORDS_MAX ? len : LABELS_WORDS_MAX - 1);
        assert_int_equal(strstr(text, "0...") != NULL, len == LABELS_WORDS_MAX);
    }
    snprintf(terms, sizeof terms, "%0150d\n%0150d\n", 1, 2);
    labels_affinity_words(&shape, text);
    assert_int_equal(strlen(text), LABELS_WORDS_MAX - 1);
    assert_string_equal(text + LABELS_WORDS_MAX - 4, "...");
}

static void nodes_have_to_match_the_affinity(void **state)
{
    struct world world;
    struct shape shape = gang(1, 3);
    struct placement placement;
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    report(&world, east, "n1", cpu(4), cpu(4), "zone=a\n");
    report(&world, east, "n2", cpu(4), cpu(4), "disk=ssd\nzone=b\n");
    shape.affinity = FL_STR("zone in (b,c)\n");
    assert_int_equal(ask(&world, 1, &shape, &placement), REASON_Fits);
    assert_int_equal(placement.nodes[0], 1);
    shape.affinity = FL_STR("zone in (c)\nzone in (d)\n");
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_NodeSelectorUnmatched);
    assert_string_equal(text_of(&world, &shape), "none of 2 nodes of east has labels that match "
                                                 "the affinity: zone in (c) or zone in (d)");
    begin(&world);
    assert_false(judge_could_ever(&world.chooser.room, cluster_one, entry_of(&world, &shape)));
    shape.affinity = FL_STR("zone in (a)\n");
    shape.node_labels[0] = (struct shape_label){FL_STR("disk"), FL_STR("ssd")};
    shape.node_labels_len = 1;
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_NodeSelectorUnmatched);
    assert_string_equal(text_of(&world, &shape),
                        "none of 2 nodes of east carries the node labels asked for and matches the "
                        "affinity: zone in (a)");
    shape.affinity = FL_STR("zone in (b)\n");
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_Fits);
    fini(&world);
}

/* The place of a node that is gone has no labels, and is no node. */
static void a_node_that_is_gone_matches_nothing(void **state)
{
    struct world world;
    struct shape shape = gang(1, 3);
    struct cluster *east;

    (void)state;
    init(&world);
    east = enrol(&world, "east");
    report(&world, east, "n1", cpu(4), cpu(4), "zone=a\n");
    report(&world, east, "n2", cpu(4), cpu(4), "zone=b\n");
    assert_true(cluster_report_node(&world.clusters, east, ++world.clusters.stamp, 1, false,
                                    FL_STR("n2"), FL_STR(""), cpu(0), cpu(0)));
    assert_int_equal(east->holes.len, 1);
    shape.affinity = FL_STR("!zone\n");
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_NodeSelectorUnmatched);
    assert_string_equal(text_of(&world, &shape),
                        "none of 1 nodes of east has labels that match the affinity: !zone");
    fini(&world);
}

/* A comparison costs by the bytes of both texts, for free room and for that of empty nodes. */
static void an_affinity_is_paid_for(void **state)
{
    struct world world;
    struct shape shape = gang(1, 3);
    struct cluster *east;
    char labels[4096];
    uint64_t each;

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
    shape.affinity = FL_STR("a in (b),c in (d),e in (f)\n");
    each = labels_affinity_looks(&east->nodes.at[0], &shape);
    assert_int_equal(each, 1 + 27 * (64 + 4095) / 4096);
    assert_int_equal(ask(&world, 1, &shape, NULL), REASON_NodeSelectorUnmatched);
    /* For the free room, for that of empty nodes, and for the reason. */
    assert_true(world.chooser.room.looked >= (uint64_t)3 * 40 * each);
    fini(&world);
}

FL_TESTS(cmocka_unit_test(every_label_must_be_on_the_node_key_and_value_whole),
         cmocka_unit_test(an_affinity_holds_beside_the_labels),
         cmocka_unit_test(a_long_affinity_ends_in_dots),
         cmocka_unit_test(nodes_have_to_match_the_affinity),
         cmocka_unit_test(a_node_that_is_gone_matches_nothing),
         cmocka_unit_test(an_affinity_is_paid_for))
