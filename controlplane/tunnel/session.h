/* session.h - one agent's connection: bytes <-> the core's events and sends, without a socket.
 * It greets (HELLO -> session_open -> WELCOME), turns messages into events, and hands the sends of
 * the core to its order_sender and the frames of streams to their kinds.
 *
 * - Once session_is_over, it stays over: write what session_write still gives (the BYE), then drop
 *   the connection.
 * - When the engine's inbox has no room (FL_FULL), the session is held, and loses nothing: it keeps
 *   the decoded frame that it could not hand on, and the bytes behind it, SESSION_UNREAD_BYTES_MAX
 *   at most.  Read no more bytes for it, and call session_resume until it goes on.  Meanwhile it
 *   does not count as dead.
 * The server is its only caller.  Uses the ports of server.h. */
#pragma once

#include "controlplane/tunnel/server.h"
#include "controlplane/tunnel/translate.h"
#include "shared/link/link.h"

enum {
    SESSION_UNREAD_BYTES_MAX = 256 << 10, /* bytes that came before the socket stopped reading */
};

struct session; /* opaque */

/* Shared by all sessions of a server; it outlives them. */
struct session_shared {
    struct tunnel_server_ports ports;
    struct translate_config translate;
    struct fl_flow_limits flow;
    struct tunnel_server_stats stats;
    void *ctx;
    /* The session is over; the server tells the core. */
    void (*lost)(void *ctx, struct fl_cluster cluster, uint64_t session_epoch, uint64_t connection);
    /* A stream of this connection may have bytes to send. */
    void (*changed)(void *ctx, uint64_t connection);
};

/* The connection is made and its certificate is verified.  The tunnel ends at 'expires_at', with
 * its certificate; that is on the clock of 'now'. */
struct session *session_create(struct session_shared *shared, const struct tunnel_peer *peer,
                               uint64_t connection, fl_ms expires_at, fl_ms now);

/* Does not tell the core; session_closed does.  NULL is fine. */
void session_destroy(struct session *session);

uint64_t session_connection(const struct session *session);
struct fl_cluster session_cluster(const struct session *session); /* none before HELLO */
uint64_t session_epoch(const struct session *session);            /* 0: none yet */
const struct fl_link *session_link(const struct session *session);
bool session_is_over(const struct session *session);
const char *session_why(const struct session *session); /* why it is over */
struct fl_streams *session_streams(struct session *session);

/* ---- from the socket ------------------------------------------------------------------------- */

void session_bytes(struct session *session, struct fl_str bytes, fl_ms now);
void session_closed(struct session *session, fl_ms now); /* the socket is gone */

/* Whether it waits for room in the engine's inbox. */
bool session_is_held(const struct session *session);
/* Tries again.  False: there is still no room. */
bool session_resume(struct session *session, fl_ms now);

fl_ms session_deadline(const struct session *session);
void session_tick(struct session *session, fl_ms now);

bool session_has_output(const struct session *session);
size_t session_write(struct session *session, fl_ms now, struct fl_buf *out); /* as fl_mux_write */

/* ---- from the server ------------------------------------------------------------------------- */

void session_send(struct session *session, const struct core_send *send, fl_ms now);
void session_offer(struct session *session, fl_ms now); /* again, to the core of a new term */
void session_supersede(struct session *session, fl_ms now);
void session_refuse(struct session *session, enum fl_code code, const char *text, fl_ms now);
void session_stop(struct session *session, fl_ms now); /* this process ends */

/* False: the ticket is not this session's. */
bool session_spec(struct session *session, uint64_t ticket, const struct tunnel_spec *spec,
                  fl_ms now);
void session_renewed(struct session *session, enum fl_code code, struct fl_str text,
                     struct fl_str chain);
