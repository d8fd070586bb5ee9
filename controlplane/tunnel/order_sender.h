/* order_sender.h - sends one agent the core's orders (START, GO, STOP, ACK), in the core's
 * order.  A START needs its job document, which may have to be fetched first
 * (tunnel_server_ports.spec) and which travels on a BLOB stream before the START that needs it,
 * once per connection and digest; later orders wait behind it.
 *
 * - At most ORDER_SENDER_ORDERS_MAX orders and ORDER_SENDER_DOCUMENT_BYTES_MAX of documents wait;
 *   more end the tunnel (fl_streams_fail): the agent dials again, and the core repeats its orders.
 * - The tunnel also ends when the agent closes the stream of documents.
 * Not thread-safe: its session owns it. */
#pragma once

#include "controlplane/tunnel/outgoing_orders.h"
#include "shared/link/blob.h"
#include "shared/link/streams.h"

enum {
    ORDER_SENDER_ORDERS_MAX = 16384,
    ORDER_SENDER_DOCUMENT_BYTES_MAX = 32 << 20,
};

/* The document that is being sent. */
struct order_document {
    uint8_t header[FL_BLOB_HEADER_BYTES];
    struct fl_digest digest;
    const char *bytes; /* the first order's */
    size_t len, pos;   /* with the header */
    bool is_going;
};

struct order_sender {
    const struct tunnel_server_ports *ports;
    struct tunnel_server_stats *stats;
    struct fl_mux *mux;
    struct fl_streams *streams;
    struct fl_stream_peer peer;
    struct outgoing_orders orders;
    uint32_t tickets;       /* the newest ticket */
    struct fl_blobs *blobs; /* documents that the agent has; NULL until the first is sent */
    struct order_document document;
    struct fl_stream *stream; /* carries documents; NULL: not open */
};

/* Borrows all arguments.  'streams' must have the row of order_sender_kind. */
void order_sender_init(struct order_sender *sender, const struct tunnel_server_ports *ports,
                       struct tunnel_server_stats *stats, struct fl_mux *mux,
                       struct fl_streams *streams);
void order_sender_fini(struct order_sender *sender);
struct fl_stream_kind order_sender_kind(struct order_sender *sender);

/* A new term: drops the orders of the term before.  'peer' is the other end from now on. */
void order_sender_begin(struct order_sender *sender, struct fl_stream_peer peer);
void order_sender_clear(struct order_sender *sender); /* drops all orders */

/* 'msg' is borrowed for the call. */
void order_sender_send(struct order_sender *sender, const struct fl_msg *msg, fl_ms now);

/* Brings the document for this ticket; at NULL there is none, and the agent will refuse the START.
 * False: no order waits for this ticket. */
bool order_sender_spec(struct order_sender *sender, uint64_t ticket, const struct tunnel_spec *spec,
                       fl_ms now);

/* Call it after each write to the socket: when a document has gone out, its START follows. */
void order_sender_wrote(struct order_sender *sender, fl_ms now);

/* The connection that a ticket belongs to: the lower 32 bits of its number. */
uint64_t order_sender_connection(uint64_t ticket);
