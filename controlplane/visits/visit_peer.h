/* visit_peer.h - the client of a visit: a WebSocket on a connection that the HTTP server gave away.
 * Messages are those of Kubernetes' v5.channel.k8s.io: binary, the first byte is the channel.
 * A host that acknowledges nothing for a minute is gone: a ping every now and then is enough to see
 * that.  A client that reads slowly, or waits for a person, is not gone.
 * Bytes that go out are kept until the client takes them: the owner looks at visit_peer_waiting
 * before it puts more.  Bytes that come in are read only while the owner has room for them.
 *
 *   visit_peer_open, answer (101, or a problem) ... put, close ... on_gone, once
 *
 * Not thread-safe: its loop's thread calls it, and from there it calls the port, at the end of a
 * turn or from an event of the loop. */
#pragma once

#include "controlplane/http/request.h"
#include "shared/io/loop.h"
#include "shared/wire/visit.h"
#include "shared/wire/websocket.h"

enum { VISIT_PEER_OUT_MAX = 16 << 20 };

struct visit_peer; /* opaque */

struct visit_peer_port {
    void *ctx;
    /* Whether bytes may be read now.  When that becomes true, call visit_peer_wake. */
    bool (*may_read)(void *ctx);
    /* A piece of a message, its first or last one, or between.  False: it breaks a rule: 'err'. */
    bool (*piece)(void *ctx, uint8_t channel, struct fl_str bytes, bool is_first, bool is_last,
                  struct fl_err *err);
    void (*taken)(void *ctx); /* the client took bytes */
    /* It is over, and is freed when this returns.  'why' is NULL after an orderly close. */
    void (*gone)(void *ctx, const char *why);
};

/* Takes over what 'taken' holds. */
struct visit_peer *visit_peer_open(struct fl_loop *loop, struct http_taken *taken,
                                   const struct visit_peer_port *port);
void visit_peer_destroy(struct visit_peer *peer); /* without 'gone'; NULL is fine */

/* The handshake is answered: 'accept' belongs to the client's key. */
void visit_peer_accept(struct visit_peer *peer, const char *accept, bool has_protocol);
/* It is answered with a problem instead, and the connection ends. */
void visit_peer_refuse(struct visit_peer *peer, unsigned status, enum fl_code code,
                       const char *text);

void visit_peer_put(struct visit_peer *peer, uint8_t channel, struct fl_str bytes);
void visit_peer_ping(struct visit_peer *peer);
/* Says CLOSE, with a reason of at most 123 bytes; waits a while for the client's, then ends. */
void visit_peer_close(struct visit_peer *peer, enum fl_ws_close code, const char *text);

size_t visit_peer_waiting(const struct visit_peer *peer); /* bytes that the client has not taken */
void visit_peer_wake(struct visit_peer *peer);
