#include "controlplane/store/partition_sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum step {
    FIND,   /* the old jobs among the next ids */
    DELETE, /* rows of their attempts, then those of ended elements of arrays */
    LAST,   /* the jobs, and what says that they ended */
    SPECS,
    VACUUM,
    LIMIT, /* from here on a statement gives way to others */
    REWRITE,
    UNLIMIT,
    DONE,
};

/* The tables of DELETE; the last needs a look at job_end. */
static const char *const rows_of[] = {"attempt",       "attempt_end", "attempt_stop",
                                      "attempt_words", "job_edit",    "element_end"};

enum { ROWS_OF_LEN = sizeof rows_of / sizeof *rows_of };

/* A rewrite takes a lock that batches wait for: so long at most, once it has it, and to get it. */
#define LIMIT_SQL "set lock_timeout = 100; set statement_timeout = 500"
#define UNLIMIT_SQL "reset lock_timeout; reset statement_timeout"

void partition_sweep_begin(struct partition_sweep *sweep, struct partition_range range,
                           fl_ms before)
{
    memset(sweep, 0, sizeof *sweep);
    sweep->range = range;
    sweep->before = before;
    sweep->next = range.lo;
}

/* ---- statements ------------------------------------------------------------------------------ */

/* An array ends with its row in job_end, any other job with its element 0.  A batch without a row
 * in the journal is older than the journal. */
static void find_sql(const struct partition_sweep *sweep, char *out, size_t out_bytes)
{
    uint64_t p = sweep->range.lo;

    snprintf(out, out_bytes,
             "select j.id::text, (e.batch is not null and coalesce((select n.at from journal n"
             " where n.batch = e.batch), 0) <= %" PRId64
             " and not exists (select from open_job o where o.job = j.id))::int from"
             " (select id, elements > 1 or picked is not null as is_array from job_p%" PRIu64
             " where id >= %" PRIu64 " order by id limit %d) j"
             " cross join lateral (select case when j.is_array then (select x.batch from "
             "job_end_p%" PRIu64
             " x where x.job = j.id) else (select x.batch from element_end_p%" PRIu64
             " x where x.job = j.id and x.element = 0) end as batch offset 0) e order by j.id",
             sweep->before, p, sweep->next, PARTITION_SWEEP_JOBS, p, p);
}

static void delete_sql(const struct partition_sweep *sweep, char *out, size_t out_bytes)
{
    const char *table = rows_of[sweep->table];
    uint64_t p = sweep->range.lo;

    if (sweep->table + 1 < ROWS_OF_LEN) {
        snprintf(out, out_bytes,
                 "delete from %s_p%" PRIu64
                 " where ctid = any(array(select t.ctid from %s_p%" PRIu64
                 " t where t.job = any('{%s}') limit %d))",
                 table, p, table, p, sweep->ids, PARTITION_SWEEP_ROWS);
        return;
    }
    snprintf(out, out_bytes,
             "delete from %s_p%" PRIu64 " where ctid = any(array(select t.ctid from %s_p%" PRIu64
             " t where t.job = any(array(select e.job from job_end_p%" PRIu64
             " e where e.job = any('{%s}'))) limit %d))",
             table, p, table, p, p, sweep->ids, PARTITION_SWEEP_ROWS);
}

static void last_sql(const struct partition_sweep *sweep, char *out, size_t out_bytes)
{
    uint64_t p = sweep->range.lo;

    snprintf(out, out_bytes,
             "with old as (select unnest('{%s}'::bigint[]) as job),"
             " e as (delete from element_end_p%" PRIu64 " where job in (select job from old)),"
             " x as (delete from job_end_p%" PRIu64 " where job in (select job from old))"
             " delete from job_p%" PRIu64 " where id in (select job from old)",
             sweep->ids, p, p, p);
}

bool partition_sweep_sql(const struct partition_sweep *sweep, char *out, size_t out_bytes)
{
    const char *table = partition_tables[PARTITION_JOBS][sweep->table];
    uint64_t p = sweep->range.lo;

    switch ((enum step)sweep->step) {
    case FIND:
        find_sql(sweep, out, out_bytes);
        break;
    case DELETE:
        delete_sql(sweep, out, out_bytes);
        break;
    case LAST:
        last_sql(sweep, out, out_bytes);
        break;
    case SPECS:
        snprintf(out, out_bytes,
                 "delete from spec_p%" PRIu64
                 " where ctid = any(array(select s.ctid from spec_p%" PRIu64
                 " s where not exists (select from job_p%" PRIu64
                 " j where j.spec = s.digest) limit %d))",
                 p, p, p, PARTITION_SWEEP_ROWS);
        break;
    case VACUUM:
        snprintf(out, out_bytes, "vacuum %s_p%" PRIu64, table, p);
        break;
    case LIMIT:
        snprintf(out, out_bytes, LIMIT_SQL);
        break;
    case REWRITE:
        snprintf(out, out_bytes, "vacuum full %s_p%" PRIu64, table, p);
        break;
    case UNLIMIT:
        snprintf(out, out_bytes, UNLIMIT_SQL);
        break;
    case DONE:
        return false;
    }
    return true;
}

/* ---- results --------------------------------------------------------------------------------- */

static void enter(struct partition_sweep *sweep, enum step step)
{
    sweep->step = step;
    sweep->table = 0;
}

static void take_found(struct partition_sweep *sweep, const PGresult *result)
{
    sweep->ids_len = sweep->ids_count = 0;
    for (int i = 0; i < PQntuples(result); i++) {
        const char *id = PQgetvalue(result, i, 0);
        size_t left = sizeof sweep->ids - sweep->ids_len;

        if (left < strlen(id) + 2) break; /* the walk goes on with it */
        sweep->next = strtoull(id, NULL, 10) + 1;
        if (strcmp(PQgetvalue(result, i, 1), "1") != 0) continue;
        sweep->ids_len += (size_t)snprintf(sweep->ids + sweep->ids_len, left, "%s%s",
                                           sweep->ids_count ? "," : "", id);
        sweep->ids_count++;
    }
    if (sweep->ids_count > 0) {
        enter(sweep, DELETE);
    } else if (PQntuples(result) == 0) {
        enter(sweep, sweep->jobs > 0 ? SPECS : DONE);
    }
}

/* One after the other; true: it was the last. */
static bool was_last(struct partition_sweep *sweep, size_t tables_len)
{
    return ++sweep->table == tables_len;
}

static size_t job_tables_len(void)
{
    size_t len = 0;

    while (partition_tables[PARTITION_JOBS][len]) {
        len++;
    }
    return len;
}

bool partition_sweep_take(struct partition_sweep *sweep, const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);
    bool is_good = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
    uint64_t rows;

    /* Somebody else uses the table: its space goes another time. */
    if (sweep->step == REWRITE) is_good = true;
    if (!is_good) return false;
    rows = strtoull(PQcmdTuples((PGresult *)result), NULL, 10);
    switch ((enum step)sweep->step) {
    case FIND:
        take_found(sweep, result);
        break;
    case DELETE:
        if (rows < PARTITION_SWEEP_ROWS && was_last(sweep, ROWS_OF_LEN)) enter(sweep, LAST);
        break;
    case LAST:
        sweep->jobs += sweep->ids_count;
        enter(sweep, FIND);
        break;
    case SPECS:
        if (rows < PARTITION_SWEEP_ROWS) enter(sweep, VACUUM);
        break;
    case VACUUM:
        if (was_last(sweep, job_tables_len())) enter(sweep, LIMIT);
        break;
    case LIMIT:
        enter(sweep, REWRITE);
        break;
    case REWRITE:
        if (was_last(sweep, job_tables_len())) enter(sweep, UNLIMIT);
        break;
    case UNLIMIT:
        enter(sweep, DONE);
        break;
    case DONE:
        break;
    }
    return true;
}
