/* translate.h - between what the core says and what stands in a frame.
 * Out: a core_send becomes the message for the agent.  In: messages of an agent become core_events,
 * those that come in numbers (inventory items, nodes) gathered into few; which cluster speaks, and
 * in which session, is what the tunnel knows of the connection and never what the message says.
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
    struct fl_str capabilities; /* of this side, in WELCOME */
};

/* *ret_msg borrows from 'send' and 'config'.  'protocol' is what HELLO and this build have in
 * common, 'spec' the digest of a START's spec; each is read for its kind only. */
void translate_send(const struct core_send *send, const struct translate_config *config,
                    uint16_t protocol, struct fl_digest spec, struct fl_msg *ret_msg);

/* The other end of a connection. */
struct translate_peer {
    struct fl_cluster cluster; /* by its certificate */
    uint64_t generation;       /* in its certificate; 0: it has none */
    uint64_t connection;
    uint64_t session_epoch; /* of WELCOME or RESYNC; 0: neither was sent yet */
    uint64_t heard_epoch;   /* of the newest inventory_begin: what the agent says belongs to it */
    bool is_resync;         /* for HELLO: the connection outlived a core */
    uint64_t age_ms;        /* for HELLO: how long the connection has been there */
};

/* Makes the next event out of messages[*pos..] and moves *pos behind what went into it; the caller
 * loops until *pos == len.  Reports before inventory_begin reach the core under the old epoch,
 * which it ignores: after a RESYNC some may still come.  The event's strings and lists are copies
 * in the arena.  'now' and 'request' stay 0.  False: the agent broke a rule (an item before
 * WELCOME, a number out of range, a message that is not the core's to hear); the tunnel is to be
 * closed, 'err' says why. */
FL_CHECK bool translate_next(struct translate_peer *peer, const struct fl_msg *messages, size_t len,
                             size_t *pos, struct fl_arena *arena, struct core_event *ret_event,
                             struct fl_err *err);
