#include "shared/json/json.h"

#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/json/json_out.h"
#include "tests/fl_test.h"

#include <stdlib.h>

struct parsed {
    bool is_good;
    const struct fl_json *root;
    struct fl_place at;
    struct fl_err err;
};

static struct parsed parse(struct fl_str text, struct fl_arena *arena)
{
    struct parsed parsed = {0};

    parsed.is_good = fl_json_parse(text, arena, &parsed.root, &parsed.at, &parsed.err);
    return parsed;
}

static void a_tree_has_what_was_written_and_where(void **state)
{
    static const char text[] = "{\n  \"a\": [1, -2.50e3, \"x\\u00e4\\ud83d\\ude00\\n\"],\n"
                               " \"b\": {}, \"c\": null, \"d\": true }";
    struct fl_arena arena = {0};
    struct parsed got = parse(fl_str_c(text), &arena);
    const struct fl_json *a, *item;

    (void)state;
    assert_true(got.is_good);
    assert_int_equal(got.root->kind, FL_JSON_OBJECT);
    assert_int_equal(got.root->len, 4);
    a = fl_json_member(got.root, FL_STR("a"));
    assert_int_equal(a->kind, FL_JSON_LIST);
    assert_int_equal(a->key_at.line, 2);
    assert_int_equal(a->key_at.col, 3);
    assert_int_equal(a->at.line, 2);
    assert_int_equal(a->at.col, 8);
    assert_int_equal(a->at.offset, 9);
    item = a->first;
    assert_int_equal(item->kind, FL_JSON_INT);
    assert_int_equal(item->n, 1);
    item = item->next;
    assert_int_equal(item->kind, FL_JSON_REAL);
    assert_true(fl_str_eq(item->text, FL_STR("-2.50e3")));
    item = item->next;
    assert_true(fl_str_eq(item->text, FL_STR("x\u00e4\U0001f600\n")));
    assert_null(item->next);
    assert_null(fl_json_member(got.root, FL_STR("b"))->first);
    assert_int_equal(fl_json_member(got.root, FL_STR("c"))->kind, FL_JSON_NULL);
    assert_int_equal(fl_json_member(got.root, FL_STR("d"))->n, 1);
    assert_int_equal(fl_json_member(got.root, FL_STR("d"))->at.line, 3);
    assert_null(fl_json_member(got.root, FL_STR("e")));
    fl_arena_fini(&arena);
}

static void what_is_not_json_is_refused_where_it_goes_wrong(void **state)
{
    static const struct {
        const char *text;
        uint32_t line, col;
    } cases[] = {
        {"", 1, 1},
        {" \n ", 2, 2},
        {"{", 1, 2},
        {"[1,]", 1, 4},
        {"[1 2]", 1, 4},
        {"{\"a\":1,}", 1, 8},
        {"{\"a\" 1}", 1, 6},
        {"{a:1}", 1, 2},
        {"[1}", 1, 3},
        {"{\"a\":1]", 1, 7},
        {"1 2", 1, 3},
        {"]", 1, 1},
        {"tru", 1, 1},
        {"truely", 1, 5},
        {"nul", 1, 1},
        {"01", 1, 1},
        {"-", 1, 1},
        {"+1", 1, 1},
        {"1.", 1, 1},
        {".5", 1, 1},
        {"1e", 1, 1},
        {"0x10", 1, 2},
        {"9223372036854775808", 1, 1},
        {"-9223372036854775809", 1, 1},
        {"\"abc", 1, 1},
        {"\"abc\\", 1, 5},
        {"\"a\nb\"", 1, 3},
        {"\"a\tb\"", 1, 3},
        {"\"\\x\"", 1, 2},
        {"\"\\u12g4\"", 1, 6},
        {"\"\\u12", 1, 6},
        {"\"\\u0000\"", 1, 2},
        {"\"\\ud800\"", 1, 2},
        {"\"\\ud800x\"", 1, 2},
        {"\"\\ud800\\u0041\"", 1, 2},
        {"\"\\udc00\"", 1, 2},
        {"\"\\ud800xudc00\"", 1, 2},
        {"\"\\ud800\\ndc00\"", 1, 2},
        {"\"\\ud800\\ue000\"", 1, 2},
        {"0.00000000000000000000000000000000000000000000000000000000000000001", 1, 1},
        {"[\n\"\xff\"]", 2, 2},
        {"\"\xed\xa0\x80\"", 1, 2},
        {"\"\xc3", 1, 2},
        {"\xef\xbb\xbf{}", 1, 1},
        {"{\"a\":1,\n\"a\":2}", 2, 1},
        {"{\"a\":1,\"\\u0061\":2}", 1, 8},
        {"{\"\":1,\"\":2}", 1, 7},
        {"// no\n1", 1, 1},
        {"'a'", 1, 1},
        {"NaN", 1, 1},
    };
    struct fl_arena arena = {0};
    const struct fl_json *root;
    struct fl_err err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct parsed got = parse(fl_str_c(cases[i].text), &arena);

        if (got.is_good || got.at.line != cases[i].line || got.at.col != cases[i].col) {
            print_error("case %zu: %s: line %u col %u\n", i, cases[i].text, got.at.line,
                        got.at.col);
        }
        assert_false(got.is_good);
        assert_int_equal(got.at.line, cases[i].line);
        assert_int_equal(got.at.col, cases[i].col);
        assert_true(got.err.code == FL_INVALID || got.err.code == FL_TOO_LARGE ||
                    got.err.code == FL_UNSUPPORTED);
        assert_true(got.err.text[0] != 0);
    }
    /* It is JSON, and the text is not too long: 422 in the API. */
    assert_int_equal(parse(FL_STR("9223372036854775808"), &arena).err.code, FL_UNSUPPORTED);
    assert_true(fl_json_parse_few(FL_STR("[1,2,3]"), 4, &arena, &root, NULL, &err));
    assert_false(fl_json_parse_few(FL_STR("[1,2,3]"), 3, &arena, &root, NULL, &err));
    assert_int_equal(err.code, FL_TOO_LARGE);
    assert_false(parse((struct fl_str){"[\0]", 3}, &arena).is_good);
    assert_false(parse((struct fl_str){0}, &arena).is_good);
    fl_arena_fini(&arena);
}

static void what_is_json_is_taken(void **state)
{
    static const char *const cases[] = {
        "0",
        "-0",
        "9223372036854775807",
        "-9223372036854775808",
        "1e400",
        "0.0E-9",
        "\"\"",
        " [ ] ",
        "{}",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "\"\x7f\"",
        "\"\xf4\x8f\xbf\xbf\"",
        "\t\r\n[[[[]]],{\"\":{}}]",
        "\"exactly8\"",
        "\"\\uD83D\\uDE00\"",
    };
    struct fl_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(parse(fl_str_c(cases[i]), &arena).is_good);
    }
    assert_int_equal(parse(fl_str_c(cases[3]), &arena).root->n, INT64_MIN);
    fl_arena_fini(&arena);
}

static void depth_is_counted_while_reading(void **state)
{
    char text[2 * FL_JSON_DEPTH_MAX + 3];
    struct fl_arena arena = {0};
    struct parsed got;

    (void)state;
    memset(text, '[', FL_JSON_DEPTH_MAX);
    memset(text + FL_JSON_DEPTH_MAX, ']', FL_JSON_DEPTH_MAX);
    assert_true(parse((struct fl_str){text, (size_t)2 * FL_JSON_DEPTH_MAX}, &arena).is_good);
    memset(text, '[', sizeof text);
    got = parse((struct fl_str){text, sizeof text}, &arena);
    assert_false(got.is_good);
    assert_int_equal(got.err.code, FL_TOO_LARGE);
    assert_int_equal(got.at.col, FL_JSON_DEPTH_MAX + 1);
    fl_arena_fini(&arena);
}

static void nodes_and_strings_have_limits(void **state)
{
    size_t len = (size_t)2 * FL_JSON_NODES_MAX + 1;
    char *text = malloc(len);
    struct fl_arena arena = {0};

    (void)state;
    assert_non_null(text);
    text[0] = '[';
    for (size_t i = 1; i < len; i++) {
        text[i] = i % 2 ? '1' : ',';
    }
    text[len - 3] = ']'; /* the list and 49,999 numbers */
    assert_true(parse((struct fl_str){text, len - 2}, &arena).is_good);
    text[len - 3] = ',';
    text[len - 1] = ']';
    assert_int_equal(parse((struct fl_str){text, len}, &arena).err.code, FL_TOO_LARGE);
    free(text);

    len = FL_JSON_STRING_MAX + 3;
    text = malloc(len);
    assert_non_null(text);
    memset(text, 'a', len);
    text[0] = text[FL_JSON_STRING_MAX + 1] = '"';
    assert_true(parse((struct fl_str){text, FL_JSON_STRING_MAX + 2}, &arena).is_good);
    text[FL_JSON_STRING_MAX + 1] = 'a';
    text[FL_JSON_STRING_MAX + 2] = '"';
    assert_int_equal(parse((struct fl_str){text, len}, &arena).err.code, FL_TOO_LARGE);
    text[1] = '\\'; /* an escape takes two bytes for one */
    text[2] = 'n';
    assert_true(parse((struct fl_str){text, len}, &arena).is_good);
    free(text);
    fl_arena_fini(&arena);
}

static void a_key_that_is_there_twice_is_found_among_many(void **state)
{
    struct fl_arena arena = {0};
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 1 << 20);
    for (int twice = 0; twice < 2; twice++) {
        struct fl_json_out out = fl_json_out(&buf);
        struct parsed got;
        char key[16];

        fl_buf_clear(&buf);
        fl_json_open(&out, NULL, '{');
        for (int i = 0; i < 1000; i++) {
            snprintf(key, sizeof key, "k%d", i * 7919 % 1000);
            fl_json_put_i64(&out, key, i);
        }
        if (twice) fl_json_put_i64(&out, "k500", 0);
        fl_json_close(&out, '}');
        got = parse((struct fl_str){(const char *)buf.at, buf.len}, &arena);
        assert_int_equal(got.is_good, !twice);
        if (twice) {
            assert_non_null(strstr(got.err.text, "k500"));
            assert_int_equal(got.at.offset, buf.len - sizeof "\"k500\":0}" + 1);
        }
    }
    fl_buf_fini(&buf);
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(a_tree_has_what_was_written_and_where),
         cmocka_unit_test(what_is_not_json_is_refused_where_it_goes_wrong),
         cmocka_unit_test(what_is_json_is_taken), cmocka_unit_test(depth_is_counted_while_reading),
         cmocka_unit_test(nodes_and_strings_have_limits),
         cmocka_unit_test(a_key_that_is_there_twice_is_found_among_many))
