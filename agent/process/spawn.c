/* Making the directory of a replica, and starting its supervisor. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/process/cgroup.h"
#include "agent/process/process_state.h"
#include "agent/runtime_rendezvous.h"
#include "shared/base/hash.h"
#include "shared/base/job_name.h"
#include "shared/io/descriptors.h"

enum { SPAWN_NEWS_FD = 3, SPAWN_LIFELINE_FD = 4 };

/* The variables that a job gets from the agent's own environment: paths, user and language, none of
 * our settings. */
static const char *const inherited[] = {"PATH", "HOME",   "USER",     "LOGNAME", "SHELL",
                                        "LANG", "LC_ALL", "LC_CTYPE", "TZ",      "TMPDIR"};

/* ---- the environment ------------------------------------------------------------------------- */

static bool has_name(const struct layout_strings *env, const char *name, size_t *ret_place)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < env->len; i++) {
        if (strncmp(env->at[i], name, len) == 0 && env->at[i][len] == '=') {
            *ret_place = i;
            return true;
        }
    }
    return false;
}

/* Adds a variable, or replaces the one of its name. */
static void put_env(struct layout_strings *env, struct fl_arena *arena, const char *name,
                    struct fl_str value)
{
    char *text = fl_arena_printf(arena, "%s=" FL_STR_FMT, name, FL_STR_ARG(value));
    size_t place;

    if (has_name(env, name, &place)) {
        env->at[place] = text;
    } else {
        fl_arena_push(arena, env, text);
    }
}

static void put_env_number(struct layout_strings *env, struct fl_arena *arena, const char *name,
                           uint64_t n)
{
    put_env(env, arena, name, fl_str_c(fl_arena_printf(arena, "%" PRIu64, n)));
}

/* All replicas of an attempt run on this host. */
static void put_rendezvous(struct layout_strings *env, struct fl_arena *arena,
                           const struct runtime_order *order)
{
    struct rendezvous_variable variables[RENDEZVOUS_LEN];
    size_t len =
        rendezvous_variables(order, "127.0.0.1", rendezvous_port(order->attempt), arena, variables);

    for (size_t i = 0; i < len; i++) {
        put_env(env, arena, variables[i].name, fl_str_c(variables[i].value));
    }
}

static void fill_env(const struct process_replica *replica, const struct runtime_order *order,
                     struct fl_arena *arena, struct layout_strings *env)
{
    char job[FL_JOB_NAME_MAX];

    for (size_t i = 0; i < sizeof(inherited) / sizeof(*inherited); i++) {
        const char *value = getenv(inherited[i]);

        if (value) put_env(env, arena, inherited[i], fl_str_c(value));
    }
    put_env_number(env, arena, "JOB_COMPLETION_INDEX", order->attempt.element); /* as in a pod */
    put_rendezvous(env, arena, order);
    for (size_t i = 0; i < order->env.len; i++) {
        const char *name = fl_arena_copy(arena, order->env.at[i].key.at, order->env.at[i].key.len);

        put_env(env, arena, name, order->env.at[i].value);
    }
    fl_job_name(order->attempt.job, job);
    put_env(env, arena, "FAIRLEAD_JOB_ID", fl_str_c(job));
    put_env_number(env, arena, "FAIRLEAD_ELEMENT", order->attempt.element);
    put_env_number(env, arena, "FAIRLEAD_INDEX", order->index);
    put_env_number(env, arena, "FAIRLEAD_ATTEMPT", order->attempt.n);
    put_env(env, arena, "FAIRLEAD_ROLE", order->role->name);
    put_env_number(env, arena, "FAIRLEAD_REPLICA", order->replica);
    put_env_number(env, arena, "FAIRLEAD_REPLICAS", order->spec->replicas);
    put_env(env, arena, "FAIRLEAD_RUN_ID", fl_str_c(replica->run));
}

/* ---- the directory --------------------------------------------------------------------------- */

/* Makes an id that no other run on this host has; it marks the processes of the job. */
static void make_run_id(struct process *process, struct process_replica *replica)
{
    uint64_t a = fl_hash64(process->seed, replica->name, strlen(replica->name));

    process->runs++;
    snprintf(replica->run, sizeof(replica->run), "%016" PRIx64 "%016" PRIx64,
             fl_hash_u64(process->seed, process->runs), a);
}

/* A grace of 0 becomes 1 ms, since in the spec file 0 means that STOP's counts. */
static uint32_t grace_ms(const struct fl_job_role *role)
{
    return role->grace_s == 0 ? 1 : role->grace_s * (uint32_t)FL_SECOND_MS;
}

static void put_words(struct layout_strings *argv, struct fl_arena *arena,
                      const struct fl_strs *words)
{
    for (size_t i = 0; i < words->len; i++) {
        char *word = fl_arena_copy(arena, words->at[i].at, words->at[i].len);

        fl_arena_push(arena, argv, word);
    }
}

static bool write_spec(struct process_replica *replica, const struct runtime_order *order, int dir,
                       struct fl_err *err)
{
    struct process *process = replica->process;
    struct layout_spec spec = {
        .attempt = order->attempt,
        .replica = order->replica,
        .node = order->node,
        .resources = order->resources,
        .named = order->role->request.named,
        .grace_ms = grace_ms(order->role),
        .head_bytes = process->config.head_bytes,
        .tail_bytes = process->config.tail_bytes,
        .cgroup = fl_str_c(replica->cgroup),
        .working_dir = order->role->working_dir,
    };
    struct fl_arena arena = {0};
    struct fl_buf buf;
    bool is_written;
    int fd;

    snprintf(spec.run, sizeof(spec.run), "%s", replica->run);
    snprintf(spec.boot, sizeof(spec.boot), "%s", process->boot);
    put_words(&spec.argv, &arena, &order->role->command);
    put_words(&spec.argv, &arena, &order->role->args);
    fill_env(replica, order, &arena, &spec.env);
    fl_buf_init(&buf, LAYOUT_SPEC_BYTES_MAX);
    if (!layout_spec_encode(&spec, &buf)) {
        fl_buf_fini(&buf);
        fl_arena_fini(&arena);
        return fl_fail(err, FL_TOO_LARGE, "command and environment are too long");
    }
    fd = openat(dir, LAYOUT_SPEC, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    is_written = fd >= 0 && layout_write_at(fd, buf.at, buf.len, 0);
    if (!is_written) fl_fail(err, FL_IO, "cannot write the spec: %s", strerror(errno));
    if (fd >= 0) close(fd);
    fl_buf_fini(&buf);
    fl_arena_fini(&arena);
    return is_written;
}

static bool make_dir(struct process_replica *replica, const struct runtime_order *order,
                     struct fl_err *err)
{
    int dir;
    bool is_made;

    if (mkdirat(replica->process->dir, replica->name, 0700) != 0) {
        return fl_fail(err, FL_IO, "cannot make %s: %s", replica->name, strerror(errno));
    }
    dir = openat(replica->process->dir, replica->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0) return fl_fail(err, FL_IO, "cannot open %s: %s", replica->name, strerror(errno));
    is_made = mkfifoat(dir, LAYOUT_CONTROL, 0600) == 0 && mkfifoat(dir, LAYOUT_NEWS, 0600) == 0 &&
              mkdirat(dir, LAYOUT_FILES, 0700) == 0;
    if (!is_made) fl_fail(err, FL_IO, "cannot fill %s: %s", replica->name, strerror(errno));
    is_made = is_made && write_spec(replica, order, dir, err);
    close(dir);
    return is_made;
}

/* ---- the supervisor -------------------------------------------------------------------------- */

/* The supervisor inherits the writing end of 'news', so that we hear of its end even if it never
 * opens that. */
static bool start_supervisor(struct process_replica *replica, int news, struct fl_err *err)
{
    struct process *process = replica->process;
    char path[4096];
    char fd_text[16];
    char *with_lifeline[] = {(char *)process->config.supervisor, "--lifeline", fd_text, path, NULL};
    char *plain[] = {(char *)process->config.supervisor, path, NULL};
    char *empty[] = {NULL};
    bool has_lifeline = process->config.lifeline >= 0;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t signals;
    uint64_t descriptors = 0;
    int spare = -1;
    int why;

    snprintf(path, sizeof(path), "%s/%s", process->config.dir, replica->name);
    snprintf(fd_text, sizeof(fd_text), "%d", SPAWN_LIFELINE_FD);
    /* A descriptor must not have a number that dup2 overwrites in the child. */
    if (has_lifeline) spare = fcntl(process->config.lifeline, F_DUPFD_CLOEXEC, 16);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, news, SPAWN_NEWS_FD);
    if (spare >= 0) posix_spawn_file_actions_adddup2(&actions, spare, SPAWN_LIFELINE_FD);
    posix_spawnattr_init(&attr);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attr, &signals);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attr, &signals);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    /* The child gets the limit of this instant; our open descriptors stay open. */
    if (process->config.descriptors) {
        descriptors = fl_descriptors_set(process->config.descriptors);
    }
    why = posix_spawn(&replica->supervisor, process->config.supervisor, &actions, &attr,
                      spare >= 0 ? with_lifeline : plain, empty);
    if (descriptors) (void)fl_descriptors_set(descriptors);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&actions);
    if (spare >= 0) close(spare);
    if (why == 0) return true;
    replica->supervisor = 0;
    return fl_fail(err, FL_IO, "cannot start %s: %s", process->config.supervisor, strerror(why));
}

/* The group's name tells agents apart that make theirs in one folder. */
static bool make_group(struct process_replica *replica, const struct runtime_order *order,
                       struct fl_err *err)
{
    struct process *process = replica->process;
    char name[LAYOUT_NAME_MAX + sizeof("-0123456789abcdef")], path[CGROUP_PATH_MAX];
    struct stat dir = {0};

    if (!process->config.cgroup) return true;
    if (fstat(process->dir, &dir) != 0) {
        return fl_fail(err, FL_IO, "cannot look at the own folder: %s", strerror(errno));
    }
    snprintf(name, sizeof name, "%s-%016" PRIx64, replica->name,
             fl_hash_u64(fl_hash_u64(0, dir.st_dev), dir.st_ino));
    if (!cgroup_create(process->config.cgroup, name, order->role->limit.usual, path, err)) {
        return false;
    }
    replica->cgroup = fl_str_dup(fl_str_c(path));
    return true;
}

bool spawn_replica(struct process_replica *replica, const struct runtime_order *order,
                   struct fl_err *err)
{
    struct process *process = replica->process;
    char news_path[LAYOUT_NAME_MAX + sizeof("/" LAYOUT_NEWS)];
    bool is_started;
    int news;

    make_run_id(process, replica);
    if (!make_group(replica, order, err) || !make_dir(replica, order, err)) return false;
    if (!replica_watch(replica, err)) return false;
    snprintf(news_path, sizeof(news_path), "%s/" LAYOUT_NEWS, replica->name);
    news = openat(process->dir, news_path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (news < 0) return fl_fail(err, FL_IO, "cannot open the news: %s", strerror(errno));
    if (news < 16) { /* move it above the numbers that dup2 overwrites in the child */
        int moved = fcntl(news, F_DUPFD_CLOEXEC, 16);

        close(news);
        news = moved;
    }
    is_started = news >= 0 && start_supervisor(replica, news, err);
    if (news >= 0) close(news);
    return is_started;
}
