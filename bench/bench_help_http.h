/* bench_help_http.h - fake: an HTTP/1.1 client that keeps its connection, for load and for
 * enrolment.  It knows answers as fairleadd gives them: a Content-Length, no chunks.  It does not
 * look at who answers: the server was started by the same bench/run, on loopback.  Every failure
 * ends the tool.  Uses OpenSSL and the system's sockets. */
#pragma once

#include <openssl/ssl.h>
#include <stdint.h>

#include "shared/base/buf.h"
#include "shared/base/str.h"

struct bench_api { /* shared by all connections */
    const char *host, *port, *token;
    SSL_CTX *tls; /* NULL: plain */
};

/* --api=HOST:PORT --token=FILE [--tls=1] among the arguments. */
void bench_api_init(struct bench_api *api, int argc, char **argv);
void bench_api_fini(struct bench_api *api);

int bench_dial(const char *host, const char *port); /* blocking */

struct bench_http {
    SSL *ssl; /* NULL: plain */
    int fd;
    struct fl_buf out; /* the request; not yet written from out_pos on */
    size_t out_pos;
    struct fl_buf in; /* bytes of the answer so far */
};

struct bench_http_answer { /* views into 'in', until the next request */
    int status;
    struct fl_str body;
};

enum bench_http_state { BENCH_HTTP_READ, BENCH_HTTP_WRITE, BENCH_HTTP_DONE };

void bench_http_open(struct bench_http *http, const struct bench_api *api); /* blocking */
void bench_http_close(struct bench_http *http);

/* 'more': further header lines, each with its CRLF; may be empty. */
void bench_http_begin(struct bench_http *http, const struct bench_api *api, const char *method,
                      const char *path, const char *more, struct fl_str body);

/* Goes on as far as the socket lets it; says what it waits for.  DONE: the answer is there. */
enum bench_http_state bench_http_step(struct bench_http *http, struct bench_http_answer *ret);

/* One request on a blocking socket, and what came of it. */
struct bench_http_answer bench_http_ask(struct bench_http *http, const struct bench_api *api,
                                        const char *method, const char *path, const char *more,
                                        struct fl_str body);

/* The text of a member of a flat JSON object, as it stands between its quotes; dies when it is not
 * there. */
struct fl_str bench_http_member(struct fl_str json, const char *name);
