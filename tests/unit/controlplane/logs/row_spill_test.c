#include "controlplane/logs/row_spill.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shared/base/alloc.h"
#include "tests/fl_test.h"

enum { ROW_BYTES = 48 };

struct seen {
    uint64_t rows;
};

static bool see(void *ctx, const uint8_t *at, size_t len, struct fl_err *err)
{
    struct seen *seen = ctx;

    (void)err;
    assert_int_equal(len % ROW_BYTES, 0);
    for (size_t i = 0; i < len; i += ROW_BYTES) {
        struct fl_reader reader = fl_reader(at + i, ROW_BYTES);

        assert_int_equal(fl_read_u64(&reader), seen->rows++);
    }
    return true;
}

static void check_rows(uint64_t rows)
{
    char *path = fl_alloc(64);
    struct row_spill spill;
    struct seen seen = {0};
    struct fl_err err = {0};

    snprintf(path, 64, "/tmp/fl-rows-%d.part", (int)getpid());
    row_spill_init(&spill, path);
    for (uint64_t i = 0; i < rows; i++) {
        assert_true(fl_buf_put_u64(&spill.rows, i));
        for (int k = 0; k < 5; k++) {
            assert_true(fl_buf_put_u64(&spill.rows, 0));
        }
        assert_true(row_spill_check(&spill, &err));
        assert_true(spill.rows.len <= 128 << 10);
    }
    assert_true(access(path, F_OK) != 0); /* its file has no name */
    assert_true(row_spill_each(&spill, ROW_BYTES, see, &seen, &err));
    assert_int_equal(seen.rows, rows);
    row_spill_fini(&spill);
}

static void all_rows_come_back_in_order_however_many_there_are(void **state)
{
    (void)state;
    check_rows(0);
    check_rows(1);
    check_rows(100000); /* 4.8 MB: most of it in the file */
}

FL_TESTS(cmocka_unit_test(all_rows_come_back_in_order_however_many_there_are))
