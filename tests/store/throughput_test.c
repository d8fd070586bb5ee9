/* Submissions, starts and ends by hour and queue, over a real journal: each counts once, and the
 * reader gives them step by step. */
#include <inttypes.h>

#include "controlplane/store/read_throughput.h"
#include "shared/base/alloc.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"
#include "tests/store/usage_help.h"

enum { START_HOUR = 20000 * 24 };

/* By hours, of queue 3. */
static long long sum(const struct usage_rig *rig, const char *column)
{
    char sql[160];

    snprintf(sql, sizeof sql,
             "select coalesce(sum(%s), 0)::bigint from queue_hour where hours = 1 and queue = 3",
             column);
    return help_number(rig->conninfo, sql);
}

static long long times(const struct usage_rig *rig, const char *column)
{
    char sql[200];

    snprintf(sql, sizeof sql,
             "select coalesce(sum(b), 0)::bigint from queue_hour, unnest(%s) b"
             " where hours = 1 and queue = 3",
             column);
    return help_number(rig->conninfo, sql);
}

static void end_job(struct core_batch *batch, uint64_t job, uint8_t state)
{
    help_row(batch,
             (struct row){.kind = ROW_job_end,
                          .job_end = {.job = job, .state = state, .reason = REASON_Succeeded}});
}

/* Days and all queues together are the same sums once more. */
static void check_sums(const struct usage_rig *rig)
{
    assert_int_equal(
        help_number(rig->conninfo,
                    "select count(distinct (submitted, started, succeeded, failed, cancelled))"
                    " from (select sum(submitted) submitted, sum(started) started,"
                    " sum(succeeded) succeeded, sum(failed) failed, sum(cancelled) cancelled"
                    " from queue_hour group by hours, queue = 0) s"),
        1);
}

/* Element 0 of job 1 starts twice, element 1 an hour later; job 2 is cancelled while it waits. */
static void live(struct usage_rig *rig)
{
    struct core_batch *batch = usage_rig_batch(rig, USAGE_START);

    usage_rig_submit(batch, 1, "amy", "");
    usage_rig_submit(batch, 2, "amy", "");
    usage_rig_commit(rig, batch);
    batch = usage_rig_batch(rig, USAGE_START + 1000);
    help_attempt(batch, 1, 0, 1);
    usage_rig_commit(rig, batch);
    batch = usage_rig_batch(rig, USAGE_START + 2000);
    usage_rig_fail_attempt(batch, 1, 0, 1, 300);
    help_attempt(batch, 1, 0, 2);
    usage_rig_commit(rig, batch);
    batch = usage_rig_batch(rig, USAGE_START + FL_HOUR_MS);
    help_attempt(batch, 1, 1, 1);
    end_job(batch, 2, JOB_cancelled);
    usage_rig_commit(rig, batch);
    batch = usage_rig_batch(rig, USAGE_START + FL_HOUR_MS + 3000);
    usage_rig_end_element(batch, 1, 0, 2, 0);
    usage_rig_end_element(batch, 1, 1, 1, 0);
    end_job(batch, 1, JOB_succeeded);
    usage_rig_commit(rig, batch);
}

static void check_lives(const struct usage_rig *rig)
{
    assert_int_equal(sum(rig, "submitted"), 2);
    assert_int_equal(sum(rig, "started"), 2);
    assert_int_equal(sum(rig, "succeeded"), 1);
    assert_int_equal(sum(rig, "cancelled"), 1);
    assert_int_equal(sum(rig, "failed"), 0);
    assert_int_equal(times(rig, "waits"), 2);
    assert_int_equal(times(rig, "runs"), 2);
    assert_int_equal(help_number(rig->conninfo, "select wait_longest from queue_hour where hours ="
                                                " 1 and queue = 3 and hour = 480000"),
                     1000);
    assert_int_equal(help_number(rig->conninfo, "select wait_longest from queue_hour where hours ="
                                                " 1 and queue = 3 and hour = 480001"),
                     FL_HOUR_MS);
    assert_int_equal(help_number(rig->conninfo, "select run_longest from queue_hour where hours ="
                                                " 24 and queue = 0"),
                     FL_HOUR_MS + 1000);
    check_sums(rig);
}

static void each_thing_counts_once_in_its_hour(void **state)
{
    struct usage_rig rig;

    (void)state;
    usage_rig_init(&rig);
    rig.ledgers[0] = usage_rig_ledger(&rig);
    live(&rig);
    usage_rig_until(&rig, rig.number);
    check_lives(&rig);
    if (rig.troubles > 0) fail_msg("%s", rig.trouble);
    usage_rig_fini(&rig);
}

/* Each batch is counted by a ledger that has just come and remembers nothing: it looks up the jobs,
 * and when they came. */
static void what_is_not_remembered_is_looked_up(void **state)
{
    struct usage_rig rig;

    (void)state;
    usage_rig_init(&rig);
    live(&rig);
    help_run(rig.conninfo, "create table kept as select * from journal");
    help_run(rig.conninfo, "delete from journal where batch > 1");
    for (uint64_t batch = 1; batch <= rig.number; batch++) {
        char sql[128];

        snprintf(sql, sizeof sql,
                 "insert into journal select * from kept where batch = %" PRIu64 " and batch > 1",
                 batch);
        help_run(rig.conninfo, sql);
        rig.ledgers[0] = usage_rig_ledger(&rig);
        usage_rig_until(&rig, batch);
        usage_ledger_destroy(rig.ledgers[0]);
        rig.ledgers[0] = NULL;
    }
    check_lives(&rig);
    if (rig.troubles > 0) fail_msg("%s", rig.trouble);
    usage_rig_fini(&rig);
}

static void two_that_save_the_same_at_once_count_it_once(void **state)
{
    struct usage_rig rig;

    (void)state;
    usage_rig_init(&rig);
    live(&rig);
    usage_rig_count_at_once(&rig);
    check_lives(&rig);
    if (rig.troubles > 0) fail_msg("%s", rig.trouble);
    usage_rig_fini(&rig);
}

/* Two ledgers at a time; one goes and another comes, and connections are cut. */
static void takeovers_and_cut_connections_count_nothing_twice_and_lose_nothing(void **state)
{
    enum { JOBS = 120 };
    struct fl_prng prng;
    struct usage_rig rig;

    (void)state;
    fl_prng_seed(&prng, 3);
    usage_rig_init(&rig);
    for (uint64_t job = 1; job <= JOBS; job++) {
        fl_ms at = USAGE_START + (fl_ms)job * FL_MINUTE_MS;
        struct core_batch *batch;

        if (!rig.ledgers[job % 2]) rig.ledgers[job % 2] = usage_rig_ledger(&rig);
        batch = usage_rig_batch(&rig, at);
        usage_rig_submit(batch, job, "amy", "");
        usage_rig_commit(&rig, batch);
        if (fl_prng_chance(&prng, 200000)) help_turn(rig.help, 5);
        batch = usage_rig_batch(&rig, at + 100);
        help_attempt(batch, job, 0, 1);
        help_attempt(batch, job, 1, 1);
        usage_rig_commit(&rig, batch);
        if (fl_prng_chance(&prng, 300000)) {
            usage_ledger_destroy(rig.ledgers[0]);
            rig.ledgers[0] = NULL;
        }
        batch = usage_rig_batch(&rig, at + 300);
        usage_rig_end_element(batch, job, 0, 1, 1);
        usage_rig_end_element(batch, job, 1, 1, 1);
        end_job(batch, job, job % 3 ? JOB_succeeded : JOB_failed);
        usage_rig_commit(&rig, batch);
        if (!fl_prng_chance(&prng, 100000)) continue;
        usage_rig_cut(&rig);
    }
    if (!rig.ledgers[0]) rig.ledgers[0] = usage_rig_ledger(&rig);
    usage_rig_until(&rig, rig.number);
    assert_int_equal(sum(&rig, "submitted"), JOBS);
    assert_int_equal(sum(&rig, "started"), 2 * JOBS);
    assert_int_equal(sum(&rig, "succeeded"), JOBS - JOBS / 3);
    assert_int_equal(sum(&rig, "failed"), JOBS / 3);
    assert_int_equal(times(&rig, "waits"), 2 * JOBS);
    assert_int_equal(times(&rig, "runs"), 2 * JOBS);
    assert_int_equal(help_number(rig.conninfo, "select max(wait_longest) from queue_hour"), 100);
    assert_int_equal(help_number(rig.conninfo, "select min(run_longest) from queue_hour"), 200);
    check_sums(&rig);
    usage_rig_fini(&rig);
}

/* A start counts although the journal no longer has the submission; its wait is not known. */
static void a_wait_from_before_the_journal_is_left_out(void **state)
{
    struct core_batch *batch;
    struct usage_rig rig;

    (void)state;
    usage_rig_init(&rig);
    batch = usage_rig_batch(&rig, USAGE_START);
    usage_rig_submit(batch, 1, "amy", "");
    usage_rig_commit(&rig, batch);
    batch = usage_rig_batch(&rig, USAGE_START + 500);
    help_attempt(batch, 1, 0, 1);
    help_attempt(batch, 1, 1, 1);
    usage_rig_commit(&rig, batch);
    help_run(rig.conninfo, "update job set batch = 99");
    help_run(rig.conninfo, "update usage_mark set batch = 1");
    rig.ledgers[0] = usage_rig_ledger(&rig);
    usage_rig_until(&rig, rig.number);
    assert_int_equal(sum(&rig, "submitted"), 0); /* the mark was behind it */
    assert_int_equal(sum(&rig, "started"), 2);
    assert_int_equal(times(&rig, "waits"), 0);
    if (rig.troubles > 0) fail_msg("%s", rig.trouble);
    usage_rig_fini(&rig);
}

static void a_job_that_was_moved_counts_in_the_queue_that_it_has(void **state)
{
    struct core_batch *batch;
    struct usage_rig rig;

    (void)state;
    usage_rig_init(&rig);
    rig.ledgers[0] = usage_rig_ledger(&rig);
    batch = usage_rig_batch(&rig, USAGE_START);
    usage_rig_submit(batch, 1, "amy", "");
    usage_rig_commit(&rig, batch);
    usage_rig_until(&rig, rig.number);
    batch = usage_rig_batch(&rig, USAGE_START + 10);
    help_row(batch,
             (struct row){.kind = ROW_job_edit, .job_edit = {.job = 1, .revision = 1, .queue = 9}});
    usage_rig_commit(&rig, batch);
    usage_rig_until(&rig, rig.number);
    batch = usage_rig_batch(&rig, USAGE_START + 700);
    help_attempt(batch, 1, 0, 1);
    usage_rig_commit(&rig, batch);
    usage_rig_until(&rig, rig.number);
    assert_int_equal(sum(&rig, "submitted"), 1);
    assert_int_equal(sum(&rig, "started"), 0);
    assert_int_equal(help_number(rig.conninfo, "select wait_longest from queue_hour where hours ="
                                               " 1 and queue = 9 and started = 1"),
                     700);
    usage_rig_fini(&rig);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
    bool is_answered;
    struct read_throughput got;
    struct read_throughput_step steps[READ_THROUGHPUT_MAX];
};

static void on_read(void *ctx, const struct read_throughput *throughput)
{
    struct reading *reading = ctx;

    if (throughput->err) fail_msg("%s", throughput->err->text);
    reading->got = *throughput;
    memcpy(reading->steps, throughput->at, throughput->len * sizeof *throughput->at);
    reading->is_answered = true;
}

static void on_reader_trouble(void *ctx, const char *text)
{
    (void)ctx;
    fail_msg("%s", text);
}

static void read_steps(const char *conninfo, struct reading *reading, uint32_t hours, int32_t from,
                       int32_t to, uint32_t queue)
{
    struct reader *reader = reader_create(conninfo, help_waker(), on_reader_trouble, NULL);
    struct read_throughput_query query = {hours, from, to, {1}, {queue}};
    fl_ms end = help_now() + HELP_WAIT_MS;
    struct fl_err err = {0};

    memset(reading, 0, sizeof *reading);
    if (!read_throughput(reader, &query, on_read, reading, &err)) fail_msg("%s", err.text);
    while (!reading->is_answered) {
        assert_true(help_now() < end);
        help_wait(5);
        reader_turn(reader, help_now());
    }
    reader_destroy(reader);
}

static void steps_are_read_with_those_in_which_nothing_happened(void **state)
{
    static struct reading reading;
    struct usage_rig rig;

    (void)state;
    usage_rig_init(&rig);
    rig.ledgers[0] = usage_rig_ledger(&rig);
    live(&rig);
    usage_rig_until(&rig, rig.number);
    read_steps(rig.conninfo, &reading, THROUGHPUT_HOUR, START_HOUR - 2, START_HOUR + 3, 3);
    assert_int_equal(reading.got.len, 6);
    assert_true(reading.got.is_whole);
    assert_int_equal(reading.got.counted_from, 0);
    assert_int_equal(reading.got.counted_at, USAGE_START + FL_HOUR_MS + 3000);
    assert_int_equal(reading.steps[1].counts[THROUGHPUT_submitted], 0);
    assert_int_equal(reading.steps[2].counts[THROUGHPUT_submitted], 2);
    assert_int_equal(fl_histogram_percentile(&reading.steps[2].waits, 95), 861);
    assert_int_equal(reading.steps[3].counts[THROUGHPUT_cancelled], 1);
    assert_int_equal(fl_histogram_count(&reading.steps[3].runs), 2);
    assert_int_equal(reading.steps[4].counts[THROUGHPUT_started], 0);
    assert_int_equal(reading.got.total.counts[THROUGHPUT_started], 2);
    assert_int_equal(reading.got.total.waits.longest, FL_HOUR_MS);
    read_steps(rig.conninfo, &reading, THROUGHPUT_DAY, START_HOUR - 24, START_HOUR, 0);
    assert_int_equal(reading.got.len, 2);
    assert_int_equal(reading.steps[1].counts[THROUGHPUT_started], 2);
    read_steps(rig.conninfo, &reading, THROUGHPUT_HOUR, START_HOUR, START_HOUR, 4);
    assert_int_equal(reading.got.total.counts[THROUGHPUT_submitted], 0);
    assert_int_equal(reading.got.counted_at, USAGE_START + FL_HOUR_MS + 3000);
    usage_rig_fini(&rig);
}

static void the_reader_says_how_far_it_is_counted(void **state)
{
    static struct reading reading;
    struct usage_rig rig;

    (void)state;
    usage_rig_init(&rig);
    live(&rig);
    read_steps(rig.conninfo, &reading, THROUGHPUT_HOUR, START_HOUR, START_HOUR, 0);
    assert_false(reading.got.is_whole);
    assert_int_equal(reading.got.counted_at, 0);
    assert_int_equal(reading.got.len, 1);
    help_run(rig.conninfo, "update usage_mark set hours_from = 77");
    read_steps(rig.conninfo, &reading, THROUGHPUT_HOUR, START_HOUR,
               START_HOUR + READ_THROUGHPUT_MAX - 1, 0);
    assert_int_equal(reading.got.counted_from, 77);
    assert_int_equal(reading.got.len, READ_THROUGHPUT_MAX);
    usage_rig_fini(&rig);
}

FL_TESTS(cmocka_unit_test(each_thing_counts_once_in_its_hour),
         cmocka_unit_test(what_is_not_remembered_is_looked_up),
         cmocka_unit_test(two_that_save_the_same_at_once_count_it_once),
         cmocka_unit_test(takeovers_and_cut_connections_count_nothing_twice_and_lose_nothing),
         cmocka_unit_test(a_wait_from_before_the_journal_is_left_out),
         cmocka_unit_test(a_job_that_was_moved_counts_in_the_queue_that_it_has),
         cmocka_unit_test(steps_are_read_with_those_in_which_nothing_happened),
         cmocka_unit_test(the_reader_says_how_far_it_is_counted))
