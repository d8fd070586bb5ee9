/* The small texts of the API: problems, cursors, places of events, times, lines. */
#include "controlplane/api/cursor.h"
#include "controlplane/api/event_place.h"
#include "controlplane/api/ndjson.h"
#include "controlplane/api/problem.h"
#include "shared/base/buf.h"
#include "tests/fl_test.h"

static void a_problem_says_what_where_and_how_to_go_on(void **state)
{
    struct api_problem_error error = {.pointer = FL_STR("/queu"),
                                      .detail = FL_STR("no such field"),
                                      .got = FL_STR("\"x\"\n"),
                                      .allowed = FL_STR("queue"),
                                      .line = 2,
                                      .col = 1};
    struct api_problem problem = {.code = FL_INVALID,
                                  .detail = "it is wrong",
                                  .errors = &error,
                                  .errors_len = 1,
                                  .trace_id = "ab"};
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 4096);
    api_problem_write(&buf, &problem);
    fl_buf_put_u8(&buf, 0);
    assert_string_equal(
        (const char *)buf.at,
        "{\"type\":\"https://fairlead.dev/docs/reference/api#invalid\",\"title\":\"Unprocessable "
        "Content\",\"status\":422,\"code\":\"invalid\",\"detail\":\"it is wrong\",\"errors\":[{"
        "\"pointer\":\"/queu\",\"detail\":\"no such field\",\"got\":\"\\\"x\\\"\\n\",\"allowed\":"
        "\"queue\",\"line\":2,\"col\":1}],\"traceId\":\"ab\"}");
    fl_buf_fini(&buf);
}

static void every_code_has_a_status_and_no_bare_500(void **state)
{
    static const enum fl_code codes[] = {
#define FL_CODE(constant, name, meaning) constant,
#include "shared/base/codes.def"
#undef FL_CODE
    };

    (void)state;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        uint16_t status = api_status_of(codes[i]);

        assert_true(status != 500 || codes[i] == FL_TORN || codes[i] == FL_BUG);
        assert_string_not_equal(api_status_text(status), "Unknown");
        assert_true((status != 503 && status != 507 && status != 429) ||
                    api_retry_after_s(status) > 0);
    }
}

static void a_cursor_is_read_back_and_nothing_else_is(void **state)
{
    static const char *const bad[] = {"", "o", "x5", "o05", "o-1", "o5 ", "e18446744073709551616"};
    struct api_cursor cursor = {API_CURSOR_ended, UINT64_MAX}, again;
    char text[API_CURSOR_BYTES];

    (void)state;
    api_cursor_print(cursor, text);
    assert_true(api_cursor_parse(fl_str_c(text), &again));
    assert_int_equal(again.part, API_CURSOR_ended);
    assert_true(again.job == UINT64_MAX);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(api_cursor_parse(fl_str_c(bad[i]), &again));
    }
}

static void a_place_is_read_back_and_nothing_else_is(void **state)
{
    static const char *const bad[] = {"", ".", "1.", ".1", "1.01", "1.4294967296", "1.2.3", "a.b"};
    struct event_place place = {17, 3}, again;
    char text[EVENT_PLACE_TEXT_MAX];

    (void)state;
    event_place_print(place, text);
    assert_string_equal(text, "17.3");
    assert_true(event_place_parse(fl_str_c(text), &again));
    assert_true(again.batch == 17 && again.row == 3);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(event_place_parse(fl_str_c(bad[i]), &again));
    }
}

static void lines_are_counted_with_the_empty_ones_and_given_without(void **state)
{
    struct ndjson lines = {.rest = FL_STR("{}\r\n\n  \n[1]\nlast")};
    struct fl_str line;

    (void)state;
    assert_true(ndjson_next(&lines, &line));
    assert_true(fl_str_eq(line, FL_STR("{}")) && lines.line == 1);
    assert_true(ndjson_next(&lines, &line));
    assert_true(fl_str_eq(line, FL_STR("[1]")) && lines.line == 4);
    assert_true(ndjson_next(&lines, &line));
    assert_true(fl_str_eq(line, FL_STR("last")) && lines.line == 5);
    assert_false(ndjson_next(&lines, &line));
}

FL_TESTS(cmocka_unit_test(a_problem_says_what_where_and_how_to_go_on),
         cmocka_unit_test(every_code_has_a_status_and_no_bare_500),
         cmocka_unit_test(a_cursor_is_read_back_and_nothing_else_is),
         cmocka_unit_test(a_place_is_read_back_and_nothing_else_is),
         cmocka_unit_test(lines_are_counted_with_the_empty_ones_and_given_without))
