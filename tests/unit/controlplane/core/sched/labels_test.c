#include "controlplane/core/sched/labels.h"

#include <stdio.h>
#include <string.h>

#include "tests/fl_test.h"

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

FL_TESTS(cmocka_unit_test(every_label_must_be_on_the_node_key_and_value_whole),
         cmocka_unit_test(an_affinity_holds_beside_the_labels),
         cmocka_unit_test(a_long_affinity_ends_in_dots))
