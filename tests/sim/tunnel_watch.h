/* tunnel_watch.h - reads along at one end of a tunnel and holds both ends to their credits (I11).
 * It decodes what goes by and counts for itself: what was sent, granted and consumed, of each stream and of
 * the tunnel.  It knows nothing of the flow control it watches but the limits.
 *   - nobody sends what was not granted before
 *   - what is granted or held and not yet consumed is never more than the largest window
 *   - all streams together hold and grant no more than their first windows and what they may have grown
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
    bool is_in_bad;                             /* noise came in: what follows has no meaning */
    uint32_t log_stream;                        /* the one that LOG frames came on; 0: none did */
    FL_VEC(struct tunnel_watch_stream) streams; /* the tunnel first */
};

/* Both outlive it. */
void tunnel_watch_init(struct tunnel_watch *watch, struct sim *sim,
                       const struct fl_flow_limits *limits);
void tunnel_watch_fini(struct tunnel_watch *watch);
void tunnel_watch_begin(struct tunnel_watch *watch); /* of a new connection */

void tunnel_watch_out(struct tunnel_watch *watch, struct fl_str bytes);
void tunnel_watch_in(struct tunnel_watch *watch, struct fl_str bytes);
void tunnel_watch_consumed(struct tunnel_watch *watch, uint32_t stream, uint64_t bytes);

uint64_t tunnel_watch_held(const struct tunnel_watch *watch); /* of open streams */
