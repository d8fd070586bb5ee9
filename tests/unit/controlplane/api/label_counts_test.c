#include "controlplane/api/label_counts.h"

#include <stdio.h>

#include "tests/fl_test.h"

static void add(struct label_counts *counts, const char *labels, enum job_state state)
{
    struct read_job job = {.row.labels = fl_str_c(labels)};

    job.is_ended = state == JOB_succeeded || state == JOB_failed || state == JOB_cancelled;
    job.state = state;
    label_counts_add(counts, &job);
}

static const char *told(const struct label_sums *sums)
{
    static char text[128];

    snprintf(text, sizeof text, "%d: %d open, %d succeeded, %d failed, %d cancelled",
             (int)sums->jobs, (int)sums->in_state[LABEL_COUNT_open],
             (int)sums->in_state[LABEL_COUNT_succeeded], (int)sums->in_state[LABEL_COUNT_failed],
             (int)sums->in_state[LABEL_COUNT_cancelled]);
    return text;
}

static void jobs_are_counted_by_a_labels_value_and_how_they_stand(void **state)
{
    struct label_counts *counts = label_counts_create(FL_STR("team"));
    const struct label_count *const *sorted;
    struct label_sums sums;
    size_t len;

    (void)state;
    add(counts, "a=1\nteam=speech\n", JOB_failed);
    add(counts, "team=vision\n", JOB_queued);
    add(counts, "team=vision\n", JOB_running);
    add(counts, "team=vision\ntry=2\n", JOB_succeeded);
    add(counts, "team=audio\n", JOB_cancelled);
    add(counts, "team=\n", JOB_succeeded);
    add(counts, "team=a=b\n", JOB_succeeded);
    add(counts, "team=a=b\n", JOB_succeeded);
    add(counts, "", JOB_running);
    add(counts, "teams=vision\nxteam=vision\n", JOB_failed);
    sorted = label_counts_sorted(counts, &len);
    assert_int_equal(len, 5);
    assert_true(fl_str_eq(sorted[0]->value, FL_STR("vision")));
    assert_string_equal(told(&sorted[0]->sums), "3: 2 open, 1 succeeded, 0 failed, 0 cancelled");
    assert_true(fl_str_eq(sorted[1]->value, FL_STR("a=b")));
    assert_true(fl_str_eq(sorted[2]->value, FL_STR("")));
    assert_true(fl_str_eq(sorted[3]->value, FL_STR("audio")));
    assert_string_equal(told(&sorted[3]->sums), "1: 0 open, 0 succeeded, 0 failed, 1 cancelled");
    assert_true(fl_str_eq(sorted[4]->value, FL_STR("speech")));
    sums = label_counts_without(counts);
    assert_string_equal(told(&sums), "2: 1 open, 0 succeeded, 1 failed, 0 cancelled");
    sums = label_counts_total(counts);
    assert_string_equal(told(&sums), "10: 3 open, 4 succeeded, 2 failed, 1 cancelled");
    assert_int_equal(label_counts_others(counts).jobs, 0);
    label_counts_destroy(counts);
}

static void values_beyond_the_most_are_counted_together(void **state)
{
    struct label_counts *counts = label_counts_create(FL_STR("n"));
    struct label_sums others;
    char labels[32];
    size_t len;

    (void)state;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < LABEL_COUNTS_MAX + 3; i++) {
            snprintf(labels, sizeof labels, "n=%d\n", i);
            add(counts, labels, round == 0 ? JOB_running : JOB_failed);
        }
    }
    assert_int_equal(label_counts_sorted(counts, &len)[0]->sums.jobs, 2);
    assert_int_equal(len, LABEL_COUNTS_MAX);
    others = label_counts_others(counts);
    assert_string_equal(told(&others), "6: 3 open, 0 succeeded, 3 failed, 0 cancelled");
    assert_int_equal(label_counts_total(counts).jobs, 2 * (LABEL_COUNTS_MAX + 3));
    label_counts_destroy(counts);
}

static void nothing_counted_is_nothing(void **state)
{
    struct label_counts *counts = label_counts_create(FL_STR(""));
    size_t len;

    (void)state;
    FL_IGNORE(label_counts_sorted(counts, &len) == NULL);
    assert_int_equal(len, 0);
    assert_int_equal(label_counts_total(counts).jobs, 0);
    label_counts_destroy(counts);
    label_counts_destroy(NULL);
}

FL_TESTS(cmocka_unit_test(jobs_are_counted_by_a_labels_value_and_how_they_stand),
         cmocka_unit_test(values_beyond_the_most_are_counted_together),
         cmocka_unit_test(nothing_counted_is_nothing))
