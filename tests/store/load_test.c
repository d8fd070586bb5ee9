/* Rows that go in through apply come out through load. */
#include <inttypes.h>

#include "controlplane/core/core.h"
#include "controlplane/core/shape.h"
#include "controlplane/store/journal.h"
#include "controlplane/store/migrate.h"
#include "shared/base/alloc.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"
#include "tests/store/store_help.h"

/* ---- row by row ------------------------------------------------------------------------------ */

#define ROW(row_kind, ...) ((struct row){.kind = ROW_##row_kind, .row_kind = {__VA_ARGS__}})

static void every_kind_of_row_comes_back_as_it_went(void **state)
{
    char *conninfo = help_database();
    struct help *help = help_create(conninfo, "a");
    struct core_batch *one = help_batch(1), *two = help_batch(2), *expected = help_batch(0);
    struct fl_digest digest = {{1, 2, 3}}, other = {{4}};
    struct fl_buf bytes;

    (void)state;
    assert_int_equal(help_take(help, 0), FL_OK);
    help_row(one, ROW(queue_put, .queue = 1, .tenant = 1, .is_paused = 1, .name = FL_STR("old")));
    help_row(one, ROW(queue_put, .queue = 2, .tenant = 1, .name = FL_STR("train")));
    help_row(one, ROW(queue_put, .queue = 1, .tenant = 1, .name = FL_STR("eval"), .is_removed = 1));
    help_row(one, ROW(cluster_put, .cluster = UINT32_MAX, .state = 1, .access = 2, .is_draining = 1,
                      .session_epoch = UINT64_MAX >> 1, .generation = 7, .seen = 6, .key = digest,
                      .uuid = FL_STR("0e984725-c51c-4bf4-9960-e1c80e27aba0"), .name = FL_STR("c"),
                      .uid = FL_STR("u"), .cordon = FL_STR("\xc3\xbc")));
    help_row(one, ROW(shape_new, .shape = 3, .body = FL_STR("\x00\x01shape")));
    help_row(one, ROW(shape_new, .shape = 4, .body = FL_STR("gone")));
    help_row(one, ROW(shape_drop, .shape = 4));
    help_row(one, ROW(shape_new, .shape = 5, .body = FL_STR("back")));
    help_row(one, ROW(counter, .counter = CORE_COUNTER_job_next, .value = 5));
    help_row(one, ROW(counter, .counter = CORE_COUNTER_job_lost_to, .value = 77));
    help_row(one, ROW(counter, .counter = CORE_COUNTER_job_lost_to, .value = 78));
    help_row(one, ROW(spec_new, .job = 10, .digest = digest, .body = FL_STR("{}")));
    help_row(one, ROW(spec_new, .job = 10, .digest = digest, .body = FL_STR("{}")));
    help_row(one, ROW(job_new, .job = 10, .tenant = 1, .queue = 2, .shape = 3,
                      .priority = INT32_MIN, .elements = FL_JOB_ELEMENTS_MAX, .spec = digest,
                      .retry_of = 7, .name = FL_STR("n\xc3\xa4me"), .labels = FL_STR("l"),
                      .params = FL_STR("p"), .picked = FL_STR("k"), .deadline_s = UINT32_MAX,
                      .retries_max = UINT16_MAX, .parallelism = UINT32_MAX));
    help_row(one, ROW(job_new, .job = 11, .tenant = 1, .queue = 2, .shape = 3, .elements = 1));
    help_row(one, ROW(job_new, .job = 12, .tenant = 1, .queue = 2, .shape = 3, .elements = 1));
    help_row(one, ROW(mark_set, .job = 10, .kind = CORE_MARK_held, .value = 1));
    help_row(one, ROW(mark_set, .job = 12, .kind = CORE_MARK_held, .value = 1));
    help_row(one, ROW(mark_clear, .job = 12, .kind = CORE_MARK_held));
    help_row(one, ROW(mark_set, .job = 11, .kind = CORE_MARK_first_start, .value = INT64_MAX));
    help_row(one, ROW(attempt_new, .job = 10, .element = 3, .n = 1, .incarnation = 1, .cluster = 9,
                      .nodes = FL_STR("a\nb\n")));
    help_row(one, ROW(attempt_end, .job = 10, .element = 3, .n = 1, .reason = 33, .exit_code = -9,
                      .first_replica = UINT32_MAX));
    help_row(one, ROW(attempt_new, .job = 10, .element = 3, .n = 2, .incarnation = UINT32_MAX,
                      .cluster = 9));
    help_row(one, ROW(audit, .tenant = 1, .actor = FL_STR("me"), .body = FL_STR("did")));
    help_row(one, ROW(audit, .tenant = 1, .actor = FL_STR("me"), .body = FL_STR("did more")));
    help_row(one, ROW(replica_phase, .job = 10, .n = 1));
    help_row(one, ROW(cluster_phase, .cluster = 9));
    help_row(one, ROW(idempotency, .tenant = 1, .key = FL_STR("k"), .answer = FL_STR("a")));
    help_row(one, ROW(join_put, .token = digest, .tenant = 1, .expires_at = INT64_MAX,
                      .name = FL_STR("east")));
    help_row(one, ROW(join_put, .token = digest, .tenant = 1, .expires_at = INT64_MAX,
                      .cluster = UINT32_MAX, .key = digest, .name = FL_STR("east")));
    help_row(one, ROW(join_put, .token = other, .tenant = 1, .name = FL_STR("gone")));
    help_row(one,
             ROW(token_put, .tenant = 1, .scopes = 15, .made_at = 1, .expires_at = 2, .mac = digest,
                 .id = FL_STR("t1"), .name = FL_STR("\xc3\xa4"), .queue = FL_STR("train"),
                 .old_mac = other, .old_until = INT64_MAX, .rotated_at = 1));
    help_row(one, ROW(token_put, .tenant = 1, .scopes = 1, .mac = other, .id = FL_STR("t2")));
    help_row(one, ROW(token_put, .tenant = 1, .scopes = 1, .mac = other, .id = FL_STR("t3")));
    help_row(one, ROW(token_drop, .id = FL_STR("t3")));
    help_row(one, ROW(mark_set, .job = 11, .kind = CORE_MARK_picked, .value = 2,
                      .body = FL_STR("\x00\x01\x02")));
    assert_int_equal(help_commit(help, one), ENGINE_COMMITTED);

    help_row(two, ROW(join_drop, .token = other));
    help_row(two, ROW(token_drop, .id = FL_STR("t2")));
    help_row(two, ROW(shape_drop, .shape = 5));
    help_row(two, ROW(mark_clear, .job = 10, .kind = CORE_MARK_held));
    help_row(two, ROW(mark_set, .job = 10, .kind = CORE_MARK_held, .value = 1));
    help_row(two, ROW(mark_set, .job = 10, .kind = CORE_MARK_cancel, .value = 35));
    help_row(two, ROW(element_end, .job = 10, .element = 4, .n = 0, .state = 18, .reason = 35));
    help_row(two, ROW(element_end, .job = 12, .element = 0, .n = 0, .state = 18, .reason = 35));
    help_row(two, ROW(job_end, .job = 12, .state = 18, .reason = 35));
    help_row(two, ROW(job_new, .job = 13, .tenant = 1, .queue = 2, .shape = 3, .elements = 2));
    help_row(two, ROW(mark_set, .job = 13, .kind = CORE_MARK_held, .value = 1));
    help_row(two,
             ROW(job_end, .job = 13, .state = 18, .reason = 35, .is_array = 1, .has_marks = 1));
    assert_int_equal(help_commit(help, two), ENGINE_COMMITTED);

    help_row(expected,
             ROW(queue_put, .queue = 1, .tenant = 1, .name = FL_STR("eval"), .is_removed = 1));
    help_row(expected, ROW(queue_put, .queue = 2, .tenant = 1, .name = FL_STR("train")));
    help_row(expected, one->rows.at[3]);
    help_row(expected, one->rows.at[29]); /* the used join token, the token that is left */
    help_row(expected, one->rows.at[31]);
    help_row(expected, one->rows.at[4]);
    help_row(expected, ROW(counter, .counter = CORE_COUNTER_job_next, .value = 14));
    help_row(expected, ROW(counter, .counter = CORE_COUNTER_job_lost_to, .value = 78));
    help_row(expected,
             ROW(job_new, .job = 10, .tenant = 1, .queue = 2, .shape = 3, .priority = INT32_MIN,
                 .elements = FL_JOB_ELEMENTS_MAX, .deadline_s = UINT32_MAX,
                 .retries_max = UINT16_MAX, .parallelism = UINT32_MAX));
    help_row(expected, ROW(job_new, .job = 11, .tenant = 1, .queue = 2, .shape = 3, .elements = 1));
    help_row(expected, ROW(mark_set, .job = 10, .kind = CORE_MARK_held, .value = 1));
    help_row(expected, ROW(mark_set, .job = 10, .kind = CORE_MARK_cancel, .value = 35));
    help_row(expected, ROW(mark_set, .job = 11, .kind = CORE_MARK_first_start, .value = INT64_MAX));
    help_row(expected, one->rows.at[35]);
    help_row(expected, ROW(array_ends, .job = 10, .last = 4, .cancelled = 1, .unplaced = 1));
    help_row(expected, one->rows.at[20]);
    help_row(expected, one->rows.at[22]);
    help_row(expected, one->rows.at[21]);

    help_reload(help);
    assert_int_equal(help->rows_len, expected->rows.len);
    fl_buf_init(&bytes, 1 << 20);
    for (size_t i = 0; i < expected->rows.len; i++) {
        char got_text[512], want_text[512];
        struct fl_reader reader = fl_reader(help->rows.at + bytes.len, help->rows.len - bytes.len);
        struct row got;

        assert_true(row_decode(&reader, &got, NULL));
        row_print(&got, got_text, sizeof got_text);
        row_print(&expected->rows.at[i], want_text, sizeof want_text);
        assert_string_equal(got_text, want_text);
        assert_true(row_encode(&bytes, &expected->rows.at[i]));
    }
    assert_int_equal(bytes.len, help->rows.len);
    assert_memory_equal(bytes.at, help->rows.at, bytes.len);
    fl_buf_fini(&bytes);

    /* Rows that load does not read. */
    assert_int_equal(help_number(conninfo,
                                 "select count(*) from job where id = 10 and retry_of = 7"
                                 " and name = 'n\xc3\xa4me' and labels = 'l' and params = 'p'"
                                 " and picked = 'k' and batch = 1 and spec = '\\x010203' ||"
                                 " decode(repeat('00', 29), 'hex')"),
                     1);
    assert_int_equal(help_number(conninfo,
                                 "select count(*) from job where id = 11 and retry_of is null"
                                 " and name is null"),
                     1);
    assert_int_equal(help_number(conninfo, "select count(*) from spec"), 1);
    assert_int_equal(help_number(conninfo, "select sum(n) from audit where batch = 1 and at > 0"),
                     1);
    assert_int_equal(help_number(conninfo,
                                 "select count(*) from job_end where job = 13 and state = 18"
                                 " and reason = 35 and batch = 2"),
                     1);
    assert_int_equal(help_number(conninfo, "select count(*) from element_end"), 2);
    assert_int_equal(help_number(conninfo, "select count(*) from idempotency"), 1);
    assert_int_equal(help_number(conninfo, "select count(*) from open_mark where job > 11"), 0);

    /* And the journal holds every row, in the order decided. */
    PGconn *pg = help_connect(conninfo);
    PGresult *result =
        PQexecParams(pg, "select body from journal where batch = 1", 0, NULL, NULL, NULL, NULL, 1);
    struct fl_str body = {PQgetvalue(result, 0, 0), (size_t)PQgetlength(result, 0, 0)}, rows;
    struct fl_arena arena = {0};
    struct fl_reader reader;

    assert_true(journal_unpack(body, &arena, &rows, NULL));
    reader = fl_reader(rows.at, rows.len);
    for (size_t i = 0; i < one->rows.len; i++) {
        struct row row;

        assert_true(row_decode(&reader, &row, NULL));
        assert_int_equal(row.kind, one->rows.at[i].kind);
    }
    assert_true(fl_reader_is_done(&reader));
    fl_arena_fini(&arena);
    PQclear(result);
    PQfinish(pg);
    core_batch_destroy(one);
    core_batch_destroy(two);
    core_batch_destroy(expected);
    help_destroy(help);
    fl_free(conninfo);
}

static void many_open_jobs_come_out_whole_and_in_order(void **state)
{
    /* Wide gaps, several partitions, elements and attempts, ended ones in between. */
    enum { BATCHES = 40, JOBS = 500 };
    char *conninfo = help_database_empty();
    struct store_config config = store_config_default();
    struct fl_err err = {0};
    struct help *help;
    uint64_t job = 0, open = 0, attempts = 0, ends = 0;
    uint64_t last_job = 0, jobs_seen = 0, attempts_seen = 0, ends_seen = 0;

    (void)state;
    config.partition = help_partitions(4000, 1000);
    config.conninfo = conninfo;
    config.instance = "a";
    config.lease_ttl_ms = HELP_LEASE_MS;
    if (!migrate(conninfo, &config.partition, &err)) fail_msg("%s", err.text);
    help = help_create_with(&config);
    assert_int_equal(help_take(help, 0), FL_OK);
    for (uint64_t number = 1; number <= BATCHES; number++) {
        struct core_batch *batch = help_batch(number);

        for (int i = 0; i < JOBS; i++) {
            job++;
            help_job(batch, job, job % 3 ? 1 : 2);
            if (job % 4 == 0) continue;
            help_attempt(batch, job, 0, 1);
            if (job % 4 == 1) {
                help_end(batch, job, 0, 1);
                if (job % 3 == 0) help_end(batch, job, 1, 0);
                help_job_end(batch, job, job % 3 == 0);
            } else if (job % 4 == 2) {
                help_attempt_end(batch, job, 0, 1);
                help_attempt(batch, job, 0, 2);
            } else if (job % 3 == 0) {
                help_end(batch, job, 0, 1);
            }
        }
        assert_int_equal(help_commit(help, batch), ENGINE_COMMITTED);
        help_until(help, help->job_below > job + JOBS); /* the engine waits for room, too */
        core_batch_destroy(batch);
    }
    for (uint64_t j = 1; j <= job; j++) {
        if (j % 4 == 1) continue;
        open++;
        attempts += j % 4 == 2 ? 2 : j % 4 == 3 && j % 3;
        ends += j % 4 == 2 || (j % 4 == 3 && j % 3 == 0);
    }
    help_reload(help);
    for (size_t pos = 0; pos < help->rows.len;) {
        struct fl_reader reader = fl_reader(help->rows.at + pos, help->rows.len - pos);
        struct row row;

        assert_true(row_decode(&reader, &row, NULL));
        pos += reader.pos;
        if (row.kind == ROW_job_new) {
            assert_true(row.job_new.job > last_job);
            last_job = row.job_new.job;
            jobs_seen++;
        }
        attempts_seen += row.kind == ROW_attempt_new;
        ends_seen += row.kind == ROW_attempt_end || row.kind == ROW_array_ends;
    }
    assert_int_equal(jobs_seen, open);
    assert_int_equal(attempts_seen, attempts);
    assert_int_equal(ends_seen, ends);
    assert_true(help_number(conninfo,
                            "select count(*) from pg_inherits where inhparent = 'job'::regclass") >=
                5);
    help_destroy(help);
    fl_free(conninfo);
}

/* ---- a core and its reload ------------------------------------------------------------------- */

enum { CLUSTERS = 3 };

struct report { /* an agent's next report */
    struct fl_cluster cluster;
    struct fl_attempt attempt;
    uint32_t replicas;
    enum fl_replica_state state;
    int32_t exit_code;
};

struct drive {
    struct help *help;
    struct core *core;
    struct core_batch *batch;
    struct fl_prng prng;
    fl_ms now;
    uint64_t session[CLUSTERS + 1], report_seq[CLUSTERS + 1];
    FL_VEC(struct report) reports;
    uint64_t jobs, number, commits, rows;
    bool is_cut;      /* the newest batch ended with a slice */
    uint64_t resumed; /* cuts that a core loaded from the rows went on from */
};

static void step(struct drive *drive, struct core_event event)
{
    event.now = drive->now;
    event.tenant = (struct fl_tenant){1};
    event.actor = FL_STR("test");
    core_step(drive->core, &event, drive->batch);
}

static void say(struct drive *drive, struct report report)
{
    uint32_t c = report.cluster.n;

    for (uint32_t i = 0; i < report.replicas; i++) {
        step(drive, (struct core_event){.kind = CORE_EV_replica,
                                        .replica = {.cluster = report.cluster,
                                                    .session_epoch = drive->session[c],
                                                    .report_seq = ++drive->report_seq[c],
                                                    .told.attempt = report.attempt,
                                                    .told.replica = i,
                                                    .told.state = report.state,
                                                    .told.exit_code = report.exit_code}});
    }
}

static void greet(struct drive *drive, uint32_t c)
{
    struct core_node_report nodes[8];
    struct fl_cluster cluster = {c};

    step(drive, (struct core_event){.kind = CORE_EV_session_open,
                                    .session_open = {.cluster = cluster, .connection = c}});
    for (size_t i = drive->batch->effects.len; i-- > 0;) {
        const struct core_effect *effect = &drive->batch->effects.at[i];

        if (effect->kind != CORE_SEND || effect->send.kind != CORE_SEND_welcome) continue;
        drive->session[c] = effect->send.session_epoch;
        break;
    }
    step(drive, (struct core_event){.kind = CORE_EV_inventory,
                                    .inventory = {.cluster = cluster,
                                                  .session_epoch = drive->session[c],
                                                  .is_end = true}});
    for (uint32_t i = 0; i < 8; i++) {
        struct fl_resources all = {.memory_bytes = (uint64_t)64 << 30, .cpu_milli = 64000};
        static const char *const names[] = {"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"};

        nodes[i] = (struct core_node_report){
            .number = i, .is_ready = true, .name = {names[i], 2}, .total = all, .free = all};
    }
    step(drive, (struct core_event){.kind = CORE_EV_nodes,
                                    .nodes = {.cluster = cluster,
                                              .session_epoch = drive->session[c],
                                              .report_seq = ++drive->report_seq[c],
                                              .mark = 1 << 30,
                                              .at = nodes,
                                              .len = 8}});
}

/* The agents obey, in time. */
static void hear(struct drive *drive)
{
    for (size_t i = 0; i < drive->batch->effects.len; i++) {
        const struct core_send *send = &drive->batch->effects.at[i].send;
        struct report report;

        if (drive->batch->effects.at[i].kind != CORE_SEND) continue;
        if (send->session_epoch != drive->session[send->cluster.n]) continue;
        report = (struct report){send->cluster, send->attempt, (uint32_t)send->nodes_len, 0, 0};
        switch (send->kind) {
        case CORE_SEND_start:
            report.state = FL_REPLICA_created;
            if (fl_prng_chance(&drive->prng, 50000)) report.state = FL_REPLICA_refused;
            fl_vec_push(&drive->reports, report);
            if (report.state == FL_REPLICA_refused) break;
            report.state = FL_REPLICA_running;
            if (fl_prng_chance(&drive->prng, 700000)) fl_vec_push(&drive->reports, report);
            report.state = FL_REPLICA_exited;
            report.exit_code = fl_prng_chance(&drive->prng, 300000);
            if (fl_prng_chance(&drive->prng, 600000)) fl_vec_push(&drive->reports, report);
            break;
        case CORE_SEND_stop:
            report.replicas = 4;
            report.state = FL_REPLICA_exited;
            report.exit_code = 143;
            fl_vec_push(&drive->reports, report);
            break;
        default:
            break;
        }
    }
}

static void commit(struct drive *drive)
{
    drive->is_cut = core_settle(drive->core, drive->now, drive->batch);
    drive->batch->at = drive->now;
    if (drive->batch->rows.len > 0) {
        assert_int_equal(help_commit(drive->help, drive->batch), ENGINE_COMMITTED);
        drive->number++;
        drive->commits++;
        drive->rows += drive->batch->rows.len;
    }
    hear(drive);
    core_batch_destroy(drive->batch);
    drive->batch = core_batch_create(drive->number);
}

static void submit(struct drive *drive)
{
    struct core_submit_item items[20];
    struct core_dependency after[20];
    struct shape shape = {.roles_len = 1};
    uint32_t deadline_s = 0, retries_max = (uint32_t)fl_prng_below(&drive->prng, 3);
    size_t len = 1 + (size_t)fl_prng_below(&drive->prng, 20);
    struct fl_buf bytes;

    fl_buf_init(&bytes, FL_JOB_SHAPE_BYTES_MAX);
    shape.roles[0].replicas = shape.roles[0].replicas_min =
        1 + (uint32_t)fl_prng_below(&drive->prng, 4);
    shape.roles[0].each.cpu_milli = 1000 * (1 + (uint32_t)fl_prng_below(&drive->prng, 8));
    if (fl_prng_chance(&drive->prng, 300000)) deadline_s = 60;
    assert_true(shape_encode(&bytes, &shape));
    for (size_t i = 0; i < len; i++) {
        items[i] = (struct core_submit_item){
            .queue = fl_prng_chance(&drive->prng, 500000) ? FL_STR("a") : FL_STR("b"),
            .shape = {(const char *)bytes.at, bytes.len},
            .spec = FL_STR("{\"roles\":[]}"),
            .spec_digest = {{(uint8_t)bytes.at[bytes.len / 2], 1}},
            .priority = (int32_t)fl_prng_below(&drive->prng, 3),
            .elements = fl_prng_chance(&drive->prng, 200000) ? 5 : 1,
            .deadline_s = deadline_s,
            .retries_max = retries_max,
            .is_held = fl_prng_chance(&drive->prng, 100000),
            .name = FL_STR("job"),
            .is_singleton = fl_prng_chance(&drive->prng, 100000),
        };
        if (items[i].elements > 1) items[i].parallelism = (uint32_t)fl_prng_below(&drive->prng, 4);
        if (drive->jobs == 0 || !fl_prng_chance(&drive->prng, 200000)) continue;
        after[i] = (struct core_dependency){
            .after = {.job = {1 + fl_prng_below(&drive->prng, drive->jobs)},
                      .on = (enum fl_dependency_on)fl_prng_between(&drive->prng, FL_ON_success,
                                                                   FL_ON_each)}};
        if (after[i].after.on == FL_ON_each) items[i].elements = 5;
        items[i].after = &after[i];
        items[i].after_len = 1;
    }
    step(drive, (struct core_event){.kind = CORE_EV_submit, .request = 1, .submit = {items, len}});
    drive->jobs += len;
    fl_buf_fini(&bytes);
}

static void meddle(struct drive *drive)
{
    static const enum core_event_kind kinds[] = {CORE_EV_cancel, CORE_EV_hold, CORE_EV_release};
    struct fl_job job = {1 + fl_prng_below(&drive->prng, drive->jobs + 1)};

    step(drive, (struct core_event){.kind = kinds[fl_prng_below(&drive->prng, 3)],
                                    .request = 2,
                                    .job = {.job = job}});
}

static void report_some(struct drive *drive)
{
    for (uint64_t i = fl_prng_below(&drive->prng, 30); i > 0 && drive->reports.len > 0; i--) {
        size_t at = drive->reports.len > 8 ? (size_t)fl_prng_below(&drive->prng, 8) : 0;
        struct report report = drive->reports.at[at];

        fl_vec_remove(&drive->reports, at);
        say(drive, report);
    }
}

static void load_row(void *ctx, const struct row *row)
{
    struct fl_err err = {0};

    if (!core_load(ctx, row, &err)) fail_msg("%s", err.text);
}

/* A batch has one slice of few looks, so that walks are cut and reloaded. */
static struct core_config drive_config(void)
{
    struct core_config config = core_config_default();

    config.slice_max = 6;
    return config;
}

/* A fresh core does what a slice of the one before has left. */
static void go_on(struct drive *drive, struct core *fresh)
{
    struct core_event begin = {.kind = CORE_EV_begin,
                               .now = drive->now,
                               .begin = {.seed = 2, .incarnation = 1, .epoch = 2, .batch = 1}};
    struct core_batch *batch = core_batch_create(1);

    core_step(fresh, &begin, batch);
    if (core_stats(fresh).walks > 0) drive->resumed++;
    while (core_settle(fresh, drive->now, batch)) {
        core_check(fresh);
    }
    assert_int_equal(core_stats(fresh).walks, 0);
    core_batch_destroy(batch);
}

static void compare(struct drive *drive)
{
    struct core_config config = drive_config();
    struct core *fresh = core_create(&config);

    drive->help->on_row = load_row;
    drive->help->on_row_ctx = fresh;
    help_reload(drive->help);
    core_check(fresh);
    assert_int_equal(core_hash(fresh), core_hash(drive->core));
    go_on(drive, fresh);
    core_destroy(fresh);
}

static void a_core_loaded_from_the_rows_of_another_is_its_equal(void **state)
{
    struct core_config config = drive_config();
    char *conninfo = help_database();
    struct drive drive = {.help = help_create(conninfo, "a"), .now = 1700000000000, .number = 1};

    (void)state;
    fl_prng_seed(&drive.prng, 1);
    assert_int_equal(help_take(drive.help, 0), FL_OK);
    drive.core = core_create(&config);
    drive.batch = core_batch_create(1);
    load_row(drive.core, &ROW(counter, .counter = CORE_COUNTER_job_next, .value = 1));
    step(&drive,
         (struct core_event){.kind = CORE_EV_begin,
                             .begin = {.seed = 1, .incarnation = 1, .epoch = 1, .batch = 1}});
    step(&drive, (struct core_event){.kind = CORE_EV_room, .room = {1000000}});
    step(&drive, (struct core_event){
                     .kind = CORE_EV_queue_put, .request = 1, .queue_put = {FL_STR("a"), false}});
    step(&drive, (struct core_event){
                     .kind = CORE_EV_queue_put, .request = 1, .queue_put = {FL_STR("b"), false}});
    for (uint32_t c = 1; c <= CLUSTERS; c++) {
        static const char *const names[] = {"", "one", "two", "three"};

        step(&drive, (struct core_event){.kind = CORE_EV_cluster_put,
                                         .request = 1,
                                         .cluster_put = {fl_str_c(names[c]), fl_str_c(names[c])}});
        greet(&drive, c);
    }
    commit(&drive);
    for (int turn = 0; turn < 400; turn++) {
        drive.now += (fl_ms)fl_prng_below(&drive.prng, 3000);
        step(&drive, (struct core_event){.kind = CORE_EV_tick});
        if (turn % 3 == 0) submit(&drive);
        if (turn % 5 == 0) meddle(&drive);
        if (turn % 40 == 39) greet(&drive, 1 + (uint32_t)fl_prng_below(&drive.prng, CLUSTERS));
        report_some(&drive);
        commit(&drive);
        if (turn % 25 == 24 || (drive.is_cut && core_stats(drive.core).walks > 0)) compare(&drive);
    }
    assert_true(drive.resumed > 0);
    printf("core driven: %" PRIu64 " jobs, %" PRIu64 " commits, %" PRIu64
           " rows; open at the end: %zu\n",
           drive.jobs, drive.commits, drive.rows, core_stats(drive.core).jobs);
    assert_true(help_number(conninfo, "select count(*) from element_end") > 100);
    assert_true(help_number(conninfo, "select count(*) from attempt_end") > 50);
    assert_true(help_number(conninfo, "select count(*) from open_mark") > 5);
    core_batch_destroy(drive.batch);
    core_destroy(drive.core);
    fl_vec_fini(&drive.reports);
    help_destroy(drive.help);
    fl_free(conninfo);
}

FL_TESTS(cmocka_unit_test(every_kind_of_row_comes_back_as_it_went),
         cmocka_unit_test(many_open_jobs_come_out_whole_and_in_order),
         cmocka_unit_test(a_core_loaded_from_the_rows_of_another_is_its_equal))
