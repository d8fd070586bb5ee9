#include "controlplane/engine/high_water.h"

#include <string.h>

#include "tests/fl_test.h"

static const struct high_water some = {.batch = 812,
                                       .jobs = 300,
                                       .job_next = 305,
                                       .job_below = 2353,
                                       .epoch_below = 64,
                                       .incarnation = 2};

static void marks_are_read_as_they_were_written(void **state)
{
    struct high_water again = {0}, largest = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,
                                              UINT64_MAX, UINT64_MAX, UINT32_MAX, 1};
    char text[HIGH_WATER_BYTES_MAX];
    struct fl_err err = {0};
    size_t len = high_water_encode(&some, text);

    (void)state;
    assert_true(high_water_decode((struct fl_str){text, len}, &again, &err));
    assert_memory_equal(&again, &some, sizeof some);
    len = high_water_encode(&largest, text);
    assert_true(high_water_decode((struct fl_str){text, len}, &again, &err));
    assert_memory_equal(&again, &largest, sizeof largest);
}

static void a_file_that_is_cut_or_changed_anywhere_is_refused(void **state)
{
    char text[HIGH_WATER_BYTES_MAX], other[HIGH_WATER_BYTES_MAX];
    size_t len = high_water_encode(&some, text);
    struct high_water water = {.batch = 7};

    (void)state;
    for (size_t i = 0; i < len; i++) {
        struct fl_err err = {0};

        assert_false(high_water_decode((struct fl_str){text, i}, &water, &err));
        assert_int_equal(err.code, FL_TORN);
        memcpy(other, text, len);
        other[i] ^= 1;
        err = (struct fl_err){0};
        assert_false(high_water_decode((struct fl_str){other, len}, &water, &err));
    }
    assert_int_equal(water.batch, 7);
}

static void another_releases_file_is_named_so(void **state)
{
    struct high_water water;
    struct fl_err err = {0};

    (void)state;
    assert_false(high_water_decode(FL_STR("fairlead high-water 2\nbatch 1\n"), &water, &err));
    assert_int_equal(err.code, FL_INVALID);
    assert_non_null(strstr(err.text, "another release"));
}

FL_TESTS(cmocka_unit_test(marks_are_read_as_they_were_written),
         cmocka_unit_test(a_file_that_is_cut_or_changed_anywhere_is_refused),
         cmocka_unit_test(another_releases_file_is_named_so))
