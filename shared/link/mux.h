/* mux.h - one connection's multiplexer: joins link, flow, frames and messages, at either end.
 * The owner puts in the socket's bytes and gets items, one at a time: orders of the link, control
 * messages, bytes of streams.  fl_mux_write gives the bytes to send: control first, then streams by
 * turns as far as their credit goes.  It gives at most FL_MUX_WRITE_BYTES_MAX at once, so that the
 * next control message waits for no more than that.
 *
 * - The mux handles PING, PONG, CREDIT and CLOSE; the owner sees only CLOSE, as an item.
 * - A stream is opened by its first frame.  An agent's streams have odd numbers, a hub's even ones,
 *   and each end numbers its streams upwards.  A number that is neither open nor new belongs to a
 *   stream that is over, and its bytes are dropped.  Streams flow only while the link is UP.
 * - Bytes of a stream are pulled from their source when their turn comes; nothing is queued here.
 * - Waiting control is bounded (flow.h).  At the bound a tick is due at once, and it breaks the
 *   connection.
 * - An agent's link lives on from connection to connection; everything else begins anew with each.
 * Uses shared/base, shared/wire and shared/link only.  Pure; not thread-safe. */
#pragma once

#include "shared/link/flow.h"
#include "shared/link/link.h"
#include "shared/wire/frame.h"
#include "shared/wire/message.h"

#define FL_MUX_LOW_WATER_BYTES ((size_t)64 << 10) /* a write ends behind the frame that passes it */
#define FL_MUX_WRITE_BYTES_MAX (FL_MUX_LOW_WATER_BYTES + FL_FRAME_BYTES_MAX)

struct fl_mux; /* opaque */

struct fl_mux_config {
    enum fl_link_side side;
    struct fl_flow_limits flow; /* an agent takes stream_bytes and tunnel_bytes from WELCOME */
    uint64_t seed;              /* an agent's: draws its back-off */
    fl_ms ping_ms, dead_ms;     /* a hub's */
    void *ctx;
    /* Writes the stream's next bytes, at most bytes_max, to 'at' and returns how many.  0: none
     * that fit; the mux asks again once there is more credit, or after the next fl_mux_wants.
     * It may not call the mux. */
    size_t (*pull)(void *ctx, uint32_t stream, uint8_t *at, size_t bytes_max);
};

/* A hub's is connected from the start.  An agent's is due to dial at once: tick it. */
struct fl_mux *fl_mux_create(const struct fl_mux_config *config, fl_ms now);
void fl_mux_destroy(struct fl_mux *mux); /* NULL is fine */

const struct fl_link *fl_mux_link(const struct fl_mux *mux); /* state, why, rtt_ms */
fl_ms fl_mux_deadline(const struct fl_mux *mux);             /* when to tick; see link.h */

/* Takes opened, lost, refuse, supersede, stop, broken and tick; and welcome, which a hub gives
 * right before it puts WELCOME.  PING is sent by itself; every other answer but WAIT is the owner's
 * to act on: DIAL, HELLO (put it), BYE (put it, write what there is, drop the connection),
 * CLOSE. */
enum fl_link_answer fl_mux_step(struct fl_mux *mux, enum fl_link_event_kind kind, fl_ms now);

/* ---- receiving ------------------------------------------------------------------------------- */

enum fl_mux_item_kind {
    /* 'answer' is an order of the link: GREET and BEGIN come with their message; for BYE and CLOSE
     * the link's 'why' gives the reason */
    FL_MUX_ANSWER,
    FL_MUX_MESSAGE, /* one or more, as they stand in their frame */
    FL_MUX_DATA,    /* 'bytes' of 'stream', is_new: its first; call fl_mux_consumed later */
    /* the peer ended 'stream' or broke a rule of it: 'code', and a text in 'bytes' */
    FL_MUX_CLOSED,
};

/* Messages are valid until the next call, even when the bytes they came in are gone.  'bytes' is
 * valid until the next call, as long as the bytes it came in. */
struct fl_mux_item {
    enum fl_mux_item_kind kind;
    enum fl_link_answer answer;
    const struct fl_msg *messages;
    size_t messages_len;
    uint32_t stream;
    uint8_t type; /* the stream's, enum fl_frame_type */
    bool is_new;
    uint16_t code; /* an error code; a newer peer may know more of them */
    struct fl_str bytes;
};

/* True: *ret_item is filled; act on it and ask again with the rest, *bytes.  After BYE or CLOSE no
 * item comes, and the rest is dropped.  False: these bytes hold no further item.  'err' is written
 * when the peer broke a rule. */
bool fl_mux_receive(struct fl_mux *mux, struct fl_str *bytes, fl_ms now,
                    struct fl_mux_item *ret_item, struct fl_err *err);

/* The sink has taken bytes of an item; fine when the stream was closed meanwhile. */
void fl_mux_consumed(struct fl_mux *mux, uint32_t stream, uint32_t bytes);

/* ---- sending --------------------------------------------------------------------------------- */

/* The message must pass fl_msg_check.  An agent without a connection drops it. */
void fl_mux_put(struct fl_mux *mux, const struct fl_msg *msg);

/* A new stream of ours.  FL_UNAVAILABLE while the link is not UP, FL_FULL. */
FL_CHECK bool fl_mux_open(struct fl_mux *mux, enum fl_frame_type type, fl_ms now,
                          uint32_t *ret_stream, struct fl_err *err);

/* The source has 'bytes' to send in all; fine when the stream is over. */
void fl_mux_wants(struct fl_mux *mux, uint32_t stream, uint64_t bytes);

/* Says CLOSE; nothing more of the stream is sent or received.  Fine when it is over. */
void fl_mux_close(struct fl_mux *mux, uint32_t stream, enum fl_code code, struct fl_str text);

/* Appends the bytes to send now to 'out', which must have room for FL_MUX_WRITE_BYTES_MAX more, and
 * returns how many. */
size_t fl_mux_write(struct fl_mux *mux, fl_ms now, struct fl_buf *out);

bool fl_mux_has_output(const struct fl_mux *mux);

/* For metrics and tests: control that waits; bytes of streams that were received and not
 * consumed. */
size_t fl_mux_control_bytes(const struct fl_mux *mux);
uint64_t fl_mux_held_bytes(const struct fl_mux *mux);
