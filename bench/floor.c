/* floor.c - the speed of Postgres itself, so that a figure of ours has a floor beside it.
 *
 *   floor CASE --pg=CONNINFO [--seconds=4] [--warm=1]
 *
 * CASE is one of 'cases' below; the database is empty.  Each case is a bare loop: rows of equal
 * shape whose arrays are made once, and only ids change.
 *   unnest-N         one pipelined connection, INSERT..SELECT unnest of N rows a commit, two in
 *                    flight; a row is 8 columns and 160 bytes
 *   copy-500         two connections, COPY of 500 of these rows a commit, each waits for its answer
 *   life-events-500  the same, and two COPYs of 500 event rows after it: a life of three commits
 *   product-submit   the product floor: schema/ and stmts.def as the writer connection prepares
 *                    them, in batches as the engine makes them, without a core: 2,000 jobs in
 *                    requests of 500, and the rows of open_job of those far behind (apply.h)
 *   product-life     the same with the whole life: each batch accepts and starts 2,000 jobs, and
 *                    ends those of three batches before; the journal's body is their rows, packed
 *                    as in the product
 *   copy-out         one connection, one COPY (binary) of five narrow columns of open_job, whose
 *                    rows are dropped; on the database of engine_bench restart; value: seconds
 */
#include <endian.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_help.h"
#include "bench/bench_help_job.h"
#include "controlplane/core/job.h"
#include "controlplane/core/row.h"
#include "controlplane/store/apply.h"
#include "controlplane/store/journal.h"
#include "controlplane/store/pg_conn.h"
#include "controlplane/store/row_columns.h"
#include "shared/base/alloc.h"
#include "shared/base/buf.h"
#include "shared/io/loop.h"

enum {
    LIFE_BATCHES = 3,
    LATE_BATCHES = APPLY_LATE_JOBS / BENCH_BATCH_JOBS + 1,
    ID_OFFSET = 20 + 4,
    ID_STRIDE = 4 + 8,
    CONNS = 2
};

/* ---- a pipeline of batches ------------------------------------------------------------------- */

struct pipe {
    PGconn *pg;
    void (*send)(void *ctx, PGconn *pg, uint64_t number); /* all but the sync */
    void *ctx;
    uint64_t sent, done;
    int64_t sent_ns[BENCH_INFLIGHT];
    struct bench_samples ms;
};

static void pipe_send(struct pipe *pipe)
{
    pipe->sent_ns[pipe->sent % BENCH_INFLIGHT] = bench_now_ns();
    pipe->send(pipe->ctx, pipe->pg, pipe->sent + 1);
    pipe->sent++;
    if (!PQpipelineSync(pipe->pg)) bench_die("%s", PQerrorMessage(pipe->pg));
}

static void pipe_read(struct pipe *pipe)
{
    int nulls = 0; /* one stands between two statements */

    while (pipe->done < pipe->sent && nulls < 3 && !PQisBusy(pipe->pg)) {
        PGresult *result = PQgetResult(pipe->pg);

        if (!result) {
            nulls++;
            continue;
        }
        nulls = 0;
        switch (PQresultStatus(result)) {
        case PGRES_COMMAND_OK:
        case PGRES_TUPLES_OK:
            break;
        case PGRES_PIPELINE_SYNC: {
            int64_t took_ns = bench_now_ns() - pipe->sent_ns[pipe->done % BENCH_INFLIGHT];

            bench_samples_add(&pipe->ms, (double)took_ns * 1e-6);
            pipe->done++;
            break;
        }
        default:
            bench_die("%s", PQresultErrorMessage(result));
        }
        PQclear(result);
    }
}

static void pipe_run(struct pipe *pipe, double seconds)
{
    int64_t end_ns = bench_now_ns() + (int64_t)(seconds * 1e9);

    for (;;) {
        struct pollfd fd = {.fd = PQsocket(pipe->pg), .events = POLLIN};
        bool goes_on = bench_now_ns() < end_ns;
        int left;

        while (goes_on && pipe->sent - pipe->done < BENCH_INFLIGHT) {
            pipe_send(pipe);
        }
        if (pipe->sent == pipe->done) return;
        left = PQflush(pipe->pg);
        if (left < 0) bench_die("%s", PQerrorMessage(pipe->pg));
        if (left > 0) fd.events |= POLLOUT;
        if (poll(&fd, 1, 10000) == 0) bench_die("Postgres did not answer for 10 s");
        if (!PQconsumeInput(pipe->pg)) bench_die("%s", PQerrorMessage(pipe->pg));
        pipe_read(pipe);
    }
}

/* ---- statements with arrays that are made once ----------------------------------------------- */

struct stmt {
    const char *name;
    Oid types[PG_PARAMS_MAX];
    struct pg_array arrays[PG_PARAMS_MAX];
    struct pg_value values[PG_PARAMS_MAX];
    int params;
    uint8_t sources[PG_PARAMS_MAX]; /* a statement of the product, as pg_stmt_text has it */
};

static void stmt_init(struct stmt *stmt, const char *name, const Oid *types, int params)
{
    *stmt = (struct stmt){.name = name, .params = params};
    for (int i = 0; i < params; i++) {
        stmt->types[i] = types[i];
        pg_array_start(&stmt->arrays[i]);
    }
}

static void stmt_init_product(struct stmt *stmt, enum pg_stmt number)
{
    struct pg_stmt_text text;

    pg_stmt_text(number, &text);
    stmt_init(stmt, pg_stmts[number].name, text.types, text.params);
    memcpy(stmt->sources, text.sources, sizeof stmt->sources);
}

/* The element's type of an array type; 0: it is not an array type. */
static Oid element_of(Oid type)
{
    static const Oid elements[] = {PG_BOOL, PG_BYTEA, PG_INT8, PG_INT2, PG_INT4, PG_TEXT};

    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        if (pg_array_type(elements[i]) == type) return elements[i];
    }
    return 0;
}

/* Call it when the arrays are complete; the sender sets scalars later. */
static void stmt_finish(struct stmt *stmt)
{
    for (int i = 0; i < stmt->params; i++) {
        Oid element = element_of(stmt->types[i]);

        if (!element) continue;
        if (stmt->arrays[i].items != stmt->arrays[0].items) {
            bench_die("%s has other columns than this program knows", stmt->name);
        }
        stmt->values[i] = pg_array_value(&stmt->arrays[i], element);
    }
}

/* The first column, which is one of int8: ids from 'first' on. */
static void stmt_set_ids(struct stmt *stmt, uint64_t first)
{
    uint8_t *at = stmt->arrays[0].at + ID_OFFSET;

    for (uint32_t i = 0; i < stmt->arrays[0].items; i++) {
        uint64_t be = htobe64(first + i);

        memcpy(at + (size_t)i * ID_STRIDE, &be, sizeof be);
    }
}

static void stmt_send(const struct stmt *stmt, PGconn *pg)
{
    const char *at[PG_PARAMS_MAX];
    int lengths[PG_PARAMS_MAX], formats[PG_PARAMS_MAX];

    for (int i = 0; i < stmt->params; i++) {
        at[i] = stmt->values[i].at;
        lengths[i] = (int)stmt->values[i].bytes;
        formats[i] = 1;
    }
    if (!PQsendQueryPrepared(pg, stmt->name, stmt->params, at, lengths, formats, 1)) {
        bench_die("%s", PQerrorMessage(pg));
    }
}

/* ---- a plain table --------------------------------------------------------------------------- */

static const char PLAIN_TABLES[] =
    "create table plain_job(id bigint primary key, tenant int, queue int, priority int, elements "
    "int,"
    " shape int, at bigint, batch bigint, payload bytea);"
    "create table plain_event(job bigint, at bigint, kind int, detail int)";

struct unnest {
    struct stmt insert;
    uint32_t rows;
    struct pipe pipe;
};

static void unnest_send(void *ctx, PGconn *pg, uint64_t number)
{
    struct unnest *unnest = ctx;

    stmt_set_ids(&unnest->insert, (number - 1) * unnest->rows + 1);
    stmt_send(&unnest->insert, pg); /* with its sync a transaction */
}

static void unnest_prepare(struct unnest *unnest, const char *conninfo)
{
    static const Oid types[] = {PG_INT8_ARRAY, PG_INT4_ARRAY, PG_INT4_ARRAY,
                                PG_INT4_ARRAY, PG_INT4_ARRAY, PG_INT4_ARRAY,
                                PG_INT8_ARRAY, PG_INT8_ARRAY, PG_BYTEA_ARRAY};
    struct stmt *insert = &unnest->insert;
    char params[BENCH_PARAMS_BYTES];
    PGresult *result;
    PGconn *pg = bench_connect(conninfo);

    stmt_init(insert, "insert", types, 9);
    for (uint32_t i = 0; i < unnest->rows; i++) {
        pg_array_put_i64(&insert->arrays[0], 0);
        for (int k = 1; k <= 5; k++) {
            pg_array_put_i32(&insert->arrays[k], 1);
        }
        pg_array_put_i64(&insert->arrays[6], 1);
        pg_array_put_i64(&insert->arrays[7], 1);
        pg_array_put_str(&insert->arrays[8], bench_params(i, params));
    }
    stmt_finish(insert);
    result =
        PQprepare(pg, "insert",
                  "insert into plain_job(id, tenant, queue, priority, elements, shape, at, batch,"
                  " payload) select * from unnest($1, $2, $3, $4, $5, $6, $7, $8, $9)",
                  9, types);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) bench_die("%s", PQerrorMessage(pg));
    PQclear(result);
    if (PQsetnonblocking(pg, 1) != 0 || !PQenterPipelineMode(pg)) {
        bench_die("%s", PQerrorMessage(pg));
    }
    unnest->pipe = (struct pipe){.pg = pg, .send = unnest_send, .ctx = unnest};
}

/* Runs what is in 'pipe' and prints its line. */
static void measure(const char *name, const char *conninfo, struct pipe *pipe, double jobs_each,
                    double warm, double seconds)
{
    struct bench_meter meter;
    uint64_t before;

    bench_meter_init(&meter, conninfo);
    pipe_run(pipe, warm);
    before = pipe->done;
    pipe->ms.values.len = 0;
    bench_meter_start(&meter);
    pipe_run(pipe, seconds);
    bench_meter_stop(&meter);
    bench_print(name, &meter, (double)(pipe->done - before) * jobs_each, &pipe->ms);
    bench_end();
    bench_samples_fini(&pipe->ms);
    bench_meter_fini(&meter);
}

static void run_unnest(const char *name, const char *conninfo, uint32_t rows, double warm,
                       double seconds)
{
    struct unnest unnest = {.rows = rows};
    PGconn *setup = bench_connect(conninfo);

    bench_sql(setup, "%s", PLAIN_TABLES);
    bench_sql(setup, "checkpoint");
    PQfinish(setup);
    unnest_prepare(&unnest, conninfo);
    measure(name, conninfo, &unnest.pipe, rows, warm, seconds);
    PQfinish(unnest.pipe.pg);
}

/* ---- COPY on two connections ----------------------------------------------------------------- */

struct copy_bytes { /* the binary format: a header, rows, a trailer */
    uint8_t *at;
    size_t len, row_bytes;
};

struct copier {
    PGconn *pg;
    bool has_events;
    struct copy_bytes jobs, events;
    uint64_t id; /* the next */
    double seconds;
    uint64_t batches;
    struct bench_samples ms;
};

static void put_bytes(struct copy_bytes *bytes, const void *ptr, size_t len)
{
    bytes->at = fl_realloc_array(bytes->at, uint8_t, bytes->len + len);
    memcpy(bytes->at + bytes->len, ptr, len);
    bytes->len += len;
}

static void put_field(struct copy_bytes *bytes, const void *ptr, uint32_t len)
{
    uint32_t be = htobe32(len);

    put_bytes(bytes, &be, sizeof be);
    put_bytes(bytes, ptr, len);
}

static const char COPY_HEADER[] =
    "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0"; /* and the literal's own zero */

/* Columns: an int8, 'ints' of int4, 'longs' of int8, then a payload if it has one. */
static void make_copy(struct copy_bytes *bytes, int ints, int longs, struct fl_str payload)
{
    static const uint8_t value[8] = {0, 0, 0, 1, 0, 0, 0, 1};
    uint16_t columns = htobe16((uint16_t)(1 + ints + longs + (payload.len > 0)));
    uint16_t end = UINT16_MAX;

    put_bytes(bytes, COPY_HEADER, sizeof COPY_HEADER);
    for (int row = 0; row < BENCH_REQUEST_JOBS; row++) {
        put_bytes(bytes, &columns, sizeof columns);
        put_field(bytes, value, 8);
        for (int i = 0; i < ints; i++) {
            put_field(bytes, value, 4);
        }
        for (int i = 0; i < longs; i++) {
            put_field(bytes, value, 8);
        }
        if (payload.len > 0) put_field(bytes, payload.at, (uint32_t)payload.len);
    }
    bytes->row_bytes = (bytes->len - sizeof COPY_HEADER) / BENCH_REQUEST_JOBS;
    put_bytes(bytes, &end, sizeof end);
}

static void copy(PGconn *pg, const char *sql, struct copy_bytes *bytes, uint64_t first)
{
    PGresult *result = PQexec(pg, sql);

    if (PQresultStatus(result) != PGRES_COPY_IN) bench_die("%s", PQerrorMessage(pg));
    PQclear(result);
    for (uint64_t i = 0; i < BENCH_REQUEST_JOBS; i++) {
        uint64_t be = htobe64(first + i);

        memcpy(bytes->at + sizeof COPY_HEADER + i * bytes->row_bytes + 6, &be, sizeof be);
    }
    if (PQputCopyData(pg, (const char *)bytes->at, (int)bytes->len) != 1 ||
        PQputCopyEnd(pg, NULL) != 1) {
        bench_die("%s", PQerrorMessage(pg));
    }
    while ((result = PQgetResult(pg))) {
        if (PQresultStatus(result) != PGRES_COMMAND_OK) bench_die("%s", PQerrorMessage(pg));
        PQclear(result);
    }
}

static void *copier_run(void *ctx)
{
    struct copier *copier = ctx;
    int64_t end_ns = bench_now_ns() + (int64_t)(copier->seconds * 1e9);

    copier->batches = 0;
    copier->ms.values.len = 0;
    while (bench_now_ns() < end_ns) {
        int64_t began_ns = bench_now_ns();

        copy(copier->pg, "copy plain_job from stdin (format binary)", &copier->jobs, copier->id);
        for (int i = 0; copier->has_events && i < 2; i++) {
            copy(copier->pg, "copy plain_event(job, kind, detail, at) from stdin (format binary)",
                 &copier->events, copier->id);
        }
        copier->id += BENCH_REQUEST_JOBS;
        copier->batches++;
        bench_samples_add(&copier->ms, (double)(bench_now_ns() - began_ns) * 1e-6);
    }
    return NULL;
}

static void copiers_run(struct copier *copiers, double seconds)
{
    pthread_t threads[CONNS];

    for (int i = 0; i < CONNS; i++) {
        copiers[i].seconds = seconds;
        if (pthread_create(&threads[i], NULL, copier_run, &copiers[i]) != 0) {
            bench_die("no thread");
        }
    }
    for (int i = 0; i < CONNS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
}

static void run_copy(const char *name, const char *conninfo, bool has_events, double warm,
                     double seconds)
{
    struct copier copiers[CONNS] = {0};
    struct bench_samples all = {0};
    struct bench_meter meter;
    char params[BENCH_PARAMS_BYTES];
    uint64_t batches = 0;

    bench_meter_init(&meter, conninfo);
    bench_sql(meter.pg, "%s", PLAIN_TABLES);
    bench_sql(meter.pg, "checkpoint");
    for (int i = 0; i < CONNS; i++) {
        copiers[i].pg = bench_connect(conninfo);
        copiers[i].has_events = has_events;
        copiers[i].id = 1 + (uint64_t)i * 1000000000;
        make_copy(&copiers[i].jobs, 5, 2, bench_params(0, params));
        make_copy(&copiers[i].events, 2, 1, (struct fl_str){0});
    }
    copiers_run(copiers, warm);
    bench_meter_start(&meter);
    copiers_run(copiers, seconds);
    bench_meter_stop(&meter);
    for (int i = 0; i < CONNS; i++) {
        batches += copiers[i].batches;
        for (size_t k = 0; k < copiers[i].ms.values.len; k++) {
            bench_samples_add(&all, copiers[i].ms.values.at[k]);
        }
        bench_samples_fini(&copiers[i].ms);
        PQfinish(copiers[i].pg);
        fl_free(copiers[i].jobs.at);
        fl_free(copiers[i].events.at);
    }
    bench_print(name, &meter, (double)batches * BENCH_REQUEST_JOBS, &all);
    bench_end();
    bench_samples_fini(&all);
    bench_meter_fini(&meter);
}

/* ---- COPY out -------------------------------------------------------------------------------- */

static void run_copy_out(const char *name, const char *conninfo)
{
    PGconn *pg = bench_connect(conninfo);
    int64_t began_ns = bench_now_ns();
    PGresult *result = PQexec(pg, "copy (select job, tenant, shape, queue, priority from open_job) "
                                  "to stdout (format binary)");
    uint64_t rows = 0, bytes = 0;
    char *data;
    int len;

    if (PQresultStatus(result) != PGRES_COPY_OUT) bench_die("%s", PQerrorMessage(pg));
    PQclear(result);
    while ((len = PQgetCopyData(pg, &data, 0)) > 0) {
        rows++;
        bytes += (uint64_t)len;
        PQfreemem(data);
    }
    result = PQgetResult(pg);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) bench_die("%s", PQerrorMessage(pg));
    PQclear(result);
    printf("{\"case\": \"%s\"", name);
    bench_field("value", (double)(bench_now_ns() - began_ns) * 1e-9);
    bench_field("rows", (double)(rows - 1)); /* the trailer comes alone */
    bench_field("bytes", (double)bytes);
    bench_end();
    PQfinish(pg);
}

/* ---- the product floor ----------------------------------------------------------------------- */

struct product {
    bool is_life;
    struct stmt job, open_job, attempt, element_end, audit;
    struct journal_packer *packers[2];
    struct fl_str body_first, body; /* the journal's body without ends, and with ends */
    int64_t epoch_be, at_be, batch_be, lo_be, hi_be; /* scalars of the batch being sent */
    struct pipe pipe;
};

static uint64_t product_first(uint64_t batch)
{
    return (batch - 1) * BENCH_BATCH_JOBS + 1;
}

static void set_scalar(struct stmt *stmt, int i, const int64_t *be)
{
    stmt->values[i] = (struct pg_value){be, sizeof *be};
}

/* Sends a statement on rows with the values that its batch has but once. */
static void send_rows(struct product *product, PGconn *pg, struct stmt *stmt)
{
    for (int i = 0; i < stmt->params; i++) {
        switch (stmt->sources[i]) {
        case PG_OF_BATCH:
            set_scalar(stmt, i, &product->batch_be);
            break;
        case PG_OF_AT:
            set_scalar(stmt, i, &product->at_be);
            break;
        case PG_OF_LO:
            set_scalar(stmt, i, &product->lo_be);
            break;
        case PG_OF_HI:
            set_scalar(stmt, i, &product->hi_be);
            break;
        default:
            break;
        }
    }
    stmt_send(stmt, pg);
}

static void send_chain(struct product *product, PGconn *pg, struct fl_str body)
{
    struct stmt chain = {.name = pg_stmts[PG_STMT_chain].name, .params = 4};

    set_scalar(&chain, 0, &product->batch_be);
    set_scalar(&chain, 1, &product->epoch_be);
    set_scalar(&chain, 2, &product->at_be);
    chain.values[3] = (struct pg_value){body.at, body.len};
    stmt_send(&chain, pg);
}

/* In the order of stmts.def, as apply.c sends them. */
static void product_send(void *ctx, PGconn *pg, uint64_t number)
{
    const struct stmt begin = {.name = "begin"}, commit = {.name = "commit"};
    struct product *product = ctx;
    uint64_t first = product_first(number);
    bool has_ends = product->is_life && number > LIFE_BATCHES;

    product->batch_be = (int64_t)htobe64(number);
    product->lo_be = (int64_t)htobe64(first);
    product->hi_be = (int64_t)htobe64(first + BENCH_BATCH_JOBS - 1);
    stmt_send(&begin, pg);
    send_chain(product, pg, has_ends ? product->body : product->body_first);
    stmt_set_ids(&product->job, first);
    send_rows(product, pg, &product->job);
    if (!product->is_life && number > LATE_BATCHES) {
        stmt_set_ids(&product->open_job, product_first(number - LATE_BATCHES));
        send_rows(product, pg, &product->open_job);
    }
    if (product->is_life) {
        stmt_set_ids(&product->attempt, first);
        send_rows(product, pg, &product->attempt);
    }
    if (has_ends) {
        stmt_set_ids(&product->element_end, product_first(number - LIFE_BATCHES));
        send_rows(product, pg, &product->element_end);
    }
    send_rows(product, pg, &product->audit);
    stmt_send(&commit, pg);
}

/* The rows that the core emits for each job and each request, for their columns and their
 * length. */
static const char USAGE[FL_USAGE_BYTES] = {FL_METER_processes, 0, 0, 0, 1};
static const struct row_job_new JOB_NEW = {.job = 1,
                                           .tenant = 1,
                                           .queue = 1,
                                           .shape = 1,
                                           .elements = 1,
                                           .spec = {{1, 2, 3}},
                                           .owner = FL_STR(BENCH_ACTOR)};
static const struct row_attempt_new ATTEMPT_NEW = {
    .job = 1, .n = 1, .incarnation = 1, .cluster = 1, .nodes = FL_STR(BENCH_NODE "\n")};
static const struct row_element_end ELEMENT_END = {.job = 1,
                                                   .n = 1,
                                                   .state = JOB_succeeded,
                                                   .reason = REASON_none,
                                                   .usage = {USAGE, sizeof USAGE}};
static const struct row_audit AUDIT = {
    .tenant = 1, .actor = FL_STR(BENCH_ACTOR), .body = FL_STR("submit job-7zzz+500")};

static void put_row(struct fl_buf *rows, const struct row *row)
{
    if (!row_encode(rows, row)) bench_die("the rows are too long");
}

static void put_job(struct fl_buf *rows, uint64_t id, bool is_life, bool has_ends)
{
    struct row job = {.kind = ROW_job_new, .job_new = JOB_NEW};
    struct row attempt = {.kind = ROW_attempt_new, .attempt_new = ATTEMPT_NEW};
    struct row phase = {.kind = ROW_replica_phase, .replica_phase = {.job = id, .n = 1}};
    struct row end = {.kind = ROW_element_end, .element_end = ELEMENT_END};
    struct row job_end = {.kind = ROW_job_end, .job_end = {.job = id}};
    char params[BENCH_PARAMS_BYTES];

    job.job_new.job = attempt.attempt_new.job = end.element_end.job = id;
    job.job_new.params = bench_params(id, params);
    put_row(rows, &job);
    if (is_life) put_row(rows, &attempt);
    if (!has_ends) return;
    for (int i = 0; i < 3; i++) {
        put_row(rows, &phase);
    }
    put_row(rows, &end);
    put_row(rows, &job_end);
}

/* The body of a batch's journal row, once for all batches. */
static struct fl_str pack_jobs(struct journal_packer *packer, bool is_life, bool has_ends)
{
    struct row audit = {.kind = ROW_audit, .audit = AUDIT};
    struct fl_buf rows;
    struct fl_str packed;

    fl_buf_init(&rows, (size_t)16 << 20);
    for (uint64_t id = 1; id <= BENCH_BATCH_JOBS; id++) {
        put_job(&rows, id, is_life, has_ends);
    }
    for (int i = 0; i < BENCH_BATCH_REQUESTS; i++) {
        put_row(&rows, &audit);
    }
    packed = journal_pack(packer, (struct fl_str){(const char *)rows.at, rows.len});
    fl_buf_fini(&rows);
    return packed;
}

static void make_job(struct stmt *stmt)
{
    struct row row = {.kind = ROW_job_new, .job_new = JOB_NEW};
    char params[BENCH_PARAMS_BYTES];

    for (uint32_t i = 0; i < BENCH_BATCH_JOBS; i++) {
        row.job_new.params = bench_params(i, params);
        row_bind(row.kind, &row, stmt->arrays, i);
    }
}

static void make_open_job(struct stmt *stmt)
{
    struct row row = {.kind = ROW_job_new, .job_new = JOB_NEW};

    for (int i = 0; i < BENCH_BATCH_JOBS; i++) {
        row_bind(ROW_OPEN_JOB, &row, stmt->arrays, 0);
    }
}

static void make_attempt(struct stmt *stmt)
{
    for (uint32_t i = 0; i < BENCH_BATCH_JOBS; i++) {
        pg_array_put_i64(&stmt->arrays[0], 0);
        pg_array_put_i32(&stmt->arrays[1], ATTEMPT_NEW.incarnation);
        pg_array_put_i32(&stmt->arrays[2], 1 + i % BENCH_CLUSTERS);
        pg_array_put_str(&stmt->arrays[3], ATTEMPT_NEW.nodes);
    }
}

static void make_element_end(struct stmt *stmt)
{
    struct row row = {.kind = ROW_element_end, .element_end = ELEMENT_END};

    for (uint32_t i = 0; i < BENCH_BATCH_JOBS; i++) {
        row_bind(row.kind, &row, stmt->arrays, i);
    }
}

static void make_audit(struct stmt *stmt)
{
    struct row row = {.kind = ROW_audit, .audit = AUDIT};

    for (uint32_t i = 0; i < BENCH_BATCH_REQUESTS; i++) {
        row_bind(row.kind, &row, stmt->arrays, i);
    }
}

static void product_prepare(struct product *product)
{
    stmt_init_product(&product->job, PG_STMT_job_new);
    make_job(&product->job);
    stmt_finish(&product->job);
    stmt_init_product(&product->open_job, PG_STMT_open_job);
    make_open_job(&product->open_job);
    stmt_finish(&product->open_job);
    stmt_init_product(&product->attempt, PG_STMT_attempt_first);
    make_attempt(&product->attempt);
    stmt_finish(&product->attempt);
    stmt_init_product(&product->element_end, PG_STMT_element_end);
    make_element_end(&product->element_end);
    stmt_finish(&product->element_end);
    stmt_init_product(&product->audit, PG_STMT_audit);
    make_audit(&product->audit);
    stmt_finish(&product->audit);
    for (int i = 0; i < 2; i++) {
        product->packers[i] = journal_packer_create();
    }
    product->body_first = pack_jobs(product->packers[0], product->is_life, false);
    product->body = pack_jobs(product->packers[1], product->is_life, product->is_life);
}

static void on_wake(void *ctx)
{
    (void)ctx;
}

static struct pg_conn *connect_writer(const char *conninfo, const struct pg_waker *waker)
{
    struct pg_conn *conn =
        pg_conn_create(conninfo, PG_WRITER, "floor", waker, bench_now_ns() / 1000000);

    while (pg_conn_turn(conn, bench_now_ns() / 1000000) == PG_CONNECTING) {
        fl_loop_turn(waker->loop, 100);
    }
    if (pg_conn_state(conn) != PG_READY) bench_die("%s", pg_conn_error(conn));
    return conn;
}

static void run_product(const char *name, const char *conninfo, bool is_life, double warm,
                        double seconds)
{
    struct product product = {.is_life = is_life,
                              .epoch_be = (int64_t)htobe64(1),
                              .at_be = (int64_t)htobe64(UINT64_C(1700000000000))};
    struct pg_waker waker = {.loop = fl_loop_create(), .wake = on_wake};
    PGconn *setup;
    struct pg_conn *conn;

    (void)bench_migrate(conninfo, 0);
    setup = bench_connect(conninfo);
    bench_sql(setup, "update leader set epoch = 1");
    bench_sql(setup, "checkpoint");
    PQfinish(setup);
    conn = connect_writer(conninfo, &waker);
    product_prepare(&product);
    product.pipe = (struct pipe){.pg = pg_conn_raw(conn), .send = product_send, .ctx = &product};
    measure(name, conninfo, &product.pipe, BENCH_BATCH_JOBS, warm, seconds);
    pg_conn_destroy(conn);
    fl_loop_destroy(waker.loop);
    for (int i = 0; i < 2; i++) {
        journal_packer_destroy(product.packers[i]);
    }
}

/* ---- main ------------------------------------------------------------------------------------ */

static const char *const cases[] = {
    "unnest-1", "unnest-10",       "unnest-100", "unnest-500",     "unnest-2000",
    "copy-500", "life-events-500", "copy-out",   "product-submit", "product-life"};

static void usage(void)
{
    fputs("usage: floor CASE --pg=CONNINFO [--seconds=4] [--warm=1]\ncases:", stderr);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fprintf(stderr, " %s", cases[i]);
    }
    fputc('\n', stderr);
    exit(2);
}

int main(int argc, char **argv)
{
    const char *conninfo = bench_arg(argc, argv, "pg", NULL);
    double seconds = bench_arg_number(argc, argv, "seconds", 4);
    double warm = bench_arg_number(argc, argv, "warm", 1);
    const char *name = argc > 1 ? argv[1] : "";

    if (!conninfo) usage();
    bench_limit(60 + (unsigned)(seconds + warm));
    if (strncmp(name, "unnest-", 7) == 0) {
        unsigned long rows = strtoul(name + 7, NULL, 10);

        if (rows == 0 || rows > 100000) usage();
        run_unnest(name, conninfo, (uint32_t)rows, warm, seconds);
    } else if (strcmp(name, "copy-500") == 0) {
        run_copy(name, conninfo, false, warm, seconds);
    } else if (strcmp(name, "life-events-500") == 0) {
        run_copy(name, conninfo, true, warm, seconds);
    } else if (strcmp(name, "copy-out") == 0) {
        run_copy_out(name, conninfo);
    } else if (strcmp(name, "product-submit") == 0) {
        run_product(name, conninfo, false, warm, seconds);
    } else if (strcmp(name, "product-life") == 0) {
        run_product(name, conninfo, true, warm, seconds);
    } else {
        usage();
    }
    return 0;
}
