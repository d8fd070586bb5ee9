#include "controlplane/usage/usage_day.h"

#include "tests/fl_test.h"

static struct usage_attempt attempt_of(fl_ms began_at, fl_ms ended_at)
{
    return (struct usage_attempt){
        .group = {.tenant = 1, .queue = 2, .owner = FL_STR("amy"), .labels = FL_STR("{}")},
        .began_at = began_at,
        .ended_at = ended_at,
        .replicas = 2,
        .held = {.memory_bytes = 3 << 20, .cpu_milli = 1500, .gpus = 4},
        .used = {FL_METER_group, 2, 7000001, 5000, 600, 70},
    };
}

static uint64_t sum_of(const struct usage_days *days, enum usage_sum which)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < days->len; i++) {
        sum += days->at[i].sums[which];
    }
    return sum;
}

static void an_attempt_of_one_day_counts_whole(void **state)
{
    struct usage_days days = {0};
    struct usage_attempt attempt = attempt_of(10 * FL_DAY_MS + 1000, 10 * FL_DAY_MS + 3000);
    static const uint64_t wanted[USAGE_SUMS_LEN] = {
        [USAGE_attempts] = 1,           [USAGE_replica_ms] = 4000,     [USAGE_cpu_ms] = 3000,
        [USAGE_memory_mib_ms] = 6000,   [USAGE_gpu_ms] = 8000,         [USAGE_measured] = 1,
        [USAGE_measured_cpu_ms] = 3000, [USAGE_used_cpu_us] = 7000001, [USAGE_memory_bytes] = 5000,
        [USAGE_read_bytes] = 600,       [USAGE_written_bytes] = 70};

    (void)state;
    usage_days_add(&days, &attempt);
    assert_int_equal(days.len, 1);
    assert_int_equal(days.at[0].day, 10);
    for (size_t i = 0; i < USAGE_SUMS_LEN; i++) {
        assert_int_equal(days.at[0].sums[i], wanted[i]);
    }
    usage_days_fini(&days);
}

static void each_day_gets_its_share_and_the_shares_are_the_whole(void **state)
{
    struct usage_days days = {0};
    struct usage_attempt attempt = attempt_of(10 * FL_DAY_MS - 1, 12 * FL_DAY_MS + 2);

    (void)state;
    usage_days_add(&days, &attempt);
    assert_int_equal(days.len, 4);
    assert_int_equal(days.at[0].day, 9);
    assert_int_equal(days.at[0].sums[USAGE_replica_ms], 2);
    assert_int_equal(days.at[1].sums[USAGE_replica_ms], 2 * FL_DAY_MS);
    assert_int_equal(days.at[2].sums[USAGE_gpu_ms], 4 * FL_DAY_MS);
    assert_int_equal(days.at[3].sums[USAGE_gpu_ms], 8);
    assert_int_equal(sum_of(&days, USAGE_replica_ms), 2 * (2 * FL_DAY_MS + 3));
    assert_int_equal(sum_of(&days, USAGE_used_cpu_us), 7000001);
    assert_int_equal(sum_of(&days, USAGE_read_bytes), 600);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(days.at[i].sums[USAGE_attempts], i == 3);
        assert_int_equal(days.at[i].sums[USAGE_measured], i == 3);
        assert_int_equal(days.at[i].sums[USAGE_memory_bytes], 5000);
    }
    usage_days_fini(&days);
}

static void an_end_at_midnight_counts_on_the_new_day_and_holds_nothing_of_it(void **state)
{
    struct usage_days days = {0};
    struct usage_attempt attempt = attempt_of(10 * FL_DAY_MS, 11 * FL_DAY_MS);

    (void)state;
    usage_days_add(&days, &attempt);
    assert_int_equal(days.len, 2);
    assert_int_equal(days.at[0].sums[USAGE_gpu_ms], 4 * FL_DAY_MS);
    assert_int_equal(days.at[0].sums[USAGE_attempts], 0);
    assert_int_equal(days.at[1].sums[USAGE_gpu_ms], 0);
    assert_int_equal(days.at[1].sums[USAGE_attempts], 1);
    usage_days_fini(&days);
}

static void what_no_meter_saw_is_not_counted_as_measured(void **state)
{
    struct usage_days days = {0};
    struct usage_attempt attempt = attempt_of(1000, 2000);

    (void)state;
    attempt.used = (struct fl_usage){0};
    usage_days_add(&days, &attempt);
    assert_int_equal(days.at[0].sums[USAGE_measured], 0);
    assert_int_equal(days.at[0].sums[USAGE_measured_cpu_ms], 0);
    assert_int_equal(days.at[0].sums[USAGE_cpu_ms], 1500);
    usage_days_fini(&days);
}

/* A start that is not known, or is later than the end, as after a clock that was set back. */
static void an_attempt_without_a_beginning_held_nothing(void **state)
{
    static const fl_ms begins[] = {0, 2 * FL_DAY_MS, 3 * FL_DAY_MS};

    (void)state;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        struct usage_days days = {0};
        struct usage_attempt attempt = attempt_of(begins[i], 2 * FL_DAY_MS);

        usage_days_add(&days, &attempt);
        assert_int_equal(days.len, 1);
        assert_int_equal(days.at[0].sums[USAGE_attempts], 1);
        assert_int_equal(days.at[0].sums[USAGE_replica_ms], 0);
        assert_int_equal(days.at[0].sums[USAGE_used_cpu_us], 7000001);
        usage_days_fini(&days);
    }
}

static void an_attempt_of_very_many_days_makes_a_bounded_number(void **state)
{
    struct usage_days days = {0};
    struct usage_attempt attempt = attempt_of(1, 20000 * FL_DAY_MS);

    (void)state;
    usage_days_add(&days, &attempt);
    assert_int_equal(days.len, USAGE_ATTEMPT_DAYS_MAX);
    assert_int_equal(sum_of(&days, USAGE_replica_ms), 2 * (20000 * FL_DAY_MS - 1));
    assert_int_equal(days.at[days.len - 1].day, 20000);
    usage_days_fini(&days);
}

static void those_of_one_day_and_group_become_one(void **state)
{
    struct usage_days days = {0};
    struct usage_attempt a = attempt_of(1000, 2000), b = a, c = a, d = a, e = a;

    (void)state;
    b.group.owner = FL_STR("bob");
    c.used.memory_bytes = 9000;
    d.group.labels = FL_STR("{\"project\":\"x\"}");
    e.group.queue = 1;
    usage_days_add(&days, &a);
    usage_days_add(&days, &b);
    usage_days_add(&days, &c);
    usage_days_add(&days, &d);
    usage_days_add(&days, &e);
    usage_days_merge(&days);
    assert_int_equal(days.len, 4);
    assert_int_equal(days.at[0].group.queue, 1);
    assert_true(fl_str_eq(days.at[1].group.labels, d.group.labels));
    assert_int_equal(days.at[2].sums[USAGE_attempts], 2);
    assert_int_equal(days.at[2].sums[USAGE_memory_bytes], 9000);
    assert_int_equal(days.at[2].sums[USAGE_read_bytes], 1200);
    assert_true(fl_str_eq(days.at[3].group.owner, FL_STR("bob")));
    usage_days_fini(&days);
}

static void no_sum_wraps(void **state)
{
    struct usage_days days = {0};
    struct usage_attempt attempt = attempt_of(1000, 2 * FL_DAY_MS - 1);

    (void)state;
    attempt.held = (struct fl_resources_sum){UINT64_MAX, UINT64_MAX, UINT64_MAX};
    attempt.used.cpu_us = UINT64_MAX;
    usage_days_add(&days, &attempt);
    usage_days_add(&days, &attempt);
    usage_days_add(&days, &attempt);
    usage_days_merge(&days);
    assert_int_equal(days.len, 2);
    for (size_t i = 0; i < days.len; i++) {
        assert_true(days.at[i].sums[USAGE_gpu_ms] <= USAGE_SUM_MAX);
        assert_true(days.at[i].sums[USAGE_used_cpu_us] <= USAGE_SUM_MAX);
        assert_true(days.at[i].sums[USAGE_memory_mib_ms] <= USAGE_SUM_MAX);
    }
    assert_true(days.at[1].sums[USAGE_gpu_ms] > days.at[1].sums[USAGE_replica_ms]);
    usage_days_fini(&days);
}

FL_TESTS(cmocka_unit_test(an_attempt_of_one_day_counts_whole),
         cmocka_unit_test(each_day_gets_its_share_and_the_shares_are_the_whole),
         cmocka_unit_test(an_end_at_midnight_counts_on_the_new_day_and_holds_nothing_of_it),
         cmocka_unit_test(what_no_meter_saw_is_not_counted_as_measured),
         cmocka_unit_test(an_attempt_without_a_beginning_held_nothing),
         cmocka_unit_test(an_attempt_of_very_many_days_makes_a_bounded_number),
         cmocka_unit_test(those_of_one_day_and_group_become_one), cmocka_unit_test(no_sum_wraps))
