/* socket.h - reads and writes one peer's bytes, plain or in TLS, without waiting.
 * Uses OpenSSL; a program that uses TLS ignores SIGPIPE. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "shared/base/err.h"

struct ssl_st;
struct ssl_ctx_st;

enum http_io {
    HTTP_IO_DONE,
    HTTP_IO_AGAIN,  /* not now: wait for the events in 'wants' */
    HTTP_IO_END,    /* the peer sends no more */
    HTTP_IO_BROKEN, /* the connection is gone in both directions */
};

struct http_socket {
    int fd;
    struct ssl_st *ssl; /* NULL: plain */
    unsigned wants;     /* enum fl_watch_event, or-ed; set by AGAIN */
    bool has_more;      /* after a read: OpenSSL may hold bytes that a poll does not see */
};

/* Takes over the descriptor, on false too.  'tls' NULL: plain, without a handshake. */
FL_CHECK bool http_socket_init(struct http_socket *socket, int fd, struct ssl_ctx_st *tls);
void http_socket_fini(struct http_socket *socket); /* closes */

FL_CHECK enum http_io http_socket_handshake(struct http_socket *socket);

/* DONE: *ret_n > 0. */
FL_CHECK enum http_io http_socket_read(struct http_socket *socket, void *to, size_t bytes_max,
                                       size_t *ret_n);
/* After AGAIN, call it with the same bytes; more may stand behind them. */
FL_CHECK enum http_io http_socket_write(struct http_socket *socket, const void *from, size_t bytes,
                                        size_t *ret_n);

/* Tells the peer that we send no more; reading goes on. */
void http_socket_shut(struct http_socket *socket);

/* Reads bytes past TLS and drops them, and adds their number to *bytes; AGAIN: more may come. */
FL_CHECK enum http_io http_socket_discard(struct http_socket *socket, size_t *bytes);
