/* translate.h - translates between the core's sends and events and the messages of a tunnel.
 * Out: a core_send becomes the message for the agent.  In: messages of an agent become core events;
 * runs of inventory items or nodes become one event.  Cluster and session come from the connection,
 * never from a message.
 * Pure.  Uses the core's event and command types, shared/wire and shared/base. */
#pragma once

#include "controlplane/core/core_command.h"
#include "controlplane/core/core_event.h"
#include "shared/wire/message.h"

/* The capability, in HELLO's list (a JSON array of strings), of a runtime that has images. */
#define TRANSLATE_CAPABILITY_IMAGES "images"

/* Settings of the tunnel that the core does not know. */
struct translate_config {
    uint32_t stop_grace_ms;
    uint32_t ping_ms, dead_ms;
    uint32_t stream_credit_bytes, tunnel_credit_bytes;
    uint32_t retry_after_ms;    /* in a BYE; 0: the agent's own choice */
    struct fl_str capabilities; /* this side's, in WELCOME */
};

/* *ret_msg borrows from 'send' and 'config'.  'protocol' (for WELCOME) is the newest version that
 * both ends know, 'spec' (for START) the digest of its spec. */
void translate_send(const struct core_send *send, const struct translate_config *config,
                    uint16_t protocol, struct fl_digest spec, struct fl_msg *ret_msg);

/* Where messages come from, as far as events say it. */
struct translate_origin {
    struct fl_cluster cluster; /* by its certificate */
    uint64_t generation;       /* its certificate's; 0: it has none */
    uint64_t connection;
    uint64_t session_epoch; /* WELCOME's or RESYNC's; 0: neither was sent yet */
    uint64_t heard_epoch;   /* the newest inventory_begin's: the agent's messages belong to it */
    bool is_resync;         /* for HELLO: the connection outlived a core */
    struct core_seen seen;  /* for HELLO: the seal that it gave back, if it is the hub's */
    uint64_t age_ms;        /* for HELLO: how long the connection has been there */
    uint64_t expired_ms;    /* for HELLO: how long its certificate had expired when it was made */
};

/* Makes the next event out of messages[*pos..] and moves *pos behind them; the caller loops until
 * *pos == len.  After a RESYNC, reports may still come before inventory_begin: they reach the core
 * under the old epoch, and it ignores them.  The event's strings and lists are copies in the arena.
 * 'now' and 'request' stay 0.  False: the agent broke a rule (an item before WELCOME, a number out
 * of range, a message that is not for the core); close the tunnel, 'err' says why. */
FL_CHECK bool translate_next(struct translate_origin *origin, const struct fl_msg *messages,
                             size_t len, size_t *pos, struct fl_arena *arena,
                             struct core_event *ret_event, struct fl_err *err);
