#include "shared/wire/http_body.h"

#include "tests/fl_test.h"

/* Reads 'bytes' piece_bytes at a time; returns 0 and the body, the status of a refusal, or -1 when
 * the body goes on. */
static int read_body(const struct fl_http_head *head, uint64_t bytes_max, struct fl_str bytes,
                     size_t piece_bytes, char *ret_body, size_t *ret_rest)
{
    struct fl_http_refusal refusal = {0};
    struct fl_http_body body;
    size_t len = 0, pos = 0;

    fl_http_body_init(&body, head, bytes_max);
    for (;;) {
        size_t cut = bytes.len - pos < piece_bytes ? bytes.len - pos : piece_bytes;
        struct fl_str part = {bytes.at + pos, cut}, piece;
        enum fl_http_body_answer answer;

        pos += cut;
        while ((answer = fl_http_body_next(&body, &part, &piece, &refusal)) == FL_HTTP_BODY_PIECE) {
            memcpy(ret_body + len, piece.at, piece.len);
            len += piece.len;
        }
        ret_body[len] = 0;
        if (answer == FL_HTTP_BODY_END) {
            *ret_rest = bytes.len - pos + part.len;
            return 0;
        }
        if (answer == FL_HTTP_BODY_BAD) {
            assert_int_equal(fl_http_body_next(&body, &part, &piece, &refusal), FL_HTTP_BODY_BAD);
            return (int)refusal.status;
        }
        assert_int_equal(part.len, 0);
        if (pos == bytes.len) return -1;
    }
}

static void chunks_are_read_to_the_letter(void **state)
{
    static const struct {
        struct fl_str bytes;
        const char *body;
        int status;
    } rows[] = {
        {FL_STR("0\r\n\r\nrest"), "", 0},
        {FL_STR("5\r\nhello\r\n0\r\n\r\nrest"), "hello", 0},
        {FL_STR("000A\r\n0123456789\r\n1\r\na\r\n00\r\n\r\nrest"), "0123456789a", 0},
        {FL_STR("5;a=b;c=\"d\"\r\nhello\r\n0;x\r\n\r\nrest"), "hello", 0},
        {FL_STR("5\r\nhello\r\n0\r\n"), "hello", -1},
        {FL_STR("5\r\nhel"), "hel", -1},
        {FL_STR("5\r\nhello\r\n0\r\nTrailer: x\r\n\r\n"), "hello", 400},
        {FL_STR("5\nhello\r\n0\r\n\r\n"), "", 400},
        {FL_STR("5\r\nhello\n0\r\n\r\n"), "hello", 400},
        {FL_STR("5\r\nhello!\r\n0\r\n\r\n"), "hello", 400},
        {FL_STR("5 \r\nhello\r\n0\r\n\r\n"), "", 400},
        {FL_STR(" 5\r\nhello\r\n0\r\n\r\n"), "", 400},
        {FL_STR("+5\r\nhello\r\n0\r\n\r\n"), "", 400},
        {FL_STR("0x5\r\nhello\r\n0\r\n\r\n"), "", 400},
        {FL_STR("\r\nhello"), "", 400},
        {FL_STR(";x\r\nhello"), "", 400},
        {FL_STR("5;\n\r\nhello"), "", 400},
        {FL_STR("00000000000000005\r\nhello"), "", 400},
        {FL_STR("ffffffffffffffff\r\nhello"), "", 413},
        {FL_STR("15\r\nhello"), "", 413},
        {FL_STR("5\r\nhello\r\n10\r\nhello"), "hello", 413},
        {FL_STR("0\r\n\nrest"), "", 400},
        {FL_STR("0\r\n\r\rrest"), "", 400},
    };
    struct fl_http_head head = {.is_chunked = true};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t piece_bytes = 1; piece_bytes < 64; piece_bytes += 7) {
            char body[64];
            size_t rest = 0;

            assert_int_equal(read_body(&head, 20, rows[i].bytes, piece_bytes, body, &rest),
                             rows[i].status);
            assert_string_equal(body, rows[i].body);
            if (rows[i].status == 0) assert_int_equal(rest, 4);
        }
    }
}

static void extensions_are_few(void **state)
{
    struct fl_http_head head = {.is_chunked = true};
    static char bytes[FL_HTTP_EXTENSION_BYTES_MAX + 16];
    char body[8];
    size_t rest;

    (void)state;
    memset(bytes, 'x', sizeof bytes);
    bytes[0] = '1';
    bytes[1] = ';';
    assert_int_equal(read_body(&head, 20, (struct fl_str){bytes, FL_HTTP_EXTENSION_BYTES_MAX + 2},
                               100, body, &rest),
                     -1);
    assert_int_equal(read_body(&head, 20, (struct fl_str){bytes, FL_HTTP_EXTENSION_BYTES_MAX + 3},
                               100, body, &rest),
                     400);
}

static void a_plain_body_has_its_length(void **state)
{
    struct fl_http_head head = {.content_bytes = 5};
    char body[16];
    size_t rest = 0;

    (void)state;
    assert_int_equal(read_body(&head, 5, FL_STR("hellorest"), 2, body, &rest), 0);
    assert_string_equal(body, "hello");
    assert_int_equal(rest, 4);
    assert_int_equal(read_body(&head, 5, FL_STR("hell"), 9, body, &rest), -1);
    assert_int_equal(read_body(&head, 4, FL_STR(""), 9, body, &rest), 413);
    head.content_bytes = 0;
    assert_int_equal(read_body(&head, 0, FL_STR("rest"), 9, body, &rest), 0);
    assert_int_equal(rest, 4);
}

FL_TESTS(cmocka_unit_test(chunks_are_read_to_the_letter), cmocka_unit_test(extensions_are_few),
         cmocka_unit_test(a_plain_body_has_its_length))
