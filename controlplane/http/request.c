#include "controlplane/http/request.h"

#include <stdio.h>
#include <string.h>

#include "controlplane/http/connection.h"
#include "shared/base/assert.h"
#include "shared/wire/http_target.h"

#define SLOT_BITS 20 /* a handle's low bits; the request's number stands above them */

enum { NAME_TOLD_MAX = 64 /* bytes of a parameter's name in a refusal */ };
_Static_assert(HTTP_CONNECTIONS_MAX < 1 << SLOT_BITS, "a slot fits");

/* ---- the request's contents ------------------------------------------------------------------ */

static struct http_exchange *exchange_of(const struct http_request *request)
{
    const struct http_connection *connection = request->connection;

    /* Else the request is answered, gone, or streaming, and the handler kept it for too long. */
    fl_assert(http_connection_has_request(connection) && connection->state != HTTP_STREAM);
    return connection->exchange;
}

const struct fl_http_head *http_head(const struct http_request *request)
{
    return &exchange_of(request)->head;
}

struct fl_str http_body(const struct http_request *request)
{
    const struct fl_buf *content = &exchange_of(request)->content;

    return (struct fl_str){(const char *)content->at, content->len};
}

struct fl_str http_peer(const struct http_request *request)
{
    return fl_str_c(request->connection->peer);
}

bool http_is_tls(const struct http_request *request)
{
    return request->connection->socket.ssl != NULL;
}

enum http_claim http_claim(struct http_request *request, uint64_t token)
{
    struct http_connection *connection = request->connection;
    enum http_claim claim = http_connection_claim(connection, token);

    if (claim == HTTP_CLAIM_CONNECTIONS) connection->closes = true;
    return claim;
}

bool http_may_answer(struct http_request *request, size_t bytes)
{
    struct http_connection *connection = request->connection;
    struct http_server *server = connection->server;

    if (http_share_has_room(&server->shares, connection->share, bytes)) return true;
    server->counts.claims_refused[HTTP_CLAIM_UNSENT]++;
    return false;
}

struct fl_arena *http_arena(struct http_request *request)
{
    return &exchange_of(request)->arena;
}

bool http_path(const struct http_request *request, struct http_path *ret_path)
{
    struct fl_str path = http_head(request)->path, segment;

    ret_path->len = 0;
    while (fl_http_take_segment(&path, &segment)) {
        if (ret_path->len == HTTP_SEGMENTS_MAX) return false;
        ret_path->at[ret_path->len++] = segment;
    }
    return true;
}

static bool decode(struct fl_arena *arena, struct fl_str raw, enum fl_http_part part,
                   struct fl_str *ret_text)
{
    return fl_http_decode(raw, part, fl_arena_alloc(arena, raw.len), ret_text);
}

bool http_segment_text(struct http_request *request, struct fl_str raw, struct fl_str *ret_text)
{
    return decode(http_arena(request), raw, FL_HTTP_IN_PATH, ret_text);
}

bool http_query(struct http_request *request, struct http_query *ret_query, struct fl_err *err)
{
    struct fl_arena *arena = http_arena(request);
    struct fl_str query = http_head(request)->query, name, value;
    struct http_query found = {0};

    while (fl_http_take_pair(&query, &name, &value)) {
        struct http_pair pair;

        if (found.len == HTTP_PAIRS_MAX) {
            return fl_fail(err, FL_TOO_LARGE, "more than %d query parameters", HTTP_PAIRS_MAX);
        }
        if (!decode(arena, name, FL_HTTP_IN_QUERY, &pair.name) ||
            !decode(arena, value, FL_HTTP_IN_QUERY, &pair.value)) {
            if (name.len > NAME_TOLD_MAX) name.len = NAME_TOLD_MAX;
            return fl_fail(err, FL_INVALID,
                           "query parameter " FL_STR_FMT
                           " is not text: it has a zero byte, or bytes that are no UTF-8",
                           FL_STR_ARG(name));
        }
        if (!found.at) found.at = fl_arena_array(arena, struct http_pair, HTTP_PAIRS_MAX);
        found.at[found.len++] = pair;
    }
    *ret_query = found;
    return true;
}

bool http_has_etag(const struct http_request *request, struct fl_str etag)
{
    const struct fl_http_field *field =
        fl_http_head_find(http_head(request), FL_STR("if-none-match"));

    return field && fl_http_etag_is_listed(field->value, etag);
}

/* ---- answering ------------------------------------------------------------------------------- */

static void put(struct fl_buf *out, const void *bytes, size_t len)
{
    bool is_put = fl_buf_put(out, bytes, len);

    fl_assert(is_put); /* the limit of an output buffer is far larger than any answer */
}

static void put_head(struct http_connection *connection, struct http_answer *answer)
{
    struct http_server *server = connection->server;

    answer->closes = http_connection_closes(connection);
    http_answer_put(http_connection_out(connection), answer,
                    http_date_line(&server->date, fl_loop_wall(server->loop)));
}

void http_answer(struct http_request *request, unsigned status, const struct fl_http_field *headers,
                 size_t headers_len, struct fl_str body)
{
    struct http_connection *connection = request->connection;
    bool may_have_body = status != 204 && status != 304;
    struct http_answer answer = {.status = status,
                                 .headers = headers,
                                 .headers_len = headers_len,
                                 .has_length = may_have_body,
                                 .length = body.len};

    fl_assert(http_connection_has_request(connection) && connection->state != HTTP_STREAM);
    put_head(connection, &answer);
    if (may_have_body && !connection->is_head) put(&connection->out, body.at, body.len);
    http_connection_answered(connection);
}

/* The head lies in the connection's buffer: it moves before the body, and that is the buffer. */
static void adopt(struct http_connection *connection, struct fl_buf *body)
{
    struct fl_buf head = connection->out;
    size_t len = body->len;

    body->max = SIZE_MAX;
    put(body, head.at, head.len);
    memmove(body->at + head.len, body->at, len);
    memcpy(body->at, head.at, head.len);
    http_buffer_give(&connection->server->pool, &head);
    connection->out = *body;
    *body = (struct fl_buf){0};
}

void http_answer_adopt(struct http_request *request, unsigned status,
                       const struct fl_http_field *headers, size_t headers_len, struct fl_buf *body)
{
    struct http_connection *connection = request->connection;
    struct http_answer answer = {.status = status,
                                 .headers = headers,
                                 .headers_len = headers_len,
                                 .has_length = true,
                                 .length = body->len};

    if (body->len <= HTTP_SPARE_BYTES_MAX || connection->is_head ||
        http_connection_waiting(connection) > 0) {
        http_answer(request, status, headers, headers_len,
                    (struct fl_str){(const char *)body->at, body->len});
        return;
    }
    fl_assert(http_connection_has_request(connection) && connection->state != HTTP_STREAM);
    fl_assert(status != 204 && status != 304 && !body->arena);
    put_head(connection, &answer);
    adopt(connection, body);
    http_connection_answered(connection);
}

void http_watch(struct http_request *request, const struct http_watcher *watcher, void *ctx)
{
    fl_assert(http_connection_has_request(request->connection));
    request->connection->watcher = watcher;
    request->connection->watcher_ctx = ctx;
}

void http_stream_begin(struct http_request *request, unsigned status,
                       const struct fl_http_field *headers, size_t headers_len)
{
    struct http_connection *connection = request->connection;
    struct http_answer answer = {
        .status = status, .headers = headers, .headers_len = headers_len, .is_chunked = true};

    fl_assert(http_connection_has_request(connection) && connection->state != HTTP_STREAM);
    fl_assert(status != 204 && status != 304);
    put_head(connection, &answer);
    http_connection_streams(connection);
}

static struct http_connection *stream_of(struct http_request *request)
{
    fl_assert(request->connection->state == HTTP_STREAM);
    return request->connection;
}

size_t http_stream_piece_max(const struct http_request *request)
{
    return request->connection->server->limits.stream_bytes_max / 2 - HTTP_CHUNK_BYTES_MAX;
}

size_t http_stream_room(struct http_request *request, size_t bytes_min)
{
    struct http_connection *connection = stream_of(request);
    size_t bytes_max = connection->server->limits.stream_bytes_max;
    size_t taken = http_connection_waiting(connection) + HTTP_CHUNK_BYTES_MAX;
    size_t room = taken < bytes_max ? bytes_max - taken : 0;

    fl_assert(bytes_min <= http_stream_piece_max(request));
    if (room < bytes_min) connection->wants_room = true;
    return room;
}

bool http_stream_put(struct http_request *request, struct fl_str piece)
{
    struct http_connection *connection = stream_of(request);
    char size[HTTP_CHUNK_BYTES_MAX];
    struct fl_buf *out;

    if (http_stream_room(request, piece.len) < piece.len) return false;
    if (piece.len == 0 || connection->is_head) return true; /* an empty chunk would be the last */
    out = http_connection_out(connection);
    put(out, size, (size_t)snprintf(size, sizeof size, "%zx\r\n", piece.len));
    put(out, piece.at, piece.len);
    put(out, "\r\n", 2);
    http_connection_count(connection);
    http_connection_put_dirty(connection);
    return true;
}

void http_stream_end(struct http_request *request)
{
    struct http_connection *connection = stream_of(request);

    if (!connection->is_head) put(http_connection_out(connection), "0\r\n\r\n", 5);
    http_connection_answered(connection);
}

void http_stream_cut(struct http_request *request)
{
    http_connection_cut(request->connection);
}

bool http_take(struct http_request *request, struct http_taken *ret_taken)
{
    struct http_connection *connection = request->connection;

    fl_assert(http_connection_has_request(connection) && connection->state != HTTP_STREAM);
    if (http_connection_waiting(connection) > 0) return false;
    http_connection_give_away(connection, ret_taken);
    return true;
}

/* ---- answering later ------------------------------------------------------------------------- */

struct http_handle http_handle(const struct http_request *request)
{
    const struct http_connection *connection = request->connection;

    return (struct http_handle){connection->number << SLOT_BITS | connection->slot};
}

struct http_request *http_request_find(struct http_server *server, struct http_handle handle)
{
    uint32_t slot = (uint32_t)handle.n & ((1U << SLOT_BITS) - 1);
    struct http_connection *connection;

    if (!fl_slab_is_taken(&server->connections, slot)) return NULL;
    connection = fl_slab_at(&server->connections, slot);
    if (!http_connection_has_request(connection)) return NULL;
    return http_handle(&connection->request).n == handle.n ? &connection->request : NULL;
}
