/* tunnel_watch.h - reads along at one end of a tunnel and holds both ends to their credits (I11).
 * It decodes the passing frames and counts for itself: bytes sent, granted and consumed, for each
 * stream and for the tunnel.  It knows nothing of the flow control it watches but the limits.
 *   - no end sends more than it was granted before
 *   - bytes granted or held and not yet consumed are never more than the largest window
 *   - all streams together hold and grant no more than their first windows and what they may have
 *     grown
 * Single-threaded. */
#pragma once

#include "shared/base/vec.h"
#include "shared/link/flow.h"
#include "shared/wire/frame.h"
#include "tests/sim/sim.h"

struct tunnel_watch_stream {
    uint32_t id; /* 0: the tunnel */
    bool is_closed;
    uint64_t sent, may_send;                  /* by this end */
    uint64_t received, consumed, may_receive; /* by this end */
};

struct tunnel_watch {
    struct sim *sim;
    const struct fl_flow_limits *limits;
    struct fl_frame_decoder out, in;
    bool is_in_bad;                             /* noise came in: later bytes have no meaning */
    uint32_t log_stream;                        /* the one that LOG frames came on; 0: none did */
    FL_VEC(struct tunnel_watch_stream) streams; /* the tunnel first */
};

/* Both outlive it. */
void tunnel_watch_init(struct tunnel_watch *watch, struct sim *sim,
                       const struct fl_flow_limits *limits);
void tunnel_watch_fini(struct tunnel_watch *watch);
void tunnel_watch_begin(struct tunnel_watch *watch); /* a connection is made */

void tunnel_watch_out(struct tunnel_watch *watch, struct fl_str bytes);
void tunnel_watch_in(struct tunnel_watch *watch, struct fl_str bytes);
void tunnel_watch_consumed(struct tunnel_watch *watch, uint32_t stream, uint64_t bytes);

uint64_t tunnel_watch_held(const struct tunnel_watch *watch); /* bytes held for open streams */
