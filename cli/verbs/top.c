/* top.c - 'top': jobs, queues, clusters and nodes on a full screen, as they are now. */
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/top/top_draw.h"
#include "cli/top/top_keys.h"
#include "cli/top/top_panel.h"
#include "cli/top/top_round.h"
#include "cli/top/top_screen.h"
#include "cli/top/top_send.h"
#include "shared/base/version.h"
#include "shared/io/clock.h"
#include "shared/io/loop.h"

enum { DELAY_MS = 2000, RETRY_FIRST_MS = 1000, RETRY_MAX_MS = 8000, ONCE_COLUMNS = 120 };

enum { CTRL_L = 12 };

struct top {
    struct cli *cli;
    struct cli_http *http;
    struct top_model model;
    struct top_round *round;
    struct top_send send;
    bool has_utf8;
    bool is_stale;   /* the frame has to be drawn again */
    bool is_leaving; /* once the order is sent */
    int64_t look_at; /* the next round; fl_clock_mono */
    int64_t retry_ms, drawn_at;
};

/* ---- options --------------------------------------------------------------------------------- */

static int read_delay(struct cli *cli, int64_t *ret_ms)
{
    const char *text = cli_value(&cli->args, CLI_OPT_delay);
    char *end = NULL;
    double seconds = text ? strtod(text, &end) : (double)DELAY_MS / 1000;

    if (text && (end == text || *end || !(seconds * 1000 >= TOP_DELAY_MS_MIN) ||
                 !(seconds * 1000 <= TOP_DELAY_MS_MAX))) {
        return cli_fail(CLI_USAGE, "--delay %s: wants seconds, from 0.5 to 60", text);
    }
    *ret_ms = (int64_t)(seconds * 1000);
    return CLI_OK;
}

static int read_choice(struct cli *cli, enum cli_option_id option, char to[TOP_INPUT_BYTES])
{
    const char *value = cli_value(&cli->args, option);

    if (value && strlen(value) >= TOP_INPUT_BYTES) {
        return cli_fail(CLI_USAGE, "--%s: at most %d bytes", cli_option_name(option),
                        TOP_INPUT_BYTES - 1);
    }
    if (value) strcpy(to, value);
    return CLI_OK;
}

/* ---- the data -------------------------------------------------------------------------------- */

static void print_time(const struct cli *cli, char to[16])
{
    time_t now = time(NULL);
    struct tm parts = {0};

    if (cli_has(&cli->args, CLI_OPT_utc)) {
        gmtime_r(&now, &parts);
    } else {
        localtime_r(&now, &parts);
    }
    strftime(to, 16, "%H:%M:%S", &parts);
}

static void show_panel(struct top *top, const json_t *job, const json_t *why)
{
    struct fl_arena arena = {0};
    const char *gone[] = {"it is not there any more"};
    const char *const *lines = gone;
    size_t len = 1;

    if (!*top->model.panel.job) return;
    if (job && strcmp(cli_text(job, "id"), top->model.panel.job) != 0) return; /* another one's */
    if (job) lines = top_panel_lines(job, why, cli_now_ms(), &arena, &len);
    top_model_set_panel(&top->model, lines, len);
    fl_arena_fini(&arena);
}

static void adopt(struct top *top, struct top_found *found)
{
    top_model_adopt(&top->model, found->data);
    top->model.link = TOP_CONNECTED;
    top->model.refreshed_at = fl_clock_mono();
    print_time(top->cli, top->model.refreshed);
    show_panel(top, found->job, found->job_why);
    json_decref(found->job);
    json_decref(found->job_why);
    top->retry_ms = RETRY_FIRST_MS;
    top->look_at = fl_clock_mono() + top->model.delay_ms;
}

/* The last data stays on the screen, and a line says that it is old. */
static void come_again(struct top *top, const struct top_found *found)
{
    top->model.link = found->status ? TOP_REFUSED : TOP_AWAY;
    memcpy(top->model.why, found->why, sizeof top->model.why);
    top->look_at = top->model.again_at = fl_clock_mono() + top->retry_ms;
    top->retry_ms = top->retry_ms * 2 < RETRY_MAX_MS ? top->retry_ms * 2 : RETRY_MAX_MS;
}

static void look(struct top *top)
{
    top_round_start(top->round, &top->model);
}

static int code_of_status(unsigned status)
{
    switch (status) {
    case 401:
    case 403:
        return CLI_DENIED;
    case 400:
    case 422:
        return CLI_BAD_SPEC;
    case 404:
        return CLI_FAILED;
    default:
        return CLI_UNREACHABLE;
    }
}

/* The first round decides whether there is anything to show: its failure ends the verb. */
static int begin(struct top *top)
{
    struct top_found found = {0};

    look(top);
    while (!top_round_step(top->round, &found)) {
        if (cli_is_interrupted()) return CLI_CANCELLED;
        fl_loop_turn(top->http->loop, CLI_HTTP_TURN_MS);
    }
    if (!found.data) {
        return cli_fail(code_of_status(found.status), "%s: %s", top->cli->settings.url, found.why);
    }
    adopt(top, &found);
    top_model_arrange(&top->model, cli_now_ms(), fl_clock_mono());
    return CLI_OK;
}

/* ---- the screen ------------------------------------------------------------------------------ */

static void draw(struct top *top)
{
    struct top_cells cells;
    size_t rows, columns;

    top_screen_size(&rows, &columns);
    top_cells_init(&cells, rows, columns, top->has_utf8);
    top_model_arrange(&top->model, cli_now_ms(), fl_clock_mono());
    top_draw(&top->model, &cells);
    top_screen_show(&cells);
    top_cells_fini(&cells);
    top->is_stale = false;
    top->drawn_at = fl_clock_mono();
}

/* 'fairlead logs --follow' has the terminal for a while, with the settings of this run. */
static void follow(struct top *top, const char *job)
{
    const struct cli_settings *settings = &top->cli->settings;
    const char *words[8] = {"/proc/self/exe", "logs", "--follow"};
    size_t words_len = 3;

    if (settings->as) {
        words[words_len++] = "--as";
        words[words_len++] = settings->as;
    }
    words[words_len] = job;
    if (job[0] == '-') return; /* no id, and a flag there */
    setenv("FAIRLEAD_URL", settings->url, true);
    if (settings->token) setenv("FAIRLEAD_TOKEN", settings->token, true);
    if (settings->ca_file) setenv("FAIRLEAD_CA_FILE", settings->ca_file, true);
    if (!top_screen_run(words, "-- Enter leads back --")) {
        top_model_say(&top->model, true, "'fairlead logs' cannot be started");
    }
}

/* False: quit. */
static bool press(struct top *top, uint32_t key)
{
    if (key == CTRL_L) top_screen_redraw();
    switch (top_keys_press(&top->model, key)) {
    case TOP_QUIT:
        if (!top_send_is_running(&top->send)) return false;
        top->is_leaving = true;
        top_model_say(&top->model, false, "it ends once the order is sent; Ctrl-C ends it now");
        break;
    case TOP_LOOK:
        look(top);
        break;
    case TOP_SEND:
        if (top_send_is_running(&top->send)) {
            top_model_say(&top->model, true, "the order before is still being sent");
        } else {
            top_send_start(&top->send, &top->model.order);
        }
        break;
    case TOP_FOLLOW:
        follow(top, top_model_job(&top->model));
        look(top);
        break;
    case TOP_NOTHING:
        break;
    }
    return true;
}

static bool press_all(struct top *top)
{
    uint32_t key;

    while ((key = top_screen_key()) != TOP_KEY_NONE) {
        if (!press(top, key)) return false;
        top->is_stale = true;
    }
    return true;
}

static void step(struct top *top)
{
    int64_t now = fl_clock_mono();
    struct top_found found;

    if (top_round_step(top->round, &found)) {
        if (found.data) {
            adopt(top, &found);
        } else {
            come_again(top, &found);
        }
        top->is_stale = true;
    }
    if (top_send_step(&top->send, &top->model)) {
        look(top);
        top->is_stale = true;
    }
    if (!top_round_is_running(top->round) && now >= top->look_at &&
        (!top->model.is_paused || top->model.link != TOP_CONNECTED)) {
        look(top);
    }
    if (now - top->drawn_at >= 1000) top->is_stale = true; /* ages grow */
}

static void on_input(void *ctx, unsigned events)
{
    (void)ctx;
    (void)events; /* the turn ends, and the keys are read behind it */
}

static int run(struct top *top)
{
    struct fl_watch input = {0};
    struct fl_err err = {0};
    int code = CLI_OK;

    if (!top_screen_begin(top->cli->has_color, &err)) return cli_fail_err(&err);
    fl_watch_init(&input, top->http->loop, STDIN_FILENO, on_input, NULL);
    fl_watch_set(&input, FL_WATCH_READ);
    draw(top);
    while (press_all(top)) {
        if (cli_is_interrupted() || top_screen_is_gone()) {
            code = CLI_CANCELLED;
            break;
        }
        step(top);
        if (top->is_leaving && !top_send_is_running(&top->send)) break;
        if (top->is_stale) draw(top);
        fl_loop_turn(top->http->loop, CLI_HTTP_TURN_MS);
    }
    top_screen_end();
    fl_watch_off(&input);
    return code;
}

/* ---- the verb -------------------------------------------------------------------------------- */

static int once(struct top *top)
{
    struct top_cells cells;
    struct fl_arena arena = {0};

    top_draw_once(&top->model, top->cli->width ? top->cli->width : ONCE_COLUMNS, top->has_utf8,
                  &cells);
    fputs(top_cells_text(&cells, &arena), stdout);
    if (top->model.data->has_more_jobs) {
        fprintf(stderr, "there are more: -q, -s, -l, -u to choose\n");
    }
    top_cells_fini(&cells);
    fl_arena_fini(&arena);
    return CLI_OK;
}

static int check(struct cli *cli)
{
    bool is_once = cli_has(&cli->args, CLI_OPT_once);

    if (cli_is_data(cli)) {
        return cli_fail(CLI_USAGE, "top is for people; 'fairlead ps --output %s' gives data",
                        cli_value(&cli->args, CLI_OPT_output));
    }
    if (!is_once && (!cli->is_tty || !isatty(STDIN_FILENO))) {
        return cli_fail(CLI_USAGE, "top wants a terminal for its input and output; 'fairlead ps' "
                                   "lists the jobs, 'fairlead top --once' prints one page of this");
    }
    return CLI_OK;
}

/* Fails as any verb does where the control plane is away or refuses the token. */
static int greet(struct cli *cli)
{
    json_t *token = NULL;
    int code = cli_get(cli, &token, "/v1/whoami");

    json_decref(token);
    return code;
}

int verb_top(struct cli *cli)
{
    struct top top = {.cli = cli, .retry_ms = RETRY_FIRST_MS};
    struct fl_err err = {0};
    int64_t delay_ms = 0;
    int code = check(cli);

    setlocale(LC_CTYPE, "");
    if (!code) code = read_delay(cli, &delay_ms);
    top_model_init(&top.model, cli->settings.url, delay_ms);
    if (!code) code = read_choice(cli, CLI_OPT_queue, top.model.queue);
    if (!code) code = read_choice(cli, CLI_OPT_user, top.model.user);
    if (!code) code = greet(cli);
    if (code) return code;
    if (!cli_http(cli, &top.http, &err)) return cli_fail_err(&err);
    top.has_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    top.model.has_states = cli_has(&cli->args, CLI_OPT_state);
    top.model.program_version = FL_VERSION;
    top.round = top_round_create(cli, top.http);
    top_send_init(&top.send, cli, top.http);
    code = begin(&top);
    if (!code) code = cli_has(&cli->args, CLI_OPT_once) ? once(&top) : run(&top);
    top_send_fini(&top.send);
    top_round_destroy(top.round);
    top_model_fini(&top.model);
    return code;
}
