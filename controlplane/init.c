#include "controlplane/init.h"

#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#include "controlplane/store/migrate.h"
#include "controlplane/store/partition.h"
#include "shared/base/buf.h"
#include "shared/io/config.h"
#include "shared/io/exits.h"
#include "shared/io/text_wrap.h"

enum setting { HOST, PORT, NAME, ROLE, PASSWORD, ADMIN, DRY_RUN, SETTINGS_LEN };

static const struct fl_config_setting settings[SETTINGS_LEN] = {
    [HOST] = {"host", FL_CONFIG_STRING, "/var/run/postgresql", 1, 255,
              "where Postgres is: a host, or the folder of its socket"},
    [PORT] = {"port", FL_CONFIG_INT, "5432", 1, 65535, "its port"},
    [NAME] = {"name", FL_CONFIG_STRING, "fairlead", 1, 63, "the database"},
    [ROLE] = {"role", FL_CONFIG_STRING, "fairleadd", 1, 63,
              "the role that owns it, as which fairleadd will connect"},
    [PASSWORD] = {"password", FL_CONFIG_SECRET, "", 0, 0,
                  "the role's, if it is made now; empty: none, as over a socket"},
    [ADMIN] = {"admin", FL_CONFIG_STRING, "", 0, 63,
               "the role that may make others; empty: named as the user who runs this.  PGPASSWORD "
               "and the other variables of Postgres count"},
    [DRY_RUN] = {"dry_run", FL_CONFIG_BOOL, "false", 0, 0,
                 "say what would be made, and make nothing"},
};

enum { CONNINFO_MAX = 4096, SQL_MAX = 1024 };

struct init {
    const char *host, *name, *role, *password;
    char port[8];
    bool is_dry;
    PGconn *pg; /* the administrator's, to database postgres */
};

void init_print_help(FILE *out)
{
    fputs("usage: fairleadd init [--SETTING VALUE ...]\n\n", out);
    fl_text_wrap_put(
        "Prepares a Postgres database: makes the role, the database and the tables where "
        "they are missing, checks what is there, and says what comes next. Run it as a "
        "user whom Postgres lets do that, as root: su postgres -c 'fairleadd init'.",
        "", out);
    fputc('\n', out);
    fl_config_print_help(settings, SETTINGS_LEN, out);
}

/* ---- connections ----------------------------------------------------------------------------- */

static void put(struct fl_buf *out, const char *text)
{
    FL_IGNORE(fl_buf_put(out, text, strlen(text)));
}

static void put_option(struct fl_buf *out, const char *keyword, const char *value)
{
    if (!value || !*value) return;
    if (out->len > 0) put(out, " ");
    put(out, keyword);
    put(out, "=");
    if (value[strcspn(value, " '\\")] == '\0') {
        put(out, value);
        return;
    }
    put(out, "'");
    for (; *value; value++) {
        char text[] = {*value, '\0'};

        if (*value == '\'' || *value == '\\') put(out, "\\");
        put(out, text);
    }
    put(out, "'");
}

static void put_way(struct fl_buf *out, const struct init *init)
{
    put_option(out, "host", init->host);
    if (strcmp(init->port, "5432") != 0) put_option(out, "port", init->port);
}

/* The administrator's connection, but to the new database and in its role, so that all that is
 * made belongs to it. */
static void put_as_role(struct fl_buf *out, const struct init *init)
{
    char role[80];

    snprintf(role, sizeof role, "-c role=%s", init->role);
    put_way(out, init);
    put_option(out, "user", PQuser(init->pg));
    put_option(out, "password", PQpass(init->pg));
    put_option(out, "dbname", init->name);
    put_option(out, "options", role);
    FL_IGNORE(fl_buf_put_u8(out, 0));
}

/* Names go into SQL and into connection strings. */
static bool is_plain(const char *name)
{
    return name[0] >= 'a' && name[0] <= 'z' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

static bool read_settings(struct init *init, const struct fl_config *config, struct fl_err *err)
{
    static const enum setting names[] = {NAME, ROLE};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *name = fl_config_string(config, names[i]);

        if (is_plain(name)) continue;
        return fl_fail(err, FL_INVALID, "--%s %s: wants a-z, 0-9 and '_', a letter first",
                       settings[names[i]].key, name);
    }
    init->host = fl_config_string(config, HOST);
    init->name = fl_config_string(config, NAME);
    init->role = fl_config_string(config, ROLE);
    init->password = fl_config_string(config, PASSWORD);
    init->is_dry = fl_config_bool(config, DRY_RUN);
    snprintf(init->port, sizeof init->port, "%d", (int)fl_config_int(config, PORT));
    return true;
}

/* ---- Postgres -------------------------------------------------------------------------------- */

static bool connect_as_admin(struct init *init, const char *admin, struct fl_err *err)
{
    const char *keys[] = {"host", "port", "dbname", "user", NULL};
    const char *values[] = {init->host, init->port, "postgres", *admin ? admin : NULL, NULL};

    init->pg = PQconnectdbParams(keys, values, 0);
    if (PQstatus(init->pg) == CONNECTION_OK) return true;
    return fl_fail(err, FL_UNAVAILABLE, "%.*s", (int)strcspn(PQerrorMessage(init->pg), "\n"),
                   PQerrorMessage(init->pg));
}

/* One row of texts; NULL: it failed. */
static PGresult *ask(const struct init *init, const char *sql, const char *param,
                     struct fl_err *err)
{
    PGresult *result =
        PQexecParams(init->pg, sql, 1, NULL, (const char *const[]){param}, NULL, NULL, 0);

    if (PQresultStatus(result) == PGRES_TUPLES_OK) return result;
    fl_fail(err, FL_IO, "%s", PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
    PQclear(result);
    return NULL;
}

static bool run(const struct init *init, const char *sql, struct fl_err *err)
{
    PGresult *result = PQexec(init->pg, sql);
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    bool is_good = PQresultStatus(result) == PGRES_COMMAND_OK;

    if (!is_good && state && strcmp(state, "42501") == 0) {
        fl_fail(err, FL_DENIED, "%s, as user %s of Postgres", text, PQuser(init->pg));
    } else if (!is_good) {
        fl_fail(err, FL_IO, "%s", text ? text : PQerrorMessage(init->pg));
    }
    PQclear(result);
    return is_good;
}

static void tell(const struct init *init, bool is_there, const char *what, const char *name)
{
    printf("%-12s%s%s\n", is_there ? "ok" : init->is_dry ? "would make" : "made", what, name);
}

static bool make_role(const struct init *init, struct fl_err *err)
{
    const char *password = init->password;
    PGresult *found =
        ask(init, "select rolcanlogin from pg_roles where rolname = $1", init->role, err);
    bool is_there, may_login;
    char sql[SQL_MAX];

    if (!found) return false;
    is_there = PQntuples(found) > 0;
    may_login = is_there && PQgetvalue(found, 0, 0)[0] == 't';
    PQclear(found);
    if (is_there && !may_login) {
        return fl_fail(err, FL_UNSUPPORTED, "role %s may not log in: alter role \"%s\" login",
                       init->role, init->role);
    }
    if (!is_there && !init->is_dry) {
        char *quoted = *password ? PQescapeLiteral(init->pg, password, strlen(password)) : NULL;
        int len = snprintf(sql, sizeof sql, "create role \"%s\" login%s%s", init->role,
                           quoted ? " password " : "", quoted ? quoted : "");

        PQfreemem(quoted);
        if (len >= SQL_MAX) return fl_fail(err, FL_INVALID, "--password: it is too long");
        if (!run(init, sql, err)) return false;
    }
    tell(init, is_there, "role ", init->role);
    return true;
}

static bool make_database(const struct init *init, bool *ret_is_there, struct fl_err *err)
{
    PGresult *found = ask(init,
                          "select pg_encoding_to_char(encoding), pg_get_userbyid(datdba)"
                          " from pg_database where datname = $1",
                          init->name, err);
    char sql[SQL_MAX];
    bool is_good = true;

    if (!found) return false;
    *ret_is_there = PQntuples(found) > 0;
    if (*ret_is_there && strcmp(PQgetvalue(found, 0, 0), "UTF8") != 0) {
        is_good = fl_fail(err, FL_UNSUPPORTED,
                          "database %s has the encoding %s, and UTF8 is needed: name another one "
                          "by --name",
                          init->name, PQgetvalue(found, 0, 0));
    } else if (*ret_is_there && strcmp(PQgetvalue(found, 0, 1), init->role) != 0) {
        is_good = fl_fail(err, FL_UNSUPPORTED,
                          "database %s belongs to %s: name another one by --name, or give it "
                          "away: alter database \"%s\" owner to \"%s\"",
                          init->name, PQgetvalue(found, 0, 1), init->name, init->role);
    }
    PQclear(found);
    if (!is_good) return false;
    if (!*ret_is_there && !init->is_dry) {
        snprintf(sql, sizeof sql,
                 "create database \"%s\" owner \"%s\" encoding 'UTF8' template template0",
                 init->name, init->role);
        if (!run(init, sql, err)) return false;
    }
    tell(init, *ret_is_there, "database ", init->name);
    return true;
}

/* The newest step of the schema; 0: there is none. */
static int version_of(const char *conninfo)
{
    PGconn *pg = PQconnectdb(conninfo);
    PGresult *result = PQexec(pg, "select coalesce(max(version), 0) from schema_version");
    int version = PQresultStatus(result) == PGRES_TUPLES_OK ? atoi(PQgetvalue(result, 0, 0)) : 0;

    PQclear(result);
    PQfinish(pg);
    return version;
}

static bool make_tables(const struct init *init, struct fl_err *err)
{
    struct partition_config partitions = partition_config_default();
    struct fl_buf conninfo;
    int before, now;
    bool is_good;

    fl_buf_init(&conninfo, CONNINFO_MAX);
    put_as_role(&conninfo, init);
    before = version_of((const char *)conninfo.at);
    is_good = migrate((const char *)conninfo.at, &partitions, err);
    now = version_of((const char *)conninfo.at);
    fl_buf_fini(&conninfo);
    if (!is_good) return false;
    printf("%-12stables, in %d steps; Postgres %s keeps what it confirms\n",
           before == now ? "ok" : "made", now, PQparameterStatus(init->pg, "server_version"));
    return true;
}

/* ---- the next steps -------------------------------------------------------------------------- */

static void say_next(const struct init *init)
{
    struct fl_buf line;

    fl_buf_init(&line, CONNINFO_MAX);
    put_way(&line, init);
    put_option(&line, "dbname", init->name);
    put_option(&line, "user", init->role);
    if (*init->password) put(&line, " password=...");
    printf("\nThe next steps, as root:\n"
           "  1. its name:   echo \"database = %.*s\" >> /etc/fairlead/fairleadd.conf\n"
           "  2. the start:  systemctl enable --now fairleadd\n"
           "  3. log in:     fairlead login http://localhost:8474 < "
           "/var/lib/fairleadd/admin-token\n",
           (int)line.len, (const char *)line.at);
    fl_buf_fini(&line);
}

static bool prepare(struct init *init, const struct fl_config *config, struct fl_err *err)
{
    bool is_there;

    if (!read_settings(init, config, err) ||
        !connect_as_admin(init, fl_config_string(config, ADMIN), err) || !make_role(init, err) ||
        !make_database(init, &is_there, err)) {
        return false;
    }
    if (init->is_dry) {
        printf("%-12stables, or bring them up to date\n", "would make");
        return true;
    }
    if (!make_tables(init, err)) return false;
    say_next(init);
    return true;
}

int init_main(int argc, char **argv)
{
    struct fl_config *config = fl_config_create(settings, SETTINGS_LEN);
    struct init init = {0};
    struct fl_err err = {0};
    bool is_good;

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        init_print_help(stdout);
        fl_config_destroy(config);
        return FL_EXIT_OK;
    }
    is_good = fl_config_read_flags(config, argc, argv, &err) && prepare(&init, config, &err);
    fflush(stdout);
    if (!is_good) fprintf(stderr, "fairleadd init: %s\n", err.text);
    if (err.code == FL_UNAVAILABLE || err.code == FL_DENIED) {
        fputs("  It needs a user who may make roles and databases: as root, su postgres -c "
              "'fairleadd "
              "init'; or name one by --admin.\n",
              stderr);
    }
    PQfinish(init.pg);
    fl_config_destroy(config);
    return is_good ? FL_EXIT_OK : (int)fl_exit_of(&err);
}
