/* join_token.h - the text a person carries to a new cluster: the control plane's addresses, the
 * hash of its CA, and the secret that lets one agent enrol once.
 *     fl-join_<base64url: version, secret, SHA-256 of the CA's certificate, addresses, CRC-32C>
 * The control plane stores only the SHA-256 of the secret.  An agent enrols at api_url and then
 * dials 'tunnel'.
 * Thread-safe. */
#pragma once

#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

enum {
    FL_JOIN_TOKEN_ADDRESS_MAX = 256,
    FL_JOIN_TOKEN_TEXT_MAX = 800
}; /* bytes, with the final zero */

struct fl_join_token {
    uint8_t secret[32];
    struct fl_digest ca_sha256;
    char api_url[FL_JOIN_TOKEN_ADDRESS_MAX]; /* "https://host:port" or "http://127.0.0.1:port" */
    char tunnel[FL_JOIN_TOKEN_ADDRESS_MAX];  /* "host:port" */
};

/* The secret is random, the rest is the caller's to fill in.  FL_INVALID: an address is empty, too
 * long, or has other than plain visible characters. */
FL_CHECK bool fl_join_token_init(struct fl_join_token *token, struct fl_digest ca_sha256,
                                 struct fl_str api_url, struct fl_str tunnel, struct fl_err *err);

void fl_join_token_print(const struct fl_join_token *token, char out[FL_JOIN_TOKEN_TEXT_MAX]);

/* Accepts what fl_join_token_print writes and nothing else. */
FL_CHECK bool fl_join_token_parse(struct fl_str s, struct fl_join_token *ret_token,
                                  struct fl_err *err);

/* SHA-256 of the secret, by which the core knows a token. */
struct fl_digest fl_join_token_sha256(const struct fl_join_token *token);
