#include "controlplane/http/connection.h"

#include <stdio.h>
#include <string.h>

#include "shared/base/assert.h"
#include "shared/io/clock.h"
#include "shared/io/log.h"

#define READS_MAX 4  /* how often to read from one connection in a turn */
#define ROUNDS_MAX 8 /* how often to handle requests and write answers in a turn */
#define SPILT_RATE_MIN ((size_t)1 << 20) /* bytes a second of a body that is refused already */
#define REFUSAL_BYTES_MAX 512

static void enter(struct http_connection *connection, enum http_state state)
{
    connection->state = state;
    connection->was_looked_at = false;
    connection->since = fl_loop_now(connection->server->loop);
}

static void drop_exchange(struct http_connection *connection)
{
    http_exchange_give(&connection->server->pool, connection->exchange);
    connection->exchange = NULL;
}

void http_connection_put_dirty(struct http_connection *connection)
{
    struct http_server *server = connection->server;

    if (connection->is_dirty || connection->is_working) return;
    connection->is_dirty = true;
    connection->next_dirty = NULL;
    if (server->dirty_last) server->dirty_last->next_dirty = connection;
    if (!server->dirty_first) server->dirty_first = connection;
    server->dirty_last = connection;
    fl_after_put(&server->after);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Gives up the request in hand: tells its handler, and its handle finds no request from now on. */
static void lose_request(struct http_connection *connection)
{
    const struct http_watcher *watcher = connection->watcher;

    if (!http_connection_has_request(connection)) return;
    connection->server->counts.gone++;
    if (connection->state == HTTP_STREAM) connection->server->counts.streams--;
    connection->watcher = NULL;
    enter(connection, HTTP_LAST);
    if (watcher && watcher->on_gone) {
        watcher->on_gone(connection->watcher_ctx, &connection->request);
    }
}

static void die(struct http_connection *connection)
{
    lose_request(connection);
    enter(connection, HTTP_DEAD);
    http_connection_put_dirty(connection);
}

void http_connection_give_away(struct http_connection *connection, struct http_taken *ret_taken)
{
    const struct http_exchange *exchange = connection->exchange;

    *ret_taken = (struct http_taken){.socket = connection->socket};
    snprintf(ret_taken->peer, sizeof ret_taken->peer, "%s", connection->peer);
    fl_buf_init(&ret_taken->input, SIZE_MAX);
    if (!fl_buf_put(&ret_taken->input, exchange->input + exchange->at,
                    exchange->len - exchange->at)) {
        fl_unreachable("the buffer has no limit");
    }
    fl_watch_off(&connection->watch);
    connection->socket = (struct http_socket){.fd = -1};
    connection->watcher = NULL;
    enter(connection, HTTP_DEAD);
    http_connection_put_dirty(connection);
}

static void end_handshake(struct http_connection *connection)
{
    if (connection->handshake) {
        handshakes_end(connection->server->handshakes, connection->handshake, false);
    }
    connection->handshake = 0;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

enum { LOOKS_MAX = 16 }; /* for a stranger to cut */

static void add_stranger(struct http_connection *connection)
{
    struct http_server *server = connection->server;

    connection->older = server->stranger_last;
    if (server->stranger_last) server->stranger_last->newer = connection;
    if (!server->stranger_first) server->stranger_first = connection;
    server->stranger_last = connection;
}

static void remove_stranger(struct http_connection *connection)
{
    struct http_server *server = connection->server;

    if (connection->older) connection->older->newer = connection->newer;
    if (connection->newer) connection->newer->older = connection->older;
    if (server->stranger_first == connection) server->stranger_first = connection->newer;
    if (server->stranger_last == connection) server->stranger_last = connection->older;
    connection->older = connection->newer = NULL;
}

static void count(struct http_connection *connection, size_t bytes)
{
    http_share_count(&connection->server->shares, connection->share, connection->counted_bytes,
                     bytes);
    connection->counted_bytes = bytes;
}

void http_connection_count(struct http_connection *connection)
{
    count(connection, connection->out.len);
}

enum http_claim http_connection_claim(struct http_connection *connection, uint64_t token)
{
    struct http_server *server = connection->server;
    struct http_share *before = connection->share, *after = before;
    enum http_claim claim;

    if (!before || before->id != token) count(connection, 0); /* it may change hands */
    http_exchange_own(connection->exchange, NULL);
    claim = http_share_claim(&server->shares, token, before, fl_loop_now_us(server->loop), &after);
    if (!before && after) remove_stranger(connection);
    connection->share = after;
    http_exchange_own(connection->exchange, after);
    http_connection_count(connection);
    server->counts.claims_refused[claim] += claim != HTTP_CLAIMED;
    return claim;
}

bool http_connection_make_room(struct http_server *server)
{
    struct http_connection *connection = server->stranger_first;

    for (int i = 0; connection && i < LOOKS_MAX; i++, connection = connection->newer) {
        if (connection->state == HTTP_DEAD || http_connection_has_request(connection)) continue;
        http_connection_cut(connection);
        remove_stranger(connection); /* the next call looks at another */
        add_stranger(connection);
        return true;
    }
    return false;
}

static void destroy(struct http_connection *connection)
{
    struct http_server *server = connection->server;

    end_handshake(connection);
    count(connection, 0);
    drop_exchange(connection);
    if (connection->share) {
        http_share_leave(&server->shares, connection->share, fl_loop_now_us(server->loop));
    } else {
        remove_stranger(connection);
    }
    fl_timer_off(&connection->timer);
    fl_watch_off(&connection->watch);
    http_socket_fini(&connection->socket);
    http_buffer_give(&server->pool, &connection->out);
    if (connection->prev) connection->prev->next = connection->next;
    if (connection->next) connection->next->prev = connection->prev;
    if (server->first == connection) server->first = connection->next;
    server->counts.connections--;
    fl_slab_give(&server->connections, connection->slot);
    if (server->is_draining && !server->first) fl_after_put(&server->after);
}

void http_connection_cut(struct http_connection *connection)
{
    if (connection->state != HTTP_DEAD) die(connection);
}

/* ---- output ---------------------------------------------------------------------------------- */

size_t http_connection_waiting(const struct http_connection *connection)
{
    return connection->out.len - connection->out_at;
}

struct fl_buf *http_connection_out(struct http_connection *connection)
{
    struct fl_buf *out = &connection->out;

    if (!out->at) *out = http_buffer_take(&connection->server->pool);
    if (http_connection_waiting(connection) == 0) {
        connection->progress_at = fl_loop_now(connection->server->loop);
    } else if (connection->out_at >= out->len / 2) {
        memmove(out->at, out->at + connection->out_at, out->len - connection->out_at);
        fl_buf_truncate(out, out->len - connection->out_at);
        connection->out_at = 0;
    }
    return out;
}

static void write_out(struct http_connection *connection)
{
    struct http_server *server = connection->server;

    while (http_connection_waiting(connection) > 0) {
        size_t n = 0;

        if (connection->state == HTTP_DEAD) return;
        switch (http_socket_write(&connection->socket, connection->out.at + connection->out_at,
                                  http_connection_waiting(connection), &n)) {
        case HTTP_IO_DONE:
            connection->out_at += n;
            connection->progress_at = fl_loop_now(server->loop);
            server->counts.bytes_out += n;
            if (http_connection_waiting(connection) > 0 && http_server_is_late(server)) {
                return; /* the rest waits for the next turn */
            }
            break;
        case HTTP_IO_AGAIN:
            connection->write_wants = (uint8_t)connection->socket.wants;
            return;
        case HTTP_IO_END:
        case HTTP_IO_BROKEN:
            die(connection);
            return;
        }
    }
    if (connection->out.at) http_buffer_give(&server->pool, &connection->out);
    connection->out_at = 0;
    if (connection->state != HTTP_LAST) return;
    http_socket_shut(&connection->socket);
    enter(connection, HTTP_LINGER);
}

static void flush(struct http_connection *connection)
{
    write_out(connection);
    http_connection_count(connection);
}

/* ---- refusing -------------------------------------------------------------------------------- */

static void refuse(struct http_connection *connection, struct fl_http_refusal refusal)
{
    static const struct fl_http_field headers[] = {
        {FL_STR("Content-Type"), FL_STR("application/problem+json")},
        {FL_STR("Cache-Control"), FL_STR("no-store")},
        {FL_STR("X-Content-Type-Options"), FL_STR("nosniff")},
        {FL_STR("Retry-After"), FL_STR("1")}, /* the last: only where it may help */
    };
    bool may_retry = refusal.status == 429 || refusal.status == 503;
    struct http_server *server = connection->server;
    bool has_head = connection->state == HTTP_BODY; /* else none was read, or an earlier one's */
    char trace[FL_TRACE_MAX];
    struct fl_buf *out, text;
    struct http_answer answer = {.status = refusal.status,
                                 .headers = headers,
                                 .headers_len = sizeof headers / sizeof *headers - !may_retry,
                                 .has_length = true,
                                 .closes = true};

    fl_buf_init(&text, REFUSAL_BYTES_MAX);
    fl_trace_name(&server->traces, has_head ? &connection->exchange->head : NULL, trace);
    http_refusal_put(&text, refusal, trace);
    fl_assert(!text.is_over); /* the reasons are constants */
    answer.length = text.len;
    fl_log(FL_LOG_INFO, "http", "refused", FL_LOG_S("trace", trace),
           FL_LOG_S("peer", connection->peer), FL_LOG_N("status", refusal.status),
           FL_LOG_S("why", refusal.why));
    server->counts.refused++;
    lose_request(connection);
    out = http_connection_out(connection);
    http_answer_put(out, &answer, http_date_line(&server->date, fl_loop_wall(server->loop)));
    if (!fl_buf_put(out, text.at, text.len)) fl_unreachable("output has far more room");
    fl_buf_fini(&text);
    drop_exchange(connection);
    enter(connection, HTTP_LAST);
}

/* ---- requests -------------------------------------------------------------------------------- */

bool http_connection_closes(struct http_connection *connection)
{
    bool has_rest =
        connection->state == HTTP_BODY ||
        (connection->state == HTTP_ASKING && fl_http_head_has_body(&connection->exchange->head));

    if (connection->server->is_draining || connection->has_ended || has_rest) {
        connection->closes = true;
    }
    return connection->closes;
}

void http_connection_answered(struct http_connection *connection)
{
    if (connection->state == HTTP_STREAM) connection->server->counts.streams--;
    connection->watcher = NULL;
    connection->has_asked = true;
    connection->wants_room = false;
    http_connection_count(connection);
    if (connection->closes) {
        drop_exchange(connection);
        enter(connection, HTTP_LAST);
    } else {
        if (connection->exchange) {
            http_exchange_reset(&connection->server->pool, connection->exchange);
        }
        enter(connection, HTTP_IDLE);
    }
    http_connection_put_dirty(connection);
}

void http_connection_streams(struct http_connection *connection)
{
    connection->server->counts.streams++;
    http_connection_count(connection);
    enter(connection, HTTP_STREAM);
    if (connection->closes) {
        drop_exchange(connection);
    } else {
        http_exchange_reset(&connection->server->pool, connection->exchange);
    }
    http_connection_put_dirty(connection);
}

/* This and take_head: true if the state moved on and there may be more to do. */
static bool take_body(struct http_connection *connection)
{
    struct http_server *server = connection->server;
    struct http_exchange *exchange = connection->exchange;
    struct fl_str bytes = {exchange->input + exchange->at, exchange->len - exchange->at};

    for (;;) {
        struct fl_http_refusal refusal = {0};
        struct fl_str piece = {0};

        switch (fl_http_body_next(&exchange->body, &bytes, &piece, &refusal)) {
        case FL_HTTP_BODY_PIECE:
            if (http_exchange_add(&server->pool, exchange, piece, &refusal)) break;
            server->counts.claims_refused[HTTP_CLAIM_BODIES] += refusal.status == 429;
            refuse(connection, refusal);
            return true;
        case FL_HTTP_BODY_MORE:
            exchange->at = exchange->len;
            if (connection->has_ended) die(connection);
            return false;
        case FL_HTTP_BODY_END:
            exchange->at = exchange->len - bytes.len;
            enter(connection, HTTP_ASKED);
            server->port.on_request(server->port.ctx, &connection->request);
            return true;
        case FL_HTTP_BODY_BAD:
            refuse(connection, refusal);
            return true;
        }
    }
}

static struct fl_http_head_limits head_limits_of(const struct http_limits *limits)
{
    return (struct fl_http_head_limits){.head_bytes_max = limits->head_bytes_max,
                                        .target_bytes_max = limits->target_bytes_max,
                                        .headers_max = limits->headers_max,
                                        .old_path = FL_STR("/livez")};
}

static bool parse(struct http_connection *connection, size_t head_bytes,
                  struct fl_http_refusal *ret_refusal)
{
    struct fl_http_head_limits head_limits = head_limits_of(&connection->server->limits);
    struct http_exchange *exchange = connection->exchange;

    return fl_http_head_parse((struct fl_str){exchange->input + exchange->at, head_bytes},
                              &head_limits, exchange->fields, &exchange->head, ret_refusal);
}

/* Parses the head and makes room behind it for its body.  If the input had to move for that, it
 * parses again, since a head points into the input. */
static bool parse_head(struct http_connection *connection, size_t head_bytes,
                       struct fl_http_refusal *ret_refusal)
{
    struct http_exchange *exchange = connection->exchange;
    const char *before = exchange->input + exchange->at;

    if (!parse(connection, head_bytes, ret_refusal)) return false;
    if (exchange->head.is_chunked || exchange->head.content_bytes > exchange->input_bytes) {
        http_exchange_settle(exchange, UINT64_MAX);
    }
    if (exchange->input + exchange->at == before) return true;
    return parse(connection, head_bytes, ret_refusal);
}

static bool begin(struct http_connection *connection, size_t head_bytes)
{
    struct http_server *server = connection->server;
    struct http_exchange *exchange = connection->exchange;
    struct fl_http_refusal refusal;
    uint64_t body_bytes_max;
    bool is_moved;

    http_exchange_settle(exchange, head_bytes + HTTP_INPUT_SPARE_BYTES);
    if (!parse_head(connection, head_bytes, &refusal)) {
        refuse(connection, refusal);
        return true;
    }
    exchange->at += head_bytes;
    exchange->pin_bytes = exchange->at;
    connection->number = ++server->counts.requests;
    connection->is_head = exchange->head.method == FL_HTTP_HEAD;
    connection->closes = exchange->head.wants_close;
    enter(connection, HTTP_ASKING);
    body_bytes_max = server->port.on_head(server->port.ctx, &connection->request);
    if (connection->state != HTTP_ASKING) return true;
    fl_http_body_init(&exchange->body, &exchange->head, body_bytes_max);
    enter(connection, HTTP_BODY);
    is_moved = take_body(connection);
    if (connection->state == HTTP_BODY && exchange->head.expects_continue &&
        exchange->content.len == 0) {
        static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";

        if (!fl_buf_put(http_connection_out(connection), go_on, sizeof go_on - 1)) {
            fl_unreachable("output has far more room");
        }
    }
    return is_moved;
}

static bool has_input(const struct http_connection *connection)
{
    const struct http_exchange *exchange = connection->exchange;

    return exchange && exchange->at < exchange->len;
}

static bool take_head(struct http_connection *connection)
{
    struct fl_http_head_limits head_limits = head_limits_of(&connection->server->limits);
    struct http_exchange *exchange = connection->exchange;
    struct fl_http_refusal refusal = {0};
    size_t head_bytes = 0;

    if (!has_input(connection)) {
        if (connection->has_ended) enter(connection, HTTP_LAST);
        return false;
    }
    switch (fl_http_head_scan(
        &exchange->scan,
        (struct fl_str){exchange->input + exchange->at, exchange->len - exchange->at}, &head_limits,
        &head_bytes, &refusal)) {
    case FL_HTTP_MORE:
        if (connection->state == HTTP_IDLE) enter(connection, HTTP_HEAD);
        if (connection->has_ended) enter(connection, HTTP_LAST);
        return false;
    case FL_HTTP_READY:
        return begin(connection, head_bytes);
    case FL_HTTP_BAD:
        break;
    }
    refuse(connection, refusal);
    return true;
}

/* Handles the requests in the input one after the other, as long as each is answered at once and
 * there is time.  True: there may be more of them. */
static bool process(struct http_connection *connection)
{
    bool is_on = true;

    for (unsigned requests = 0; is_on; requests++) {
        if (requests > 0 && has_input(connection) && http_server_is_late(connection->server)) {
            return true;
        }
        switch (connection->state) {
        case HTTP_IDLE:
        case HTTP_HEAD:
            connection->is_held =
                http_connection_waiting(connection) > connection->server->limits.answer_bytes_max;
            is_on = !connection->is_held && take_head(connection);
            break;
        case HTTP_BODY:
            is_on = take_body(connection);
            break;
        /* a follower that has closed its end counts as gone: there is no other sign of it */
        case HTTP_STREAM:
            if (connection->has_ended) die(connection);
            return false;
        case HTTP_HANDSHAKE:
        case HTTP_ASKING:
        case HTTP_ASKED:
        case HTTP_LAST:
        case HTTP_LINGER:
        case HTTP_DEAD:
            return false;
        }
    }
    return false;
}

/* ---- input ----------------------------------------------------------------------------------- */

/* Whether to read: there must be room for input.  It reads even while a request is in hand, to
 * notice a peer that goes away. */
static bool is_hungry(struct http_connection *connection)
{
    char *to;

    if (connection->has_ended || connection->is_held) return false;
    if (connection->state < HTTP_IDLE || connection->state > HTTP_STREAM) return false;
    return !connection->exchange || http_exchange_room(connection->exchange, &to) > 0;
}

static void fill(struct http_connection *connection)
{
    struct http_server *server = connection->server;
    char *to = NULL;
    size_t room, n = 0;

    if (!connection->exchange) connection->exchange = http_exchange_take(&server->pool);
    room = http_exchange_room(connection->exchange, &to);
    switch (http_socket_read(&connection->socket, to, room, &n)) {
    case HTTP_IO_DONE:
        connection->exchange->len += n;
        connection->is_readable = connection->socket.has_more || n == room;
        server->counts.bytes_in += n;
        return;
    case HTTP_IO_AGAIN:
        connection->is_readable = false;
        connection->read_wants = (uint8_t)connection->socket.wants;
        return;
    case HTTP_IO_END:
        connection->has_ended = true;
        connection->is_readable = false;
        return;
    case HTTP_IO_BROKEN:
        die(connection);
    }
}

static void shake(struct http_connection *connection)
{
    int64_t began_us = fl_clock_thread_us();
    enum http_io io = http_socket_handshake(&connection->socket);

    if (connection->handshake) {
        handshakes_charge(connection->server->handshakes, connection->handshake,
                          fl_clock_thread_us() - began_us);
    }
    switch (io) {
    case HTTP_IO_DONE:
        end_handshake(connection);
        enter(connection, HTTP_IDLE);
        connection->is_readable = true; /* OpenSSL may hold the first request already */
        return;
    case HTTP_IO_AGAIN:
        return;
    case HTTP_IO_END:
    case HTTP_IO_BROKEN:
        connection->server->counts.handshakes_failed++;
        fl_log(FL_LOG_INFO, "http", "handshake_failed", FL_LOG_S("peer", connection->peer));
        die(connection);
    }
}

/* ---- work ------------------------------------------------------------------------------------ */

/* Tells a stream that there is room again; true if it put bytes. */
static bool tell_room(struct http_connection *connection)
{
    const struct http_watcher *watcher = connection->watcher;

    if (connection->state != HTTP_STREAM || !connection->wants_room) return false;
    if (http_connection_waiting(connection) > connection->server->limits.stream_bytes_max / 2) {
        return false;
    }
    connection->wants_room = false;
    if (!watcher || !watcher->on_room) return false;
    watcher->on_room(connection->watcher_ctx, &connection->request);
    return http_connection_waiting(connection) > 0 || connection->state != HTTP_STREAM;
}

/* The deadline for the peer's next step; 0: no step is expected. */
static fl_ms deadline(const struct http_connection *connection)
{
    const struct http_limits *limits = &connection->server->limits;
    fl_ms at = 0;

    switch (connection->state) {
    case HTTP_HANDSHAKE:
        at = connection->since + limits->handshake_ms;
        break;
    case HTTP_IDLE:
        at = connection->since + (connection->has_asked ? limits->idle_ms : limits->head_ms);
        break;
    case HTTP_HEAD:
        at = connection->since + limits->head_ms;
        break;
    case HTTP_BODY:
        at = connection->since + limits->body_grace_ms +
             (fl_ms)(connection->exchange->content.len * 1000 / limits->body_rate_min);
        break;
    case HTTP_LINGER:
        return connection->since + limits->linger_ms +
               (fl_ms)(connection->spilt_bytes * 1000 / SPILT_RATE_MIN);
    case HTTP_ASKING:
    case HTTP_ASKED:
    case HTTP_STREAM:
    case HTTP_LAST:
    case HTTP_DEAD:
        break;
    }
    if (http_connection_waiting(connection) > 0) {
        fl_ms taken_at = connection->progress_at + limits->write_ms;

        if (at == 0 || taken_at < at) at = taken_at;
    }
    return at;
}

/* Decides which events to wait for, and until when.  It sets the timer only if that would fire too
 * late: as a rule the timer fires after its connection went on, and is then set to the next
 * deadline. */
static void settle(struct http_connection *connection)
{
    struct http_exchange *exchange = connection->exchange;
    bool is_hungry_now;
    unsigned events = 0;
    fl_ms at;

    if (connection->state == HTTP_DEAD) {
        if (!connection->is_dirty) destroy(connection);
        return;
    }
    if (exchange && exchange->at == exchange->len && exchange->pin_bytes == 0 &&
        (connection->state == HTTP_IDLE || connection->state == HTTP_STREAM)) {
        drop_exchange(connection);
    }
    is_hungry_now = is_hungry(connection);
    if (connection->state == HTTP_HANDSHAKE) events = connection->socket.wants;
    if (connection->state == HTTP_LINGER) events = FL_WATCH_READ;
    if (is_hungry_now) events |= connection->read_wants;
    if (http_connection_waiting(connection) > 0) events |= connection->write_wants;
    fl_watch_set(&connection->watch, events);
    if (is_hungry_now && connection->is_readable) http_connection_put_dirty(connection);

    at = deadline(connection);
    if (at > fl_loop_now(connection->server->loop)) connection->was_looked_at = false;
    if (at != 0 && (!fl_timer_is_on(&connection->timer) || connection->timer.at > at)) {
        fl_timer_at(&connection->timer, at);
    } else if (at == 0 && connection->state == HTTP_STREAM) {
        fl_timer_off(&connection->timer); /* thousands of followers may stay for days */
    }
}

void http_connection_work(struct http_connection *connection)
{
    unsigned reads = 0;
    bool is_on = true, has_more;

    fl_assert(!connection->is_working);
    connection->is_working = true;
    connection->server->worked_us = fl_loop_now_us(connection->server->loop);
    if (connection->state == HTTP_HANDSHAKE) shake(connection);
    for (unsigned rounds = 0; is_on && rounds < ROUNDS_MAX; rounds++) {
        has_more = process(connection);
        while (!has_more && connection->is_readable && is_hungry(connection) && reads < READS_MAX) {
            reads++;
            fill(connection);
            has_more = process(connection);
        }
        flush(connection);
        is_on = has_more || tell_room(connection) ||
                (connection->is_held && http_connection_waiting(connection) == 0);
        if (has_more || (is_on && http_server_is_late(connection->server))) break;
    }
    connection->is_working = false;
    if (is_on && connection->state != HTTP_DEAD) http_connection_put_dirty(connection);
    settle(connection);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void on_ready(void *ctx, unsigned events)
{
    struct http_connection *connection = ctx;

    if (connection->state == HTTP_LINGER) {
        enum http_io io = http_socket_discard(&connection->socket, &connection->spilt_bytes);
        size_t bytes_max = connection->server->limits.batch_bytes_max;

        if (io != HTTP_IO_AGAIN || connection->spilt_bytes > bytes_max) die(connection);
        return;
    }
    if (events & connection->read_wants) connection->is_readable = true;
    if (connection->server->dirty_first || http_server_is_late(connection->server)) {
        http_connection_put_dirty(connection); /* behind those that wait already */
    } else {
        http_connection_work(connection);
    }
}

static void on_timer(void *ctx)
{
    struct http_connection *connection = ctx;
    struct http_server *server = connection->server;
    fl_ms now = fl_loop_now(server->loop), at = deadline(connection);

    if (at == 0 || at > now) {
        settle(connection);
        return;
    }
    if (!connection->was_looked_at) { /* perhaps we were late, not the peer */
        connection->was_looked_at = true;
        connection->is_readable = true;
        http_connection_work(connection);
        return;
    }
    if (http_connection_waiting(connection) > 0 &&
        connection->progress_at + server->limits.write_ms <= now) {
        fl_log(FL_LOG_INFO, "http", "stalled", FL_LOG_S("peer", connection->peer));
        server->counts.timeouts++;
        die(connection);
        return;
    }
    if (connection->state == HTTP_HEAD || connection->state == HTTP_BODY) {
        server->counts.timeouts++;
        refuse(connection, (struct fl_http_refusal){408, connection->state == HTTP_HEAD
                                                             ? "the head took too long"
                                                             : "the body came too slowly"});
        http_connection_work(connection);
        return;
    }
    if (connection->state == HTTP_IDLE) {
        enter(connection, HTTP_LAST);
        http_connection_work(connection);
        return;
    }
    if (connection->state == HTTP_HANDSHAKE) {
        fl_log(FL_LOG_INFO, "http", "handshake_slow", FL_LOG_S("peer", connection->peer));
        server->counts.timeouts++;
    }
    die(connection);
}

void http_connection_open(struct http_server *server, int fd, const struct fl_net_address *peer,
                          uint32_t handshake)
{
    uint32_t slot = fl_slab_take(&server->connections);
    struct http_connection *connection = fl_slab_at(&server->connections, slot);

    if (!http_socket_init(&connection->socket, fd, handshake ? server->tls : NULL)) {
        if (handshake) handshakes_end(server->handshakes, handshake, false);
        fl_slab_give(&server->connections, slot);
        return;
    }
    connection->request.connection = connection;
    connection->server = server;
    connection->slot = slot;
    connection->handshake = handshake;
    if (handshake) handshakes_own(server->handshakes, handshake, connection);
    connection->read_wants = FL_WATCH_READ;
    connection->write_wants = FL_WATCH_WRITE;
    connection->socket.wants = FL_WATCH_READ;
    connection->next = server->first;
    if (server->first) server->first->prev = connection;
    server->first = connection;
    add_stranger(connection);
    server->counts.accepted++;
    server->counts.connections++;
    fl_net_print(peer, connection->peer);
    fl_watch_init(&connection->watch, server->loop, fd, on_ready, connection);
    fl_timer_init(&connection->timer, server->loop, on_timer, connection);
    enter(connection, handshake ? HTTP_HANDSHAKE : HTTP_IDLE);
    http_connection_work(connection);
}

void http_connection_drain(struct http_connection *connection)
{
    const struct http_watcher *watcher = connection->watcher;

    if (connection->state == HTTP_HANDSHAKE) {
        die(connection);
    } else if (connection->state == HTTP_IDLE) {
        enter(connection, HTTP_LAST);
        http_connection_put_dirty(connection);
    } else if (connection->state == HTTP_STREAM) {
        connection->closes = true;
        if (watcher && watcher->on_drain) {
            watcher->on_drain(connection->watcher_ctx, &connection->request);
        }
    }
}
