#include "controlplane/logs/merge_plan.h"

#include <string.h>

#include "tests/fl_test.h"

enum { FILES_MAX = 4096 };

static struct log_merge_file files[FILES_MAX];
static size_t files_len;

static void add(uint64_t bytes, uint64_t outputs, fl_ms sealed_at)
{
    assert_true(files_len < FILES_MAX);
    files[files_len++] =
        (struct log_merge_file){.bytes = bytes, .outputs = outputs, .sealed_at = sealed_at};
}

/* Merges until no plan is left.  Returns the bytes that were written. */
static uint64_t merge_all(fl_ms span_ms)
{
    uint64_t written = 0;
    size_t first;
    size_t len;

    while (log_merge_plan(files, files_len, span_ms, &first, &len)) {
        struct log_merge_file one = files[first + len - 1];

        assert_true(len >= LOG_MERGE_FILES && len <= LOG_MERGE_FILES_MAX);
        assert_true(first + len <= files_len);
        assert_true(one.sealed_at - files[first].sealed_at <= span_ms);
        for (size_t i = first; i < first + len - 1; i++) {
            one.bytes += files[i].bytes;
            one.outputs += files[i].outputs;
        }
        assert_true(one.bytes <= LOG_MERGE_BYTES_MAX && one.outputs <= LOG_MERGE_OUTPUTS_MAX);
        written += one.bytes;
        files[first] = one;
        memmove(&files[first + 1], &files[first + len],
                (files_len - first - len) * sizeof(files[0]));
        files_len -= len - 1;
    }
    return written;
}

static void a_day_of_small_files_becomes_few_and_is_written_a_few_times(void **state)
{
    uint64_t stored = 0;
    uint64_t written = 0;

    (void)state;
    files_len = 0;
    for (int i = 0; i < 20000; i++) {
        add(300000, 4000, (fl_ms)i * 4000);
        stored += 300000;
        written += merge_all(72 * FL_HOUR_MS);
    }
    assert_true(files_len < 200); /* 80 M outputs, in files of up to 4 M */
    assert_true(written < 5 * stored);
}

static void what_was_sealed_long_apart_stays_apart(void **state)
{
    (void)state;
    files_len = 0;
    for (int i = 0; i < 7; i++) {
        add(1000, 1, i);
    }
    for (int i = 0; i < 7; i++) {
        add(1000, 1, 24 * FL_HOUR_MS + i);
    }
    assert_int_equal(merge_all(FL_HOUR_MS), 0);
    assert_true(merge_all(48 * FL_HOUR_MS) > 0);
    assert_int_equal(files_len, 1);
}

static void few_files_and_full_ones_are_left_alone(void **state)
{
    (void)state;
    files_len = 0;
    for (int i = 0; i < 30; i++) {
        add(LOG_MERGE_BYTES_MAX / 4, 10, i);
    }
    for (int i = 0; i < 7; i++) {
        add(1000, 1, 100 + i);
    }
    assert_int_equal(merge_all(24 * FL_HOUR_MS), 0);
}

static void what_a_segment_lies_between_stays_apart(void **state)
{
    (void)state;
    files_len = 0;
    for (int i = 0; i < 14; i++) {
        add(1000, 1, i);
    }
    files[7].is_behind_segment = true;
    assert_int_equal(merge_all(FL_HOUR_MS), 0);
    files[7].is_behind_segment = false;
    files[6].is_behind_segment = true; /* eight are on its other side */
    assert_true(merge_all(FL_HOUR_MS) > 0);
    assert_int_equal(files_len, 7);
}

FL_TESTS(cmocka_unit_test(a_day_of_small_files_becomes_few_and_is_written_a_few_times),
         cmocka_unit_test(what_was_sealed_long_apart_stays_apart),
         cmocka_unit_test(what_a_segment_lies_between_stays_apart),
         cmocka_unit_test(few_files_and_full_ones_are_left_alone))
