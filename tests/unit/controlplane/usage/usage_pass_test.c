#include "controlplane/usage/usage_pass.h"

#include "controlplane/core/job.h"
#include "shared/base/buf.h"
#include "tests/fl_test.h"

enum { START = 100 * FL_HOUR_MS };

/* A batch of one row. */
static void tell(struct usage_pass *pass, fl_ms at, struct row row)
{
    struct fl_err err = {0};
    struct fl_buf buf;

    fl_buf_init(&buf, 1 << 20);
    assert_true(row_encode(&buf, &row));
    if (!usage_pass_rows(pass, (struct fl_str){(const char *)buf.at, buf.len}, at, &err)) {
        fail_msg("%s", err.text);
    }
    fl_buf_fini(&buf);
}

static void submit(struct usage_pass *pass, fl_ms at, uint64_t job, uint32_t queue)
{
    tell(pass, at,
         (struct row){.kind = ROW_job_new,
                      .job_new = {.job = job, .tenant = 1, .queue = queue, .elements = 1}});
}

static void start(struct usage_pass *pass, fl_ms at, uint64_t job, uint32_t element, uint16_t n)
{
    tell(pass, at,
         (struct row){.kind = ROW_attempt_new,
                      .attempt_new = {.job = job, .element = element, .n = n}});
}

static void end_element(struct usage_pass *pass, fl_ms at, uint64_t job, uint16_t n, uint8_t state)
{
    tell(
        pass, at,
        (struct row){.kind = ROW_element_end, .element_end = {.job = job, .n = n, .state = state}});
}

static void end_job(struct usage_pass *pass, fl_ms at, uint64_t job, uint8_t state)
{
    tell(pass, at, (struct row){.kind = ROW_job_end, .job_end = {.job = job, .state = state}});
}

static void sum(struct usage_pass *pass)
{
    usage_pass_gather(pass);
    usage_pass_sum(pass);
}

/* NULL: that hour is empty. */
static const struct usage_hour *hour_of(const struct usage_pass *pass, fl_ms at, uint32_t queue)
{
    struct usage_step step = {THROUGHPUT_HOUR, (int32_t)(at / FL_HOUR_MS), 1, queue};

    for (size_t i = 0; i < pass->hours.len; i++) {
        if (memcmp(&pass->hours.at[i].step, &step, sizeof step) == 0) return &pass->hours.at[i];
    }
    return NULL;
}

static uint64_t count_of(const struct usage_pass *pass, fl_ms at, uint32_t queue,
                         enum throughput_count what)
{
    const struct usage_hour *hour = hour_of(pass, at, queue);

    return hour ? hour->counts[what] : 0;
}

static void a_life_counts_in_the_hours_in_which_it_happened(void **state)
{
    struct usage_pass pass = {0};
    const fl_ms started = START + FL_HOUR_MS, ended = started + FL_HOUR_MS;
    const struct usage_hour *hour;

    (void)state;
    usage_pass_begin(&pass);
    submit(&pass, START, 7, 3);
    start(&pass, started, 7, 0, 1);
    end_element(&pass, ended, 7, 1, JOB_succeeded);
    end_job(&pass, ended, 7, JOB_succeeded);
    sum(&pass);
    assert_int_equal(count_of(&pass, START, 3, THROUGHPUT_submitted), 1);
    assert_int_equal(count_of(&pass, START, 3, THROUGHPUT_started), 0);
    hour = hour_of(&pass, started, 3);
    assert_non_null(hour);
    assert_int_equal(hour->counts[THROUGHPUT_started], 1);
    assert_int_equal(hour->counts[THROUGHPUT_succeeded], 0);
    assert_int_equal(fl_histogram_count(&hour->waits), 1);
    assert_int_equal(hour->waits.longest, FL_HOUR_MS);
    assert_int_equal(fl_histogram_count(&hour->runs), 0);
    hour = hour_of(&pass, ended, 3);
    assert_non_null(hour);
    assert_int_equal(hour->counts[THROUGHPUT_succeeded], 1);
    assert_int_equal(fl_histogram_count(&hour->waits), 0);
    assert_int_equal(hour->runs.longest, FL_HOUR_MS);
    assert_int_equal(pass.summed, 1);
    usage_pass_fini(&pass);
}

static void only_the_first_start_of_an_element_counts(void **state)
{
    struct usage_pass pass = {0};
    const struct usage_hour *hour;

    (void)state;
    usage_pass_begin(&pass);
    submit(&pass, START, 7, 3);
    start(&pass, START + 10, 7, 0, 1);
    tell(&pass, START + 20,
         (struct row){.kind = ROW_attempt_end, .attempt_end = {.job = 7, .n = 1}});
    start(&pass, START + 9000, 7, 0, 2);
    start(&pass, START + 30, 7, 1, 1); /* another element's */
    end_element(&pass, START + 9999, 7, 2, JOB_failed);
    end_job(&pass, START + 9999, 7, JOB_failed);
    sum(&pass);
    hour = hour_of(&pass, START, 3);
    assert_non_null(hour);
    assert_int_equal(hour->counts[THROUGHPUT_started], 2);
    assert_int_equal(fl_histogram_count(&hour->waits), 2);
    assert_int_equal(hour->waits.longest, 30);
    assert_int_equal(hour->counts[THROUGHPUT_failed], 1);
    assert_int_equal(fl_histogram_count(&hour->runs), 0); /* it failed */
    assert_int_equal(pass.summed, 2);
    usage_pass_fini(&pass);
}

static void a_job_that_never_started_has_no_wait(void **state)
{
    struct usage_pass pass = {0};
    const struct usage_hour *hour;

    (void)state;
    usage_pass_begin(&pass);
    submit(&pass, START, 7, 3);
    end_element(&pass, START + 5, 7, 0, JOB_cancelled);
    end_job(&pass, START + 5, 7, JOB_cancelled);
    sum(&pass);
    hour = hour_of(&pass, START, 3);
    assert_non_null(hour);
    assert_int_equal(hour->counts[THROUGHPUT_submitted], 1);
    assert_int_equal(hour->counts[THROUGHPUT_cancelled], 1);
    assert_int_equal(hour->counts[THROUGHPUT_started], 0);
    assert_int_equal(fl_histogram_count(&hour->waits), 0);
    assert_int_equal(pass.summed, 0);
    usage_pass_fini(&pass);
}

static void a_job_that_was_looked_up_counts_in_its_queue_and_is_remembered(void **state)
{
    struct usage_pass pass = {0};
    struct usage_job found = {.tenant = 1, .queue = 5, .submitted_at = START - 700};
    const struct usage_hour *hour;

    (void)state;
    usage_pass_begin(&pass);
    start(&pass, START, 7, 0, 1);
    start(&pass, START, 8, 0, 1); /* its row is gone */
    usage_pass_gather(&pass);
    assert_int_equal(pass.jobs.len, 2);
    assert_false(pass.jobs.at[0].is_known || pass.jobs.at[1].is_known);
    usage_pass_job(&pass, 7, &found);
    usage_pass_job(&pass, 99, &found); /* nothing was asked about it */
    usage_pass_sum(&pass);
    hour = hour_of(&pass, START, 5);
    assert_non_null(hour);
    assert_int_equal(hour->counts[THROUGHPUT_started], 1);
    assert_int_equal(hour->waits.longest, 700);
    usage_pass_begin(&pass);
    end_job(&pass, START + 1, 7, JOB_succeeded);
    usage_pass_gather(&pass);
    assert_true(pass.jobs.at[0].is_known);
    usage_pass_sum(&pass);
    assert_int_equal(count_of(&pass, START, 5, THROUGHPUT_succeeded), 1);
    assert_int_equal(count_of(&pass, START, 5, THROUGHPUT_started), 0);
    usage_pass_fini(&pass);
}

static void an_edited_job_is_asked_for_anew(void **state)
{
    struct usage_pass pass = {0};
    struct usage_job found = {.tenant = 1, .queue = 5}; /* its submission is not known any more */
    const struct usage_hour *hour;

    (void)state;
    usage_pass_begin(&pass);
    submit(&pass, START, 7, 3);
    tell(&pass, START,
         (struct row){.kind = ROW_job_edit, .job_edit = {.job = 7, .revision = 1, .queue = 5}});
    start(&pass, START + 1, 7, 0, 1);
    usage_pass_gather(&pass);
    assert_false(pass.jobs.at[0].is_known);
    usage_pass_job(&pass, 7, &found);
    usage_pass_sum(&pass);
    assert_int_equal(count_of(&pass, START, 3, THROUGHPUT_submitted), 1);
    hour = hour_of(&pass, START, 5);
    assert_non_null(hour);
    assert_int_equal(hour->counts[THROUGHPUT_started], 1);
    assert_int_equal(fl_histogram_count(&hour->waits), 0);
    usage_pass_fini(&pass);
}

static void only_jobs_whose_attempts_ended_need_their_spec(void **state)
{
    struct usage_pass pass = {0};
    size_t from = 0, place = 9;

    (void)state;
    usage_pass_begin(&pass);
    submit(&pass, START, 7, 3);
    submit(&pass, START, 8, 3);
    start(&pass, START, 7, 0, 1);
    start(&pass, START, 8, 0, 1);
    end_element(&pass, START + 5, 8, 1, JOB_succeeded);
    usage_pass_gather(&pass);
    assert_int_equal(usage_pass_lacks(&pass, &from, &place)->id, 8);
    assert_int_equal(place, 0);
    assert_null(usage_pass_lacks(&pass, &from, &place));
    from = 0;
    assert_null(usage_pass_lacks(&pass, &from, &place)); /* it was asked for */
    usage_pass_forget_specs(&pass);
    from = 0;
    assert_non_null(usage_pass_lacks(&pass, &from, &place));
    usage_pass_fini(&pass);
}

static void jobs_that_end_in_turn_are_asked_for_once_each(void **state)
{
    struct usage_pass pass = {0};

    (void)state;
    for (uint16_t n = 1; n <= 3; n++) {
        start(&pass, START, 7, 0, n);
        end_element(&pass, START + 1, 7, n, JOB_failed);
        start(&pass, START, 8, 0, n);
        end_element(&pass, START + 1, 8, n, JOB_failed);
    }
    usage_pass_gather(&pass);
    assert_int_equal(pass.jobs.len, 2);
    assert_true(pass.jobs.at[0].id == 7 && pass.jobs.at[0].has_ended);
    assert_true(pass.jobs.at[1].id == 8 && pass.jobs.at[1].has_ended);
    usage_pass_fini(&pass);
}

static void rows_that_are_cut_off_are_told(void **state)
{
    struct usage_pass pass = {0};
    struct fl_err err = {0};

    (void)state;
    usage_pass_begin(&pass);
    assert_false(usage_pass_rows(&pass, FL_STR("\x01\x7f"), START, &err));
    assert_int_equal(err.code, FL_TORN);
    usage_pass_fini(&pass);
}

FL_TESTS(cmocka_unit_test(a_life_counts_in_the_hours_in_which_it_happened),
         cmocka_unit_test(only_the_first_start_of_an_element_counts),
         cmocka_unit_test(a_job_that_never_started_has_no_wait),
         cmocka_unit_test(a_job_that_was_looked_up_counts_in_its_queue_and_is_remembered),
         cmocka_unit_test(an_edited_job_is_asked_for_anew),
         cmocka_unit_test(only_jobs_whose_attempts_ended_need_their_spec),
         cmocka_unit_test(jobs_that_end_in_turn_are_asked_for_once_each),
         cmocka_unit_test(rows_that_are_cut_off_are_told))
