/* demo.c - 'fairlead demo': starts the keeper, which holds the fleet, and prints its news. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/demo/demo_example.h"
#include "cli/demo/demo_keeper.h"
#include "cli/interrupt.h"
#include "shared/io/clock.h"

enum { NEWS_BYTES_MAX = 65536, STOP_MS = 60000 };

struct demo {
    struct cli *cli;
    struct demo_plan plan;
    pid_t keeper;
    int orders, news; /* our ends of the pipes; -1: closed */
    char line[NEWS_BYTES_MAX];
    size_t line_len;
    json_t *ready;
    bool has_failed;
};

/* ---- the keeper ------------------------------------------------------------------------------ */

static void take_news(struct demo *demo, const char *line)
{
    json_t *news = json_loads(line, 0, NULL);
    const char *error = cli_text(news, "error"), *step = cli_text(news, "step");

    if (*step) {
        fprintf(stderr, "%-64s %5.1f s\n", step,
                json_number_value(json_object_get(news, "seconds")));
    }
    if (*cli_text(news, "restarted")) {
        fprintf(stderr, "demo: %s died and was started again\n", cli_text(news, "restarted"));
    }
    if (*error) {
        cli_fail(CLI_FAILED, "demo: %s", error);
        demo->has_failed = true;
    }
    if (json_object_get(news, "ready")) demo->ready = json_incref(json_object_get(news, "ready"));
    json_decref(news);
}

/* False: the keeper has closed its news. */
static bool read_news(struct demo *demo, int wait_ms)
{
    struct pollfd fd = {.fd = demo->news, .events = POLLIN};
    ssize_t len;
    char *end;

    if (poll(&fd, 1, wait_ms) <= 0) return true;
    len = read(demo->news, demo->line + demo->line_len, sizeof demo->line - demo->line_len - 1);
    if (len < 0) return errno == EINTR;
    if (len == 0) return false;
    demo->line_len += (size_t)len;
    demo->line[demo->line_len] = 0;
    while ((end = strchr(demo->line, '\n')) != NULL) {
        *end = 0;
        take_news(demo, demo->line);
        demo->line_len -= (size_t)(end + 1 - demo->line);
        memmove(demo->line, end + 1, demo->line_len + 1);
    }
    return demo->line_len + 1 < sizeof demo->line;
}

static bool start_keeper(struct demo *demo, bool is_detached)
{
    int orders[2] = {-1, -1}, news[2];

    /* If the keeper is killed, its children become ours. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if ((!is_detached && pipe2(orders, O_CLOEXEC) < 0) || pipe2(news, O_CLOEXEC) < 0) return false;
    fflush(NULL);
    demo->keeper = fork();
    if (demo->keeper < 0) return false;
    if (demo->keeper == 0) {
        struct demo_plan plan = demo->plan;
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);

        if (orders[1] >= 0) close(orders[1]);
        close(news[0]);
        dup2(null, 0);
        dup2(null, 1);
        if (is_detached) dup2(null, 2);
        plan.orders_fd = orders[0];
        plan.news_fd = news[1];
        demo_keeper_run(&plan);
        _exit(1);
    }
    if (orders[0] >= 0) close(orders[0]);
    close(news[1]);
    demo->orders = orders[1];
    demo->news = news[0];
    return true;
}

/* After the keeper was killed: its programs end by their lifeline; we wait for them and remove the
 * folder. */
static void clean_up(struct demo *demo)
{
    int64_t deadline = fl_clock_mono() + STOP_MS;

    fputs("demo: its keeper was killed; waiting until everything it held has ended\n", stderr);
    while (fl_clock_mono() < deadline) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);

        if (pid < 0 && errno == ECHILD) break;
        if (pid == 0) usleep(20000);
    }
    if (!demo_remove(demo->plan.dir)) {
        fprintf(stderr, "demo: %s could not be removed: %m\n", demo->plan.dir);
    }
}

/* Tells the keeper to end, and waits until nothing is left. */
static int end_keeper(struct demo *demo)
{
    int status = 0;

    if (demo->orders >= 0) close(demo->orders);
    demo->orders = -1;
    while (read_news(demo, -1)) {
        continue;
    }
    while (waitpid(demo->keeper, &status, 0) < 0 && errno == EINTR) {
        continue;
    }
    if (!WIFEXITED(status)) {
        clean_up(demo);
        return CLI_FAILED;
    }
    return WEXITSTATUS(status);
}

/* ---- folders --------------------------------------------------------------------------------- */

static bool make_dir(struct demo *demo, struct fl_err *err)
{
    struct cli *cli = demo->cli;
    const char *given = cli_value(&cli->args, CLI_OPT_dir), *tmp = getenv("TMPDIR");
    char path[PATH_MAX];

    if (given) {
        if (mkdir(given, 0711) < 0) {
            return fl_fail(err, FL_IO,
                           "%s cannot be made: %s; --dir wants a folder that is not there yet",
                           given, strerror(errno));
        }
        if (!realpath(given, path)) return fl_fail(err, FL_IO, "%s: %s", given, strerror(errno));
    } else {
        snprintf(path, sizeof path, "%s/fairlead-demo-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
        if (!mkdtemp(path) || chmod(path, 0711) < 0) {
            return fl_fail(err, errno == ENOSPC ? FL_NO_SPACE : FL_IO, "%s cannot be made: %s",
                           path, strerror(errno));
        }
    }
    demo->plan.dir = fl_arena_copy(&cli->arena, path, strlen(path));
    return true;
}

/* The other programs are in the folder of this one. */
static bool find_programs(struct demo *demo, struct fl_err *err)
{
    static const char *const needed[] = {"fairleadd", "fairlead-agent", "fairlead-supervise"};
    char path[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);

    if (len < 0) return fl_fail(err, FL_IO, "/proc/self/exe: %s", strerror(errno));
    path[len] = 0;
    demo->plan.bin_dir = fl_arena_printf(&demo->cli->arena, "%s", dirname(path));
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        const char *program =
            fl_arena_printf(&demo->cli->arena, "%s/%s", demo->plan.bin_dir, needed[i]);

        if (access(program, X_OK) < 0) {
            return fl_fail(
                err, FL_ABSENT,
                "%s is not there: the demo wants all programs of one build in one folder", program);
        }
    }
    return true;
}

/* ---- stop ------------------------------------------------------------------------------------ */

static int stop(struct cli *cli, const char *dir)
{
    const char *path = fl_arena_printf(&cli->arena, "%s/keeper", dir);
    int64_t deadline = fl_clock_mono() + STOP_MS;
    FILE *in = fopen(path, "re");
    int pid = 0;

    if (!in) return cli_fail(CLI_FAILED, "%s holds no demo: %s", dir, strerror(errno));
    if (fscanf(in, "%d", &pid) != 1) pid = 0; /* NOLINT: bounded by the type, and checked */
    if (pid <= 1 || flock(fileno(in), LOCK_SH | LOCK_NB) == 0) {
        fclose(in);
        return cli_fail(CLI_FAILED,
                        "the demo of %s does not run any more; remove the folder by hand", dir);
    }
    fclose(in);
    if (kill(pid, SIGTERM) < 0) {
        return cli_fail(CLI_FAILED, "its keeper %d cannot be stopped: %s", pid, strerror(errno));
    }
    while (access(dir, F_OK) == 0) {
        if (fl_clock_mono() >= deadline) {
            return cli_fail(CLI_TIMED_OUT, "%s is still there after %d s", dir, STOP_MS / 1000);
        }
        if (!cli_sleep_ms(20)) return CLI_CANCELLED;
    }
    return CLI_OK;
}

/* ---- the verb -------------------------------------------------------------------------------- */

/* As one word of a shell. */
static void print_quoted(const char *text)
{
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
        } else {
            putchar(*text);
        }
    }
    putchar('\'');
}

/* For eval "$(fairlead demo --detach)": with the programs in the PATH. */
static void print_exports(const struct demo *demo)
{
    struct fl_err err = {0};
    const char *token = "";

    if (!cli_token_read(cli_text(demo->ready, "token_file"), &demo->cli->arena, &token, &err)) {
        cli_fail_err(&err);
    }
    printf("export FAIRLEAD_URL=%s FAIRLEAD_TOKEN=%s FAIRLEAD_DEMO=", cli_text(demo->ready, "url"),
           token);
    print_quoted(demo->plan.dir);
    fputs("\nexport PATH=", stdout);
    print_quoted(demo->plan.bin_dir);
    puts(":\"$PATH\"");
}

static int run_fleet(struct demo *demo, bool is_detached)
{
    struct cli *cli = demo->cli;
    int code = CLI_OK;

    if (!start_keeper(demo, is_detached)) {
        return cli_fail(CLI_IO, "no process for the demo: %s", strerror(errno));
    }
    while (!demo->ready && !demo->has_failed && !cli_is_interrupted()) {
        if (!read_news(demo, 200)) break;
    }
    if (!demo->ready) {
        if (is_detached && !demo->has_failed) kill(demo->keeper, SIGTERM);
        (void)end_keeper(demo);
        return cli_is_interrupted() ? CLI_CANCELLED : CLI_FAILED;
    }
    if (is_detached) {
        if (!cli_answer(cli, demo->ready, NULL)) print_exports(demo);
        fprintf(stderr, "the fleet runs; end it with: fairlead demo --stop %s\n", demo->plan.dir);
        return CLI_OK;
    }
    code = demo_example_run(cli, demo->ready, demo->orders, cli_has(&cli->args, CLI_OPT_chaos));
    if (cli_has(&cli->args, CLI_OPT_keep) && !cli_is_interrupted()) {
        (void)demo_say_link(cli);
        fprintf(stderr,
                "\nthe fleet stays until Ctrl-C; in another terminal:\n"
                "  export FAIRLEAD_URL=%s FAIRLEAD_TOKEN=$(cat %s)\n  fairlead cluster ls\n",
                cli_text(demo->ready, "url"), cli_text(demo->ready, "token_file"));
        while (!cli_is_interrupted() && read_news(demo, 200)) {
            continue;
        }
    }
    if (end_keeper(demo) != 0 && code == CLI_OK) code = CLI_FAILED;
    return code;
}

int verb_demo(struct cli *cli)
{
    struct demo *demo = fl_arena_new(&cli->arena, struct demo);
    struct fl_err err = {0};
    long port, clusters;
    int code;

    if (cli_has(&cli->args, CLI_OPT_stop)) return stop(cli, cli_value(&cli->args, CLI_OPT_stop));
    if (cli_has(&cli->args, CLI_OPT_detach) && cli_has(&cli->args, CLI_OPT_keep)) {
        return cli_fail(
            CLI_USAGE,
            "--detach leaves the fleet running by itself, and --keep until Ctrl-C: take one");
    }
    demo->cli = cli;
    demo->orders = demo->news = -1;
    if (!cli_number(&cli->args, CLI_OPT_port, 0, 1, 65535, &port, &err) ||
        !cli_number(&cli->args, CLI_OPT_clusters, 3, 1, DEMO_CLUSTERS_MAX, &clusters, &err) ||
        !find_programs(demo, &err) || !make_dir(demo, &err)) {
        return cli_fail_err(&err);
    }
    demo->plan.port = (int)port;
    demo->plan.clusters = (int)clusters;
    signal(SIGPIPE, SIG_IGN);
    code = run_fleet(demo, cli_has(&cli->args, CLI_OPT_detach));
    json_decref(demo->ready);
    return code;
}
