/* tls.h - prepares a TLS context for thousands of idle peers.
 * Uses OpenSSL. */
#pragma once

#include "shared/base/err.h"

struct ssl_ctx_st;

/* Sets TLS 1.2 or newer, no renegotiation, no compression, freeing of empty buffers, reading ahead,
 * and ALPN http/1.1 (a peer that offers only others is refused). */
FL_CHECK bool http_tls_setup(struct ssl_ctx_st *context, struct fl_err *err);
