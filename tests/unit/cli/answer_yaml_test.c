#include "cli/answer_yaml.h"

#include <stdlib.h>

#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/json/json_out.h"
#include "shared/yaml/yaml.h"
#include "tests/fl_test.h"

/* As YAML; the caller frees it. */
static char *yaml_of(const json_t *value)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    cli_yaml_put(value, out);
    fclose(out);
    return text;
}

static void is_written(const char *json, const char *want)
{
    json_t *value = json_loads(json, JSON_DECODE_ANY, NULL);
    char *text = yaml_of(value);

    assert_string_equal(text, want);
    free(text);
    json_decref(value);
}

/* A reader that is not ours to write, libyaml behind shared/yaml, finds the same value. */
static void comes_back(const json_t *value)
{
    char *text = yaml_of(value), *want = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    struct fl_yaml *yaml = fl_yaml_create(fl_str_c(text));
    const struct fl_json *root = NULL;
    struct fl_arena arena = {0};
    struct fl_err err = {0};
    struct fl_json_out out;
    struct fl_buf buf;
    json_t *got;

    if (!fl_yaml_next(yaml, &arena, &root, NULL, &err)) fail_msg("%s in:\n%s", err.text, text);
    fl_buf_init(&buf, 1 << 20);
    out = fl_json_out(&buf);
    fl_json_put_tree(&out, root);
    got = json_loadb((const char *)buf.at, buf.len, JSON_DECODE_ANY, NULL);
    if (!json_equal(got, value)) fail_msg("%s came from:\n%s", want, text);
    json_decref(got);
    fl_buf_fini(&buf);
    fl_yaml_destroy(yaml);
    fl_arena_fini(&arena);
    free(text);
    free(want);
}

static void an_answer_looks_like_yaml_that_a_person_writes(void **state)
{
    (void)state;
    is_written("{\"id\":\"job-7\",\"count\":3,\"ok\":true,\"no\":null,\"labels\":{},\"nodes\":[]}",
               "id: job-7\ncount: 3\nok: true\n\"no\": null\nlabels: {}\nnodes: []\n");
    is_written("{\"a\":{\"b\":[1,{\"c\":2,\"d\":[3]}]}}",
               "a:\n  b:\n    - 1\n    - c: 2\n      d:\n        - 3\n");
    is_written("[[1,2],[]]", "- - 1\n  - 2\n- []\n");
    is_written("{\"script\":\"set -e\\n\\n  echo hi\\n\"}", "script: |\n  set -e\n\n    echo hi\n");
    is_written("{\"script\":\"a\\nb\"}", "script: |-\n  a\n  b\n");
    is_written("\"one\"", "one\n");
}

static void a_text_that_looks_like_something_else_is_quoted(void **state)
{
    static const char *const quoted[] = {
        "",     "yes", "No",  "ON", "off", "y",    "N",          "true",  "FALSE",
        "null", "~",   "1",   "-1", ".5",  "0x1f", "1_000",      "12:30", "1e3",
        ".inf", "- a", "a: ", "a:", "#a",  "a #b", "2026-01-31", "=",     "<<",
        "!tag", "&a",  "*a",  " a", "a ",  "{a}",  "[a]",        "'a'",   "`a`",
        "%a",   "@a",  "|",   ">",  "a\tb"};
    static const char *const plain[] = {"a",        "a b",     "a:b", "repo/image:1.2", "a,b",
                                        "job-7m2k", "/bin/sh", "x=y", "no-more",        "_x"};

    (void)state;
    for (size_t i = 0; i < sizeof quoted / sizeof *quoted; i++) {
        json_t *value = json_string(quoted[i]);
        char *text = yaml_of(value);

        if (text[0] != '"') fail_msg("'%s' is written as %s", quoted[i], text);
        comes_back(value);
        free(text);
        json_decref(value);
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        json_t *value = json_string(plain[i]);
        char *text = yaml_of(value);

        assert_memory_equal(text, plain[i], strlen(plain[i]));
        comes_back(value);
        free(text);
        json_decref(value);
    }
}

static void every_text_comes_back(void **state)
{
    static const char *const texts[] = {"\n",
                                        "\n\n",
                                        " a\nb",
                                        "a\n\n",
                                        "a\n b\n",
                                        "a\r\nb",
                                        "a\nb\x7f\n",
                                        "\x01\x1f",
                                        "\"\\",
                                        "\xc2\x85",
                                        "\xe2\x80\xa8x",
                                        "\xef\xbb\xbfx",
                                        "\xef\xbf\xbd",
                                        "\xf0\x9f\x98\x80",
                                        "\xf0\x9f\x98\x80\xef\xbf\xbe",
                                        "a\n\xf0\x9f\x98\x80\n",
                                        "\tx\ny",
                                        "# a\n# b\n",
                                        "- a\n- b",
                                        "a\n---\nb\n",
                                        "a\n...\nb\n",
                                        "a\n \n"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_t *value = json_pack("{s:s, s:[s, {s:s}], s:{s:i}}", "a", texts[i], "list", texts[i],
                                  texts[i], texts[i], texts[i], "n", 1);

        assert_non_null(value);
        comes_back(value);
        json_decref(value);
    }
}

static void a_number_stays_one_in_every_version(void **state)
{
    (void)state;
    is_written("[1e20, 1.52587890625e-05, 0.5, -3, 9007199254740993]",
               "- 1.0e+20\n- 1.52587890625e-5\n- 0.5\n- -3\n- 9007199254740993\n");
}

FL_TESTS(cmocka_unit_test(an_answer_looks_like_yaml_that_a_person_writes),
         cmocka_unit_test(a_text_that_looks_like_something_else_is_quoted),
         cmocka_unit_test(every_text_comes_back),
         cmocka_unit_test(a_number_stays_one_in_every_version))
