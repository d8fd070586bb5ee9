#include "shared/wire/http_head.h"

#include "tests/fl_test.h"

static const struct fl_http_head_limits limits = {
    .head_bytes_max = 1024, .target_bytes_max = 64, .headers_max = 4, .old_path = {"/old", 4}};

/* The status of a head that is refused, 0 for one that is taken, -1 for one that is not whole. */
static int status_of(struct fl_str bytes, struct fl_http_field *fields, struct fl_http_head *head)
{
    struct fl_http_refusal refusal = {0};
    struct fl_http_head_scan scan = {0};
    size_t head_bytes = 0;

    switch (fl_http_head_scan(&scan, bytes, &limits, &head_bytes, &refusal)) {
    case FL_HTTP_MORE:
        return -1;
    case FL_HTTP_BAD:
        return (int)refusal.status;
    case FL_HTTP_READY:
        break;
    }
    if (fl_http_head_parse((struct fl_str){bytes.at, head_bytes}, &limits, fields, head,
                           &refusal)) {
        return 0;
    }
    assert_true(refusal.status >= 400 && refusal.why[0]);
    return (int)refusal.status;
}

static void what_can_be_understood_in_two_ways_is_refused(void **state)
{
    static const struct {
        struct fl_str bytes;
        int status;
    } rows[] = {
#define ROW(text, status) {FL_STR(text), status}
#define GET "GET / HTTP/1.1\r\n"
#define HOST "Host: a\r\n"
        ROW(GET HOST "\r\n", 0),
        ROW(GET HOST, -1),
        ROW("", -1),
        ROW(GET "hOsT:a:80  \r\n\r\n", 0),
        ROW(GET "\r\n", 400),
        ROW(GET HOST HOST "\r\n", 400),
        ROW(GET "Host:\r\n\r\n", 400),
        ROW(GET "Host: a/b\r\n\r\n", 400),
        ROW("GET / HTTP/1.1\nHost: a\r\n\r\n", 400),
        ROW(GET "Host: a\n\r\n", 400),
        ROW(GET HOST "\n", 400),
        ROW(GET "Host: a\rb\r\n\r\n", 400),
        ROW(GET HOST "x: \0\r\n\r\n", 400),
        ROW(GET HOST "x: \x7f\r\n\r\n", 400),
        ROW(GET HOST "x: \xc3\xa4\r\n\r\n", 0),
        ROW(GET "Host : a\r\n\r\n", 400),
        ROW(GET HOST "x: 1\r\n 2\r\n\r\n", 400),
        ROW(GET HOST "\t: 2\r\n\r\n", 400),
        ROW(GET HOST ": 2\r\n\r\n", 400),
        ROW(GET HOST "no colon\r\n\r\n", 400),
        ROW("\r\n" GET HOST "\r\n", 400),
        ROW("GET  / HTTP/1.1\r\n" HOST "\r\n", 400),
        ROW("GET / HTTP/1.1 \r\n" HOST "\r\n", 400),
        ROW("GET /\r\n" HOST "\r\n", 400),
        ROW("GET\r\n" HOST "\r\n", 400),
        ROW("GET / http/1.1\r\n" HOST "\r\n", 400),
        ROW("GET / HTTP/1.0\r\n" HOST "\r\n", 505),
        ROW("GET /old HTTP/1.0\r\n\r\n", 0),
        ROW("GET /old HTTP/1.0\r\n" HOST "Content-Length: 0\r\n\r\n", 505),
        ROW("POST /old HTTP/1.0\r\n" HOST "\r\n", 505),
        ROW("GET /old?a HTTP/1.0\r\n" HOST "\r\n", 505),
        ROW("GET /old HTTP/1.1\r\n\r\n", 400),
        ROW("GET / HTTP/2.0\r\n" HOST "\r\n", 505),
        ROW("get / HTTP/1.1\r\n" HOST "\r\n", 501),
        ROW("BREW / HTTP/1.1\r\n" HOST "\r\n", 501),
        ROW("G@T / HTTP/1.1\r\n" HOST "\r\n", 400),
        ROW("GET http://a/ HTTP/1.1\r\n" HOST "\r\n", 400),
        ROW("OPTIONS * HTTP/1.1\r\n" HOST "\r\n", 400),
        ROW("GET /a%2 HTTP/1.1\r\n" HOST "\r\n", 400),
        ROW("GET /a%gg HTTP/1.1\r\n" HOST "\r\n", 400),
        ROW("GET /a#b HTTP/1.1\r\n" HOST "\r\n", 400),
        ROW("GET /\xc3\xa4 HTTP/1.1\r\n" HOST "\r\n", 400),
        ROW("GET /%2f?%41=+ HTTP/1.1\r\n" HOST "\r\n", 0),
        ROW("GET "
            "/0123456789012345678901234567890123456789012345678901234567890123 HTTP/1.1\r\n" HOST
            "\r\n",
            414),
        ROW(GET HOST "a:\r\nb:\r\nc:\r\n\r\n", 0),
        ROW(GET HOST "a:\r\nb:\r\nc:\r\nd:\r\n\r\n", 431),
        ROW(GET HOST "Content-Length: 5\r\n\r\n", 0),
        ROW(GET HOST "Content-Length: 5\r\nContent-Length: 5\r\n\r\n", 400),
        ROW(GET HOST "Content-Length: 5, 5\r\n\r\n", 400),
        ROW(GET HOST "Content-Length: +5\r\n\r\n", 400),
        ROW(GET HOST "Content-Length: -5\r\n\r\n", 400),
        ROW(GET HOST "Content-Length: 0x5\r\n\r\n", 400),
        ROW(GET HOST "Content-Length: 5 5\r\n\r\n", 400),
        ROW(GET HOST "Content-Length:\r\n\r\n", 400),
        ROW(GET HOST "Content-Length: 18446744073709551615\r\n\r\n", 0),
        ROW(GET HOST "Content-Length: 18446744073709551616\r\n\r\n", 413),
        ROW(GET HOST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ROW(GET HOST "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n", 400),
        ROW(GET HOST "Transfer-Encoding: chunked\r\n\r\n", 0),
        ROW(GET HOST "Transfer-Encoding: Chunked\r\n\r\n", 501),
        ROW(GET HOST "Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
        ROW(GET HOST "Transfer-Encoding: identity\r\n\r\n", 501),
        ROW(GET HOST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ROW(GET HOST "Authorization: a\r\nAuthorization: a\r\n\r\n", 400),
        ROW(GET HOST "Authorization: a\r\nauthorizatioN: b\r\n\r\n", 400),
        ROW(GET HOST "Content-Type: a\r\nX: b\r\nContent-Type: a\r\n\r\n", 400),
        ROW(GET HOST "Fairlead-As: a\r\nFairlead-As: b\r\n\r\n", 400),
        ROW(GET HOST "If-Match: a\r\nX: b\r\nif-match: a\r\n\r\n", 400),
        ROW(GET HOST "Accept: a\r\nAccept: b\r\n\r\n", 0),
        ROW(GET HOST "Content-Encoding: gzip\r\n\r\n", 415),
        ROW(GET HOST "Expect: 100-Continue\r\n\r\n", 0),
        ROW(GET HOST "Expect: 200-ok\r\n\r\n", 417),
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fl_http_field fields[4];
        struct fl_http_head head = {0};
        int status = status_of(rows[i].bytes, fields, &head);

        if (status != rows[i].status) {
            fail_msg("%d, not %d: %s", status, rows[i].status, rows[i].bytes.at);
        }
    }
}

static void a_head_is_read(void **state)
{
    struct fl_http_field fields[4];
    struct fl_http_head head = {0};

    (void)state;
    assert_int_equal(
        status_of(FL_STR("POST /v1/jobs%2f?q=1?2 HTTP/1.1\r\nHost: a.b:80\r\nX-Y: \t one "
                         "two \t\r\nContent-Length: 007\r\nConnection: x, Close\r\n\r\nrest"),
                  fields, &head),
        0);
    assert_int_equal(head.method, FL_HTTP_POST);
    assert_string_equal(fl_http_method_name(head.method), "POST");
    assert_true(fl_str_eq(head.path, FL_STR("/v1/jobs%2f")));
    assert_true(fl_str_eq(head.query, FL_STR("q=1?2")));
    assert_true(fl_str_eq(head.host, FL_STR("a.b:80")));
    assert_int_equal(head.fields_len, 4);
    assert_int_equal(head.content_bytes, 7);
    assert_true(fl_http_head_has_body(&head));
    assert_true(head.wants_close);
    assert_true(fl_str_eq(fl_http_head_find(&head, FL_STR("x-y"))->value, FL_STR("one two")));
    assert_null(fl_http_head_find(&head, FL_STR("x-z")));
}

static void a_head_that_is_too_long_is_refused_before_its_end(void **state)
{
    static char bytes[2048];
    struct fl_http_refusal refusal = {0};
    struct fl_http_head_scan scan = {0};
    size_t head_bytes;

    (void)state;
    memset(bytes, 'a', sizeof bytes);
    assert_int_equal(
        fl_http_head_scan(&scan, (struct fl_str){bytes, 1024}, &limits, &head_bytes, &refusal),
        FL_HTTP_MORE);
    assert_int_equal(
        fl_http_head_scan(&scan, (struct fl_str){bytes, 1025}, &limits, &head_bytes, &refusal),
        FL_HTTP_BAD);
    assert_int_equal(refusal.status, 414);
    memcpy(bytes, GET, sizeof GET - 1);
    scan = (struct fl_http_head_scan){0};
    assert_int_equal(
        fl_http_head_scan(&scan, (struct fl_str){bytes, 1025}, &limits, &head_bytes, &refusal),
        FL_HTTP_BAD);
    assert_int_equal(refusal.status, 431);
}

/* A peer that speaks HTTP/0.9, or something else, sends a line and waits. */
static void a_first_line_without_a_version_is_refused_before_the_head_ends(void **state)
{
    static const struct fl_str lines[] = {FL_STR("GET /\r\n"), FL_STR("HELO a\r\n"),
                                          FL_STR("x\r\n"), FL_STR("GET / http/1.1\r\n"),
                                          FL_STR("GET / HTTP/1.1 \r\n")};
    struct fl_http_refusal refusal = {0};
    struct fl_http_head_scan scan;
    size_t head_bytes;

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        scan = (struct fl_http_head_scan){0};
        assert_int_equal(fl_http_head_scan(&scan, lines[i], &limits, &head_bytes, &refusal),
                         FL_HTTP_BAD);
        assert_int_equal(refusal.status, 400);
    }
    scan = (struct fl_http_head_scan){0};
    assert_int_equal(fl_http_head_scan(&scan, FL_STR(GET), &limits, &head_bytes, &refusal),
                     FL_HTTP_MORE);
}

static void an_etag_is_found_in_a_list(void **state)
{
    struct fl_str etag = FL_STR("\"b\""), list = FL_STR(" W/\"a,\" , \"\",\"b\" ,"), tag;

    (void)state;
    assert_true(fl_http_etag_is_listed(FL_STR("\"b\""), etag));
    assert_true(fl_http_etag_is_listed(FL_STR("W/\"b\""), etag));
    assert_true(fl_http_etag_is_listed(FL_STR(" \"a,\" ,W/\"c\", \"b\""), etag));
    assert_true(fl_http_etag_is_listed(FL_STR("*"), etag));
    assert_false(fl_http_etag_is_listed(FL_STR(""), etag));
    assert_false(fl_http_etag_is_listed(FL_STR("b"), etag));
    assert_false(fl_http_etag_is_listed(FL_STR("\"a\" \"b\""), etag));
    assert_false(fl_http_etag_is_listed(FL_STR("\"b"), etag));
    assert_false(fl_http_etag_is_listed(FL_STR("W/"), etag));
    assert_true(fl_http_etag_next(&list, &tag) && fl_str_eq(tag, FL_STR("\"a,\"")));
    assert_true(fl_http_etag_next(&list, &tag) && fl_str_eq(tag, FL_STR("\"\"")));
    assert_false(fl_http_etag_next(&list, &tag)); /* a comma, and nothing behind it */
    assert_true(fl_str_eq(list, FL_STR("\"b\" ,")));
}

static void a_value_with_a_line_end_is_no_header(void **state)
{
    (void)state;
    assert_true(fl_http_is_header_value(FL_STR("a b\tc")));
    assert_false(fl_http_is_header_value(FL_STR("a\r\nb: c")));
    assert_false(fl_http_is_header_value(FL_STR("a\0")));
}

FL_TESTS(cmocka_unit_test(what_can_be_understood_in_two_ways_is_refused),
         cmocka_unit_test(a_head_is_read),
         cmocka_unit_test(a_head_that_is_too_long_is_refused_before_its_end),
         cmocka_unit_test(a_first_line_without_a_version_is_refused_before_the_head_ends),
         cmocka_unit_test(an_etag_is_found_in_a_list),
         cmocka_unit_test(a_value_with_a_line_end_is_no_header))
