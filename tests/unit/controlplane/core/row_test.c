#include "controlplane/core/row.h"

#include "controlplane/core/core_event.h"
#include "shared/base/buf.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"

static char filler[262145];

/* Every field different, so that two that change places are seen; strings of 'bytes', or as many as
 * may be. */
#define SET_u8 (uint8_t)(n++ + 200)
#define SET_u16 (uint16_t)(n++ + 60000)
#define SET_u32 (uint32_t)(n++ + 4000000000u)
#define SET_u64 (UINT64_MAX - n++)
#define SET_i32 (INT32_MIN + (int32_t)n++)
#define SET_i64 (INT64_MIN + (int64_t)n++)
#define SET_digest ((struct fl_digest){{(uint8_t)n++, 1, 2, 3, [31] = 7}})
#define SET_job SET_u64
#define SET_flag SET_u8
#define SET_code SET_u16
#define SET_some_u64 SET_u64
#define F(type, name) r->name = SET_##type;
#define B(type, name, max)                                                                         \
    r->name = (struct fl_str){filler, bytes < (max) ? bytes + n % 3 : (max)};                      \
    n++;
#define ROW(name, number, fold, table, fields)                                                     \
    static void fill_##name(struct row_##name *r, size_t bytes)                                    \
    {                                                                                              \
        uint64_t n = 0;                                                                            \
        (void)bytes;                                                                               \
        fields(void) n;                                                                            \
    }
#include "controlplane/core/rows.def"

static struct row filled(enum row_kind kind, size_t bytes)
{
    struct row row;

    memset(&row, 0, sizeof row);
    row.kind = kind;
    switch (kind) {
#define F(type, name)
#define B(type, name, max)
#define ROW(name, number, fold, table, fields)                                                     \
    case ROW_##name:                                                                               \
        fill_##name(&row.name, bytes);                                                             \
        break;
#include "controlplane/core/rows.def"
    case ROW_unknown:
        fail();
    }
    return row;
}

/* Equal field by field. */
#define SAME_u8 assert_int_equal
#define SAME_flag assert_int_equal
#define SAME_u16 assert_int_equal
#define SAME_code assert_int_equal
#define SAME_u32 assert_int_equal
#define SAME_u64 assert_int_equal
#define SAME_job assert_int_equal
#define SAME_some_u64 assert_int_equal
#define SAME_i32 assert_int_equal
#define SAME_i64 assert_int_equal
#define SAME_digest(a, b) assert_memory_equal(&(a), &(b), sizeof(struct fl_digest))

static void assert_same(const struct row *left, const struct row *right)
{
    assert_int_equal(left->kind, right->kind);
    switch (left->kind) {
#define F(type, name) SAME_##type(a->name, b->name);
#define B(type, name, max) assert_true(fl_str_eq(a->name, b->name));
#define ROW(name_, number, fold, table, fields)                                                    \
    case ROW_##name_: {                                                                            \
        const struct row_##name_ *a = &left->name_, *b = &right->name_;                            \
        fields                                                                                     \
    } break;
#include "controlplane/core/rows.def"
    case ROW_unknown:
        fail();
    }
}

static void every_kind_comes_back_as_it_was_written(void **state)
{
    static const size_t sizes[] = {0, 5, 200, SIZE_MAX};
    struct fl_buf buf;

    (void)state;
    memset(filler, 'x', sizeof filler);
    fl_buf_init(&buf, 1 << 20);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (size_t i = 0; i < row_kinds_len; i++) {
            struct row row = filled(row_kinds[i], sizes[s]), back;
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
    for (size_t i = 0; i < row_kinds_len; i++) {
        struct row row = filled(row_kinds[i], 9);

        assert_true(row_encode(&buf, &row));
    }
    reader = fl_reader(buf.at, buf.len);
    for (size_t i = 0; i < row_kinds_len; i++) {
        struct row row;

        assert_true(row_decode(&reader, &row, &err));
        assert_int_equal(row.kind, row_kinds[i]);
    }
    assert_true(fl_reader_is_done(&reader));
    fl_buf_fini(&buf);
}

static void rows_can_be_passed_over_by_their_kind(void **state)
{
    static const uint8_t unknown[] = {255, 3, 'n', 'e', 'w'};
    struct fl_buf buf;
    struct fl_reader reader, one;
    struct fl_err err = {0};
    struct row row, back;
    enum row_kind kind;

    (void)state;
    fl_buf_init(&buf, 1 << 20);
    for (size_t i = 0; i < row_kinds_len; i++) {
        row = filled(row_kinds[i], 9);
        assert_true(row_encode(&buf, &row));
    }
    assert_true(fl_buf_put(&buf, unknown, sizeof unknown));
    reader = fl_reader(buf.at, buf.len);
    for (size_t i = 0; i < row_kinds_len; i++) {
        assert_true(row_cut(&reader, &kind, &one, &err));
        assert_int_equal(kind, row_kinds[i]);
        assert_true(row_decode(&one, &back, &err));
        assert_true(fl_reader_is_done(&one));
        row = filled(row_kinds[i], 9);
        assert_same(&row, &back);
    }
    assert_true(row_cut(&reader, &kind, &one, &err));
    assert_int_equal(kind, ROW_unknown);
    assert_true(fl_reader_is_done(&reader));
    reader = fl_reader(unknown, sizeof unknown - 1);
    assert_false(row_cut(&reader, &kind, &one, &err));
    assert_int_equal(err.code, FL_TORN);
    fl_buf_fini(&buf);
}

static void a_row_that_is_cut_anywhere_is_refused(void **state)
{
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 1 << 20);
    for (size_t i = 0; i < row_kinds_len; i++) {
        struct row row = filled(row_kinds[i], 5);

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
    for (size_t i = 0; i < row_kinds_len; i++) {
        struct row row = filled(row_kinds[i], 5);
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

static void a_kind_that_is_not_known_is_skipped_and_counted(void **state)
{
    (void)state;
    for (unsigned kind = 1; kind < 256; kind++) { /* no kind will ever have number 0 */
        const uint8_t bytes[] = {(uint8_t)kind, 3, 'n', 'e', 'w', ROW_shape_drop, 4, 8, 0, 0, 0};
        struct fl_reader reader = fl_reader(bytes, sizeof bytes);
        struct fl_err err = {0};
        struct row row;
        bool is_known = false;

        for (size_t i = 0; i < row_kinds_len; i++) {
            is_known = is_known || row_kinds[i] == kind;
        }
        if (is_known) continue;
        assert_true(row_decode(&reader, &row, &err));
        assert_int_equal(row.kind, ROW_unknown);
        assert_int_equal(row.unknown.number, kind);
        assert_int_equal(row.skipped, 3);
        assert_int_equal(row_job(&row), 0);
        assert_true(row_decode(&reader, &row, &err)); /* and what follows is read */
        assert_int_equal(row.shape_drop.shape, 8);
        assert_true(fl_reader_is_done(&reader));
    }
}

static void kind_0_is_refused(void **state)
{
    static const uint8_t bytes[] = {0, 1, 7};
    struct fl_reader reader = fl_reader(bytes, sizeof bytes);
    struct fl_err err = {0};
    struct row row;

    (void)state;
    assert_false(row_decode(&reader, &row, &err));
    assert_non_null(strstr(err.text, "no kind of row has the number 0"));
}

static void fields_of_a_newer_program_are_skipped_and_counted(void **state)
{
    struct fl_buf buf;

    (void)state;
    memset(filler, 'x', sizeof filler);
    fl_buf_init(&buf, 1 << 20);
    for (size_t i = 0; i < row_kinds_len; i++) {
        struct row row = filled(row_kinds[i], 2), back;
        struct fl_reader reader;
        struct fl_err err = {0};

        fl_buf_clear(&buf);
        assert_true(row_encode(&buf, &row));
        assert_in_range(buf.at[1], 1, 124); /* its length, in one byte */
        buf.at[1] = (uint8_t)(buf.at[1] + 3);
        assert_true(fl_buf_put(&buf, "new", 3));
        reader = fl_reader(buf.at, buf.len);
        assert_true(row_decode(&reader, &back, &err));
        assert_true(fl_reader_is_done(&reader));
        assert_same(&row, &back);
        assert_int_equal(back.skipped, 3);
    }
    fl_buf_fini(&buf);
}

static void a_row_without_a_field_that_was_always_there_is_refused(void **state)
{
    static const uint8_t bytes[] = {ROW_mark_clear, 8, 1, 0, 0, 0, 0, 0, 0, 0};
    struct fl_reader reader = fl_reader(bytes, sizeof bytes);
    struct fl_err err = {0};
    struct row row;

    (void)state;
    assert_false(row_decode(&reader, &row, &err));
    assert_int_equal(err.code, FL_TORN);
    assert_non_null(strstr(err.text, "mark_clear"));
}

static void the_job_of_a_row_is_found_where_it_has_one(void **state)
{
    struct row end = {.kind = ROW_element_end, .element_end = {.job = 7}};
    struct row queue = {.kind = ROW_queue_put, .queue_put = {.queue = 7}};

    (void)state;
    assert_int_equal(row_job(&end), 7);
    assert_int_equal(row_job(&queue), 0);
}

/* Bytes that are accepted equal the encoding of the rows they gave, but for skipped rows. */
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
            bytes[b] = (uint8_t)fl_prng_below(&prng, b > 1 ? 256 : b ? 90 : ROW_KINDS_LEN);
        }
        if (!row_decode(&reader, &row, &err)) continue;
        if (row.kind == ROW_unknown) continue; /* a gap in the numbers */
        fl_buf_clear(&buf);
        assert_true(row_encode(&buf, &row));
        assert_true(buf.len + row.skipped >= reader.pos); /* longer where fields were not there */
        if (buf.len + row.skipped == reader.pos) {
            assert_memory_equal(buf.at + 2, bytes + 2, buf.len - 2);
        }
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
                        "attempt_end job=7 element=1 n=2 reason=33 exit_code=-9 first_replica=0 "
                        "ready_at=0");
    row = (struct row){.kind = ROW_token_drop, .token_drop = {.id = FL_STR("ml\n")}};
    row_print(&row, text, sizeof text);
    assert_string_equal(text, "token_drop id=(3 bytes)");
}

static void printing_is_cut_at_its_room_and_always_ends(void **state)
{
    char text[1024];

    (void)state;
    for (size_t i = 0; i < row_kinds_len; i++) {
        struct row row = filled(row_kinds[i], 30);
        char whole[1024];

        row_print(&row, whole, sizeof whole);
        assert_null(strchr(whole, '\n'));
        assert_int_equal(
            strncmp(whole, row_kind_name(row_kinds[i]), strlen(row_kind_name(row_kinds[i]))), 0);
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
         cmocka_unit_test(rows_can_be_passed_over_by_their_kind),
         cmocka_unit_test(a_row_that_is_cut_anywhere_is_refused),
         cmocka_unit_test(encoding_stops_at_the_limit_of_its_buffer),
         cmocka_unit_test(a_string_over_its_bound_is_refused),
         cmocka_unit_test(a_kind_that_is_not_known_is_skipped_and_counted),
         cmocka_unit_test(kind_0_is_refused),
         cmocka_unit_test(fields_of_a_newer_program_are_skipped_and_counted),
         cmocka_unit_test(a_row_without_a_field_that_was_always_there_is_refused),
         cmocka_unit_test(the_job_of_a_row_is_found_where_it_has_one),
         cmocka_unit_test(random_bytes_are_refused_or_canonical),
         cmocka_unit_test(a_row_prints_as_one_line_with_its_fields_by_name),
         cmocka_unit_test(printing_is_cut_at_its_room_and_always_ends))
