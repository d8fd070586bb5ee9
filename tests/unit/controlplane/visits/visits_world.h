/* visits_world.h - a front's visits, with clients by hand on real sockets and agents in real
 * tunnels. */
#pragma once

#include "controlplane/visits/visits.h"

#include <errno.h>
#include <inttypes.h>

#include "controlplane/views/token_table.h"
#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/io/clock.h"
#include "shared/io/net.h"
#include "shared/json/json.h"
#include "shared/wire/websocket.h"
#include "tests/fl_test.h"
#include "tests/unit/shared/link/stream_pair.h"

enum { WAIT_MS = 30000, VISITS_MAX = 4, SENT_MAX = 1 << 20 };

/* The agent's end of a visit. */
struct far {
    struct fl_stream *stream; /* NULL: it is closed */
    struct fl_buf sent;
    struct fl_visit_reader reader;
    char told[300]; /* the records that came but OPEN */
};

struct world {
    struct fl_loop *loop;
    struct token_table *tokens;
    struct visits *visits;
    struct stream_pair tunnel;
    struct far far[VISITS_MAX];
    size_t far_len;
    unsigned passed_on;
    bool is_cut;         /* this front has no tunnel */
    bool is_named_oddly; /* its cluster's name has a quote */
    bool is_page;        /* the next clients are pages of a browser */
    bool is_signed_out;
    unsigned sessions_asked;
    int room;     /* in each socket of the next clients; 0: the system's */
    int our_room; /* in the visits' end of it; 0: the same */
    char ended[2000];
};

struct client {
    struct world *world;
    int fd;
    struct fl_buf in;
    struct fl_ws_reader reader;
    char head[400];  /* the answer's */
    char told[1000]; /* the messages: "1: text; " */
    char why[200];   /* the CLOSE's */
    unsigned close;  /* its code */
    size_t bytes;    /* in all messages, without channels */
    bool has_ended;
};

/* ---- the agent's end ------------------------------------------------------------------------- */

static inline bool on_open(void *ctx, struct fl_stream *stream, struct fl_err *err)
{
    struct world *world = ctx;
    struct far *far = &world->far[world->far_len++];

    (void)err;
    fl_buf_init(&far->sent, SENT_MAX);
    far->stream = stream;
    stream->state = far;
    return true;
}

static inline bool on_data(void *ctx, struct fl_stream *stream, struct fl_str bytes,
                           struct fl_err *err)
{
    struct far *far = stream->state;
    struct fl_visit_record record;
    size_t len = bytes.len;

    (void)ctx;
    while (fl_visit_next(&far->reader, &bytes, &record, err) == FL_VISIT_READY) {
        if (record.channel == FL_VISIT_OPEN) continue;
        snprintf(far->told + strlen(far->told), sizeof far->told - strlen(far->told),
                 "%d: " FL_STR_FMT "; ", (int)record.channel, FL_STR_ARG(record.bytes));
    }
    fl_stream_consumed(stream, (uint32_t)len);
    return true;
}

static inline size_t on_pull(void *ctx, struct fl_stream *stream, uint8_t *at, size_t bytes_max)
{
    struct far *far = stream->state;
    size_t len = far->sent.len < bytes_max ? far->sent.len : bytes_max;

    (void)ctx;
    memcpy(at, far->sent.at, len);
    memmove(far->sent.at, far->sent.at + len, far->sent.len - len);
    fl_buf_truncate(&far->sent, far->sent.len - len);
    return len;
}

static inline void on_close(void *ctx, struct fl_stream *stream, enum fl_code code,
                            struct fl_str text)
{
    struct far *far = stream->state;

    (void)ctx;
    (void)code;
    (void)text;
    far->stream = NULL;
}

/* ---- the front ------------------------------------------------------------------------------- */

static inline struct fl_streams *port_streams(void *ctx, struct fl_cluster cluster)
{
    struct world *world = ctx;

    assert_int_equal(cluster.n, 3);
    return world->is_cut ? NULL : world->tunnel.hub.streams;
}

static inline bool port_pass_on(void *ctx, struct visit_order *order)
{
    struct world *world = ctx;

    (void)order;
    world->passed_on++;
    return false;
}

static inline void port_ended(void *ctx, const struct visit_end *end)
{
    struct world *world = ctx;
    size_t len = strlen(world->ended);

    snprintf(world->ended + len, sizeof world->ended - len, FL_STR_FMT "\n", FL_STR_ARG(end->what));
}

static inline bool port_session_lives(void *ctx, const struct fl_digest *session)
{
    struct world *world = ctx;

    assert_int_equal(session->at[0], 9);
    world->sessions_asked++;
    return !world->is_signed_out;
}

static inline void put_token(struct world *world, const char *id)
{
    struct row row = {.kind = ROW_token_put,
                      .token_put = {.id = fl_str_c(id), .name = FL_STR("ann"), .scopes = 1}};

    token_table_apply(world->tokens, &row);
}

static inline void setup(struct world *world)
{
    struct visits_config config = {.visits_max = 3, .token_visits_max = 2, .idle_ms = FL_HOUR_MS};
    struct visits_port port = {world, port_streams, port_pass_on, port_ended, port_session_lives};
    struct fl_stream_kind hub[2], agent = {.type = FL_FRAME_EXEC,
                                           .streams_max = VISITS_MAX,
                                           .ctx = world,
                                           .open = on_open,
                                           .data = on_data,
                                           .pull = on_pull,
                                           .close = on_close};

    *world = (struct world){.loop = fl_loop_create(), .tokens = token_table_create()};
    token_table_refill_begin(world->tokens);
    token_table_refill_end(world->tokens);
    put_token(world, "t1");
    put_token(world, "t2");
    world->visits = visits_create(world->loop, &config, world->tokens, &port);
    visits_kinds(world->visits, hub);
    stream_pair_init(&world->tunnel);
    fl_streams_add(world->tunnel.hub.streams, hub, 2);
    fl_streams_add(world->tunnel.agent.streams, &agent, 1);
}

static inline void teardown(struct world *world)
{
    stream_pair_fini(&world->tunnel);
    visits_destroy(world->visits);
    for (size_t i = 0; i < world->far_len; i++) {
        fl_buf_fini(&world->far[i].sent);
    }
    token_table_destroy(world->tokens);
    fl_loop_destroy(world->loop);
}

/* ---- a client -------------------------------------------------------------------------------- */

static inline void make_sockets(int ret_fds[2])
{
    struct fl_net_address address;
    struct fl_err err = {0};
    int listener;

    assert_true(fl_net_parse(FL_STR("127.0.0.1:0"), &address, &err));
    assert_true(fl_net_listen(&address, (struct fl_net_listen){0}, &listener, &err));
    assert_true(fl_net_local(listener, &address, &err));
    assert_true(fl_net_connect(&address, &ret_fds[0], &err));
    while (fl_net_accept(listener, &ret_fds[1], NULL) != FL_NET_ACCEPTED) {
        usleep(1000);
    }
    close(listener);
}

static inline struct client *enter(struct world *world, const char *token)
{
    struct fl_visit_open open = {.attempt = {.job = {7}, .n = 1, .incarnation = 1}};
    struct client *client = fl_new(struct client);
    struct visit_order *order = visit_order_create();
    int fds[2];

    make_sockets(fds);
    if (world->room > 0) {
        setsockopt(fds[0], SOL_SOCKET, SO_RCVBUF, &world->room, sizeof world->room);
        setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF,
                   world->our_room > 0 ? &world->our_room : &world->room, sizeof world->room);
    }
    client->world = world;
    client->fd = fds[0];
    fl_buf_init(&client->in, SENT_MAX);
    order->type = FL_FRAME_EXEC;
    order->cluster.n = 3;
    order->job.n = 7;
    snprintf(order->cluster_name, sizeof order->cluster_name, "%s",
             world->is_named_oddly ? "\"ea\\st" : "east");
    snprintf(order->accept, sizeof order->accept, "the-key's-answer");
    snprintf(order->token.id, sizeof order->token.id, "%s", token);
    snprintf(order->what, sizeof order->what, "exec job-7");
    order->has_protocol = true;
    order->is_page = world->is_page;
    if (world->is_page) order->session.at[0] = 9;
    order->taken.socket.fd = fds[1];
    assert_true(fl_visit_put_open(&order->open, &open));
    visits_enter(world->visits, order);
    return client;
}

static inline void leave(struct client *client)
{
    if (client->fd >= 0) close(client->fd);
    fl_buf_fini(&client->in);
    fl_free(client);
}

static inline void put_raw(struct client *client, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    fl_ms until = fl_clock_mono() + WAIT_MS;

    while (len > 0 && fl_clock_mono() < until) {
        ssize_t n = send(client->fd, at, len, MSG_NOSIGNAL);

        if (n < 0 && errno != EAGAIN) fail_msg("the server cut the connection");
        if (n > 0) at += n;
        if (n > 0) len -= (size_t)n;
        fl_loop_turn(client->world->loop, n > 0 ? 0 : 1);
    }
    assert_int_equal(len, 0);
}

static inline void put_frame(struct client *client, unsigned first, const void *bytes, size_t len)
{
    static const uint8_t mask[4] = {1, 2, 3, 4};
    uint8_t *frame = fl_new_array(uint8_t, len + FL_WS_HEADER_BYTES_MAX);
    size_t header = fl_ws_header(FL_WS_BINARY, len, mask, frame);

    frame[0] = (uint8_t)first;
    if (len > 0) memcpy(frame + header, bytes, len);
    fl_ws_mask(mask, 0, frame + header, len);
    put_raw(client, frame, header + len);
    fl_free(frame);
}

static inline void put(struct client *client, const char *bytes, size_t len)
{
    put_frame(client, 0x82, bytes, len);
}

static inline void take_piece(struct client *client, const struct fl_ws_piece *piece)
{
    size_t len = strlen(client->told);

    if (piece->opcode == FL_WS_BINARY) client->bytes += piece->bytes.len - piece->is_first;
    if (piece->opcode == FL_WS_BINARY) {
        snprintf(client->told + len, sizeof client->told - len, "%d: %.*s; ",
                 (uint8_t)piece->bytes.at[0], (int)piece->bytes.len - 1, piece->bytes.at + 1);
    } else if (piece->opcode == FL_WS_CLOSE) {
        client->close = (unsigned)((uint8_t)piece->bytes.at[0] << 8 | (uint8_t)piece->bytes.at[1]);
        snprintf(client->why, sizeof client->why, "%.*s", (int)piece->bytes.len - 2,
                 piece->bytes.at + 2);
    }
}

/* The frames that are whole. */
static inline void read_frames(struct client *client)
{
    uint8_t *at = client->in.at;
    size_t len = client->in.len;
    struct fl_ws_piece piece;
    struct fl_err err = {0};

    while (len > 0 && fl_ws_next(&client->reader, &at, &len, &piece, &err) == FL_WS_READY) {
        take_piece(client, &piece);
    }
    assert_int_equal(err.code, FL_OK);
    fl_buf_clear(&client->in);
}

static inline void read_some(struct client *client)
{
    char bytes[4096];
    ssize_t n = recv(client->fd, bytes, sizeof bytes, 0);
    const char *end;

    if (n < 0 && errno != EAGAIN) fail_msg("the server cut the connection");
    if (n == 0) client->has_ended = true;
    if (n <= 0) return;
    assert_true(fl_buf_put(&client->in, bytes, (size_t)n));
    if (!client->head[0]) {
        end = memmem(client->in.at, client->in.len, "\r\n\r\n", 4);
        if (!end) return;
        n = end + 4 - (const char *)client->in.at;
        snprintf(client->head, sizeof client->head, "%.*s", (int)n, (const char *)client->in.at);
        memmove(client->in.at, end + 4, client->in.len - (size_t)n);
        fl_buf_truncate(&client->in, client->in.len - (size_t)n);
    }
    if (strstr(client->head, " 101 ")) read_frames(client);
}

static inline void turn(struct client *client)
{
    stream_pair_settle(&client->world->tunnel);
    fl_loop_turn(client->world->loop, 1);
    stream_pair_settle(&client->world->tunnel);
    read_some(client);
}

#define until(client, condition)                                                                   \
    do {                                                                                           \
        fl_ms end_ = fl_clock_mono() + WAIT_MS;                                                    \
        while (!(condition)) {                                                                     \
            if (fl_clock_mono() > end_) {                                                          \
                fail_msg("in vain: %s; told '%s', closed %u '%s'", #condition, (client)->told,     \
                         (client)->close, (client)->why);                                          \
            }                                                                                      \
            turn(client);                                                                          \
        }                                                                                          \
    } while (0)

/* It is let in, and its stream is there: the newest. */
static inline struct far *is_in(struct client *client)
{
    struct world *world = client->world;
    size_t before = world->far_len;

    until(client, client->head[0] && (world->far_len > before || before > 0));
    assert_non_null(strstr(client->head, " 101 "));
    until(client, world->far[world->far_len - 1].stream);
    return &world->far[world->far_len - 1];
}

static inline void far_put(struct client *client, struct far *far, uint8_t channel,
                           struct fl_str bytes)
{
    assert_true(fl_visit_put(&far->sent, (enum fl_visit_channel)channel, bytes));
    fl_stream_wants(far->stream, far->sent.len);
    turn(client);
}
