/* hostile_server.h - a server whose misbehaviour the test writes.
 * A thread accepts one connection after the other, over TLS or in the clear, and hands each to a
 * function of the test. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ssl_ctx_st SSL_CTX; /* OpenSSL's */
typedef struct ssl_st SSL;

struct hostile_server {
    SSL_CTX *tls; /* NULL: in the clear */
    void (*serve)(struct hostile_server *server);
    const void *script; /* for 'serve' */
    size_t script_len;

    pthread_t thread;
    int listen_fd, fd; /* fd: the connection that is served */
    SSL *ssl;
    uint16_t port;
    atomic_uint served;              /* connections; each is counted before its function begins */
    atomic_uint requests;            /* that hostile_read_head has read */
    atomic_ullong sent;              /* bytes that hostile_write has handed to the kernel */
    atomic_bool is_stopping, may_go; /* may_go: a gate at which the test lets a function wait */
    char head[16384];                /* the request's that was read last, with a zero byte */
};

void hostile_start(struct hostile_server *server);
void hostile_stop(struct hostile_server *server);
/* "https://127.0.0.1:4711/path"; good until the next call. */
const char *hostile_url(const struct hostile_server *server, const char *path);

/* For 'serve'.  False: the peer is gone, or the test is over. */
bool hostile_read(struct hostile_server *server, void *at, size_t len);
bool hostile_read_head(struct hostile_server *server);
bool hostile_write(struct hostile_server *server, const void *at, size_t len);
bool hostile_say(struct hostile_server *server, const char *text);
bool hostile_pause(struct hostile_server *server, int ms);
void hostile_await_go(struct hostile_server *server);
void hostile_hold(struct hostile_server *server);  /* until the peer closes */
void hostile_reset(struct hostile_server *server); /* the peer gets RST */
