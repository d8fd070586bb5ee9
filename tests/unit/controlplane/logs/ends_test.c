/* The end of a job's outputs, as readers hear of it: an output that is due is awaited also before
 * its first byte; one that is given up, or lost, ends with a gap. */
#include "shared/io/clock.h"
#include "tests/fl_test.h"
#include "tests/unit/controlplane/logs/log_world.h"

enum { JOB = 801, STEPS = 300 };

static struct log_world world;

static struct log_query following(void)
{
    return (struct log_query){.tenant = {1}, .job = {JOB}, .is_following = true};
}

static struct log_attempt attempt_of(size_t i, const char *letters, bool is_given_up)
{
    return (struct log_attempt){.attempt = world.outputs[i].attempt,
                                .letters = fl_str_c(letters),
                                .is_given_up = is_given_up};
}

static void settle(struct log_world_read *read, const struct log_attempt *at, size_t len)
{
    log_read_settle(read->read, &(struct log_attempts){at, len});
}

static void spend(void)
{
    for (int i = 0; i < STEPS; i++) {
        log_world_step(&world);
    }
}

static void until_over(struct log_world_read *read)
{
    for (fl_ms end = fl_clock_mono() + 60000; !read->is_over;) {
        assert_true(fl_clock_mono() < end);
        log_world_step(&world);
    }
    assert_int_equal(read->err.code, FL_OK);
}

static void an_output_that_is_due_is_awaited_before_its_first_byte(void **state)
{
    struct log_world_read read = {0};
    struct log_query query = following();
    struct log_attempt attempt;
    size_t i;

    (void)state;
    log_world_init(&world, 31);
    i = log_world_add(&world, JOB, 0, 1, 0);
    attempt = attempt_of(i, "d", false);
    log_world_read(&world, &query, &read);
    settle(&read, &attempt, 1);
    spend();
    assert_false(read.is_over); /* the store has never heard of it */
    log_world_write(&world, i, "late\n", 5, 1000);
    spend();
    assert_false(read.is_over);
    log_world_end(&world, i);
    until_over(&read);
    assert_int_equal(read.lines.len, 1);
    assert_int_equal(read.sources_lost, 0);
    log_world_read_fini(&read);
    log_world_fini(&world);
}

static void what_is_given_up_ends_with_a_gap_behind_its_last_byte(void **state)
{
    struct log_world_read read = {0};
    struct log_query query = following();
    struct log_attempt attempt;
    size_t i;

    (void)state;
    log_world_init(&world, 32);
    i = log_world_add(&world, JOB, 0, 1, 0);
    log_world_write(&world, i, "one\ntw", 6, 1000);
    log_world_settle(&world);
    attempt = attempt_of(i, "d", false);
    log_world_read(&world, &query, &read);
    settle(&read, &attempt, 1);
    spend();
    assert_false(read.is_over);
    attempt.is_given_up = true;
    settle(&read, &attempt, 1);
    until_over(&read);
    assert_int_equal(read.sources_lost, 1);
    assert_int_equal(read.lines.at[read.lines.len - 1].gap, FL_LOG_GAP_lost);
    assert_int_equal(read.lines.at[read.lines.len - 1].offset, 6);
    assert_true(log_world_is_exact(&world, &read, i, 0));
    log_world_read_fini(&read);
    log_world_fini(&world);
}

static void a_follower_is_told_once_what_it_waits_for(void **state)
{
    struct log_world_read read = {0};
    struct log_query query = following();
    struct log_attempt attempt;

    (void)state;
    log_world_init(&world, 35);
    log_world_add(&world, JOB, 0, 1, 0);
    log_world_write(&world, 0, "x\n", 2, 1000);
    log_world_settle(&world);
    log_world_read(&world, &query, &read);
    spend();
    assert_int_equal(read.pages, 1); /* it has all, and the job goes on */
    attempt = attempt_of(0, "dd", false);
    settle(&read, &attempt, 1);
    spend();
    assert_int_equal(read.pages, 2);
    assert_int_equal(read.sources_live, 2);
    settle(&read, &attempt, 1);
    spend();
    assert_int_equal(read.pages, 2); /* that is no news */
    log_world_end(&world, 0);
    spend();
    assert_int_equal(read.pages, 3);
    assert_int_equal(read.sources_live, 1);
    attempt.is_given_up = true;
    settle(&read, &attempt, 1);
    until_over(&read);
    log_world_read_fini(&read);
    log_world_fini(&world);
}

static void an_output_that_nobody_has_is_a_gap_and_one_that_never_ran_is_nothing(void **state)
{
    struct log_world_read read = {0};
    struct log_query query = following();
    struct log_attempt attempts[3];
    struct log_attempts all = {attempts, 3};

    (void)state;
    log_world_init(&world, 33);
    for (uint16_t n = 1; n <= 3; n++) {
        log_world_add(&world, JOB, 0, n, 0);
    }
    attempts[0] = attempt_of(0, "l", false);
    attempts[1] = attempt_of(1, "-", false);
    attempts[2] = attempt_of(2, "d", false);
    log_world_write(&world, 2, "x\n", 2, 1000);
    log_world_end(&world, 2);
    log_world_settle(&world);
    query.attempts = &all; /* the job has ended long before */
    log_world_read(&world, &query, &read);
    until_over(&read);
    assert_int_equal(read.lines.len, 2);
    assert_int_equal(read.sources_lost, 1);
    assert_int_equal(read.lines.at[0].gap + read.lines.at[1].gap, FL_LOG_GAP_lost);
    log_world_read_fini(&read);
    log_world_fini(&world);
}

static void a_read_that_does_not_follow_says_what_is_still_to_come(void **state)
{
    struct log_world_read read = {0};
    struct log_query query = following();
    struct log_attempt attempt;
    struct log_attempts all = {&attempt, 1};

    (void)state;
    log_world_init(&world, 34);
    log_world_add(&world, JOB, 0, 1, 0);
    attempt = attempt_of(0, "dd", false);
    query.is_following = false;
    query.attempts = &all;
    log_world_read(&world, &query, &read);
    until_over(&read);
    assert_int_equal(read.lines.len, 0);
    assert_int_equal(read.sources_live, 2);
    log_world_read_fini(&read);
    query.replicas[0] = (struct log_replicas){1, 1};
    query.replicas_len = 1;
    read = (struct log_world_read){0};
    log_world_read(&world, &query, &read);
    until_over(&read);
    assert_int_equal(read.sources_live, 1);
    log_world_read_fini(&read);
    log_world_fini(&world);
}

FL_TESTS(cmocka_unit_test(an_output_that_is_due_is_awaited_before_its_first_byte),
         cmocka_unit_test(what_is_given_up_ends_with_a_gap_behind_its_last_byte),
         cmocka_unit_test(a_follower_is_told_once_what_it_waits_for),
         cmocka_unit_test(an_output_that_nobody_has_is_a_gap_and_one_that_never_ran_is_nothing),
         cmocka_unit_test(a_read_that_does_not_follow_says_what_is_still_to_come))
