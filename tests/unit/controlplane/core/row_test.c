#include "controlplane/core/row.h"

#include "shared/base/buf.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"

static char filler[262145];

/* Every field different, so that two that change places are seen; strings of 'bytes', or as many as may be. */
#define SET_u8 (uint8_t)(n++ + 200)
#define SET_u16 (uint16_t)(n++ + 60000)
#define SET_u32 (uint32_t)(n++ + 4000000000u)
#define SET_u64 (UINT64_MAX - n++)
#define SET_i32 (INT32_MIN + (int32_t)n++)
#define SET_i64 (INT64_MIN + (int64_t)n++)
#define SET_digest ((struct fl_digest){{(uint8_t)n++, 1, 2, 3, [31] = 7}})
#define F(type, field) r->field = SET_##type;
#define B(field, max)                                                                              \
    r->field = (struct fl_str){filler, bytes < (max) ? bytes + n % 3 : (max)};                     \
    n++;
#define ROW(name, number, fields)                                                                  \
    static void fill_##name(struct row_##name *r, size_t bytes)                                    \
    {                                                                                              \
        uint64_t n = 0;                                                                            \
        (void)bytes;                                                                               \
        fields(void) n;                                                                            \
    }
#include "controlplane/core/rows.def"
#undef ROW
#undef F
#undef B

static struct row filled(enum row_kind kind, size_t bytes)
{
    struct row row;

    memset(&row, 0, sizeof row);
    row.kind = kind;
    switch (kind) {
#define ROW(name, number, fields)                                                                  \
    case ROW_##name:                                                                               \
        fill_##name(&row.name, bytes);                                                             \
        break;
#include "controlplane/core/rows.def"
#undef ROW
    case ROW_KINDS_LEN:
        fail();
    }
    return row;
}

/* Equal field by field. */
#define F(type, field) SAME_##type(a->field, b->field);
#define SAME_u8 assert_int_equal
#define SAME_u16 assert_int_equal
#define SAME_u32 assert_int_equal
#define SAME_u64 assert_int_equal
#define SAME_i32 assert_int_equal
#define SAME_i64 assert_int_equal
#define SAME_digest(a, b) assert_memory_equal(&(a), &(b), sizeof(struct fl_digest))
#define B(field, max) assert_true(fl_str_eq(a->field, b->field));
#define ROW(name, number, fields)                                                                  \
    static void same_##name(const struct row_##name *a, const struct row_##name *b)                \
    {                                                                                              \
        fields                                                                                     \
    }
#include "controlplane/core/rows.def"
#undef ROW
#undef F
#undef B

static void assert_same(const struct row *a, const struct row *b)
{
    assert_int_equal(a->kind, b->kind);
    switch (a->kind) {
#define ROW(name, number, fields)                                                                  \
    case ROW_##name:                                                                               \
        same_##name(&a->name, &b->name);                                                           \
        break;
#include "controlplane/core/rows.def"
#undef ROW
    case ROW_KINDS_LEN:
        fail();
    }
}

static const enum row_kind kinds[] = {
#define ROW(name, number, fields) ROW_##name,
#include "controlplane/core/rows.def"
#undef ROW
};

enum { KINDS_LEN = sizeof kinds / sizeof *kinds };

static void every_kind_comes_back_as_it_was_written(void **state)
{
    static const size_t sizes[] = {0, 5, 200, SIZE_MAX};
    struct fl_buf buf;

    (void)state;
    memset(filler, 'x', sizeof filler);
    fl_buf_init(&buf, 1 << 20);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (size_t i = 0; i < KINDS_LEN; i++) {
            struct row row = filled(kinds[i], sizes[s]), back;
            struct fl_err err = {0};
            struct fl_reader reader;

            fl_buf_clear(&buf);
            assert_true(row_encode(&buf, &row));
            reader = fl_reader(buf.at, buf.len);
            assert_true(row_decode(&reader, &back, &err));
            assert_true(fl_reader_is_done(&reader));
            assert_same(&row, &back);
        }
    }
    fl_buf_fini(&buf);
}

static void rows_follow_one_another_without_gaps(void **state)
{
    struct fl_buf buf;
    struct fl_reader reader;
    struct fl_err err = {0};

    (void)state;
    fl_buf_init(&buf, 1 << 20);
    for (size_t i = 0; i < KINDS_LEN; i++) {
        struct row row = filled(kinds[i], 9);

        assert_true(row_encode(&buf, &row));
    }
    reader = fl_reader(buf.at, buf.len);
    for (size_t i = 0; i < KINDS_LEN; i++) {
        struct row row;

        assert_true(row_decode(&reader, &row, &err));
        assert_int_equal(row.kind, kinds[i]);
    }
    assert_true(fl_reader_is_done(&reader));
    fl_buf_fini(&buf);
}

static void a_row_that_is_cut_anywhere_is_refused(void **state)
{
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 1 << 20);
    for (size_t i = 0; i < KINDS_LEN; i++) {
        struct row row = filled(kinds[i], 5);

        fl_buf_clear(&buf);
        assert_true(row_encode(&buf, &row));
        for (size_t len = 0; len < buf.len; len++) {
            struct fl_reader reader = fl_reader(buf.at, len);
            struct fl_err err = {0};
            struct row back;

            assert_false(row_decode(&reader, &back, &err));
            assert_int_equal(err.code, FL_TORN);
        }
    }
    fl_buf_fini(&buf);
}

static void encoding_stops_at_the_limit_of_its_buffer(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS_LEN; i++) {
        struct row row = filled(kinds[i], 5);
        struct fl_buf buf;
        size_t len;

        fl_buf_init(&buf, 1 << 20);
        assert_true(row_encode(&buf, &row));
        len = buf.len;
        fl_buf_fini(&buf);
        for (size_t max = 0; max <= len; max++) {
            fl_buf_init(&buf, max);
            assert_int_equal(row_encode(&buf, &row), max == len);
            assert_true(buf.len <= max);
            fl_buf_fini(&buf);
        }
    }
}

static void a_string_over_its_bound_is_refused(void **state)
{
    struct row row = {.kind = ROW_mark_clear};
    struct fl_buf buf;
    struct fl_reader reader;
    struct fl_err err = {0};

    (void)state;
    fl_buf_init(&buf, 1 << 20);
    memset(&row, 0, sizeof row);
    row.kind = ROW_spec_new;
    row.spec_new.body = (struct fl_str){filler, 262144};
    assert_true(row_encode(&buf, &row));
    reader = fl_reader(buf.at, buf.len);
    assert_true(row_decode(&reader, &row, &err));
    fl_buf_clear(&buf);
    row.spec_new.body = (struct fl_str){filler, 262145};
    assert_true(row_encode(&buf, &row));
    reader = fl_reader(buf.at, buf.len);
    assert_false(row_decode(&reader, &row, &err));
    assert_int_equal(err.code, FL_TORN);
    assert_non_null(strstr(err.text, "spec_new"));
    fl_buf_fini(&buf);
}

static void a_kind_that_does_not_exist_is_refused_by_number(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 256; kind++) {
        uint8_t byte = (uint8_t)kind;
        struct fl_reader reader = fl_reader(&byte, 1);
        struct fl_err err = {0};
        struct row row;
        bool exists = false;

        for (size_t i = 0; i < KINDS_LEN; i++) {
            exists = exists || kinds[i] == kind;
        }
        assert_false(row_decode(&reader, &row, &err));
        assert_int_equal(strstr(err.text, "no kind of row") == NULL, exists);
    }
}

/* Whatever is taken is the encoding of what came out. */
static void random_bytes_are_refused_or_canonical(void **state)
{
    struct fl_prng prng;
    struct fl_buf buf;
    unsigned taken = 0;

    (void)state;
    fl_prng_seed(&prng, 1);
    fl_buf_init(&buf, 1 << 20);
    for (int i = 0; i < 50000; i++) {
        uint8_t bytes[96];
        struct fl_reader reader = fl_reader(bytes, sizeof bytes);
        struct fl_err err = {0};
        struct row row;

        for (size_t b = 0; b < sizeof bytes; b++) {
            bytes[b] = (uint8_t)fl_prng_below(&prng, b ? 256 : ROW_KINDS_LEN + 2);
        }
        if (!row_decode(&reader, &row, &err)) continue;
        fl_buf_clear(&buf);
        assert_true(row_encode(&buf, &row));
        assert_int_equal(buf.len, reader.pos);
        assert_memory_equal(buf.at, bytes, buf.len);
        taken++;
    }
    assert_true(taken > 10000);
    fl_buf_fini(&buf);
}

static void a_row_prints_as_one_line_with_its_fields_by_name(void **state)
{
    struct row row = {
        .kind = ROW_attempt_end,
        .attempt_end = {.job = 7, .element = 1, .n = 2, .reason = 33, .exit_code = -9}};
    char text[128];

    (void)state;
    row_print(&row, text, sizeof text);
    assert_string_equal(text,
                        "attempt_end job=7 element=1 n=2 reason=33 exit_code=-9 first_replica=0");
    row = (struct row){.kind = ROW_queue_put, .queue_put = {.queue = 1, .name = FL_STR("ml\n")}};
    row_print(&row, text, sizeof text);
    assert_string_equal(text, "queue_put queue=1 tenant=0 is_paused=0 name=(3 bytes)");
}

static void printing_is_cut_at_its_room_and_always_ends(void **state)
{
    char text[1024];

    (void)state;
    for (size_t i = 0; i < KINDS_LEN; i++) {
        struct row row = filled(kinds[i], 30);
        char whole[1024];

        row_print(&row, whole, sizeof whole);
        assert_null(strchr(whole, '\n'));
        assert_int_equal(strncmp(whole, row_kind_name(kinds[i]), strlen(row_kind_name(kinds[i]))),
                         0);
        for (size_t room = 1; room < strlen(whole) + 2; room++) {
            memset(text, '#', sizeof text);
            row_print(&row, text, room);
            assert_true(strlen(text) < room && strncmp(text, whole, strlen(text)) == 0);
            assert_int_equal(text[room], '#');
        }
    }
}

FL_TESTS(cmocka_unit_test(every_kind_comes_back_as_it_was_written),
         cmocka_unit_test(rows_follow_one_another_without_gaps),
         cmocka_unit_test(a_row_that_is_cut_anywhere_is_refused),
         cmocka_unit_test(encoding_stops_at_the_limit_of_its_buffer),
         cmocka_unit_test(a_string_over_its_bound_is_refused),
         cmocka_unit_test(a_kind_that_does_not_exist_is_refused_by_number),
         cmocka_unit_test(random_bytes_are_refused_or_canonical),
         cmocka_unit_test(a_row_prints_as_one_line_with_its_fields_by_name),
         cmocka_unit_test(printing_is_cut_at_its_room_and_always_ends))
