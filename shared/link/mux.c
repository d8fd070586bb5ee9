#include "shared/link/mux.h"

#include <inttypes.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/vec.h"

struct stream {
    uint32_t id;
    uint8_t type;
    uint64_t wanted; /* bytes that its source announced, less those pulled since */
    bool is_starved; /* its source had nothing that fits; it is asked again after more credit */
};

struct messages {
    struct fl_msg *at;
    size_t len, cap;
};

struct fl_mux {
    struct fl_mux_config config;
    struct fl_link link;
    struct fl_flow *flow; /* NULL: no credits are agreed yet, or no connection */
    struct fl_frame_decoder decoder;
    FL_VEC(struct stream) streams; /* sorted by id */
    uint32_t next_own, highest_foreign;

    struct fl_arena arena; /* holds the messages below */
    struct messages messages;
    size_t messages_pos;

    struct fl_buf payload;  /* the CONTROL frame being filled */
    struct fl_buf control;  /* whole frames that wait */
    size_t control_written; /* bytes at the front of 'control' that went out */
    bool is_stuck;          /* control passed its limit */
};

/* ---- its life -------------------------------------------------------------------------------- */

struct fl_mux *fl_mux_create(const struct fl_mux_config *config, fl_ms now)
{
    struct fl_mux *mux = fl_new(struct fl_mux);

    mux->config = *config;
    fl_frame_decoder_init(&mux->decoder);
    fl_buf_init(&mux->payload, FL_FRAME_PAYLOAD_MAX);
    /* The flow limits bytes that wait; cut_control drops written bytes before they are as many. */
    fl_buf_init(&mux->control, 2 * ((size_t)config->flow.control_bytes_max + FL_FRAME_BYTES_MAX));
    if (config->side == FL_LINK_HUB) {
        fl_link_init_hub(&mux->link, config->ping_ms, config->dead_ms, now);
        mux->flow = fl_flow_create(&config->flow, now);
        mux->next_own = 2;
    } else {
        fl_link_init_agent(&mux->link, config->seed, now);
    }
    return mux;
}

void fl_mux_destroy(struct fl_mux *mux)
{
    if (!mux) return;
    fl_flow_destroy(mux->flow);
    fl_frame_decoder_fini(&mux->decoder);
    fl_vec_fini(&mux->streams);
    fl_arena_fini(&mux->arena);
    fl_buf_fini(&mux->payload);
    fl_buf_fini(&mux->control);
    fl_free(mux);
}

const struct fl_link *fl_mux_link(const struct fl_mux *mux)
{
    return &mux->link;
}

fl_ms fl_mux_deadline(const struct fl_mux *mux)
{
    return mux->is_stuck ? 0 : mux->link.deadline;
}

/* An agent's next connection. */
static void begin_anew(struct fl_mux *mux)
{
    fl_flow_destroy(mux->flow);
    mux->flow = NULL;
    fl_frame_decoder_fini(&mux->decoder);
    fl_frame_decoder_init(&mux->decoder);
    fl_vec_clear(&mux->streams);
    mux->next_own = 1;
    mux->highest_foreign = 0;
    mux->messages = (struct messages){0};
    mux->messages_pos = 0;
    fl_buf_clear(&mux->payload);
    fl_buf_clear(&mux->control);
    mux->control_written = 0;
    mux->is_stuck = false;
}

/* ---- control out ----------------------------------------------------------------------------- */

/* Counts the bytes that 'control' has behind 'from'.  Over the limit it takes them back and marks
 * the connection, which the next tick breaks. */
static void charge(struct fl_mux *mux, size_t from, bool is_put)
{
    struct fl_err err = {0};

    if (is_put &&
        (!mux->flow || fl_flow_control_put(mux->flow, (uint32_t)(mux->control.len - from), &err))) {
        return;
    }
    fl_buf_truncate(&mux->control, from);
    mux->is_stuck = true;
}

static void end_frame(struct fl_mux *mux)
{
    struct fl_frame frame = {.stream = FL_STREAM_CONTROL, .type = FL_FRAME_CONTROL};
    size_t from = mux->control.len;

    if (mux->payload.len == 0) return;
    frame.sequence = fl_link_sequence(&mux->link);
    frame.payload = (struct fl_str){(const char *)mux->payload.at, mux->payload.len};
    charge(mux, from, fl_frame_put(&mux->control, &frame));
    fl_buf_clear(&mux->payload);
}

void fl_mux_put(struct fl_mux *mux, const struct fl_msg *msg)
{
    bool is_put;

    /* A hub's last word, BYE, is put when its link is closed already. */
    if (mux->config.side == FL_LINK_AGENT && !fl_link_is_connected(&mux->link)) return;
    if (fl_msg_encode(&mux->payload, msg)) return;
    end_frame(mux);
    is_put = fl_msg_encode(&mux->payload, msg);
    fl_assert(is_put); /* the longest message fits a frame */
}

static void put_credit(struct fl_mux *mux, struct fl_flow_credit credit)
{
    uint32_t sequence = 0;
    size_t from;

    /* Sequences on stream 0 rise in the order in which frames stand in 'control'. */
    end_frame(mux);
    from = mux->control.len;
    if (credit.stream == FL_STREAM_CONTROL) sequence = fl_link_sequence(&mux->link);
    charge(mux, from, fl_frame_put_credit(&mux->control, credit.stream, sequence, credit.bytes));
}

static void put_close(struct fl_mux *mux, uint32_t stream, enum fl_code code, struct fl_str text)
{
    size_t from = mux->control.len;

    if (text.len > FL_FRAME_CLOSE_TEXT_MAX) text.len = 0;
    charge(mux, from, fl_frame_put_close(&mux->control, stream, code, text));
}

/* ---- streams --------------------------------------------------------------------------------- */

static struct stream *find(const struct fl_mux *mux, uint32_t id)
{
    size_t i = fl_vec_lower_bound(&mux->streams, id, id);

    return i < mux->streams.len && mux->streams.at[i].id == id ? &mux->streams.at[i] : NULL;
}

static void add_stream(struct fl_mux *mux, uint32_t id, uint8_t type)
{
    size_t i = fl_vec_lower_bound(&mux->streams, id, id);

    fl_vec_insert(&mux->streams, i, (struct stream){.id = id, .type = type});
}

static void forget(struct fl_mux *mux, uint32_t id)
{
    struct stream *found = find(mux, id);

    fl_flow_close(mux->flow, id);
    if (found) fl_vec_remove(&mux->streams, (size_t)(found - mux->streams.at));
}

bool fl_mux_open(struct fl_mux *mux, enum fl_frame_type type, fl_ms now, uint32_t *ret_stream,
                 struct fl_err *err)
{
    fl_assert(fl_frame_type_is_data((uint8_t)type));
    if (mux->link.state != FL_LINK_UP || mux->next_own > UINT32_MAX - 2) {
        return fl_fail(err, FL_UNAVAILABLE, "the tunnel is not up");
    }
    if (!fl_flow_open(mux->flow, mux->next_own, now, err)) return false;
    add_stream(mux, mux->next_own, (uint8_t)type);
    *ret_stream = mux->next_own;
    mux->next_own += 2;
    return true;
}

void fl_mux_wants(struct fl_mux *mux, uint32_t stream, uint64_t bytes)
{
    struct stream *found = find(mux, stream);

    if (!found) return;
    found->wanted = bytes;
    found->is_starved = false;
    fl_flow_wants(mux->flow, stream, bytes);
}

void fl_mux_close(struct fl_mux *mux, uint32_t stream, enum fl_code code, struct fl_str text)
{
    if (!find(mux, stream)) return;
    forget(mux, stream);
    put_close(mux, stream, code, text);
}

void fl_mux_consumed(struct fl_mux *mux, uint32_t stream, uint32_t bytes)
{
    if (mux->flow) fl_flow_consumed(mux->flow, stream, bytes);
}

/* There is more credit: asks the sources again that had nothing small enough. */
static void feed_starved(struct fl_mux *mux)
{
    for (size_t i = 0; i < mux->streams.len; i++) {
        struct stream *stream = &mux->streams.at[i];

        if (!stream->is_starved) continue;
        stream->is_starved = false;
        fl_flow_wants(mux->flow, stream->id, stream->wanted);
    }
}

/* ---- the link -------------------------------------------------------------------------------- */

/* Does what the mux can do by itself, and returns what is left for the owner. */
static enum fl_link_answer settle(struct fl_mux *mux, enum fl_link_answer answer)
{
    struct fl_msg msg = {0};

    switch (answer) {
    case FL_LINK_DO_PING:
        msg.kind = FL_MSG_ping;
        msg.ping.nonce = mux->link.ping_nonce;
        fl_mux_put(mux, &msg);
        return FL_LINK_DO_WAIT;
    case FL_LINK_DO_PONG:
        msg.kind = FL_MSG_pong;
        msg.pong.nonce = mux->link.pong_nonce;
        fl_mux_put(mux, &msg);
        return FL_LINK_DO_WAIT;
    default:
        return answer;
    }
}

enum fl_link_answer fl_mux_step(struct fl_mux *mux, enum fl_link_event_kind kind, fl_ms now)
{
    if (kind == FL_LINK_EV_opened) begin_anew(mux);
    if (kind == FL_LINK_EV_tick && mux->is_stuck) {
        mux->is_stuck = false;
        kind = FL_LINK_EV_broken;
    }
    return settle(mux, fl_link_step(&mux->link, (struct fl_link_event){.kind = kind, .now = now}));
}

static struct fl_link_event event_of(const struct fl_msg *msg, fl_ms now)
{
    struct fl_link_event ev = {.kind = FL_LINK_EV_message, .now = now};

    switch (msg->kind) {
    case FL_MSG_hello:
        ev.kind = FL_LINK_EV_hello;
        break;
    case FL_MSG_welcome:
        ev.kind = FL_LINK_EV_welcome;
        ev.ping_ms = msg->welcome.ping_ms;
        ev.dead_ms = msg->welcome.dead_ms;
        break;
    case FL_MSG_ping:
        ev.kind = FL_LINK_EV_ping;
        ev.nonce = msg->ping.nonce;
        break;
    case FL_MSG_pong:
        ev.kind = FL_LINK_EV_pong;
        ev.nonce = msg->pong.nonce;
        break;
    case FL_MSG_bye:
        ev.kind = FL_LINK_EV_bye;
        ev.retry_after_ms = msg->bye.retry_after_ms;
        break;
    default:
        break;
    }
    return ev;
}

/* Ends the connection; the caller has written 'err'.  True: an item. */
static bool break_off(struct fl_mux *mux, fl_ms now, struct fl_mux_item *item)
{
    mux->messages_pos = mux->messages.len;
    *item = (struct fl_mux_item){.kind = FL_MUX_ANSWER,
                                 .answer = fl_mux_step(mux, FL_LINK_EV_broken, now)};
    return item->answer != FL_LINK_DO_WAIT;
}

/* ---- input ----------------------------------------------------------------------------------- */

/* WELCOME names the first windows of streams and tunnel.  False: they are out of range. */
static bool agree_on_credit(struct fl_mux *mux, const struct fl_msg_welcome *welcome, fl_ms now,
                            struct fl_err *err)
{
    struct fl_flow_limits limits = mux->config.flow;

    limits.stream_bytes = welcome->stream_credit_bytes;
    limits.tunnel_bytes = welcome->tunnel_credit_bytes;
    if (limits.stream_bytes == 0 || limits.stream_bytes > limits.stream_bytes_max ||
        limits.tunnel_bytes == 0 || limits.tunnel_bytes > limits.tunnel_bytes_max) {
        return fl_fail(err, FL_INVALID,
                       "WELCOME: credits of %" PRIu32 " and %" PRIu32 " bytes; at most %" PRIu32
                       " and %" PRIu32,
                       limits.stream_bytes, limits.tunnel_bytes, limits.stream_bytes_max,
                       limits.tunnel_bytes_max);
    }
    mux->flow = fl_flow_create(&limits, now);
    return fl_flow_control_put(mux->flow, (uint32_t)(mux->control.len - mux->control_written), err);
}

/* Takes the next messages of the frame at hand: a run of messages for the owner, or one for the
 * link.  True: an item. */
static bool take_messages(struct fl_mux *mux, fl_ms now, struct fl_mux_item *item,
                          struct fl_err *err)
{
    size_t from = mux->messages_pos;

    while (mux->messages_pos < mux->messages.len) {
        const struct fl_msg *msg = &mux->messages.at[mux->messages_pos];
        struct fl_link_event ev = event_of(msg, now);
        enum fl_link_answer answer;

        if (ev.kind != FL_LINK_EV_message && mux->messages_pos > from) break;
        mux->messages_pos++;
        if (ev.kind == FL_LINK_EV_welcome && mux->link.state == FL_LINK_GREETING &&
            !agree_on_credit(mux, &msg->welcome, now, err)) {
            return break_off(mux, now, item);
        }
        answer = settle(mux, fl_link_step(&mux->link, ev));
        if (ev.kind == FL_LINK_EV_pong && mux->flow) fl_flow_rtt(mux->flow, mux->link.rtt_ms);
        if (answer != FL_LINK_DO_WAIT) {
            *item = (struct fl_mux_item){
                .kind = FL_MUX_ANSWER, .answer = answer, .messages = msg, .messages_len = 1};
            if (fl_link_is_connected(&mux->link)) return true;
            mux->messages_pos = mux->messages.len;
            if (mux->link.why == FL_LINK_WHY_broke_a_rule) {
                fl_fail(err, FL_INVALID, "'%s' at the wrong time", fl_msg_info(msg->kind)->name);
            }
            return true;
        }
        if (ev.kind != FL_LINK_EV_message) return false;
    }
    *item = (struct fl_mux_item){.kind = FL_MUX_MESSAGE,
                                 .messages = &mux->messages.at[from],
                                 .messages_len = mux->messages_pos - from};
    return true;
}

static bool read_messages(struct fl_mux *mux, const struct fl_frame *frame, struct fl_err *err)
{
    enum fl_direction to = mux->config.side == FL_LINK_HUB ? FL_TO_CONTROLPLANE : FL_TO_AGENT;
    struct fl_reader reader;

    fl_arena_reset(&mux->arena);
    /* A copy, since the messages must outlive the bytes they came in. */
    reader = fl_reader(fl_arena_copy(&mux->arena, frame->payload.at, frame->payload.len),
                       frame->payload.len);
    mux->messages = (struct messages){0};
    mux->messages_pos = 0;
    while (reader.pos < reader.len) {
        struct fl_err bad = {0};
        struct fl_msg msg;

        if (fl_msg_decode(&reader, to, &mux->arena, &msg, &bad)) {
            fl_arena_push(&mux->arena, &mux->messages, msg);
        } else if (bad.code != FL_UNSUPPORTED || !(frame->flags & FL_FRAME_MAY_IGNORE)) {
            mux->messages.len = 0;
            if (err) *err = bad;
            if (bad.code != FL_UNSUPPORTED) return false;
            return fl_err_wrap(err, "this end speaks protocol %d to %d, the other a newer one",
                               FL_PROTOCOL_MIN, FL_PROTOCOL_MAX);
        }
    }
    return true;
}

/* Whether the frame's stream is open; opens it if its number is new.  First frames may come in any
 * order, so a number below the highest is new when the frame's sequence is 1; later frames of a
 * stream that was closed here have other sequences. */
static bool is_open(struct fl_mux *mux, const struct fl_frame *frame, fl_ms now, bool *ret_is_new)
{
    uint32_t foreign = mux->config.side == FL_LINK_HUB ? 1 : 0;
    struct fl_err err = {0};

    *ret_is_new = false;
    if (find(mux, frame->stream)) return true;
    if (frame->stream % 2 != foreign) return false;
    if (frame->stream <= mux->highest_foreign && frame->sequence != 1) return false;
    if (frame->stream > mux->highest_foreign) mux->highest_foreign = frame->stream;
    if (!fl_flow_open(mux->flow, frame->stream, now, &err)) {
        put_close(mux, frame->stream, err.code, fl_str_c(err.text));
        return false;
    }
    add_stream(mux, frame->stream, frame->type);
    *ret_is_new = true;
    return true;
}

/* LOG EXEC FORWARD BLOB. */
static bool take_data(struct fl_mux *mux, const struct fl_frame *frame, fl_ms now,
                      struct fl_mux_item *item, struct fl_err *err)
{
    bool is_new = false;
    bool was_open = is_open(mux, frame, now, &is_new);

    if (was_open && find(mux, frame->stream)->type != frame->type) {
        fl_fail(err, FL_INVALID, "stream %" PRIu32 " changes its type", frame->stream);
        return break_off(mux, now, item);
    }
    switch (
        fl_flow_received(mux->flow, frame->stream, frame->sequence, (uint32_t)frame->payload.len)) {
    case FL_FLOW_TAKE:
        *item = (struct fl_mux_item){.kind = FL_MUX_DATA,
                                     .stream = frame->stream,
                                     .type = frame->type,
                                     .is_new = is_new,
                                     .bytes = frame->payload};
        return true;
    case FL_FLOW_DROP:
        return false;
    case FL_FLOW_CLOSE_STREAM:
        forget(mux, frame->stream);
        put_close(mux, frame->stream, FL_INVALID, FL_STR("no credit, or out of sequence"));
        *item = (struct fl_mux_item){.kind = FL_MUX_CLOSED,
                                     .stream = frame->stream,
                                     .type = frame->type,
                                     .code = FL_INVALID,
                                     .bytes = FL_STR("no credit, or out of sequence")};
        return was_open && !is_new;
    case FL_FLOW_CLOSE_TUNNEL:
        fl_fail(err, FL_INVALID, "no credit, or out of sequence, the second time");
        return break_off(mux, now, item);
    }
    fl_unreachable("every verdict is above");
}

static bool take_close(struct fl_mux *mux, const struct fl_frame *frame, fl_ms now,
                       struct fl_mux_item *item, struct fl_err *err)
{
    const struct stream *stream = find(mux, frame->stream);

    *item = (struct fl_mux_item){.kind = FL_MUX_CLOSED, .stream = frame->stream};
    if (!fl_frame_read_close(frame, &item->code, &item->bytes, err)) {
        return break_off(mux, now, item);
    }
    if (!stream) return false;
    item->type = stream->type;
    forget(mux, frame->stream);
    return true;
}

static bool take_credit(struct fl_mux *mux, const struct fl_frame *frame, fl_ms now,
                        struct fl_mux_item *item, struct fl_err *err)
{
    uint32_t bytes;

    if (!fl_frame_read_credit(frame, &bytes, err) ||
        !fl_flow_granted(mux->flow, frame->stream, bytes, err)) {
        return break_off(mux, now, item);
    }
    feed_starved(mux);
    return false;
}

/* A whole frame.  True: an item. */
static bool take_frame(struct fl_mux *mux, const struct fl_frame *frame, fl_ms now,
                       struct fl_mux_item *item, struct fl_err *err)
{
    bool is_data = fl_frame_type_is_data(frame->type);

    if (frame->type == FL_FRAME_CONTROL) {
        return read_messages(mux, frame, err) ? false : break_off(mux, now, item);
    }
    if (!is_data && frame->type != FL_FRAME_CREDIT && frame->type != FL_FRAME_CLOSE) {
        return false; /* from a newer peer, which says that it may be dropped */
    }
    if (mux->link.state != FL_LINK_UP) {
        fl_fail(err, FL_INVALID, "%s before WELCOME", fl_frame_type_name(frame->type));
        return break_off(mux, now, item);
    }
    if (is_data) return take_data(mux, frame, now, item, err);
    if (frame->type == FL_FRAME_CLOSE) return take_close(mux, frame, now, item, err);
    return take_credit(mux, frame, now, item, err);
}

bool fl_mux_receive(struct fl_mux *mux, struct fl_str *bytes, fl_ms now,
                    struct fl_mux_item *ret_item, struct fl_err *err)
{
    if (bytes->len && fl_link_is_connected(&mux->link)) {
        fl_link_step(&mux->link, (struct fl_link_event){.kind = FL_LINK_EV_bytes, .now = now});
    }
    for (;;) {
        struct fl_frame frame;

        if (!fl_link_is_connected(&mux->link)) {
            *bytes = (struct fl_str){0};
            return false;
        }
        if (mux->messages_pos < mux->messages.len) {
            if (take_messages(mux, now, ret_item, err)) return true;
            continue;
        }
        switch (fl_frame_decoder_next(&mux->decoder, bytes, &frame, err)) {
        case FL_FRAME_MORE:
            fl_arena_fini(&mux->arena); /* saves memory: most tunnels are idle most of the time */
            return false;
        case FL_FRAME_BAD:
            return break_off(mux, now, ret_item);
        case FL_FRAME_READY:
            if (take_frame(mux, &frame, now, ret_item, err)) return true;
            break;
        }
    }
}

/* ---- output ---------------------------------------------------------------------------------- */

/* Drops the bytes that went out, rarely enough that moving the rest is cheap. */
static void cut_control(struct fl_mux *mux)
{
    size_t left = mux->control.len - mux->control_written;

    if (left && mux->control_written < FL_MUX_LOW_WATER_BYTES) return;
    if (left > mux->control_written) return;
    if (left) memmove(mux->control.at, mux->control.at + mux->control_written, left);
    fl_buf_truncate(&mux->control, left);
    mux->control_written = 0;
}

static void write_control(struct fl_mux *mux, struct fl_buf *out, size_t bytes_max)
{
    size_t len = mux->control.len - mux->control_written;
    bool is_put;

    if (len > bytes_max) len = bytes_max;
    is_put = fl_buf_put(out, mux->control.at + mux->control_written, len);
    fl_assert(is_put);
    mux->control_written += len;
    if (mux->flow) fl_flow_control_written(mux->flow, (uint32_t)len);
    cut_control(mux);
}

/* One frame of the stream whose turn it is; false: no stream may send. */
static bool write_data(struct fl_mux *mux, struct fl_buf *out)
{
    struct fl_flow_turn turn;

    while (mux->flow && fl_flow_turn(mux->flow, &turn)) {
        struct stream *stream = find(mux, turn.stream);
        size_t start = out->len, len;
        uint8_t *at = fl_frame_begin(out, turn.bytes);

        fl_assert(stream && at); /* control was written before */
        len = mux->config.pull(mux->config.ctx, turn.stream, at, turn.bytes);
        fl_assert(len <= turn.bytes);
        if (len == 0) {
            fl_frame_drop(out, start);
            stream->is_starved = true;
            fl_flow_wants(mux->flow, turn.stream, 0);
            continue;
        }
        stream->wanted -= len < stream->wanted ? len : stream->wanted;
        fl_frame_end(
            out, start,
            &(struct fl_frame){.stream = turn.stream,
                               .type = stream->type,
                               .sequence = fl_flow_sent(mux->flow, turn.stream, (uint32_t)len),
                               .payload = {NULL, len}});
        return true;
    }
    return false;
}

size_t fl_mux_write(struct fl_mux *mux, fl_ms now, struct fl_buf *out)
{
    size_t from = out->len;
    struct fl_flow_credit credit;

    while (mux->flow && !mux->is_stuck && fl_flow_due(mux->flow, now, &credit)) {
        put_credit(mux, credit);
    }
    end_frame(mux);
    while (out->len - from < FL_MUX_LOW_WATER_BYTES) {
        if (mux->control_written < mux->control.len) {
            write_control(mux, out, FL_MUX_WRITE_BYTES_MAX - (out->len - from));
        } else if (!write_data(mux, out)) {
            break;
        }
    }
    return out->len - from;
}

bool fl_mux_has_output(const struct fl_mux *mux)
{
    struct fl_flow_turn turn;

    if (mux->payload.len || mux->control_written < mux->control.len) return true;
    if (!mux->flow) return false;
    return fl_flow_has_due(mux->flow) || fl_flow_turn(mux->flow, &turn);
}

size_t fl_mux_control_bytes(const struct fl_mux *mux)
{
    return mux->payload.len + mux->control.len - mux->control_written;
}

uint64_t fl_mux_held_bytes(const struct fl_mux *mux)
{
    return mux->flow ? fl_flow_held(mux->flow) : 0;
}
