/* web_socket.h - a WebSocket to the control plane, for visits: binary messages whose first byte is
 * a channel (docs/api.md).  Opening waits: name, proxy, TLS and handshake; then all is on the loop
 * of this run's HTTP client (http.h).  The same URL, token, CA and proxy count as for requests.
 * Nothing is called back from within a function of this. */
#pragma once

#include "cli/cli.h"
#include "shared/base/str.h"

struct fl_loop;
struct cli_web_socket; /* opaque */

struct cli_web_socket_port {
    void *ctx;
    /* A piece of a message, with is_last the last one. */
    void (*piece)(void *ctx, uint8_t channel, struct fl_str bytes, bool is_last);
    void (*taken)(void *ctx); /* bytes went out */
    /* It is over, and may be destroyed.  'why' is the server's reason, or our own; "" if it closed
     * in order. */
    void (*closed)(void *ctx, const char *why);
};

enum { CLI_WEB_SOCKET_OUT_MAX = 256 << 10 };

/* 0: it is open.  Else an exit code, and stderr says what the problem was. */
int cli_web_socket_open(struct cli *cli, const char *path, const struct cli_web_socket_port *port,
                        struct cli_web_socket **ret_socket);
void cli_web_socket_destroy(struct cli_web_socket *socket); /* NULL is fine */

/* While less than CLI_WEB_SOCKET_OUT_MAX bytes wait. */
void cli_web_socket_put(struct cli_web_socket *socket, uint8_t channel, struct fl_str bytes);
size_t cli_web_socket_waiting(const struct cli_web_socket *socket);
void cli_web_socket_hold(struct cli_web_socket *socket, bool is_held); /* read no more for now */

struct fl_loop *cli_web_socket_loop(const struct cli_web_socket *socket);
