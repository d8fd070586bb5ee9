/* tls.h - a TLS context made fit for thousands of idle peers.
 * Uses OpenSSL. */
#pragma once

#include "shared/base/err.h"

struct ssl_ctx_st;

/* TLS 1.2 or newer, no renegotiation, no compression, buffers given back when empty, what is there
 * read in one go, ALPN http/1.1 (a peer that offers only others is refused). */
FL_CHECK bool http_tls_setup(struct ssl_ctx_st *context, struct fl_err *err);
