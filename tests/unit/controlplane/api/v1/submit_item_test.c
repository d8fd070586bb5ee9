/* A job as the core is given it: its node labels, and its document with the default CPU. */
#include "controlplane/api/v1/submit_item.h"

#include <string.h>

#include "controlplane/core/shape.h"
#include "shared/base/arena.h"
#include "shared/json/json.h"
#include "shared/tls/digest.h"
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
    if (shape.affinity.len == 0) return words;
    return fl_arena_printf(arena, "%saffinity " FL_STR_FMT, words, FL_STR_ARG(shape.affinity));
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

static void the_affinity_is_in_the_shape(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(
        labels_of(&arena, "{\"command\":[\"a\"],\"nodeSelector\":{\"zone\":\"b\"},\"affinity\":{"
                          "\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{"
                          "\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"cores\","
                          "\"operator\":\"Gt\",\"values\":[\"8\"]}]}]}}}}"),
        "zone=b affinity cores>8\n");
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

static struct submit_spec made_with(struct fl_arena *arena, const char *text, uint32_t cpu_milli)
{
    struct fl_problems problems = {0};
    const struct fl_json *root;
    struct fl_job_spec spec;
    struct submit_spec made;
    struct fl_err err = {0};

    assert_true(fl_json_parse(fl_str_c(text), arena, &root, NULL, &err));
    assert_true(fl_job_spec_parse(root, arena, NULL, &spec, &problems));
    assert_true(submit_spec_make(&spec, cpu_milli, arena, &made, &err));
    return made;
}

static void the_default_cpu_is_stored_and_was_not_asked(void **state)
{
    static const char *const text = "{\"command\":[\"a\"],\"resources\":{\"memory\":\"1Gi\"}}";
    static const char *const told =
        "{\"command\":[\"a\"],\"resources\":{\"memory\":\"1Gi\",\"cpu\":\"500m\"}}";
    struct fl_arena arena = {0};
    struct submit_spec bare = made_with(&arena, text, 0), given = made_with(&arena, text, 500);
    struct submit_spec asked = made_with(&arena, told, 700);

    (void)state;
    assert_true(fl_digest_eq(bare.digest, bare.asked));
    assert_true(fl_digest_eq(given.asked, bare.digest));
    assert_true(fl_digest_eq(given.digest, fl_sha256(given.canonical.at, given.canonical.len)));
    assert_false(fl_digest_eq(given.digest, bare.digest));
    assert_non_null(
        strstr(fl_arena_copy(&arena, given.canonical.at, given.canonical.len), "\"cpu\":\"500m\""));
    assert_true(fl_digest_eq(asked.digest, asked.asked));
    fl_arena_fini(&arena);
}

/* A second text would be in the arena too. */
static void a_document_is_written_once(void **state)
{
    struct fl_arena words = {0}, arenas[2] = {0};
    size_t text_bytes = 0;
    char *text, *word;

    (void)state;
    word = fl_arena_alloc(&words, 50001);
    memset(word, 'a', 50000);
    text = fl_arena_printf(&words, "{\"command\":[\"%s\"]}", word);
    for (uint32_t i = 0; i < 2; i++) {
        text_bytes = made_with(&arenas[i], text, i * 500).canonical.len;
    }
    assert_true(text_bytes > 50000);
    assert_true(fl_arena_bytes(&arenas[1]) - fl_arena_bytes(&arenas[0]) < text_bytes / 2);
    fl_arena_fini(&arenas[0]);
    fl_arena_fini(&arenas[1]);
    fl_arena_fini(&words);
}

FL_TESTS(cmocka_unit_test(limits_that_are_required_are_one_more_label),
         cmocka_unit_test(the_affinity_is_in_the_shape),
         cmocka_unit_test(they_are_not_asked_for_twice),
         cmocka_unit_test(they_have_room_beside_the_most_labels),
         cmocka_unit_test(the_default_cpu_is_stored_and_was_not_asked),
         cmocka_unit_test(a_document_is_written_once))
