/* The ledger of usage over a real journal: each attempt that ended counts once. */
#include "controlplane/usage/usage_ledger.h"

#include <inttypes.h>
#include <libpq-fe.h>

#include "controlplane/usage/usage_day.h"
#include "shared/base/alloc.h"
#include "shared/base/map.h"
#include "tests/fl_test.h"
#include "tests/store/store_help.h"

static const fl_ms start = 20000 * FL_DAY_MS; /* the first batch */

static const char spec[] =
    "{\"roles\":[{\"name\":\"main\",\"replicas\":2,\"template\":{\"spec\":{\"containers\":[{"
    "\"command\":[\"true\"],\"resources\":{\"requests\":{\"cpu\":\"500m\",\"memory\":\"64Mi\"}}}]}}"
    "}]}";

struct rig {
    char *conninfo;
    struct help *help;
    struct usage_ledger *ledgers[2];
    uint64_t number;
    bool leads;
    struct usage_progress progress; /* a leader knows it */
    uint32_t wait_ms;
    size_t troubles;
    char trouble[200];
};

static struct usage_progress progress_of(void *ctx)
{
    const struct rig *rig = ctx;

    return rig->leads ? rig->progress : (struct usage_progress){0};
}

static void on_trouble(void *ctx, const char *text)
{
    struct rig *rig = ctx;

    rig->troubles++;
    snprintf(rig->trouble, sizeof rig->trouble, "%s", text);
}

static struct usage_ledger *ledger_of(struct rig *rig)
{
    static const char *const labels[] = {"project", "team"};
    struct usage_ledger_config config = {.conninfo = rig->conninfo,
                                         .labels = labels,
                                         .labels_len = 2,
                                         .pause_ms = 1,
                                         .wait_ms = rig->wait_ms};
    struct usage_ledger_hooks hooks = {rig, progress_of, on_trouble};

    return usage_ledger_create(help_waker()->loop, &config, &hooks);
}

static void rig_init(struct rig *rig)
{
    *rig = (struct rig){.conninfo = help_database(), .leads = true, .wait_ms = 60000};
    rig->help = help_create(rig->conninfo, "a");
    assert_int_equal(help_take(rig->help, 0), FL_OK);
}

static void rig_fini(struct rig *rig)
{
    usage_ledger_destroy(rig->ledgers[0]);
    usage_ledger_destroy(rig->ledgers[1]);
    help_destroy(rig->help);
    fl_free(rig->conninfo);
}

static struct core_batch *batch_at(struct rig *rig, fl_ms at)
{
    struct core_batch *batch = help_batch(++rig->number);

    batch->at = at;
    return batch;
}

static void commit(struct rig *rig, struct core_batch *batch)
{
    assert_int_equal(help_commit(rig->help, batch), ENGINE_COMMITTED);
    rig->progress.newest = batch->number;
    rig->progress.newest_at = batch->at;
    if (batch->has_ends) rig->progress.of_ends = batch->number;
    core_batch_destroy(batch);
}

static void submit(struct core_batch *batch, uint64_t job, const char *owner, const char *labels)
{
    struct fl_digest digest = {{7}};

    help_row(batch, (struct row){.kind = ROW_spec_new,
                                 .spec_new = {.job = 0, .digest = digest, .body = fl_str_c(spec)}});
    help_row(batch, (struct row){.kind = ROW_job_new,
                                 .job_new = {.job = job,
                                             .tenant = 1,
                                             .queue = 3,
                                             .shape = 1,
                                             .elements = 2,
                                             .spec = digest,
                                             .labels = fl_str_c(labels),
                                             .owner = fl_str_c(owner)}});
}

/* As a meter saw it. */
static struct fl_str used(uint64_t cpu_us, uint8_t bytes[FL_USAGE_BYTES])
{
    struct fl_usage usage = {FL_METER_group, 2, cpu_us, cpu_us * 10, 5, 6};

    return fl_usage_write(&usage, bytes);
}

static void fail_attempt(struct core_batch *batch, uint64_t job, uint32_t element, uint16_t n,
                         uint64_t cpu_us)
{
    uint8_t bytes[FL_USAGE_BYTES];

    help_row(batch, (struct row){.kind = ROW_attempt_end,
                                 .attempt_end = {.job = job,
                                                 .element = element,
                                                 .n = n,
                                                 .reason = REASON_ReplicaFailed,
                                                 .first_replica = UINT32_MAX,
                                                 .usage = used(cpu_us, bytes)}});
}

static void end_element(struct core_batch *batch, uint64_t job, uint32_t element, uint16_t n,
                        uint64_t cpu_us)
{
    uint8_t bytes[FL_USAGE_BYTES];

    help_row(batch, (struct row){.kind = ROW_element_end,
                                 .element_end = {.job = job,
                                                 .element = element,
                                                 .n = n,
                                                 .state = JOB_succeeded,
                                                 .reason = REASON_Succeeded,
                                                 .first_replica = UINT32_MAX,
                                                 .usage = cpu_us ? used(cpu_us, bytes)
                                                                 : (struct fl_str){0}}});
}

static long long sum(const struct rig *rig, const char *column)
{
    char sql[128];

    snprintf(sql, sizeof sql, "select coalesce(sum(%s), 0)::bigint from usage_day", column);
    return help_number(rig->conninfo, sql);
}

static void until_counted(struct rig *rig, uint64_t batch)
{
    help_until(rig->help,
               help_number(rig->conninfo, "select batch from usage_mark") >= (long long)batch);
}

/* Element 0 of job 1 fails once and is then cancelled while it waits; element 1 goes well. */
static void live(struct rig *rig)
{
    struct core_batch *batch = batch_at(rig, start);

    submit(batch, 1, "amy", "other=1\nproject=x\n");
    help_attempt(batch, 1, 0, 1);
    help_attempt(batch, 1, 1, 1);
    commit(rig, batch);
    batch = batch_at(rig, start + 1000);
    fail_attempt(batch, 1, 0, 1, 300);
    commit(rig, batch);
    batch = batch_at(rig, start + 2000);
    end_element(batch, 1, 0, 1, 0);
    end_element(batch, 1, 1, 1, 500);
    help_job_end(batch, 1, true);
    commit(rig, batch);
}

static void each_attempt_counts_once_by_what_it_held_and_used(void **state)
{
    struct rig rig;

    (void)state;
    rig_init(&rig);
    rig.ledgers[0] = ledger_of(&rig);
    live(&rig);
    until_counted(&rig, rig.number);
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
    rig_fini(&rig);
}

/* Moved and labelled anew while it ran, in a batch that the ledger reads. */
static void an_edited_job_counts_as_it_is_now(void **state)
{
    struct core_batch *batch;
    struct rig rig;

    (void)state;
    rig_init(&rig);
    rig.ledgers[0] = ledger_of(&rig);
    batch = batch_at(&rig, start);
    submit(batch, 1, "amy", "project=x\n");
    submit(batch, 2, "amy", "project=x\n");
    help_attempt(batch, 1, 0, 1);
    help_attempt(batch, 2, 0, 1);
    commit(&rig, batch);
    batch = batch_at(&rig, start + 500);
    fail_attempt(batch, 2, 0, 1, 100);
    help_row(batch, (struct row){
                        .kind = ROW_job_edit,
                        .job_edit = {
                            .job = 1, .revision = 1, .queue = 9, .labels = FL_STR("project=y\n")}});
    commit(&rig, batch);
    batch = batch_at(&rig, start + 1000);
    fail_attempt(batch, 1, 0, 1, 300);
    commit(&rig, batch);
    until_counted(&rig, rig.number);
    assert_int_equal(help_number(rig.conninfo, "select count(*) from usage_day where queue = 9"
                                               " and labels = '{\"project\":\"y\"}'"),
                     1);
    assert_int_equal(help_number(rig.conninfo, "select count(*) from usage_day where queue = 3"
                                               " and labels = '{\"project\":\"x\"}'"),
                     1);
    if (rig.troubles > 0) fail_msg("%s", rig.trouble);
    rig_fini(&rig);
}

static void two_ledgers_at_a_time_count_nothing_twice(void **state)
{
    enum { JOBS = 300 };
    struct rig rig;

    (void)state;
    rig_init(&rig);
    rig.ledgers[0] = ledger_of(&rig);
    rig.ledgers[1] = ledger_of(&rig);
    for (uint64_t job = 1; job <= JOBS; job++) {
        struct core_batch *batch = batch_at(&rig, start + (fl_ms)job * FL_HOUR_MS);

        submit(batch, job, job % 2 ? "amy" : "", "");
        help_attempt(batch, job, 0, 1);
        end_element(batch, job, 0, 1, 10);
        help_attempt(batch, job, 1, 1);
        end_element(batch, job, 1, 1, 0);
        help_job_end(batch, job, true);
        commit(&rig, batch);
    }
    until_counted(&rig, rig.number);
    assert_int_equal(sum(&rig, "attempts"), 2 * JOBS);
    help_until(rig.help, usage_ledger_stats(rig.ledgers[0]).attempts +
                                 usage_ledger_stats(rig.ledgers[1]).attempts ==
                             2 * JOBS);
    assert_int_equal(sum(&rig, "measured"), JOBS);
    assert_int_equal(sum(&rig, "used_cpu_us"), 10 * JOBS);
    assert_int_equal(help_number(rig.conninfo, "select count(distinct day) from usage_day"), 13);
    if (rig.troubles > 0) fail_msg("%s", rig.trouble);
    rig_fini(&rig);
}

/* Its database goes, and comes back; it stops leading, and leads again. */
static void a_ledger_that_was_away_takes_up_where_it_was(void **state)
{
    struct rig rig;

    (void)state;
    rig_init(&rig);
    live(&rig);
    rig.ledgers[0] = ledger_of(&rig);
    until_counted(&rig, rig.number);
    help_run(rig.conninfo, "select pg_terminate_backend(pid) from pg_stat_activity"
                           " where application_name = 'fairlead usage'");
    help_until(rig.help, rig.troubles > 0);
    rig.leads = false;
    help_turn(rig.help, 50);
    usage_ledger_destroy(rig.ledgers[0]);
    rig.ledgers[0] = ledger_of(&rig);
    for (int i = 0; i < 10; i++) {
        help_turn(rig.help, 5);
    }
    rig.leads = true;
    for (uint64_t job = 2; job <= 100; job++) {
        struct core_batch *batch = batch_at(&rig, start + 5000);

        submit(batch, job, "bob", "team=t\n");
        help_attempt(batch, job, 0, 1);
        end_element(batch, job, 0, 1, 1);
        commit(&rig, batch);
    }
    until_counted(&rig, rig.number);
    assert_int_equal(sum(&rig, "attempts"), 2 + 99);
    assert_int_equal(help_number(rig.conninfo, "select attempts from usage_day where owner = 'bob'"
                                               " and labels ->> 'team' = 't'"),
                     99);
    rig_fini(&rig);
}

/* Postgres takes its question and never answers, as over a connection that was cut without a
 * word. */
static void one_that_gets_no_answer_connects_anew_and_says_that_it_is_behind(void **state)
{
    struct core_batch *batch;
    struct rig rig;
    PGconn *locker;

    (void)state;
    rig_init(&rig);
    live(&rig);
    rig.wait_ms = 1500;
    rig.ledgers[0] = ledger_of(&rig);
    until_counted(&rig, rig.number);
    locker = PQconnectdb(rig.conninfo);
    PQclear(PQexec(locker, "begin; lock table usage_day in access exclusive mode"));
    assert_int_equal(PQtransactionStatus(locker), PQTRANS_INTRANS);
    batch = batch_at(&rig, start + 5000);
    submit(batch, 2, "bob", "");
    help_attempt(batch, 2, 0, 1);
    end_element(batch, 2, 0, 1, 1);
    commit(&rig, batch);
    help_until(rig.help, rig.troubles > 0);
    if (!strstr(rig.trouble, "did not answer in time")) fail_msg("%s", rig.trouble);
    assert_true(usage_ledger_stats(rig.ledgers[0]).is_behind);
    assert_int_equal(usage_ledger_stats(rig.ledgers[0]).attempts, 2);
    PQfinish(locker);
    until_counted(&rig, rig.number);
    help_until(rig.help, !usage_ledger_stats(rig.ledgers[0]).is_behind);
    assert_int_equal(sum(&rig, "attempts"), 3);
    rig_fini(&rig);
}

static void one_that_does_not_lead_counts_nothing(void **state)
{
    struct rig rig;

    (void)state;
    rig_init(&rig);
    rig.ledgers[0] = ledger_of(&rig);
    live(&rig);
    until_counted(&rig, rig.number);
    rig.leads = false;
    help_turn(rig.help, 50);
    for (uint64_t job = 2; job <= 5; job++) {
        struct core_batch *batch = batch_at(&rig, start + 5000);

        submit(batch, job, "bob", "");
        help_attempt(batch, job, 0, 1);
        end_element(batch, job, 0, 1, 1);
        commit(&rig, batch);
    }
    for (int i = 0; i < 20; i++) {
        help_turn(rig.help, 5);
    }
    assert_int_equal(sum(&rig, "attempts"), 2);
    rig.leads = true;
    until_counted(&rig, rig.number);
    assert_int_equal(sum(&rig, "attempts"), 6);
    rig_fini(&rig);
}

/* A ledger that has counted what 'live' did. */
static void rig_init_counted(struct rig *rig)
{
    rig_init(rig);
    rig->ledgers[0] = ledger_of(rig);
    live(rig);
    until_counted(rig, rig->number);
}

static void only_submit(struct rig *rig, uint64_t job, fl_ms at)
{
    struct core_batch *batch = batch_at(rig, at);

    submit(batch, job, "bob", "");
    commit(rig, batch);
}

/* Damaged, so that reading one would give trouble. */
static void batches_without_an_end_are_passed_over_unread(void **state)
{
    struct core_batch *batch;
    struct rig rig;

    (void)state;
    rig_init_counted(&rig);
    for (uint64_t job = 2; job <= 20; job++) {
        only_submit(&rig, job, start + 5000 + (fl_ms)job);
    }
    help_run(rig.conninfo, "update journal set body = 'damaged' where batch > 3");
    until_counted(&rig, rig.number);
    assert_int_equal(help_number(rig.conninfo, "select at from usage_mark"), start + 5020);
    assert_false(usage_ledger_stats(rig.ledgers[0]).is_behind);
    batch = batch_at(&rig, start + 6000);
    help_attempt(batch, 20, 0, 1);
    end_element(batch, 20, 0, 1, 1);
    commit(&rig, batch);
    until_counted(&rig, rig.number);
    assert_int_equal(sum(&rig, "attempts"), 3);
    if (rig.troubles > 0) fail_msg("%s", rig.trouble);
    rig_fini(&rig);
}

/* One that finds nothing to count knows the mark, and need not look again. */
static void a_ledger_that_starts_behind_all_passes_over_what_follows(void **state)
{
    struct rig rig;

    (void)state;
    rig_init_counted(&rig);
    usage_ledger_destroy(rig.ledgers[0]);
    rig.ledgers[0] = ledger_of(&rig);
    help_until(rig.help, usage_ledger_stats(rig.ledgers[0]).batch == rig.number);
    for (uint64_t job = 2; job <= 20; job++) {
        only_submit(&rig, job, start + 5000);
        help_run(rig.conninfo, "update journal set body = 'damaged' where batch > 3");
    }
    until_counted(&rig, rig.number);
    if (rig.troubles > 0) fail_msg("%s", rig.trouble);
    rig_fini(&rig);
}

/* As over a database that was restored while this process led. */
static void a_journal_that_ends_before_the_mark_is_read_again(void **state)
{
    struct rig rig;

    (void)state;
    rig_init_counted(&rig);
    only_submit(&rig, 2, start + 5000);
    until_counted(&rig, 4);
    help_until(rig.help, usage_ledger_stats(rig.ledgers[0]).batch == 4);
    help_run(rig.conninfo, "delete from journal where batch = 4");
    help_run(rig.conninfo, "update usage_mark set batch = 3");
    rig.progress.newest = 3;
    help_until(rig.help, usage_ledger_stats(rig.ledgers[0]).batch == 3);
    assert_int_equal(sum(&rig, "attempts"), 2);
    rig_fini(&rig);
}

/* The mark is not where this ledger left it: it looks where it is. */
static void a_mark_that_another_moved_is_read_again(void **state)
{
    struct rig rig;

    (void)state;
    rig_init_counted(&rig);
    only_submit(&rig, 2, start + 5000);
    until_counted(&rig, rig.number);
    help_until(rig.help, usage_ledger_stats(rig.ledgers[0]).batch == rig.number);
    help_run(rig.conninfo, "update usage_mark set batch = batch - 1");
    only_submit(&rig, 3, start + 6000);
    until_counted(&rig, rig.number);
    help_until(rig.help, usage_ledger_stats(rig.ledgers[0]).batch == rig.number);
    assert_int_equal(sum(&rig, "attempts"), 2);
    rig_fini(&rig);
}

/* An attempt that it saw begin ended where it did not read: its element's end is no second one. */
static void behind_a_hole_the_tables_are_asked(void **state)
{
    struct core_batch *batch;
    struct rig rig;

    (void)state;
    rig_init(&rig);
    rig.ledgers[0] = ledger_of(&rig);
    batch = batch_at(&rig, start);
    submit(batch, 1, "amy", "");
    help_attempt(batch, 1, 0, 1);
    help_attempt(batch, 1, 1, 1);
    commit(&rig, batch);
    until_counted(&rig, 1);
    rig.leads = false;
    batch = batch_at(&rig, start + 1000);
    fail_attempt(batch, 1, 0, 1, 300);
    commit(&rig, batch);
    help_run(rig.conninfo, "update usage_mark set batch = 2");
    batch = batch_at(&rig, start + 2000);
    end_element(batch, 1, 0, 1, 0);
    end_element(batch, 1, 1, 1, 500);
    commit(&rig, batch);
    rig.leads = true;
    until_counted(&rig, rig.number);
    assert_int_equal(sum(&rig, "attempts"), 1);
    assert_int_equal(sum(&rig, "used_cpu_us"), 500);
    rig_fini(&rig);
}

/* A damaged batch, and jobs whose rows are gone, must not hold up all the others. */
static void what_cannot_be_read_is_left_out(void **state)
{
    struct rig rig;

    (void)state;
    rig_init(&rig);
    live(&rig);
    help_run(rig.conninfo, "update journal set body = 'damaged' where batch = 2");
    help_run(rig.conninfo, "delete from job where id = 1");
    for (uint64_t job = 2; job <= 3; job++) {
        struct core_batch *batch = batch_at(&rig, start + 5000);

        submit(batch, job, "bob", "");
        help_attempt(batch, job, 0, 1);
        end_element(batch, job, 0, 1, 1);
        commit(&rig, batch);
    }
    rig.ledgers[0] = ledger_of(&rig);
    until_counted(&rig, rig.number);
    assert_int_equal(sum(&rig, "attempts"), 2);
    if (rig.troubles != 1) fail_msg("%zu: %s", rig.troubles, rig.trouble);
    rig_fini(&rig);
}

static void old_days_are_forgotten(void **state)
{
    static const char *const labels[] = {"project"};
    struct rig rig;
    struct usage_ledger_config config = {.labels = labels,
                                         .labels_len = 1,
                                         .retention_ms = 10 * FL_DAY_MS,
                                         .pause_ms = 1,
                                         .wait_ms = 60000};
    struct usage_ledger_hooks hooks = {&rig, progress_of, on_trouble};

    (void)state;
    rig_init(&rig);
    help_run(rig.conninfo,
             "insert into usage_day select d, 1, 1, '', '{}', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 from"
             " (select floor(extract(epoch from now()) / 86400)::int - n as d"
             " from generate_series(0, 20) n) s");
    live(&rig); /* also long ago */
    config.conninfo = rig.conninfo;
    rig.ledgers[0] = usage_ledger_create(help_waker()->loop, &config, &hooks);
    until_counted(&rig, rig.number);
    help_until(rig.help, sum(&rig, "attempts") <= 11);
    assert_in_range(sum(&rig, "attempts"), 10, 11); /* midnight may be now */
    rig_fini(&rig);
}

FL_TESTS(cmocka_unit_test(each_attempt_counts_once_by_what_it_held_and_used),
         cmocka_unit_test(an_edited_job_counts_as_it_is_now),
         cmocka_unit_test(two_ledgers_at_a_time_count_nothing_twice),
         cmocka_unit_test(a_ledger_that_was_away_takes_up_where_it_was),
         cmocka_unit_test(one_that_gets_no_answer_connects_anew_and_says_that_it_is_behind),
         cmocka_unit_test(one_that_does_not_lead_counts_nothing),
         cmocka_unit_test(batches_without_an_end_are_passed_over_unread),
         cmocka_unit_test(a_ledger_that_starts_behind_all_passes_over_what_follows),
         cmocka_unit_test(a_journal_that_ends_before_the_mark_is_read_again),
         cmocka_unit_test(a_mark_that_another_moved_is_read_again),
         cmocka_unit_test(behind_a_hole_the_tables_are_asked),
         cmocka_unit_test(what_cannot_be_read_is_left_out),
         cmocka_unit_test(old_days_are_forgotten))
