#include "controlplane/store/pg_conn.h"

#include <endian.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/loop.h"

/* A plan that is made while a table is empty must be good when it is large, so all but index scans
 * are off.  One plan a statement is enough, since none depends on the values. */
static const char SETTINGS[] =
    "-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c enable_bitmapscan=off"
    " -c plan_cache_mode=force_generic_plan -c jit=off -c client_min_messages=warning"
    " -c DateStyle=ISO -c lock_timeout=30000";
static const char *const ROLE_SETTINGS[] = {
    [PG_WRITER] = "",
    /* After 5 s the client has given up, and a longer read would hold up vacuum. */
    [PG_READER] = " -c statement_timeout=5000 -c default_transaction_read_only=on",
    [PG_PLAIN] = "",
    /* Attempts without an end are found by one walk along both indexes, however many have ended. */
    [PG_LOADER] = " -c enable_mergejoin=on -c enable_nestloop=off",
    /* A commit that a crash takes back takes its mark back too. */
    [PG_LEDGER] = " -c statement_timeout=60000 -c synchronous_commit=off",
};

struct pg_conn {
    PGconn *pg;
    enum pg_role role;
    enum pg_state state;
    bool is_connected; /* the server has let us in */
    bool has_unsent;   /* PQflush left something */
    bool is_ready;     /* its socket may be read or written, since it was last */
    short events;
    fl_ms connect_by;
    int prepares_left;
    uint8_t params[PG_STMTS_LEN]; /* for each prepared statement */
    char error[256];
    struct pg_waker waker;
    struct fl_watch watch; /* its socket */
    bool is_held;
};

static void make_line(char *text)
{
    for (; *text; text++) {
        if (*text == '\n' || *text == '\t') *text = ' ';
    }
}

static void on_ready(void *ctx, unsigned events)
{
    struct pg_conn *conn = ctx;

    (void)events;
    conn->is_ready = true;
    conn->waker.wake(conn->waker.ctx);
}

/* Watches the socket for the events that libpq waits for. */
static void watch(struct pg_conn *conn)
{
    short events =
        conn->is_connected ? (short)(POLLIN | (conn->has_unsent ? POLLOUT : 0)) : conn->events;

    if (conn->state == PG_LOST || conn->is_held) events = 0;
    fl_watch_set(&conn->watch,
                 (events & POLLIN ? FL_WATCH_READ : 0u) | (events & POLLOUT ? FL_WATCH_WRITE : 0u));
}

/* While it connects, libpq may change to another socket, even one of the same number. */
static void watch_anew(struct pg_conn *conn)
{
    fl_watch_off(&conn->watch);
    fl_watch_init(&conn->watch, conn->waker.loop, PQsocket(conn->pg), on_ready, conn);
    watch(conn);
}

static void lose(struct pg_conn *conn, const char *why)
{
    if (conn->state == PG_LOST) return;
    conn->state = PG_LOST;
    fl_watch_off(&conn->watch);
    snprintf(conn->error, sizeof conn->error, "%s", why && *why ? why : "connection lost");
    make_line(conn->error);
}

/* The connection string's own options stay, ours come after them. */
static char *options_of(const char *conninfo, enum pg_role role)
{
    PQconninfoOption *parsed = PQconninfoParse(conninfo, NULL);
    const char *theirs = "";
    char *options;
    size_t bytes;

    for (PQconninfoOption *at = parsed; at && at->keyword; at++) {
        if (strcmp(at->keyword, "options") == 0 && at->val) theirs = at->val;
    }
    bytes = strlen(theirs) + sizeof SETTINGS + strlen(ROLE_SETTINGS[role]) + 2;
    options = fl_alloc(bytes);
    snprintf(options, bytes, "%s %s%s", theirs, SETTINGS, ROLE_SETTINGS[role]);
    PQconninfoFree(parsed);
    return options;
}

/* By default libpq writes notices to stderr; we need none of them. */
static void ignore_notice(void *arg, const PGresult *result)
{
    (void)arg;
    (void)result;
}

struct pg_conn *pg_conn_create(const char *conninfo, enum pg_role role, const char *purpose,
                               const struct pg_waker *waker, fl_ms now)
{
    struct pg_conn *conn = fl_new(struct pg_conn);
    char *options = options_of(conninfo, role);
    const char *keys[] = {"dbname", "options", "application_name", "client_encoding", NULL};
    const char *values[] = {conninfo, options, purpose, "UTF8", NULL};

    conn->role = role;
    conn->waker = *waker;
    conn->connect_by = now + PG_CONNECT_MS;
    conn->events = POLLOUT;
    conn->pg = PQconnectStartParams(keys, values, 1);
    fl_free(options);
    fl_assert(conn->pg);
    PQsetNoticeReceiver(conn->pg, ignore_notice, NULL);
    if (PQstatus(conn->pg) == CONNECTION_BAD) {
        lose(conn, PQerrorMessage(conn->pg));
    } else {
        watch_anew(conn);
    }
    return conn;
}

void pg_conn_destroy(struct pg_conn *conn)
{
    if (!conn) return;
    fl_watch_off(&conn->watch);
    PQfinish(conn->pg);
    fl_free(conn);
}

void pg_conn_hold(struct pg_conn *conn, bool is_held)
{
    if (conn->is_held == is_held) return;
    conn->is_held = is_held;
    if (conn->state != PG_LOST) watch(conn);
}

fl_ms pg_conn_deadline(const struct pg_conn *conn)
{
    return conn->state == PG_CONNECTING ? conn->connect_by : INT64_MAX;
}

static bool flush(struct pg_conn *conn)
{
    int left = PQflush(conn->pg);

    conn->has_unsent = left > 0;
    if (left < 0) {
        lose(conn, PQerrorMessage(conn->pg));
    } else {
        watch(conn);
    }
    return left >= 0;
}

/* It has no prepared statements and no pipeline. */
static bool is_plain(const struct pg_conn *conn)
{
    return conn->role == PG_PLAIN || conn->role == PG_LOADER;
}

static void prepare_all(struct pg_conn *conn)
{
    if (PQsetnonblocking(conn->pg, 1) != 0) {
        lose(conn, PQerrorMessage(conn->pg));
        return;
    }
    if (is_plain(conn)) {
        conn->state = PG_READY;
        return;
    }
    if (!PQenterPipelineMode(conn->pg)) {
        lose(conn, PQerrorMessage(conn->pg));
        return;
    }
    for (size_t i = 0; i < PG_STMTS_LEN; i++) {
        struct pg_stmt_text text;

        if (pg_stmts[i].role != conn->role) continue;
        pg_stmt_text((enum pg_stmt)i, &text);
        conn->params[i] = (uint8_t)text.params;
        if (!PQsendPrepare(conn->pg, pg_stmts[i].name, text.sql, text.params, text.types)) {
            lose(conn, PQerrorMessage(conn->pg));
            return;
        }
        conn->prepares_left++;
    }
    if (!pg_conn_sync(conn)) return;
}

static void read_prepared(struct pg_conn *conn)
{
    PGresult *result;

    while (conn->state == PG_CONNECTING && pg_conn_next(conn, &result) == PG_RESULT) {
        switch (PQresultStatus(result)) {
        case PGRES_COMMAND_OK:
            conn->prepares_left--;
            break;
        case PGRES_PIPELINE_SYNC:
            fl_assert(conn->prepares_left == 0);
            conn->state = PG_READY;
            break;
        default:
            lose(conn, PQresultErrorMessage(result));
            break;
        }
        PQclear(result);
    }
}

static void connect_on(struct pg_conn *conn)
{
    PostgresPollingStatusType status;

    fl_watch_off(&conn->watch); /* libpq may close this socket and open another */
    status = PQconnectPoll(conn->pg);
    switch (status) {
    case PGRES_POLLING_READING:
        conn->events = POLLIN;
        break;
    case PGRES_POLLING_WRITING:
        conn->events = POLLOUT;
        break;
    case PGRES_POLLING_OK:
        conn->is_connected = true;
        prepare_all(conn);
        break;
    default:
        lose(conn, PQerrorMessage(conn->pg));
        break;
    }
    if (conn->state != PG_LOST) watch_anew(conn);
}

enum pg_state pg_conn_turn(struct pg_conn *conn, fl_ms now)
{
    if (conn->state == PG_LOST) return PG_LOST;
    if (!conn->is_connected) {
        struct pollfd poll_fd = {.fd = PQsocket(conn->pg), .events = conn->events};

        /* libpq wants to be called only when its socket is ready. */
        if (poll(&poll_fd, 1, 0) > 0) connect_on(conn);
    }
    /* An owner's turns are many, most of them for other things. */
    if (conn->is_connected && conn->state != PG_LOST &&
        (conn->state == PG_CONNECTING || conn->is_ready)) {
        conn->is_ready = false;
        if (!PQconsumeInput(conn->pg)) {
            lose(conn, PQerrorMessage(conn->pg));
        } else if (flush(conn) && conn->state == PG_CONNECTING) {
            read_prepared(conn);
        }
    }
    if (conn->state == PG_CONNECTING && now >= conn->connect_by) {
        lose(conn, "connecting took too long");
    }
    return conn->state;
}

enum pg_state pg_conn_state(const struct pg_conn *conn)
{
    return conn->state;
}

const char *pg_conn_error(const struct pg_conn *conn)
{
    return conn->error;
}

bool pg_conn_send(struct pg_conn *conn, enum pg_stmt stmt, const struct pg_value *values)
{
    const struct pg_stmt_info *info = &pg_stmts[stmt];
    const char *at[PG_PARAMS_MAX];
    int lengths[PG_PARAMS_MAX], formats[PG_PARAMS_MAX];

    fl_assert(info->role == conn->role);
    if (conn->state != PG_READY) return false;
    for (int i = 0; i < conn->params[stmt]; i++) {
        fl_assert(values[i].bytes < INT32_MAX);
        at[i] = values[i].at;
        lengths[i] = (int)values[i].bytes;
        formats[i] = 1;
    }
    if (!PQsendQueryPrepared(conn->pg, info->name, conn->params[stmt], at, lengths, formats, 1)) {
        lose(conn, PQerrorMessage(conn->pg));
        return false;
    }
    return true;
}

bool pg_conn_send_text(struct pg_conn *conn, const char *sql, int params, const char *const *texts)
{
    int is_sent;

    if (conn->state != PG_READY) return false;
    /* Without parameters PLAIN takes several commands in one text, and those that must stand
     * alone. */
    is_sent = is_plain(conn) && params == 0
                  ? PQsendQuery(conn->pg, sql)
                  : PQsendQueryParams(conn->pg, sql, params, NULL, texts, NULL, NULL, 0);
    if (!is_sent) {
        lose(conn, PQerrorMessage(conn->pg));
        return false;
    }
    return !is_plain(conn) || flush(conn);
}

bool pg_conn_sync(struct pg_conn *conn)
{
    if (conn->state == PG_LOST) return false;
    if (!PQpipelineSync(conn->pg)) {
        lose(conn, PQerrorMessage(conn->pg));
        return false;
    }
    return flush(conn);
}

enum pg_next pg_conn_next(struct pg_conn *conn, PGresult **ret_result)
{
    /* In pipeline mode a NULL stands between two statements, and two where nothing follows. */
    for (int nulls = 0; nulls < 3; nulls++) {
        PGresult *result;

        if (!conn->is_connected || PQisBusy(conn->pg)) return PG_NOTHING;
        result = PQgetResult(conn->pg);
        if (result) {
            *ret_result = result;
            return PG_RESULT;
        }
        if (is_plain(conn)) return PG_DONE;
    }
    return PG_NOTHING;
}

PGconn *pg_conn_raw(struct pg_conn *conn)
{
    return conn->pg;
}

static void copy_field(const PGresult *result, int field, char *out, size_t out_bytes)
{
    const char *value = PQresultErrorField(result, field);

    snprintf(out, out_bytes, "%s", value ? value : "");
}

void pg_failure_of(const PGresult *result, struct pg_failure *ret_failure)
{
    struct pg_failure *failure = ret_failure;

    copy_field(result, PG_DIAG_SQLSTATE, failure->sqlstate, sizeof failure->sqlstate);
    copy_field(result, PG_DIAG_TABLE_NAME, failure->table, sizeof failure->table);
    copy_field(result, PG_DIAG_COLUMN_NAME, failure->column, sizeof failure->column);
    copy_field(result, PG_DIAG_MESSAGE_PRIMARY, failure->text, sizeof failure->text);
    if (failure->text[0] == '\0') {
        snprintf(failure->text, sizeof failure->text, "%s", PQresultErrorMessage(result));
    }
    make_line(failure->text);
}

/* Cardinality, data, constraints, syntax and names, limits of a statement. */
static const char *const ours[] = {"21", "22", "23", "42", "54"};

enum fl_code pg_failure_code(const struct pg_failure *failure)
{
    const char *state = failure->sqlstate;

    if (strcmp(state, "53100") == 0) return FL_NO_SPACE;
    if (strcmp(state, "42501") == 0) return FL_UNAVAILABLE; /* somebody took a right away */
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        if (strncmp(state, ours[i], 2) == 0) return FL_BUG;
    }
    return FL_UNAVAILABLE;
}

int64_t pg_get_int(const PGresult *result, int row, int column)
{
    const unsigned char *at = (const unsigned char *)PQgetvalue(result, row, column);
    int len = PQgetlength(result, row, column);
    uint64_t v = 0;

    if (len == 0) return 0;
    for (int i = 0; i < len; i++) {
        v = v << 8 | at[i];
    }
    if (len < 8 && at[0] & 0x80) v |= ~(uint64_t)0 << (len * 8);
    return (int64_t)v;
}

struct fl_str pg_field(const PGresult *result, int row, int column)
{
    return (struct fl_str){PQgetvalue(result, row, column),
                           (size_t)PQgetlength(result, row, column)};
}

struct pg_value pg_i64(int64_t *be, uint64_t v)
{
    *be = (int64_t)htobe64(v);
    return (struct pg_value){be, sizeof *be};
}
