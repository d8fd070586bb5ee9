#include "shared/json/problem.h"

#include "shared/base/arena.h"
#include "shared/json/json.h"
#include "tests/fl_test.h"

static const struct fl_json *written(struct fl_buf *buf, const struct fl_problem *problem,
                                     struct fl_arena *arena)
{
    struct fl_json_out out = fl_json_out(buf);
    const struct fl_json *root = NULL;
    struct fl_err err = {0};

    fl_problem_open(&out, problem);
    fl_json_close(&out, '}');
    if (!fl_json_parse((struct fl_str){(char *)buf->at, buf->len}, arena, &root, NULL, &err)) {
        fail_msg("%s", err.text);
    }
    return root;
}

static void a_text_with_quotes_stays_json(void **state)
{
    static const char detail[] = "no cluster \"ea\\st\"\n";
    struct fl_problem problem = {503, "Service Unavailable", FL_UNAVAILABLE, detail};
    struct fl_arena arena = {0};
    const struct fl_json *root;
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 4096);
    root = written(&buf, &problem, &arena);
    assert_true(fl_str_eq(fl_json_member(root, FL_STR("detail"))->text, fl_str_c(detail)));
    assert_true(fl_str_eq(fl_json_member(root, FL_STR("title"))->text, fl_str_c(problem.title)));
    assert_int_equal(fl_json_member(root, FL_STR("status"))->n, 503);
    fl_buf_fini(&buf);
    fl_arena_fini(&arena);
}

static void a_problem_without_words_has_those_of_its_code(void **state)
{
    struct fl_problem problem = {409, "Conflict", FL_CONFLICT, NULL};
    struct fl_arena arena = {0};
    const struct fl_json *root;
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 4096);
    root = written(&buf, &problem, &arena);
    assert_true(fl_str_eq(fl_json_member(root, FL_STR("detail"))->text,
                          fl_str_c(fl_code_meaning(FL_CONFLICT))));
    assert_true(fl_str_eq(fl_json_member(root, FL_STR("type"))->text,
                          FL_STR("https://fairlead.dev/docs/reference/api#conflict")));
    fl_buf_fini(&buf);
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(a_text_with_quotes_stays_json),
         cmocka_unit_test(a_problem_without_words_has_those_of_its_code))
