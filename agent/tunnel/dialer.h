/* dialer.h - the agent's tunnel: dials, greets, stays alive, comes back.  It joins the socket
 * (tunnel_socket.h), the multiplexer and its link (shared/link), the streams and the certificate's
 * renewal (renewal.h), after which the tunnel is dialed anew; everything resumes.
 *
 * - Between 'opened' and 'closed' messages go both ways.  A message that is put at another time is
 *   dropped: the inventory after the next 'opened' repeats it.
 * - A START comes with its spec, which travelled before it (spec_receiver.h); at NULL the spec is
 *   missing.
 * - Streams are rows of a table.  BLOB, on which specs travel, is the dialer's own.
 * Not thread-safe: its loop's thread calls it, and from there it calls the ports, which may call
 * back. */
#pragma once

#include "agent/tunnel/identity_store.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/link/streams.h"
#include "shared/wire/message.h"

struct fl_loop;
struct agent_dialer; /* opaque */

struct agent_dialer_ports {
    void *ctx;
    /* Fill in what the agent knows: boot, cluster uid, capabilities; versions are filled
     * already.  The strings are borrowed until the port is called again. */
    void (*hello)(void *ctx, struct fl_msg_hello *ret_hello);
    /* The control plane said WELCOME; 'message' with it follows.  Streams may be opened. */
    void (*opened)(void *ctx, struct fl_streams *streams);
    /* WELCOME, RESYNC, START, GO, STOP, ACK.  'spec' is the job document of a START.  Borrowed. */
    void (*message)(void *ctx, const struct fl_msg *msg, struct fl_str spec);
    void (*closed)(void *ctx, const char *why); /* after 'opened' only, once */
    /* The control plane does not let this identity in, in its words; it is asked again with the
     * usual waits.  May be NULL. */
    void (*refused)(void *ctx, const char *why);
    /* Much control waits to be sent, or little again; 'closed' ends it without a call.  Called at
     * the end of a turn, from no other call. */
    void (*busy)(void *ctx, bool is_on);
};

struct agent_dialer_config {
    const char *hub; /* "host:port" of the tunnel listener; NULL: the one from enrolment */
    /* for SNI and the check of its certificate; NULL: FL_TLS_SERVER_NAME */
    const char *server_name;
    struct identity_store store; /* holds the identity (identity.h) */
    const char *proxy;           /* "http://[user:password@]host:port"; NULL or empty: direct */
    const char *no_proxy;        /* as no_proxy in the environment; NULL: none */
    uint64_t seed;               /* for the back-off: each agent its own */
    const struct fl_stream_kind *streams; /* the table of streams, but for BLOB; copied */
    size_t streams_len;
};

/* Dials at once.  NULL: the store has no identity (FL_ABSENT) or a damaged one (FL_TORN), or hub or
 * proxy are malformed (FL_INVALID). */
struct agent_dialer *agent_dialer_create(struct fl_loop *loop,
                                         const struct agent_dialer_config *config,
                                         const struct agent_dialer_ports *ports,
                                         struct fl_err *err);
void agent_dialer_destroy(struct agent_dialer *dialer); /* calls no port; NULL is fine */

/* replica, node, inventory_*: must pass fl_msg_check. */
void agent_dialer_put(struct agent_dialer *dialer, const struct fl_msg *msg);

/* The store has another identity now: the next dial shows it. */
FL_CHECK bool agent_dialer_reload(struct agent_dialer *dialer, struct fl_err *err);

bool agent_dialer_is_up(const struct agent_dialer *dialer);
struct fl_streams *agent_dialer_streams(struct agent_dialer *dialer); /* NULL: it is not up */

struct agent_dialer_status {
    bool is_up;
    uint64_t dials, sessions, renewals;
    fl_ms expires_at; /* when the certificate in use ends */
    char why[256];    /* why the last connection ended, or could not be made */
};

struct agent_dialer_status agent_dialer_status(const struct agent_dialer *dialer);
