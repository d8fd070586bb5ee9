/* exec.c - 'exec' and 'shell': a command, or a shell, in a replica that runs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/client.h"
#include "cli/elements.h"
#include "cli/http.h"
#include "cli/interrupt.h"
#include "cli/terminal.h"
#include "cli/visit_status.h"
#include "cli/web_socket.h"
#include "shared/io/loop.h"
#include "shared/json/json_out.h"
#include "shared/wire/visit.h"

enum { READ_BYTES = 16384, SIZE_BYTES_MAX = 64 };

struct executing {
    struct cli *cli;
    struct cli_web_socket *socket;
    struct cli_visit_status status;
    struct fl_watch input;
    bool has_input, has_tty;
    bool is_over;
    bool is_broken; /* our own output cannot be written */
    char why[256];
};

/* ---- input ----------------------------------------------------------------------------------- */

static void read_on(struct executing *executing)
{
    bool has_room = cli_web_socket_waiting(executing->socket) < CLI_WEB_SOCKET_OUT_MAX / 2;

    if (executing->has_input) fl_watch_set(&executing->input, has_room ? FL_WATCH_READ : 0);
}

static void end_input(struct executing *executing)
{
    static const char stdin_ends[] = {FL_VISIT_STDIN};

    cli_web_socket_put(executing->socket, FL_VISIT_CLOSE,
                       (struct fl_str){stdin_ends, sizeof stdin_ends});
}

static void on_input(void *ctx, unsigned events)
{
    struct executing *executing = ctx;
    char bytes[READ_BYTES];
    ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);

    (void)events;
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n > 0) {
        cli_web_socket_put(executing->socket, FL_VISIT_STDIN, (struct fl_str){bytes, (size_t)n});
        read_on(executing);
        return;
    }
    end_input(executing);
    fl_watch_set(&executing->input, 0);
    executing->has_input = false;
}

static void send_size(struct executing *executing)
{
    struct cli_terminal_size size = cli_terminal_size();
    struct fl_json_out json;
    struct fl_buf text;

    fl_buf_init(&text, SIZE_BYTES_MAX);
    json = fl_json_out(&text);
    fl_json_open(&json, NULL, '{');
    fl_json_put_u64(&json, "Width", size.columns);
    fl_json_put_u64(&json, "Height", size.rows);
    fl_json_close(&json, '}');
    cli_web_socket_put(executing->socket, FL_VISIT_RESIZE,
                       (struct fl_str){(const char *)text.at, text.len});
    fl_buf_fini(&text);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void on_piece(void *ctx, uint8_t channel, struct fl_str bytes, bool is_last)
{
    struct executing *executing = ctx;
    int fd = channel == FL_VISIT_STDOUT ? STDOUT_FILENO : STDERR_FILENO;

    if (channel == FL_VISIT_STATUS) cli_visit_status_put(&executing->status, bytes, is_last);
    if (channel != FL_VISIT_STDOUT && channel != FL_VISIT_STDERR) return;
    while (bytes.len > 0 && !executing->is_broken) {
        ssize_t n = write(fd, bytes.at, bytes.len);

        if (n < 0 && errno != EINTR) {
            executing->is_broken = executing->is_over = true;
        } else if (n > 0) {
            bytes.at += n;
            bytes.len -= (size_t)n;
        }
    }
}

static void on_taken(void *ctx)
{
    read_on(ctx);
}

static void on_closed(void *ctx, const char *why)
{
    struct executing *executing = ctx;

    executing->is_over = true;
    snprintf(executing->why, sizeof executing->why, "%s", why);
}

/* ---- the verb -------------------------------------------------------------------------------- */

static int path_of(struct cli *cli, struct executing *executing, const char *id,
                   const char **ret_path)
{
    struct cli_terminal_size size = cli_terminal_size();
    const char *path, *term = getenv("TERM");
    int code = cli_visit_exec_path(cli, id, (const char *const *)cli->args.command,
                                   cli->args.command_len, executing->has_tty, &path);

    if (code != CLI_OK) return code;
    if (executing->has_tty) {
        path = fl_arena_printf(&cli->arena, "%s&rows=%u&columns=%u", path, size.rows, size.columns);
        if (term && *term) {
            path = fl_arena_printf(&cli->arena, "%s&term=%s", path, cli_escape(cli, term));
        }
    }
    *ret_path = path;
    return CLI_OK;
}

static int ended(struct executing *executing)
{
    cli_terminal_end();
    if (executing->is_broken) return CLI_IO;
    if (cli_is_interrupted() && !executing->is_over) return CLI_CANCELLED;
    return cli_visit_status_end(executing->cli, &executing->status, executing->why);
}

static int execute(struct cli *cli, struct executing *executing, const char *id)
{
    struct cli_web_socket_port port = {executing, on_piece, on_taken, on_closed};
    struct fl_loop *loop;
    const char *path;
    int code = path_of(cli, executing, id, &path);

    if (code == CLI_OK) code = cli_web_socket_open(cli, path, &port, &executing->socket);
    if (code != CLI_OK) return code;
    loop = cli_web_socket_loop(executing->socket);
    fl_watch_init(&executing->input, loop, STDIN_FILENO, on_input, executing);
    if (executing->has_tty && executing->has_input) cli_terminal_begin();
    if (!executing->has_tty && !executing->has_input) end_input(executing);
    read_on(executing);
    while (!executing->is_over && !cli_is_interrupted()) {
        fl_loop_turn(loop, CLI_HTTP_TURN_MS);
        if (executing->has_tty && cli_terminal_was_resized()) send_size(executing);
    }
    fl_watch_off(&executing->input);
    code = ended(executing);
    cli_web_socket_destroy(executing->socket);
    return code;
}

static int run(struct cli *cli, struct executing *executing, const char *usage)
{
    const char *id;
    int code = CLI_OK;

    if (cli->args.words.len != 1) return cli_fail(CLI_USAGE, "usage: fairlead %s", usage);
    executing->cli = cli;
    id = cli_job_of_element(cli, cli->args.words.at[0], &code);
    return id ? execute(cli, executing, id) : code;
}

int verb_exec(struct cli *cli)
{
    struct executing executing = {.has_input = cli_has(&cli->args, CLI_OPT_interactive),
                                  .has_tty = cli_has(&cli->args, CLI_OPT_tty)};
    static const char usage[] = "exec [--interactive] [--tty] JOB [--] COMMAND [ARG...]";

    if (cli->args.command_len == 0) return cli_fail(CLI_USAGE, "usage: fairlead %s", usage);
    if (executing.has_tty && executing.has_input && !cli_terminal_is_there()) {
        return cli_fail(CLI_USAGE, "--tty: standard input is no terminal; leave it out");
    }
    return run(cli, &executing, usage);
}

int verb_shell(struct cli *cli)
{
    struct executing executing = {.has_input = true, .has_tty = cli_terminal_is_there()};

    return run(cli, &executing, "shell JOB");
}
