#include "controlplane/store/load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controlplane/core/job.h"
#include "controlplane/store/copy_row.h"
#include "controlplane/store/partition_plan.h"
#include "controlplane/store/pg_conn.h"
#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/vec.h"

enum {
    AHEAD_PARTS = 4,     /* how many parts may stream ahead of the one that is handed out */
    JOBS_CHUNKS = 256,   /* open_job is cut into at most so many parts */
    OF_JOBS_CHUNKS = 64, /* each other table into at most so many, and one more a partition */
    CHUNK_IDS = 1 << 16, /* a part has at least so many ids */
};

struct message { /* one CopyData, libpq's memory */
    char *at;
    size_t len;
};

struct part {
    unsigned place; /* where its rows are kept, see row_columns.h */
    const char *sql;
    FL_VEC(struct message) waiting;
    size_t next, waiting_bytes; /* in 'waiting' */
    bool is_begun;
    bool is_whole; /* all of it has come */
};

/* One connection and the part it streams. */
struct wire {
    struct pg_conn *conn;
    size_t part; /* SIZE_MAX: none */
    bool is_copying;
    struct copy_stream stream;
};

enum state { LISTING, STREAMING, DONE, FAILED };

struct load {
    enum state state;
    load_row_fn *row;
    void *ctx;
    struct wire wires[LOAD_CONNS];
    FL_VEC(struct part) parts;
    size_t emitting, begun; /* parts */
    struct fl_arena arena;  /* texts */
    fl_ms quiet_at;
    bool has_more; /* a turn stopped at its budget */
    bool is_listed;
    char error[300];
};

struct load *load_create(const char *conninfo, const struct pg_waker *waker, load_row_fn *row,
                         void *ctx, fl_ms now)
{
    struct load *load = fl_new(struct load);

    load->row = row;
    load->ctx = ctx;
    load->quiet_at = now + LOAD_QUIET_MS;
    for (size_t i = 0; i < LOAD_CONNS; i++) {
        load->wires[i].conn = pg_conn_create(conninfo, PG_LOADER, "fairlead load", waker, now);
        load->wires[i].part = SIZE_MAX;
    }
    return load;
}

void load_destroy(struct load *load)
{
    if (!load) return;
    for (size_t i = 0; i < LOAD_CONNS; i++) {
        pg_conn_destroy(load->wires[i].conn);
    }
    for (size_t i = 0; i < load->parts.len; i++) {
        struct part *part = &load->parts.at[i];

        while (part->next < part->waiting.len) {
            PQfreemem(part->waiting.at[part->next++].at);
        }
        fl_vec_fini(&part->waiting);
    }
    fl_vec_fini(&load->parts);
    fl_arena_fini(&load->arena);
    fl_free(load);
}

const char *load_error(const struct load *load)
{
    return load->error;
}

const char *load_part_sql(const struct load *load, size_t i)
{
    return i < load->parts.len ? load->parts.at[i].sql : NULL;
}

static void fail(struct load *load, const char *why)
{
    if (load->state == FAILED) return;
    load->state = FAILED;
    snprintf(load->error, sizeof load->error, "%s", why);
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* The open jobs' range, then the partitions of 'job' in order. */
static const char LIST[] =
    "select coalesce(min(job), 0)::text, coalesce(max(job), 0)::text from open_job union all"
    " (select c.relname, pg_get_expr(c.relpartbound, c.oid) from pg_inherits i"
    " join pg_class c on c.oid = i.inhrelid where i.inhparent = 'job'::regclass"
    " and not i.inhdetachpending order by length(c.relname), c.relname)";

static void add(struct load *load, unsigned place, const char *sql)
{
    fl_vec_push(&load->parts, (struct part){.place = place, .sql = sql});
}

/* The newest job, even an ended one, gives the next number. */
static const char counters[] =
    "select 1::smallint, greatest((select value from counter where id = 1), (select max(id) from"
    " job) + 1, 1) union all (select id, value from counter where id > 1 order by id)";

static void add_whole(struct load *load, enum row_kind kind)
{
    struct row_columns columns = row_columns(kind);
    const char *sql = counters;

    if (kind != ROW_counter) {
        sql = fl_arena_printf(&load->arena, "select %s from %s order by %s",
                              row_column_list(&columns, "", false, &load->arena), columns.table,
                              row_column_list(&columns, "", true, &load->arena));
    }
    add(load, kind, sql);
}

static uint64_t chunk_width(uint64_t first, uint64_t last, uint64_t chunks)
{
    uint64_t width = (last - first) / chunks + 1;

    return width < CHUNK_IDS ? CHUNK_IDS : width;
}

static void add_jobs(struct load *load, uint64_t first, uint64_t last)
{
    uint64_t width = chunk_width(first, last, JOBS_CHUNKS);
    struct row_columns columns = row_columns(ROW_OPEN_JOB);
    const char *list = row_column_list(&columns, "", false, &load->arena);

    if (last == 0) return; /* none is open */
    for (uint64_t from = first; from <= last; from += width) {
        add(load, ROW_OPEN_JOB,
            fl_arena_printf(&load->arena,
                            "select %s from open_job where job >= %" PRIu64 " and job < %" PRIu64
                            " order by job",
                            list, from, from + width));
    }
}

/* The open jobs between two ids that pass a filter.  The bounds by min and max skip ids for which a
 * table has no row: most jobs of a long queue have never started. */
static const char *open_jobs(struct load *load, const char *table, const char *filter, uint64_t p,
                             uint64_t lo, uint64_t hi)
{
    return fl_arena_printf(&load->arena,
                           "(select job, elements from open_job where job >= %" PRIu64
                           " and job < %" PRIu64 " and job >= (select min(job) from %s_p%" PRIu64
                           " where job >= %" PRIu64 " and job < %" PRIu64
                           ") and job <= (select max(job) from %s_p%" PRIu64
                           " where job >= %" PRIu64 " and job < %" PRIu64 ")%s order by job) o",
                           lo, hi, table, p, lo, hi, table, p, lo, hi, filter);
}

/* The rows of a table that belong to open jobs, but for those of elements that have ended.  The
 * lateral subqueries fix the order of the joins: open jobs first, then rows by key, as their
 * indexes have them.  So there is no sort, which for the elements of a large array is a file and
 * three times the time.  A plain job whose element has ended is not open, so only arrays are asked
 * for ends. */
static const char of_jobs[] =
    "select x.* from %s cross join lateral ("
    "(select %s from %s_p%" PRIu64 " t where o.elements = 1 and t.job = o.job order by %s offset 0)"
    " union all "
    "(select %s from %s_p%" PRIu64 " t where o.elements > 1 and t.job = o.job and not exists"
    " (select from (select element from element_end_p%" PRIu64
    " e where e.job = o.job order by element offset 0) e where e.element = t.element)"
    " order by %s offset 0)) x";

static const char *elements_sql(struct load *load, unsigned place, uint64_t p, uint64_t lo,
                                uint64_t hi)
{
    struct row_columns columns = row_columns(place);
    const char *table = columns.table;
    const char *list = row_column_list(&columns, "t.", false, &load->arena);
    const char *key = row_column_list(&columns, "t.", true, &load->arena);

    return fl_arena_printf(&load->arena, of_jobs, open_jobs(load, table, "", p, lo, hi), list,
                           table, p, key, list, table, p, p, key);
}

/* Elements that have ended come as one row an array. */
static const char *ends_sql(struct load *load, uint64_t p, uint64_t lo, uint64_t hi)
{
    return fl_arena_printf(
        &load->arena,
        "select o.job, s.* from %s cross join lateral (select max(element) as last,"
        " (count(*) filter (where state = %d))::int, (count(*) filter (where state = %d))::int,"
        " (count(*) filter (where state = %d))::int, (count(*) filter (where n = 0))::int"
        " from (select element, state, n from element_end_p%" PRIu64
        " t where t.job = o.job order by element offset 0) t) s"
        " where s.last is not null",
        open_jobs(load, "element_end", " and elements > 1", p, lo, hi), JOB_succeeded, JOB_failed,
        JOB_cancelled, p);
}

/* Elements that have ended, one by one, of the few arrays that wait for others element by element,
 * and of those others.  The query goes from the marks to the jobs, of which there may be millions.
 */
static void add_pair_ends(struct load *load)
{
    add(load, ROW_pair_end,
        fl_arena_printf(
            &load->arena,
            "select o.job, e.element, e.state from (select open_job.job from (select job"
            " from open_mark where kind = %d union select value from open_mark where"
            " kind = %d) m (job) join open_job using (job) order by open_job.job"
            " offset 0) o cross join lateral (select element, state from element_end t"
            " where t.job = o.job order by element offset 0) e",
            CORE_MARK_each, CORE_MARK_each));
}

/* Reads each partition by itself: with the parent in the join, each probe would look for its
 * partition. */
static void add_of_jobs(struct load *load, unsigned place, const struct partition_list *ranges,
                        uint64_t first, uint64_t last)
{
    uint64_t width = chunk_width(first, last, OF_JOBS_CHUNKS);

    for (size_t i = 0; i < ranges->len && last > 0; i++) {
        uint64_t p = ranges->at[i].lo;
        uint64_t lo = p > first ? p : first, end = ranges->at[i].hi;

        if (end > last) end = last + 1;
        for (; lo < end; lo += width) {
            uint64_t hi = end - lo > width ? lo + width : end;

            add(load, place,
                place == ROW_array_ends ? ends_sql(load, p, lo, hi)
                                        : elements_sql(load, place, p, lo, hi));
        }
    }
}

static void add_parts(struct load *load, const PGresult *result)
{
    uint64_t first = strtoull(PQgetvalue(result, 0, 0), NULL, 10);
    uint64_t last = strtoull(PQgetvalue(result, 0, 1), NULL, 10);
    struct partition_list ranges = {0};

    for (int i = 1; i < PQntuples(result); i++) {
        struct partition_range range;

        if (!partition_parse(PQgetvalue(result, i, 1), &range)) {
            fail(load, "a partition of job has bounds of another kind");
            return;
        }
        fl_arena_push(&load->arena, &ranges, range);
    }
    for (size_t i = 0; i < row_kinds_len; i++) {
        if (row_kinds[i] == ROW_job_new) add_jobs(load, first, last);
        if (row_info(row_kinds[i]).fold == ROW_FOLD_LAST) add_whole(load, row_kinds[i]);
    }
    add_of_jobs(load, ROW_array_ends, &ranges, first, last);
    add_pair_ends(load);
    add_of_jobs(load, ROW_attempt_new, &ranges, first, last);
    add_of_jobs(load, ROW_attempt_end, &ranges, first, last);
    add_of_jobs(load, ROW_attempt_stop, &ranges, first, last);
}

/* ---- streams --------------------------------------------------------------------------------- */

static void begin_part(struct load *load, struct wire *wire)
{
    struct part *part;
    const char *copy;

    if (load->begun == load->parts.len || load->begun > load->emitting + AHEAD_PARTS) return;
    part = &load->parts.at[load->begun];
    copy = fl_arena_printf(&load->arena, "copy (%s) to stdout (format binary)", part->sql);
    if (!pg_conn_send_text(wire->conn, copy, 0, NULL)) {
        fail(load, pg_conn_error(wire->conn));
        return;
    }
    part->is_begun = true;
    wire->part = load->begun++;
    wire->stream = (struct copy_stream){0};
}

static bool is_full(const struct load *load, const struct wire *wire)
{
    const struct part *part;

    if (wire->part == SIZE_MAX) return false;
    part = &load->parts.at[wire->part];
    return part->waiting.len - part->next >= LOAD_AHEAD_ROWS ||
           part->waiting_bytes >= LOAD_AHEAD_BYTES;
}

static void keep_message(struct load *load, struct wire *wire, char *at, int len)
{
    struct part *part = &load->parts.at[wire->part];
    struct fl_str tuple = {at, (size_t)len};

    switch (copy_next(&wire->stream, &tuple)) {
    case COPY_TUPLE:
        if (tuple.at != at) memmove(at, tuple.at, tuple.len); /* the header was before it */
        fl_vec_push(&part->waiting, (struct message){at, tuple.len});
        part->waiting_bytes += tuple.len;
        return;
    case COPY_END:
        break;
    case COPY_TORN:
        fail(load, "the database's COPY is not in its binary format");
        break;
    }
    PQfreemem(at);
}

/* Takes what has come on a wire, LOAD_TURN_ROWS at most. */
static void receive(struct load *load, struct wire *wire)
{
    size_t rows = 0;
    PGconn *pg = pg_conn_raw(wire->conn);
    PGresult *result;
    char *at;
    int len;

    while (load->state == STREAMING && wire->part != SIZE_MAX) {
        struct part *part = &load->parts.at[wire->part];

        if (wire->is_copying) {
            if (is_full(load, wire)) return;
            if (rows == LOAD_TURN_ROWS) {
                load->has_more = true; /* libpq holds more already, which poll does not see */
                return;
            }
            len = PQgetCopyData(pg, &at, 1);
            if (len > 0) {
                keep_message(load, wire, at, len);
                rows++;
                continue;
            }
            if (len == 0) return;
            wire->is_copying = false; /* the end, or a failure; the result tells which */
        }
        switch (pg_conn_next(wire->conn, &result)) {
        case PG_NOTHING:
            return;
        case PG_DONE:
            part->is_whole = true;
            wire->part = SIZE_MAX;
            break;
        case PG_RESULT:
            switch (PQresultStatus(result)) {
            case PGRES_COPY_OUT:
                wire->is_copying = true;
                break;
            case PGRES_COMMAND_OK:
                break;
            default:
                fail(load, PQresultErrorMessage(result));
                break;
            }
            PQclear(result);
            break;
        }
    }
}

/* Hands out rows of the part whose turn it is.  False: it has none now. */
static bool emit(struct load *load)
{
    struct part *part = NULL;
    struct message message;
    struct row row;

    while (load->emitting < load->parts.len) {
        part = &load->parts.at[load->emitting];
        if (part->next < part->waiting.len) break;
        part->next = part->waiting.len = 0;
        if (!part->is_whole) return false;
        fl_vec_fini(&part->waiting);
        load->emitting++;
    }
    if (load->emitting == load->parts.len || !part) {
        load->state = DONE;
        return false;
    }
    fl_assert(part->waiting.at);
    message = part->waiting.at[part->next++];
    part->waiting_bytes -= message.len;
    if (copy_read((struct fl_str){message.at, message.len}, part->place, &row)) {
        load->row(load->ctx, &row);
    } else {
        fail(load, "a row has fields of another number or length than expected");
    }
    PQfreemem(message.at);
    return load->state == STREAMING;
}

static void read_list(struct load *load, struct wire *wire)
{
    PGresult *result;
    enum pg_next next;

    if (!load->is_listed) {
        if (!pg_conn_send_text(wire->conn, LIST, 0, NULL)) fail(load, pg_conn_error(wire->conn));
        load->is_listed = true;
        return;
    }
    while (load->state == LISTING && (next = pg_conn_next(wire->conn, &result)) != PG_NOTHING) {
        if (next == PG_DONE) {
            load->state = STREAMING;
            return;
        }
        if (PQresultStatus(result) == PGRES_TUPLES_OK) {
            add_parts(load, result);
        } else {
            fail(load, PQresultErrorMessage(result));
        }
        PQclear(result);
    }
}

static void turn_wire(struct load *load, struct wire *wire, fl_ms now)
{
    if (is_full(load, wire)) return; /* the server waits */
    switch (pg_conn_turn(wire->conn, now)) {
    case PG_CONNECTING:
        return;
    case PG_LOST:
        fail(load, pg_conn_error(wire->conn));
        return;
    case PG_READY:
        break;
    }
    if (load->state == LISTING && wire == &load->wires[0]) read_list(load, wire);
    if (load->state != STREAMING) return;
    receive(load, wire);
    if (load->state == STREAMING && wire->part == SIZE_MAX) begin_part(load, wire);
}

enum load_state load_turn(struct load *load, fl_ms now)
{
    size_t rows = 0, emitting = load->emitting, begun = load->begun;

    load->has_more = false;
    for (size_t i = 0; i < LOAD_CONNS && load->state < DONE; i++) {
        turn_wire(load, &load->wires[i], now);
    }
    while (load->state == STREAMING && rows < LOAD_TURN_ROWS && emit(load)) {
        rows++;
    }
    if (rows == LOAD_TURN_ROWS || load->emitting != emitting || load->begun != begun) {
        load->has_more = true;
    }
    for (size_t i = 0; i < LOAD_CONNS; i++) {
        pg_conn_hold(load->wires[i].conn, is_full(load, &load->wires[i]));
    }
    if (rows > 0 || load->has_more) load->quiet_at = now + LOAD_QUIET_MS;
    if (load->state < DONE && now >= load->quiet_at) fail(load, "the database went silent");
    if (load->state == DONE) return LOAD_DONE;
    return load->state == FAILED ? LOAD_FAILED : LOAD_GOES_ON;
}

fl_ms load_deadline(const struct load *load)
{
    fl_ms due = load->quiet_at;

    if (load->has_more || load->state >= DONE) return INT64_MIN;
    for (size_t i = 0; i < LOAD_CONNS; i++) {
        fl_ms connect = pg_conn_deadline(load->wires[i].conn);

        if (pg_conn_state(load->wires[i].conn) == PG_LOST) return INT64_MIN;
        if (connect < due) due = connect;
    }
    return due;
}
