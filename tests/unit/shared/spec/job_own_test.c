#include "shared/spec/job_own.h"

#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/spec/job_fields.h"
#include "tests/fl_test.h"

static const char under_text[] =
    "{\"command\":[\"a\"],\"name\":\"under\",\"queue\":\"ml\",\"array\":3,\"priority\":5,"
    "\"hold\":true,\"labels\":{\"b\":\"1\",\"d\":\"2\"},\"params\":{\"lr\":\"1\",\"n\":\"2\"},"
    "\"after\":[{\"job\":\"job-7\"}]}";

static const struct fl_json *json_of(struct fl_arena *arena, const char *text)
{
    const struct fl_json *root;
    struct fl_err err = {0};

    if (!fl_json_parse(fl_str_c(text), arena, &root, NULL, &err)) {
        fail_msg("%s: %s", text, err.text);
    }
    return root;
}

static struct fl_job_spec under(struct fl_arena *arena)
{
    struct fl_problems problems = {0};
    struct fl_job_spec spec;

    assert_true(fl_job_spec_parse(json_of(arena, under_text), arena, NULL, &spec, &problems));
    return spec;
}

/* The whole document of a job by that line. */
static const char *document(struct fl_arena *arena, const char *line)
{
    struct fl_job_spec spec = under(arena);
    struct fl_problems problems = {0};
    struct fl_buf buf;

    if (!fl_job_own_parse(json_of(arena, line), FL_STR("use"), arena, &spec, &problems)) {
        fail_msg("%s: " FL_STR_FMT, line, FL_STR_ARG(problems.at[0].detail));
    }
    fl_buf_init_in(&buf, FL_JOB_SPEC_BYTES_MAX, arena);
    assert_true(fl_job_spec_document(&buf, &spec));
    fl_buf_put_u8(&buf, 0);
    return (const char *)buf.at;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("%s is not in %s", part, text);
}

static void what_a_line_does_not_say_stays(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(document(&arena, "{\"use\":\"s\"}"), document(&arena, "{}"));
    assert_has(document(&arena, "{\"use\":\"s\"}"),
               "\"name\":\"under\",\"queue\":\"ml\",\"array\":3");
    fl_arena_fini(&arena);
}

static void each_own_member_takes_the_place_of_the_specs(void **state)
{
    static const struct {
        const char *line, *part;
    } cases[] = {
        {"{\"name\":\"own\"}", "\"name\":\"own\""},
        {"{\"parallelism\":2}", "\"array\":3,\"parallelism\":2"},
        {"{\"queue\":\"own\"}", "\"queue\":\"own\""},
        {"{\"array\":9}", "\"array\":9"},
        {"{\"priority\":-4}", "\"priority\":-4"},
        {"{\"after\":[{\"line\":2,\"on\":\"any\"}]}", "\"after\":[{\"line\":2,\"on\":\"any\"}]"},
        {"{\"labels\":{\"a\":\"0\",\"b\":\"9\"}}",
         "\"labels\":{\"a\":\"0\",\"b\":\"9\",\"d\":\"2\"}"},
        {"{\"params\":{\"LR\":\"9\"}}", "\"params\":{\"LR\":\"9\",\"n\":\"2\"}"},
    };
    struct fl_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_has(document(&arena, cases[i].line), cases[i].part);
    }
    assert_has(document(&arena, "{\"hold\":true}"), "\"hold\":true");
    assert_null(strstr(document(&arena, "{\"hold\":false}"), "hold"));
    fl_arena_fini(&arena);
}

static void an_array_with_indexes_keeps_its_size(void **state)
{
    static const char text[] = "{\"command\":[\"a\"],\"indexes\":\"1-9:2\"}";
    struct fl_problems problems = {0}, wrong = {0};
    struct fl_arena arena = {0};
    struct fl_job_spec spec;

    (void)state;
    assert_true(fl_job_spec_parse(json_of(&arena, text), &arena, NULL, &spec, &problems));
    assert_true(fl_job_own_parse(json_of(&arena, "{\"array\":5,\"parallelism\":2}"), FL_STR("use"),
                                 &arena, &spec, &problems));
    assert_int_equal(spec.elements, 5);
    assert_false(
        fl_job_own_parse(json_of(&arena, "{\"array\":4}"), FL_STR("use"), &arena, &spec, &wrong));
    assert_has(fl_arena_printf(&arena, FL_STR_FMT, FL_STR_ARG(wrong.at[0].detail)),
               "indexes names 5 elements");
    fl_arena_fini(&arena);
}

/* An array of one is one: its parallelism was seen where the spec was read. */
static void an_array_of_one_keeps_its_parallelism(void **state)
{
    static const struct {
        const char *spec, *line;
        bool is_good;
    } cases[] = {
        {"{\"command\":[\"a\"],\"indexes\":\"7\",\"parallelism\":2}", "{}", true},
        {"{\"command\":[\"a\"],\"indexes\":\"7\"}", "{\"parallelism\":2}", true},
        {"{\"command\":[\"a\"],\"array\":1,\"parallelism\":2}", "{\"name\":\"x\"}", true},
        {"{\"command\":[\"a\"]}", "{\"parallelism\":2}", false},
        {"{\"command\":[\"a\"]}", "{\"array\":1,\"parallelism\":2}", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fl_problems problems = {0};
        struct fl_arena arena = {0};
        struct fl_job_spec spec;

        assert_true(
            fl_job_spec_parse(json_of(&arena, cases[i].spec), &arena, NULL, &spec, &problems));
        assert_int_equal(fl_job_own_parse(json_of(&arena, cases[i].line), FL_STR("use"), &arena,
                                          &spec, &problems),
                         cases[i].is_good);
        fl_arena_fini(&arena);
    }
}

/* A line takes all that a job has beside its spec, and nothing else. */
static void no_other_member_is_taken(void **state)
{
    struct fl_job_fields fields = fl_job_fields(FL_JOB_OBJECT_job);
    struct fl_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < fields.len; i++) {
        struct fl_problems problems = {0};
        struct fl_job_spec spec = under(&arena);
        const char *line =
            fl_arena_printf(&arena, "{\"" FL_STR_FMT "\":null}", FL_STR_ARG(fields.at[i].name));

        assert_false(
            fl_job_own_parse(json_of(&arena, line), FL_STR("use"), &arena, &spec, &problems));
        assert_int_equal(problems.len, 1);
        assert_int_equal(
            !(fields.at[i].flags & FL_FIELD_OWN),
            strstr(fl_arena_printf(&arena, FL_STR_FMT, FL_STR_ARG(problems.at[0].detail)),
                   "belongs to the spec") != NULL);
    }
    fl_arena_fini(&arena);
}

static void what_is_wrong_is_named_and_the_spec_stays(void **state)
{
    static const struct {
        const char *line, *pointer, *detail;
    } cases[] = {
        {"{\"prioriti\":1}", "/prioriti", "did you mean priority?"},
        {"{\"commend\":1}", "/commend", "unknown field"}, /* 'command' is not offered */
        {"{\"use\":\"a\",\"useDigest\":\"b\"}", "/useDigest", "unknown field"},
        {"{\"priority\":1001}", "/priority", "not what priority holds"},
        {"{\"queue\":\"A b\"}", "/queue", "not what queue holds"},
        {"{\"labels\":{\"-\":\"x\"}}", "/labels/-", ""},
        {"{\"params\":{\"a-b\":\"x\"}}", "/params/a-b", "not a parameter name"},
        {"{\"after\":[{\"job\":\"job-1\",\"line\":2}]}", "/after/0", "one of job and line"},
        {"{\"indexes\":\"1-3\"}", "/indexes", "belongs to the spec"},
    };
    struct fl_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fl_problems problems = {0};
        struct fl_job_spec spec = under(&arena);

        assert_false(fl_job_own_parse(json_of(&arena, cases[i].line), FL_STR("use"), &arena, &spec,
                                      &problems));
        assert_has(fl_arena_printf(&arena, FL_STR_FMT, FL_STR_ARG(problems.at[0].pointer)),
                   cases[i].pointer);
        assert_has(fl_arena_printf(&arena, FL_STR_FMT, FL_STR_ARG(problems.at[0].detail)),
                   cases[i].detail);
        assert_int_equal(spec.labels.len, 2);
        assert_int_equal(spec.params.len, 2);
    }
    fl_arena_fini(&arena);
}

/* Each set is within its bound, and both together are not: no reader would take the job. */
static void together_they_are_bounded_too(void **state)
{
    static const char *const members[] = {"labels", "params"};
    static const int most[] = {FL_JOB_LABELS_MAX, FL_JOB_PARAMS_MAX};
    struct fl_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        for (int over = 0; over < 2; over++) {
            struct fl_problems problems = {0};
            struct fl_job_spec spec = under(&arena); /* has two of each */
            const char *line = fl_arena_printf(&arena, "{\"%s\":{\"x\":\"1\"", members[i]);

            for (int n = 1; n < most[i] - 2 + over; n++) {
                line = fl_arena_printf(&arena, "%s,\"x%d\":\"1\"", line, n);
            }
            line = fl_arena_printf(&arena, "%s}}", line);
            assert_int_equal(
                fl_job_own_parse(json_of(&arena, line), FL_STR("use"), &arena, &spec, &problems),
                !over);
        }
    }
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(what_a_line_does_not_say_stays),
         cmocka_unit_test(each_own_member_takes_the_place_of_the_specs),
         cmocka_unit_test(an_array_with_indexes_keeps_its_size),
         cmocka_unit_test(an_array_of_one_keeps_its_parallelism),
         cmocka_unit_test(no_other_member_is_taken),
         cmocka_unit_test(what_is_wrong_is_named_and_the_spec_stays),
         cmocka_unit_test(together_they_are_bounded_too))
