/* The parts of an output while its segments are being sealed. */
#include "controlplane/logs/index.h"
#include "tests/fl_test.h"

/* The index gives references back, and none is the last. */
static struct log_segment first = {.header.seq = 1, .refs = 100};
static struct log_segment second = {.header.seq = 2, .refs = 100};

static const struct log_key key = {.attempt = {.job = {7}, .n = 1}};

/* An output of 300 bytes, of which the last 100 are in the second segment. */
static void make(struct log_index *index)
{
    struct log_output *output;

    log_index_init(index, 1000);
    log_index_lock(index);
    output = log_index_add(index, &key, (struct fl_cluster){1}, &(struct log_place){.offset = 300});
    for (uint64_t i = 0; i < 3; i++) {
        struct log_run run = {.offset = i * 100, .end = (i + 1) * 100, .time = (fl_ms)i};

        log_index_mark(index, output, i < 2 ? &first : &second, i * 100, 100, &run, i);
    }
    log_index_unlock(index);
}

static void what_is_sealed_and_was_dropped_is_not_the_end_of_the_output(void **state)
{
    struct log_index index;
    struct log_part part;
    struct fl_err err = {0};

    (void)state;
    make(&index);
    first.is_removed =
        true; /* its marks stay until the worker has seen it; no file has its bytes */
    assert_true(log_index_part(&index, &key, LOG_BY_OFFSET, 0, &part, &err));
    assert_int_equal(part.offset, 200);
    assert_ptr_equal(part.segment, &second);
    log_part_fini(&part);

    first.is_removed = false;
    assert_true(log_index_part(&index, &key, LOG_BY_OFFSET, 150, &part, &err));
    assert_int_equal(part.offset, 100);
    log_part_fini(&part);

    first.is_removed = second.is_removed = true;
    assert_false(log_index_part(&index, &key, LOG_BY_OFFSET, 0, &part, &err));
    assert_int_equal(err.code, FL_ABSENT);
    log_index_fini(&index);
}

FL_TESTS(cmocka_unit_test(what_is_sealed_and_was_dropped_is_not_the_end_of_the_output))
