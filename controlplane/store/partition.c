#include "controlplane/store/partition.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controlplane/core/row.h" /* ROW_JOB_RANGE */
#include "controlplane/store/apply.h"
#include "controlplane/store/partition_sweep.h"
#include "controlplane/store/pg_conn.h"
#include "shared/base/alloc.h"
#include "shared/base/api_limits.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/vec.h"

enum { RETRY_MS = 2000, IDEMPOTENCY_CHUNK = 1000 };

/* A partition that an open job keeps is swept again after this part of the retention. */
enum { SWEEPS_IN_RETENTION = 64 };

enum state { OFF, CONNECTING, LISTING, ASKING, SWEEPING, DOING, DELETING, IDLE };

/* A partition of one table, as the catalog has it. */
struct entry {
    const char *table;
    enum partition_family family;
    struct partition_range range;
    bool is_attached, is_detaching;
};

/* When a partition may go; once none of its jobs is open, that time never changes. */
struct memo {
    enum partition_family family;
    const char *table;
    uint64_t lo;
    fl_ms gone_at; /* in the core's time */
    bool is_least; /* gone_at is a lower bound: ask again at that time */
};

/* A partition of JOBS that was swept, and when it may be swept again, in the core's time. */
struct swept {
    uint64_t lo;
    fl_ms again_at;
};

struct partition {
    enum partition_role role;
    struct partition_config config;
    struct partition_hooks hooks;
    struct pg_waker waker;
    char *conninfo;
    struct pg_conn *conn;
    enum state state;
    fl_ms deadline;               /* when IDLE ends */
    fl_ms check_at;               /* when to look for old partitions */
    fl_ms core_ahead_ms;          /* the core's time is so far ahead of ours */
    fl_ms at;                     /* the core's time at the last list */
    bool is_checking;             /* this pass looks for old partitions */
    FL_VEC(struct entry) entries; /* by table, then lo */
    FL_VEC(struct memo) memos;
    FL_VEC(struct swept) swept;
    struct partition_sweep sweep;
    bool is_sweep_due; /* the partition asked about last is to be swept */
    struct entry asked;
    size_t ask_next; /* the next of 'entries' to ask about */
    uint64_t used[PARTITION_FAMILIES_LEN];
    uint64_t below[PARTITION_FAMILIES_LEN];
    struct partition_stats stats;
    enum { NOTE_NONE, NOTE_MADE, NOTE_REMOVED } note;
    char doing[64]; /* the step that runs, for 'trouble' */
};

struct partition_config partition_config_default(void)
{
    const int64_t day_ms = 24 * FL_HOUR_MS;

    return (struct partition_config){
        .job_span = ROW_JOB_RANGE,
        .batch_span = 1000000,
        .late_jobs = APPLY_LATE_JOBS,
        .ahead = 4,
        .retention_ms = 30 * day_ms,
        .journal_retention_ms = 30 * day_ms,
        .audit_retention_ms = 365 * day_ms,
        .idempotency_retention_ms = (FL_KEY_DAYS + 1) * day_ms, /* none goes early */
        .check_ms = 600 * 1000,
    };
}

struct partition *partition_create(const char *conninfo, enum partition_role role,
                                   const struct partition_config *config,
                                   const struct partition_hooks *hooks,
                                   const struct pg_waker *waker)
{
    struct partition *partition = fl_new(struct partition);

    partition->role = role;
    partition->config = *config;
    partition->hooks = *hooks;
    partition->waker = *waker;
    partition->conninfo = fl_new_array(char, strlen(conninfo) + 1);
    strcpy(partition->conninfo, conninfo);
    return partition;
}

void partition_destroy(struct partition *partition)
{
    if (!partition) return;
    pg_conn_destroy(partition->conn);
    fl_vec_fini(&partition->entries);
    fl_vec_fini(&partition->memos);
    fl_vec_fini(&partition->swept);
    fl_free(partition->conninfo);
    fl_free(partition);
}

/* ---- states ---------------------------------------------------------------------------------- */

static void enter(struct partition *partition, enum state state, fl_ms deadline)
{
    partition->state = state;
    partition->deadline = deadline;
}

static void reconnect(struct partition *partition, fl_ms now)
{
    pg_conn_destroy(partition->conn);
    partition->conn =
        pg_conn_create(partition->conninfo, PG_PLAIN,
                       partition->role == PARTITION_MAKER ? "fairlead maker" : "fairlead remover",
                       &partition->waker, now);
    enter(partition, CONNECTING, INT64_MAX);
}

static void fail(struct partition *partition, const char *what, const char *text, fl_ms now)
{
    partition->hooks.trouble(partition->hooks.ctx, what, text);
    enter(partition, IDLE, now + RETRY_MS);
}

static void send_text(struct partition *partition, enum state state, const char *sql, fl_ms now)
{
    if (!pg_conn_send_text(partition->conn, sql, 0, NULL)) {
        fail(partition, "maintenance", pg_conn_error(partition->conn), now);
        return;
    }
    enter(partition, state, INT64_MAX);
}

/* Lists every table that is, or was, a partition of ours; only attached ones have bounds. */
static const char LIST[] =
    "select p.relname, c.relname, coalesce(pg_get_expr(c.relpartbound, c.oid), ''),"
    " i.inhrelid is not null, coalesce(i.inhdetachpending, false),"
    " (select coalesce(max(id), 0) from job), (select coalesce(max(batch), 0) from journal),"
    " coalesce((select value from counter where id = 1), 0)"
    " from pg_class p join pg_class c on c.relkind = 'r' and c.relnamespace = p.relnamespace"
    " and c.relname ~ ('^' || p.relname || '_p[0-9]+$')"
    " left join pg_inherits i on i.inhrelid = c.oid and i.inhparent = p.oid"
    " where p.relkind = 'p' and p.relnamespace = current_schema()::regnamespace order by 1, 2";

static void list(struct partition *partition, fl_ms now)
{
    partition->at = now + partition->core_ahead_ms;
    partition->is_sweep_due = false;
    send_text(partition, LISTING, LIST, now);
}

void partition_start(struct partition *partition, fl_ms core_ahead_ms, fl_ms now)
{
    partition->core_ahead_ms = core_ahead_ms;
    if (partition->state != OFF) return;
    partition->check_at = now;
    reconnect(partition, now);
}

void partition_stop(struct partition *partition)
{
    pg_conn_destroy(partition->conn);
    partition->conn = NULL;
    enter(partition, OFF, INT64_MAX);
}

static uint64_t span_of(const struct partition *partition, enum partition_family family)
{
    return family == PARTITION_JOBS ? partition->config.job_span : partition->config.batch_span;
}

static bool is_short(const struct partition *partition, enum partition_family family)
{
    uint64_t used = partition->used[family], below = partition->below[family];

    return below <= used || below - used <= span_of(partition, family) * partition->config.ahead;
}

void partition_used(struct partition *partition, uint64_t job, uint64_t batch, fl_ms now)
{
    if (job > partition->used[PARTITION_JOBS]) partition->used[PARTITION_JOBS] = job;
    if (batch > partition->used[PARTITION_BATCHES]) partition->used[PARTITION_BATCHES] = batch;
    /* After a failure the retry keeps its distance. */
    if (partition->state == IDLE && partition->stats.is_idle && partition->deadline > now &&
        partition->role == PARTITION_MAKER &&
        (is_short(partition, PARTITION_JOBS) || is_short(partition, PARTITION_BATCHES))) {
        partition->deadline = now;
    }
}

void partition_check(struct partition *partition, fl_ms now)
{
    partition->check_at = now;
    if (partition->state == IDLE) partition->deadline = now;
}

fl_ms partition_deadline(const struct partition *partition)
{
    if (partition->state == CONNECTING) return pg_conn_deadline(partition->conn);
    return partition->state == IDLE ? partition->deadline : INT64_MAX;
}

struct partition_stats partition_stats(const struct partition *partition)
{
    return partition->stats;
}

/* ---- the tables that exist ------------------------------------------------------------------- */

static void read_list(struct partition *partition, const PGresult *result)
{
    partition->entries.len = 0;
    for (int i = 0; i < PQntuples(result); i++) {
        struct entry entry = {.is_attached = *PQgetvalue(result, i, 3) == 't',
                              .is_detaching = *PQgetvalue(result, i, 4) == 't'};
        const char *name = PQgetvalue(result, i, 1);
        uint64_t job = strtoull(PQgetvalue(result, i, 5), NULL, 10);
        uint64_t batch = strtoull(PQgetvalue(result, i, 6), NULL, 10);
        uint64_t job_next = strtoull(PQgetvalue(result, i, 7), NULL, 10);

        if (job_next > 0 && job_next - 1 > job) job = job_next - 1;
        if (job > partition->used[PARTITION_JOBS]) partition->used[PARTITION_JOBS] = job;
        if (batch > partition->used[PARTITION_BATCHES]) partition->used[PARTITION_BATCHES] = batch;
        for (int f = 0; f < PARTITION_FAMILIES_LEN; f++) {
            for (const char *const *table = partition_tables[f]; *table; table++) {
                if (strcmp(*table, PQgetvalue(result, i, 0)) != 0) continue;
                entry.table = *table;
                entry.family = (enum partition_family)f;
            }
        }
        if (!entry.table) continue;
        if (!entry.is_attached || !partition_parse(PQgetvalue(result, i, 2), &entry.range)) {
            entry.range.lo = strtoull(name + strlen(entry.table) + 2, NULL, 10);
            entry.range.hi = entry.range.lo;
        }
        fl_vec_push(&partition->entries, entry);
    }
}

static int by_lo(const void *a, const void *b)
{
    const struct partition_range *left = a, *right = b;

    return (left->lo > right->lo) - (left->lo < right->lo);
}

/* The attached partitions of a table, by lo. */
static struct partition_list ranges_of(const struct partition *partition, const char *table)
{
    struct partition_list list = {0};

    for (size_t i = 0; i < partition->entries.len; i++) {
        const struct entry *entry = &partition->entries.at[i];

        if (entry->table != table || !entry->is_attached || entry->is_detaching) continue;
        fl_vec_push(&list, entry->range);
    }
    if (list.len > 0) qsort(list.at, list.len, sizeof list.at[0], by_lo);
    return list;
}

/* The number below which ids may be used: in every table of the family, partitions without a gap
 * reach from 'used' to it. */
static uint64_t below_of(const struct partition *partition, enum partition_family family)
{
    uint64_t below = UINT64_MAX;

    for (const char *const *table = partition_tables[family]; *table; table++) {
        struct partition_list ranges = ranges_of(partition, *table);
        uint64_t end = 0;

        for (size_t i = ranges.len; i-- > 0;) {
            if (i + 1 == ranges.len || ranges.at[i].hi != ranges.at[i + 1].lo) {
                end = ranges.at[i].hi;
            }
            if (ranges.at[i].lo <= partition->used[family] + 1) break;
        }
        if (end < below) below = end;
        fl_vec_fini(&ranges);
    }
    return below;
}

static void report_room(struct partition *partition)
{
    bool is_more = false;

    for (int f = 0; f < PARTITION_FAMILIES_LEN; f++) {
        uint64_t below = below_of(partition, (enum partition_family)f);

        if (below != partition->below[f]) is_more = true;
        partition->below[f] = below;
    }
    if (is_more) {
        partition->hooks.room(partition->hooks.ctx, partition->below[PARTITION_JOBS],
                              partition->below[PARTITION_BATCHES]);
    }
}

/* ---- the next step --------------------------------------------------------------------------- */

static void run(struct partition *partition, const char *what, const char *sql, fl_ms now)
{
    snprintf(partition->doing, sizeof partition->doing, "%s", what);
    send_text(partition, DOING, sql, now);
}

/* Finishes what a crash or a timeout left half done. */
static bool finish(struct partition *partition, fl_ms now)
{
    char sql[256];

    for (size_t i = 0; i < partition->entries.len; i++) {
        const struct entry *entry = &partition->entries.at[i];

        if (entry->is_attached && !entry->is_detaching) continue;
        if (entry->is_detaching) {
            partition_finalize_sql(sql, sizeof sql, entry->table, entry->range.lo);
            run(partition, "detach", sql, now);
        } else {
            partition_drop_sql(sql, sizeof sql, entry->table, entry->range.lo);
            partition->note = NOTE_REMOVED;
            run(partition, "drop", sql, now);
        }
        return true;
    }
    return false;
}

static size_t attached_of(const struct partition *partition, enum partition_family family)
{
    size_t most = 0;

    for (const char *const *table = partition_tables[family]; *table; table++) {
        struct partition_list ranges = ranges_of(partition, *table);

        if (ranges.len > most) most = ranges.len;
        fl_vec_fini(&ranges);
    }
    return most;
}

static bool make(struct partition *partition, enum partition_family family, fl_ms now)
{
    struct partition_list ranges = ranges_of(partition, partition_master(family));
    struct partition_range range;
    uint64_t span = span_of(partition, family);
    size_t attached = attached_of(partition, family);
    bool is_wanted = partition_wanted(&ranges, attached, partition->used[family], span,
                                      span * partition->config.ahead, &range);

    if (attached > partition->stats.attached_max) partition->stats.attached_max = attached;
    fl_vec_fini(&ranges);
    if (is_wanted) {
        struct fl_buf sql;

        fl_buf_init(&sql, 8192);
        if (!partition_make_sql(&sql, family, range)) fl_unreachable("the texts are short");
        partition->note = NOTE_MADE;
        run(partition, "make", (const char *)sql.at, now);
        fl_buf_fini(&sql);
    }
    return is_wanted;
}

static struct memo *memo_of(struct partition *partition, const struct entry *entry)
{
    for (size_t i = 0; i < partition->memos.len; i++) {
        struct memo *memo = &partition->memos.at[i];

        if (memo->table == entry->table && memo->lo == entry->range.lo) return memo;
    }
    return NULL;
}

static bool has_table(const struct partition *partition, const char *table, uint64_t lo)
{
    for (size_t i = 0; i < partition->entries.len; i++) {
        const struct entry *entry = &partition->entries.at[i];

        if (entry->table == table && entry->range.lo == lo && entry->is_attached) return true;
    }
    return false;
}

static void remove_now(struct partition *partition, const struct entry *entry, fl_ms now)
{
    const char *table = entry->table;
    char sql[256];

    /* The master of JOBS goes last: it tells which partitions there are. */
    for (const char *const *at = partition_tables[PARTITION_JOBS];
         entry->family == PARTITION_JOBS && *at; at++) {
        if (has_table(partition, *at, entry->range.lo)) {
            table = *at;
            break;
        }
    }
    partition_detach_sql(sql, sizeof sql, table, entry->range.lo);
    run(partition, "detach", sql, now);
}

/* Whether this entry's age is asked for: one table stands for all of JOBS, but each table of
 * BATCHES has its own retention. */
static bool is_asked(const struct entry *entry)
{
    return entry->family == PARTITION_BATCHES || entry->table == partition_master(PARTITION_JOBS);
}

static bool remove_old(struct partition *partition, fl_ms now)
{
    for (; partition->ask_next < partition->entries.len; partition->ask_next++) {
        const struct entry *entry = &partition->entries.at[partition->ask_next];
        const struct memo *memo = memo_of(partition, entry);
        char sql[1536];

        if (!is_asked(entry) || !partition_may_go(entry->range, partition->used[entry->family])) {
            continue;
        }
        if (memo && memo->gone_at > partition->at) continue;
        if (memo && !memo->is_least) {
            remove_now(partition, entry, now);
            return true;
        }
        partition->asked = *entry;
        partition->ask_next++;
        partition_newest_sql(sql, sizeof sql, entry->family, entry->table, entry->range,
                             partition->config.late_jobs,
                             partition->at - partition->config.retention_ms);
        send_text(partition, ASKING, sql, now);
        return true;
    }
    return false;
}

/* Not again so soon. */
static bool may_sweep(struct partition *partition, uint64_t lo)
{
    for (size_t i = partition->swept.len; i-- > 0;) {
        if (partition->swept.at[i].again_at <= partition->at) fl_vec_remove(&partition->swept, i);
    }
    for (size_t i = 0; i < partition->swept.len; i++) {
        if (partition->swept.at[i].lo == lo) return false;
    }
    return true;
}

static void read_asked(struct partition *partition, const PGresult *result)
{
    const struct partition_config *config = &partition->config;
    const struct entry *entry = &partition->asked;
    int64_t kept_ms = config->retention_ms;
    struct memo *known = memo_of(partition, entry);
    bool is_least;
    fl_ms at;

    if (PQntuples(result) != 1) return;
    if (PQgetisnull(result, 0, 0)) { /* a job of it is open */
        partition->is_sweep_due =
            strcmp(PQgetvalue(result, 0, 3), "t") == 0 && may_sweep(partition, entry->range.lo);
        return;
    }
    if (entry->family == PARTITION_BATCHES) {
        kept_ms = strcmp(entry->table, "audit") == 0 ? config->audit_retention_ms
                                                     : config->journal_retention_ms;
    }
    /* Without a time it is empty, or older than the journal. */
    at = PQgetisnull(result, 0, 1) ? 0 : strtoll(PQgetvalue(result, 0, 1), NULL, 10);
    is_least = strcmp(PQgetvalue(result, 0, 2), "t") == 0;
    if (known) {
        known->gone_at = at + kept_ms;
        known->is_least = is_least;
    } else {
        fl_vec_push(&partition->memos, (struct memo){entry->family, entry->table, entry->range.lo,
                                                     at + kept_ms, is_least});
    }
    partition->ask_next = 0;
}

static void delete_keys(struct partition *partition, fl_ms now)
{
    char sql[256];

    snprintf(sql, sizeof sql,
             "delete from idempotency where ctid = any(array(select ctid from idempotency"
             " where at < %" PRId64 " limit %d))",
             partition->at - partition->config.idempotency_retention_ms, IDEMPOTENCY_CHUNK);
    send_text(partition, DELETING, sql, now);
}

/* ---- old jobs of a partition that stays ------------------------------------------------------ */

static void ask_next(struct partition *partition, fl_ms now)
{
    if (!remove_old(partition, now)) delete_keys(partition, now);
}

static void sweep_on(struct partition *partition, fl_ms now)
{
    struct partition_sweep *sweep = &partition->sweep;
    fl_ms pause_ms = partition->config.retention_ms / SWEEPS_IN_RETENTION;
    char sql[PARTITION_SWEEP_SQL_BYTES];

    if (partition_sweep_sql(sweep, sql, sizeof sql)) {
        send_text(partition, SWEEPING, sql, now);
        return;
    }
    if (pause_ms < partition->config.check_ms) pause_ms = partition->config.check_ms;
    partition->stats.jobs_deleted += sweep->jobs;
    fl_vec_push(&partition->swept, ((struct swept){sweep->range.lo, partition->at + pause_ms}));
    ask_next(partition, now);
}

static void sweep(struct partition *partition, fl_ms now)
{
    partition->is_sweep_due = false;
    partition_sweep_begin(&partition->sweep, partition->asked.range,
                          partition->at - partition->config.retention_ms);
    sweep_on(partition, now);
}

/* ---- the steps in their order ---------------------------------------------------------------- */

static void rest(struct partition *partition, fl_ms now)
{
    partition->stats.is_idle = true;
    if (partition->is_checking) partition->check_at = now + partition->config.check_ms;
    partition->is_checking = false;
    enter(partition, IDLE, partition->check_at);
}

/* After a fresh list: does the most urgent step, one at a time. */
static void decide(struct partition *partition, fl_ms now)
{
    if (partition->role == PARTITION_MAKER) {
        report_room(partition);
        for (int f = 0; f < PARTITION_FAMILIES_LEN; f++) {
            if (make(partition, (enum partition_family)f, now)) return;
        }
        partition->is_checking = true;
        rest(partition, now);
        return;
    }
    if (finish(partition, now)) return;
    if (now < partition->check_at && !partition->is_checking) {
        rest(partition, now);
        return;
    }
    partition->is_checking = true;
    partition->ask_next = 0;
    ask_next(partition, now);
}

/* ---- results --------------------------------------------------------------------------------- */

static void forget(struct partition *partition, const char *table, uint64_t lo)
{
    for (size_t i = 0; i < partition->memos.len; i++) {
        if (partition->memos.at[i].table == table && partition->memos.at[i].lo == lo) {
            fl_vec_remove(&partition->memos, i);
            return;
        }
    }
}

static void note(struct partition *partition)
{
    if (partition->note == NOTE_MADE) partition->stats.made++;
    if (partition->note == NOTE_REMOVED) partition->stats.removed++;
    partition->note = NOTE_NONE;
    for (size_t i = partition->memos.len; i-- > 0;) {
        const struct memo memo = partition->memos.at[i];

        if (!has_table(partition, memo.table, memo.lo)) forget(partition, memo.table, memo.lo);
    }
}

/* False: the state has been left. */
static bool on_result(struct partition *partition, const PGresult *result, fl_ms now)
{
    ExecStatusType status = PQresultStatus(result);
    bool is_good = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;

    if (partition->state == SWEEPING) is_good = partition_sweep_take(&partition->sweep, result);
    if (!is_good) {
        struct pg_failure failure;

        pg_failure_of(result, &failure);
        partition->note = NOTE_NONE;
        /* The connection may be inside a failed transaction, so the next step gets a new one. */
        fail(partition, partition->state == DOING ? partition->doing : "maintenance", failure.text,
             now);
        pg_conn_destroy(partition->conn);
        partition->conn = NULL;
        return false;
    }
    switch (partition->state) {
    case LISTING:
        read_list(partition, result);
        break;
    case ASKING:
        read_asked(partition, result);
        break;
    case DELETING: {
        uint64_t deleted = strtoull(PQcmdTuples((PGresult *)result), NULL, 10);

        partition->stats.keys_deleted += deleted;
        partition->is_checking = deleted == IDEMPOTENCY_CHUNK;
        break;
    }
    case OFF:
    case CONNECTING:
    case SWEEPING:
    case DOING:
    case IDLE:
        break;
    }
    return true;
}

static void on_done(struct partition *partition, fl_ms now)
{
    switch (partition->state) {
    case LISTING:
        decide(partition, now);
        break;
    case ASKING:
        if (partition->is_sweep_due) {
            sweep(partition, now);
        } else {
            ask_next(partition, now);
        }
        break;
    case SWEEPING:
        sweep_on(partition, now);
        break;
    case DOING:
        note(partition);
        list(partition, now);
        break;
    case DELETING:
        if (partition->is_checking) {
            delete_keys(partition, now);
        } else {
            partition->is_checking = true;
            rest(partition, now);
        }
        break;
    case OFF:
    case CONNECTING:
    case IDLE:
        break;
    }
}

void partition_turn(struct partition *partition, fl_ms now)
{
    enum pg_next next = PG_RESULT;
    PGresult *result;

    if (partition->state == OFF) return;
    if (partition->state == IDLE && now >= partition->deadline) {
        partition->stats.is_idle = false;
        if (partition->conn && pg_conn_state(partition->conn) == PG_READY) {
            list(partition, now);
        } else {
            reconnect(partition, now);
        }
    }
    if (!partition->conn) return;
    if (pg_conn_turn(partition->conn, now) == PG_LOST) {
        fail(partition, "maintenance", pg_conn_error(partition->conn), now);
        pg_conn_destroy(partition->conn);
        partition->conn = NULL;
        return;
    }
    if (partition->state == CONNECTING) {
        if (pg_conn_state(partition->conn) == PG_READY) list(partition, now);
        return;
    }
    while (partition->conn && partition->state != IDLE && next != PG_NOTHING) {
        bool is_going;

        next = pg_conn_next(partition->conn, &result);
        if (next == PG_DONE) {
            on_done(partition, now);
            return;
        }
        if (next == PG_NOTHING) return;
        is_going = on_result(partition, result, now);
        PQclear(result);
        if (!is_going) return;
    }
}
