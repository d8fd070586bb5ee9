/* exchange.h - the memory of one request being received or handled, and the pool it comes from.
 * Only connections with a request in hand hold one: the idle ones cost nothing.
 * The input holds, from 'at' on, the bytes that are not consumed.  'pin_bytes' at its front are the
 * head of the request in hand: they stay where they are until it is answered.
 * Uses shared/base and shared/wire.  Not thread-safe. */
#pragma once

#include "controlplane/http/limits.h"
#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/base/vec.h"
#include "shared/wire/http_body.h"
#include "shared/wire/http_head.h"

#define HTTP_INPUT_SPARE_BYTES                                                                     \
    4096 /* behind the longest head: the least of a body that is read at a time */
#define HTTP_INPUT_BYTES_USUAL                                                                     \
    8192                    /* a request of the usual size; the input grows when one is larger */
#define HTTP_SPARES_MAX 256 /* exchanges, and buffers, kept for the next use */
#define HTTP_SPARE_BYTES_MAX 65536 /* a larger one is given back to the system */

struct http_exchange {
    struct http_exchange *next; /* in the pool */
    char *input;
    size_t input_bytes, at, len, pin_bytes;
    size_t input_bytes_max; /* the longest head, and what is read behind it */
    struct fl_http_head_scan scan;
    struct fl_http_field *fields;
    struct fl_http_head head;
    struct fl_http_body body;
    struct fl_buf content; /* of the body, as far as it came */
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
void http_pool_fini(struct http_pool *pool); /* all exchanges are back */

struct http_exchange *http_exchange_take(struct http_pool *pool);
void http_exchange_give(struct http_pool *pool, struct http_exchange *exchange);

/* Cleans up after a request: its head is unpinned, body and arena are freed, later input stays. */
void http_exchange_reset(struct http_pool *pool, struct http_exchange *exchange);

/* Where the next bytes are read to; moves what is there to the front when that makes room.  0:
 * full. */
size_t http_exchange_room(struct http_exchange *exchange, char **ret_to);

/* Makes room for 'bytes' from 'at' on, or for all that the input may hold: moves what is unpinned
 * to the front, and lets it grow.  Nothing is pinned. */
void http_exchange_settle(struct http_exchange *exchange, uint64_t bytes);

/* Adds to the body; false: all bodies together are too large. */
FL_CHECK bool http_exchange_add(struct http_pool *pool, struct http_exchange *exchange,
                                struct fl_str piece);

/* An empty buffer for output, and back with it. */
struct fl_buf http_buffer_take(struct http_pool *pool);
void http_buffer_give(struct http_pool *pool, struct fl_buf *buf);
