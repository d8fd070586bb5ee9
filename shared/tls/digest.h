/* digest.h - SHA-256, HMAC-SHA-256, and comparison in constant time.
 * Thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/str.h"
#include "shared/base/types.h"

#define FL_DIGEST_TEXT_MAX 65 /* 64 lower-case hex digits and the final zero */

struct fl_digest fl_sha256(const void *ptr, size_t len);
struct fl_digest fl_hmac_sha256(const void *key, size_t key_len, const void *ptr, size_t len);

/* Takes equally long wherever the bytes differ. */
bool fl_secret_eq(const void *a, const void *b, size_t len);
bool fl_digest_eq(struct fl_digest a, struct fl_digest b); /* likewise */

/* Overwrites, and is not optimised away. */
void fl_secret_wipe(void *ptr, size_t len);

void fl_digest_print(struct fl_digest digest, char out[FL_DIGEST_TEXT_MAX]);
FL_CHECK bool fl_digest_parse(struct fl_str s, struct fl_digest *ret_digest, struct fl_err *err);

/* SHA-256 over bytes that come in pieces. */
struct fl_sha256_stream;

struct fl_sha256_stream *fl_sha256_create(void);
void fl_sha256_put(struct fl_sha256_stream *stream, const void *ptr, size_t len);
struct fl_digest fl_sha256_end(struct fl_sha256_stream *stream); /* and destroys it */
void fl_sha256_destroy(struct fl_sha256_stream *stream);         /* without an end; NULL is fine */
