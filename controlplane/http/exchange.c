#include "controlplane/http/exchange.h"

#include <string.h>

#include "controlplane/http/token_share.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"

#define OUTPUT_BYTES_MAX ((size_t)1 << 30) /* far larger than any answer */

void http_pool_init(struct http_pool *pool, const struct http_limits *limits)
{
    *pool = (struct http_pool){.limits = *limits};
}

static void destroy(struct http_exchange *exchange)
{
    fl_free(exchange->input);
    fl_free(exchange->fields);
    fl_buf_fini(&exchange->content);
    fl_arena_fini(&exchange->arena);
    fl_free(exchange);
}

void http_pool_fini(struct http_pool *pool)
{
    while (pool->exchanges) {
        struct http_exchange *exchange = pool->exchanges;

        pool->exchanges = exchange->next;
        destroy(exchange);
    }
    for (size_t i = 0; i < pool->buffers.len; i++) {
        fl_buf_fini(&pool->buffers.at[i]);
    }
    fl_vec_fini(&pool->buffers);
    fl_assert(pool->content_bytes == 0);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* How much of a body's memory counts: only a large body's, since the exchange keeps small buffers
 * anyway. */
static size_t counted(const struct fl_buf *content)
{
    return content->cap > HTTP_SPARE_BYTES_MAX ? content->cap : 0;
}

static void recount(struct http_pool *pool, struct http_exchange *exchange, size_t before)
{
    size_t after = counted(&exchange->content);

    pool->content_bytes = pool->content_bytes - before + after;
    if (!exchange->share) return;
    exchange->share->body_bytes = exchange->share->body_bytes - before + after;
}

void http_exchange_own(struct http_exchange *exchange, struct http_share *share)
{
    size_t bytes = counted(&exchange->content);

    if (exchange->share) exchange->share->body_bytes -= bytes;
    if (share) share->body_bytes += bytes;
    exchange->share = share;
}

/* The buffer grows at most to twice its length, so this bounds its next size. */
static bool may_grow(const struct http_pool *pool, const struct http_exchange *exchange,
                     size_t after, struct fl_http_refusal *ret_refusal)
{
    size_t before = counted(&exchange->content);

    if (after > HTTP_SPARE_BYTES_MAX &&
        !http_share_may_receive(exchange->share, &pool->limits, before, after)) {
        *ret_refusal = (struct fl_http_refusal){
            429, "this token's bodies in reception have http_token_percent of "
                 "http_bodies_bytes_max, the most for one token: send fewer at a time"};
        return false;
    }
    if (pool->content_bytes - before + after > pool->limits.bodies_bytes_max) {
        *ret_refusal = (struct fl_http_refusal){503, "too many bodies at a time"};
        return false;
    }
    return true;
}

bool http_exchange_add(struct http_pool *pool, struct http_exchange *exchange, struct fl_str piece,
                       struct fl_http_refusal *ret_refusal)
{
    size_t before = counted(&exchange->content), len = exchange->content.len + piece.len;
    bool is_added;

    if (len > exchange->content.cap &&
        !may_grow(pool, exchange, HTTP_BODY_COUNTS * len, ret_refusal)) {
        return false;
    }
    is_added = fl_buf_put(&exchange->content, piece.at, piece.len);
    fl_assert(is_added);
    recount(pool, exchange, before);
    return true;
}

/* ---- an exchange's life ---------------------------------------------------------------------- */

struct http_exchange *http_exchange_take(struct http_pool *pool)
{
    struct http_exchange *exchange = pool->exchanges;

    if (exchange) {
        pool->exchanges = exchange->next;
        pool->exchanges_len--;
        exchange->next = NULL;
        return exchange;
    }
    exchange = fl_new(struct http_exchange);
    exchange->input_bytes_max = pool->limits.head_bytes_max + HTTP_INPUT_SPARE_BYTES;
    exchange->input_bytes = HTTP_INPUT_BYTES_USUAL < exchange->input_bytes_max
                                ? HTTP_INPUT_BYTES_USUAL
                                : exchange->input_bytes_max;
    exchange->input = fl_realloc_array(NULL, char, exchange->input_bytes);
    exchange->fields = fl_realloc_array(NULL, struct fl_http_field, pool->limits.headers_max);
    fl_buf_init(&exchange->content, SIZE_MAX);
    return exchange;
}

void http_exchange_reset(struct http_pool *pool, struct http_exchange *exchange)
{
    size_t before = counted(&exchange->content);

    fl_arena_reset(&exchange->arena);
    fl_buf_clear(&exchange->content);
    if (before > 0) {
        fl_buf_fini(&exchange->content);
        fl_buf_init(&exchange->content, SIZE_MAX);
    }
    recount(pool, exchange, before);
    exchange->share = NULL;
    exchange->pin_bytes = 0;
    exchange->scan = (struct fl_http_head_scan){0};
    if (exchange->at == exchange->len) exchange->at = exchange->len = 0;
}

void http_exchange_give(struct http_pool *pool, struct http_exchange *exchange)
{
    if (!exchange) return;
    exchange->at = exchange->len = 0;
    http_exchange_reset(pool, exchange);
    if (pool->exchanges_len == HTTP_SPARES_MAX) {
        destroy(exchange);
        return;
    }
    exchange->next = pool->exchanges;
    pool->exchanges = exchange;
    pool->exchanges_len++;
}

static void move_to(struct http_exchange *exchange, size_t to)
{
    memmove(exchange->input + to, exchange->input + exchange->at, exchange->len - exchange->at);
    exchange->len = to + (exchange->len - exchange->at);
    exchange->at = to;
}

static void grow(struct http_exchange *exchange)
{
    if (exchange->input_bytes == exchange->input_bytes_max) return;
    exchange->input_bytes = exchange->input_bytes_max;
    exchange->input = fl_realloc_array(exchange->input, char, exchange->input_bytes);
}

size_t http_exchange_room(struct http_exchange *exchange, char **ret_to)
{
    if (exchange->at == exchange->len) exchange->at = exchange->len = exchange->pin_bytes;
    if (exchange->len == exchange->input_bytes && exchange->at > exchange->pin_bytes) {
        move_to(exchange, exchange->pin_bytes);
    }
    if (exchange->len == exchange->input_bytes && exchange->pin_bytes == 0) grow(exchange);
    *ret_to = exchange->input + exchange->len;
    return exchange->input_bytes - exchange->len;
}

void http_exchange_settle(struct http_exchange *exchange, uint64_t bytes)
{
    fl_assert(exchange->pin_bytes == 0);
    if (bytes <= exchange->input_bytes - exchange->at) return;
    if (exchange->at > 0) move_to(exchange, 0);
    if (bytes > exchange->input_bytes) grow(exchange);
}

struct fl_buf http_buffer_take(struct http_pool *pool)
{
    struct fl_buf buf;

    if (pool->buffers.len) return fl_vec_pop(&pool->buffers);
    fl_buf_init(&buf, OUTPUT_BYTES_MAX);
    return buf;
}

void http_buffer_give(struct http_pool *pool, struct fl_buf *buf)
{
    if (buf->cap > 0 && buf->cap <= 2 * HTTP_SPARE_BYTES_MAX &&
        pool->buffers.len < HTTP_SPARES_MAX) {
        fl_buf_clear(buf);
        fl_vec_push(&pool->buffers, *buf);
    } else {
        fl_buf_fini(buf);
    }
    *buf = (struct fl_buf){0};
}
