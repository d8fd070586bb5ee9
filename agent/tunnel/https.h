/* https.h - one HTTP/1.1 request of an agent, and its answer, waited for.
 * POST over TLS (or in the clear, to loopback), direct or through a CONNECT proxy, one connection for one
 * request, by whichever address of the host answers.  For enrolment, before the agent's loop turns.
 * Blocks until its deadline; looks every 100 ms whether it shall stop, also while a name server is waited for
 * (struct agent_https_names: one for all tries, since a lookup cannot be called off, only left alone). */
#pragma once

#include "agent/tunnel/proxy.h"
#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

typedef struct ssl_ctx_st SSL_CTX; /* of OpenSSL */
struct agent_https_names;          /* opaque: a loop and its resolver, which outlive one request */

enum { AGENT_HTTPS_ANSWER_MAX = 256 << 10 };

struct agent_https_names *agent_https_names_create(void);
void agent_https_names_destroy(struct agent_https_names *names); /* NULL is fine */

struct agent_https {
    struct agent_https_names *names;
    const char *host;
    uint16_t port;
    const struct agent_proxy *proxy;
    SSL_CTX *tls;            /* NULL: in the clear */
    const char *server_name; /* for SNI and the check of the certificate */
    fl_ms deadline;          /* of fl_clock_mono */
    void *ctx;
    bool (*should_stop)(void *ctx); /* NULL: never */
};

/* *ret_status is the answer's, its body is in 'ret_body' (inited with AGENT_HTTPS_ANSWER_MAX).  False: there
 * was no answer; FL_DENIED when the certificate was not good, else FL_UNAVAILABLE. */
FL_CHECK bool agent_https_post(const struct agent_https *https, const char *path,
                               struct fl_str body, unsigned *ret_status, struct fl_buf *ret_body,
                               struct fl_err *err);
