/* order_sender.h - sends one agent the core's orders (START, GO, STOP, ACK), in the core's
 * order.  A START needs its job document, which may have to be fetched first
 * (tunnel_server_ports.spec) and which travels on a BLOB stream before the START that needs it,
 * once per connection and digest; later orders wait behind it.
 *
 * - At most ORDER_SENDER_ORDERS_MAX orders and ORDER_SENDER_DOCUMENT_BYTES_MAX of documents wait,
 *   else the tunnel ends (fl_streams_fail): the agent comes back and the core says it all again.
 * - So it does when the agent closes the stream of documents.
 * Not thread-safe: its session owns it. */
#pragma once

#include "controlplane/tunnel/outgoing_orders.h"
#include "shared/link/blob.h"
#include "shared/link/streams.h"

enum {
    ORDER_SENDER_ORDERS_MAX = 16384,
    ORDER_SENDER_DOCUMENT_BYTES_MAX = 32 << 20,
};

/* A document on its way. */
struct order_document {
    uint8_t header[FL_BLOB_HEADER_BYTES];
    struct fl_digest digest;
    const char *bytes; /* held by the first order */
    size_t len, pos;   /* header included */
    bool is_going;
};

struct order_sender {
    const struct tunnel_server_ports *ports;
    struct tunnel_server_stats *stats;
    struct fl_mux *mux;
    struct fl_streams *streams;
    struct fl_stream_peer peer;
    struct outgoing_orders orders;
    uint32_t tickets;       /* the newest */
    struct fl_blobs *blobs; /* documents that the agent has; NULL until the first is sent */
    struct order_document document;
    struct fl_stream *stream; /* on which documents travel; NULL: none yet */
};

/* All is borrowed.  The row of the BLOB streams is for 'streams' to have. */
void order_sender_init(struct order_sender *sender, const struct tunnel_server_ports *ports,
                       struct tunnel_server_stats *stats, struct fl_mux *mux,
                       struct fl_streams *streams);
void order_sender_fini(struct order_sender *sender);
struct fl_stream_kind order_sender_kind(struct order_sender *sender);

/* A new term: orders of the term before are dropped.  'peer' is the other end from now on. */
void order_sender_begin(struct order_sender *sender, struct fl_stream_peer peer);
void order_sender_clear(struct order_sender *sender); /* nothing waits any more */

/* 'msg' is borrowed for the call. */
void order_sender_send(struct order_sender *sender, const struct fl_msg *msg, fl_ms now);

/* The document that was asked for with this ticket, or NULL: it cannot be had, and the agent
 * refuses its START.  False: none waits for it. */
bool order_sender_spec(struct order_sender *sender, uint64_t ticket, const struct tunnel_spec *spec,
                       fl_ms now);

/* Something was written to the socket: behind a document its START may go. */
void order_sender_wrote(struct order_sender *sender, fl_ms now);

/* The connection that asked for a document, by the lower 32 bits of its number. */
uint64_t order_sender_connection(uint64_t ticket);
