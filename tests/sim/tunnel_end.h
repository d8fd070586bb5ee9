/* tunnel_end.h - one end of a tunnel: the link's machine, the frame codec and the message codec, put
 * together over the fake net, as the shells at both ends will do over a socket.
 * Its owner acts on what the link answers.
 * Single-threaded. */
#pragma once

#include "shared/base/arena.h"
#include "shared/link/link.h"
#include "shared/wire/frame.h"
#include "shared/wire/message.h"
#include "tests/sim/net.h"

struct tunnel_end {
    struct net *net;
    enum net_end end;
    uint64_t connection; /* 0: none */
    struct fl_link link;
    struct fl_frame_decoder decoder;
    struct fl_buf payload; /* of the frame being filled */
    struct fl_buf out;
    struct fl_arena arena; /* of what is being received */
};

/* The link is the caller's to init. */
void tunnel_end_init(struct tunnel_end *tunnel, struct net *net, enum net_end end);
void tunnel_end_fini(struct tunnel_end *tunnel);
void tunnel_end_begin(struct tunnel_end *tunnel, uint64_t connection); /* of a new connection */

/* Into the frame being filled; it goes out when it is full, or at the flush. */
void tunnel_end_put(struct tunnel_end *tunnel, const struct fl_msg *msg);
void tunnel_end_flush(struct tunnel_end *tunnel);
void tunnel_end_close(struct tunnel_end *tunnel); /* flushes, and lets go of the connection */

struct tunnel_messages {
    struct fl_msg *at;
    size_t len, cap;
};

/* Takes bytes until a CONTROL frame is complete.  True: its messages (to this end) are in *ret, valid until
 * the next call; call again, *bytes is what is left.  False: nothing more; *ret_is_broken when the peer
 * broke a rule. */
bool tunnel_end_receive(struct tunnel_end *tunnel, struct fl_str *bytes,
                        struct tunnel_messages *ret, bool *ret_is_broken);

/* What the link is to be told of this message. */
struct fl_link_event tunnel_end_event(const struct fl_msg *msg, fl_ms now);
