/* The part of SPDY/3.1 that a forward takes. */
#include "agent/kube/kube_spdy.h"

#include "tests/fl_test.h"

#define BYTES(...) ((const uint8_t[]){__VA_ARGS__}), sizeof((const uint8_t[]){__VA_ARGS__})

/* The pieces that come out, a word for each, when fed in parts of 'step'. */
static const char *told(const uint8_t *bytes, size_t len, size_t step)
{
    static char text[512];
    struct kube_spdy_reader reader = {0};
    struct kube_spdy_piece piece;
    struct fl_err err = {0};
    size_t out = 0;

    text[0] = 0;
    for (size_t at = 0; at < len; at += step) {
        struct fl_str part = {(const char *)bytes + at, len - at < step ? len - at : step};
        enum kube_spdy_answer answer;

        while ((answer = kube_spdy_next(&reader, &part, &piece, &err)) == KUBE_SPDY_READY) {
            if (piece.kind == KUBE_SPDY_DATA) {
                out += (size_t)snprintf(text + out, sizeof text - out, FL_STR_FMT,
                                        FL_STR_ARG(piece.bytes));
            }
            if (piece.kind == KUBE_SPDY_DATA && piece.is_last) {
                out += (size_t)snprintf(text + out, sizeof text - out, "|%u ends ", piece.stream);
            }
            if (piece.kind != KUBE_SPDY_DATA) {
                static const char *const names[] = {"", "reset", "ping", "goaway"};

                out += (size_t)snprintf(text + out, sizeof text - out, "(%s %u %u)",
                                        names[piece.kind], piece.stream, piece.number);
            }
        }
        if (answer == KUBE_SPDY_BAD) {
            snprintf(text + out, sizeof text - out, "bad: %s", err.text);
            return text;
        }
        assert_int_equal(part.len, 0);
    }
    return text;
}

static void expect(const uint8_t *bytes, size_t len, const char *text)
{
    assert_string_equal(told(bytes, len, len), text);
    assert_string_equal(told(bytes, len, 1), text);
    assert_string_equal(told(bytes, len, 3), text);
}

static void frames_are_read_however_they_are_cut(void **state)
{
    (void)state;
    expect(BYTES(0, 0, 0, 3, 0, 0, 0, 2, 'h', 'i', 0, 0, 0, 3, 1, 0, 0, 1, '!'), "hi!|3 ends ");
    expect(BYTES(0, 0, 0, 1, 1, 0, 0, 0), "|1 ends ");
    /* SYN_REPLY, whose headers are skipped, and one that ends its stream */
    expect(
        BYTES(0x80, 3, 0, 2, 0, 0, 0, 6, 0, 0, 0, 1, 9, 9, 0x80, 3, 0, 2, 1, 0, 0, 4, 0, 0, 0, 3),
        "|3 ends ");
    expect(BYTES(0x80, 3, 0, 3, 0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 0, 5), "(reset 3 5)");
    expect(BYTES(0x80, 3, 0, 6, 0, 0, 0, 4, 0, 0, 0, 2), "(ping 0 2)");
    expect(BYTES(0x80, 3, 0, 7, 0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 0, 2), "(goaway 0 2)");
    /* SETTINGS, WINDOW_UPDATE and an unknown one */
    expect(BYTES(0x80, 3, 0, 4, 0, 0, 0, 4, 0, 0, 0, 0, 0x80, 3, 0, 9, 0, 0, 0, 8, 0, 0, 0, 3, 0, 0,
                 0, 9, 0x80, 3, 0, 99, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1, 'x'),
           "x");
}

static void a_broken_frame_is_refused(void **state)
{
    (void)state;
    expect(BYTES(0x80, 2, 0, 6, 0, 0, 0, 4), "bad: a frame is not of SPDY/3");
    expect(BYTES(0x81, 3, 0, 6, 0, 0, 0, 4), "bad: a frame is not of SPDY/3");
    expect(BYTES(0x80, 3, 0, 6, 0, 0, 0, 3), "bad: a control frame of type 6 is cut");
    expect(BYTES(0x80, 3, 0, 2, 0, 1, 0, 1), "bad: a control frame is over 64 KiB");
    expect(BYTES(0x80, 3, 0, 1, 0, 0, 0, 10), "bad: the peer opens a stream");
}

/* As a reader of zlib sees it: SPDY's own dictionary, stored blocks, the last of which is empty. */
static void headers_are_stored_in_zlib(void **state)
{
    static const uint8_t wanted[] = {
        0x80, 3,    0,    1,    1,    0,    0,   47,          /* SYN_STREAM, FIN */
        0,    0,    0,    1,    0,    0,    0,   0,   0,   0, /* stream 1 */
        0x78, 0xbb, 0xe3, 0xc6, 0xa7, 0xc2,                   /* zlib */
        0,    21,   0,    0xea, 0xff,                         /* 21 bytes */
        0,    0,    0,    1,    0,    0,    0,   4,   'p', 'o', 'r',
        't',  0,    0,    0,    5,    '8',  '0', '8', '0', '0', /* 4 + 4 + 4 + 4 + 5 */
        0,    0,    0,    0xff, 0xff,
    };
    struct kube_spdy_header header = {"port", "80800"};
    struct kube_spdy_open open = {
        .stream = 1, .is_first = true, .is_last = true, .headers = &header, .headers_len = 1};
    struct fl_buf out;

    (void)state;
    fl_buf_init(&out, 1024);
    assert_true(kube_spdy_put_open(&out, &open));
    assert_int_equal(out.len, sizeof wanted);
    assert_memory_equal(out.at, wanted, sizeof wanted);
    fl_buf_clear(&out);
    open.is_first = open.is_last = false;
    open.stream = 3;
    assert_true(kube_spdy_put_open(&out, &open));
    assert_int_equal(out.len, sizeof wanted - 6);
    assert_int_equal(out.at[4], 0);
    assert_int_equal(out.at[7], 41);
    fl_buf_fini(&out);
    fl_buf_init(&out, 20);
    assert_false(kube_spdy_put_open(&out, &open));
    fl_buf_fini(&out);
}

static void data_and_pings_are_read_as_they_were_written(void **state)
{
    uint8_t header[KUBE_SPDY_HEADER_BYTES];
    struct fl_buf out;

    (void)state;
    fl_buf_init(&out, 64);
    kube_spdy_data(3, 2, false, header);
    fl_buf_put(&out, header, sizeof header);
    fl_buf_put(&out, "ab", 2);
    assert_true(kube_spdy_put_ping(&out, 4));
    kube_spdy_data(3, 0, true, header);
    fl_buf_put(&out, header, sizeof header);
    expect(out.at, out.len, "ab(ping 0 4)|3 ends ");
    fl_buf_fini(&out);
}

FL_TESTS(cmocka_unit_test(frames_are_read_however_they_are_cut),
         cmocka_unit_test(a_broken_frame_is_refused), cmocka_unit_test(headers_are_stored_in_zlib),
         cmocka_unit_test(data_and_pings_are_read_as_they_were_written))
