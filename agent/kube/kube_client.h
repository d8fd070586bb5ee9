/* kube_client.h - requests to one API server, on the loop, without waiting.
 * It goes over HTTP/2 where the server has it, so that all requests share one connection.
 *
 *     call = kube_call_start(client, &request, &port);     never calls back from within
 *     port.body(ctx, bytes)     any number of times: the body of an answer with a 2xx status
 *     port.done(ctx, failure)   once, the last; failure is NULL after a whole 2xx answer
 *
 * - A request waits for its turn (kube_rate_limit.h), streams before others, else in order.
 * - The server's 429 holds back all requests.  A 429 and a 5xx are answered by sending the request
 *   again (kube_retry.h), unless the caller does that itself (is_once).
 * - A Status object becomes the error's text (kube_status.h).  No answer at all: FL_UNAVAILABLE or
 *   another code of http_client.h, with status 0.
 * - After a request without an answer the next ones go over a new connection: the old one may be
 *   dead without a sign.  A new connection reads the files of certificates again.
 * - The file of a token is read again whenever it has changed; in a pod the kubelet replaces it.
 *   While it cannot be read, the last token is used.
 *
 * Reads small files in between, as shared/io/file.h.  Not thread-safe: the loop's thread calls
 * it. */
#pragma once

#include "agent/kube/kube_config.h"
#include "agent/kube/kube_status.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

struct fl_loop;
typedef struct ssl_ctx_st SSL_CTX; /* OpenSSL's */
struct kube_client;                /* opaque */
struct kube_call;                  /* opaque */

enum {
    KUBE_CLIENT_PER_SECOND = 50,
    KUBE_CLIENT_BURST = 100,
    KUBE_CLIENT_AT_ONCE = 32,
    KUBE_CLIENT_WAITING_MAX = 10000, /* further requests end FL_FULL */
};

struct kube_client_config {
    const struct kube_config *kube; /* copied */
    /* 0 is the default above. */
    unsigned per_second, burst, at_once_max, waiting_max;
    uint64_t seed; /* for the jitter of waits */
};

/* FL_IO or FL_ABSENT: a file of a certificate or token cannot be read; or as
 * fl_http_client_create. */
FL_CHECK bool kube_client_create(struct fl_loop *loop, const struct kube_client_config *config,
                                 struct kube_client **ret_client, struct fl_err *err);
/* After its calls, and from none of their callbacks.  NULL is fine. */
void kube_client_destroy(struct kube_client *client);

struct fl_loop *kube_client_loop(const struct kube_client *client);

/* The next requests go over a new connection. */
void kube_client_renew(struct kube_client *client);

/* For a connection of the caller's own: the same server, trust and identity. */
struct kube_client_terms {
    struct fl_str server, server_name; /* as in kube_config.h; the client's */
    struct fl_str token;               /* the client's, until the next request; may be empty */
    SSL_CTX *tls;                      /* the caller's: SSL_CTX_free */
};
/* Reads the files again.  False: as kube_client_create. */
FL_CHECK bool kube_client_terms(struct kube_client *client, struct kube_client_terms *ret_terms,
                                struct fl_err *err);

struct kube_request {
    const char *method;       /* "GET" */
    const char *path;         /* "/api/v1/pods?limit=500", escaped */
    const char *content_type; /* the body is that; NULL: application/json */
    struct fl_str body;
    bool is_stream; /* a watch or a log: lasts for long */
    bool is_once;   /* not sent again */
    /* 0 is the default of http_client.h. */
    fl_ms head_ms, idle_ms, whole_ms;
    uint64_t body_bytes_max;
};

/* Each callback may destroy its call, and start others. */
struct kube_port {
    void *ctx;
    void (*body)(void *ctx, struct fl_str bytes);
    void (*done)(void *ctx, const struct kube_failure *failure);
};

/* The request is copied.  Destroy the call after 'done', or before it to call it off. */
struct kube_call *kube_call_start(struct kube_client *client, const struct kube_request *request,
                                  const struct kube_port *port);
void kube_call_destroy(struct kube_call *call); /* no callback follows; NULL is fine */

struct kube_client_counts {
    uint64_t sent, sent_again, refused; /* refused: answers that are no 2xx */
    uint64_t connections;               /* times that a new one was asked for */
    unsigned waiting, running;
};
struct kube_client_counts kube_client_counts(const struct kube_client *client);
