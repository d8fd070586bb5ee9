#include "shared/wire/frame.h"

#include "shared/base/prng.h"
#include "tests/fl_test.h"

static struct fl_buf wire; /* the written bytes; each test begins with an empty buffer */

static int begin(void **state)
{
    (void)state;
    fl_buf_init(&wire, 4 << 20);
    return 0;
}

static int end(void **state)
{
    (void)state;
    fl_buf_fini(&wire);
    return 0;
}

static void put(uint32_t stream, uint8_t type, uint32_t sequence, struct fl_str payload)
{
    struct fl_frame frame = {
        .stream = stream, .type = type, .sequence = sequence, .payload = payload};

    assert_true(fl_frame_put(&wire, &frame));
}

/* Frames as text, for comparison: "stream TYPE flags#sequence:length/hash;". */
static void tell(char *text, size_t max, const struct fl_frame *frame)
{
    uint32_t sum = 0;
    size_t len = strlen(text);

    for (size_t i = 0; i < frame->payload.len; i++) {
        sum = sum * 31 + (uint8_t)frame->payload.at[i];
    }
    snprintf(text + len, max - len, "%u %s %u#%u:%zu/%x;", frame->stream,
             fl_frame_type_name(frame->type), frame->flags, frame->sequence, frame->payload.len,
             sum);
}

/* Feeds all of 'wire' in pieces of 1..piece_max bytes, each in memory of its own. */
static void feed(uint64_t seed, size_t piece_max, char *ret_text, size_t max)
{
    struct fl_frame_decoder decoder;
    struct fl_prng prng;
    struct fl_err err = {0};
    size_t pos = 0;

    ret_text[0] = 0;
    fl_prng_seed(&prng, seed);
    fl_frame_decoder_init(&decoder);
    while (pos < wire.len) {
        size_t len = 1 + fl_prng_below(&prng, piece_max);
        enum fl_frame_answer answer;
        struct fl_frame frame;
        struct fl_str bytes;
        char *piece;

        if (len > wire.len - pos) len = wire.len - pos;
        piece = test_malloc(len);
        memcpy(piece, wire.at + pos, len);
        bytes = (struct fl_str){piece, len};
        while ((answer = fl_frame_decoder_next(&decoder, &bytes, &frame, &err)) == FL_FRAME_READY) {
            tell(ret_text, max, &frame);
        }
        test_free(piece);
        pos += len;
        if (answer == FL_FRAME_BAD) {
            strncat(ret_text, err.text, max - strlen(ret_text) - 1);
            break;
        }
        assert_int_equal(bytes.len, 0);
    }
    fl_frame_decoder_fini(&decoder);
}

static void expect(const char *story)
{
    char text[4096];

    feed(1, wire.len, text, sizeof text);
    assert_string_equal(text, story);
    feed(2, 1, text, sizeof text);
    assert_string_equal(text, story);
}

static void a_header_has_sixteen_bytes_in_the_stated_order(void **state)
{
    static const uint8_t bytes[] = {4, 3, 2, 1, 2, 1, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, 'h', 'i'};
    struct fl_frame frame = {.stream = 0x01020304,
                             .type = FL_FRAME_LOG,
                             .flags = FL_FRAME_MAY_IGNORE,
                             .sequence = 9,
                             .payload = FL_STR("hi")};

    (void)state;
    assert_true(fl_frame_put(&wire, &frame));
    assert_int_equal(wire.len, sizeof bytes);
    assert_memory_equal(wire.at, bytes, sizeof bytes);
}

static void frames_come_out_as_they_went_in_however_the_bytes_are_cut(void **state)
{
    static char large[FL_FRAME_PAYLOAD_MAX];
    char whole[4096], cut[4096];

    (void)state;
    memset(large, 'L', sizeof large);
    put(0, FL_FRAME_CONTROL, 1, FL_STR("one"));
    put(7, FL_FRAME_LOG, 1, (struct fl_str){large, sizeof large});
    put(0, FL_FRAME_CONTROL, 2, (struct fl_str){0});
    assert_true(fl_frame_put_credit(&wire, 0, 3, 4096));
    assert_true(fl_frame_put_credit(&wire, 7, 0, 5));
    assert_true(fl_frame_put_close(&wire, 7, FL_OK, FL_STR("done")));
    put(0, FL_FRAME_CONTROL, 4, FL_STR("last"));
    feed(1, wire.len, whole, sizeof whole);
    assert_non_null(strstr(whole, "7 LOG 0#1:65536/"));
    assert_non_null(strstr(whole, "0 CONTROL 0#4:4/"));
    for (uint64_t seed = 0; seed < 40; seed++) {
        feed(seed, seed < 20 ? 1 + seed : (size_t)1 << (seed - 20), cut, sizeof cut);
        assert_string_equal(whole, cut);
    }
}

static void a_frame_that_does_not_fit_leaves_the_buffer_as_it_was(void **state)
{
    struct fl_frame frame = {
        .stream = 1, .type = FL_FRAME_LOG, .sequence = 1, .payload = FL_STR("12345")};
    struct fl_buf small;

    (void)state;
    fl_buf_init(&small, 41);
    assert_true(fl_frame_put(&small, &frame));
    assert_false(fl_frame_put(&small, &frame));
    assert_true(fl_frame_put_credit(&small, 1, 0, 1)); /* 21 bytes, and now 20: exactly full */
    assert_int_equal(small.len, 41);
    fl_buf_fini(&small);
    fl_buf_init(&small, 20);
    assert_false(fl_frame_put(&small, &frame));
    assert_int_equal(small.len, 0);
    assert_false(small.is_over);
    assert_true(fl_frame_put_credit(&small, 1, 0, 1));
    fl_buf_fini(&small);
}

static void a_large_length_is_refused_before_its_bytes_come(void **state)
{
    put(9, FL_FRAME_LOG, 1, (struct fl_str){0});
    fl_buf_patch_u32(&wire, 8, FL_FRAME_PAYLOAD_MAX + 1);
    (void)state;
    expect("frame on stream 9: 65537 bytes of payload; at most 65536 are allowed");
}

static void an_unknown_type_needs_may_ignore(void **state)
{
    (void)state;
    put(9, FL_FRAME_LOG, 1, FL_STR("x"));
    wire.at[4] = 200;
    expect("frame on stream 9: type 200 is not known to this version");
    wire.at[5] = FL_FRAME_MAY_IGNORE;
    expect("9 ? 1#1:1/78;");
    wire.at[4] = 0; /* no type at all */
    wire.at[5] = 0;
    expect("frame on stream 9: type 0 is not known to this version");
}

static void an_ignored_frame_on_the_control_stream_counts(void **state)
{
    (void)state;
    put(0, FL_FRAME_CONTROL, 1, FL_STR("x"));
    wire.at[4] = 200;
    wire.at[5] = FL_FRAME_MAY_IGNORE;
    put(0, FL_FRAME_CONTROL, 2, FL_STR("y"));
    expect("0 ? 1#1:1/78;0 CONTROL 0#2:1/79;");
}

static void unknown_flags_and_reserved_bytes_are_refused(void **state)
{
    (void)state;
    put(9, FL_FRAME_LOG, 1, FL_STR("x"));
    wire.at[5] = 2;
    expect("frame on stream 9: flags 0x02 are not known to this version");
    wire.at[5] = 0;
    wire.at[7] = 1;
    expect("frame on stream 9: reserved bytes are 0x0100, not 0");
}

static void what_belongs_elsewhere_is_refused(void **state)
{
    (void)state;
    put(0, FL_FRAME_CONTROL, 1, FL_STR("x"));
    fl_buf_patch_u32(&wire, 0, 3);
    expect("frame on stream 3: CONTROL outside of the control stream");
    fl_buf_patch_u32(&wire, 0, 0);
    wire.at[4] = FL_FRAME_EXEC;
    expect("frame on stream 0: EXEC on the control stream");
    wire.at[4] = FL_FRAME_CLOSE;
    expect("frame on stream 0: CLOSE on the control stream");
    fl_buf_patch_u32(&wire, 0, 3);
    expect("frame on stream 3: CLOSE with a sequence");
}

static void a_gap_or_a_repeat_on_the_control_stream_is_refused(void **state)
{
    (void)state;
    put(0, FL_FRAME_CONTROL, 1, FL_STR("x"));
    put(5, FL_FRAME_LOG, 77, FL_STR("x")); /* not the decoder's business */
    put(0, FL_FRAME_CONTROL, 3, FL_STR("x"));
    expect("0 CONTROL 0#1:1/78;5 LOG 0#77:1/78;frame on stream 0: sequence 3 where 2 was due");
    fl_buf_patch_u32(&wire, 2 * 17 + 12, 1);
    expect("0 CONTROL 0#1:1/78;5 LOG 0#77:1/78;frame on stream 0: sequence 1 where 2 was due");
}

static void a_decoder_that_was_bad_stays_bad(void **state)
{
    struct fl_frame_decoder decoder;
    struct fl_frame frame;
    struct fl_err err = {0};
    struct fl_str bytes;

    (void)state;
    put(0, FL_FRAME_CONTROL, 2, FL_STR("x"));
    put(0, FL_FRAME_CONTROL, 1, FL_STR("x"));
    bytes = (struct fl_str){(char *)wire.at, wire.len};
    fl_frame_decoder_init(&decoder);
    assert_int_equal(fl_frame_decoder_next(&decoder, &bytes, &frame, &err), FL_FRAME_BAD);
    bytes = (struct fl_str){(char *)wire.at + 17, 17};
    err = (struct fl_err){0};
    assert_int_equal(fl_frame_decoder_next(&decoder, &bytes, &frame, &err), FL_FRAME_BAD);
    assert_string_equal(err.text, "frame on stream 0: sequence 2 where 1 was due");
    assert_int_equal(bytes.len, 17);
    fl_frame_decoder_fini(&decoder);
    fl_frame_decoder_fini(NULL);
}

static void a_whole_payload_is_not_copied_and_memory_stays_bounded(void **state)
{
    static char large[FL_FRAME_PAYLOAD_MAX];
    struct fl_frame_decoder decoder;
    struct fl_frame frame;
    struct fl_str bytes;

    (void)state;
    put(1, FL_FRAME_BLOB, 1, (struct fl_str){large, sizeof large});
    fl_frame_decoder_init(&decoder);
    bytes = (struct fl_str){(char *)wire.at, wire.len};
    assert_int_equal(fl_frame_decoder_next(&decoder, &bytes, &frame, NULL), FL_FRAME_READY);
    assert_ptr_equal(frame.payload.at, wire.at + 16);
    assert_int_equal(decoder.payload.cap, 0);
    for (int i = 0; i < 4; i++) {
        bytes = (struct fl_str){(char *)wire.at, wire.len - 1};
        assert_int_equal(fl_frame_decoder_next(&decoder, &bytes, &frame, NULL), FL_FRAME_MORE);
        bytes = (struct fl_str){(char *)wire.at + wire.len - 1, 1};
        assert_int_equal(fl_frame_decoder_next(&decoder, &bytes, &frame, NULL), FL_FRAME_READY);
        assert_int_equal(frame.payload.len, FL_FRAME_PAYLOAD_MAX);
    }
    assert_true(decoder.payload.cap <= FL_FRAME_PAYLOAD_MAX);
    fl_frame_decoder_fini(&decoder);
}

static void credit_and_close_say_what_they_carry(void **state)
{
    struct fl_frame credit = {.stream = 4, .type = FL_FRAME_CREDIT, .payload = {"\1\2\0\0", 4}};
    struct fl_frame close = {.stream = 4, .type = FL_FRAME_CLOSE, .payload = {"\5\0gone", 6}};
    char text[203] = {0};
    uint32_t bytes = 0;
    uint16_t code = 0;
    struct fl_str why = {0};
    struct fl_err err = {0};

    (void)state;
    assert_true(fl_frame_read_credit(&credit, &bytes, &err));
    assert_int_equal(bytes, 513);
    credit.payload = (struct fl_str){"\0\0\0\0", 4};
    assert_false(fl_frame_read_credit(&credit, &bytes, &err));
    assert_string_equal(err.text, "CREDIT on stream 4: is not 4 bytes and over 0");
    credit.payload = (struct fl_str){"\1\0\0\0\0", 5};
    assert_false(fl_frame_read_credit(&credit, &bytes, &err));
    credit.payload.len = 3;
    assert_false(fl_frame_read_credit(&credit, &bytes, &err));

    assert_true(fl_frame_read_close(&close, &code, &why, &err));
    assert_int_equal(code, 5);
    assert_true(fl_str_eq(why, FL_STR("gone")));
    close.payload = (struct fl_str){"\5", 1};
    assert_false(fl_frame_read_close(&close, &code, &why, &err));
    close.payload = (struct fl_str){"\5\0\xff", 3};
    assert_false(fl_frame_read_close(&close, &code, &why, &err));
    memset(text, 'x', sizeof text);
    text[1] = 0;
    close.payload = (struct fl_str){text, 202};
    assert_true(fl_frame_read_close(&close, &code, &why, &err));
    assert_int_equal(why.len, 200);
    memset(text, 'x', sizeof text);
    close.payload = (struct fl_str){text, 203};
    assert_false(fl_frame_read_close(&close, &code, &why, &err));
}

static void put_bad(void *frame)
{
    struct fl_buf out;

    fl_buf_init(&out, 4 << 20);
    if (!fl_frame_put(&out, frame)) fl_buf_clear(&out);
    fl_buf_fini(&out);
}

static void writing_what_the_reader_would_refuse_is_a_bug(void **state)
{
    static char large[FL_FRAME_PAYLOAD_MAX + 1];
    struct fl_frame frame = {
        .stream = 1, .type = FL_FRAME_LOG, .payload = {large, sizeof large - 1}};

    (void)state;
    assert_false(fl_test_aborts(put_bad, &frame));
    frame.payload.len++;
    assert_true(fl_test_aborts(put_bad, &frame));
    frame.payload.len = 1;
    frame.type = FL_FRAME_CONTROL;
    assert_true(fl_test_aborts(put_bad, &frame));
    frame.stream = 0;
    assert_false(fl_test_aborts(put_bad, &frame));
    frame.type = 99;
    assert_true(fl_test_aborts(put_bad, &frame));
}

static void the_control_sequence_goes_round(void **state)
{
    struct fl_frame_decoder decoder;
    struct fl_frame frame;
    struct fl_str bytes;

    (void)state;
    put(0, FL_FRAME_CONTROL, UINT32_MAX, FL_STR("x"));
    put(0, FL_FRAME_CONTROL, 0, FL_STR("x"));
    fl_frame_decoder_init(&decoder);
    decoder.control_sequence = UINT32_MAX - 1;
    bytes = (struct fl_str){(char *)wire.at, wire.len};
    assert_int_equal(fl_frame_decoder_next(&decoder, &bytes, &frame, NULL), FL_FRAME_READY);
    assert_int_equal(fl_frame_decoder_next(&decoder, &bytes, &frame, NULL), FL_FRAME_READY);
    fl_frame_decoder_fini(&decoder);
}

#define FRAME_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

FL_TESTS(FRAME_TEST(a_header_has_sixteen_bytes_in_the_stated_order),
         FRAME_TEST(frames_come_out_as_they_went_in_however_the_bytes_are_cut),
         FRAME_TEST(a_frame_that_does_not_fit_leaves_the_buffer_as_it_was),
         FRAME_TEST(a_large_length_is_refused_before_its_bytes_come),
         FRAME_TEST(an_unknown_type_needs_may_ignore),
         FRAME_TEST(an_ignored_frame_on_the_control_stream_counts),
         FRAME_TEST(unknown_flags_and_reserved_bytes_are_refused),
         FRAME_TEST(what_belongs_elsewhere_is_refused),
         FRAME_TEST(a_gap_or_a_repeat_on_the_control_stream_is_refused),
         FRAME_TEST(a_decoder_that_was_bad_stays_bad),
         FRAME_TEST(a_whole_payload_is_not_copied_and_memory_stays_bounded),
         FRAME_TEST(credit_and_close_say_what_they_carry),
         FRAME_TEST(writing_what_the_reader_would_refuse_is_a_bug),
         FRAME_TEST(the_control_sequence_goes_round))
