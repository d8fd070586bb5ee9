/* order.h - what the core wants an agent told, in its order, while documents are fetched.
 * A queue of messages of which a START may wait for its document.  GO, STOP and ACK behind it wait too: the
 * agent hears everything in the order in which the core decided it.
 * Bounded by its owner (session.c).  Not thread-safe. */
#pragma once

#include "controlplane/tunnel/server.h"
#include "shared/wire/message.h"

enum order_state {
    ORDER_READY,   /* may go; a START: without its document, or the agent has it */
    ORDER_WAITS,   /* for tunnel_server_spec */
    ORDER_TO_SEND, /* its document goes first */
};

struct order {
    struct order *next;
    enum order_state state;
    uint64_t ticket;   /* of a START */
    struct fl_msg msg; /* its lists and strings are this order's own */
    char *document;    /* NULL: none, or the order before it brings the same */
    size_t document_bytes;
    void *owned[2];
};

struct order_queue {
    struct order *first, *last;
    struct order *newest; /* the last one that got a document; NULL once it is gone */
    size_t len;
    size_t document_bytes;
};

/* GO, STOP, ACK and the like: nothing in them is borrowed. */
void order_push(struct order_queue *queue, const struct fl_msg *msg);

/* A START that waits for its document: copies the nodes. */
struct order *order_push_start(struct order_queue *queue, const struct fl_msg *msg,
                               uint64_t ticket);

/* Its document came.  has_blob: the agent has it already. */
void order_fill(struct order_queue *queue, struct order *order, const struct tunnel_spec *spec,
                bool has_blob);

/* It counted on an order before it, whose document the agent has forgotten since. */
void order_ask_again(struct order_queue *queue, struct order *order, uint64_t ticket);

struct order *order_find(const struct order_queue *queue, uint64_t ticket); /* NULL: none */
void order_pop(struct order_queue *queue); /* the first one; it is there */
void order_clear(struct order_queue *queue);
