#include "shared/spec/job_edit.h"

#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/spec/job_fields.h"
#include "tests/fl_test.h"

/* An edit of one job, and what it becomes: "name|queue|priority|deadline|hold|labels", and
 * behind it a parallelism. */
static const struct {
    const char *edit, *becomes;
} edits[] = {
    {"{}", "sweep|ml|5|60|0|a=1 b=2"},
    {"{\"name\":\"x\"}", "x|ml|5|60|0|a=1 b=2"},
    {"{\"name\":null}", "|ml|5|60|0|a=1 b=2"},
    {"{\"queue\":\"urgent\",\"priority\":-7}", "sweep|urgent|-7|60|0|a=1 b=2"},
    {"{\"deadline\":\"1h30m\"}", "sweep|ml|5|5400|0|a=1 b=2"},
    {"{\"deadline\":90}", "sweep|ml|5|90|0|a=1 b=2"},
    {"{\"deadline\":null,\"hold\":true}", "sweep|ml|5|0|1|a=1 b=2"},
    {"{\"parallelism\":8}", "sweep|ml|5|60|0|a=1 b=2|8"},
    {"{\"parallelism\":null}", "sweep|ml|5|60|0|a=1 b=2"},
    {"{\"labels\":{\"b\":\"9\",\"c\":\"3\"}}", "sweep|ml|5|60|0|a=1 b=9 c=3"},
    {"{\"labels\":{\"a\":null,\"z\":null}}", "sweep|ml|5|60|0|b=2"},
    {"{\"labels\":{\"a\":null,\"c\":\"3\",\"b\":null}}", "sweep|ml|5|60|0|c=3"},
    {"{\"labels\":{}}", "sweep|ml|5|60|0|a=1 b=2"},
    {"{\"labels\":null}", "sweep|ml|5|60|0|"},
};

/* These are no edits: the place of the fault, and a part of the reason. */
static const struct {
    const char *edit, *pointer, *detail;
} bad_edits[] = {
    {"[]", "", "an edit is an object"},
    {"{\"nmae\":\"x\"}", "/nmae", "did you mean name"},
    {"{\"nothing\":1}", "/nothing", "unknown field"},
    {"{\"command\":[\"a\"]}", "/command", "submit another one"},
    {"{\"array\":3}", "/array", "submit another one"},
    {"{\"params\":{}}", "/params", "submit another one"},
    {"{\"parallelism\":0}", "/parallelism", ""},
    {"{\"parallelism\":\"all\"}", "/parallelism", ""},
    {"{\"priority\":\"high\"}", "/priority", ""},
    {"{\"priority\":null}", "/priority", ""},
    {"{\"hold\":null}", "/hold", ""},
    {"{\"queue\":null}", "/queue", ""},
    {"{\"queue\":\"No Name\"}", "/queue", ""},
    {"{\"deadline\":0}", "/deadline", ""},
    {"{\"deadline\":\"soon\"}", "/deadline", ""},
    {"{\"name\":\"\"}", "/name", ""},
    {"{\"labels\":[]}", "/labels", ""},
    {"{\"labels\":{\"a\":[7]}}", "/labels/a", ""},
    {"{\"labels\":{\"a b\":\"7\"}}", "/labels/a b", ""},
    {"{\"priority\":1,\"deadline\":-1}", "/deadline", ""},
};

static const struct fl_json *json_of(struct fl_arena *arena, const char *text)
{
    const struct fl_json *root;
    struct fl_err err = {0};

    if (!fl_json_parse(fl_str_c(text), arena, &root, NULL, &err)) {
        fail_msg("%s: %s", text, err.text);
    }
    return root;
}

static struct fl_job_spec a_job(struct fl_arena *arena)
{
    return (struct fl_job_spec){.name = FL_STR("sweep"),
                                .queue = FL_STR("ml"),
                                .priority = 5,
                                .deadline_s = 60,
                                .labels = fl_text_map_of_lines(FL_STR("a=1\nb=2\n"), arena)};
}

static const char *words_of(const struct fl_job_spec *spec, struct fl_arena *arena)
{
    const char *labels = "";

    for (size_t i = 0; i < spec->labels.len; i++) {
        labels = fl_arena_printf(arena, "%s%s" FL_STR_FMT "=" FL_STR_FMT, labels, i > 0 ? " " : "",
                                 FL_STR_ARG(spec->labels.at[i].key),
                                 FL_STR_ARG(spec->labels.at[i].value));
    }
    if (spec->parallelism) labels = fl_arena_printf(arena, "%s|%u", labels, spec->parallelism);
    return fl_arena_printf(arena, FL_STR_FMT "|" FL_STR_FMT "|%d|%u|%d|%s", FL_STR_ARG(spec->name),
                           FL_STR_ARG(spec->queue), (int)spec->priority, spec->deadline_s,
                           spec->is_held, labels);
}

static void what_is_named_changes_and_the_rest_stays(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        struct fl_job_spec spec = a_job(&arena);
        struct fl_problems problems = {0};

        if (!fl_job_edit_parse(json_of(&arena, edits[i].edit), &arena, &spec, &problems)) {
            fail_msg("%s: " FL_STR_FMT, edits[i].edit, FL_STR_ARG(problems.at[0].detail));
        }
        assert_string_equal(words_of(&spec, &arena), edits[i].becomes);
    }
    fl_arena_fini(&arena);
}

static void what_is_no_edit_is_named_and_changes_nothing(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < sizeof bad_edits / sizeof *bad_edits; i++) {
        struct fl_job_spec spec = a_job(&arena);
        struct fl_problems problems = {0};

        if (fl_job_edit_parse(json_of(&arena, bad_edits[i].edit), &arena, &spec, &problems)) {
            fail_msg("%s is taken", bad_edits[i].edit);
        }
        assert_string_equal(fl_arena_printf(&arena, FL_STR_FMT, FL_STR_ARG(problems.at[0].pointer)),
                            bad_edits[i].pointer);
        if (!strstr(fl_arena_printf(&arena, FL_STR_FMT, FL_STR_ARG(problems.at[0].detail)),
                    bad_edits[i].detail)) {
            fail_msg("%s: " FL_STR_FMT, bad_edits[i].edit, FL_STR_ARG(problems.at[0].detail));
        }
        assert_string_equal(words_of(&spec, &arena), "sweep|ml|5|60|0|a=1 b=2");
    }
    fl_arena_fini(&arena);
}

static void labels_are_as_many_as_a_job_may_have(void **state)
{
    struct fl_arena arena = {0};
    struct fl_job_spec spec = a_job(&arena);
    struct fl_problems problems = {0};
    const char *text = "{\"labels\":{";

    (void)state;
    for (int i = 1; i < FL_JOB_LABELS_MAX; i++) { /* and a and b */
        text = fl_arena_printf(&arena, "%s\"k%d\":\"v\",", text, i);
    }
    assert_false(
        fl_job_edit_parse(json_of(&arena, fl_arena_printf(&arena, "%s\"a\":\"2\"}}", text)), &arena,
                          &spec, &problems));
    assert_non_null(
        strstr(fl_arena_printf(&arena, FL_STR_FMT, FL_STR_ARG(problems.at[0].detail)), "over"));
    problems = (struct fl_problems){0};
    assert_true(fl_job_edit_parse(json_of(&arena, fl_arena_printf(&arena, "%s\"a\":null}}", text)),
                                  &arena, &spec, &problems));
    assert_int_equal(spec.labels.len, FL_JOB_LABELS_MAX);
    fl_arena_fini(&arena);
}

static void lines_of_labels_are_read_back(void **state)
{
    struct fl_arena arena = {0};
    struct fl_text_map pairs = fl_text_map_of_lines(FL_STR("a=1\nno sign\nb=x=y\ncut=off"), &arena);

    (void)state;
    assert_int_equal(pairs.len, 2);
    assert_true(fl_str_eq(pairs.at[0].key, FL_STR("a")) &&
                fl_str_eq(pairs.at[0].value, FL_STR("1")));
    assert_true(fl_str_eq(pairs.at[1].key, FL_STR("b")) &&
                fl_str_eq(pairs.at[1].value, FL_STR("x=y")));
    assert_int_equal(fl_text_map_of_lines((struct fl_str){0}, &arena).len, 0);
    assert_int_equal(fl_text_map_of_lines(FL_STR("\n\n"), &arena).len, 0);
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(what_is_named_changes_and_the_rest_stays),
         cmocka_unit_test(what_is_no_edit_is_named_and_changes_nothing),
         cmocka_unit_test(labels_are_as_many_as_a_job_may_have),
         cmocka_unit_test(lines_of_labels_are_read_back))
