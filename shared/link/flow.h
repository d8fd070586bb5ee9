/* flow.h - how much may be sent: credits per stream and per tunnel, at one end of a connection.
 * Every data frame (LOG EXEC FORWARD BLOB) costs its payload, once of its stream and once of the
 * tunnel.
 *
 * - Receiving: a stream's credit returns when its sink has taken the bytes (fl_flow_consumed), the
 *   tunnel's as soon as the demultiplexer has them (fl_flow_received): a sink that stalls stops its
 *   own stream, never the tunnel.  So a stream holds at most its window, and all streams together
 *   hold at most
 *       streams * stream_bytes + growth_bytes_max.
 * - Credit goes back by quarters of a window.  A window that was used up within two round trips is
 *   too small for the distance: it doubles, up to its maximum.  All streams together may grow by
 *   growth_bytes_max.
 * - A peer that sends without credit, out of sequence, or an empty data frame, loses the stream;
 *   the second time, the tunnel.
 * - Control needs no credit and goes first.  Waiting control has a limit of its own
 *   (fl_flow_control_put); a peer that lets it fill up has stopped reading, and its tunnel is
 *   closed.
 * - Sending: sources say how much they have (fl_flow_wants), fl_flow_turn says whose turn it is:
 *   control, then stream after stream, one frame each.  Before a turn, send what fl_flow_due gives.
 *
 * Both directions begin with what WELCOME announced.  Stream ids are not used twice in a
 * connection.  Uses shared/base and shared/wire/frame.h only.  Pure; not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/err.h"
#include "shared/base/types.h"

#define FL_FLOW_STREAM_BYTES ((uint32_t)256 << 10)
#define FL_FLOW_STREAM_BYTES_MAX ((uint32_t)4 << 20)
#define FL_FLOW_TUNNEL_BYTES ((uint32_t)4 << 20)
#define FL_FLOW_TUNNEL_BYTES_MAX ((uint32_t)32 << 20)
#define FL_FLOW_GROWTH_BYTES_MAX ((uint32_t)64 << 20)
#define FL_FLOW_CONTROL_BYTES_MAX ((uint32_t)4 << 20)
#define FL_FLOW_STREAMS_MAX 1024
#define FL_FLOW_CREDIT_MAX ((uint32_t)1 << 30) /* a peer that grants more breaks the protocol */

struct fl_flow; /* opaque */

struct fl_flow_limits {
    uint32_t stream_bytes, stream_bytes_max; /* one stream's window: at first, at most */
    uint32_t tunnel_bytes, tunnel_bytes_max;
    uint32_t growth_bytes_max; /* all streams' windows together may grow by this */
    uint32_t control_bytes_max;
    uint32_t streams_max;
};

/* The figures above. */
struct fl_flow_limits fl_flow_limits(void);

/* 0 < first <= most <= FL_FLOW_CREDIT_MAX, for streams and tunnel: anything else is a bug. */
struct fl_flow *fl_flow_create(const struct fl_flow_limits *limits, fl_ms now);
void fl_flow_destroy(struct fl_flow *flow); /* NULL is fine */

/* FL_EXISTS, FL_FULL at streams_max, FL_INVALID for stream 0. */
FL_CHECK bool fl_flow_open(struct fl_flow *flow, uint32_t stream, fl_ms now, struct fl_err *err);
void fl_flow_close(struct fl_flow *flow, uint32_t stream); /* fine when it is not open */

/* The round trip as the link measures it; 0, not known, lets nothing grow. */
void fl_flow_rtt(struct fl_flow *flow, fl_ms rtt_ms);

/* ---- sending --------------------------------------------------------------------------------- */

/* How many bytes of payload a frame of this stream may have now, up to a frame's maximum; 0: none,
 * or the stream is not open. */
uint32_t fl_flow_may_send(const struct fl_flow *flow, uint32_t stream);

/* A frame with 1..may_send bytes goes out; the answer is its sequence. */
uint32_t fl_flow_sent(struct fl_flow *flow, uint32_t stream, uint32_t bytes);

/* A CREDIT frame came; stream 0 is the tunnel.  Credit for a stream that is closed already is fine.
 * False, FL_INVALID: the credit would pass FL_FLOW_CREDIT_MAX; close the tunnel. */
FL_CHECK bool fl_flow_granted(struct fl_flow *flow, uint32_t stream, uint32_t bytes,
                              struct fl_err *err);

/* Encoded control waits to be written.  False, FL_FULL: close the tunnel. */
FL_CHECK bool fl_flow_control_put(struct fl_flow *flow, uint32_t bytes, struct fl_err *err);
void fl_flow_control_written(struct fl_flow *flow, uint32_t bytes);

/* The bytes that the stream's source has to send now; fl_flow_sent subtracts from them. */
void fl_flow_wants(struct fl_flow *flow, uint32_t stream, uint64_t bytes);

struct fl_flow_turn {
    uint32_t stream; /* 0: control */
    uint32_t bytes;  /* at most so many; for control, all that waits */
};

/* The stream whose turn it is; false: no stream has both bytes and credit.  Streams come round by
 * turns. */
bool fl_flow_turn(const struct fl_flow *flow, struct fl_flow_turn *ret_turn);

/* ---- receiving ------------------------------------------------------------------------------- */

enum fl_flow_verdict {
    FL_FLOW_TAKE, /* hand the bytes to the sink, then tell fl_flow_consumed when it has them */
    FL_FLOW_DROP, /* the stream is not open (any more): forget the bytes */
    FL_FLOW_CLOSE_STREAM, /* the peer broke a rule; the stream is closed here, send CLOSE */
    FL_FLOW_CLOSE_TUNNEL, /* the peer broke a rule for the second time */
};

enum fl_flow_verdict fl_flow_received(struct fl_flow *flow, uint32_t stream, uint32_t sequence,
                                      uint32_t bytes);

/* The sink has taken bytes that were received before; fine when the stream was closed meanwhile. */
void fl_flow_consumed(struct fl_flow *flow, uint32_t stream, uint32_t bytes);

struct fl_flow_credit {
    uint32_t stream; /* 0: the tunnel */
    uint32_t bytes;
};

/* The next CREDIT frame to send; false: none is due. */
bool fl_flow_due(struct fl_flow *flow, fl_ms now, struct fl_flow_credit *ret_credit);
bool fl_flow_has_due(const struct fl_flow *flow);

/* ---- for traces and tests -------------------------------------------------------------------- */

/* Stream 0: the tunnel's window.  A stream that is not open has 0. */
uint32_t fl_flow_window(const struct fl_flow *flow, uint32_t stream);
uint64_t fl_flow_held(const struct fl_flow *flow); /* received and not consumed, all streams */
