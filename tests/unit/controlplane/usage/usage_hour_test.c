#include "controlplane/usage/usage_hour.h"

#include "tests/fl_test.h"

static const struct usage_hour *find(const struct usage_hours *hours, struct usage_step step)
{
    const struct usage_hour *found = NULL;

    for (size_t i = 0; i < hours->len; i++) {
        if (memcmp(&hours->at[i].step, &step, sizeof step) != 0) continue;
        assert_null(found); /* each is there once */
        found = &hours->at[i];
    }
    return found;
}

static uint64_t submitted(const struct usage_hours *hours, struct usage_step step)
{
    const struct usage_hour *hour = find(hours, step);

    return hour ? hour->counts[THROUGHPUT_submitted] : 0;
}

static void submit(struct usage_hours *hours, uint32_t tenant, uint32_t queue, fl_ms at)
{
    usage_hours_at(hours, tenant, queue, at)->counts[THROUGHPUT_submitted]++;
}

static void each_thing_counts_in_its_hour(void **state)
{
    struct usage_hours hours = {0};

    (void)state;
    submit(&hours, 1, 2, 5 * FL_HOUR_MS - 1);
    submit(&hours, 1, 2, 5 * FL_HOUR_MS);
    submit(&hours, 1, 2, 6 * FL_HOUR_MS - 1);
    submit(&hours, 1, 3, 6 * FL_HOUR_MS - 1);
    submit(&hours, 1, 2, -5); /* a clock before 1970 */
    usage_hours_complete(&hours);
    assert_int_equal(submitted(&hours, (struct usage_step){THROUGHPUT_HOUR, 4, 1, 2}), 1);
    assert_int_equal(submitted(&hours, (struct usage_step){THROUGHPUT_HOUR, 5, 1, 2}), 2);
    assert_int_equal(submitted(&hours, (struct usage_step){THROUGHPUT_HOUR, 5, 1, 3}), 1);
    assert_int_equal(submitted(&hours, (struct usage_step){THROUGHPUT_HOUR, 0, 1, 2}), 1);
    assert_null(find(&hours, (struct usage_step){THROUGHPUT_HOUR, 6, 1, 2}));
    usage_hours_fini(&hours);
}

static void days_and_all_queues_are_the_sums_of_their_hours(void **state)
{
    struct usage_hours hours = {0};
    const struct usage_hour *day;

    (void)state;
    for (int hour = 0; hour < 48; hour++) {
        fl_ms at = 10 * FL_DAY_MS + hour * FL_HOUR_MS;
        struct usage_hour *step = usage_hours_at(&hours, 1, 2 + (uint32_t)hour % 2, at);

        step->counts[THROUGHPUT_started]++;
        fl_histogram_add(&step->waits, hour);
        fl_histogram_add(&step->runs, 1000);
        submit(&hours, 1, 2, at);
        submit(&hours, 9, 2, at); /* another tenant's */
    }
    usage_hours_complete(&hours);
    assert_int_equal(submitted(&hours, (struct usage_step){THROUGHPUT_DAY, 240, 1, 2}), 24);
    assert_int_equal(submitted(&hours, (struct usage_step){THROUGHPUT_DAY, 264, 1, 0}), 24);
    assert_int_equal(submitted(&hours, (struct usage_step){THROUGHPUT_DAY, 264, 9, 0}), 24);
    assert_int_equal(submitted(&hours, (struct usage_step){THROUGHPUT_HOUR, 241, 1, 0}), 1);
    day = find(&hours, (struct usage_step){THROUGHPUT_DAY, 264, 1, 3});
    assert_non_null(day);
    assert_int_equal(day->counts[THROUGHPUT_started], 12);
    assert_int_equal(fl_histogram_count(&day->waits), 12);
    assert_int_equal(day->waits.longest, 47);
    day = find(&hours, (struct usage_step){THROUGHPUT_DAY, 240, 1, 0});
    assert_non_null(day);
    assert_int_equal(day->counts[THROUGHPUT_started], 24);
    assert_int_equal(fl_histogram_count(&day->runs), 24);
    assert_int_equal(day->waits.longest, 23);
    usage_hours_fini(&hours);
}

/* Two ledgers take the locks of their rows in one order. */
static void they_are_sorted_and_an_emptied_one_begins_anew(void **state)
{
    struct usage_hours hours = {0};

    (void)state;
    for (uint32_t i = 0; i < 50; i++) {
        submit(&hours, 1 + i % 3, 1 + i * 7 % 5, (fl_ms)(i * 11 % 40) * FL_HOUR_MS);
    }
    usage_hours_complete(&hours);
    for (size_t i = 1; i < hours.len; i++) {
        const struct usage_step *a = &hours.at[i - 1].step, *b = &hours.at[i].step;

        assert_true(a->hours < b->hours ||
                    (a->hours == b->hours &&
                     (a->hour < b->hour ||
                      (a->hour == b->hour && (a->tenant < b->tenant ||
                                              (a->tenant == b->tenant && a->queue < b->queue))))));
    }
    usage_hours_empty(&hours);
    submit(&hours, 1, 2, 0);
    usage_hours_complete(&hours);
    assert_int_equal(hours.len, 4);
    assert_int_equal(submitted(&hours, (struct usage_step){THROUGHPUT_DAY, 0, 1, 0}), 1);
    usage_hours_fini(&hours);
}

FL_TESTS(cmocka_unit_test(each_thing_counts_in_its_hour),
         cmocka_unit_test(days_and_all_queues_are_the_sums_of_their_hours),
         cmocka_unit_test(they_are_sorted_and_an_emptied_one_begins_anew))
