#include "tests/store/diff_help.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "controlplane/store/journal.h"
#include "controlplane/store/pg_conn.h"
#include "controlplane/store/row_columns.h"
#include "shared/base/assert.h"
#include "tests/fl_test.h"
#include "tests/store/diff_fold.h"

#define MEMORY "/dev/shm"
#define MEMORY_BYTES_MIN ((uint64_t)2 << 30)

uint64_t diff_by_mode(uint64_t fast, uint64_t full, uint64_t longer)
{
    const char *mode = getenv("FL_TEST_MODE");

    if (mode && strcmp(mode, "full") == 0) return full;
    return mode && strcmp(mode, "long") == 0 ? longer : fast;
}

/* ---- the server ------------------------------------------------------------------------------ */

static char server_dir[64];
static pid_t owner;

static void stop_server(void)
{
    char command[128];

    if (getpid() != owner) return;
    snprintf(command, sizeof command, "tests/store/pg.sh stop %s", server_dir);
    if (system(command) != 0) fprintf(stderr, "failed: %s\n", command);
}

static bool start_server(void)
{
    char command[256];

    owner = getpid();
    snprintf(server_dir, sizeof server_dir, MEMORY "/fl-pg-%d", (int)owner);
    snprintf(command, sizeof command,
             "FL_PG_LIFELINE=%d tests/store/pg.sh start %s max_wal_size=200MB >/dev/null",
             (int)owner, server_dir);
    atexit(stop_server);
    return system(command) == 0;
}

static bool has_memory(void)
{
    struct statvfs at;

    return !getenv("FL_TEST_DISK") && statvfs(MEMORY, &at) == 0 &&
           (uint64_t)at.f_bavail * at.f_frsize >= MEMORY_BYTES_MIN;
}

char *diff_database(void)
{
    static bool is_asked, is_in_memory;
    char conninfo[128];

    if (!is_asked) is_in_memory = has_memory() && start_server();
    is_asked = true;
    if (!is_in_memory) return help_database();
    snprintf(conninfo, sizeof conninfo, "host=%s user=postgres dbname=postgres", server_dir);
    return help_database_of(conninfo, true);
}

struct help *diff_help(const char *conninfo, const char *instance, uint64_t partitions_ahead)
{
    struct store_config config = store_config_default();

    config.conninfo = conninfo;
    config.instance = instance;
    config.lease_ttl_ms = DIFF_TTL_MS;
    config.partition.ahead = partitions_ahead;
    config.partition.late_jobs = 16;
    config.take_ms = config.lookup_ms = HELP_WAIT_MS;
    config.partition.retention_ms = config.partition.journal_retention_ms =
        config.partition.audit_retention_ms = config.partition.idempotency_retention_ms =
            (int64_t)1000 * 365 * 24 * FL_HOUR_MS;
    return help_create_with(&config);
}

void diff_taken(const struct engine_taken *real, const struct engine_taken *fake)
{
    assert_int_equal(real->epoch, fake->epoch);
    assert_int_equal(real->incarnation, fake->incarnation);
    assert_int_equal(real->batch_newest, fake->batch_newest);
    assert_int_equal(real->at_newest, fake->at_newest);
    assert_int_equal(real->job_below, fake->job_below);
    assert_int_equal(real->batch_below, fake->batch_below);
    assert_int_equal(real->keys_len, fake->keys_len);
    for (size_t i = 0; i < real->keys_len; i++) {
        assert_int_equal(real->keys[i].batch, fake->keys[i].batch);
        assert_int_equal(real->keys[i].epoch, fake->keys[i].epoch);
    }
}

/* ---- asking ---------------------------------------------------------------------------------- */

static PGresult *ask(PGconn *pg, const char *sql, int format)
{
    PGresult *result = PQexecParams(pg, sql, 0, NULL, NULL, NULL, NULL, format);

    if (PQresultStatus(result) != PGRES_TUPLES_OK) fail_msg("%s: %s", sql, PQerrorMessage(pg));
    return result;
}

void diff_run(PGconn *pg, const char *sql)
{
    PGresult *result = PQexec(pg, sql);
    ExecStatusType status = PQresultStatus(result);

    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        fail_msg("%s: %s", sql, PQerrorMessage(pg));
    }
    PQclear(result);
}

uint64_t diff_number(PGconn *pg, const char *sql)
{
    PGresult *result = ask(pg, sql, 0);
    uint64_t n;

    assert_int_equal(PQntuples(result), 1);
    n = strtoull(PQgetvalue(result, 0, 0), NULL, 10);
    PQclear(result);
    return n;
}

void diff_reset(PGconn *pg)
{
    char tables[512] = "truncate journal";

    for (int at = ROW_TABLE_none + 1; at < ROW_TABLES_LEN; at++) {
        snprintf(tables + strlen(tables), sizeof tables - strlen(tables), ", %s",
                 row_table_name((enum row_table)at));
    }
    diff_run(pg, tables);
    diff_run(pg, "insert into journal(batch, prev, epoch, at, body) select 0, -1, 0, 0, '';"
                 "update leader set epoch = 0, writer_pid = null;"
                 "update lease set holder = '', instance = '', expires_at = '-infinity'");
}

/* ---- rows of tables -------------------------------------------------------------------------- */

static unsigned place_of(enum row_table table)
{
    return table == ROW_TABLE_open_job ? ROW_OPEN_JOB : (unsigned)row_table_kind(table);
}

/* Every column of a row, in the order of keys. */
static PGresult *ask_table(PGconn *pg, enum row_table at)
{
    struct row_columns table = row_columns(place_of(at));
    struct fl_arena arena = {0};
    const char *columns = row_column_list(&table, "", false, &arena);
    const char *keys = row_column_list(&table, "", true, &arena), *late = "";
    PGresult *result;

    if (at == ROW_TABLE_open_job) {
        late = fl_arena_printf(&arena, " union all select %s from late_open_job", columns);
    }
    result = ask(pg,
                 fl_arena_printf(&arena, "select %s from %s%s order by %s", columns, table.table,
                                 late, *keys ? keys : "batch, n"),
                 1);
    fl_arena_fini(&arena);
    return result;
}

static struct row row_of(enum row_table at, const PGresult *result, int i)
{
    struct fl_str values[ROW_COLUMNS_MAX];
    struct row row;

    for (int c = 0; c < PQnfields(result); c++) {
        values[c] = pg_field(result, i, c);
    }
    assert_true(row_read(place_of(at), values, &row));
    return row;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void encode(struct fl_buf *out, const struct row *row)
{
    bool is_written = row_encode(out, row);

    fl_assert(is_written);
}

static bool is_same_bytes(const void *a, size_t a_len, const void *b, size_t b_len)
{
    return a_len == b_len && (a_len == 0 || memcmp(a, b, a_len) == 0);
}

static bool differ(struct fl_err *err, const char *where, size_t i, const struct row *real,
                   const struct row *fake)
{
    char real_text[100], fake_text[100];

    row_print(real, real_text, sizeof real_text);
    row_print(fake, fake_text, sizeof fake_text);
    return fl_fail(err, FL_CONFLICT, "%s row %zu: real %s, fake %s", where, i, real_text,
                   fake_text);
}

static bool diff_table(PGconn *pg, enum row_table at, const struct pg_table *told,
                       struct fl_err *err)
{
    PGresult *result = ask_table(pg, at);
    size_t len = (size_t)PQntuples(result);
    bool is_same = true;
    struct fl_buf bytes;

    fl_buf_init(&bytes, SIZE_MAX / 2);
    for (size_t i = 0; is_same && i < len && i < told->entries.len; i++) {
        const struct pg_entry *entry = &told->entries.at[i];
        struct row real = row_of(at, result, (int)i), other = pg_entry_row(entry);

        fl_buf_clear(&bytes);
        encode(&bytes, &real);
        is_same = is_same_bytes(bytes.at, bytes.len, entry->at + entry->key_len, entry->row_len) ||
                  differ(err, row_table_name(at), i, &real, &other);
    }
    fl_buf_fini(&bytes);
    if (is_same && len != told->entries.len) {
        is_same = fl_fail(err, FL_CONFLICT, "%s: %zu rows, the fake has %zu", row_table_name(at),
                          len, told->entries.len);
    }
    PQclear(result);
    return is_same;
}

bool diff_tables(PGconn *pg, const struct fake_pg *fake, struct fl_err *err)
{
    for (int at = ROW_TABLE_none + 1; at < ROW_TABLES_LEN; at++) {
        if (!diff_table(pg, (enum row_table)at, fake_pg_table(fake, at), err)) return false;
    }
    return true;
}

static const char journal[] = "select batch, epoch, at, body from journal order by batch";

/* Its rows are in the arena.  False: they are damaged. */
static bool journal_at(const PGresult *result, int i, struct fl_arena *arena,
                       struct fake_pg_journal *ret, struct fl_err *err)
{
    *ret = (struct fake_pg_journal){.batch = (uint64_t)pg_get_int(result, i, 0),
                                    .epoch = (uint64_t)pg_get_int(result, i, 1),
                                    .at = pg_get_int(result, i, 2)};
    return journal_unpack(pg_field(result, i, 3), arena, &ret->body, err) ||
           fl_err_wrap(err, "journal %" PRIu64, ret->batch);
}

bool diff_journal(PGconn *pg, const struct fake_pg *fake, bool with_epochs, struct fl_err *err)
{
    PGresult *result = ask(pg, journal, 1);
    size_t len = (size_t)PQntuples(result), fake_len = fake_pg_journal_len(fake);
    struct fl_arena arena = {0};
    bool is_same = true;

    for (size_t i = 0; is_same && i < len && i < fake_len; i++) {
        struct fake_pg_journal a, b = fake_pg_journal_at(fake, i);

        if (!journal_at(result, (int)i, &arena, &a, err)) {
            is_same = false;
        } else if (a.batch != i || b.batch != i || a.at != b.at ||
                   (with_epochs && a.epoch != b.epoch)) {
            is_same = fl_fail(err, FL_CONFLICT,
                              "journal %zu: batch %" PRIu64 " of epoch %" PRIu64
                              ", the fake's %" PRIu64 " of %" PRIu64 "; or their times differ",
                              i, a.batch, a.epoch, b.batch, b.epoch);
        } else {
            is_same = diff_rows(a.body, b.body, err) || fl_err_wrap(err, "journal %zu", i);
        }
        fl_arena_reset(&arena);
    }
    if (is_same && len != fake_len) {
        is_same =
            fl_fail(err, FL_CONFLICT, "the journal has %zu rows, the fake's %zu", len, fake_len);
    }
    fl_arena_fini(&arena);
    PQclear(result);
    return is_same;
}

struct fake_pg *diff_fold_journal(PGconn *pg)
{
    PGresult *result = ask(pg, journal, 1);
    struct fake_pg *fold = fake_pg_create(UINT64_MAX, UINT64_MAX);
    uint32_t backend = fake_pg_connect(fold);
    struct fl_arena arena = {0};
    struct engine_taken taken;
    struct time_mark mark;

    assert_int_equal(fake_pg_take(fold, backend, "fold", 0, 0, 0, &taken, &mark), FL_OK);
    for (int i = 1; i < PQntuples(result); i++) {
        struct fake_pg_journal entry;
        const char *text = "";

        assert_true(journal_at(result, i, &arena, &entry, NULL));
        assert_int_equal(
            fake_pg_begin(fold, backend, entry.batch, entry.at, taken.epoch, entry.body, &text),
            ENGINE_COMMITTED);
        assert_int_equal(fake_pg_commit(fold, backend, &text), ENGINE_COMMITTED);
        fl_arena_reset(&arena);
    }
    fl_arena_fini(&arena);
    PQclear(result);
    return fold;
}

/* Everything that a journal says, folded by rules that are written here and nowhere else. */
bool diff_fold(PGconn *pg, struct fl_err *err)
{
    PGresult *result = ask(pg, journal, 1);
    struct pg_table tables[ROW_TABLES_LEN] = {0};
    struct fl_arena arena = {0};
    bool is_same = true;

    for (int i = 0; is_same && i < PQntuples(result); i++) {
        struct fake_pg_journal entry;

        is_same = journal_at(result, i, &arena, &entry, err) &&
                  diff_fold_batch(tables, entry.batch, entry.body, err);
        fl_arena_reset(&arena);
    }
    for (int at = ROW_TABLE_none + 1; is_same && at < ROW_TABLES_LEN; at++) {
        is_same = diff_table(pg, (enum row_table)at, &tables[at], err);
    }
    for (int at = 0; at < ROW_TABLES_LEN; at++) {
        pg_table_fini(&tables[at]);
    }
    fl_arena_fini(&arena);
    PQclear(result);
    return is_same;
}

bool diff_rows(struct fl_str real, struct fl_str fake, struct fl_err *err)
{
    struct fl_reader a = fl_reader(real.at, real.len), b = fl_reader(fake.at, fake.len);

    if (is_same_bytes(real.at, real.len, fake.at, fake.len)) return true;
    for (size_t i = 0; a.pos < a.len && b.pos < b.len; i++) {
        const uint8_t *left_at = a.at + a.pos, *right_at = b.at + b.pos;
        struct row left, right;

        if (!row_decode(&a, &left, err) || !row_decode(&b, &right, err)) return false;
        if (!is_same_bytes(left_at, (size_t)(a.at + a.pos - left_at), right_at,
                           (size_t)(b.at + b.pos - right_at))) {
            return differ(err, "", i, &left, &right);
        }
    }
    return fl_fail(err, FL_CONFLICT, "%zu bytes of rows, the fake has %zu", real.len, fake.len);
}

static void encode_row(void *ctx, const struct row *row)
{
    encode(ctx, row);
}

void diff_fake_load(const struct fake_pg *fake, struct fl_buf *out)
{
    fake_pg_load(fake, encode_row, out);
}

void diff_add_rows(struct core_batch *batch, struct fl_str body)
{
    struct fl_reader reader = fl_reader(body.at, body.len);

    while (reader.pos < reader.len) {
        struct fl_err err = {0};
        struct row row;

        if (!row_decode(&reader, &row, &err)) fail_msg("%s", err.text);
        core_batch_row(batch, &row);
    }
}

const char *diff_blind_spot(PGconn *pg, const struct fake_pg *fake)
{
    static const char *const sqls[] = {
        "update queue set is_paused = not is_paused where id = (select max(id) from queue)",
        "update cluster set session_epoch = session_epoch + 1 where id = 1",
        "update shape set body = body || 'x' where id = (select max(id) from shape)",
        "insert into join_token select sha256('new'), 1, 1, 0, sha256('k'), ''",
        "insert into token select 'new', 1, 1, 1, 1, sha256('k'), '', ''",
        "insert into counter(id, value) values (9, 1)",
        "insert into open_job select max(id) + 1, 1, 1, 1, 0, 1 from job",
        "insert into open_mark(job, kind, value, at) values (1, 9, 1, 1)",
        "update attempt set nodes = null where job = (select min(job) from attempt)",
        "delete from attempt_end where job = (select max(job) from attempt_end)",
        "update element_end set exit_code = -99 where job = (select min(job) from element_end)",
        "update job set params = 'other' where id = (select max(id) from job)",
        "insert into job_end(job, batch, state, reason) values (77777, 1, 16, 1)",
        "update spec set body = 'other' where job = (select min(job) from spec)",
        "update audit set actor = 'other' where batch = (select max(batch) from audit)",
        "update idempotency set answer = 'other' where key >= 'a'",
        "update journal set at = at + 1 where batch = 10",
        "update journal set epoch = epoch + 1 where batch = 11",
        "update journal set body = body || '\\x00' where batch = 12",
        "update journal set body = (select body from journal where batch = 14) where batch = 13",
        "delete from journal where batch = (select max(batch) from journal)",
    };

    for (size_t i = 0; i < sizeof sqls / sizeof sqls[0]; i++) {
        struct fl_err err = {0};
        bool is_same;

        diff_run(pg, "begin");
        diff_run(pg, sqls[i]);
        is_same = diff_tables(pg, fake, &err) && diff_journal(pg, fake, true, &err);
        diff_run(pg, "rollback");
        if (is_same) return sqls[i];
    }
    return NULL;
}
