/* api_token.h - the text by which a person or program proves its identity to the API.
 *     fl_<id: 12>_<256 random bits: 52><checksum: 7>       lower-case base32, as in job names
 * The checksum (CRC-32C of all before it) lets a client, or a scanner for leaked secrets, recognise
 * a token without asking.  The database stores only its HMAC under the pepper, from which no one
 * can make a usable token.
 * Thread-safe. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

enum { API_TOKEN_TEXT_MAX = 76, API_TOKEN_ID_TEXT_MAX = 13 }; /* bytes, with the final zero */

struct api_token {
    uint64_t id; /* 1 .. 2^60 - 1; public: shown in lists, logs and audit */
    uint8_t secret[32];
};

struct api_token api_token_random(void);
void api_token_print(const struct api_token *token, char out[API_TOKEN_TEXT_MAX]);

/* Accepts what api_token_print writes and nothing else. */
FL_CHECK bool api_token_parse(struct fl_str s, struct api_token *ret_token, struct fl_err *err);

void api_token_id_print(uint64_t id, char out[API_TOKEN_ID_TEXT_MAX]);
FL_CHECK bool api_token_id_parse(struct fl_str s, uint64_t *ret_id, struct fl_err *err);

/* HMAC-SHA-256 of id and secret: stored, and compared by fl_digest_eq. */
struct fl_digest api_token_mac(const struct api_token *token, struct fl_str pepper);
