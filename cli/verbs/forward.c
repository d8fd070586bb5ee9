/* forward.c - 'forward': a port of this machine leads to a port of a replica.  Each connection to
 * it is a WebSocket of its own. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/client.h"
#include "cli/elements.h"
#include "cli/http.h"
#include "cli/interrupt.h"
#include "cli/visit_status.h"
#include "cli/web_socket.h"
#include "shared/base/alloc.h"
#include "shared/io/loop.h"
#include "shared/io/net.h"
#include "shared/wire/visit.h"

enum { READ_BYTES = 16384, CONNECTIONS_MAX = 64, WAITING_MAX = 256 << 10 };

struct forward {
    struct cli *cli;
    struct fl_loop *loop;
    const char *path;
    int listener;
    struct fl_watch accepting;
    struct connection *first;
    size_t len;
};

struct connection {
    struct forward *forward;
    struct connection *next, *prev;
    struct cli_web_socket *socket;
    struct cli_visit_status status;
    int fd;
    struct fl_watch watch;
    struct fl_after end;
    struct fl_buf out; /* for the local end */
    size_t out_at;
    bool has_input;  /* the local end has not closed its own */
    bool must_close; /* behind 'out' */
    bool is_shut;
};

/* ---- its end --------------------------------------------------------------------------------- */

static void on_end(void *ctx)
{
    struct connection *connection = ctx;
    struct forward *forward = connection->forward;

    fl_watch_off(&connection->watch);
    close(connection->fd);
    cli_web_socket_destroy(connection->socket);
    fl_buf_fini(&connection->out);
    if (connection->next) connection->next->prev = connection->prev;
    if (connection->prev) {
        connection->prev->next = connection->next;
    } else {
        forward->first = connection->next;
    }
    if (forward->len-- == CONNECTIONS_MAX) fl_watch_set(&forward->accepting, FL_WATCH_READ);
    fl_free(connection);
}

static size_t waiting(const struct connection *connection)
{
    return connection->out.len - connection->out_at;
}

static void settle(struct connection *connection)
{
    bool has_room = connection->socket &&
                    cli_web_socket_waiting(connection->socket) < CLI_WEB_SOCKET_OUT_MAX / 2;

    fl_watch_set(&connection->watch, (connection->has_input && has_room ? FL_WATCH_READ : 0) |
                                         (waiting(connection) > 0 ? FL_WATCH_WRITE : 0));
}

/* ---- the local end --------------------------------------------------------------------------- */

/* False: the local end is gone. */
static bool write_out(struct connection *connection)
{
    while (waiting(connection) > 0) {
        ssize_t n = send(connection->fd, connection->out.at + connection->out_at,
                         waiting(connection), MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return true;
        if (n < 0) return false;
        connection->out_at += (size_t)n;
    }
    fl_buf_clear(&connection->out);
    connection->out_at = 0;
    if (connection->socket) cli_web_socket_hold(connection->socket, false);
    if (connection->must_close && !connection->is_shut) {
        connection->is_shut = true;
        shutdown(connection->fd, SHUT_WR);
    }
    return true;
}

/* False: the local end is gone. */
static bool read_in(struct connection *connection)
{
    static const char stdin_ends[] = {FL_VISIT_STDIN};
    char bytes[READ_BYTES];
    ssize_t n = recv(connection->fd, bytes, sizeof bytes, 0);

    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (n > 0) {
        cli_web_socket_put(connection->socket, FL_VISIT_STDIN, (struct fl_str){bytes, (size_t)n});
        return true;
    }
    connection->has_input = false;
    cli_web_socket_put(connection->socket, FL_VISIT_CLOSE,
                       (struct fl_str){stdin_ends, sizeof stdin_ends});
    return true;
}

static bool is_done(const struct connection *connection)
{
    return !connection->socket && waiting(connection) == 0;
}

static void on_local(void *ctx, unsigned events)
{
    struct connection *connection = ctx;
    bool is_there = true;

    if (events & FL_WATCH_WRITE) is_there = write_out(connection);
    if (is_there && (events & FL_WATCH_READ) && connection->socket) is_there = read_in(connection);
    if (!is_there || is_done(connection)) {
        on_end(connection);
        return;
    }
    settle(connection);
}

/* ---- the far end ----------------------------------------------------------------------------- */

static void on_piece(void *ctx, uint8_t channel, struct fl_str bytes, bool is_last)
{
    struct connection *connection = ctx;

    if (channel == FL_VISIT_STATUS) {
        cli_visit_status_put(&connection->status, bytes, is_last);
    } else if (channel == FL_VISIT_STDOUT) {
        if (!fl_buf_put(&connection->out, bytes.at, bytes.len)) fl_after_put(&connection->end);
        if (waiting(connection) > WAITING_MAX) cli_web_socket_hold(connection->socket, true);
    } else if (channel == FL_VISIT_CLOSE && bytes.len > 0) {
        connection->must_close = true;
    }
    if (!write_out(connection)) fl_after_put(&connection->end);
    settle(connection);
}

static void on_taken(void *ctx)
{
    settle(ctx);
}

static void on_closed(void *ctx, const char *why)
{
    struct connection *connection = ctx;

    cli_visit_status_end(connection->forward->cli, &connection->status, why);
    connection->must_close = true;
    cli_web_socket_destroy(connection->socket);
    connection->socket = NULL;
    if (!write_out(connection) || is_done(connection)) {
        fl_after_put(&connection->end);
        return;
    }
    settle(connection);
}

/* ---- new ones -------------------------------------------------------------------------------- */

static void begin(struct forward *forward, int fd)
{
    struct connection *connection = fl_new(struct connection);
    struct cli_web_socket_port port = {connection, on_piece, on_taken, on_closed};

    connection->forward = forward;
    connection->fd = fd;
    connection->has_input = true;
    fl_buf_init(&connection->out, 2 * WAITING_MAX + 65536);
    fl_after_init(&connection->end, forward->loop, on_end, connection);
    fl_watch_init(&connection->watch, forward->loop, fd, on_local, connection);
    connection->next = forward->first;
    if (connection->next) connection->next->prev = connection;
    forward->first = connection;
    if (++forward->len == CONNECTIONS_MAX) fl_watch_set(&forward->accepting, 0);
    if (cli_web_socket_open(forward->cli, forward->path, &port, &connection->socket) != CLI_OK) {
        on_end(connection); /* stderr says why */
        return;
    }
    settle(connection);
}

static void on_accept(void *ctx, unsigned events)
{
    struct forward *forward = ctx;
    int fd;

    (void)events;
    if (fl_net_accept(forward->listener, &fd, NULL) == FL_NET_ACCEPTED) begin(forward, fd);
}

/* "8888" or "9000:8888". */
static bool read_ports(const char *text, unsigned long *ret_local, unsigned long *ret_port)
{
    char *end;

    *ret_local = *ret_port = strtoul(text, &end, 10);
    if (*end == ':') *ret_port = strtoul(end + 1, &end, 10);
    return *end == 0 && *text >= '0' && *text <= '9' && *ret_port >= 1 && *ret_port <= UINT16_MAX &&
           *ret_local <= UINT16_MAX;
}

static bool listen_here(struct forward *forward, unsigned long local, char name[FL_NET_TEXT_MAX],
                        struct fl_err *err)
{
    struct fl_net_address address;
    char text[32];

    snprintf(text, sizeof text, "127.0.0.1:%lu", local);
    if (!fl_net_parse(fl_str_c(text), &address, err) ||
        !fl_net_listen(&address, (struct fl_net_listen){0}, &forward->listener, err) ||
        !fl_net_local(forward->listener, &address, err)) {
        return fl_err_wrap(err, "%s", text);
    }
    fl_net_print(&address, name);
    return true;
}

/* Whether the job is there, and this token may enter it: else the first connection would tell. */
static int check_job(struct cli *cli, const char *id)
{
    json_t *job = NULL;
    int code = cli_get(cli, &job, "/v1/jobs/%s", id);

    json_decref(job);
    return code;
}

int verb_forward(struct cli *cli)
{
    struct forward forward = {.cli = cli, .listener = -1};
    unsigned long local, port;
    struct cli_http *http;
    struct fl_err err = {0};
    char name[FL_NET_TEXT_MAX];
    const char *id;
    int code = CLI_OK;

    if (cli->args.words.len != 2) {
        return cli_fail(CLI_USAGE, "usage: fairlead forward JOB [LOCAL:]PORT");
    }
    if (!read_ports(cli->args.words.at[1], &local, &port)) {
        return cli_fail(CLI_USAGE, "%s is no port: [LOCAL:]PORT, as 8888 or 9000:8888",
                        cli->args.words.at[1]);
    }
    id = cli_job_of_element(cli, cli->args.words.at[0], &code);
    if (!id || (code = check_job(cli, id)) != CLI_OK) return code;
    forward.path = fl_arena_printf(&cli->arena, "/v1/jobs/%s/forward?port=%lu", id, port);
    code = cli_visit_query(cli, &forward.path);
    if (code != CLI_OK) return code;
    if (!cli_http(cli, &http, &err) || !listen_here(&forward, local, name, &err)) {
        return cli_fail_err(&err);
    }
    forward.loop = http->loop;
    fl_watch_init(&forward.accepting, forward.loop, forward.listener, on_accept, &forward);
    fl_watch_set(&forward.accepting, FL_WATCH_READ);
    fprintf(stderr, "http://%s leads to port %lu of %s, until Ctrl-C\n", name, port, id);
    while (!cli_is_interrupted()) {
        fl_loop_turn(forward.loop, CLI_HTTP_TURN_MS);
    }
    while (forward.first) {
        fl_after_off(&forward.first->end);
        on_end(forward.first);
    }
    fl_watch_off(&forward.accepting);
    close(forward.listener);
    return CLI_OK;
}
