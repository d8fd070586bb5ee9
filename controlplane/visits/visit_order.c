#include "controlplane/visits/visit_order.h"

#include "shared/base/alloc.h"

struct visit_order *visit_order_create(void)
{
    struct visit_order *order = fl_new(struct visit_order);

    order->taken.socket.fd = -1;
    fl_buf_init(&order->open, FL_VISIT_HEADER_BYTES + FL_VISIT_BYTES_MAX);
    return order;
}

void visit_order_destroy(struct visit_order *order)
{
    if (!order) return;
    http_socket_fini(&order->taken.socket);
    fl_buf_fini(&order->taken.input);
    fl_buf_fini(&order->open);
    fl_free(order);
}
