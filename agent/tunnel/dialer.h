/* dialer.h - the agent's tunnel: dials out, greets, stays alive, comes back; renews its certificate.
 * A WebSocket over TLS 1.3 to the control plane (libwebsockets on the agent's loop), direct or through an HTTP
 * CONNECT proxy, with the client certificate that enrolment left in the state directory (identity.h).  When
 * half of the certificate's life is over, the next one is asked for on stream 0, stored, and the tunnel is
 * dialed anew with it; everything resumes.  shared/link does the timing.
 *
 * - Between 'opened' and 'closed' messages go both ways; what is put outside of that is dropped, since the
 *   inventory that follows the next 'opened' says it again.
 * - A START comes with its spec, which travelled before it; without one (at NULL) it could not be had.
 * - The LOG stream is open as long as the tunnel: its bytes are pulled when it may send, frame by frame.
 * Not thread-safe: its loop's thread calls it, and from there it calls the ports, which may call back. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/wire/message.h"

struct fl_loop;
struct agent_dialer; /* opaque */

struct agent_dialer_ports {
    void *ctx;
    /* Fill in what the engine knows: boot, highest identity, cluster uid, capabilities; versions are filled
     * already.  The strings are borrowed until the port is called again. */
    void (*hello)(void *ctx, struct fl_msg_hello *ret_hello);
    void (*opened)(void *ctx); /* the control plane said WELCOME; 'message' with it follows */
    /* WELCOME, RESYNC, START, GO, STOP, ACK.  'spec' is the job document of a START.  Borrowed. */
    void (*message)(void *ctx, const struct fl_msg *msg, struct fl_str spec);
    void (*closed)(void *ctx, const char *why); /* after 'opened' only, once */
    /* A frame of the LOG stream; its credit returns with the call. */
    void (*log_frame)(void *ctx, struct fl_str payload);
    /* The next payload for the LOG stream, at most bytes_max (up to 64 KiB), into 'at'; how many bytes, 0:
     * nothing that fits.  It may not call the dialer. */
    size_t (*log_pull)(void *ctx, uint8_t *at, size_t bytes_max);
    void (*busy)(void *ctx,
                 bool is_on); /* what waits to be sent is much, is little again; may be NULL */
};

struct agent_dialer_config {
    const char *hub; /* "host:port" of the tunnel listener; NULL: as enrolment learnt it */
    const char
        *server_name; /* for SNI and the check of its certificate; NULL: FL_TLS_SERVER_NAME */
    const char *state_dir;
    const char *proxy;    /* "http://[user:password@]host:port"; NULL or empty: direct */
    const char *no_proxy; /* as no_proxy in the environment; NULL: none */
    uint64_t seed;        /* of the back-off: each agent its own */
};

/* Dials at once.  NULL: there is no identity in the state directory, or it is damaged (FL_ABSENT, FL_TORN); hub or
 * proxy make no sense (FL_INVALID). */
struct agent_dialer *agent_dialer_create(struct fl_loop *loop,
                                         const struct agent_dialer_config *config,
                                         const struct agent_dialer_ports *ports,
                                         struct fl_err *err);
void agent_dialer_destroy(struct agent_dialer *dialer); /* tells nothing; NULL is fine */

/* replica, node, inventory_*: must pass fl_msg_check. */
void agent_dialer_put(struct agent_dialer *dialer, const struct fl_msg *msg);

/* So many bytes of log wait, all in all (an estimate will do; 0: none). */
void agent_dialer_log_wants(struct agent_dialer *dialer, uint64_t bytes);

bool agent_dialer_is_up(const struct agent_dialer *dialer);

struct agent_dialer_status {
    bool is_up;
    uint64_t dials, sessions, renewals;
    fl_ms expires_at; /* of the certificate in use */
    char why[256];    /* the last connection ended, or could not be made */
};

struct agent_dialer_status agent_dialer_status(const struct agent_dialer *dialer);
