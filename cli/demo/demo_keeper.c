#include "cli/demo/demo_keeper.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/client.h"
#include "cli/demo/demo_postgres.h"
#include "cli/demo/demo_relay.h"
#include "shared/io/clock.h"
#include "shared/io/lifeline.h"

enum {
    READY_MS = 60000, /* for one program to become ready */
    END_MS = 15000,   /* for all programs to end, then they are killed */
    STEP_MS = 20,     /* between two looks */
    AGAIN_MS = 200,   /* before a program that died is started again; doubled each time */
    AGAIN_MAX_MS = 5000,
    STEADY_MS = 3000, /* after this time up, the next wait is AGAIN_MS again */
    ORDER_BYTES_MAX = 128,
};

static const char *const names[DEMO_CLUSTERS_MAX] = {"east",  "west",   "edge", "north",
                                                     "south", "harbor", "quay", "pier"};

struct program {
    const char *name; /* "postgres", "fairleadd", or a cluster's */
    const char *words[24];
    pid_t pid; /* 0: not running */
    int64_t started_at, again_at, wait_ms;
};

static struct keeper {
    struct demo_plan plan;
    struct cli cli;
    struct demo_postgres postgres;
    struct program programs[2 + DEMO_CLUSTERS_MAX];
    size_t programs_len;
    pid_t relay;
    int api_port, tunnel_port, relay_port, relay_fd;
    int lifeline_ours, lifeline_theirs;
    int signals;
    bool is_ending;
    char order[ORDER_BYTES_MAX];
    size_t order_len;
} keeper;

/* ---- news ------------------------------------------------------------------------------------ */

static void tell(json_t *news)
{
    char *line = json_dumps(news, JSON_COMPACT);

    if (keeper.plan.news_fd >= 0) dprintf(keeper.plan.news_fd, "%s\n", line);
    free(line);
    json_decref(news);
}

static char *path_of(const char *fmt, ...) FL_PRINTF(1, 2);

static char *path_of(const char *fmt, ...)
{
    char tail[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(tail, sizeof tail, fmt, args);
    va_end(args);
    return fl_arena_printf(&keeper.cli.arena, "%s/%s", keeper.plan.dir, tail);
}

/* ---- the end --------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status, (void)kind, (void)at;
    return remove(path);
}

bool demo_remove(const char *dir)
{
    return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) == 0 || errno == ENOENT;
}

/* True: no child is left. */
static bool reap(void)
{
    while (true) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);

        if (pid < 0 && errno == ECHILD) return true;
        if (pid == 0) return false;
        for (size_t i = 0; pid > 0 && i < keeper.programs_len; i++) {
            if (keeper.programs[i].pid == pid) keeper.programs[i].pid = 0;
        }
    }
}

/* Sends the signal to each of our children. */
static void kill_children(int number)
{
    char path[64], line[8192];
    FILE *in;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    in = fopen(path, "re");
    if (!in) return;
    if (fgets(line, sizeof line, in)) {
        for (char *at = line; *at;) {
            char *end;
            long pid = strtol(at, &end, 10);

            if (end == at) break;
            if (pid > 1) kill((pid_t)pid, number);
            at = end;
        }
    }
    fclose(in);
}

static bool wait_gone(pid_t pid, int64_t deadline)
{
    while (true) {
        bool is_there = false;

        if (reap()) return true;
        for (size_t i = 0; pid && i < keeper.programs_len; i++) {
            if (keeper.programs[i].pid == pid) is_there = true;
        }
        if (pid && !is_there) return true;
        if (fl_clock_mono() >= deadline) return false;
        usleep(STEP_MS * 1000);
    }
}

/* Agents and their jobs first, by the lifeline; then the control plane; Postgres last. */
static void end_all(int code)
{
    pid_t hub = keeper.programs_len > 1 ? keeper.programs[1].pid : 0;
    pid_t postgres = keeper.programs_len ? keeper.programs[0].pid : 0;
    int64_t deadline = fl_clock_mono() + END_MS;

    keeper.is_ending = true;
    for (size_t i = 2; i < keeper.programs_len; i++) {
        if (keeper.programs[i].pid) kill(keeper.programs[i].pid, SIGTERM);
    }
    if (keeper.lifeline_ours >= 0) close(keeper.lifeline_ours);
    if (keeper.lifeline_theirs >= 0) close(keeper.lifeline_theirs);
    if (keeper.relay > 0) kill(keeper.relay, SIGKILL);
    if (hub) {
        kill(hub, SIGTERM);
        if (!wait_gone(hub, deadline)) kill(hub, SIGKILL);
    }
    if (postgres) {
        kill(postgres, SIGINT);
        if (!wait_gone(postgres, deadline)) kill(postgres, SIGQUIT);
    }
    if (!wait_gone(0, deadline)) {
        for (int i = 0; i < 100 && !reap(); i++) { /* the remaining processes, and their orphans */
            kill_children(SIGKILL);
            usleep(STEP_MS * 1000);
        }
    }
    if (!demo_remove(keeper.plan.dir)) {
        tell(json_pack(
            "{s:o}", "error",
            json_sprintf("%s could not be removed: %s", keeper.plan.dir, strerror(errno))));
        code = 1;
    }
    _exit(code);
}

static void fail(const char *fmt, ...) FL_PRINTF(1, 2);

static void fail(const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    tell(json_pack("{s:s}", "error", text));
    end_all(1);
}

/* The last lines of a program's log, for a message. */
static const char *last_words(const char *name)
{
    FILE *in = fopen(path_of("log/%s.log", name), "re");
    static char words[600];
    long at;

    snprintf(words, sizeof words, "it says nothing");
    if (!in) return words;
    if (fseek(in, 0, SEEK_END) == 0 && (at = ftell(in)) > 0) {
        size_t len;

        if (fseek(in, at > 500 ? at - 500 : 0, SEEK_SET) == 0) {
            len = fread(words, 1, 500, in);
            words[len] = 0;
        }
    }
    fclose(in);
    return words;
}

/* ---- programs -------------------------------------------------------------------------------- */

static void become(const struct program *program, pid_t parent)
{
    const char *log = path_of("log/%s.log", program->name);
    sigset_t none;
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    char number[16];

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (fd >= 0) {
        dup2(fd, 1);
        dup2(fd, 2);
    }
    if (null >= 0) dup2(null, 0);
    if (keeper.plan.orders_fd >= 0) close(keeper.plan.orders_fd);
    if (keeper.plan.news_fd >= 0) close(keeper.plan.news_fd);
    close(keeper.lifeline_ours); /* the keeper alone holds it open */
    if (program == &keeper.programs[0]) {
        close(keeper.lifeline_theirs);
        demo_postgres_become(&keeper.postgres, parent);
    }
    snprintf(number, sizeof number, "%d", keeper.lifeline_theirs);
    setenv(FL_LIFELINE_VARIABLE, number, true);
    unsetenv("NOTIFY_SOCKET");
    execv(program->words[0], (char *const *)program->words);
    fprintf(stderr, "%s: %s\n", program->words[0], strerror(errno));
    _exit(127);
}

static void start(struct program *program)
{
    pid_t parent = getpid(), pid = fork();

    if (pid == 0) become(program, parent);
    if (pid < 0) {
        program->again_at = fl_clock_mono() + AGAIN_MAX_MS;
        return;
    }
    program->pid = pid;
    program->started_at = fl_clock_mono();
}

static struct program *add(const char *name)
{
    struct program *program = &keeper.programs[keeper.programs_len++];

    program->name = name;
    program->wait_ms = AGAIN_MS;
    return program;
}

static void put_words(struct program *program, const char *first, ...)
{
    size_t len = 0;
    va_list args;

    va_start(args, first);
    for (const char *word = first; word; word = va_arg(args, const char *)) {
        fl_assert(len + 1 < sizeof program->words / sizeof *program->words);
        program->words[len++] = word;
    }
    va_end(args);
}

/* Notes programs that ended, and starts each again after its wait. */
static void mind_children(void)
{
    pid_t pid;
    int status;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        for (size_t i = 0; i < keeper.programs_len; i++) {
            struct program *program = &keeper.programs[i];

            if (program->pid != pid) continue;
            program->pid = 0;
            if (fl_clock_mono() - program->started_at >= STEADY_MS) program->wait_ms = AGAIN_MS;
            program->again_at = fl_clock_mono() + program->wait_ms;
            program->wait_ms =
                program->wait_ms * 2 < AGAIN_MAX_MS ? program->wait_ms * 2 : AGAIN_MAX_MS;
        }
    }
    for (size_t i = 0; i < keeper.programs_len; i++) {
        struct program *program = &keeper.programs[i];

        if (program->pid || !program->again_at || fl_clock_mono() < program->again_at) continue;
        start(program);
        tell(json_pack("{s:s}", "restarted", program->name));
    }
}

static void carry_out(const char *order)
{
    if (strcmp(order, "cut") == 0 && keeper.relay > 0) kill(keeper.relay, SIGUSR1);
    for (size_t i = 0; strncmp(order, "kill ", 5) == 0 && i < keeper.programs_len; i++) {
        if (strcmp(order + 5, keeper.programs[i].name) == 0 && keeper.programs[i].pid) {
            kill(keeper.programs[i].pid, SIGKILL);
        }
    }
}

static void take_orders(void)
{
    ssize_t len = read(keeper.plan.orders_fd, keeper.order + keeper.order_len,
                       sizeof keeper.order - keeper.order_len);
    char *end;

    if (len < 0 && errno == EINTR) return;
    if (len <= 0) end_all(0); /* the demo is gone */
    keeper.order_len += (size_t)len;
    while ((end = memchr(keeper.order, '\n', keeper.order_len)) != NULL) {
        size_t used = (size_t)(end - keeper.order) + 1;

        *end = 0;
        carry_out(keeper.order);
        memmove(keeper.order, keeper.order + used, keeper.order_len - used);
        keeper.order_len -= used;
    }
    if (keeper.order_len == sizeof keeper.order) keeper.order_len = 0;
}

/* One turn of the keeper; waits at most 'ms'. */
static void turn(int ms)
{
    struct pollfd fds[] = {{.fd = keeper.signals, .events = POLLIN},
                           {.fd = keeper.plan.orders_fd, .events = POLLIN}};
    struct signalfd_siginfo info;

    if (poll(fds, 2, ms) > 0) {
        while (fds[0].revents && read(keeper.signals, &info, sizeof info) == sizeof info) {
            if (info.ssi_signo != SIGCHLD) end_all(0);
        }
        if (fds[1].revents) take_orders();
    }
    mind_children();
}

/* ---- the start ------------------------------------------------------------------------------- */

static int listen_loopback(int port, int *ret_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 16) < 0) {
        int why = errno;

        if (fd >= 0) close(fd);
        errno = why;
        return -1;
    }
    getsockname(fd, (struct sockaddr *)&address, &len);
    *ret_port = ntohs(address.sin_port);
    return fd;
}

/* Chooses free ports and closes their sockets: another program could take one before fairleadd
 * does, which is unlikely on loopback. */
static void choose_ports(void)
{
    int api = listen_loopback(keeper.plan.port, &keeper.api_port), tunnel;

    if (api < 0) {
        fail("port %d of 127.0.0.1 is taken (%s): choose another with --port, or leave it out",
             keeper.plan.port, strerror(errno));
    }
    tunnel = listen_loopback(0, &keeper.tunnel_port);
    keeper.relay_fd = listen_loopback(0, &keeper.relay_port);
    if (tunnel < 0 || keeper.relay_fd < 0) fail("no free port on 127.0.0.1: %s", strerror(errno));
    close(api);
    close(tunnel);
}

static void wait_for(const char *what, bool (*is_ready)(void), struct program *program)
{
    int64_t deadline = fl_clock_mono() + READY_MS, started = fl_clock_mono();

    while (!is_ready()) {
        turn(STEP_MS);
        if (!program->pid && strcmp(program->name, "postgres") != 0 &&
            fl_clock_mono() - started > 10000) {
            fail("%s does not stay up: %s", what, last_words(program->name));
        }
        if (fl_clock_mono() >= deadline) {
            fail("%s is not ready after %d s: %s", what, READY_MS / 1000,
                 last_words(program->name));
        }
    }
    program->wait_ms = AGAIN_MS;
}

static bool is_postgres_ready(void)
{
    return demo_postgres_is_ready(&keeper.postgres);
}

/* fairleadd writes its first token before it answers; all but /livez needs a token. */
static bool is_hub_ready(void)
{
    struct cli_request request = {.method = "GET", .path = "/readyz", .is_impatient = true};
    struct cli_reply reply = {0};
    struct fl_err err = {0};

    return cli_token_read(path_of("hub/admin-token"), &keeper.cli.arena, &keeper.cli.settings.token,
                          &err) &&
           cli_send(&keeper.cli, &request, &reply, &err) && reply.status == 200;
}

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0 || dprintf(fd, "%s\n", text) < 0 || close(fd) < 0) {
        fail("%s cannot be written: %s", path, strerror(errno));
    }
}

static void start_postgres(void)
{
    struct fl_err err = {0};

    if (!demo_postgres_prepare(&keeper.postgres, keeper.plan.dir, &err) ||
        !demo_postgres_init(&keeper.postgres, path_of("log/postgres.log"), &err)) {
        fail("%s", err.text);
    }
    start(add("postgres"));
    wait_for("Postgres", is_postgres_ready, &keeper.programs[0]);
}

static void start_hub(void)
{
    struct program *hub = add("fairleadd");
    const char *database = path_of("database");

    write_file(database, fl_arena_printf(&keeper.cli.arena, "host=%s user=fairlead dbname=fairlead",
                                         keeper.postgres.socket));
    put_words(
        hub, fl_arena_printf(&keeper.cli.arena, "%s/fairleadd", keeper.plan.bin_dir), "--state-dir",
        path_of("hub"), "--database", fl_arena_printf(&keeper.cli.arena, "@%s", database),
        "--api-listen", fl_arena_printf(&keeper.cli.arena, "127.0.0.1:%d", keeper.api_port),
        "--tunnel-listen", fl_arena_printf(&keeper.cli.arena, "127.0.0.1:%d", keeper.tunnel_port),
        "--tunnel-address", fl_arena_printf(&keeper.cli.arena, "127.0.0.1:%d", keeper.relay_port),
        "--metrics-listen", "127.0.0.1:0", (char *)NULL);
    start(hub);
    keeper.cli.settings.url =
        fl_arena_printf(&keeper.cli.arena, "http://127.0.0.1:%d", keeper.api_port);
    wait_for("the control plane", is_hub_ready, hub);
}

static void start_agent(const char *name)
{
    struct program *agent = add(name);
    const char *file = path_of("agents/%s.join", name), *state = path_of("agents/%s", name);
    json_t *token = NULL;

    if (cli_post(&keeper.cli, &token, json_object(), "/v1/clusters/%s/join-tokens", name)) {
        fail("the control plane gives no join token for %s", name);
    }
    write_file(file, cli_text(token, "token"));
    json_decref(token);
    put_words(agent, fl_arena_printf(&keeper.cli.arena, "%s/fairlead-agent", keeper.plan.bin_dir),
              "--state-dir", state, "--join-token", fl_arena_printf(&keeper.cli.arena, "@%s", file),
              "--node-name", name, "--nodes", "2", "--cpus", "4", "--memory", "8GiB", (char *)NULL);
    start(agent);
}

static bool are_clusters_ready(void)
{
    json_t *list = NULL, *one;
    size_t i;
    int ready = 0;

    if (cli_get(&keeper.cli, &list, "/v1/clusters")) return false;
    json_array_foreach(json_object_get(list, "clusters"), i, one) ready +=
        strcmp(cli_text(one, "state"), "ready") == 0;
    json_decref(list);
    return ready >= keeper.plan.clusters;
}

static void timed(const char *what, int64_t since)
{
    tell(
        json_pack("{s:s, s:f}", "step", what, "seconds", (double)(fl_clock_mono() - since) / 1000));
}

static void start_fleet(void)
{
    int64_t since = fl_clock_mono();

    start_postgres();
    timed("postgres (private, unix socket only)", since);
    since = fl_clock_mono();
    start_hub();
    timed(fl_arena_printf(&keeper.cli.arena, "control plane %s", keeper.cli.settings.url), since);
    since = fl_clock_mono();
    keeper.relay = fork();
    if (keeper.relay == 0) demo_relay_become(keeper.relay_fd, keeper.tunnel_port);
    close(keeper.relay_fd);
    for (int i = 0; i < keeper.plan.clusters; i++) {
        start_agent(names[i]);
    }
    wait_for("a cluster", are_clusters_ready, &keeper.programs[keeper.programs_len - 1]);
    timed("clusters joined through the tunnel (process runtime)", since);
}

static json_t *make_ready(void)
{
    json_t *pids = json_pack("{s:i, s:i}", "keeper", (int)getpid(), "relay", (int)keeper.relay);

    for (size_t i = 0; i < keeper.programs_len; i++) {
        json_object_set_new(pids, keeper.programs[i].name, json_integer(keeper.programs[i].pid));
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:o}", "dir", keeper.plan.dir, "url",
                     keeper.cli.settings.url, "token_file", path_of("hub/admin-token"), "tunnel",
                     json_sprintf("127.0.0.1:%d", keeper.relay_port), "pids", pids);
}

/* Makes the file that 'demo --stop DIR' reads; our lock on it shows that we live. */
static void hold_lock(void)
{
    int fd = open(path_of("keeper"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 || dprintf(fd, "%d\n", (int)getpid()) < 0) {
        fail("%s/keeper cannot be locked: %s", keeper.plan.dir, strerror(errno));
    }
}

static void make_folders(void)
{
    static const char *const folders[] = {"log", "hub", "agents"};

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (mkdir(path_of("%s", folders[i]), 0700) < 0) {
            fail("%s: %s", path_of("%s", folders[i]), strerror(errno));
        }
    }
}

void demo_keeper_run(const struct demo_plan *plan)
{
    struct fl_err err = {0};
    sigset_t mask;

    keeper.plan = *plan;
    keeper.lifeline_ours = keeper.lifeline_theirs = -1;
    setsid();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_NAME, "fairlead-keeper");
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigaddset(&mask, SIGTERM);
    sigaddset(&mask, SIGINT);
    sigaddset(&mask, SIGHUP);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    keeper.signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    if (keeper.signals < 0 ||
        !fl_lifeline_pipe(&keeper.lifeline_ours, &keeper.lifeline_theirs, &err)) {
        fail("no pipe: %s", strerror(errno));
    }
    hold_lock();
    make_folders();
    choose_ports();
    start_fleet();
    tell(json_pack("{s:o}", "ready", make_ready()));
    if (plan->orders_fd < 0) {
        close(keeper.plan.news_fd);
        keeper.plan.news_fd = -1;
    }
    while (true) {
        turn(100);
    }
}
