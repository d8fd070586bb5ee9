#include "controlplane/store/journal.h"

#include "controlplane/core/row.h"
#include "shared/base/alloc.h"
#include "shared/base/buf.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"

static struct fl_str text(const void *at, size_t len)
{
    return (struct fl_str){at, len};
}

static void rows_come_back_as_they_were(void **state)
{
    static const size_t sizes[] = {1, 2, 50, 383, 4096, 200000, (size_t)5 << 20, 7};
    struct journal_packer *packer = journal_packer_create();
    struct fl_prng prng;
    struct fl_arena arena = {0};

    (void)state;
    fl_prng_seed(&prng, 7);
    for (size_t i = 0; i < 2 * (sizeof sizes / sizeof *sizes); i++) {
        size_t len = sizes[i / 2];
        uint8_t *rows = fl_alloc(len);
        struct fl_str packed, got;

        for (size_t k = 0; k < len; k++) { /* once alike, once not */
            rows[k] = i % 2 ? (uint8_t)fl_prng_below(&prng, 256) : (uint8_t)(k % 40);
        }
        packed = journal_pack(packer, text(rows, len));
        if (i % 2 == 0 && len > 200) assert_true(packed.len < len / 2);
        assert_true(journal_unpack(packed, &arena, &got, NULL));
        assert_int_equal(got.len, len);
        assert_memory_equal(got.at, rows, len);
        fl_arena_reset(&arena);
        fl_free(rows);
    }
    fl_arena_fini(&arena);
    journal_packer_destroy(packer);
}

static void no_rows_are_no_bytes_and_not_null(void **state)
{
    struct journal_packer *packer = journal_packer_create();
    struct fl_arena arena = {0};
    struct fl_str packed = journal_pack(packer, (struct fl_str){0}), got = FL_STR("x");

    (void)state;
    assert_non_null(packed.at);
    assert_int_equal(packed.len, 0);
    assert_true(journal_unpack(packed, &arena, &got, NULL));
    assert_int_equal(got.len, 0);
    fl_arena_fini(&arena);
    journal_packer_destroy(packer);
}

static void what_is_cut_or_damaged_is_refused(void **state)
{
    struct journal_packer *packer = journal_packer_create();
    struct fl_prng prng;
    struct fl_arena arena = {0};
    uint8_t rows[300], copy[400];
    struct fl_str packed, got;
    struct fl_err err = {0};

    (void)state;
    fl_prng_seed(&prng, 8);
    for (size_t i = 0; i < sizeof rows; i++) {
        rows[i] = (uint8_t)(i % 3 ? i : fl_prng_below(&prng, 256));
    }
    packed = journal_pack(packer, text(rows, sizeof rows));
    assert_true(packed.len < sizeof copy);
    memcpy(copy, packed.at, packed.len);
    for (size_t len = 1; len < packed.len; len++) {
        assert_false(journal_unpack(text(copy, len), &arena, &got, &err));
        assert_int_equal(err.code, FL_TORN);
    }
    assert_false(journal_unpack(text(copy, packed.len + 1), &arena, &got, &err));
    for (size_t i = 0; i < packed.len; i++) {
        copy[i] ^= 0x10;
        if (journal_unpack(text(copy, packed.len), &arena, &got, &err)) {
            assert_memory_equal(got.at, rows, sizeof rows); /* a bit that says nothing */
            assert_int_equal(got.len, sizeof rows);
        }
        copy[i] ^= 0x10;
    }
    assert_false(journal_unpack(FL_STR("\x02rows as they are"), &arena, &got, &err));
    assert_non_null(strstr(err.text, "16 bytes are not packed rows"));
    assert_false(
        journal_unpack(text("\x02\x28\xb5\x2f\xfd\xe0\0\0\0\0\x01\0\0\0", 14), &arena, &got, &err));
    assert_non_null(strstr(err.text, "more than there can be"));
    fl_arena_fini(&arena);
    journal_packer_destroy(packer);
}

static void the_form_of_a_newer_program_is_refused_by_its_number(void **state)
{
    struct fl_arena arena = {0};
    struct fl_str got;
    struct fl_err err = {0};

    (void)state;
    assert_false(journal_unpack(FL_STR("\x03 who knows"), &arena, &got, &err));
    assert_int_equal(err.code, FL_UNSUPPORTED);
    assert_non_null(strstr(err.text, "form 3"));
    fl_arena_fini(&arena);
}

/* Rows of release 0001 have no length; packed, they have no form before them. */
static void rows_of_release_0001_are_read_as_todays(void **state)
{
    static const uint8_t old[] = {19, [32] = 7, /* join_drop */
                                  4,  9,        0, 0, 0 /* shape_drop */};
    struct journal_packer *packer = journal_packer_create();
    struct fl_str packed = journal_pack(packer, text(old, sizeof old)), got;
    struct fl_reader reader;
    struct fl_arena arena = {0};
    struct fl_err err = {0};
    struct row row;

    (void)state;
    assert_true(journal_unpack(text(packed.at + 1, packed.len - 1), &arena, &got, &err));
    reader = fl_reader(got.at, got.len);
    assert_true(row_decode(&reader, &row, &err));
    assert_int_equal(row.kind, ROW_join_drop);
    assert_int_equal(row.join_drop.token.at[31], 7);
    assert_true(row_decode(&reader, &row, &err));
    assert_int_equal(row.kind, ROW_shape_drop);
    assert_int_equal(row.shape_drop.shape, 9);
    assert_true(fl_reader_is_done(&reader));

    packed = journal_pack(packer, text(old, sizeof old - 1)); /* the last row is cut */
    assert_false(journal_unpack(text(packed.at + 1, packed.len - 1), &arena, &got, &err));
    assert_int_equal(err.code, FL_TORN);
    fl_arena_fini(&arena);
    journal_packer_destroy(packer);
}

FL_TESTS(cmocka_unit_test(rows_come_back_as_they_were),
         cmocka_unit_test(no_rows_are_no_bytes_and_not_null),
         cmocka_unit_test(what_is_cut_or_damaged_is_refused),
         cmocka_unit_test(the_form_of_a_newer_program_is_refused_by_its_number),
         cmocka_unit_test(rows_of_release_0001_are_read_as_todays))
