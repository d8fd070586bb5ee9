/* visits.h - the visits of one front: each joins a client's WebSocket (visit_peer.h) with a stream
 * to the agent (shared/wire/visit.h).
 *
 *     the API -- order --> visits of its front -- order --> visits of the front that has the tunnel
 *
 * - Client and agent hold up each other: bytes are read from one only while the other takes them.
 *   At most a window of the stream, and VISIT_INPUT_BYTES_MAX of input, wait here.
 * - A visit ends with its command, connection, client, token, tunnel, or control plane, or when it
 *   was idle for too long.  The client hears why in a status message and in the CLOSE behind it,
 *   and the audit gets a row.
 * - A client or an agent that breaks a rule ends its own visit: never the tunnel, nor other visits.
 * - Every token is looked at every VISIT_TOKEN_MS: one that was revoked or has expired ends its
 *   visits, and so does a browser's session that is over.  An open visit keeps its session in use.
 * visits_put is for any thread; all else is for the front's, and from there it calls the ports. */
#pragma once

#include "controlplane/visits/visit_order.h"
#include "shared/link/streams.h"

enum {
    VISIT_TOKEN_MS = 2000,
    VISIT_INPUT_BYTES_MAX = 64 << 10,
    VISIT_STREAMS_MAX = 256, /* streams of each type in one tunnel */
};

struct token_table;
struct visits; /* opaque */

/* A visit has ended. */
struct visit_end {
    struct fl_tenant tenant;
    struct fl_str actor, peer, trace, what;
};

struct visits_port {
    void *ctx;
    /* The streams of the cluster's tunnel; NULL: this front has none. */
    struct fl_streams *(*streams)(void *ctx, struct fl_cluster cluster);
    /* Hands the order to the next front.  False: all were asked, and it is still the caller's. */
    bool (*pass_on)(void *ctx, struct visit_order *order);
    void (*ended)(void *ctx, const struct visit_end *end);
    /* Whether a browser's session goes on; the question is a use of it. */
    bool (*session_lives)(void *ctx, const struct fl_digest *session);
};

struct visits_config {
    uint32_t visits_max, token_visits_max; /* all of this front */
    fl_ms idle_ms;                         /* without a byte in either direction */
};

struct visits *visits_create(struct fl_loop *loop, const struct visits_config *config,
                             struct token_table *tokens, const struct visits_port *port);
/* Cuts what there is.  After the tunnels; NULL is fine. */
void visits_destroy(struct visits *visits);

/* Takes over the order, also when it cannot: then the client gets an answer, or is cut. */
void visits_enter(struct visits *visits, struct visit_order *order);
/* The same for another thread.  False: it is still the caller's. */
FL_CHECK bool visits_put(struct visits *visits, struct visit_order *order);

/* The rows EXEC and FORWARD for the table of streams. */
void visits_kinds(struct visits *visits, struct fl_stream_kind ret_kinds[2]);

void visits_drain(struct visits *visits); /* this process ends: they hear it */
size_t visits_len(const struct visits *visits);
