#include "controlplane/http/answer.h"

#include "tests/fl_test.h"

static void the_date_is_written_as_http_wants_it(void **state)
{
    struct http_date date = {0};

    (void)state;
    assert_true(fl_str_eq(http_date_line(&date, 784111777 * FL_SECOND_MS + 999),
                          FL_STR("Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n")));
    assert_true(fl_str_eq(http_date_line(&date, 784111778 * FL_SECOND_MS),
                          FL_STR("Date: Sun, 06 Nov 1994 08:49:38 GMT\r\n")));
    assert_true(
        fl_str_eq(http_date_line(&date, 0), FL_STR("Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n")));
}

static void a_head_says_how_its_body_is_framed(void **state)
{
    static const struct fl_http_field headers[] = {{FL_STR("ETag"), FL_STR("\"a\"")}};
    struct fl_buf out;

    (void)state;
    fl_buf_init(&out, 1000);
    http_answer_put(&out,
                    &(struct http_answer){.status = 404,
                                          .headers = headers,
                                          .headers_len = 1,
                                          .has_length = true,
                                          .length = 1234567890},
                    FL_STR("Date: x\r\n"));
    http_answer_put(&out, &(struct http_answer){.status = 200, .is_chunked = true, .closes = true},
                    FL_STR(""));
    assert_true(fl_str_eq((struct fl_str){(char *)out.at, out.len},
                          FL_STR("HTTP/1.1 404 Not Found\r\nDate: x\r\nETag: \"a\"\r\n"
                                 "Content-Length: 1234567890\r\n\r\n"
                                 "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                                 "Connection: close\r\n\r\n")));
    fl_buf_fini(&out);
}

static void put_two_lines(void *arg)
{
    static const struct fl_http_field headers[] = {{FL_STR("a"), FL_STR("b\r\nc: d")}};

    http_answer_put(arg, &(struct http_answer){.status = 200, .headers = headers, .headers_len = 1},
                    FL_STR(""));
}

static void a_header_that_would_be_two_is_a_bug(void **state)
{
    struct fl_buf out;

    (void)state;
    fl_buf_init(&out, 1000);
    assert_true(fl_test_aborts(put_two_lines, &out));
    fl_buf_fini(&out);
}

FL_TESTS(cmocka_unit_test(the_date_is_written_as_http_wants_it),
         cmocka_unit_test(a_head_says_how_its_body_is_framed),
         cmocka_unit_test(a_header_that_would_be_two_is_a_bug))
