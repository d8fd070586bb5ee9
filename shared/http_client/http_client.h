/* http_client.h - HTTP and HTTPS requests on the loop, without waiting.
 * A client holds the terms for one peer: its CAs, our certificate and the proxy.  It keeps
 * connections for its next calls and shares none with another client, so no connection serves under
 * another's trust.  A call is one request and its answer:
 *
 *     call = fl_http_call_start(client, &request, &port);    never calls back from within
 *     port.head(ctx)         once: status and headers        fl_http_call_status, _header
 *     port.body(ctx, bytes)  any number of times             fl_http_call_pause stops it
 *     port.done(ctx, err)    once, the last; err is NULL after a whole answer of any status
 *
 * - Redirects are not followed.  Cookies, .netrc, compression and the environment's proxies are not
 *   used.
 * - A program that is started by fork and exec inherits no connection.
 * - Every wait has a deadline and every size a limit; passing one ends the call.
 * - A request is sent once.  The exception is a kept connection that proves dead before any answer:
 *   a GET, HEAD, PUT or DELETE whose body is in memory then goes over a new one.
 * - An HTTP/1 answer with neither length nor chunks ends FL_TORN after its status and body were
 *   given: a cut looks the same.
 * - A server proves itself by a CA, a CA's hash, or the system's CAs (shared/tls/context.h); this
 *   cannot be switched off.
 * - A paused answer waits in the server.  libcurl holds up to 64 KiB of it over HTTP/1.1, up to
 *   32 MiB over HTTP/2: follow logs over 1.1.
 *
 * err->code      means
 *   INVALID      the request, the proxy's address or the client's PEM is malformed
 *   DENIED       the server's certificate is not good
 *   ABSENT       the server's or the proxy's name has no address
 *   UNAVAILABLE  no connection, a deadline, or cut before the answer's head was whole
 *   TORN         cut or malformed after that, or no HTTP at all
 *   TOO_LARGE    the answer passed a limit
 *   IO           any other failure, as a peer that does not speak TLS
 *
 * Uses libcurl and OpenSSL.  Not thread-safe: the loop's thread calls it, and from there it calls
 * the port. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/tls/context.h"

struct fl_loop;
struct fl_http_client;       /* opaque */
struct fl_http_call;         /* opaque */
typedef struct x509_st X509; /* OpenSSL's */

struct fl_http_client_config {
    struct fl_tls_client tls;
    /* The host for SNI, for the certificate's check and for Host; NULL: the URL's host. */
    const char *server_name;
    const char *proxy, *no_proxy; /* as in shared/io/proxy.h; https goes through it by CONNECT */
    bool is_http2;                /* HTTP/2 where an https server offers it; false: HTTP/1.1 */
    unsigned connections_max;     /* 0: 16; further calls wait for one, within connect_ms */
};

/* All strings are copied.  The first client of a program loads libcurl, which takes some
 * milliseconds; FL_IO: there is none that will do. */
FL_CHECK bool fl_http_client_create(struct fl_loop *loop,
                                    const struct fl_http_client_config *config,
                                    struct fl_http_client **ret_client, struct fl_err *err);
/* After its calls, and from none of their callbacks.  NULL is fine. */
void fl_http_client_destroy(struct fl_http_client *client);

struct fl_http_header {
    const char *name, *value;
};

enum { FL_HTTP_HEADERS_MAX = 32 }; /* in a request */

struct fl_http_request {
    const char *method; /* "GET" */
    const char *url;    /* "https://host:port/path?query", escaped; sent as it is */
    const struct fl_http_header *headers;
    size_t headers_len;
    struct fl_str body; /* copied; empty when the port pulls it */
    int64_t pull_bytes; /* how many bytes port.pull will give; -1: not known yet */
    /* For an http:// URL: port.done follows once there is a connection, through a proxy by CONNECT.
     * Nothing is sent over it, and it is closed. */
    bool is_connect_only;
    /* 0 is the default in brackets. */
    fl_ms connect_ms;      /* a free connection, name, proxy, TCP, TLS [10 s] */
    fl_ms head_ms;         /* from the request's last byte to the end of the answer's head [30 s] */
    fl_ms idle_ms;         /* between two pieces of the answer; a pause does not count [60 s] */
    fl_ms whole_ms;        /* from the start of the call to its end [no limit] */
    size_t head_bytes_max; /* with 1xx answers, trailers and the proxy's heads [64 KiB] */
    uint64_t body_bytes_max; /* UINT64_MAX: no limit [1 MiB] */
};

#define FL_HTTP_PULL_END SIZE_MAX

/* Each callback may pause, resume or destroy its call, and start others. */
struct fl_http_port {
    void *ctx;
    void (*head)(void *ctx); /* NULL is fine */
    void (*body)(void *ctx, struct fl_str bytes);
    void (*done)(void *ctx, const struct fl_err *err);
    /* Writes the next bytes of the request's body.  0: none yet, fl_http_call_wants follows;
     * FL_HTTP_PULL_END: that was all.  NULL: the body is in memory. */
    size_t (*pull)(void *ctx, uint8_t *at, size_t bytes_max);
};

/* The request is copied.  Destroy the call after 'done', or before it to call it off. */
struct fl_http_call *fl_http_call_start(struct fl_http_client *client,
                                        const struct fl_http_request *request,
                                        const struct fl_http_port *port);
void fl_http_call_destroy(struct fl_http_call *call); /* no callback follows; NULL is fine */

void fl_http_call_pause(struct fl_http_call *call); /* no more port.body until resumed */
void fl_http_call_resume(struct fl_http_call *call);
void fl_http_call_wants(struct fl_http_call *call); /* port.pull has bytes again */

/* From port.head on. */
unsigned fl_http_call_status(const struct fl_http_call *call); /* 0: no answer came */
/* The first of that name, in any case; .at is NULL when there is none. */
struct fl_str fl_http_call_header(const struct fl_http_call *call, const char *name);
/* The server's own, borrowed, within port.head only; NULL: the connection has no TLS. */
X509 *fl_http_call_certificate(const struct fl_http_call *call);
