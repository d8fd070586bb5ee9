/* exchange.h - the memory of one request, and the pool it comes from.
 * Only connections with a request in hand have one: idle connections cost nothing.
 * The input holds, from 'at' on, the bytes that are not consumed.  The first 'pin_bytes' are the
 * head of the request in hand: they do not move until it is answered.
 * Uses shared/base and shared/wire.  Not thread-safe. */
#pragma once

#include "controlplane/http/limits.h"
#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/base/vec.h"
#include "shared/wire/http_body.h"
#include "shared/wire/http_head.h"

#define HTTP_INPUT_SPARE_BYTES 4096 /* room behind the longest head, to read its body */
#define HTTP_INPUT_BYTES_USUAL 8192 /* the input's first size; it grows for a larger request */
#define HTTP_SPARES_MAX 256         /* how many exchanges, and buffers, to keep for reuse */
#define HTTP_SPARE_BYTES_MAX 65536  /* a larger buffer goes back to the system */

struct http_share; /* token_share.h */

struct http_exchange {
    struct http_exchange *next; /* in the pool */
    char *input;
    size_t input_bytes, at, len, pin_bytes;
    size_t input_bytes_max; /* the longest head and HTTP_INPUT_SPARE_BYTES */
    struct fl_http_head_scan scan;
    struct fl_http_field *fields;
    struct fl_http_head head;
    struct fl_http_body body;
    struct fl_buf content;    /* the body as far as it came */
    struct http_share *share; /* the token that it counts for; NULL: none */
    struct fl_arena arena;
};

struct http_pool {
    struct http_limits limits;
    struct http_exchange *exchanges; /* spare */
    size_t exchanges_len;
    FL_VEC(struct fl_buf) buffers; /* spare, empty */
    size_t content_bytes;          /* memory of all bodies now */
};

void http_pool_init(struct http_pool *pool, const struct http_limits *limits);
void http_pool_fini(struct http_pool *pool); /* after all exchanges were given back */

struct http_exchange *http_exchange_take(struct http_pool *pool);
void http_exchange_give(struct http_pool *pool, struct http_exchange *exchange);

/* Cleans up after a request: its head is unpinned, body and arena are freed, later input stays. */
void http_exchange_reset(struct http_pool *pool, struct http_exchange *exchange);

/* The place for the next bytes; moves the input to the front if that makes room.  Returns how many
 * fit; 0: the input is full. */
size_t http_exchange_room(struct http_exchange *exchange, char **ret_to);

/* Makes room for 'bytes' from 'at' on, up to input_bytes_max: moves the input to the front and lets
 * it grow.  No head may be pinned. */
void http_exchange_settle(struct http_exchange *exchange, uint64_t bytes);

/* The body counts for this token from now on, until the exchange is reset; NULL: for none. */
void http_exchange_own(struct http_exchange *exchange, struct http_share *share);

/* Adds to the body; false: all bodies together are too large, or those of its token. */
FL_CHECK bool http_exchange_add(struct http_pool *pool, struct http_exchange *exchange,
                                struct fl_str piece, struct fl_http_refusal *ret_refusal);

/* Take an empty buffer for output, and give it back. */
struct fl_buf http_buffer_take(struct http_pool *pool);
void http_buffer_give(struct http_pool *pool, struct fl_buf *buf);
