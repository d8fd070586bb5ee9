#include "controlplane/store/migrate.h"

#include <inttypes.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controlplane/store/partition.h"
#include "shared/base/buf.h"

enum { SERVER_OLDEST = 150000, CREATE_TRIES = 20 };

static bool run(PGconn *pg, const char *sql, struct fl_err *err)
{
    PGresult *result = PQexec(pg, sql);
    ExecStatusType status = PQresultStatus(result);
    bool is_good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;

    if (!is_good) {
        const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

        fl_fail(err, FL_IO, "%s", text ? text : PQerrorMessage(pg));
    }
    PQclear(result);
    return is_good;
}

/* Runs a query for one value; "" if it has none. */
static bool ask(PGconn *pg, const char *sql, char *ret_text, size_t text_bytes, struct fl_err *err)
{
    PGresult *result = PQexec(pg, sql);
    bool is_good = PQresultStatus(result) == PGRES_TUPLES_OK;

    if (is_good) {
        snprintf(ret_text, text_bytes, "%s", PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "");
    } else {
        fl_fail(err, FL_IO, "%s", PQerrorMessage(pg));
    }
    PQclear(result);
    return is_good;
}

static bool is_durable(PGconn *pg, struct fl_err *err)
{
    static const char *const settings[] = {"fsync", "full_page_writes", "synchronous_commit"};
    char sql[64], value[64];

    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        snprintf(sql, sizeof sql, "show %s", settings[i]);
        if (!ask(pg, sql, value, sizeof value, err)) return false;
        if (strcmp(value, "off") == 0) {
            return fl_fail(
                err, FL_UNSUPPORTED,
                "Postgres runs with %s = off and may lose what it has confirmed: turn it on",
                settings[i]);
        }
    }
    return true;
}

static bool is_fit(PGconn *pg, struct fl_err *err)
{
    char value[64];

    if (PQserverVersion(pg) < SERVER_OLDEST) {
        return fl_fail(err, FL_UNSUPPORTED, "Postgres %d is too old: 15 or newer is needed",
                       PQserverVersion(pg) / 10000);
    }
    if (!ask(pg, "select pg_is_in_recovery()", value, sizeof value, err)) return false;
    if (value[0] == 't') {
        return fl_fail(err, FL_UNSUPPORTED, "this Postgres is a standby: connect to the primary");
    }
    if (!ask(pg, "show server_encoding", value, sizeof value, err)) return false;
    if (strcmp(value, "UTF8") != 0) {
        return fl_fail(err, FL_UNSUPPORTED, "the database's encoding is %s: create it with UTF8",
                       value);
    }
    return is_durable(pg, err);
}

/* Two programs may both find the table missing; then one fails, tries again, and finds it. */
static bool make_version_table(PGconn *pg, struct fl_err *err)
{
    for (int tries = 0; tries < CREATE_TRIES; tries++) {
        if (run(pg,
                "create table if not exists schema_version(version int primary key, name text not "
                "null,"
                " at timestamptz not null default now())",
                err)) {
            return true;
        }
        if (PQstatus(pg) != CONNECTION_OK) return false;
    }
    return false;
}

/* Makes the first partitions, and the journal row that the first batch follows. */
static bool make_first(PGconn *pg, const struct partition_config *config, struct fl_err *err)
{
    const struct partition_range first[PARTITION_FAMILIES_LEN] = {
        [PARTITION_JOBS] = {0, config->job_span}, [PARTITION_BATCHES] = {0, config->batch_span}};

    for (int f = 0; f < PARTITION_FAMILIES_LEN; f++) {
        struct fl_buf sql;
        char attached[64], query[128];
        bool is_good;

        snprintf(query, sizeof query,
                 "select count(*) from pg_inherits where inhparent = '%s'::regclass",
                 partition_master((enum partition_family)f));
        if (!ask(pg, query, attached, sizeof attached, err)) return false;
        if (strcmp(attached, "0") != 0) continue;
        fl_buf_init(&sql, 8192);
        is_good = partition_make_sql(&sql, (enum partition_family)f, first[f]) &&
                  run(pg, (const char *)sql.at, err);
        fl_buf_fini(&sql);
        if (!is_good) return false;
    }
    return run(pg,
               "insert into journal(batch, prev, epoch, at, body) select 0, -1, 0, 0, ''"
               " where not exists (select from journal)",
               err);
}

/* Takes the lock and then one step; *ret_is_done: no step was left. */
static bool step(PGconn *pg, const struct migration *steps, size_t steps_len, bool *ret_is_done,
                 struct fl_err *err)
{
    char newest[128], version[32];
    const struct migration *next;
    char sql[256];
    size_t at;

    if (!run(pg, "begin; lock table schema_version in access exclusive mode", err)) return false;
    if (!ask(pg, "select version from schema_version order by version desc limit 1", version,
             sizeof version, err)) {
        return false;
    }
    if (!ask(pg, "select name from schema_version order by version desc limit 1", newest,
             sizeof newest, err)) {
        return false;
    }
    at = strtoul(version, NULL, 10);
    if (at > steps_len) {
        return fl_fail(
            err, FL_UNSUPPORTED,
            "the database has schema %s, this program knows %s at most: use a newer program",
            newest, steps[steps_len - 1].name);
    }
    if (at > 0 && strcmp(newest, steps[at - 1].name) != 0) {
        return fl_fail(err, FL_UNSUPPORTED, "the database has schema %s where this program has %s",
                       newest, steps[at - 1].name);
    }
    *ret_is_done = at == steps_len;
    if (*ret_is_done) return run(pg, "commit", err);
    next = &steps[at];
    if (!run(pg, next->sql, err)) return fl_err_wrap(err, "schema %s", next->name);
    snprintf(sql, sizeof sql, "insert into schema_version(version, name) values (%d, '%s'); commit",
             next->version, next->name);
    return run(pg, sql, err);
}

static bool migrate_on(PGconn *pg, const struct partition_config *config,
                       const struct migration *steps, size_t steps_len, struct fl_err *err)
{
    bool is_done = false;

    if (!is_fit(pg, err)) return false;
    if (!run(pg, "set client_min_messages = warning; set lock_timeout = '60s'", err)) return false;
    if (!make_version_table(pg, err)) return false;
    while (!is_done) {
        if (!step(pg, steps, steps_len, &is_done, err)) return false;
    }
    /* Under the lock again: two programs may start on an empty database. */
    if (!run(pg, "begin; lock table schema_version in access exclusive mode", err)) return false;
    if (!make_first(pg, config, err)) return fl_err_wrap(err, "first partitions");
    return run(pg, "commit", err);
}

bool migrate_to(const char *conninfo, const struct partition_config *config,
                const struct migration *steps, size_t steps_len, struct fl_err *err)
{
    const char *keys[] = {"dbname", "application_name", "connect_timeout", NULL};
    const char *values[] = {conninfo, "fairlead migrate", "10", NULL};
    PGconn *pg = PQconnectdbParams(keys, values, 1);
    bool is_good = PQstatus(pg) == CONNECTION_OK
                       ? migrate_on(pg, config, steps, steps_len, err)
                       : fl_fail(err, FL_UNAVAILABLE, "%s", PQerrorMessage(pg));

    PQfinish(pg); /* a failed transaction ends with the connection */
    return is_good;
}

bool migrate(const char *conninfo, const struct partition_config *config, struct fl_err *err)
{
    return migrate_to(conninfo, config, migrations, migrations_len, err);
}
