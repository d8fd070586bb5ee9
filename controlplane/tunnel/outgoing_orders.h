/* outgoing_orders.h - what the core wants an agent told, in its order, while documents are fetched.
 * A queue of messages of which a START may wait for its document.  GO, STOP and ACK behind it wait
 * too: the agent hears everything in the order in which the core decided it.
 * Bounded by its owner (session.c).  Not thread-safe. */
#pragma once

#include "controlplane/tunnel/server.h"
#include "shared/wire/message.h"

enum outgoing_state {
    OUTGOING_READY,   /* may go; a START: without its document, or the agent has it */
    OUTGOING_WAITS,   /* for tunnel_server_spec */
    OUTGOING_TO_SEND, /* its document goes first */
};

struct outgoing_order {
    struct outgoing_order *next;
    enum outgoing_state state;
    uint64_t ticket;   /* of a START */
    struct fl_msg msg; /* its lists and strings are this order's own */
    char *document;    /* NULL: none, or the order before it brings the same */
    size_t document_bytes;
    void *owned[2];
};

struct outgoing_orders {
    struct outgoing_order *first, *last;
    struct outgoing_order *newest; /* the last one that got a document; NULL once it is gone */
    size_t len;
    size_t document_bytes;
};

/* GO, STOP, ACK and the like: nothing in them is borrowed. */
void outgoing_orders_push(struct outgoing_orders *queue, const struct fl_msg *msg);

/* A START that waits for its document: copies the nodes. */
struct outgoing_order *outgoing_orders_push_start(struct outgoing_orders *queue,
                                                  const struct fl_msg *msg, uint64_t ticket);

/* Its document came.  has_blob: the agent has it already. */
void outgoing_orders_fill(struct outgoing_orders *queue, struct outgoing_order *order,
                          const struct tunnel_spec *spec, bool has_blob);

/* It counted on an order before it, whose document the agent has forgotten since. */
void outgoing_orders_ask_again(struct outgoing_orders *queue, struct outgoing_order *order,
                               uint64_t ticket);

struct outgoing_order *outgoing_orders_find(const struct outgoing_orders *queue,
                                            uint64_t ticket); /* NULL: none */
void outgoing_orders_pop(struct outgoing_orders *queue);      /* the first one; it is there */
void outgoing_orders_clear(struct outgoing_orders *queue);
