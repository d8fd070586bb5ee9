/* renewal.h - keeps the agent's identity fresh: when half of the certificate's life is over, it
 * asks for the next one on the tunnel, stores it, and uses it.
 * Not thread-safe: its loop's thread calls it, and from there it calls the port. */
#pragma once

#include "agent/tunnel/identity.h"
#include "shared/wire/message.h"

struct fl_loop;
struct agent_renewal; /* opaque */

struct agent_renewal_port {
    void *ctx;
    bool (*is_up)(void *ctx);                           /* the tunnel takes messages */
    void (*put)(void *ctx, const struct fl_msg *renew); /* RENEW; borrowed */
    void (*renewed)(void *ctx);                         /* agent_renewal_identity is the new one */
};

/* False: as agent_identity_load. */
FL_CHECK bool agent_renewal_create(struct fl_loop *loop, struct identity_store store,
                                   const struct agent_renewal_port *port,
                                   struct agent_renewal **ret_renewal, struct fl_err *err);
void agent_renewal_destroy(struct agent_renewal *renewal); /* NULL is fine */

/* Valid until the next 'renewed'. */
const struct agent_identity *agent_renewal_identity(const struct agent_renewal *renewal);

void agent_renewal_answer(struct agent_renewal *renewal, const struct fl_msg_renewed *renewed);
/* The control plane refused the certificate: ask for the next one as soon as the tunnel is up. */
void agent_renewal_hurry(struct agent_renewal *renewal);
/* The identity was stored anew by an enrolment. */
FL_CHECK bool agent_renewal_reload(struct agent_renewal *renewal, struct fl_err *err);
void agent_renewal_closed(struct agent_renewal *renewal); /* the tunnel ended: expect no answer */
uint64_t agent_renewal_count(const struct agent_renewal *renewal); /* certificates received */
