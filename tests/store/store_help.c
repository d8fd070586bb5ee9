#include "tests/store/store_help.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "controlplane/store/migrate.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/loop.h"
#include "tests/fl_test.h"

enum { SERVERS_MAX = 8 };

static char *servers[SERVERS_MAX]; /* folders */
static size_t servers_len;
static pid_t owner; /* a forked child must not clean up */

fl_ms help_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (fl_ms)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void on_wake(void *ctx)
{
    (void)ctx;
}

const struct pg_waker *help_waker(void)
{
    static struct pg_waker waker = {.wake = on_wake};
    static pid_t process;

    /* A forked child must not share its parent's epoll. */
    if (process != getpid()) waker.loop = fl_loop_create();
    process = getpid();
    return &waker;
}

void help_wait(fl_ms ms)
{
    fl_loop_turn(help_waker()->loop, ms);
}

/* ---- servers and databases ------------------------------------------------------------------- */

static void shell(const char *command)
{
    int status = system(command);

    if (status != 0) fprintf(stderr, "store_help: failed: %s\n", command);
}

static char *print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static char *print(const char *fmt, ...)
{
    char text[1024];
    va_list args;
    char *to;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    to = fl_new_array(char, strlen(text) + 1);
    return strcpy(to, text);
}

static void clean_up(void)
{
    if (getpid() != owner) return;
    for (size_t i = 0; i < servers_len; i++) {
        char *command = print("tests/store/pg.sh stop %s", servers[i]);

        shell(command);
        fl_free(command);
        fl_free(servers[i]);
    }
}

static void register_clean_up(void)
{
    if (owner) return;
    owner = getpid();
    atexit(clean_up);
}

char *help_server_start(const char *settings)
{
    char *dir = print("/tmp/fl-pg-%d-%zu", (int)getpid(), servers_len);
    char *command = print("FL_PG_LIFELINE=%d tests/store/pg.sh start %s %s >/dev/null",
                          (int)getpid(), dir, settings);
    char *conninfo = print("host=%s user=postgres dbname=postgres", dir);

    register_clean_up();
    fl_assert(servers_len < SERVERS_MAX);
    assert_int_equal(system(command), 0);
    fl_free(command);
    servers[servers_len++] = dir;
    return conninfo;
}

void help_server_stop(const char *conninfo)
{
    for (size_t i = 0; i < servers_len; i++) {
        if (!strstr(conninfo, servers[i])) continue;
        char *command = print("tests/store/pg.sh stop %s", servers[i]);

        shell(command);
        fl_free(command);
    }
}

static const char *server(void)
{
    static const char *conninfo;

    if (!conninfo) conninfo = getenv("FL_TEST_PG");
    if (!conninfo) conninfo = help_server_start("");
    return conninfo;
}

PGconn *help_connect(const char *conninfo)
{
    PGconn *pg = PQconnectdb(conninfo);

    if (PQstatus(pg) != CONNECTION_OK) fail_msg("%s", PQerrorMessage(pg));
    return pg;
}

void help_run(const char *conninfo, const char *sql)
{
    PGconn *pg = help_connect(conninfo);
    PGresult *result = PQexec(pg, sql);
    ExecStatusType status = PQresultStatus(result);

    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        fail_msg("%s: %s", sql, PQerrorMessage(pg));
    }
    PQclear(result);
    PQfinish(pg);
}

long long help_number(const char *conninfo, const char *sql)
{
    PGconn *pg = help_connect(conninfo);
    PGresult *result = PQexec(pg, sql);
    long long n;

    if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 1) {
        fail_msg("%s: %s", sql, PQerrorMessage(pg));
    }
    n = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
    PQclear(result);
    PQfinish(pg);
    return n;
}

struct partition_config help_partitions(uint64_t job_span, uint64_t batch_span)
{
    struct partition_config config = partition_config_default();

    config.job_span = job_span;
    config.batch_span = batch_span;
    config.late_jobs = 1;
    return config;
}

static void make_schema(const char *conninfo)
{
    struct partition_config config = partition_config_default();
    struct fl_err err = {0};

    if (!migrate(conninfo, &config, &err)) fail_msg("%s", err.text);
}

char *help_database_of(const char *its_server, bool has_schema)
{
    static size_t databases_len;
    char *name = print("fl_%d_%zu", (int)getpid(), databases_len++);
    char *sql = print("create database %s encoding 'UTF8' template template0", name);
    /* The later keyword wins. */
    char *conninfo = print("%s dbname=%s", its_server, name);

    register_clean_up();
    help_run(its_server, sql);
    if (has_schema) make_schema(conninfo);
    fl_free(sql);
    fl_free(name);
    return conninfo;
}

/* Emptied, it is as good as new, and many times cheaper: creating and dropping one costs
 * checkpoints. */
static void empty(const char *conninfo)
{
    help_run(conninfo, "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
                       " where datname = current_database() and pid <> pg_backend_pid()");
    help_run(conninfo,
             "do $$ begin execute format('alter database %I reset all', current_database());"
             " end $$");
    help_run(conninfo, "set client_min_messages = warning; drop schema public cascade;"
                       "create schema public");
}

static char *database(bool has_schema)
{
    static char *kept;

    if (!kept) {
        kept = help_database_of(server(), false);
    } else {
        empty(kept);
    }
    if (has_schema) make_schema(kept);
    return print("%s", kept);
}

char *help_database_empty(void)
{
    return database(false);
}

char *help_database(void)
{
    return database(true);
}

/* ---- a store --------------------------------------------------------------------------------- */

static void on_taken(void *ctx, const struct engine_taken *taken, fl_ms now)
{
    struct help *help = ctx;

    (void)now;
    help->taken = *taken;
    help->is_taken = true;
}

static void on_take_failed(void *ctx, enum fl_code why, fl_ms now)
{
    struct help *help = ctx;

    (void)now;
    help->is_failed = true;
    help->failed_code = why;
}

static void on_load_row(void *ctx, const struct row *row)
{
    struct help *help = ctx;

    help->rows_len++;
    if (help->on_row) {
        help->on_row(help->on_row_ctx, row);
    } else {
        assert_true(row_encode(&help->rows, row));
    }
}

static void on_loaded(void *ctx, bool is_good, fl_ms now)
{
    struct help *help = ctx;

    (void)now;
    help->is_loaded = true;
    help->is_load_good = is_good;
}

static void on_committed(void *ctx, uint64_t batch, enum engine_commit result, const char *text,
                         fl_ms now)
{
    struct help *help = ctx;
    struct help_result entry = {.batch = batch, .result = result};

    (void)now;
    snprintf(entry.text, sizeof entry.text, "%s", text ? text : "");
    fl_vec_push(&help->results, entry);
}

static void on_found(void *ctx, uint64_t lookup, const struct fl_digest *body_sha,
                     struct fl_str answer, bool is_good, fl_ms now)
{
    struct help *help = ctx;

    (void)now;
    help->found = lookup;
    help->is_found_good = is_good;
    help->found_bytes = answer.len;
    help->found_sha = body_sha ? *body_sha : (struct fl_digest){{0}};
    snprintf(help->found_text, sizeof help->found_text, FL_STR_FMT, FL_STR_ARG(answer));
}

static void on_room(void *ctx, uint64_t job_below, uint64_t batch_below)
{
    struct help *help = ctx;

    help->job_below = job_below;
    help->batch_below = batch_below;
}

static void on_lease_lost(void *ctx, fl_ms now)
{
    struct help *help = ctx;

    (void)now;
    help->is_lease_lost = true;
}

static void on_trouble(void *ctx, const char *what, const char *text)
{
    struct help *help = ctx;

    help->troubles++;
    snprintf(help->trouble, sizeof help->trouble, "%s: %s", what, text);
}

struct help *help_create_with(const struct store_config *config)
{
    struct help *help = fl_new(struct help);
    struct engine_results results = {
        .ctx = help,
        .taken = on_taken,
        .take_failed = on_take_failed,
        .load_row = on_load_row,
        .loaded = on_loaded,
        .committed = on_committed,
        .found = on_found,
        .room = on_room,
        .lease_lost = on_lease_lost,
    };

    fl_buf_init(&help->rows, (size_t)1 << 30);
    help->store = store_create(config, help_waker(), on_trouble, help);
    help->port = store_port(help->store);
    store_attach(help->store, &results);
    return help;
}

struct help *help_create(const char *conninfo, const char *instance)
{
    struct store_config config = store_config_default();

    config.conninfo = conninfo;
    config.instance = instance;
    config.lease_ttl_ms = HELP_LEASE_MS;
    config.partition.late_jobs = 64;
    return help_create_with(&config);
}

void help_destroy(struct help *help)
{
    if (!help) return;
    store_destroy(help->store);
    fl_vec_fini(&help->results);
    fl_buf_fini(&help->rows);
    fl_free(help);
}

void help_turn(struct help *help, fl_ms ms)
{
    fl_ms now = help_now();
    fl_ms due = store_deadline(help->store);
    fl_ms wait = due <= now ? 0 : due - now < ms ? due - now : ms;

    help_wait(wait);
    store_turn(help->store, help_now());
}

enum fl_code help_take(struct help *help, uint64_t batch_from)
{
    help->is_taken = help->is_failed = false;
    help->port.take(help->store, batch_from, 0, help_now());
    help_until(help, help->is_taken || help->is_failed);
    return help->is_taken ? FL_OK : help->failed_code;
}

void help_load(struct help *help)
{
    help->is_loaded = false;
    fl_buf_clear(&help->rows);
    help->rows_len = 0;
    help->port.load(help->store, help_now());
    help_until(help, help->is_loaded);
    assert_true(help->is_load_good);
}

void help_reload(struct help *help)
{
    assert_int_equal(help_take(help, 0), FL_OK);
    help_load(help);
}

enum engine_commit help_commit(struct help *help, const struct core_batch *batch)
{
    size_t len = help->results.len;

    help->port.commit(help->store, batch, help->taken.epoch, help_now());
    help_until(help, help->results.len > len);
    assert_int_equal(help->results.at[len].batch, batch->number);
    return help->results.at[len].result;
}

/* ---- batches --------------------------------------------------------------------------------- */

struct core_batch *help_batch(uint64_t number)
{
    struct core_batch *batch = core_batch_create(number);

    batch->at = (fl_ms)time(NULL) * 1000 + (fl_ms)number; /* the old one is removed */
    return batch;
}

void help_row(struct core_batch *batch, struct row row)
{
    core_batch_row(batch, &row);
}

void help_job(struct core_batch *batch, uint64_t job, uint32_t elements)
{
    help_row(batch, (struct row){.kind = ROW_job_new,
                                 .job_new = {.job = job,
                                             .tenant = 1,
                                             .queue = 1 + (uint32_t)(job % 7),
                                             .shape = 1 + (uint32_t)(job % 3),
                                             .priority = (int32_t)(job % 5) - 2,
                                             .elements = elements,
                                             .params = FL_STR("{\"x\":1}")}});
}

void help_attempt(struct core_batch *batch, uint64_t job, uint32_t element, uint16_t n)
{
    help_row(batch, (struct row){.kind = ROW_attempt_new,
                                 .attempt_new = {.job = job,
                                                 .element = element,
                                                 .n = n,
                                                 .incarnation = 1,
                                                 .cluster = 2,
                                                 .nodes = FL_STR("node-1\n")}});
}

void help_attempt_end(struct core_batch *batch, uint64_t job, uint32_t element, uint16_t n)
{
    help_row(batch, (struct row){.kind = ROW_attempt_end,
                                 .attempt_end = {.job = job,
                                                 .element = element,
                                                 .n = n,
                                                 .reason = REASON_ReplicaFailed,
                                                 .exit_code = -1,
                                                 .first_replica = UINT32_MAX}});
}

void help_end(struct core_batch *batch, uint64_t job, uint32_t element, uint16_t n)
{
    help_row(batch, (struct row){.kind = ROW_element_end,
                                 .element_end = {.job = job,
                                                 .element = element,
                                                 .n = n,
                                                 .state = JOB_succeeded,
                                                 .reason = REASON_Succeeded}});
}

void help_job_end(struct core_batch *batch, uint64_t job, bool is_array)
{
    help_row(batch, (struct row){.kind = ROW_job_end,
                                 .job_end = {.job = job,
                                             .state = JOB_succeeded,
                                             .reason = REASON_Succeeded,
                                             .is_array = is_array,
                                             .has_marks = true}});
}
