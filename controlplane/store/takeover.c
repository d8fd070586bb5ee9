#include "controlplane/store/takeover.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controlplane/store/lease_mark.h"
#include "controlplane/store/row_columns.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"

enum step { BEGIN, LIMIT, LEASE, END_OLD, EPOCH, OPEN_JOBS, COMMIT, NEWEST, KEYS, STEPS_LEN };

/* The values that steps get as parameters. */
enum param {
    HOLDER = 1,
    INSTANCE,
    TTL,         /* in ms */
    EPOCH_ABOVE, /* the epoch to go above */
    LATE_JOBS,   /* how many ids to look back */
    BATCH_FROM,
    PARAMS_END
};

static const struct {
    const char *sql;
    enum param params[3]; /* $1, $2, $3; 0: there is none */
} steps[STEPS_LEN] = {
    [BEGIN] = {"begin"},
    /* If a lock is held for longer, the takeover fails and is tried again. */
    [LIMIT] = {"set local lock_timeout = '4s'"},
    /* It cannot expire that late, unless Postgres's clock was set back since. */
    [LEASE] =
        {"update lease set holder = $1, instance = $2,"
         " expires_at = clock_timestamp() + $3::int8 * interval '1 ms'"
         " where expires_at < clock_timestamp() or holder = '' or holder = $1 or instance = $2"
         " or expires_at > clock_timestamp() + 2 * $3::int8 * interval '1 ms'"
         " returning core_at, postgres_at, hub_at, uptime_at, boot",
         {HOLDER, INSTANCE, TTL}},
    [END_OLD] =
        {"select pg_terminate_backend(a.pid, 2000) from leader l join pg_stat_activity a"
         " on a.pid = l.writer_pid and a.backend_start = l.writer_start"
         " where a.pid <> pg_backend_pid() and exists (select from lease where holder = $1)",
         {HOLDER}},
    [EPOCH] =
        {"update leader l set epoch = greatest(l.epoch, $2::int8) + 1,"
         " incarnation = l.incarnation + (l.history <> h.now)::int, history = h.now,"
         " writer_pid = pg_backend_pid(),"
         " writer_start = (select backend_start from pg_stat_activity where pid = pg_backend_pid())"
         " from (select s.system_identifier || '/' ||"
         " substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) as now"
         " from pg_control_system() s) h"
         " where exists (select from lease where holder = $1) returning l.epoch, l.incarnation",
         {HOLDER, EPOCH_ABOVE}},
    [OPEN_JOBS] = {NULL, {HOLDER, LATE_JOBS}}, /* see open_jobs_sql */
    [COMMIT] = {"commit"},
    [NEWEST] =
        {"select j.batch, j.at, (extract(epoch from clock_timestamp()) * 1000)::int8,"
         " r.job_below, r.batch_below, (select max(id) from job)"
         " from (select batch, at from journal order by batch desc limit 1) j,"
         " (select max(t.hi) filter (where t.name = 'job') as job_below,"
         " max(t.hi) filter (where t.name = 'journal') as batch_below"
         " from (select p.relname as name,"
         " (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \\(''(\\d+)''\\)'))[1]::int8 as hi"
         " from pg_inherits i join pg_class p on p.oid = i.inhparent"
         " join pg_class c on c.oid = i.inhrelid where not i.inhdetachpending"
         " and p.oid in ('job'::regclass, 'journal'::regclass)) t) r"},
    [KEYS] = {"select batch, epoch from journal where batch >= $1::int8 order by batch limit 8",
              {BATCH_FROM}},
};

/* No batch of an older epoch can come any more: the row of 'leader' is locked. */
static const char *open_jobs_sql(struct fl_arena *arena)
{
    struct row_columns columns = row_columns(ROW_OPEN_JOB);
    const char *list = row_column_list(&columns, "", false, arena);

    return fl_arena_printf(arena,
                           "insert into open_job(%s) select %s from late_open_job"
                           " where job > (select max(id) from job) - $2::int8"
                           " and exists (select from lease where holder = $1)",
                           list, list);
}

bool takeover_send(struct pg_conn *conn, const struct takeover_request *request)
{
    char ttl[16], from[24], above[24], late[24];
    const char *const texts[PARAMS_END] = {
        NULL, request->holder, request->instance, ttl, above, late, from};
    struct fl_arena arena = {0};
    bool is_sent = true;

    fl_assert(request->instance[0] != '\0' && request->holder[0] != '\0');
    snprintf(ttl, sizeof ttl, "%" PRIu32, request->ttl_ms);
    snprintf(from, sizeof from, "%" PRIu64, request->batch_from ? request->batch_from : INT64_MAX);
    snprintf(above, sizeof above, "%" PRIu64, request->epoch_above);
    snprintf(late, sizeof late, "%" PRIu32, request->late_jobs);
    for (int i = 0; is_sent && i < STEPS_LEN; i++) {
        const char *sql = i == OPEN_JOBS ? open_jobs_sql(&arena) : steps[i].sql;
        const char *values[3];
        int len = 0;

        for (; len < 3 && steps[i].params[len]; len++) {
            values[len] = texts[steps[i].params[len]];
        }
        is_sent = pg_conn_send_text(conn, sql, len, values);
    }
    fl_arena_fini(&arena);
    return is_sent && pg_conn_sync(conn);
}

bool takeover_send_mark(struct takeover *take, struct pg_conn *conn, const char *holder,
                        const struct time_mark *mark)
{
    struct lease_mark_texts of = lease_mark_texts(mark);
    const char *texts[] = {holder, of.at, of.hub, of.uptime, of.boot};

    take->is_marking = true;
    take->has_lease = false;
    return pg_conn_send_text(
               conn, "update lease set" LEASE_MARK_SET " where holder = $1 returning holder", 5,
               texts) &&
           pg_conn_sync(conn);
}

static uint64_t number(const PGresult *result, int row, int column)
{
    return strtoull(PQgetvalue(result, row, column), NULL, 10);
}

static void read_step(struct takeover *take, const PGresult *result)
{
    struct engine_taken *taken = &take->taken;
    int rows = PQntuples(result);

    if (take->is_marking) {
        take->has_lease = rows == 1;
        return;
    }
    switch ((enum step)take->step) {
    case LEASE:
        take->has_lease = rows == 1;
        if (rows != 1) break;
        take->mark.at = (fl_ms)number(result, 0, 0);
        take->mark.clocks.postgres = (fl_ms)number(result, 0, 1);
        take->mark.clocks.hub = (fl_ms)number(result, 0, 2);
        take->mark.clocks.uptime = (fl_ms)number(result, 0, 3);
        take->mark.clocks.boot = number(result, 0, 4);
        break;
    case EPOCH:
        if (rows != 1) break;
        taken->epoch = number(result, 0, 0);
        taken->incarnation = (uint32_t)number(result, 0, 1);
        break;
    case NEWEST:
        if (rows != 1) break;
        taken->batch_newest = number(result, 0, 0);
        taken->at_newest = (fl_ms)number(result, 0, 1);
        take->postgres = (fl_ms)number(result, 0, 2);
        taken->job_below = number(result, 0, 3);
        taken->batch_below = number(result, 0, 4);
        take->job_newest = number(result, 0, 5);
        break;
    case KEYS:
        for (int i = 0; i < rows && taken->keys_len < ENGINE_INFLIGHT_MAX; i++) {
            taken->keys[taken->keys_len++] =
                (struct engine_journal_key){number(result, i, 0), number(result, i, 1)};
        }
        break;
    case BEGIN:
    case LIMIT:
    case END_OLD:
    case OPEN_JOBS:
    case COMMIT:
    case STEPS_LEN:
        break;
    }
    take->step++;
}

static enum takeover_state finish(struct takeover *take)
{
    if (take->is_failed) return TAKEOVER_FAILED;
    if (!take->has_lease || take->taken.epoch == 0) {
        take->code = FL_DEPOSED;
        return TAKEOVER_FAILED;
    }
    return take->is_marking ? TAKEOVER_MARKED : TAKEOVER_DONE;
}

enum takeover_state takeover_read(struct takeover *take, struct pg_conn *conn)
{
    enum takeover_state state = TAKEOVER_WAIT;
    PGresult *result;

    while (state == TAKEOVER_WAIT && pg_conn_next(conn, &result) == PG_RESULT) {
        switch (PQresultStatus(result)) {
        case PGRES_COMMAND_OK:
        case PGRES_TUPLES_OK:
            read_step(take, result);
            break;
        case PGRES_PIPELINE_SYNC:
            state = finish(take);
            break;
        case PGRES_PIPELINE_ABORTED:
            break;
        default:
            if (!take->is_failed) {
                struct pg_failure failure;

                pg_failure_of(result, &failure);
                take->code = pg_failure_code(&failure);
                if (take->code == FL_BUG) take->code = FL_UNAVAILABLE; /* it is tried again */
            }
            take->is_failed = true;
            break;
        }
        PQclear(result);
    }
    if (state == TAKEOVER_WAIT && pg_conn_state(conn) == PG_LOST) {
        if (!take->is_failed) take->code = FL_UNAVAILABLE;
        state = TAKEOVER_FAILED;
    }
    return state;
}
