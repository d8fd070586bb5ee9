#include "cli/demo/demo_postgres.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SOCKET_PATH_MAX = 107 - 20 }; /* sun_path, less the room for "/.s.PGSQL.5432.lock" */

/* ---- user and folder ------------------------------------------------------------------------- */

static bool has_initdb(const char *folder)
{
    char path[600];

    snprintf(path, sizeof path, "%s/initdb", folder);
    return access(path, X_OK) == 0;
}

static bool find_programs(struct demo_postgres *postgres, struct fl_err *err)
{
    FILE *out;

    for (int version = 20; version >= 13; version--) { /* Debian keeps them out of PATH */
        snprintf(postgres->bin, sizeof postgres->bin, "/usr/lib/postgresql/%d/bin", version);
        if (has_initdb(postgres->bin)) return true;
    }
    out = popen("pg_config --bindir 2>/dev/null", "re"); /* a constant; elsewhere it knows */
    if (out) {
        if (!fgets(postgres->bin, sizeof postgres->bin, out)) postgres->bin[0] = 0;
        postgres->bin[strcspn(postgres->bin, "\n")] = 0;
        pclose(out);
        if (postgres->bin[0] && has_initdb(postgres->bin)) return true;
    }
    return fl_fail(err, FL_ABSENT,
                   "no Postgres on this machine: 'apt-get install postgresql-15' (Debian), or put "
                   "its pg_config into PATH");
}

static bool make_folder(const char *path, const struct demo_postgres *postgres, struct fl_err *err)
{
    if (mkdir(path, 0700) < 0 || (postgres->uid && chown(path, postgres->uid, postgres->gid) < 0)) {
        return fl_fail(err, errno == ENOSPC ? FL_NO_SPACE : FL_IO, "%s cannot be made: %s", path,
                       strerror(errno));
    }
    return true;
}

bool demo_postgres_prepare(struct demo_postgres *postgres, const char *dir, struct fl_err *err)
{
    *postgres = (struct demo_postgres){0};
    if (!find_programs(postgres, err)) return false;
    if (geteuid() == 0) {
        const struct passwd *user = getpwnam("postgres");

        if (!user) user = getpwnam("nobody");
        if (!user) {
            return fl_fail(
                err, FL_ABSENT,
                "Postgres refuses root, and the host has neither user 'postgres' nor 'nobody'");
        }
        postgres->uid = user->pw_uid;
        postgres->gid = user->pw_gid;
    }
    snprintf(postgres->data, sizeof postgres->data, "%s/pg", dir);
    snprintf(postgres->socket, sizeof postgres->socket, "%s/run", dir);
    if (strlen(postgres->socket) > SOCKET_PATH_MAX) {
        return fl_fail(err, FL_TOO_LARGE,
                       "%s is too long for a socket: choose a shorter --dir or TMPDIR", dir);
    }
    return make_folder(postgres->data, postgres, err) &&
           make_folder(postgres->socket, postgres, err);
}

/* ---- running it ------------------------------------------------------------------------------ */

/* In a child. */
static void change_user(const struct demo_postgres *postgres)
{
    if (postgres->uid &&
        (setgroups(0, NULL) < 0 || setgid(postgres->gid) < 0 || setuid(postgres->uid) < 0)) {
        _exit(126);
    }
    umask(0077);
    if (chdir("/") < 0) _exit(126);
}

static void write_to(const char *log)
{
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        dup2(fd, 1);
        dup2(fd, 2);
    }
    if (null >= 0) dup2(null, 0);
}

static bool is_complaint(const char *line)
{
    return strstr(line, "error:") || strstr(line, "FATAL:") || strstr(line, "PANIC:") ||
           strstr(line, "No space left");
}

/* The last complaint in the log, else its last line: initdb writes more lines after a complaint. */
static bool read_why(const char *log, char *ret_line, size_t bytes)
{
    FILE *in = fopen(log, "re");
    char line[256];
    bool has_complaint = false;

    ret_line[0] = 0;
    if (!in) return false;
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = 0;
        if (!line[0] || (has_complaint && !is_complaint(line))) continue;
        has_complaint = is_complaint(line);
        snprintf(ret_line, bytes, "%s", line);
    }
    fclose(in);
    return ret_line[0] != 0;
}

bool demo_postgres_init(const struct demo_postgres *postgres, const char *log, struct fl_err *err)
{
    char program[600], why[256];
    int status = 0;
    pid_t child;

    snprintf(program, sizeof program, "%s/initdb", postgres->bin);
    child = fork();
    if (child < 0) return fl_fail(err, FL_IO, "no process for initdb: %s", strerror(errno));
    if (child == 0) {
        write_to(log);
        change_user(postgres);
        /* By its full path: initdb looks for its files beside itself, and Debian does not have it
         * in the PATH. */
        execl(program, program, "-D", postgres->data, "-U", "fairlead", "-A", "trust", "--no-sync",
              "--no-locale", "-E", "UTF8", (char *)NULL);
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        continue;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    if (!read_why(log, why, sizeof why)) snprintf(why, sizeof why, "it says nothing");
    if (strstr(why, "No space")) {
        return fl_fail(err, FL_NO_SPACE,
                       "the disk of %s is full: a fleet wants 200 MiB; name another place with "
                       "--dir or TMPDIR",
                       postgres->data);
    }
    return fl_fail(err, FL_IO, "initdb failed: %s", why);
}

void demo_postgres_become(const struct demo_postgres *postgres, pid_t parent)
{
    char program[600], socket_setting[1100];

    change_user(postgres);
    /* After the change of user, which clears it.  SIGQUIT is an immediate stop. */
    prctl(PR_SET_PDEATHSIG, SIGQUIT);
    if (getppid() != parent) _exit(1);
    snprintf(program, sizeof program, "%s/postgres", postgres->bin);
    snprintf(socket_setting, sizeof socket_setting, "unix_socket_directories=%s", postgres->socket);
    execl(program, program, "-D", postgres->data, "-c", "listen_addresses=", "-c", socket_setting,
          "-c", "max_connections=60", "-c", "shared_buffers=64MB", "-c", "max_wal_size=256MB",
          (char *)NULL);
    _exit(127);
}

bool demo_postgres_is_ready(const struct demo_postgres *postgres)
{
    char program[600];
    int status = 1;
    pid_t child = fork();

    if (child < 0) return false;
    if (child == 0) {
        write_to("/dev/null");
        snprintf(program, sizeof program, "%s/psql", postgres->bin);
        execl(program, "psql", "-X", "-q", "-h", postgres->socket, "-U", "fairlead", "-d",
              "postgres", "-v", "ON_ERROR_STOP=1", "-c", "create database fairlead", (char *)NULL);
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        continue;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
