/* The ledger of usage over a real journal: each attempt that ended counts once. */
#include "controlplane/usage/usage_ledger.h"

#include <inttypes.h>
#include <libpq-fe.h>

#include "controlplane/usage/usage_day.h"
#include "shared/base/alloc.h"
#include "shared/base/map.h"
#include "tests/fl_test.h"
#include "tests/store/usage_help.h"

static long long sum(const struct usage_rig *rig, const char *column)
{
    char sql[128];

    snprintf(sql, sizeof sql, "select coalesce(sum(%s), 0)::bigint from usage_day", column);
    return help_number(rig->conninfo, sql);
}

/* Element 0 of job 1 fails once and is then cancelled while it waits; element 1 goes well. */
static void live(struct usage_rig *rig)
{
    struct core_batch *batch = usage_rig_batch(rig, USAGE_START);

    usage_rig_submit(batch, 1, "amy", "other=1\nproject=x\n");
    help_attempt(batch, 1, 0, 1);
    help_attempt(batch, 1, 1, 1);
    usage_rig_commit(rig, batch);
    batch = usage_rig_batch(rig, USAGE_START + 1000);
    usage_rig_fail_attempt(batch, 1, 0, 1, 300);
    usage_rig_commit(rig, batch);
    batch = usage_rig_batch(rig, USAGE_START + 2000);
    usage_rig_end_element(batch, 1, 0, 1, 0);
    usage_rig_end_element(batch, 1, 1, 1, 500);
    help_job_end(batch, 1, true);
    usage_rig_commit(rig, batch);
}

static void each_attempt_counts_once_by_what_it_held_and_used(void **state)
{
    struct usage_rig rig;

    (void)state;
    usage_rig_init(&rig);
    rig.ledgers[0] = usage_rig_ledger(&rig);
    live(&rig);
    usage_rig_until(&rig, rig.number);
    assert_int_equal(help_number(rig.conninfo, "select count(*) from usage_day where day = 20000"
                                               " and tenant = 1 and queue = 3 and owner = 'amy'"
                                               " and labels = '{\"project\":\"x\"}'"),
                     1);
    assert_int_equal(sum(&rig, "attempts"), 2);
    assert_int_equal(sum(&rig, "replica_ms"), 2 * 1000 + 2 * 2000);
    assert_int_equal(sum(&rig, "cpu_ms"), 1000 + 2000);
    assert_int_equal(sum(&rig, "memory_mib_ms"), 128 * 3000);
    assert_int_equal(sum(&rig, "gpu_ms"), 0);
    assert_int_equal(sum(&rig, "measured"), 2);
    assert_int_equal(sum(&rig, "used_cpu_us"), 800);
    assert_int_equal(sum(&rig, "memory_bytes"), 5000);
    assert_int_equal(sum(&rig, "read_bytes"), 10);
    help_until(rig.help, usage_ledger_stats(rig.ledgers[0]).attempts == 2);
    if (rig.troubles > 0) fail_msg("%s", rig.trouble);
    usage_rig_fini(&rig);
}

/* Moved and labelled anew while it ran, in a batch of which nothing else is counted. */
static void an_edited_job_counts_as_it_is_now(void **state)
{
    struct core_batch *batch;
    struct usage_rig rig;

    (void)state;
    usage_rig_init(&rig);
    rig.ledgers[0] = usage_rig_ledger(&rig);
    batch = usage_rig_batch(&rig, USAGE_START);
    usage_rig_submit(batch, 1, "amy", "project=x\n");
    usage_rig_submit(batch, 2, "amy", "project=x\n");
    help_attempt(batch, 1, 0, 1);
    help_attempt(batch, 2, 0, 1);
    usage_rig_commit(&rig, batch);
    usage_rig_until(&rig, rig.number);
    batch = usage_rig_batch(&rig, USAGE_START + 500);
    help_row(batch, (struct row){
                        .kind = ROW_job_edit,
                        .job_edit = {
                            .job = 1, .revision = 1, .queue = 9, .labels = FL_STR("project=y\n")}});
    usage_rig_commit(&rig, batch);
    usage_rig_until(&rig, rig.number);
    batch = usage_rig_batch(&rig, USAGE_START + 1000);
    usage_rig_fail_attempt(batch, 1, 0, 1, 300);
    usage_rig_fail_attempt(batch, 2, 0, 1, 100);
    usage_rig_commit(&rig, batch);
    usage_rig_until(&rig, rig.number);
    assert_int_equal(help_number(rig.conninfo, "select count(*) from usage_day where queue = 9"
                                               " and labels = '{\"project\":\"y\"}'"),
                     1);
    assert_int_equal(help_number(rig.conninfo, "select count(*) from usage_day where queue = 3"
                                               " and labels = '{\"project\":\"x\"}'"),
                     1);
    if (rig.troubles > 0) fail_msg("%s", rig.trouble);
    usage_rig_fini(&rig);
}

static void two_ledgers_at_a_time_count_nothing_twice(void **state)
{
    enum { JOBS = 300 };
    struct usage_rig rig;

    (void)state;
    usage_rig_init(&rig);
    rig.ledgers[0] = usage_rig_ledger(&rig);
    rig.ledgers[1] = usage_rig_ledger(&rig);
    for (uint64_t job = 1; job <= JOBS; job++) {
        struct core_batch *batch = usage_rig_batch(&rig, USAGE_START + (fl_ms)job * FL_HOUR_MS);

        usage_rig_submit(batch, job, job % 2 ? "amy" : "", "");
        help_attempt(batch, job, 0, 1);
        usage_rig_end_element(batch, job, 0, 1, 10);
        help_attempt(batch, job, 1, 1);
        usage_rig_end_element(batch, job, 1, 1, 0);
        help_job_end(batch, job, true);
        usage_rig_commit(&rig, batch);
    }
    usage_rig_until(&rig, rig.number);
    assert_int_equal(sum(&rig, "attempts"), 2 * JOBS);
    help_until(rig.help, usage_ledger_stats(rig.ledgers[0]).attempts +
                                 usage_ledger_stats(rig.ledgers[1]).attempts ==
                             2 * JOBS);
    assert_int_equal(sum(&rig, "measured"), JOBS);
    assert_int_equal(sum(&rig, "used_cpu_us"), 10 * JOBS);
    assert_int_equal(help_number(rig.conninfo, "select count(distinct day) from usage_day"), 13);
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
    assert_int_equal(sum(&rig, "attempts"), 2);
    help_until(rig.help, usage_ledger_stats(rig.ledgers[0]).attempts +
                                 usage_ledger_stats(rig.ledgers[1]).attempts ==
                             2);
    if (rig.troubles > 0) fail_msg("%s", rig.trouble);
    usage_rig_fini(&rig);
}

/* Its database goes, and comes back; it stops leading, and leads again. */
static void a_ledger_that_was_away_takes_up_where_it_was(void **state)
{
    struct usage_rig rig;

    (void)state;
    usage_rig_init(&rig);
    live(&rig);
    rig.ledgers[0] = usage_rig_ledger(&rig);
    usage_rig_until(&rig, rig.number);
    usage_rig_cut(&rig);
    help_until(rig.help, rig.troubles > 0);
    rig.leads = false;
    help_turn(rig.help, 50);
    usage_ledger_destroy(rig.ledgers[0]);
    rig.ledgers[0] = usage_rig_ledger(&rig);
    for (int i = 0; i < 10; i++) {
        help_turn(rig.help, 5);
    }
    rig.leads = true;
    for (uint64_t job = 2; job <= 100; job++) {
        struct core_batch *batch = usage_rig_batch(&rig, USAGE_START + 5000);

        usage_rig_submit(batch, job, "bob", "team=t\n");
        help_attempt(batch, job, 0, 1);
        usage_rig_end_element(batch, job, 0, 1, 1);
        usage_rig_commit(&rig, batch);
    }
    usage_rig_until(&rig, rig.number);
    assert_int_equal(sum(&rig, "attempts"), 2 + 99);
    assert_int_equal(help_number(rig.conninfo, "select attempts from usage_day where owner = 'bob'"
                                               " and labels ->> 'team' = 't'"),
                     99);
    usage_rig_fini(&rig);
}

/* Postgres takes its question and never answers, as over a connection that was cut without a
 * word. */
static void one_that_gets_no_answer_connects_anew_and_says_that_it_is_behind(void **state)
{
    struct core_batch *batch;
    struct usage_rig rig;
    PGconn *locker;

    (void)state;
    usage_rig_init(&rig);
    live(&rig);
    rig.wait_ms = 1500;
    rig.ledgers[0] = usage_rig_ledger(&rig);
    usage_rig_until(&rig, rig.number);
    locker = PQconnectdb(rig.conninfo);
    PQclear(PQexec(locker, "begin; lock table usage_day in access exclusive mode"));
    assert_int_equal(PQtransactionStatus(locker), PQTRANS_INTRANS);
    batch = usage_rig_batch(&rig, USAGE_START + 5000);
    usage_rig_submit(batch, 2, "bob", "");
    help_attempt(batch, 2, 0, 1);
    usage_rig_end_element(batch, 2, 0, 1, 1);
    usage_rig_commit(&rig, batch);
    help_until(rig.help, rig.troubles > 0);
    if (!strstr(rig.trouble, "did not answer in time")) fail_msg("%s", rig.trouble);
    assert_true(usage_ledger_stats(rig.ledgers[0]).is_behind);
    assert_int_equal(usage_ledger_stats(rig.ledgers[0]).attempts, 2);
    PQfinish(locker);
    usage_rig_until(&rig, rig.number);
    help_until(rig.help, !usage_ledger_stats(rig.ledgers[0]).is_behind);
    assert_int_equal(sum(&rig, "attempts"), 3);
    usage_rig_fini(&rig);
}

static void one_that_does_not_lead_counts_nothing(void **state)
{
    struct usage_rig rig;

    (void)state;
    usage_rig_init(&rig);
    rig.ledgers[0] = usage_rig_ledger(&rig);
    live(&rig);
    usage_rig_until(&rig, rig.number);
    rig.leads = false;
    help_turn(rig.help, 50);
    for (uint64_t job = 2; job <= 5; job++) {
        struct core_batch *batch = usage_rig_batch(&rig, USAGE_START + 5000);

        usage_rig_submit(batch, job, "bob", "");
        help_attempt(batch, job, 0, 1);
        usage_rig_end_element(batch, job, 0, 1, 1);
        usage_rig_commit(&rig, batch);
    }
    for (int i = 0; i < 20; i++) {
        help_turn(rig.help, 5);
    }
    assert_int_equal(sum(&rig, "attempts"), 2);
    rig.leads = true;
    usage_rig_until(&rig, rig.number);
    assert_int_equal(sum(&rig, "attempts"), 6);
    usage_rig_fini(&rig);
}

/* A ledger that has counted what 'live' did. */
static void rig_init_counted(struct usage_rig *rig)
{
    usage_rig_init(rig);
    rig->ledgers[0] = usage_rig_ledger(rig);
    live(rig);
    usage_rig_until(rig, rig->number);
}

/* A batch in which nothing is counted. */
static void stir(struct usage_rig *rig, fl_ms at)
{
    struct core_batch *batch = usage_rig_batch(rig, at);

    help_row(batch, (struct row){.kind = ROW_cluster_phase, .cluster_phase = {.cluster = 1}});
    usage_rig_commit(rig, batch);
}

/* Damaged, so that reading one would give trouble. */
static void batches_in_which_nothing_is_counted_are_passed_over_unread(void **state)
{
    struct core_batch *batch;
    struct usage_rig rig;

    (void)state;
    rig_init_counted(&rig);
    for (fl_ms i = 2; i <= 20; i++) {
        stir(&rig, USAGE_START + 5000 + i);
    }
    help_run(rig.conninfo, "update journal set body = 'damaged' where batch > 3");
    usage_rig_until(&rig, rig.number);
    assert_int_equal(help_number(rig.conninfo, "select at from usage_mark"), USAGE_START + 5020);
    assert_false(usage_ledger_stats(rig.ledgers[0]).is_behind);
    batch = usage_rig_batch(&rig, USAGE_START + 6000);
    usage_rig_submit(batch, 20, "bob", "");
    help_attempt(batch, 20, 0, 1);
    usage_rig_end_element(batch, 20, 0, 1, 1);
    usage_rig_commit(&rig, batch);
    usage_rig_until(&rig, rig.number);
    assert_int_equal(sum(&rig, "attempts"), 3);
    if (rig.troubles > 0) fail_msg("%s", rig.trouble);
    usage_rig_fini(&rig);
}

/* One that finds nothing to count knows the mark, and need not look again. */
static void a_ledger_that_starts_behind_all_passes_over_what_follows(void **state)
{
    struct usage_rig rig;

    (void)state;
    rig_init_counted(&rig);
    usage_ledger_destroy(rig.ledgers[0]);
    rig.ledgers[0] = usage_rig_ledger(&rig);
    help_until(rig.help, usage_ledger_stats(rig.ledgers[0]).batch == rig.number);
    for (int i = 2; i <= 20; i++) {
        stir(&rig, USAGE_START + 5000);
        help_run(rig.conninfo, "update journal set body = 'damaged' where batch > 3");
    }
    usage_rig_until(&rig, rig.number);
    if (rig.troubles > 0) fail_msg("%s", rig.trouble);
    usage_rig_fini(&rig);
}

/* As over a database that was restored while this process led. */
static void a_journal_that_ends_before_the_mark_is_read_again(void **state)
{
    struct usage_rig rig;

    (void)state;
    rig_init_counted(&rig);
    stir(&rig, USAGE_START + 5000);
    usage_rig_until(&rig, 4);
    help_until(rig.help, usage_ledger_stats(rig.ledgers[0]).batch == 4);
    help_run(rig.conninfo, "delete from journal where batch = 4");
    help_run(rig.conninfo, "update usage_mark set batch = 3");
    rig.progress.newest = 3;
    help_until(rig.help, usage_ledger_stats(rig.ledgers[0]).batch == 3);
    assert_int_equal(sum(&rig, "attempts"), 2);
    usage_rig_fini(&rig);
}

/* The mark is not where this ledger left it: it looks where it is. */
static void a_mark_that_another_moved_is_read_again(void **state)
{
    struct usage_rig rig;

    (void)state;
    rig_init_counted(&rig);
    stir(&rig, USAGE_START + 5000);
    usage_rig_until(&rig, rig.number);
    help_until(rig.help, usage_ledger_stats(rig.ledgers[0]).batch == rig.number);
    help_run(rig.conninfo, "update usage_mark set batch = batch - 1");
    stir(&rig, USAGE_START + 6000);
    usage_rig_until(&rig, rig.number);
    help_until(rig.help, usage_ledger_stats(rig.ledgers[0]).batch == rig.number);
    assert_int_equal(sum(&rig, "attempts"), 2);
    usage_rig_fini(&rig);
}

/* An attempt that it saw begin ended where it did not read: its element's end is no second one. */
static void behind_a_hole_the_tables_are_asked(void **state)
{
    struct core_batch *batch;
    struct usage_rig rig;

    (void)state;
    usage_rig_init(&rig);
    rig.ledgers[0] = usage_rig_ledger(&rig);
    batch = usage_rig_batch(&rig, USAGE_START);
    usage_rig_submit(batch, 1, "amy", "");
    help_attempt(batch, 1, 0, 1);
    help_attempt(batch, 1, 1, 1);
    usage_rig_commit(&rig, batch);
    usage_rig_until(&rig, 1);
    rig.leads = false;
    batch = usage_rig_batch(&rig, USAGE_START + 1000);
    usage_rig_fail_attempt(batch, 1, 0, 1, 300);
    usage_rig_commit(&rig, batch);
    help_run(rig.conninfo, "update usage_mark set batch = 2");
    batch = usage_rig_batch(&rig, USAGE_START + 2000);
    usage_rig_end_element(batch, 1, 0, 1, 0);
    usage_rig_end_element(batch, 1, 1, 1, 500);
    usage_rig_commit(&rig, batch);
    rig.leads = true;
    usage_rig_until(&rig, rig.number);
    assert_int_equal(sum(&rig, "attempts"), 1);
    assert_int_equal(sum(&rig, "used_cpu_us"), 500);
    usage_rig_fini(&rig);
}

/* A damaged batch, and jobs whose rows are gone, must not hold up all the others. */
static void what_cannot_be_read_is_left_out(void **state)
{
    struct usage_rig rig;

    (void)state;
    usage_rig_init(&rig);
    live(&rig);
    help_run(rig.conninfo, "update journal set body = 'damaged' where batch = 2");
    help_run(rig.conninfo, "delete from job where id = 1");
    for (uint64_t job = 2; job <= 3; job++) {
        struct core_batch *batch = usage_rig_batch(&rig, USAGE_START + 5000);

        usage_rig_submit(batch, job, "bob", "");
        help_attempt(batch, job, 0, 1);
        usage_rig_end_element(batch, job, 0, 1, 1);
        usage_rig_commit(&rig, batch);
    }
    rig.ledgers[0] = usage_rig_ledger(&rig);
    usage_rig_until(&rig, rig.number);
    assert_int_equal(sum(&rig, "attempts"), 2);
    if (rig.troubles != 1) fail_msg("%zu: %s", rig.troubles, rig.trouble);
    usage_rig_fini(&rig);
}

static void old_sums_are_forgotten(void **state)
{
    static const char *const labels[] = {"project"};
    struct usage_rig rig;
    struct usage_ledger_config config = {.labels = labels,
                                         .labels_len = 1,
                                         .retention_ms = 10 * FL_DAY_MS,
                                         .pause_ms = 1,
                                         .wait_ms = 60000};
    struct usage_ledger_hooks hooks = usage_rig_hooks(&rig);

    (void)state;
    usage_rig_init(&rig);
    help_run(rig.conninfo,
             "insert into usage_day select d, 1, 1, '', '{}', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 from"
             " (select floor(extract(epoch from now()) / 86400)::int - n as d"
             " from generate_series(0, 20) n) s");
    help_run(rig.conninfo,
             "insert into queue_hour select k, d * 24, 1, 0, 1, 0, 0, 0, 0, '{}', 0, '{}', 0 from"
             " (select floor(extract(epoch from now()) / 86400)::int - n as d, k"
             " from generate_series(0, 20) n, (values (1), (24)) v(k)) s");
    live(&rig); /* also long ago */
    config.conninfo = rig.conninfo;
    rig.ledgers[0] = usage_ledger_create(help_waker()->loop, &config, &hooks);
    usage_rig_until(&rig, rig.number);
    help_until(rig.help, sum(&rig, "attempts") <= 11);
    assert_in_range(sum(&rig, "attempts"), 10, 11); /* midnight may be now */
    help_until(rig.help, help_number(rig.conninfo, "select count(*) from queue_hour") <= 22);
    assert_in_range(help_number(rig.conninfo, "select count(*) from queue_hour"), 20, 22);
    usage_rig_fini(&rig);
}

FL_TESTS(cmocka_unit_test(each_attempt_counts_once_by_what_it_held_and_used),
         cmocka_unit_test(an_edited_job_counts_as_it_is_now),
         cmocka_unit_test(two_ledgers_at_a_time_count_nothing_twice),
         cmocka_unit_test(two_that_save_the_same_at_once_count_it_once),
         cmocka_unit_test(a_ledger_that_was_away_takes_up_where_it_was),
         cmocka_unit_test(one_that_gets_no_answer_connects_anew_and_says_that_it_is_behind),
         cmocka_unit_test(one_that_does_not_lead_counts_nothing),
         cmocka_unit_test(batches_in_which_nothing_is_counted_are_passed_over_unread),
         cmocka_unit_test(a_ledger_that_starts_behind_all_passes_over_what_follows),
         cmocka_unit_test(a_journal_that_ends_before_the_mark_is_read_again),
         cmocka_unit_test(a_mark_that_another_moved_is_read_again),
         cmocka_unit_test(behind_a_hole_the_tables_are_asked),
         cmocka_unit_test(what_cannot_be_read_is_left_out),
         cmocka_unit_test(old_sums_are_forgotten))
