/* Partitions come before they are needed and go when all in them is old, while a writer commits. */
#include "controlplane/store/partition.h"

#include <inttypes.h>

#include "controlplane/store/migrate.h"
#include "shared/base/alloc.h"
#include "tests/fl_test.h"
#include "tests/store/store_help.h"

enum { JOBS = 200, SPAN = 1000, BATCH_SPAN = 100 };

static const int64_t day_ms = 24 * FL_HOUR_MS;

struct rig {
    char *conninfo;
    struct help *help;
    uint64_t job, number;
    fl_ms longest_ms, at;
};

static struct rig rig_create(const struct partition_config *config)
{
    struct rig rig = {.conninfo = help_database_empty(), .at = 1700000000000};
    struct store_config store = store_config_default();
    struct fl_err err = {0};

    store.partition = *config;
    store.conninfo = rig.conninfo;
    store.instance = "a";
    store.lease_ttl_ms = HELP_LEASE_MS;
    if (!migrate(rig.conninfo, config, &err)) fail_msg("%s", err.text);
    rig.help = help_create_with(&store);
    assert_int_equal(help_take(rig.help, 0), FL_OK);
    rig.at = rig.help->taken.at;
    return rig;
}

static void rig_fini(struct rig *rig)
{
    help_destroy(rig->help);
    fl_free(rig->conninfo);
}

/* A batch of whole lives; the one that is 'kept' stays open. */
static void commit(struct rig *rig, uint64_t kept)
{
    struct core_batch *batch = help_batch(++rig->number);
    fl_ms start, took;

    batch->at = rig->at;
    for (int i = 0; i < JOBS; i++) {
        rig->job++;
        help_job(batch, rig->job, 1);
        help_attempt(batch, rig->job, 0, 1);
        if (rig->job == kept) continue;
        help_end(batch, rig->job, 0, 1);
        help_job_end(batch, rig->job, false);
    }
    help_row(batch, (struct row){.kind = ROW_audit, .audit = {.tenant = 1, .body = FL_STR("x")}});
    help_until(rig->help, rig->help->job_below > rig->job && rig->help->batch_below > rig->number);
    start = help_now();
    assert_int_equal(help_commit(rig->help, batch), ENGINE_COMMITTED);
    took = help_now() - start;
    if (took > rig->longest_ms) rig->longest_ms = took;
    core_batch_destroy(batch);
}

static long long attached(const struct rig *rig, const char *table)
{
    char sql[128];

    snprintf(sql, sizeof sql, "select count(*) from pg_inherits where inhparent = '%s'::regclass",
             table);
    return help_number(rig->conninfo, sql);
}

/* As the next process would: a store of its own, which takes over. */
static void restart(struct rig *rig, const struct partition_config *config)
{
    struct store_config store = store_config_default();

    help_destroy(rig->help);
    store.partition = *config;
    store.conninfo = rig->conninfo;
    store.instance = "a";
    store.lease_ttl_ms = HELP_LEASE_MS;
    rig->help = help_create_with(&store);
    assert_int_equal(help_take(rig->help, 0), FL_OK);
}

static void room_runs_ahead_of_the_newest_numbers(void **state)
{
    struct partition_config config = help_partitions(SPAN, BATCH_SPAN);
    struct rig rig = rig_create(&config);

    (void)state;
    assert_int_equal(rig.help->taken.job_below, SPAN);
    help_until(rig.help, rig.help->job_below > SPAN * 4 && rig.help->batch_below > BATCH_SPAN * 4);
    for (int i = 0; i < 30; i++) {
        commit(&rig, 0);
    }
    help_until(rig.help, rig.help->job_below > rig.job + SPAN * 4);
    assert_int_equal(attached(&rig, "job"), attached(&rig, "element_end"));
    assert_int_equal(rig.help->troubles, 0);
    rig_fini(&rig);
}

/* In a transaction that stays open: no partition can go while it does. */
static void read_all_tables(PGconn *reader)
{
    PQclear(PQexec(reader, "begin isolation level repeatable read"));
    for (int family = 0; family < PARTITION_FAMILIES_LEN; family++) {
        for (const char *const *table = partition_tables[family]; *table; table++) {
            char sql[100];

            snprintf(sql, sizeof sql, "select count(*) from %s", *table);
            PQclear(PQexec(reader, sql));
        }
    }
    assert_int_equal(PQtransactionStatus(reader), PQTRANS_INTRANS);
}

static void what_is_old_goes_while_a_writer_commits_and_a_reader_reads(void **state)
{
    struct partition_config config = help_partitions(SPAN, BATCH_SPAN);
    struct rig rig;
    uint64_t kept = 1500; /* in the second partition */
    fl_ms quiet_ms;
    PGconn *reader;
    uint64_t removed;

    (void)state;
    config.check_ms = 100;
    rig = rig_create(&config);
    rig.at -= 40 * day_ms;
    for (int i = 0; i < 20; i++) {
        commit(&rig, kept); /* partitions 0 to 3, all old but one job */
    }
    quiet_ms = rig.longest_ms;
    rig.at += 40 * day_ms;
    /* A reader holds a snapshot of all tables, as a slow query would, for a second of the time. */
    reader = help_connect(rig.conninfo);
    read_all_tables(reader);
    rig.longest_ms = 0;
    help_turn(rig.help, 100);
    removed = store_stats(rig.help->store).partition.removed;
    for (fl_ms end = help_now() + 1000; help_now() < end;) {
        commit(&rig, kept);
    }
    /* A removal waits for the reader, and room is made all the same: commit has waited for it.  Had
     * a batch waited for the reader, this would not come to an end. */
    for (uint64_t from = rig.job; rig.job < from + 6 * SPAN;) {
        commit(&rig, kept);
    }
    /* At most the one that was under way. */
    assert_true(store_stats(rig.help->store).partition.removed <= removed + 1);
    PQclear(PQexec(reader, "commit"));
    PQfinish(reader);
    for (fl_ms end = help_now() + HELP_WAIT_MS;;) {
        removed = store_stats(rig.help->store).partition.removed;
        if (removed >= 3 * 6) break;
        if (help_now() > end) {
            fail_msg("only %" PRIu64 " tables were removed: %s", removed, rig.help->trouble);
        }
        commit(&rig, kept);
    }
    printf("longest batch of %d lives: %" PRId64 " ms before, %" PRId64
           " ms while partitions went\n",
           JOBS, quiet_ms, rig.longest_ms);

    /* The one with an open job stays, in every table, and of its jobs that one.  The newest
     * stays. */
    help_until(rig.help, store_stats(rig.help->store).partition.is_idle);
    assert_int_equal(help_number(rig.conninfo, "select count(*) from job where id < 1000"), 0);
    assert_int_equal(
        help_number(rig.conninfo, "select count(*) from job where id between 1000 and 1999"), 1);
    assert_int_equal(
        help_number(rig.conninfo,
                    "select count(*) from pg_class where relname = 'element_end_p1000'"),
        1);
    assert_int_equal(help_number(rig.conninfo,
                                 "select count(*) from pg_class where relname like '%\\_p0'"
                                 " and relkind = 'r' and relname like 'element%'"),
                     0);
    assert_int_equal(attached(&rig, "job"), attached(&rig, "spec"));
    assert_int_equal(help_number(rig.conninfo, "select max(id) from job"), rig.job);
    help_reload(rig.help);
    assert_true(rig.help->rows_len == 3); /* the counter, the open job, its attempt */
    rig_fini(&rig);
}

/* ---- a partition that an open job keeps ------------------------------------------------------ */

enum { ARRAY = 1, ENDS_LATE = 2, HELD = 3, BIG = 4, BIG_ELEMENTS = 25000 };

static const struct fl_digest used = {{1}}, unused = {{2}};

static void spec(struct core_batch *batch, struct fl_digest digest)
{
    help_row(batch, (struct row){.kind = ROW_spec_new,
                                 .spec_new = {.digest = digest, .body = FL_STR("{}")}});
}

static void job(struct core_batch *batch, uint64_t job, uint32_t elements, struct fl_digest digest)
{
    help_job(batch, job, elements);
    batch->rows.at[batch->rows.len - 1].job_new.spec = digest;
}

/* An array with a retry, one that is large, a job that is to end, and one that does not. */
static void commit_special(struct rig *rig)
{
    struct core_batch *batch = help_batch(++rig->number);

    batch->at = rig->at;
    spec(batch, used);
    spec(batch, unused);
    job(batch, ARRAY, 3, unused);
    help_attempt(batch, ARRAY, 0, 1);
    help_attempt_end(batch, ARRAY, 0, 1);
    for (uint32_t i = 0; i < 3; i++) {
        help_attempt(batch, ARRAY, i, i == 0 ? 2 : 1);
        help_end(batch, ARRAY, i, i == 0 ? 2 : 1);
    }
    help_job_end(batch, ARRAY, true);
    job(batch, ENDS_LATE, 1, used);
    help_attempt(batch, ENDS_LATE, 0, 1);
    job(batch, HELD, 2, used);
    help_attempt(batch, HELD, 0, 1);
    help_end(batch, HELD, 0, 1);
    job(batch, BIG, BIG_ELEMENTS, unused);
    for (uint32_t i = 0; i < BIG_ELEMENTS; i++) {
        help_attempt(batch, BIG, i, 1);
        help_end(batch, BIG, i, 1);
    }
    help_job_end(batch, BIG, true);
    assert_int_equal(help_commit(rig->help, batch), ENGINE_COMMITTED);
    core_batch_destroy(batch);
    rig->job = BIG;
}

static long long below_span(const struct rig *rig, const char *table, const char *key)
{
    char sql[128];

    snprintf(sql, sizeof sql, "select count(*) from %s where %s < %d", table, key, SPAN);
    return help_number(rig->conninfo, sql);
}

static long long bytes_of_first(const struct rig *rig)
{
    return help_number(rig->conninfo, "select sum(pg_total_relation_size(oid)) from pg_class"
                                      " where relname ~ '_p0$' and relkind = 'r' and"
                                      " relname !~ '^(journal|audit)'");
}

static void a_held_job_keeps_its_own_rows_and_no_others(void **state)
{
    struct partition_config config = help_partitions(SPAN, BATCH_SPAN);
    struct core_batch *batch;
    long long bytes;
    struct rig rig;
    PGconn *reader;

    (void)state;
    config.check_ms = 100;
    rig = rig_create(&config);
    rig.at -= 40 * day_ms;
    help_until(rig.help, rig.help->job_below > SPAN && rig.help->batch_below > 1);
    commit_special(&rig);
    while (rig.job + JOBS < SPAN) {
        commit(&rig, 0);
    }
    bytes = bytes_of_first(&rig);
    reader = help_connect(rig.conninfo); /* space that is in use goes another time */
    PQclear(PQexec(reader, "begin; select count(*) from element_end_p0"));
    rig.at += 40 * day_ms;
    batch = help_batch(++rig.number);
    batch->at = rig.at;
    help_end(batch, ENDS_LATE, 0, 1);
    help_job_end(batch, ENDS_LATE, false);
    assert_int_equal(help_commit(rig.help, batch), ENGINE_COMMITTED);
    core_batch_destroy(batch);
    rig.at -= 40 * day_ms;
    while (rig.job < 3 * SPAN) {
        commit(&rig, 0);
    }
    help_until(rig.help, below_span(&rig, "job", "id") == 2);
    help_until(rig.help, store_stats(rig.help->store).partition.is_idle);
    assert_int_equal(store_stats(rig.help->store).partition.jobs_deleted, SPAN - 1 - 2);
    assert_int_equal(below_span(&rig, "attempt", "job"), 2);
    assert_int_equal(below_span(&rig, "attempt_end", "job"), 0);
    assert_int_equal(below_span(&rig, "element_end", "job"), 2);
    assert_int_equal(below_span(&rig, "job_end", "job"), 0);
    assert_int_equal(below_span(&rig, "spec", "job"), 1);
    assert_int_equal(help_number(rig.conninfo,
                                 "select count(*) from spec where digest = '\\x01'::bytea ||"
                                 " decode(repeat('00', 31), 'hex')"),
                     1);
    assert_int_equal(rig.help->troubles, 0);
    printf("the first partition: %lld bytes, then %lld\n", bytes, bytes_of_first(&rig));
    assert_true(bytes_of_first(&rig) < bytes * 6 / 10); /* but for what the reader uses */
    PQclear(PQexec(reader, "commit"));
    PQfinish(reader);

    /* A load finds what it did: the counter, the open job, and one row for its ended element. */
    help_reload(rig.help);
    assert_int_equal(rig.help->rows_len, 3);
    help_until(rig.help, store_stats(rig.help->store).partition.is_idle);
    assert_int_equal(below_span(&rig, "job", "id"), 2);
    rig_fini(&rig);
}

static void when_all_is_old_the_newest_partitions_stay(void **state)
{
    struct partition_config config = help_partitions(SPAN, BATCH_SPAN);
    struct rig rig;

    (void)state;
    config.check_ms = 50;
    config.retention_ms = config.journal_retention_ms = config.audit_retention_ms = 0;
    rig = rig_create(&config);
    rig.at -= day_ms;
    for (int i = 0; i < 120; i++) {
        commit(&rig, 0);
    }
    for (fl_ms end = help_now() + HELP_WAIT_MS;
         attached(&rig, "job") > 6 ||
         help_number(rig.conninfo, "select min(batch) from journal") < BATCH_SPAN ||
         help_number(rig.conninfo, "select min(batch) from audit") < BATCH_SPAN;) {
        if (help_now() > end) fail_msg("%lld stay: %s", attached(&rig, "job"), rig.help->trouble);
        help_turn(rig.help, 20);
    }
    assert_int_equal(help_number(rig.conninfo, "select max(id) from job"), rig.job);
    assert_int_equal(help_number(rig.conninfo, "select max(batch) from journal"), rig.number);
    commit(&rig, 0); /* and the chain goes on */
    assert_int_equal(help_take(rig.help, 0), FL_OK);
    assert_int_equal(rig.help->taken.batch_newest, rig.number);
    rig_fini(&rig);
}

static void what_a_crash_left_half_done_is_finished(void **state)
{
    struct partition_config config = help_partitions(SPAN, BATCH_SPAN);
    struct rig rig = rig_create(&config);
    PGconn *reader, *other;

    (void)state;
    for (int i = 0; i < 15; i++) {
        commit(&rig, 0);
    }
    /* Detached and not dropped. */
    help_run(rig.conninfo, "alter table spec detach partition spec_p0 concurrently");
    /* Begun to be detached: a reader is in the way until a timeout. */
    reader = help_connect(rig.conninfo);
    PQclear(PQexec(reader, "begin; select count(*) from job_end"));
    other = help_connect(rig.conninfo);
    PQclear(PQexec(other, "set statement_timeout = 300"));
    PQclear(PQexec(other, "alter table job_end detach partition job_end_p0 concurrently"));
    PQclear(PQexec(reader, "commit"));
    assert_int_equal(
        help_number(rig.conninfo, "select count(*) from pg_inherits where inhdetachpending"), 1);
    restart(&rig, &config);
    for (fl_ms end = help_now() + HELP_WAIT_MS;
         help_number(rig.conninfo,
                     "select count(*) from pg_class where relname in ('spec_p0', 'job_end_p0')") >
         0;) {
        if (help_now() > end) fail_msg("not finished: %s", rig.help->trouble);
        help_turn(rig.help, 50);
    }
    PQfinish(reader);
    PQfinish(other);
    rig_fini(&rig);
}

static void old_keys_are_deleted_in_chunks(void **state)
{
    struct partition_config config = help_partitions(SPAN, BATCH_SPAN);
    struct rig rig = rig_create(&config);

    (void)state;
    help_run(
        rig.conninfo,
        "insert into idempotency select 1, int4send(i), case when i <= 2500 then 0 else"
        " (extract(epoch from now()) * 1000)::int8 end, '', '' from generate_series(1, 2600) i");
    restart(&rig, &config);
    help_until(rig.help, store_stats(rig.help->store).partition.keys_deleted == 2500);
    assert_int_equal(help_number(rig.conninfo, "select count(*) from idempotency"), 100);
    rig_fini(&rig);
}

FL_TESTS(cmocka_unit_test(room_runs_ahead_of_the_newest_numbers),
         cmocka_unit_test(what_is_old_goes_while_a_writer_commits_and_a_reader_reads),
         cmocka_unit_test(a_held_job_keeps_its_own_rows_and_no_others),
         cmocka_unit_test(when_all_is_old_the_newest_partitions_stay),
         cmocka_unit_test(what_a_crash_left_half_done_is_finished),
         cmocka_unit_test(old_keys_are_deleted_in_chunks))
