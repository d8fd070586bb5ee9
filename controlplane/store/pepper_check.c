#include "controlplane/store/pepper_check.h"

#include <libpq-fe.h>
#include <string.h>

#include "shared/base/hex.h"

/* Runs a statement with the hash as its parameter; *ret_has_row: it gave one. */
static bool run(PGconn *pg, const char *sql, const char *hex, bool *ret_has_row, struct fl_err *err)
{
    PGresult *result = PQexecParams(pg, sql, 1, NULL, &hex, NULL, NULL, 0);
    bool is_good = PQresultStatus(result) == PGRES_TUPLES_OK;

    if (is_good) {
        *ret_has_row = PQntuples(result) > 0;
    } else {
        fl_fail(err, FL_IO, "the hash of the pepper: %s", PQerrorMessage(pg));
    }
    PQclear(result);
    return is_good;
}

static bool check(PGconn *pg, const struct pepper *pepper, struct fl_err *err)
{
    char hex[FL_HEX_MAX(sizeof pepper->sha256.at)];
    bool has_row = false;

    fl_hex_print(pepper->sha256.at, sizeof pepper->sha256.at, hex);
    /* A database from before this table takes the pepper that it finds, unless that is new and
     * there are tokens of another. */
    if (!run(pg,
             pepper->is_new ? "insert into pepper(sha256) select decode($1, 'hex')"
                              " where not exists (select from token)"
                              " on conflict do nothing returning 1"
                            : "insert into pepper(sha256) values (decode($1, 'hex'))"
                              " on conflict do nothing returning 1",
             hex, &has_row, err)) {
        return false;
    }
    if (!run(pg, "select from pepper where sha256 = decode($1, 'hex')", hex, &has_row, err)) {
        return false;
    }
    if (has_row) return true;
    if (pepper->may_replace) {
        return run(pg,
                   "insert into pepper(sha256) values (decode($1, 'hex'))"
                   " on conflict (only_one) do update set sha256 = excluded.sha256 returning 1",
                   hex, &has_row, err);
    }
    return fl_fail(
        err, FL_UNSUPPORTED,
        "the pepper is not the one of this database: no token of it would be accepted. "
        "Restore the file 'pepper' in the state directory from its backup; or, if it is "
        "lost, start once with --make-admin-token true, which makes a new admin token, and "
        "make all others again");
}

bool pepper_check(const char *conninfo, const struct pepper *pepper, struct fl_err *err)
{
    const char *keys[] = {"dbname", "application_name", "connect_timeout", NULL};
    const char *values[] = {conninfo, "fairlead pepper", "10", NULL};
    PGconn *pg = PQconnectdbParams(keys, values, 1);
    bool is_good = PQstatus(pg) == CONNECTION_OK
                       ? check(pg, pepper, err)
                       : fl_fail(err, FL_UNAVAILABLE, "%s", PQerrorMessage(pg));

    PQfinish(pg);
    return is_good;
}
