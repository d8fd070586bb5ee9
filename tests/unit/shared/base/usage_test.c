#include "shared/base/usage.h"

#include "tests/fl_test.h"

static struct fl_usage one(enum fl_meter meter, uint64_t cpu_us, uint64_t memory_bytes)
{
    return (struct fl_usage){.meter = meter,
                             .replicas = 1,
                             .cpu_us = cpu_us,
                             .memory_bytes = memory_bytes,
                             .read_bytes = 3,
                             .written_bytes = 4};
}

static void assert_same(struct fl_usage a, struct fl_usage b)
{
    assert_int_equal(a.meter, b.meter);
    assert_int_equal(a.replicas, b.replicas);
    assert_int_equal(a.cpu_us, b.cpu_us);
    assert_int_equal(a.memory_bytes, b.memory_bytes);
    assert_int_equal(a.read_bytes, b.read_bytes);
    assert_int_equal(a.written_bytes, b.written_bytes);
}

static void times_and_bytes_add_up_and_the_highest_peak_stays(void **state)
{
    struct fl_usage all = {0}, nothing = {0};
    struct fl_usage first = one(FL_METER_group, 100, 7), second = one(FL_METER_processes, 50, 5);

    (void)state;
    fl_usage_add(&all, &nothing);
    assert_int_equal(all.meter, FL_METER_none);
    fl_usage_add(&all, &first);
    assert_same(all, first);
    fl_usage_add(&all, &nothing); /* an unknown one changes nothing */
    assert_same(all, first);
    fl_usage_add(&all, &second);
    assert_same(all, (struct fl_usage){FL_METER_processes, 2, 150, 7, 6, 8});
    fl_usage_add(&all, &first); /* it stays the worse meter's */
    assert_same(all, (struct fl_usage){FL_METER_processes, 3, 250, 7, 9, 12});
}

static void no_sum_overflows(void **state)
{
    struct fl_usage all = one(FL_METER_group, INT64_MAX - 1, 1);
    struct fl_usage more = one(FL_METER_group, 2, 1);

    (void)state;
    all.replicas = UINT32_MAX;
    fl_usage_add(&all, &more);
    assert_int_equal(all.cpu_us, INT64_MAX);
    assert_int_equal(all.replicas, UINT32_MAX);
}

static void the_bytes_are_those_of_the_documents(void **state)
{
    static const uint8_t want[FL_USAGE_BYTES] = {2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3,
                                                 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
                                                 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4};
    struct fl_usage usage = one(FL_METER_group, 0x010203, 0x0100), back;
    uint8_t bytes[FL_USAGE_BYTES];
    struct fl_str text = fl_usage_write(&usage, bytes);

    (void)state;
    assert_int_equal(text.len, sizeof want);
    assert_memory_equal(text.at, want, sizeof want);
    back = fl_usage_read(text);
    assert_same(back, usage);
    assert_same(fl_usage_read_one(text), usage);
    assert_int_equal(fl_usage_write(&(struct fl_usage){0}, bytes).len, 0);
}

static void what_is_not_understood_is_not_known(void **state)
{
    struct fl_usage usage = one(FL_METER_group, FL_USAGE_MAX, 1);
    uint8_t bytes[FL_USAGE_BYTES];
    struct fl_str text = fl_usage_write(&usage, bytes);

    (void)state;
    assert_int_equal(fl_usage_read_one(text).cpu_us, FL_USAGE_MAX);
    usage.cpu_us++; /* no replica can use so much, but many together can */
    text = fl_usage_write(&usage, bytes);
    assert_int_equal(fl_usage_read_one(text).meter, FL_METER_none);
    assert_int_equal(fl_usage_read(text).cpu_us, FL_USAGE_MAX + 1);
    usage = (struct fl_usage){FL_METER_group, 2, 1, 1, 1, 1}; /* one that says it is two */
    text = fl_usage_write(&usage, bytes);
    assert_int_equal(fl_usage_read(text).replicas, 2);
    assert_int_equal(fl_usage_read_one(text).meter, FL_METER_none);
    bytes[6 + 7] = 0xff; /* beyond the numbers of SQL */
    bytes[5] = 0xff;
    assert_int_equal(fl_usage_read(text).meter, FL_METER_none);
    bytes[5] = 0;
    bytes[0] = FL_METERS_LEN; /* a newer program's */
    assert_int_equal(fl_usage_read(text).meter, FL_METER_none);
    bytes[0] = FL_METER_group;
    for (size_t len = 0; len < FL_USAGE_BYTES; len++) {
        assert_int_equal(fl_usage_read((struct fl_str){text.at, len}).meter, FL_METER_none);
    }
}

FL_TESTS(cmocka_unit_test(times_and_bytes_add_up_and_the_highest_peak_stays),
         cmocka_unit_test(no_sum_overflows), cmocka_unit_test(the_bytes_are_those_of_the_documents),
         cmocka_unit_test(what_is_not_understood_is_not_known))
