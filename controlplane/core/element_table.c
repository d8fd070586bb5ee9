#include "controlplane/core/element_table.h"

#include <string.h>

#include "shared/base/alloc.h"

void element_table_init(struct element_table *table, uint32_t elements_max)
{
    fl_slab_init(&table->elements, sizeof(struct element), elements_max);
}

void element_table_fini(struct element_table *table)
{
    for (struct element_slot slot = {1}; slot.n <= table->elements.used; slot.n++) {
        if (fl_slab_is_taken(&table->elements, slot.n)) {
            fl_free(element_table_at(table, slot)->many);
        }
    }
    fl_slab_fini(&table->elements);
}

struct element_slot element_table_add(struct element_table *table)
{
    return (struct element_slot){fl_slab_take(&table->elements)};
}

void element_table_remove(struct element_table *table, struct element_slot slot)
{
    fl_free(element_table_at(table, slot)->many);
    fl_slab_give(&table->elements, slot.n);
}

void element_begin_session(struct element *element, uint64_t session)
{
    element->session = session;
    element->start_seq = 0;
    element->unmarked_prev = element->unmarked_next = (struct element_slot){0};
    element->reply_prev = element->reply_next = (struct element_slot){0};
    element->reply_due = ELEMENT_REPLY_nothing;
    element->is_go_sent = element->is_stop_sent = false;
    element->is_seen = element->is_judged = element->is_resend = false;
    for (uint32_t i = 0; i < element->replicas_len; i++) {
        element_replica(element, i)->is_seen = false;
    }
}

void element_set_replicas(struct element *element, uint32_t replicas_len)
{
    fl_assert(replicas_len > 0);
    fl_free(element->many);
    element->many = replicas_len > 1 ? fl_new_array(struct element_replica, replicas_len) : NULL;
    element->one = (struct element_replica){0};
    element->replicas_len = replicas_len;
    for (uint32_t i = 0; i < replicas_len; i++) {
        element_replica(element, i)->node = ELEMENT_NODE_NONE;
    }
}
