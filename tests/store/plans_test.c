/* The plans of all statements, made on the empty schema and kept: each finds its rows by whole
 * keys, and a load reads no row of an ended job. */
#include <inttypes.h>

#include "controlplane/store/load.h"
#include "controlplane/store/pg_conn.h"
#include "shared/base/alloc.h"
#include "tests/fl_test.h"
#include "tests/store/store_help.h"

enum { GROWN_JOBS = 200000, OPEN_JOBS = 500, BATCH_JOBS = 2000 };

/* As the store's connections have it, see pg_conn.c. */
static struct pg_conn *plain(const char *conninfo, enum pg_role role)
{
    struct pg_conn *conn = pg_conn_create(conninfo, role, "plans", help_waker(), help_now());
    fl_ms end = help_now() + HELP_WAIT_MS;

    while (pg_conn_turn(conn, help_now()) == PG_CONNECTING && help_now() < end) {
        usleep(1000);
    }
    assert_int_equal(pg_conn_state(conn), PG_READY);
    assert_int_equal(PQsetnonblocking(pg_conn_raw(conn), 0), 0);
    return conn;
}

/* A backend's counts are in the server's at the latest when the backend is gone. */
static void until_counted(const char *conninfo)
{
    fl_ms end = help_now() + HELP_WAIT_MS;

    while (help_number(conninfo,
                       "select count(*) from pg_stat_activity where datname = current_database()"
                       " and backend_type = 'client backend' and pid <> pg_backend_pid()") > 0) {
        assert_true(help_now() < end);
        usleep(1000);
    }
}

static char *text_of(struct pg_conn *conn, const char *sql)
{
    PGresult *result = PQexec(pg_conn_raw(conn), sql);
    static char text[65536];
    size_t len = 0;

    if (PQresultStatus(result) != PGRES_TUPLES_OK && PQresultStatus(result) != PGRES_COMMAND_OK) {
        fail_msg("%s: %s", sql, PQresultErrorMessage(result));
    }
    text[0] = '\0';
    for (int i = 0; i < PQntuples(result); i++) {
        len += (size_t)snprintf(text + len, sizeof text - len, "%s\n", PQgetvalue(result, i, 0));
        assert_true(len < sizeof text);
    }
    PQclear(result);
    return text;
}

static void a_connection_of_each_role_prepares_its_statements(void **state)
{
    char *conninfo = help_database();
    static const enum pg_role roles[] = {PG_WRITER, PG_READER, PG_LEDGER};

    (void)state;
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        struct pg_conn *conn =
            pg_conn_create(conninfo, roles[i], "prepare", help_waker(), help_now());
        fl_ms end = help_now() + HELP_WAIT_MS;

        while (pg_conn_turn(conn, help_now()) == PG_CONNECTING && help_now() < end) {
            usleep(1000);
        }
        if (pg_conn_state(conn) != PG_READY) fail_msg("%s", pg_conn_error(conn));
        pg_conn_destroy(conn);
    }
    fl_free(conninfo);
}

static const char *value_of(Oid type)
{
    switch (type) {
    case PG_BYTEA:
        return "'\\x00'";
    case PG_INT8:
    case PG_INT4:
    case PG_INT2:
        return "1";
    case PG_BOOL:
        return "'t'";
    case PG_TEXT:
        return "'a'";
    case PG_BOOL_ARRAY:
        return "'{t,f}'";
    case PG_BYTEA_ARRAY:
        return "'{\"\\\\x01\",\"\\\\x02\"}'";
    case PG_TEXT_ARRAY:
        return "'{\"{}\",\"{\\\"a\\\":1}\"}'";
    default:
        return "'{1,2}'";
    }
}

static const char *type_name(Oid type)
{
    switch (type) {
    case PG_BYTEA:
        return "bytea";
    case PG_INT8:
        return "int8";
    case PG_INT4:
        return "int4";
    case PG_INT2:
        return "int2";
    case PG_BOOL:
        return "bool";
    case PG_TEXT:
        return "text";
    case PG_BOOL_ARRAY:
        return "bool[]";
    case PG_BYTEA_ARRAY:
        return "bytea[]";
    case PG_INT2_ARRAY:
        return "int2[]";
    case PG_INT4_ARRAY:
        return "int4[]";
    case PG_TEXT_ARRAY:
        return "text[]";
    case PG_INT8_ARRAY:
        return "int8[]";
    default:
        fail_msg("type %u has no name here", type);
        return "";
    }
}

static void prepare_all(struct pg_conn *conn)
{
    for (size_t i = 0; i < PG_STMTS_LEN; i++) {
        struct pg_stmt_text stmt;
        char sql[PG_SQL_MAX + 1024];
        int len;

        pg_stmt_text((enum pg_stmt)i, &stmt);
        if (stmt.params == 0) continue;
        len = snprintf(sql, sizeof sql, "prepare %s(", pg_stmts[i].name);
        for (int p = 0; p < stmt.params; p++) {
            len += snprintf(sql + len, sizeof sql - (size_t)len, "%s%s", p ? "," : "",
                            type_name(stmt.types[p]));
        }
        snprintf(sql + len, sizeof sql - (size_t)len, ") as %s", stmt.sql);
        text_of(conn, sql);
    }
}

/* NULL: it has no parameters. */
static char *explain(struct pg_conn *conn, enum pg_stmt number)
{
    struct pg_stmt_text stmt;
    char sql[1024];
    int len = snprintf(sql, sizeof sql, "explain (costs off, verbose) execute %s(",
                       pg_stmts[number].name);

    pg_stmt_text(number, &stmt);
    if (stmt.params == 0) return NULL;
    for (int p = 0; p < stmt.params; p++) {
        len += snprintf(sql + len, sizeof sql - (size_t)len, "%s%s", p ? "," : "",
                        value_of(stmt.types[p]));
    }
    snprintf(sql + len, sizeof sql - (size_t)len, ")");
    return text_of(conn, sql);
}

/* Which columns each look into a table must name in its Index Cond; with 'is_some', one of them at
 * least. */
struct look {
    enum pg_stmt stmt;
    const char *table;
    const char *columns[4];
    bool is_some;
};

static const struct look looks[] = {
    {PG_STMT_chain, "journal", {"batch"}},
    {PG_STMT_chain, "leader", {"one"}},
    {PG_STMT_shape_drop, "shape", {"id"}},
    {PG_STMT_join_drop, "join_token", {"token"}},
    {PG_STMT_token_drop, "token", {"id"}},
    {PG_STMT_spec_new, "spec", {"job", "digest"}},
    {PG_STMT_attempt_first, "element_end", {"job"}}, /* is there one between them at all? */
    {PG_STMT_attempt_first, "element_end", {"job", "element"}, .is_some = true},
    {PG_STMT_attempt_first_alike, "element_end", {"job"}},
    {PG_STMT_attempt_first_alike, "element_end", {"job", "element"}, .is_some = true},
    {PG_STMT_attempt_new, "element_end", {"job", "element"}},
    {PG_STMT_attempt_new, "attempt_end", {"job", "element", "n"}},
    {PG_STMT_mark_clear, "open_mark", {"job", "kind"}},
    {PG_STMT_open_mark_drop, "open_mark", {"job"}},
    {PG_STMT_open_job_drop, "open_job", {"job"}},
    {PG_STMT_job_edited, "job", {"id"}},
    {PG_STMT_open_job_edited, "open_job", {"job"}},
    {PG_STMT_idempotency_drop, "idempotency", {"tenant", "key"}},
    {PG_STMT_idempotency_find, "idempotency", {"tenant", "key"}},
    {PG_STMT_jobs_page, "job", {"id"}},
    {PG_STMT_jobs_page, "element_end", {"job", "element"}},
    {PG_STMT_jobs_page, "job_end", {"job"}},
    {PG_STMT_jobs_page_of_queue, "job", {"queue", "id"}},
    {PG_STMT_jobs_page_of_queue, "element_end", {"job", "element"}},
    {PG_STMT_jobs_page_of_queue, "job_end", {"job"}},
    {PG_STMT_jobs_by_id, "job", {"id"}},
    {PG_STMT_jobs_by_id, "element_end", {"job", "element"}},
    {PG_STMT_jobs_by_id, "job_end", {"job"}},
    {PG_STMT_jobs_by_id, "journal", {"batch"}},
    {PG_STMT_specs_by_digest, "spec", {"job", "digest"}},
    {PG_STMT_specs_of_newest, "job", {"id"}},
    {PG_STMT_specs_of_newest, "spec", {"job", "digest"}},
    {PG_STMT_attempts_page, "attempt", {"job", "element"}},
    {PG_STMT_attempts_page, "attempt_end", {"job", "element", "n"}},
    {PG_STMT_attempts_page, "element_end", {"job", "element"}},
    {PG_STMT_attempts_page, "journal", {"batch"}},
    {PG_STMT_attempts_in_state, "element_end", {"job", "element"}},
    {PG_STMT_attempts_in_state, "attempt", {"job", "element", "n"}},
    {PG_STMT_attempts_in_state, "journal", {"batch"}},
    {PG_STMT_failures_page, "element_end", {"job", "element"}},
    {PG_STMT_failures_page, "attempt_words", {"job", "element", "n"}},
    {PG_STMT_outputs_page, "attempt", {"job", "element"}},
    {PG_STMT_outputs_page, "attempt_end", {"job", "element", "n"}},
    {PG_STMT_outputs_page, "element_end", {"job", "element"}},
    {PG_STMT_outputs_page, "journal", {"batch"}},
    {PG_STMT_element_counts, "element_end", {"job"}},
    {PG_STMT_job_batches, "job", {"id"}},
    {PG_STMT_job_batches, "job_edit", {"job"}},
    {PG_STMT_job_batches, "attempt", {"job"}},
    {PG_STMT_job_batches, "attempt_end", {"job"}},
    {PG_STMT_job_batches, "attempt_stop", {"job"}},
    {PG_STMT_job_batches, "element_end", {"job"}},
    {PG_STMT_job_batches, "job_end", {"job"}},
    {PG_STMT_job_batches, "audit", {"body", "batch"}},
    {PG_STMT_journal_of, "journal", {"batch"}},
    {PG_STMT_journal_since, "journal", {"batch"}},
    {PG_STMT_job_queues, "job", {"id"}},
    {PG_STMT_job_queues, "job_edit", {"job"}},
    {PG_STMT_audit_page, "audit", {"batch", "n"}},
    {PG_STMT_queues_page, "queue", {"id"}},
    {PG_STMT_clusters_page, "cluster", {"id"}},
    {PG_STMT_join_tokens_page, "join_token", {"token"}},
    {PG_STMT_tokens_page, "token", {"id"}},
    {PG_STMT_usage_journal, "usage_mark", {"one"}},
    {PG_STMT_usage_journal, "journal", {"batch"}},
    {PG_STMT_usage_jobs, "job", {"id"}},
    {PG_STMT_usage_jobs, "journal", {"batch"}},
    {PG_STMT_usage_attempts, "attempt", {"job", "element", "n"}},
    {PG_STMT_usage_attempts, "attempt_end", {"job", "element", "n"}},
    {PG_STMT_usage_attempts, "journal", {"batch"}},
    {PG_STMT_usage_specs, "spec", {"job", "digest"}},
    {PG_STMT_usage_save, "usage_mark", {"one"}},
    {PG_STMT_usage_forget, "usage_day", {"day"}},
    {PG_STMT_usage_forget_hours, "queue_hour", {"hours", "hour"}},
    {PG_STMT_throughput, "usage_mark", {"one"}},
    {PG_STMT_throughput, "journal", {"batch"}},
    {PG_STMT_throughput, "queue_hour", {"hours", "hour", "tenant", "queue"}},
    {PG_STMT_usage_sums, "usage_mark", {"one"}},
    {PG_STMT_usage_sums, "journal", {"batch"}},
    {PG_STMT_usage_sums, "usage_day", {"day", "tenant"}},
};

static bool is_on(const char *line, const char *table)
{
    const char *at = strstr(line, " on public.");
    size_t len = strlen(table);

    if (!strstr(line, "Scan ") || !at) return false;
    at += strlen(" on public.");
    if (strncmp(at, table, len) != 0) return false;
    return at[len] == ' ' || at[len] == '\0' || strncmp(at + len, "_p", 2) == 0;
}

/* "x.job", "(job", "shape.id" and "ROW(a.job, " name a column; "job_id" does not. */
static bool names(const char *cond, const char *column)
{
    size_t len = strlen(column);

    for (const char *at = cond; (at = strstr(at, column)); at++) {
        if ((at[-1] == '.' || at[-1] == '(') && strchr(" ),", at[len]) && at[len]) return true;
    }
    return false;
}

/* The first of the columns that the condition does not name; NULL: it names them all. */
static const char *missing(const struct look *look, const char *cond)
{
    for (size_t c = 0; c < 4 && look->columns[c]; c++) {
        if (!names(cond, look->columns[c])) return look->columns[c];
    }
    return NULL;
}

/* Every scan of the table has an Index Cond with all its columns, or goes to the row by its
 * address. */
static void check_look(const struct look *look, const char *plan)
{
    char *lines = fl_new_array(char, strlen(plan) + 1), *rest = lines;
    bool is_inside = false;
    size_t scans = 0, conds = 0;

    strcpy(lines, plan);
    for (char *line; (line = strtok_r(rest, "\n", &rest));) {
        if (is_on(line, look->table)) {
            is_inside = true;
            scans++;
        } else if (is_inside && strstr(line, "TID Cond:")) {
            conds++;
        } else if (is_inside && strstr(line, "Index Cond:")) {
            const char *column = missing(look, line);

            if (column && look->is_some) continue;
            if (column) {
                fail_msg("%s: %s is not in the Index Cond of %s:\n%s", pg_stmts[look->stmt].name,
                         column, look->table, plan);
            }
            conds++;
        } else if (strstr(line, "->  ")) {
            is_inside = false;
        }
    }
    if (conds == 0 || (conds != scans && !look->is_some)) {
        fail_msg("%s looks into %s %zu times, %zu of them by a key:\n%s", pg_stmts[look->stmt].name,
                 look->table, scans, conds, plan);
    }
    fl_free(lines);
}

/* A Merge Append, which sorts nothing, takes the next row of the partition that has it. */
static bool call_reads_too_much(const char *plan)
{
    static const char *const words[] = {"Seq Scan", "Hash",     "Merge Join",
                                        "Bitmap",   "->  Sort", "Incremental Sort"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strstr(plan, words[i])) return true;
    }
    return strncmp(plan, "Sort", 4) == 0;
}

static void check_plans(struct pg_conn *conn)
{
    for (size_t i = 0; i < PG_STMTS_LEN; i++) {
        bool is_listed = false;
        const char *plan;

        plan = explain(conn, (enum pg_stmt)i);
        if (!plan) continue;
        /* Sums by any choice of columns are sorted. */
        if (i != PG_STMT_usage_sums && call_reads_too_much(plan)) {
            fail_msg("%s reads more than it needs:\n%s", pg_stmts[i].name, plan);
        }
        for (size_t l = 0; l < sizeof looks / sizeof looks[0]; l++) {
            if (looks[l].stmt != (enum pg_stmt)i) continue;
            check_look(&looks[l], plan);
            is_listed = true;
        }
        if (!is_listed && (strstr(plan, "Scan using") || strstr(plan, "Tid Scan"))) {
            fail_msg("%s looks into a table and is not in the list:\n%s", pg_stmts[i].name, plan);
        }
    }
}

/* Ended ones with attempts, and among them some that are open: a third never started, a third run
 * for the second time, a third are arrays with one element ended. */
static void grow(struct help *help, uint64_t first, uint64_t jobs, uint64_t open_every)
{
    uint64_t number = help->taken.batch_newest;
    uint64_t job = first;

    while (job < first + jobs) {
        struct core_batch *batch = help_batch(++number);

        for (uint64_t i = 0; i < BATCH_JOBS; i++, job++) {
            bool is_open = job % open_every == 0;
            uint64_t kind = job / open_every % 3;

            help_job(batch, job, is_open && kind == 2 ? 3 : 1);
            if (is_open && kind == 0) continue;
            help_attempt(batch, job, 0, 1);
            if (is_open && kind == 1) {
                help_attempt_end(batch, job, 0, 1);
                help_attempt(batch, job, 0, 2);
            }
            if (is_open && kind == 2) help_end(batch, job, 0, 1);
            if (is_open) continue;
            help_end(batch, job, 0, 1);
            help_job_end(batch, job, false);
        }
        assert_int_equal(help_commit(help, batch), ENGINE_COMMITTED);
        core_batch_destroy(batch);
    }
    help->taken.batch_newest = number;
}

static void plans_made_on_the_empty_schema_use_whole_keys_then_and_after_growth(void **state)
{
    char *conninfo = help_database();
    struct help *help = help_create(conninfo, "a");
    struct pg_conn *conn = plain(conninfo, PG_PLAIN);
    fl_ms start = help_now();

    (void)state;
    prepare_all(conn);
    check_plans(conn); /* and so they are planned now */
    assert_int_equal(help_take(help, 0), FL_OK);
    grow(help, 1, GROWN_JOBS, GROWN_JOBS / OPEN_JOBS);
    printf("%d jobs lived their whole lives in %" PRId64 " ms\n", GROWN_JOBS, help_now() - start);
    check_plans(conn);
    help_run(conninfo, "analyze");
    check_plans(conn); /* planned again, with statistics */
    pg_conn_destroy(conn);
    help_destroy(help);
    fl_free(conninfo);
}

/* Partitions of the audit that the executed plan read. */
static size_t audits_read(const char *plan)
{
    char *lines = fl_new_array(char, strlen(plan) + 1), *rest = lines;
    size_t n = 0;

    strcpy(lines, plan);
    for (char *line; (line = strtok_r(rest, "\n", &rest));) {
        n += strstr(line, " on public.audit_") && !strstr(line, "(never executed)");
    }
    fl_free(lines);
    return n;
}

/* The job is of the last partition but one. */
static void the_history_of_a_job_opens_no_partition_of_the_audit_from_before_it(void **state)
{
    char *conninfo = help_database();
    struct help *help = help_create(conninfo, "a");
    struct pg_conn *conn = plain(conninfo, PG_PLAIN);
    const char *plan;

    (void)state;
    assert_int_equal(help_take(help, 0), FL_OK);
    grow(help, 1, 10, 20);
    help_run(conninfo, "create table audit_x partition of audit"
                       " for values from (1000000000000000) to (1000000000001000);"
                       "create table audit_y partition of audit"
                       " for values from (1000000000001000) to (1000000000002000);"
                       "update job set batch = 1000000000000100 where id = 3");
    prepare_all(conn);
    plan = text_of(conn, "explain (analyze, costs off, timing off, summary off, verbose)"
                         " execute job_batches(3, 10, 'job-3')");
    assert_non_null(strstr(plan, " on public.audit_p0"));
    if (audits_read(plan) != 2) fail_msg("%s", strstr(plan, " on public.audit_p0"));
    pg_conn_destroy(conn);
    help_destroy(help);
    fl_free(conninfo);
}

/* ---- load ------------------------------------------------------------------------------------ */

static void drop_row(void *ctx, const struct row *row)
{
    (void)row;
    ++*(uint64_t *)ctx;
}

/* A load of its own, kept for its texts. */
static struct load *loaded(const char *conninfo, uint64_t *rows)
{
    struct load *load = load_create(conninfo, help_waker(), drop_row, rows, help_now());
    fl_ms end = help_now() + HELP_WAIT_MS;
    enum load_state state;

    while ((state = load_turn(load, help_now())) == LOAD_GOES_ON && help_now() < end) {
        if (load_deadline(load) > help_now()) help_wait(10);
    }
    if (state != LOAD_DONE) fail_msg("%s", load_error(load));
    return load;
}

/* Rows that a plan hands out from a table of ended and open jobs.  Its scans go by the key of an
 * open job and have no filter.  Besides them, two index entries may be peeked at: the first and the
 * last. */
static uint64_t rows_taken(const char *plan, const char *table)
{
    char *lines = fl_new_array(char, strlen(plan) + 1), *rest = lines;
    uint64_t joined = 0, rows, loops;
    size_t peeks = 0, scans = 0, keyed = 0;
    bool is_inside = false;

    strcpy(lines, plan);
    for (char *line; (line = strtok_r(rest, "\n", &rest));) {
        const char *join = strstr(line, "Nested Loop (actual rows=");

        if (join && sscanf(join, "Nested Loop (actual rows=%" SCNu64 " loops=%" SCNu64, &rows,
                           &loops) == 2) {
            joined += rows * loops;
        }
        if (strstr(line, "->")) is_inside = false;
        if (is_on(line, table)) {
            bool is_peek =
                strstr(line, "Index Only Scan") && (strstr(line, "(actual rows=1 loops=1)") ||
                                                    strstr(line, "(actual rows=0 loops=1)"));

            peeks += is_peek;
            scans += !is_peek;
            is_inside = !is_peek;
        }
        if (is_inside && strstr(line, "job = open_job.job)")) keyed++;
        if (is_inside && strstr(line, "Filter")) fail_msg("filters:\n%s", plan);
    }
    fl_free(lines);
    if (scans != keyed || peeks > 2) fail_msg("not by key alone:\n%s", plan);
    return scans > 0 ? joined : 0;
}

/* A sort of millions of elements is a file; that of the few arrays of pairs, by their ids, is not.
 */
static void check_sorts(const char *plan)
{
    static const char by[] = "Sort Key: ";

    for (const char *at = plan; (at = strstr(at, by)); at += sizeof by - 1) {
        const char *key = at + sizeof by - 1;

        if (strncmp(key, "open_job.job\n", 13) != 0 && strncmp(key, "open_mark.job\n", 14) != 0) {
            fail_msg("sorts:\n%s", plan);
        }
    }
}

static void a_load_reads_no_row_of_an_ended_job(void **state)
{
    char *conninfo = help_database();
    struct help *help = help_create(conninfo, "a");
    struct pg_conn *conn;
    struct load *load;
    uint64_t rows = 0, seen = 0;
    const char *sql;
    long long before, after;

    (void)state;
    assert_int_equal(help_take(help, 0), FL_OK);
    grow(help, 1, 20000, 100);
    help_run(conninfo, "vacuum analyze");
    conn = plain(conninfo, PG_LOADER);
    load = loaded(conninfo, &rows);
    for (size_t i = 0; (sql = load_part_sql(load, i)); i++) {
        char query[2048];
        const char *plan;
        uint64_t taken = 0;

        snprintf(query, sizeof query,
                 "explain (analyze, verbose, costs off, timing off, summary off) %s", sql);
        plan = text_of(conn, query);
        /* For ends of elements, open jobs with one element are filtered out. */
        if ((strstr(plan, "Removed by") && !strstr(plan, "Filter: (open_job.elements > 1)")) ||
            strstr(plan, "Recheck")) {
            fail_msg("reads rows that it does not need:\n%s", plan);
        }
        assert_null(strstr(plan, "Seq Scan"));
        check_sorts(plan);
        /* One walk along both indexes, not a look-up an element. */
        assert_int_equal(!strstr(sql, "not exists"), !strstr(plan, "Merge Anti Join"));
        for (const char *const *table = partition_tables[PARTITION_JOBS]; *table; table++) {
            /* From 'job' nothing but the newest id. */
            uint64_t rows_of = strcmp(*table, "job") != 0 ? rows_taken(plan, *table) : 0;

            if (rows_of > taken) taken = rows_of;
        }
        seen += taken;
    }
    before =
        help_number(conninfo, "select (select count(*) from attempt join open_job using (job)"
                              " left join element_end e using (job, element) where e.n is null) +"
                              " (select count(*) from attempt_end join open_job using (job)"
                              " left join element_end e using (job, element) where e.n is null) +"
                              " (select count(distinct job) from element_end join open_job"
                              " using (job))");
    printf("rows that open jobs need: %lld, handed out: %" PRIu64 "\n", before, seen);
    assert_int_equal(seen, before);
    assert_true(before > 100);
    load_destroy(load);
    pg_conn_destroy(conn);

    /* The server's own count of rows fetched, of one load alone. */
    help_destroy(help);
    until_counted(conninfo);
    help_run(conninfo, "select pg_stat_reset()");
    rows = 0;
    load = loaded(conninfo, &rows);
    load_destroy(load);
    before = help_number(conninfo,
                         "select count(*) from attempt where job in (select job from open_job)");
    until_counted(conninfo);
    after = help_number(conninfo,
                        "select coalesce(sum(seq_tup_read), 0) from pg_stat_user_tables"
                        " where relname ~ '^(attempt|attempt_end|element_end|job|job_end|spec)_p'");
    assert_true(before > 0 && rows > 200);
    assert_true(after <= before); /* that count itself may scan nothing but by index */
    fl_free(conninfo);
}

FL_TESTS(cmocka_unit_test(a_connection_of_each_role_prepares_its_statements),
         cmocka_unit_test(plans_made_on_the_empty_schema_use_whole_keys_then_and_after_growth),
         cmocka_unit_test(the_history_of_a_job_opens_no_partition_of_the_audit_from_before_it),
         cmocka_unit_test(a_load_reads_no_row_of_an_ended_job))
