/* pgmq_bench.c - the peer pgmq, a queue in Postgres, under the same work as ours.
 *
 *   pgmq_bench CASE --pg=CONNINFO --sql=FILE [--seconds=4] [--warm=1]
 *
 * FILE is pgmq's own pgmq.sql; the database is empty.  A message is a document with 160 bytes in
 * it.  CASE is
 *   submit   32 connections, one message a call
 *   bulk     two connections, 500 messages a call
 *   life     the same, each then reads 500 and deletes them: three commits, and nothing is kept */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_help.h"
#include "bench/bench_help_job.h"
#include "shared/base/alloc.h"
#include "shared/base/buf.h"

enum { SUBMIT_CONNS = 32, BULK_CONNS = 2, SQL_BYTES_MAX = 1 << 20, MESSAGES_BYTES_MAX = 1 << 20 };

struct peer {
    PGconn *pg;
    const char *messages; /* an array of 500; NULL: one message a call */
    bool is_life;
    double seconds;
    uint64_t done;
    struct bench_samples ms;
};

/* The answer's only field. */
static PGresult *call(PGconn *pg, const char *name, const char *value)
{
    PGresult *result = PQexecPrepared(pg, name, 1, &value, NULL, NULL, 0);

    if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 1) {
        bench_die("pgmq: %s: %s", name, PQerrorMessage(pg));
    }
    return result;
}

static uint64_t count(PGconn *pg, const char *name, const char *value)
{
    PGresult *result = call(pg, name, value);
    uint64_t n = strtoull(PQgetvalue(result, 0, 0), NULL, 10);

    PQclear(result);
    return n;
}

/* Another connection may read what this one has sent, and this one what the other has. */
static uint64_t take_out(PGconn *pg)
{
    PGresult *read = call(pg, "read", "500");
    uint64_t n = PQgetisnull(read, 0, 0) ? 0 : count(pg, "delete", PQgetvalue(read, 0, 0));

    PQclear(read);
    return n;
}

static void *peer_run(void *ctx)
{
    struct peer *peer = ctx;
    int64_t end_ns = bench_now_ns() + (int64_t)(peer->seconds * 1e9);

    peer->done = 0;
    peer->ms.values.len = 0;
    while (bench_now_ns() < end_ns) {
        int64_t began_ns = bench_now_ns();
        uint64_t sent = peer->messages ? count(peer->pg, "send_batch", peer->messages)
                                       : count(peer->pg, "send", NULL) > 0;

        peer->done += peer->is_life ? take_out(peer->pg) : sent;
        bench_samples_add(&peer->ms, (double)(bench_now_ns() - began_ns) * 1e-6);
    }
    return NULL;
}

static uint64_t run_all(struct peer *peers, int len, double seconds)
{
    pthread_t threads[SUBMIT_CONNS];
    uint64_t done = 0;

    for (int i = 0; i < len; i++) {
        peers[i].seconds = seconds;
        if (pthread_create(&threads[i], NULL, peer_run, &peers[i]) != 0) bench_die("no thread");
    }
    for (int i = 0; i < len; i++) {
        (void)pthread_join(threads[i], NULL);
        done += peers[i].done;
    }
    return done;
}

/* ---- setup ----------------------------------------------------------------------------------- */

static void load(PGconn *pg, const char *path)
{
    char *sql = fl_alloc(SQL_BYTES_MAX);
    FILE *file = fopen(path, "re");
    PGresult *result;
    size_t len;

    if (!file) bench_die("%s cannot be read", path);
    len = fread(sql, 1, SQL_BYTES_MAX - 1, file);
    sql[len] = '\0';
    (void)fclose(file);
    result = PQexec(pg, sql);
    if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK) {
        bench_die("%s: %s", path, PQerrorMessage(pg));
    }
    PQclear(result);
    free(sql);
    bench_sql(pg, "select pgmq.create('q')");
}

static void prepare(PGconn *pg, const char *message)
{
    bench_sql(pg, "prepare send(text) as select pgmq.send('q', '%s'::jsonb)", message);
    bench_sql(pg, "prepare send_batch(text) as "
                  "select count(*) from pgmq.send_batch('q', $1::jsonb[])");
    bench_sql(pg, "prepare read(text) as "
                  "select array_agg(msg_id) from pgmq.read('q', 30, $1::int)");
    bench_sql(pg, "prepare delete(text) as "
                  "select count(*) from pgmq.delete('q', $1::bigint[])");
}

static const char *messages_of(struct fl_buf *buf, const char *message)
{
    fl_buf_init(buf, MESSAGES_BYTES_MAX);
    for (int i = 0; i < BENCH_REQUEST_JOBS; i++) {
        fl_buf_put(buf, i == 0 ? "{\"" : "\",\"", i == 0 ? 2 : 3);
        for (const char *at = message; *at; at++) {
            if (*at == '"') fl_buf_put(buf, "\\", 1);
            fl_buf_put(buf, at, 1);
        }
    }
    fl_buf_put(buf, "\"}", 3);
    return (const char *)buf->at;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "", *conninfo = bench_arg(argc, argv, "pg", NULL);
    const char *sql = bench_arg(argc, argv, "sql", NULL);
    double seconds = bench_arg_number(argc, argv, "seconds", 4);
    double warm = bench_arg_number(argc, argv, "warm", 1);
    bool is_one = strcmp(name, "submit") == 0, is_life = strcmp(name, "life") == 0;
    int len = is_one ? SUBMIT_CONNS : BULK_CONNS;
    char params[BENCH_PARAMS_BYTES + 1], message[sizeof params + 16];
    struct peer peers[SUBMIT_CONNS] = {0};
    struct bench_samples all = {0};
    struct bench_meter meter;
    struct fl_buf buf;
    uint64_t done;

    if (!conninfo || !sql || (!is_one && !is_life && strcmp(name, "bulk") != 0)) {
        fputs("usage: pgmq_bench submit|bulk|life --pg=CONNINFO --sql=FILE\n", stderr);
        return 2;
    }
    bench_limit(60 + (unsigned)(seconds + warm));
    memset(params, 'x', BENCH_PARAMS_BYTES);
    params[BENCH_PARAMS_BYTES] = '\0';
    snprintf(message, sizeof message, "{\"p\":\"%s\"}", params);
    bench_meter_init(&meter, conninfo);
    load(meter.pg, sql);
    bench_sql(meter.pg, "checkpoint");
    for (int i = 0; i < len; i++) {
        peers[i] = (struct peer){.pg = bench_connect(conninfo), .is_life = is_life};
        prepare(peers[i].pg, message);
    }
    if (!is_one) {
        (void)messages_of(&buf, message);
        for (int i = 0; i < len; i++) {
            peers[i].messages = (const char *)buf.at;
        }
    }
    (void)run_all(peers, len, warm);
    bench_meter_start(&meter);
    done = run_all(peers, len, seconds);
    bench_meter_stop(&meter);
    for (int i = 0; i < len; i++) {
        for (size_t k = 0; k < peers[i].ms.values.len; k++) {
            bench_samples_add(&all, peers[i].ms.values.at[k]);
        }
        bench_samples_fini(&peers[i].ms);
        PQfinish(peers[i].pg);
    }
    bench_print(name, &meter, (double)done, &all);
    bench_end();
    bench_samples_fini(&all);
    if (!is_one) fl_buf_fini(&buf);
    bench_meter_fini(&meter);
    return 0;
}
