/* WebSocket frames, at either end, however they are cut. */
#include "shared/wire/websocket.h"

#include "tests/fl_test.h"

enum { OUT_MAX = 1 << 18 };

/* The output: pieces of data put together, and the control frames, a letter each. */
struct heard {
    uint8_t data[OUT_MAX];
    size_t len;
    char words[64];
    struct fl_err err;
    enum fl_ws_close close;
    enum fl_ws_answer answer;
};

static void note(struct heard *heard, const char *word)
{
    strncat(heard->words, word, sizeof heard->words - strlen(heard->words) - 1);
}

static void take(struct heard *heard, const struct fl_ws_piece *piece)
{
    if (piece->opcode == FL_WS_BINARY) {
        if (piece->is_first) note(heard, "(");
        if (piece->bytes.len > 0) {
            memcpy(heard->data + heard->len, piece->bytes.at, piece->bytes.len);
        }
        heard->len += piece->bytes.len;
        if (piece->is_last) note(heard, ")");
    } else {
        note(heard, piece->opcode == FL_WS_PING ? "i" : piece->opcode == FL_WS_PONG ? "o" : "c");
    }
}

/* Feeds 'bytes' in parts of 'step'; each part is a copy, which is unmasked in place. */
static void hear(struct heard *heard, bool is_server, const uint8_t *bytes, size_t len, size_t step)
{
    struct fl_ws_reader reader = {.wants_mask = is_server};
    static uint8_t copy[OUT_MAX];

    *heard = (struct heard){.answer = FL_WS_MORE};
    for (size_t at = 0; at < len && heard->answer != FL_WS_BAD; at += step) {
        size_t part = len - at < step ? len - at : step;
        uint8_t *from = copy;
        struct fl_ws_piece piece;

        memcpy(copy, bytes + at, part);
        while ((heard->answer = fl_ws_next(&reader, &from, &part, &piece, &heard->err)) ==
               FL_WS_READY) {
            take(heard, &piece);
        }
    }
    heard->close = reader.close;
}

static size_t put(uint8_t *out, enum fl_ws_opcode opcode, const void *bytes, size_t len,
                  bool is_client)
{
    static const uint8_t mask[4] = {0x37, 0xfa, 0x21, 0x3d};
    size_t n = fl_ws_header(opcode, len, is_client ? mask : NULL, out);

    if (len > 0) memcpy(out + n, bytes, len);
    if (is_client) fl_ws_mask(mask, 0, out + n, len);
    return n + len;
}

static void a_message_of_any_length_and_any_cut_is_read_as_it_was_written(void **state)
{
    static const size_t lens[] = {0, 1, 125, 126, 127, 65535, 65536, 100000};
    static uint8_t bytes[OUT_MAX / 2], frame[OUT_MAX];
    static struct heard heard;

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 7);
    }
    for (size_t i = 0; i < 2 * sizeof lens / sizeof *lens; i++) {
        bool is_client = i % 2;
        size_t len = put(frame, FL_WS_BINARY, bytes, lens[i / 2], is_client);

        for (size_t step = 1; step < 20000; step = step * 5 + 2) {
            hear(&heard, is_client, frame, len, step);
            assert_int_equal(heard.answer, FL_WS_MORE);
            assert_int_equal(heard.len, lens[i / 2]);
            assert_memory_equal(heard.data, bytes, heard.len);
            assert_string_equal(heard.words, "()");
        }
    }
}

static void the_examples_of_the_rfc_are_read(void **state)
{
    static const uint8_t masked[] = {0x82, 0x85, 0x37, 0xfa, 0x21, 0x3d,
                                     0x7f, 0x9f, 0x4d, 0x51, 0x58};
    /* "Hel" and "lo" with a ping between them */
    static const uint8_t cut[] = {0x02, 0x03, 'H', 'e', 'l',  0x89, 0x01, '!',
                                  0x80, 0x02, 'l', 'o', 0x88, 0x02, 0x03, 0xe8};
    static struct heard heard;

    (void)state;
    hear(&heard, true, masked, sizeof masked, sizeof masked);
    assert_int_equal(heard.len, 5);
    assert_memory_equal(heard.data, "Hello", 5);
    hear(&heard, false, cut, sizeof cut, 3);
    assert_memory_equal(heard.data, "Hello", 5);
    assert_string_equal(heard.words, "(i)c");
}

static void what_breaks_a_rule_is_refused_with_its_code(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        bool is_server;
        enum fl_ws_close close;
    } bad[] = {
        {"\xc2\x00", 2, false, FL_WS_BROKEN},         /* a reserved bit */
        {"\x83\x00", 2, false, FL_WS_BROKEN},         /* an unknown opcode */
        {"\x81\x00", 2, false, FL_WS_NO_TEXT},        /* text */
        {"\x80\x00", 2, false, FL_WS_BROKEN},         /* continues nothing */
        {"\x02\x00\x82\x00", 4, false, FL_WS_BROKEN}, /* a message within a message */
        {"\x09\x00", 2, false, FL_WS_BROKEN},         /* a ping that is cut */
        {"\x89\x7e\x00\x7e", 4, false, FL_WS_BROKEN}, /* a ping of 126 bytes */
        {"\x82\x7e\x00\x7d", 4, false, FL_WS_BROKEN}, /* a length that is too long */
        {"\x82\x7f\0\0\0\0\0\0\xff\xff", 10, false, FL_WS_BROKEN},
        {"\x82\x7f\x80\0\0\0\0\0\0\0", 10, false, FL_WS_TOO_LARGE},
        {"\x82\x7f\0\0\0\0\x04\0\0\x01", 10, false, FL_WS_TOO_LARGE}, /* 64 MiB and one */
        {"\x82\x00", 2, true, FL_WS_BROKEN},                          /* a client does not mask */
        {"\x82\x80", 2, false, FL_WS_BROKEN},                         /* a server does */
    };
    static struct heard heard;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        for (size_t step = 1; step <= bad[i].len; step++) {
            hear(&heard, bad[i].is_server, (const uint8_t *)bad[i].bytes, bad[i].len, step);
            assert_int_equal(heard.answer, FL_WS_BAD);
            assert_int_equal(heard.close, bad[i].close);
            assert_true(heard.err.text[0] != '\0');
        }
    }
}

FL_TESTS(cmocka_unit_test(a_message_of_any_length_and_any_cut_is_read_as_it_was_written),
         cmocka_unit_test(the_examples_of_the_rfc_are_read),
         cmocka_unit_test(what_breaks_a_rule_is_refused_with_its_code))
