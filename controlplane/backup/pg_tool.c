#include "controlplane/backup/pg_tool.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libpq-fe.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shared/base/alloc.h"
#include "shared/base/str.h"
#include "shared/base/vec.h"

enum { NOT_THERE = 127, WAIT_MS = 200 };

struct words {
    char **at;
    size_t len, cap;
};

struct pg_tool {
    struct words env; /* the last is NULL */
    char *database;
    uid_t uid;
    gid_t gid;
};

/* ---- the environment ------------------------------------------------------------------------- */

static void add(struct pg_tool *tool, const char *name, const char *value)
{
    size_t len = strlen(name) + 1 + strlen(value) + 1;
    char *text = fl_alloc(len);

    snprintf(text, len, "%s=%s", name, value);
    fl_vec_push(&tool->env, text);
}

static bool has_name_of(const struct pg_tool *tool, const char *entry)
{
    size_t len = strcspn(entry, "=") + 1;

    for (size_t i = 0; i < tool->env.len; i++) {
        if (strncmp(tool->env.at[i], entry, len) == 0) return true;
    }
    return false;
}

/* This process's own, where the connection string says nothing else, as it counts for the daemon;
 * FAIRLEAD_DATABASE holds a password. */
static void add_own(struct pg_tool *tool)
{
    for (char **at = environ; *at; at++) {
        if (strncmp(*at, "FAIRLEAD_", 9) == 0 || has_name_of(tool, *at)) continue;
        fl_vec_push(&tool->env, fl_str_dup(fl_str_c(*at)));
    }
}

bool pg_tool_create(const char *conninfo, uid_t uid, gid_t gid, struct pg_tool **ret_tool,
                    struct fl_err *err)
{
    char *why = NULL;
    PQconninfoOption *options = PQconninfoParse(conninfo, &why);
    struct pg_tool *tool;

    if (!options) {
        fl_fail(err, FL_INVALID, "database: %.*s", (int)strcspn(why ? why : "out of memory", "\n"),
                why ? why : "out of memory");
        PQfreemem(why);
        return false;
    }
    tool = fl_new(struct pg_tool);
    tool->uid = uid;
    tool->gid = gid;
    add(tool, "PGAPPNAME", "backup");
    for (const PQconninfoOption *option = options; option->keyword; option++) {
        if (!option->val) continue;
        if (strcmp(option->keyword, "dbname") == 0) {
            tool->database = fl_str_dup(fl_str_c(option->val));
        } else if (option->envvar && strcmp(option->keyword, "application_name") != 0) {
            add(tool, option->envvar, option->val);
        }
    }
    add_own(tool);
    fl_vec_push(&tool->env, NULL);
    PQconninfoFree(options);
    *ret_tool = tool;
    if (tool->database) return true;
    pg_tool_destroy(tool);
    return fl_fail(err, FL_INVALID, "database: the connection string names no dbname");
}

void pg_tool_destroy(struct pg_tool *tool)
{
    if (!tool) return;
    for (size_t i = 0; i < tool->env.len; i++) {
        fl_free(tool->env.at[i]);
    }
    fl_free(tool->env.at);
    fl_free(tool->database);
    fl_free(tool);
}

const char *pg_tool_database(const struct pg_tool *tool)
{
    return tool->database;
}

/* ---- running --------------------------------------------------------------------------------- */

static bool become(const struct pg_tool *tool)
{
    if (geteuid() != 0 || tool->uid == 0) return true;
    return setgroups(1, &tool->gid) == 0 && setgid(tool->gid) == 0 && setuid(tool->uid) == 0;
}

/* In the child. */
static _Noreturn void go(const struct pg_tool *tool, const char *const *words, int in, int out)
{
    int null = open("/dev/null", O_RDWR);

    if (dup2(in >= 0 ? in : null, STDIN_FILENO) < 0 ||
        dup2(out >= 0 ? out : null, STDOUT_FILENO) < 0 || !become(tool)) {
        _exit(NOT_THERE - 1);
    }
    execvpe(words[0], (char *const *)words, tool->env.at);
    _exit(errno == ENOENT ? NOT_THERE : NOT_THERE - 1);
}

static bool judge(const char *name, int status, struct fl_err *err)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_THERE) {
        return fl_fail(err, FL_ABSENT,
                       "%s is not on this machine: apt-get install postgresql-client", name);
    }
    if (WIFSIGNALED(status)) {
        return fl_fail(err, FL_IO, "%s was ended by signal %d", name, WTERMSIG(status));
    }
    return fl_fail(err, FL_IO, "%s failed, with exit code %d", name, WEXITSTATUS(status));
}

static bool wait_for(pid_t pid, const char *name, void (*on_wait)(void *), void *ctx,
                     struct fl_err *err)
{
    int status = 0;

    for (;;) {
        pid_t found = waitpid(pid, &status, on_wait ? WNOHANG : 0);

        if (found == pid) return judge(name, status, err);
        if (found < 0 && errno != EINTR) {
            return fl_fail(err, FL_IO, "wait for %s: %s", name, strerror(errno));
        }
        if (!on_wait || found < 0) continue;
        poll(NULL, 0, WAIT_MS);
        on_wait(ctx);
    }
}

bool pg_tool_run(const struct pg_tool *tool, const char *const *words, int in, int out,
                 void (*on_wait)(void *), void *ctx, struct fl_err *err)
{
    pid_t pid = fork();

    if (pid < 0) return fl_fail(err, FL_IO, "fork: %s", strerror(errno));
    if (pid == 0) go(tool, words, in, out);
    return wait_for(pid, words[0], on_wait, ctx, err);
}

bool pg_tool_sql(const struct pg_tool *tool, const char *sql, struct fl_buf *out,
                 struct fl_err *err)
{
    const char *words[] = {"psql", "-XAtq1w", "-v", "ON_ERROR_STOP=1", "-d", tool->database,
                           "-c",   sql,       NULL};
    int fds[2];
    pid_t pid;
    ssize_t n;

    if (pipe2(fds, O_CLOEXEC) != 0) return fl_fail(err, FL_IO, "pipe: %s", strerror(errno));
    pid = fork();
    if (pid == 0) go(tool, words, -1, fds[1]);
    close(fds[1]);
    do {
        char chunk[4096];

        n = read(fds[0], chunk, sizeof chunk);
        if (n > 0) FL_IGNORE(fl_buf_put(out, chunk, (size_t)n)); /* its max bounds it */
    } while (n > 0 || (n < 0 && errno == EINTR));
    close(fds[0]);
    if (pid < 0) return fl_fail(err, FL_IO, "fork: %s", strerror(errno));
    return wait_for(pid, words[0], NULL, NULL, err);
}
