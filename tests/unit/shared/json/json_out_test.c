#include "shared/json/json_out.h"

#include "shared/base/arena.h"
#include "shared/json/json.h"
#include "tests/fl_test.h"

static struct fl_str text_of(const struct fl_buf *buf)
{
    return (struct fl_str){(const char *)buf->at, buf->len};
}

static void commas_and_colons_come_by_themselves(void **state)
{
    struct fl_buf buf;
    struct fl_json_out out = fl_json_out(&buf);

    (void)state;
    fl_buf_init(&buf, 1024);
    fl_json_open(&out, NULL, '{');
    fl_json_put_u64(&out, "a", UINT64_MAX);
    fl_json_put_i64(&out, "b", INT64_MIN);
    fl_json_open(&out, "c", '[');
    fl_json_open(&out, NULL, '{');
    fl_json_close(&out, '}');
    fl_json_put_null(&out, NULL);
    fl_json_put_raw(&out, NULL, FL_STR("[1]"));
    fl_json_open(&out, NULL, '[');
    fl_json_close(&out, ']');
    fl_json_close(&out, ']');
    fl_json_put_bool(&out, "d", false);
    fl_json_put_str(&out, "e", FL_STR("x"));
    fl_json_close(&out, '}');
    assert_true(
        fl_str_eq(text_of(&buf), FL_STR("{\"a\":18446744073709551615,\"b\":-9223372036854775808,"
                                        "\"c\":[{},null,[1],[]],\"d\":false,\"e\":\"x\"}")));
    fl_buf_fini(&buf);
}

static void times_jobs_and_bytes_are_texts_and_none_of_them_is_null(void **state)
{
    struct fl_buf buf;
    struct fl_json_out out = fl_json_out(&buf);

    (void)state;
    fl_buf_init(&buf, 1024);
    fl_json_open(&out, NULL, '{');
    fl_json_put_time(&out, "at", 951782400123);
    fl_json_put_time(&out, "never", 0);
    fl_json_put_job(&out, "job", (struct fl_job){7});
    fl_json_put_job(&out, "none", (struct fl_job){0});
    fl_json_put_hex(&out, "digest", "\x00\xff\x1e", 3);
    fl_json_put_cstr(&out, "text", NULL);
    fl_json_close(&out, '}');
    assert_true(
        fl_str_eq(text_of(&buf), FL_STR("{\"at\":\"2000-02-29T00:00:00.123Z\",\"never\":null,"
                                        "\"job\":\"job-7\",\"none\":null,\"digest\":\"00ff1e\","
                                        "\"text\":null}")));
    fl_buf_fini(&buf);
}

static void strings_are_escaped_and_always_utf8(void **state)
{
    static const struct {
        struct fl_str s;
        const char *json;
    } cases[] = {
        {FL_STR(""), "\"\""},
        {FL_STR("plain text of more than eight bytes"), "\"plain text of more than eight bytes\""},
        {FL_STR("a\"b\\c\n\r\t\b\f/"), "\"a\\\"b\\\\c\\n\\r\\t\\b\\f/\""},
        {FL_STR("\0\x1f\x7f"), "\"\\u0000\\u001f\x7f\""},
        {FL_STR("\u00e4\U0001f600"), "\"\u00e4\U0001f600\""},
        {FL_STR("a\xff\"\xc3"), "\"a\ufffd\\\"\ufffd\""},
        {FL_STR("\xed\xa0\x80"), "\"\ufffd\ufffd\ufffd\""},
    };
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 1024);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fl_buf_clear(&buf);
        fl_json_quote(&buf, cases[i].s);
        assert_true(fl_str_eq(text_of(&buf), fl_str_c(cases[i].json)));
    }
    fl_buf_fini(&buf);
}

static void each_byte_is_seen_at_each_place_of_a_string(void **state)
{
    enum { LEN = 40 };
    struct fl_arena arena = {0};
    struct fl_buf one, whole, expected;

    (void)state;
    fl_buf_init(&one, 64);
    fl_buf_init(&whole, 1024);
    fl_buf_init(&expected, 1024);
    for (int place = 0; place < LEN; place++) {
        for (int c = 1; c < 256; c++) {
            const struct fl_json *read;
            char text[LEN];

            memset(text, 'a', LEN);
            text[place] = (char)c;
            fl_buf_clear(&one);
            fl_json_quote(&one, (struct fl_str){&text[place], 1});
            fl_buf_clear(&expected);
            fl_buf_put_u8(&expected, '"');
            fl_buf_put(&expected, text, (size_t)place);
            fl_buf_put(&expected, one.at + 1, one.len - 2);
            fl_buf_put(&expected, text + place + 1, LEN - (size_t)place - 1);
            fl_buf_put_u8(&expected, '"');
            fl_buf_clear(&whole);
            fl_json_quote(&whole, (struct fl_str){text, LEN});
            assert_true(fl_str_eq(text_of(&whole), text_of(&expected)));
            assert_true(fl_json_parse(text_of(&whole), &arena, &read, NULL, NULL));
            if (c < 128) assert_true(fl_str_eq(read->text, (struct fl_str){text, LEN}));
            fl_arena_reset(&arena);
        }
    }
    fl_buf_fini(&expected);
    fl_buf_fini(&whole);
    fl_buf_fini(&one);
    fl_arena_fini(&arena);
}

static void a_tree_is_written_as_it_was_read(void **state)
{
    static const char *const cases[] = {
        "1",
        "[]",
        "{}",
        "[[],[[]],{}]",
        "{\"a\":{\"b\":[1,2.50,{\"c\":null}]},\"d\":[true,false]}",
        "\"x\\n\"",
        "[{\"a\":{}},{\"a\":[]},\"s\"]",
    };
    struct fl_arena arena = {0};
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 1024);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fl_json_out out = fl_json_out(&buf);
        const struct fl_json *root;

        fl_buf_clear(&buf);
        assert_true(fl_json_parse(fl_str_c(cases[i]), &arena, &root, NULL, NULL));
        fl_json_put_tree(&out, root);
        assert_true(fl_str_eq(text_of(&buf), fl_str_c(cases[i])));
    }
    fl_buf_fini(&buf);
    fl_arena_fini(&arena);
}

static void close_what_is_not_open(void *arg)
{
    struct fl_json_out out = fl_json_out(arg);

    fl_json_open(&out, NULL, '[');
    fl_json_close(&out, '}');
}

static void put_a_value_without_a_key(void *arg)
{
    struct fl_json_out out = fl_json_out(arg);

    fl_json_open(&out, NULL, '{');
    fl_json_put_null(&out, NULL);
}

static void what_does_not_match_is_a_bug(void **state)
{
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 1024);
    assert_true(fl_test_aborts(close_what_is_not_open, &buf));
    assert_true(fl_test_aborts(put_a_value_without_a_key, &buf));
    fl_buf_fini(&buf);
}

FL_TESTS(cmocka_unit_test(commas_and_colons_come_by_themselves),
         cmocka_unit_test(times_jobs_and_bytes_are_texts_and_none_of_them_is_null),
         cmocka_unit_test(strings_are_escaped_and_always_utf8),
         cmocka_unit_test(each_byte_is_seen_at_each_place_of_a_string),
         cmocka_unit_test(a_tree_is_written_as_it_was_read),
         cmocka_unit_test(what_does_not_match_is_a_bug))
