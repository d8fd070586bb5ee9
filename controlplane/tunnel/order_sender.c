#include "controlplane/tunnel/order_sender.h"

#include <string.h>

#include "shared/base/assert.h"

enum { PARAMS_BYTES_MAX = 32768 };

void order_sender_init(struct order_sender *sender, const struct tunnel_server_ports *ports,
                       struct tunnel_server_stats *stats, struct fl_mux *mux,
                       struct fl_streams *streams)
{
    *sender = (struct order_sender){.ports = ports, .stats = stats, .mux = mux, .streams = streams};
}

void order_sender_fini(struct order_sender *sender)
{
    outgoing_orders_clear(&sender->orders);
    fl_blobs_destroy(sender->blobs);
}

void order_sender_clear(struct order_sender *sender)
{
    outgoing_orders_clear(&sender->orders);
    sender->document = (struct order_document){0};
}

void order_sender_begin(struct order_sender *sender, struct fl_stream_peer peer)
{
    struct fl_stream *half_sent = sender->document.is_going ? sender->stream : NULL;

    sender->peer = peer;
    order_sender_clear(sender);
    if (!half_sent) return;
    sender->stream = NULL; /* half of a document went out, so this stream cannot go on */
    fl_stream_close(half_sent, FL_CONFLICT, FL_STR("a new term"));
}

/* ---- the stream of documents ----------------------------------------------------------------- */

static bool on_open(void *ctx, struct fl_stream *stream, struct fl_err *err)
{
    (void)ctx;
    (void)stream;
    return fl_fail(err, FL_UNSUPPORTED, "an agent has no documents to send");
}

static bool on_data(void *ctx, struct fl_stream *stream, struct fl_str bytes, struct fl_err *err)
{
    (void)ctx;
    (void)stream;
    (void)bytes;
    return fl_fail(err, FL_INVALID, "an agent answers on the stream of documents");
}

static size_t on_pull(void *ctx, struct fl_stream *stream, uint8_t *at, size_t bytes_max)
{
    struct order_sender *sender = ctx;
    struct order_document *document = &sender->document;
    size_t len = 0;

    (void)stream;
    while (len < bytes_max && document->pos < document->len) {
        bool is_header = document->pos < FL_BLOB_HEADER_BYTES;
        const void *from = is_header ? (const void *)(document->header + document->pos)
                                     : document->bytes + (document->pos - FL_BLOB_HEADER_BYTES);
        size_t part = (is_header ? FL_BLOB_HEADER_BYTES : document->len) - document->pos;

        if (part > bytes_max - len) part = bytes_max - len;
        memcpy(at + len, from, part);
        document->pos += part;
        len += part;
    }
    return len;
}

static void on_close(void *ctx, struct fl_stream *stream, enum fl_code code, struct fl_str text)
{
    struct order_sender *sender = ctx;
    struct fl_err err = {0};

    if (sender->stream != stream) return; /* this end has closed it */
    sender->stream = NULL;
    fl_fail(&err, FL_CONFLICT, "the agent closed the stream of documents (%s): " FL_STR_FMT,
            fl_code_name(code), FL_STR_ARG(text));
    fl_streams_fail(sender->streams, &err);
}

struct fl_stream_kind order_sender_kind(struct order_sender *sender)
{
    return (struct fl_stream_kind){
        .type = FL_FRAME_BLOB,
        .streams_max = 1,
        .ctx = sender,
        .open = on_open,
        .data = on_data,
        .pull = on_pull,
        .close = on_close,
    };
}

/* ---- sending orders that are ready ----------------------------------------------------------- */

static bool has_document(const struct order_sender *sender, struct fl_digest digest)
{
    return sender->blobs && fl_blobs_find(sender->blobs, digest, NULL);
}

static uint64_t next_ticket(struct order_sender *sender)
{
    return sender->peer.connection << 32 | ++sender->tickets;
}

uint64_t order_sender_connection(uint64_t ticket)
{
    return ticket >> 32;
}

static void put(struct order_sender *sender, const struct fl_msg *msg)
{
    sender->stats->messages_out++;
    fl_mux_put(sender->mux, msg);
}

static bool find_spec(struct order_sender *sender, uint64_t ticket, struct fl_attempt attempt,
                      struct tunnel_spec *ret_spec)
{
    const struct tunnel_server_ports *ports = sender->ports;

    return ports->spec(ports->ctx, ticket, sender->peer.cluster, attempt, ret_spec);
}

static void ask_again(struct order_sender *sender, struct outgoing_order *order, fl_ms now)
{
    struct tunnel_spec spec = {0};
    uint64_t ticket = next_ticket(sender);

    outgoing_orders_ask_again(&sender->orders, order, ticket);
    if (find_spec(sender, ticket, order->msg.start.attempt, &spec)) {
        (void)order_sender_spec(sender, ticket, &spec, now);
    }
}

/* Begins to send the first order's document.  False: the tunnel has no room for a stream. */
static bool begin_document(struct order_sender *sender, struct outgoing_order *order, fl_ms now)
{
    struct fl_err err = {0};

    if (!sender->stream &&
        !fl_streams_open(sender->streams, FL_FRAME_BLOB, now, &sender->stream, &err)) {
        return false;
    }
    sender->document = (struct order_document){.digest = order->msg.start.spec,
                                               .bytes = order->document,
                                               .len = FL_BLOB_HEADER_BYTES + order->document_bytes,
                                               .is_going = true};
    fl_blob_header(sender->document.digest, (uint32_t)order->document_bytes,
                   sender->document.header);
    fl_stream_wants(sender->stream, sender->document.len);
    sender->stats->specs_sent++;
    return true;
}

static void end_document(struct order_sender *sender, const struct outgoing_order *order)
{
    if (!sender->blobs) sender->blobs = fl_blobs_create(false);
    fl_blobs_add(sender->blobs, sender->document.digest,
                 (struct fl_str){order->document, order->document_bytes});
    sender->document = (struct order_document){0};
}

static void drain(struct order_sender *sender, fl_ms now)
{
    struct outgoing_order *order;

    while ((order = sender->orders.first)) {
        if (order->state == OUTGOING_WAITS) return;
        if (order->state == OUTGOING_TO_SEND && !has_document(sender, order->msg.start.spec)) {
            if (!sender->document.is_going && order->document) {
                if (!begin_document(sender, order, now)) return;
            } else if (!sender->document.is_going) {
                ask_again(sender, order, now);
                return;
            }
            if (sender->document.pos < sender->document.len) return;
            end_document(sender, order);
        }
        put(sender, &order->msg);
        outgoing_orders_pop(&sender->orders);
    }
}

void order_sender_wrote(struct order_sender *sender, fl_ms now)
{
    struct order_document *document = &sender->document;

    if (document->is_going && document->pos == document->len) drain(sender, now);
}

/* ---- orders and their documents -------------------------------------------------------------- */

static void give_up(struct order_sender *sender, const char *text)
{
    struct fl_err err = {0};

    fl_fail(&err, FL_FULL, "%s", text);
    fl_streams_fail(sender->streams, &err);
}

bool order_sender_spec(struct order_sender *sender, uint64_t ticket, const struct tunnel_spec *spec,
                       fl_ms now)
{
    struct outgoing_order *order = outgoing_orders_find(&sender->orders, ticket);

    if (!order) return false;
    if (!spec || spec->document.len > FL_BLOB_BYTES_MAX || spec->params.len > PARAMS_BYTES_MAX) {
        order->state = OUTGOING_READY; /* the agent lacks the document and refuses the START */
    } else {
        outgoing_orders_fill(&sender->orders, order, spec, has_document(sender, spec->digest));
    }
    if (sender->orders.document_bytes > ORDER_SENDER_DOCUMENT_BYTES_MAX) {
        give_up(sender, "too many job documents wait to be sent");
    } else {
        drain(sender, now);
    }
    return true;
}

static void send_start(struct order_sender *sender, const struct fl_msg *msg, fl_ms now)
{
    uint64_t ticket = next_ticket(sender);
    struct tunnel_spec spec = {0};
    struct fl_msg ready = *msg;
    bool is_found = find_spec(sender, ticket, msg->start.attempt, &spec);

    if (is_found && sender->orders.len == 0 && has_document(sender, spec.digest) &&
        spec.params.len <= PARAMS_BYTES_MAX) {
        ready.start.spec = spec.digest; /* no order waits, so this one goes out without a copy */
        ready.start.params = spec.params;
        put(sender, &ready);
        return;
    }
    outgoing_orders_push_start(&sender->orders, msg, ticket);
    if (is_found) (void)order_sender_spec(sender, ticket, &spec, now);
}

void order_sender_send(struct order_sender *sender, const struct fl_msg *msg, fl_ms now)
{
    if (sender->orders.len == ORDER_SENDER_ORDERS_MAX) {
        give_up(sender, "too many orders wait to be sent to the agent");
    } else if (msg->kind == FL_MSG_start) {
        send_start(sender, msg, now);
    } else if (sender->orders.len) {
        outgoing_orders_push(&sender->orders, msg);
    } else {
        put(sender, msg);
    }
}
