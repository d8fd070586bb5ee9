#include "tests/store/usage_help.h"

#include <libpq-fe.h>

#include "controlplane/engine/engine_batch.h"
#include "shared/base/alloc.h"
#include "tests/fl_test.h"

static const char spec[] =
    "{\"roles\":[{\"name\":\"main\",\"replicas\":2,\"template\":{\"spec\":{\"containers\":[{"
    "\"command\":[\"true\"],\"resources\":{\"requests\":{\"cpu\":\"500m\",\"memory\":\"64Mi\"}}}]}}"
    "}]}";

static struct usage_progress progress_of(void *ctx)
{
    const struct usage_rig *rig = ctx;

    return rig->leads ? rig->progress : (struct usage_progress){0};
}

static void on_trouble(void *ctx, const char *text)
{
    struct usage_rig *rig = ctx;

    rig->troubles++;
    snprintf(rig->trouble, sizeof rig->trouble, "%s", text);
}

struct usage_ledger_hooks usage_rig_hooks(struct usage_rig *rig)
{
    return (struct usage_ledger_hooks){rig, progress_of, on_trouble};
}

struct usage_ledger *usage_rig_ledger(struct usage_rig *rig)
{
    static const char *const labels[] = {"project", "team"};
    struct usage_ledger_config config = {.conninfo = rig->conninfo,
                                         .labels = labels,
                                         .labels_len = 2,
                                         .pause_ms = 1,
                                         .wait_ms = rig->wait_ms};
    struct usage_ledger_hooks hooks = usage_rig_hooks(rig);

    return usage_ledger_create(help_waker()->loop, &config, &hooks);
}

void usage_rig_init(struct usage_rig *rig)
{
    *rig = (struct usage_rig){.conninfo = help_database(), .leads = true, .wait_ms = 60000};
    rig->help = help_create(rig->conninfo, "a");
    assert_int_equal(help_take(rig->help, 0), FL_OK);
}

void usage_rig_fini(struct usage_rig *rig)
{
    usage_ledger_destroy(rig->ledgers[0]);
    usage_ledger_destroy(rig->ledgers[1]);
    help_destroy(rig->help);
    fl_free(rig->conninfo);
}

struct core_batch *usage_rig_batch(struct usage_rig *rig, fl_ms at)
{
    struct core_batch *batch = help_batch(++rig->number);

    batch->at = at;
    return batch;
}

void usage_rig_commit(struct usage_rig *rig, struct core_batch *batch)
{
    assert_int_equal(help_commit(rig->help, batch), ENGINE_COMMITTED);
    rig->progress.newest = batch->number;
    rig->progress.newest_at = batch->at;
    if (engine_batch_is_counted(batch)) rig->progress.counted = batch->number;
    core_batch_destroy(batch);
}

void usage_rig_submit(struct core_batch *batch, uint64_t job, const char *owner, const char *labels)
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

void usage_rig_fail_attempt(struct core_batch *batch, uint64_t job, uint32_t element, uint16_t n,
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

void usage_rig_end_element(struct core_batch *batch, uint64_t job, uint32_t element, uint16_t n,
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

void usage_rig_until(struct usage_rig *rig, uint64_t batch)
{
    help_until(rig->help,
               help_number(rig->conninfo, "select batch from usage_mark") >= (long long)batch);
}

void usage_rig_cut(const struct usage_rig *rig)
{
    help_run(rig->conninfo, "select pg_terminate_backend(pid) from pg_stat_activity"
                            " where application_name = 'fairlead usage'"
                            " and datname = current_database()");
}

static long long ledgers_that(const struct usage_rig *rig, const char *condition)
{
    char sql[240];

    snprintf(sql, sizeof sql,
             "select count(*) from pg_stat_activity where application_name = 'fairlead usage'"
             " and datname = current_database() and %s",
             condition);
    return help_number(rig->conninfo, sql);
}

void usage_rig_count_at_once(struct usage_rig *rig)
{
    PGconn *locker = PQconnectdb(rig->conninfo);

    PQclear(PQexec(locker, "begin; select from usage_mark for update"));
    assert_int_equal(PQtransactionStatus(locker), PQTRANS_INTRANS);
    rig->ledgers[0] = usage_rig_ledger(rig);
    rig->ledgers[1] = usage_rig_ledger(rig);
    help_until(rig->help, ledgers_that(rig, "wait_event_type = 'Lock'") == 2);
    PQfinish(locker);
    usage_rig_until(rig, rig->number);
    help_until(rig->help, ledgers_that(rig, "state = 'active'") == 0);
}
