/* socket.h - the bytes of one peer, plain or in TLS, never waited for.
 * Uses OpenSSL; a program that uses TLS ignores SIGPIPE. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "shared/base/err.h"

struct ssl_st;
struct ssl_ctx_st;

enum http_io {
    HTTP_IO_DONE,
    HTTP_IO_AGAIN,  /* nothing now: wait for what 'wants' says */
    HTTP_IO_END,    /* the peer sends no more */
    HTTP_IO_BROKEN, /* nor does it listen */
};

struct http_socket {
    int fd;
    struct ssl_st *ssl; /* NULL: plain */
    unsigned wants;     /* of enum fl_watch_event, after AGAIN */
    bool has_more;      /* after a read: there may be bytes that the descriptor does not show */
};

/* Takes the descriptor, on false too.  'tls' NULL: plain, and there is no handshake. */
FL_CHECK bool http_socket_init(struct http_socket *socket, int fd, struct ssl_ctx_st *tls);
void http_socket_fini(struct http_socket *socket); /* closes */

FL_CHECK enum http_io http_socket_handshake(struct http_socket *socket);

/* DONE: *ret_n > 0. */
FL_CHECK enum http_io http_socket_read(struct http_socket *socket, void *to, size_t bytes_max,
                                       size_t *ret_n);
/* After AGAIN it must be called with the same bytes, and maybe more behind them. */
FL_CHECK enum http_io http_socket_write(struct http_socket *socket, const void *from, size_t bytes,
                                        size_t *ret_n);

/* Says that no more comes from us; reading goes on. */
void http_socket_shut(struct http_socket *socket);

/* Reads and forgets what is there, past TLS, and adds it to *bytes; AGAIN: there may be more. */
FL_CHECK enum http_io http_socket_discard(struct http_socket *socket, size_t *bytes);
