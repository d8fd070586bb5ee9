#include "shared/base/buf.h"

#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"

static const uint64_t edges[] = {0,
                                 1,
                                 127,
                                 128,
                                 255,
                                 256,
                                 16383,
                                 16384,
                                 65535,
                                 65536,
                                 (1u << 21) - 1,
                                 1u << 21,
                                 UINT32_MAX,
                                 (uint64_t)UINT32_MAX + 1,
                                 INT64_MAX,
                                 (uint64_t)1 << 63,
                                 UINT64_MAX};
#define EDGES (sizeof(edges) / sizeof(edges[0]))

static void patch_outside(void *arg)
{
    fl_buf_patch_u32(arg, 1, 7);
}

static void truncate_to_more(void *arg)
{
    fl_buf_truncate(arg, 5);
}

static void what_was_written_is_read_back(void **state)
{
    struct fl_buf buf;
    struct fl_reader reader;

    (void)state;
    fl_buf_init(&buf, 1 << 20);
    for (size_t i = 0; i < EDGES; i++) {
        assert_true(fl_buf_put_u8(&buf, (uint8_t)edges[i]));
        assert_true(fl_buf_put_u16(&buf, (uint16_t)edges[i]));
        assert_true(fl_buf_put_u32(&buf, (uint32_t)edges[i]));
        assert_true(fl_buf_put_u64(&buf, edges[i]));
        assert_true(fl_buf_put_i32(&buf, (int32_t)edges[i]));
        assert_true(fl_buf_put_i64(&buf, (int64_t)edges[i]));
        assert_true(fl_buf_put_var(&buf, edges[i]));
        assert_true(fl_buf_put_str(&buf, FL_STR("text")));
        assert_true(fl_buf_put_bytes(&buf, NULL, 0));
        assert_true(fl_buf_put(&buf, "raw", 3));
    }
    reader = fl_reader(buf.at, buf.len);
    for (size_t i = 0; i < EDGES; i++) {
        assert_false(fl_reader_is_done(&reader));
        assert_int_equal(fl_read_u8(&reader), (uint8_t)edges[i]);
        assert_int_equal(fl_read_u16(&reader), (uint16_t)edges[i]);
        assert_int_equal(fl_read_u32(&reader), (uint32_t)edges[i]);
        assert_true(fl_read_u64(&reader) == edges[i]);
        assert_int_equal(fl_read_i32(&reader), (int32_t)edges[i]);
        assert_true(fl_read_i64(&reader) == (int64_t)edges[i]);
        assert_true(fl_read_var(&reader) == edges[i]);
        assert_true(fl_str_eq(fl_read_bytes(&reader, 4), FL_STR("text")));
        assert_int_equal(fl_read_bytes(&reader, 0).len, 0);
        assert_true(fl_str_eq(fl_read_raw(&reader, 3), FL_STR("raw")));
    }
    assert_true(fl_reader_is_done(&reader));
    fl_buf_fini(&buf);
}

static void numbers_are_little_endian_and_vars_as_short_as_can_be(void **state)
{
    const uint8_t want[] = {0x01, 0x02, 0x01, 0x04, 0x03, 0x02, 0x01, 0x08, 0x07,
                            0x06, 0x05, 0x04, 0x03, 0x02, 0x01, 0xfe, 0xff, 0xff,
                            0xff, 0x7f, 0x80, 0x01, 0xac, 0x02, 0x02, 'h',  'i'};
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 100);
    fl_buf_put_u8(&buf, 1);
    fl_buf_put_u16(&buf, 0x0102);
    fl_buf_put_u32(&buf, 0x01020304);
    fl_buf_put_u64(&buf, 0x0102030405060708);
    fl_buf_put_i32(&buf, -2);
    fl_buf_put_var(&buf, 127);
    fl_buf_put_var(&buf, 128);
    fl_buf_put_var(&buf, 300);
    fl_buf_put_str(&buf, FL_STR("hi"));
    assert_false(buf.is_over);
    assert_int_equal(buf.len, sizeof(want));
    assert_memory_equal(buf.at, want, sizeof(want));
    fl_buf_clear(&buf);
    fl_buf_put_var(&buf, UINT64_MAX);
    assert_int_equal(buf.len, FL_VAR_BYTES_MAX);
    fl_buf_fini(&buf);
}

static void exactly_max_fits_and_one_more_writes_nothing(void **state)
{
    struct fl_buf buf;

    (void)state;
    for (size_t max = 0; max < 300; max++) {
        fl_buf_init(&buf, max);
        for (size_t i = 0; i < max; i++) {
            assert_true(fl_buf_put_u8(&buf, (uint8_t)i));
        }
        assert_false(buf.is_over);
        assert_true(fl_buf_put(&buf, NULL, 0));
        assert_false(fl_buf_put_u8(&buf, 1));
        assert_true(buf.is_over);
        assert_int_equal(buf.len, max);
        assert_true(buf.cap <= max);
        for (size_t i = 0; i < max; i++) {
            assert_int_equal(buf.at[i], (uint8_t)i);
        }
        fl_buf_fini(&buf);
    }
}

static void a_put_is_whole_or_not_at_all(void **state)
{
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 7);
    assert_true(fl_buf_put_u32(&buf, 1));
    assert_false(fl_buf_put_u32(&buf, 2)); /* three bytes would fit */
    assert_int_equal(buf.len, 4);
    fl_buf_truncate(&buf, 4);
    assert_false(fl_buf_put_str(&buf, FL_STR("abc"))); /* its length alone would fit */
    assert_int_equal(buf.len, 4);
    fl_buf_truncate(&buf, 4);
    assert_true(fl_buf_put_str(&buf, FL_STR("ab")));
    fl_buf_truncate(&buf, 0);
    assert_false(fl_buf_put_bytes(&buf, "12345678", 8));
    assert_int_equal(buf.len, 0);
    fl_buf_fini(&buf);

    fl_buf_init(&buf, SIZE_MAX); /* where adding lengths would overflow */
    assert_true(fl_buf_put_u64(&buf, 1));
    assert_false(fl_buf_put_bytes(&buf, "x", SIZE_MAX));
    assert_int_equal(buf.len, 8);
    fl_buf_fini(&buf);
}

static void once_over_every_put_is_refused_until_cleared_or_cut(void **state)
{
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 4);
    fl_buf_put_u16(&buf, 7);
    assert_false(fl_buf_put_u32(&buf, 7));
    assert_false(fl_buf_put_u8(&buf, 7)); /* else a reader would see a torn message */
    assert_false(fl_buf_put_var(&buf, 7));
    assert_false(fl_buf_put_bytes(&buf, "", 0));
    assert_false(fl_buf_put(&buf, "", 0));
    assert_int_equal(buf.len, 2);
    fl_buf_truncate(&buf, 1);
    assert_false(buf.is_over);
    assert_true(fl_buf_put_u8(&buf, 8));
    assert_false(fl_buf_put_u32(&buf, 7));
    fl_buf_clear(&buf);
    assert_false(buf.is_over);
    assert_true(fl_buf_put_u32(&buf, 7));
    fl_buf_fini(&buf);
}

static void a_length_can_be_patched_in_later(void **state)
{
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 100);
    fl_buf_put_u8(&buf, 9);
    fl_buf_put_u32(&buf, 0);
    fl_buf_put_u8(&buf, 9);
    fl_buf_patch_u32(&buf, 1, 0x01020304);
    assert_memory_equal(buf.at, "\x09\x04\x03\x02\x01\x09", 6);
    fl_buf_truncate(&buf, 4);
    assert_true(fl_test_aborts(patch_outside, &buf));
    assert_true(fl_test_aborts(truncate_to_more, &buf));
    fl_buf_fini(&buf);
}

static void a_buffer_grows_and_keeps_its_bytes(void **state)
{
    struct fl_buf buf;
    uint8_t *piece = fl_alloc(10000);
    size_t len = 0;

    (void)state;
    fl_buf_init(&buf, 1000000);
    for (size_t i = 0; i < 140; i++) {
        memset(piece, (int)i, 10000);
        assert_true(fl_buf_put(&buf, piece, i * 50));
        len += i * 50;
    }
    assert_int_equal(buf.len, len);
    len = 0;
    for (size_t i = 0; i < 140; i++) {
        for (size_t k = 0; k < i * 50; k++) {
            if (buf.at[len++] != i) fail();
        }
    }
    fl_buf_fini(&buf);
    fl_buf_fini(&buf);
    fl_buf_fini(NULL);
    fl_free(piece);
}

static void what_was_reserved_does_not_move(void **state)
{
    struct fl_buf buf;
    const uint8_t *at;

    (void)state;
    fl_buf_init(&buf, 300);
    fl_buf_reserve(&buf, 200);
    at = buf.at;
    for (int i = 0; i < 200; i++) {
        assert_true(fl_buf_put_u8(&buf, (uint8_t)i));
    }
    assert_ptr_equal(buf.at, at);
    fl_buf_reserve(&buf, 100); /* it has more */
    assert_int_equal(buf.cap, 200);
    fl_buf_reserve(&buf, 1000); /* more than it may have */
    assert_int_equal(buf.cap, 300);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(buf.at[i], i);
    }
    fl_buf_fini(&buf);
}

static void reading_past_the_end_is_bad_for_good(void **state)
{
    const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7};
    struct fl_reader reader = fl_reader(bytes, sizeof(bytes));

    (void)state;
    assert_int_equal(fl_read_u32(&reader), 0x04030201);
    assert_int_equal(fl_read_u32(&reader), 0); /* three are left */
    assert_true(reader.is_bad);
    assert_int_equal(fl_read_u8(&reader), 0); /* although one would be there */
    assert_int_equal(fl_read_var(&reader), 0);
    assert_int_equal(fl_read_raw(&reader, 1).len, 0);
    assert_int_equal(fl_read_bytes(&reader, 9).len, 0);
    assert_false(fl_reader_is_done(&reader));

    reader = fl_reader(bytes, sizeof(bytes));
    assert_int_equal(fl_read_u64(&reader), 0);
    assert_true(reader.is_bad);
    reader = fl_reader(NULL, 0);
    assert_true(fl_reader_is_done(&reader));
    assert_int_equal(fl_read_u8(&reader), 0);
    assert_true(reader.is_bad);
    reader = fl_reader(bytes, 2);
    assert_int_equal(fl_read_raw(&reader, SIZE_MAX).len, 0);
    assert_true(reader.is_bad);
}

static void a_var_has_one_spelling(void **state)
{
    const struct {
        const char *bytes;
        size_t len;
    } bad[] = {
        {"\x80\x00", 2},                                  /* 0 in two bytes */
        {"\xff\x00", 2},                                  /* 127 in two bytes */
        {"\x80\x80\x80\x00", 4},                          /* 0 in four */
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10}, /* bit 64 */
        {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", 10},
        {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 10},
        {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x81\x01", 11}, /* eleven bytes */
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11},
        {"\x80", 1}, /* cut */
        {"", 0},
    };
    struct fl_reader reader = fl_reader("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10);

    (void)state;
    assert_true(fl_read_var(&reader) == UINT64_MAX);
    assert_true(fl_reader_is_done(&reader));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        reader = fl_reader(bad[i].bytes, bad[i].len);
        assert_int_equal(fl_read_var(&reader), 0);
        assert_true(reader.is_bad);
    }
}

static void random_bytes_read_as_a_var_write_back_the_same(void **state)
{
    struct fl_prng prng;
    struct fl_buf buf;
    int good = 0;

    (void)state;
    fl_prng_seed(&prng, 41);
    fl_buf_init(&buf, 16);
    for (int i = 0; i < 100000; i++) {
        uint8_t bytes[12];
        struct fl_reader reader;
        uint64_t v;

        for (size_t k = 0; k < sizeof(bytes); k++) {
            bytes[k] = (uint8_t)(fl_prng_below(&prng, 4) ? fl_prng_u64(&prng) | 128
                                                         : fl_prng_below(&prng, 3));
        }
        reader = fl_reader(bytes, sizeof(bytes));
        v = fl_read_var(&reader);
        if (reader.is_bad) continue;
        good++;
        fl_buf_clear(&buf);
        assert_true(fl_buf_put_var(&buf, v));
        assert_int_equal(buf.len, reader.pos);
        assert_memory_equal(buf.at, bytes, buf.len);
    }
    assert_true(good > 10000 && good < 99000);
    fl_buf_fini(&buf);
}

static void a_string_longer_than_allowed_is_bad(void **state)
{
    struct fl_reader reader = fl_reader("\x03"
                                        "abc",
                                        4);

    (void)state;
    assert_true(fl_str_eq(fl_read_bytes(&reader, 3), FL_STR("abc")));
    assert_true(fl_reader_is_done(&reader));
    reader = fl_reader("\x03"
                       "abc",
                       4);
    assert_int_equal(fl_read_bytes(&reader, 2).len, 0);
    assert_true(reader.is_bad);
    reader = fl_reader("\x04"
                       "abc",
                       4); /* it says more than there is */
    assert_int_equal(fl_read_bytes(&reader, 9).len, 0);
    assert_true(reader.is_bad);
    reader = fl_reader("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                       "abc",
                       13);
    assert_int_equal(fl_read_bytes(&reader, SIZE_MAX).len, 0);
    assert_true(reader.is_bad);
}

/* Each text is in the arena, and no byte of another one's. */
static void what_is_written_in_an_arena_is_taken_without_a_copy(void **state)
{
    struct fl_arena arena = {0};
    struct fl_str texts[100];
    struct fl_buf buf;

    (void)state;
    for (size_t i = 0; i < 100; i++) {
        fl_buf_init_in(&buf, 100000, &arena);
        for (size_t n = 0; n < i * i; n++) {
            assert_true(fl_buf_put_u8(&buf, (uint8_t)i));
            if (n == 200) memset(fl_arena_alloc(&arena, 40), '#', 40); /* no longer the newest */
        }
        texts[i] = fl_buf_take(&buf);
        assert_null(buf.at);
    }
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(texts[i].len, i * i);
        for (size_t n = 0; n < texts[i].len; n++) {
            assert_int_equal(texts[i].at[n], i);
        }
    }
    fl_buf_init_in(&buf, 10, &arena);
    assert_false(fl_buf_put(&buf, "eleven byte", 11));
    assert_true(buf.is_over);
    fl_buf_fini(&buf);
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(what_was_written_is_read_back),
         cmocka_unit_test(what_is_written_in_an_arena_is_taken_without_a_copy),
         cmocka_unit_test(numbers_are_little_endian_and_vars_as_short_as_can_be),
         cmocka_unit_test(exactly_max_fits_and_one_more_writes_nothing),
         cmocka_unit_test(a_put_is_whole_or_not_at_all),
         cmocka_unit_test(once_over_every_put_is_refused_until_cleared_or_cut),
         cmocka_unit_test(a_length_can_be_patched_in_later),
         cmocka_unit_test(a_buffer_grows_and_keeps_its_bytes),
         cmocka_unit_test(what_was_reserved_does_not_move),
         cmocka_unit_test(reading_past_the_end_is_bad_for_good),
         cmocka_unit_test(a_var_has_one_spelling),
         cmocka_unit_test(random_bytes_read_as_a_var_write_back_the_same),
         cmocka_unit_test(a_string_longer_than_allowed_is_bad))
