#include "controlplane/tunnel/outgoing_orders.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

static struct outgoing_order *push(struct outgoing_orders *queue, const struct fl_msg *msg)
{
    struct outgoing_order *order = fl_new(struct outgoing_order);

    order->msg = *msg;
    if (queue->last) {
        queue->last->next = order;
    } else {
        queue->first = order;
    }
    queue->last = order;
    queue->len++;
    return order;
}

void outgoing_orders_push(struct outgoing_orders *queue, const struct fl_msg *msg)
{
    push(queue, msg);
}

struct outgoing_order *outgoing_orders_push_start(struct outgoing_orders *queue,
                                                  const struct fl_msg *msg, uint64_t ticket)
{
    struct outgoing_order *order = push(queue, msg);
    struct fl_u32s *nodes = &order->msg.start.nodes;
    uint32_t *copy = fl_new_array(uint32_t, nodes->len);

    for (size_t i = 0; i < nodes->len; i++) {
        copy[i] = nodes->at[i];
    }
    order->owned[0] = copy;
    nodes->at = copy;
    order->msg.start.params = (struct fl_str){0};
    order->state = OUTGOING_WAITS;
    order->ticket = ticket;
    return order;
}

void outgoing_orders_fill(struct outgoing_orders *queue, struct outgoing_order *order,
                          const struct tunnel_spec *spec, bool has_blob)
{
    struct fl_msg_start *start = &order->msg.start;

    fl_assert(order->state == OUTGOING_WAITS);
    start->spec = spec->digest;
    order->owned[1] = fl_str_dup(spec->params);
    start->params = (struct fl_str){order->owned[1], spec->params.len};
    order->state = has_blob ? OUTGOING_READY : OUTGOING_TO_SEND;
    if (has_blob) return;
    /* STARTs of one spec often come together; only the first one brings the document. */
    if (queue->newest && queue->newest->ticket < order->ticket &&
        memcmp(&queue->newest->msg.start.spec, &spec->digest, sizeof spec->digest) == 0) {
        return;
    }
    order->document = fl_str_dup(spec->document);
    order->document_bytes = spec->document.len;
    queue->document_bytes += spec->document.len;
    queue->newest = order;
}

void outgoing_orders_ask_again(struct outgoing_orders *queue, struct outgoing_order *order,
                               uint64_t ticket)
{
    fl_free(order->owned[1]);
    order->owned[1] = NULL;
    queue->newest = NULL; /* it stands behind this order, so it cannot bring the document */
    order->msg.start.params = (struct fl_str){0};
    order->state = OUTGOING_WAITS;
    order->ticket = ticket;
}

struct outgoing_order *outgoing_orders_find(const struct outgoing_orders *queue, uint64_t ticket)
{
    for (struct outgoing_order *o = queue->first; o; o = o->next) {
        if (o->state == OUTGOING_WAITS && o->ticket == ticket) return o;
    }
    return NULL;
}

void outgoing_orders_pop(struct outgoing_orders *queue)
{
    struct outgoing_order *order = queue->first;

    fl_assert(order);
    queue->first = order->next;
    if (!queue->first) queue->last = NULL;
    if (queue->newest == order) queue->newest = NULL;
    queue->len--;
    queue->document_bytes -= order->document_bytes;
    fl_free(order->owned[0]);
    fl_free(order->owned[1]);
    fl_free(order->document);
    fl_free(order);
}

void outgoing_orders_clear(struct outgoing_orders *queue)
{
    while (queue->first) {
        outgoing_orders_pop(queue);
    }
}
