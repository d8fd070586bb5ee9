#include "controlplane/engine_inbox.h"

#include <string.h>

#include "controlplane/engine.h"

void engine_inbox_init(struct engine_inbox *inbox, const struct engine_config *config,
                       const struct engine_ports *ports)
{
    *inbox = (struct engine_inbox){.config = config, .ports = ports};
    engine_keys_init(&inbox->keys, config->keys_max);
}

void engine_inbox_fini(struct engine_inbox *inbox)
{
    engine_event_list_fini(&inbox->waiting);
    engine_event_list_fini(&inbox->again);
    engine_event_list_fini(&inbox->looking);
    engine_event_list_fini(&inbox->ready);
    engine_keys_fini(&inbox->keys);
}

size_t engine_inbox_len(const struct engine_inbox *inbox)
{
    return inbox->waiting.len + inbox->again.len + inbox->looking.len + inbox->ready.len;
}

bool engine_inbox_has_next(const struct engine_inbox *inbox)
{
    return inbox->waiting.len + inbox->again.len + inbox->ready.len > 0;
}

/* What came in and is not the core's yet; what came back out of a refused batch had its place before. */
static size_t waiting_len(const struct engine_inbox *inbox)
{
    return inbox->waiting.len + inbox->looking.len + inbox->ready.len;
}

static size_t waiting_bytes(const struct engine_inbox *inbox)
{
    return inbox->waiting.bytes + inbox->looking.bytes + inbox->ready.bytes;
}

static size_t bytes_of(const struct engine_event *event)
{
    return sizeof *event + fl_arena_bytes(&event->arena);
}

bool engine_inbox_has_room(const struct engine_inbox *inbox, const struct engine_event *event)
{
    size_t bytes = bytes_of(event), bytes_max = inbox->config->inbox_bytes_max;

    if (bytes > bytes_max) return true; /* it never will have any, which 'put' says */
    return waiting_len(inbox) < inbox->config->inbox_max &&
           waiting_bytes(inbox) + bytes <= bytes_max;
}

bool engine_inbox_put(struct engine_inbox *inbox, struct engine_event *event, struct fl_err *err)
{
    event->bytes = bytes_of(event);
    if (event->event.key.len > ENGINE_KEY_BYTES_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "an Idempotency-Key has at most %d bytes",
                       ENGINE_KEY_BYTES_MAX);
    }
    if (event->bytes > inbox->config->inbox_bytes_max) {
        return fl_fail(err, FL_TOO_LARGE, "one request takes at most %zu bytes",
                       inbox->config->inbox_bytes_max);
    }
    if (!engine_inbox_has_room(inbox, event)) {
        return fl_fail(err, FL_FULL, "%zu events (%zu bytes) already wait to be decided; try again",
                       waiting_len(inbox), waiting_bytes(inbox));
    }
    engine_event_list_push(&inbox->waiting, event);
    return true;
}

static void free_key(struct engine_inbox *inbox, struct engine_event *event)
{
    if (!event->has_key) return;
    engine_keys_free(&inbox->keys, event->event.tenant, event->event.key);
    event->has_key = false;
}

static void set_suspect(struct engine_inbox *inbox, struct engine_event *event, bool is_suspect)
{
    if (event->is_suspect) inbox->suspects--;
    if (is_suspect) inbox->suspects++;
    event->is_suspect = is_suspect;
}

void engine_inbox_done(struct engine_inbox *inbox, struct engine_event *event)
{
    free_key(inbox, event);
    set_suspect(inbox, event, false);
    engine_event_destroy(event);
}

void engine_inbox_done_list(struct engine_inbox *inbox, struct engine_event_list *list)
{
    struct engine_event *event;

    while ((event = engine_event_list_pop(list))) {
        engine_inbox_done(inbox, event);
    }
}

void engine_inbox_refuse(struct engine_inbox *inbox, struct engine_event *event, enum fl_code code,
                         const char *text)
{
    struct core_answer answer = {.request = event->event.request, .code = code, .text = text};

    if (answer.request != 0) inbox->ports->answer(inbox->ports->ctx, &answer);
    engine_inbox_done(inbox, event);
}

void engine_inbox_refuse_list(struct engine_inbox *inbox, struct engine_event_list *list,
                              enum fl_code code, const char *text)
{
    struct engine_event *event;

    while ((event = engine_event_list_pop(list))) {
        engine_inbox_refuse(inbox, event, code, text);
    }
}

void engine_inbox_refuse_all(struct engine_inbox *inbox, enum fl_code code, const char *text)
{
    engine_inbox_refuse_list(inbox, &inbox->ready, code, text);
    engine_inbox_refuse_list(inbox, &inbox->looking, code, text);
    engine_inbox_refuse_list(inbox, &inbox->again, code, text);
    engine_inbox_refuse_list(inbox, &inbox->waiting, code, text);
}

/* Nobody else has its key, and now it is asked whether an earlier request had. */
static void look_up(struct engine_inbox *inbox, struct engine_event *event)
{
    struct fl_err err = {0};

    if (!engine_keys_hold(&inbox->keys, event->event.tenant, event->event.key, &err)) {
        engine_inbox_refuse(inbox, event, err.code, err.text);
        return;
    }
    event->has_key = true;
    event->lookup = ++inbox->lookup_last;
    engine_event_list_push(&inbox->looking, event);
    inbox->ports->lookup(inbox->ports->ctx, event->lookup, event->event.tenant, event->event.key);
}

struct engine_event *engine_inbox_next(struct engine_inbox *inbox, size_t *work,
                                       const char *closed_text)
{
    struct engine_event *event;

    while (*work > 0) {
        event = engine_event_list_pop(&inbox->ready);
        if (!event) event = engine_event_list_pop(&inbox->again);
        if (!event) event = engine_event_list_pop(&inbox->waiting);
        if (!event) return NULL;
        if (closed_text && event->event.request != 0 && !engine_event_is_read(event)) {
            engine_inbox_refuse(inbox, event, FL_UNAVAILABLE, closed_text);
        } else if (event->event.key.len > 0 && !event->has_key) {
            look_up(inbox, event);
        } else {
            return event;
        }
        --*work;
    }
    return NULL;
}

void engine_inbox_found(struct engine_inbox *inbox, uint64_t lookup,
                        const struct fl_digest *body_sha, struct fl_str answer_bytes, bool is_good)
{
    struct engine_event *event = engine_event_list_take(&inbox->looking, lookup);
    struct core_answer answer = {0};
    struct fl_err err = {0};

    if (!event) return; /* a reload has started it over, or refused it */
    if (!is_good) {
        engine_inbox_refuse(inbox, event, FL_UNAVAILABLE,
                            "its Idempotency-Key could not be looked up; try again in a moment");
    } else if (!answer_bytes.at) {
        engine_event_list_push(&inbox->ready, event);
    } else if (memcmp(body_sha->at, event->event.body_sha.at, sizeof body_sha->at) != 0) {
        engine_inbox_refuse(
            inbox, event, FL_CONFLICT,
            "this Idempotency-Key was used before, for a request with another body");
    } else if (!core_answer_decode(answer_bytes, &event->arena, &answer, &err)) {
        engine_inbox_refuse(inbox, event, err.code, err.text);
    } else {
        answer.request = event->event.request;
        inbox->ports->answer(inbox->ports->ctx, &answer);
        engine_inbox_done(inbox, event);
    }
}

/* Keeps the requests of 'list', in their order. */
static void keep_requests(struct engine_inbox *inbox, struct engine_event_list *list)
{
    struct engine_event_list kept = {0};
    struct engine_event *event;

    while ((event = engine_event_list_pop(list))) {
        if (event->event.request == 0) {
            engine_inbox_done(inbox, event);
            continue;
        }
        free_key(inbox, event);
        engine_event_list_push(&kept, event);
    }
    *list = kept;
}

void engine_inbox_restart(struct engine_inbox *inbox)
{
    struct engine_event_list front = {0};

    engine_event_list_join(&front, &inbox->ready);
    engine_event_list_join(&front, &inbox->looking);
    engine_event_list_join(&front, &inbox->again);
    keep_requests(inbox, &front);
    keep_requests(inbox, &inbox->waiting);
    inbox->again = front;
}

void engine_inbox_again(struct engine_inbox *inbox, struct engine_event_list *list)
{
    keep_requests(inbox, list);
    for (struct engine_event *event = list->first; event; event = event->next) {
        set_suspect(inbox, event, true);
    }
    engine_event_list_join(list, &inbox->again);
    inbox->again = *list;
    *list = (struct engine_event_list){0};
}
