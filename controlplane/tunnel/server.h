/* server.h - the tunnels of one front thread: agents' sockets <-> the core's events and sends.
 * Its sockets are agent_sockets.h's, which speaks TLS and WebSocket; here the connections are kept,
 * by number and by cluster, and each becomes a session (session.h).  The core's decisions come in
 * through tunnel_server_send, the agents' messages go out through the ports.
 *
 * - Strangers: connections over connections_max are closed before TLS, handshakes wait for their
 *   turn (handshakes.h), and one that takes longer than handshake_ms is cut.  A plain HTTP request,
 *   or an upgrade to any other subprotocol, is answered by closing.
 * - 'peer' finds the cluster by the certificate only, never by a message of the agent.
 * - This object has all sessions of one thread; a newer session of the same cluster may be on
 *   another front.  So give each WELCOME and RESYNC to every front (tunnel_server_superseded), and
 *   the send itself to the front that has the connection.
 * - An event for which the inbox has no room (FL_FULL) is offered again every few ms.  A connection
 *   whose event waits is not read meanwhile, so that only its own agent is slowed.
 * Not thread-safe: its loop's thread calls it, and from there it calls the ports.  A port may not
 * call back into the server within its call, unless it says so. */
#pragma once

#include "controlplane/core/core_command.h"
#include "controlplane/engine/engine_event.h"
#include "controlplane/handshakes/handshakes.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/io/net.h"
#include "shared/link/flow.h"
#include "shared/link/streams.h"
#include "shared/tls/cert.h"
#include "shared/tls/ticket.h"

struct fl_loop;
struct tunnel_server; /* opaque */

/* The other end, by its certificate, which is verified and belongs to a cluster. */
struct tunnel_peer {
    struct fl_cert cert;
    fl_ms expired_ms; /* since when it has expired, by this host's clock; 0: it is good */
    char address[FL_NET_TEXT_MAX]; /* for the log */
};

/* An agent needs these for a START: the job document, sent once for each connection and digest, and
 * the job's parameters. */
struct tunnel_spec {
    struct fl_digest digest; /* SHA-256 of the document */
    struct fl_str document;  /* canonical, shared/spec; at most FL_BLOB_BYTES_MAX */
    struct fl_str params;    /* a JSON object, or empty; at most 32 KiB */
};

enum { TUNNEL_MAC_BYTES = 16 };

struct tunnel_server_ports {
    void *ctx;
    /* As engine_thread_adopt: takes over the event, even if it refuses it.  FL_FULL: offer it
     * again; never for the end of a session. */
    bool (*adopt)(void *ctx, struct engine_event *event, struct fl_err *err);
    /* HELLO came: finds the cluster of the certificate and checks that it enrolled with this uid.
     * False, with a reason for log and agent: the connection is closed. */
    bool (*peer)(void *ctx, const struct tunnel_peer *peer, struct fl_str cluster_uid,
                 struct fl_cluster *ret_cluster, struct fl_err *err);
    /* Finds the document of an attempt.  True: *ret_spec is filled, borrowed for the call.  False:
     * tunnel_server_spec follows with this ticket. */
    bool (*spec)(void *ctx, uint64_t ticket, struct fl_cluster cluster, struct fl_attempt attempt,
                 struct tunnel_spec *ret_spec);
    /* The agent asks for its next certificate; answered by tunnel_server_renewed.  'csr' is DER,
     * not checked yet. */
    void (*renew)(void *ctx, uint64_t connection, struct fl_cluster cluster,
                  const struct tunnel_peer *peer, struct fl_str csr);
    /* How far the database is, for agents to remember.  False: nothing is known now.  Both NULL:
     * agents get no seal, and their seals are not looked at. */
    bool (*seen)(void *ctx, struct core_seen *ret_seen);
    /* The MAC over some bytes, under a key that this control plane alone has. */
    void (*mac)(void *ctx, const void *ptr, size_t len, uint8_t ret_mac[TUNNEL_MAC_BYTES]);
    /* The table of streams, borrowed.  The tunnel adds BLOB, which carries documents, itself. */
    const struct fl_stream_kind *streams;
    size_t streams_len;
};

struct tunnel_server_config {
    uint16_t front; /* this thread's number: the upper 16 bits of its connections' numbers */
    int listen_fd;  /* listening and non-blocking; ours from now on */
    const char *certificate_file, *key_file; /* PEM, of this listener */
    const char *ca_file;                     /* PEM: the CA that signs agents */
    /* In brackets: tunnel_server_config_default. */
    uint32_t handshake_ms; /* to the first message, for its turn, and then to the upgrade [5 s] */
    uint32_t connections_max; /* handshakes included [20,000] */
    struct handshakes_config handshakes;
    struct known_addresses *known; /* borrowed; NULL: none is known */
    bool has_tickets;
    struct fl_ticket_key ticket_key; /* valid if has_tickets */
    uint32_t ping_ms, dead_ms;       /* announced to agents; see link.h */
    uint32_t stop_grace_ms;          /* in a STOP */
    uint32_t retry_after_ms;         /* in a BYE; 0: the agent chooses */
    struct fl_flow_limits flow;
};

/* Sets all but the listener, the files and the front. */
struct tunnel_server_config tunnel_server_config_default(void);

/* NULL: a file is missing or malformed, or a setting is out of range (FL_IO, FL_INVALID); listen_fd
 * is closed. */
struct tunnel_server *tunnel_server_create(struct fl_loop *loop,
                                           const struct tunnel_server_config *config,
                                           const struct tunnel_server_ports *ports,
                                           struct fl_err *err);

/* Drops all connections and closes their streams, without a word to the core.  NULL is fine. */
void tunnel_server_destroy(struct tunnel_server *server);

/* Reads the certificate and key files again, for connections from now on.  False: they are not
 * good, and the old certificate stays. */
FL_CHECK bool tunnel_server_reload(struct tunnel_server *server, struct fl_err *err);

/* ---- from the core --------------------------------------------------------------------------- */

/* The front that has a connection. */
uint16_t tunnel_server_front(uint64_t connection);

/* For a connection of this front; 'send' is borrowed for the call.  Order is kept. */
void tunnel_server_send(struct tunnel_server *server, const struct core_send *send);

/* A WELCOME or RESYNC of any front: closes connections of its cluster that have an older
 * session. */
void tunnel_server_superseded(struct tunnel_server *server, struct fl_cluster cluster,
                              uint64_t session_epoch, uint64_t connection);

/* A term began: offers all sessions to the core again, the oldest first. */
void tunnel_server_began(struct tunnel_server *server);

/* The engine refused an event of this cluster (engine_thread_ports.refused). */
void tunnel_server_refused(struct tunnel_server *server, struct fl_cluster cluster,
                           enum fl_code code, const char *text);

/* Closes the connections of a cluster that is revoked or removed at once, with a BYE. */
void tunnel_server_close_cluster(struct tunnel_server *server, struct fl_cluster cluster,
                                 enum fl_code code, const char *text);

/* ---- answers to the ports -------------------------------------------------------------------- */

/* At NULL there is no document: the agent gets the START without it and refuses it.  An old ticket
 * is fine. */
void tunnel_server_spec(struct tunnel_server *server, uint64_t ticket,
                        const struct tunnel_spec *spec);

/* FL_OK with the PEM chain, the new certificate first; any other code with the reason.  Fine if the
 * connection is gone. */
void tunnel_server_renewed(struct tunnel_server *server, uint64_t connection, enum fl_code code,
                           struct fl_str text, struct fl_str chain);

/* ---- streams --------------------------------------------------------------------------------- */

/* The streams of a connection, valid until the next turn of the loop; NULL: it is gone. */
struct fl_streams *tunnel_server_streams(struct tunnel_server *server, uint64_t connection);

/* The streams of the cluster's newest session here; NULL: none is up. */
struct fl_streams *tunnel_server_cluster_streams(struct tunnel_server *server,
                                                 struct fl_cluster cluster);

/* ---- its end, and figures -------------------------------------------------------------------- */

/* Stops accepting and sends BYE to all agents, which come back after retry_after_ms. */
void tunnel_server_drain(struct tunnel_server *server);

struct tunnel_server_stats {
    uint64_t connections; /* now, also those whose handshake has begun */
    uint64_t sessions;    /* now, UP */
    uint64_t held;        /* now, not read because the engine has no room */
    uint64_t accepted;    /* this and the following counts only grow */
    uint64_t shed;        /* closed before TLS, since there were too many, or they said nothing */
    uint64_t refused;     /* bad certificate or subprotocol, plain HTTP, no TLS, too slow */
    uint64_t handshakes_late;
    uint64_t tickets; /* shown, and ours */
    uint64_t superseded;
    uint64_t broken; /* the agent broke a rule of the protocol */
    uint64_t messages_in, messages_out;
    uint64_t bytes_in, bytes_out;
    uint64_t specs_sent;
};

struct tunnel_server_stats tunnel_server_stats(const struct tunnel_server *server);
