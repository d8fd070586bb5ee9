/* The node labels of a job, as the scheduler is given them. */
#include "controlplane/api/v1/submit_item.h"

#include <string.h>

#include "controlplane/core/shape.h"
#include "shared/base/arena.h"
#include "shared/json/json.h"
#include "tests/fl_test.h"

/* The labels of the shape, as "key=value " words. */
static const char *labels_of(struct fl_arena *arena, const char *text)
{
    struct fl_problems problems = {0};
    const struct fl_json *root;
    struct fl_job_spec spec;
    struct submit_spec made;
    struct fl_err err = {0};
    const char *words = "";
    struct shape shape;

    assert_true(fl_json_parse(fl_str_c(text), arena, &root, NULL, &err));
    assert_true(fl_job_spec_parse(root, arena, NULL, &spec, &problems));
    assert_true(submit_spec_make(&spec, 0, arena, &made, &err));
    assert_true(shape_decode(made.shape, &shape, &err));
    for (uint32_t i = 0; i < shape.node_labels_len; i++) {
        words = fl_arena_printf(arena, "%s" FL_STR_FMT "=" FL_STR_FMT " ", words,
                                FL_STR_ARG(shape.node_labels[i].key),
                                FL_STR_ARG(shape.node_labels[i].value));
    }
    return words;
}

static void limits_that_are_required_are_one_more_label(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(labels_of(&arena, "{\"command\":[\"a\"]}"), "");
    assert_string_equal(labels_of(&arena, "{\"command\":[\"a\"],\"requireLimits\":false}"), "");
    assert_string_equal(labels_of(&arena, "{\"command\":[\"a\"],\"requireLimits\":true}"),
                        "fairlead.io/limits=enforced ");
    assert_string_equal(labels_of(&arena, "{\"command\":[\"a\"],\"requireLimits\":true,"
                                          "\"nodeSelector\":{\"zone\":\"b\",\"disk\":\"ssd\"}}"),
                        "disk=ssd fairlead.io/limits=enforced zone=b ");
    fl_arena_fini(&arena);
}

static void they_are_not_asked_for_twice(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(labels_of(&arena, "{\"command\":[\"a\"],\"requireLimits\":true,"
                                          "\"nodeSelector\":{\"fairlead.io/limits\":\"enforced\","
                                          "\"zone\":\"b\"}}"),
                        "fairlead.io/limits=enforced zone=b ");
    assert_string_equal(labels_of(&arena, "{\"command\":[\"a\"],\"nodeSelector\":"
                                          "{\"fairlead.io/limits\":\"no\"}}"),
                        "fairlead.io/limits=no ");
    fl_arena_fini(&arena);
}

static void they_have_room_beside_the_most_labels(void **state)
{
    struct fl_arena arena = {0};
    const char *text = "{\"command\":[\"a\"],\"requireLimits\":true,\"nodeSelector\":{";
    size_t words = 0;

    (void)state;
    for (int i = 0; i < FL_JOB_NODE_LABELS_MAX; i++) {
        text = fl_arena_printf(&arena, "%s%s\"k%d\":\"v\"", text, i > 0 ? "," : "", i);
    }
    for (const char *at = labels_of(&arena, fl_arena_printf(&arena, "%s}}", text)); *at; at++) {
        words += *at == ' ';
    }
    assert_int_equal(words, FL_JOB_NODE_LABELS_MAX + 1);
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(limits_that_are_required_are_one_more_label),
         cmocka_unit_test(they_are_not_asked_for_twice),
         cmocka_unit_test(they_have_room_beside_the_most_labels))
