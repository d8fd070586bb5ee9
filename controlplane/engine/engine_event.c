#include "controlplane/engine/engine_event.h"

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

struct engine_event *engine_event_create(void)
{
    return fl_new(struct engine_event);
}

void engine_event_destroy(struct engine_event *event)
{
    if (!event) return;
    fl_arena_fini(&event->arena);
    fl_free(event);
}

size_t engine_event_bytes(const struct engine_event *event)
{
    return sizeof *event + fl_arena_bytes(&event->arena);
}

size_t engine_event_work(const struct engine_event *event)
{
    size_t items = 1;

    switch (event->event.kind) {
    case CORE_EV_submit:
        items = event->event.submit.len;
        break;
    case CORE_EV_inventory:
        items = event->event.inventory.len;
        break;
    case CORE_EV_nodes:
        items = event->event.nodes.len;
        break;
    case CORE_EV_list_jobs:
        items = event->event.list_jobs.len_max;
        break;
    case CORE_EV_list_clusters:
    case CORE_EV_list_queues:
        items = event->event.list.len_max;
        break;
    case CORE_EV_list_nodes:
        items = event->event.list_nodes.len_max;
        break;
    default:
        break;
    }
    return items > 0 ? items : 1;
}

struct fl_cluster engine_event_cluster(const struct engine_event *event)
{
    switch (event->event.kind) {
    case CORE_EV_session_open:
        return event->event.session_open.cluster;
    case CORE_EV_session_lost:
        return event->event.session_lost.cluster;
    case CORE_EV_inventory:
        return event->event.inventory.cluster;
    case CORE_EV_replica:
        return event->event.replica.cluster;
    case CORE_EV_nodes:
        return event->event.nodes.cluster;
    default:
        return (struct fl_cluster){0};
    }
}

bool engine_event_is_read(const struct engine_event *event)
{
    switch (event->event.kind) {
    case CORE_EV_submit:
        return event->event.submit.is_dry;
    case CORE_EV_read_job:
    case CORE_EV_list_jobs:
    case CORE_EV_list_clusters:
    case CORE_EV_list_nodes:
    case CORE_EV_list_queues:
    case CORE_EV_explain:
        return true;
    default:
        return false;
    }
}

void engine_event_list_push(struct engine_event_list *list, struct engine_event *event)
{
    fl_assert(!event->next);
    if (list->last) {
        list->last->next = event;
    } else {
        list->first = event;
    }
    list->last = event;
    list->len++;
    list->bytes += event->bytes;
}

void engine_event_list_push_front(struct engine_event_list *list, struct engine_event *event)
{
    fl_assert(!event->next);
    event->next = list->first;
    list->first = event;
    if (!list->last) list->last = event;
    list->len++;
    list->bytes += event->bytes;
}

static struct engine_event *unlink_next(struct engine_event_list *list, struct engine_event *before)
{
    struct engine_event *event = before ? before->next : list->first;

    if (before) {
        before->next = event->next;
    } else {
        list->first = event->next;
    }
    if (list->last == event) list->last = before;
    event->next = NULL;
    list->len--;
    list->bytes -= event->bytes;
    return event;
}

struct engine_event *engine_event_list_pop(struct engine_event_list *list)
{
    return list->first ? unlink_next(list, NULL) : NULL;
}

void engine_event_list_join(struct engine_event_list *list, struct engine_event_list *more)
{
    if (!more->first) return;
    if (list->last) {
        list->last->next = more->first;
    } else {
        list->first = more->first;
    }
    list->last = more->last;
    list->len += more->len;
    list->bytes += more->bytes;
    *more = (struct engine_event_list){0};
}

struct engine_event *engine_event_list_take(struct engine_event_list *list, uint64_t lookup)
{
    struct engine_event *before = NULL;

    for (struct engine_event *event = list->first; event; event = event->next) {
        if (event->lookup == lookup) return unlink_next(list, before);
        before = event;
    }
    return NULL;
}

void engine_event_list_fini(struct engine_event_list *list)
{
    struct engine_event *event;

    while ((event = engine_event_list_pop(list))) {
        engine_event_destroy(event);
    }
}
