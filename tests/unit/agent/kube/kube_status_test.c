#include "agent/kube/kube_status.h"

#include <inttypes.h>

#include "shared/base/arena.h"
#include "shared/json/json.h"
#include "tests/fl_test.h"

static const char *tell(const struct kube_failure *failure, struct fl_arena *arena)
{
    return fl_arena_printf(arena, "%u %s %s: %s after %" PRId64, failure->status,
                           fl_code_name(failure->err.code), failure->reason, failure->err.text,
                           failure->retry_after_ms);
}

static const char *read_body(unsigned status, const char *body, struct fl_arena *arena)
{
    struct kube_failure failure;

    kube_status_read(status, fl_str_c(body), &failure);
    return tell(&failure, arena);
}

static void a_status_becomes_an_error_with_the_servers_words(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(
        read_body(
            403,
            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":"
            "\"pods is forbidden: User \\\"x\\\" cannot list\\nthem\",\"reason\":\"Forbidden\","
            "\"details\":{\"kind\":\"pods\"},\"code\":403}",
            &arena),
        "403 denied Forbidden: the API server answers 403 Forbidden: pods is forbidden: User \"x\" "
        "cannot list them after -1");
    assert_string_equal(
        read_body(429,
                  "{\"kind\":\"Status\",\"message\":\"too many requests, please try again later\","
                  "\"reason\":\"TooManyRequests\",\"details\":{\"retryAfterSeconds\":3}}",
                  &arena),
        "429 unavailable TooManyRequests: the API server answers 429 TooManyRequests: too many "
        "requests, please try again later after 3000");
    fl_arena_fini(&arena);
}

static void what_is_no_status_is_told_by_its_number(void **state)
{
    static const char *const bodies[] = {"", "<html>bad gateway</html>", "{}", "[]",
                                         "{\"kind\":\"Pod\",\"message\":\"hello\"}"};
    struct fl_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        assert_string_equal(read_body(502, bodies[i], &arena),
                            "502 unavailable : the API server answers 502 after -1");
    }
    fl_arena_fini(&arena);
}

static void each_number_has_its_code(void **state)
{
    static const struct {
        unsigned status;
        enum fl_code code;
    } rows[] = {
        {400, FL_INVALID},     {401, FL_DENIED},      {403, FL_DENIED},      {404, FL_ABSENT},
        {405, FL_UNSUPPORTED}, {409, FL_CONFLICT},    {410, FL_ABSENT},      {413, FL_TOO_LARGE},
        {415, FL_UNSUPPORTED}, {422, FL_INVALID},     {429, FL_UNAVAILABLE}, {500, FL_UNAVAILABLE},
        {501, FL_UNSUPPORTED}, {503, FL_UNAVAILABLE}, {302, FL_IO},
    };
    struct kube_failure failure;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kube_status_read(rows[i].status, (struct fl_str){0}, &failure);
        assert_int_equal(failure.err.code, rows[i].code);
    }
    kube_status_read(409, FL_STR("{\"kind\":\"Status\",\"reason\":\"AlreadyExists\"}"), &failure);
    assert_int_equal(failure.err.code, FL_EXISTS);
}

static void a_status_of_a_watch_brings_its_number(void **state)
{
    struct fl_arena arena = {0};
    const struct fl_json *root;
    struct kube_failure failure;

    (void)state;
    assert_true(
        fl_json_parse(FL_STR("{\"kind\":\"Status\",\"message\":\"too old resource version\","
                             "\"reason\":\"Expired\",\"code\":410}"),
                      &arena, &root, NULL, NULL));
    kube_status_of(root, &failure);
    assert_string_equal(tell(&failure, &arena), "410 absent Expired: the API server answers 410 "
                                                "Expired: too old resource version after -1");
    assert_true(fl_json_parse(FL_STR("{\"code\":7}"), &arena, &root, NULL, NULL));
    kube_status_of(root, &failure);
    assert_int_equal(failure.status, 500);
    fl_arena_fini(&arena);
}

static void long_words_are_cut(void **state)
{
    char body[2000] = "{\"kind\":\"Status\",\"reason\":\"";
    struct kube_failure failure;

    (void)state;
    memset(body + strlen(body), 'r', 500);
    strcat(body, "\",\"message\":\"");
    memset(body + strlen(body), 'm', 500);
    strcat(body, "\"}");
    kube_status_read(400, fl_str_c(body), &failure);
    assert_int_equal(strlen(failure.reason), KUBE_REASON_BYTES_MAX - 1);
    assert_int_equal(strlen(failure.err.text), sizeof failure.err.text - 1);
}

static void the_last_words_of_a_long_text_begin_behind_a_colon(void **state)
{
    char text[200];

    (void)state;
    assert_true(fl_str_eq(kube_status_last_words(FL_STR("a: b")), FL_STR("a: b")));
    memset(text, 'x', sizeof text);
    text[20] = text[60] = ':';
    text[21] = text[61] = ' ';
    assert_ptr_equal(kube_status_last_words((struct fl_str){text, sizeof text}).at, text + 62);
    text[61] = ':';
    assert_int_equal(kube_status_last_words((struct fl_str){text, sizeof text}).len, 160);
}

static void retry_after_is_in_seconds(void **state)
{
    (void)state;
    assert_int_equal(kube_status_retry_after(FL_STR("1")), 1000);
    assert_int_equal(kube_status_retry_after(FL_STR("0")), 0);
    assert_int_equal(kube_status_retry_after(FL_STR("86401")), -1);
    assert_int_equal(kube_status_retry_after(FL_STR("Wed, 21 Oct 2026 07:28:00 GMT")), -1);
    assert_int_equal(kube_status_retry_after((struct fl_str){0}), -1);
}

FL_TESTS(cmocka_unit_test(a_status_becomes_an_error_with_the_servers_words),
         cmocka_unit_test(what_is_no_status_is_told_by_its_number),
         cmocka_unit_test(each_number_has_its_code),
         cmocka_unit_test(a_status_of_a_watch_brings_its_number),
         cmocka_unit_test(long_words_are_cut),
         cmocka_unit_test(the_last_words_of_a_long_text_begin_behind_a_colon),
         cmocka_unit_test(retry_after_is_in_seconds))
