/* outgoing_orders.h - a queue of the core's orders to one agent, in the core's order.
 * A START may wait for its document.  GO, STOP and ACK behind it wait too: the agent gets all
 * orders in the order in which the core decided them.  Bounded by its owner (session.c).  Not
 * thread-safe. */
#pragma once

#include "controlplane/tunnel/server.h"
#include "shared/wire/message.h"

enum outgoing_state {
    OUTGOING_READY,   /* may go; the agent has a START's document, or will get none */
    OUTGOING_WAITS,   /* waits for tunnel_server_spec */
    OUTGOING_TO_SEND, /* its document must go first */
};

struct outgoing_order {
    struct outgoing_order *next;
    enum outgoing_state state;
    uint64_t ticket;   /* a START's */
    struct fl_msg msg; /* its lists and strings are this order's own */
    char *document;    /* NULL: it has none, or an order before it brings the same */
    size_t document_bytes;
    void *owned[2];
};

struct outgoing_orders {
    struct outgoing_order *first, *last;
    struct outgoing_order *newest; /* the last one that got a document; NULL once it is gone */
    size_t len;
    size_t document_bytes;
};

/* GO, STOP, ACK and others that borrow nothing. */
void outgoing_orders_push(struct outgoing_orders *queue, const struct fl_msg *msg);

/* A START that waits for its document: copies the nodes. */
struct outgoing_order *outgoing_orders_push_start(struct outgoing_orders *queue,
                                                  const struct fl_msg *msg, uint64_t ticket);

/* The order's document came.  has_blob: the agent has it already. */
void outgoing_orders_fill(struct outgoing_orders *queue, struct outgoing_order *order,
                          const struct tunnel_spec *spec, bool has_blob);

/* The order relied on the document of an earlier one, which the agent has forgotten since: it waits
 * for its document anew, under this ticket. */
void outgoing_orders_ask_again(struct outgoing_orders *queue, struct outgoing_order *order,
                               uint64_t ticket);

struct outgoing_order *outgoing_orders_find(const struct outgoing_orders *queue,
                                            uint64_t ticket); /* NULL: none */
void outgoing_orders_pop(struct outgoing_orders *queue);      /* removes the first; it must exist */
void outgoing_orders_clear(struct outgoing_orders *queue);
