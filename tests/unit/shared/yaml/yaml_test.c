#include "shared/yaml/yaml.h"

#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/json/json_out.h"
#include "tests/fl_test.h"

/* All documents as JSON, one a line; or "line:col: why" of the first that is refused. */
static const char *read_all(const char *text, struct fl_arena *arena)
{
    struct fl_yaml *yaml = fl_yaml_create(fl_str_c(text));
    const struct fl_json *root;
    struct fl_place at = {0};
    struct fl_err err = {0};
    struct fl_buf buf;
    const char *result;
    bool is_good;

    fl_buf_init(&buf, 1 << 20);
    while ((is_good = fl_yaml_next(yaml, arena, &root, &at, &err)) && root) {
        struct fl_json_out out = fl_json_out(&buf);

        fl_json_put_tree(&out, root);
        fl_buf_put_u8(&buf, '\n');
    }
    fl_buf_put_u8(&buf, 0);
    result = is_good ? fl_arena_printf(arena, "%s", (const char *)buf.at)
                     : fl_arena_printf(arena, "%u:%u: %s", at.line, at.col, err.text);
    fl_buf_fini(&buf);
    fl_yaml_destroy(yaml);
    return result;
}

static void documents_come_one_after_the_other(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(read_all("a: 1\nb: [x, \"y\"]\n---\n- {c: ~}\n---\n...\n", &arena),
                        "{\"a\":1,\"b\":[\"x\",\"y\"]}\n[{\"c\":null}]\nnull\n");
    assert_string_equal(read_all("", &arena), "");
    assert_string_equal(read_all("# nothing\n", &arena), "");
    assert_string_equal(read_all("\xef\xbb\xbf"
                                 "a: b",
                                 &arena),
                        "{\"a\":\"b\"}\n");
    assert_string_equal(read_all("%YAML 1.2\n---\na: |\n  x\n  y\n", &arena),
                        "{\"a\":\"x\\ny\\n\"}\n");
    fl_arena_fini(&arena);
}

static void a_scalar_is_what_json_would_take_it_for(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(read_all("[1, -2, 1.10, 1e3, true, False, null, Null, '']", &arena),
                        "[1,-2,1.10,1e3,true,false,null,null,\"\"]\n");
    assert_string_equal(
        read_all("[no, on, 0x1f, 007, 1_000, .5, +1, .inf, 12:30, '1', \"true\", "
                 "99999999999999999999, 2026-01-31]",
                 &arena),
        "[\"no\",\"on\",\"0x1f\",\"007\",\"1_000\",\".5\",\"+1\",\".inf\",\"12:30\","
        "\"1\",\"true\",\"99999999999999999999\",\"2026-01-31\"]\n");
    assert_string_equal(read_all("1: a\ntrue: b\n", &arena), "{\"1\":\"a\",\"true\":\"b\"}\n");
    fl_arena_fini(&arena);
}

static void what_json_has_not_is_refused_by_name(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(read_all("a: &x 1\n", &arena), "1:4: anchors (&name) are not taken");
    assert_string_equal(read_all("a: 1\nb: *x\n", &arena),
                        "2:4: aliases (*name) are not taken: write the value out");
    assert_string_equal(read_all("a: !!str 1\n", &arena),
                        "1:4: tags (!name) are not taken: quotes make a text of anything");
    assert_string_equal(read_all("- a: 1\n  <<: {b: 2}\n", &arena),
                        "2:3: merge keys (<<) are not taken: write the fields out");
    assert_string_equal(read_all("\"<<\": 1", &arena), "{\"<<\":1}\n");
    assert_string_equal(read_all("a: 1\nb: 2\na: 3\n", &arena),
                        "3:1: the key \"a\" is there twice");
    assert_string_equal(read_all("? [a]\n: 1\n", &arena), "1:3: a key must be a text");
    assert_string_equal(read_all("a: \"x\\0y\"\n", &arena),
                        "1:4: a text may not hold the character 0");
    fl_arena_fini(&arena);
}

static void a_mistake_is_told_with_its_line(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_true(strncmp(read_all("a: 1\n b: 2\n", &arena), "2:3: ", 5) == 0);
    assert_true(strncmp(read_all("a: [1\nb: 2\n", &arena), "2:", 2) == 0);
    assert_true(strncmp(read_all("a: 1\nb: \xff\n", &arena), "2:4: ", 5) == 0);
    assert_true(strncmp(read_all("\ta: 1\n", &arena), "1:1: ", 5) == 0);
    fl_arena_fini(&arena);
}

static void a_small_text_makes_no_large_tree(void **state)
{
    struct fl_arena arena = {0};
    char text[8 * FL_JSON_DEPTH_MAX + 1];

    (void)state;
    for (size_t i = 0; i < sizeof text - 1; i++) {
        text[i] = i % 2 ? ' ' : '-';
    }
    text[sizeof text - 1] = 0;
    assert_string_equal(read_all(text, &arena), "1:65: values are over 32 deep");
    memset(text, '[', sizeof text - 1);
    assert_string_equal(read_all(text, &arena), "1:33: values are over 32 deep");
    fl_arena_fini(&arena);
}

static void a_document_has_so_many_values_at_most(void **state)
{
    struct fl_buf text;
    size_t len;

    (void)state;
    fl_buf_init(&text, (size_t)1 << 20);
    for (size_t i = 1; i < FL_YAML_NODES_MAX; i++) { /* the list is a value, too */
        assert_true(fl_buf_put(&text, "- 1\n", 4));
    }
    len = text.len;
    assert_true(fl_buf_put(&text, "- 1\n", 4));
    for (int is_over = 0; is_over <= 1; is_over++) {
        struct fl_str read = {(const char *)text.at, is_over ? text.len : len};
        struct fl_yaml *yaml = fl_yaml_create(read);
        const struct fl_json *root;
        struct fl_arena arena = {0};
        struct fl_err err = {0};

        assert_int_equal(fl_yaml_next(yaml, &arena, &root, NULL, &err), !is_over);
        assert_int_equal(err.code, is_over ? FL_TOO_LARGE : FL_OK);
        fl_yaml_destroy(yaml);
        fl_arena_fini(&arena);
    }
    fl_buf_fini(&text);
}

FL_TESTS(cmocka_unit_test(documents_come_one_after_the_other),
         cmocka_unit_test(a_scalar_is_what_json_would_take_it_for),
         cmocka_unit_test(what_json_has_not_is_refused_by_name),
         cmocka_unit_test(a_mistake_is_told_with_its_line),
         cmocka_unit_test(a_small_text_makes_no_large_tree),
         cmocka_unit_test(a_document_has_so_many_values_at_most))
