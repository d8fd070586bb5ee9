/* agent.h - joins tunnel, engine and log feed over one runtime.
 * Messages of the tunnel become events of the engine, frames of the engine go to the tunnel, and
 * the log feed moves output from the runtime to the tunnel.
 * One thread: the loop's. */
#pragma once

#include "agent/runtime.h"
#include "agent/tunnel/identity_store.h"
#include "shared/io/loop.h"

struct fl_notify;
struct agent; /* opaque */

struct agent_setup {
    const char *hub, *server_name, *proxy, *no_proxy; /* as in tunnel/dialer.h */
    const char *cluster_uid;
    struct identity_store store;
    struct fl_notify *notify; /* hears whether the tunnel is up */
    void *ctx;
    void (*refused)(void *ctx, const char *why); /* as in tunnel/dialer.h */
};

/* Begins the runtime and dials the tunnel.  Borrows all arguments.  False: as
 * agent_dialer_create. */
FL_CHECK bool agent_create(struct fl_loop *loop, const struct agent_setup *config,
                           struct runtime runtime, struct agent **ret_agent, struct fl_err *err);
/* There is another identity in the store. */
FL_CHECK bool agent_reload_identity(struct agent *agent, struct fl_err *err);
void agent_destroy(struct agent *agent); /* leaves all replicas running; NULL is fine */
