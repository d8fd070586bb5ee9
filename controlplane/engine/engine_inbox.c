#include "controlplane/engine/engine_inbox.h"

#include <string.h>

#include "controlplane/engine/engine.h"

void engine_inbox_init(struct engine_inbox *inbox, const struct engine_config *config,
                       const struct engine_store *store, const struct engine_ports *ports)
{
    *inbox = (struct engine_inbox){.config = config, .store = store, .ports = ports};
    engine_keys_init(&inbox->keys, config->keys_max);
}

void engine_inbox_fini(struct engine_inbox *inbox)
{
    engine_event_list_fini(&inbox->looking);
    engine_event_list_fini(&inbox->ready);
    engine_keys_fini(&inbox->keys);
}

size_t engine_inbox_len(const struct engine_inbox *inbox)
{
    return inbox->looking.len + inbox->ready.len;
}

static size_t inbox_bytes(const struct engine_inbox *inbox)
{
    return inbox->looking.bytes + inbox->ready.bytes;
}

bool engine_inbox_has_next(const struct engine_inbox *inbox)
{
    return inbox->ready.len > 0;
}

struct engine_room engine_inbox_room(const struct engine_inbox *inbox)
{
    size_t len = engine_inbox_len(inbox), bytes = inbox_bytes(inbox);
    size_t len_max = inbox->config->inbox_max, bytes_max = inbox->config->inbox_bytes_max;

    if (len >= len_max || bytes >= bytes_max) return (struct engine_room){0};
    return (struct engine_room){len_max - len, bytes_max - bytes};
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
}

static bool must_look_up(const struct engine_event *event)
{
    return event->event.key.len > 0 && !event->has_key;
}

/* Holds its key and asks whether an earlier request had it.  False: the key is held already, or too
 * many are. */
static bool look_up(struct engine_inbox *inbox, struct engine_event *event, fl_ms now,
                    struct fl_err *err)
{
    if (!engine_keys_hold(&inbox->keys, event->event.tenant, event->event.key, err)) return false;
    event->has_key = true;
    event->lookup = ++inbox->lookup_last;
    engine_event_list_push(&inbox->looking, event);
    inbox->store->lookup(inbox->store->ctx, event->lookup, event->event.tenant, event->event.key,
                         now);
    return true;
}

bool engine_inbox_put(struct engine_inbox *inbox, struct engine_event *event, fl_ms now,
                      struct fl_err *err)
{
    event->bytes = engine_event_bytes(event);
    if (event->event.key.len > FL_KEY_BYTES_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "an Idempotency-Key has at most %d bytes",
                       FL_KEY_BYTES_MAX);
    }
    if (event->bytes > inbox->config->inbox_bytes_max) {
        return fl_fail(err, FL_TOO_LARGE, "one request takes at most %zu bytes",
                       inbox->config->inbox_bytes_max);
    }
    if (engine_inbox_room(inbox).events == 0) {
        return fl_fail(err, FL_FULL, "%zu events (%zu bytes) already wait to be decided; try again",
                       engine_inbox_len(inbox), inbox_bytes(inbox));
    }
    if (inbox->is_open && must_look_up(event)) return look_up(inbox, event, now, err);
    engine_event_list_push(&inbox->ready, event);
    return true;
}

struct engine_event *engine_inbox_next(struct engine_inbox *inbox, size_t *work,
                                       const char *closed_text, fl_ms now)
{
    struct engine_event *event;
    struct fl_err err = {0};

    while (*work > 0) {
        event = engine_event_list_pop(&inbox->ready);
        if (!event) return NULL;
        if (closed_text && event->event.request != 0 && !engine_event_is_read(event)) {
            engine_inbox_refuse(inbox, event, FL_UNAVAILABLE, closed_text);
        } else if (must_look_up(event)) { /* it came before this term */
            if (!look_up(inbox, event, now, &err)) {
                engine_inbox_refuse(inbox, event, err.code, err.text);
            }
        } else {
            return event;
        }
        --*work;
    }
    return NULL;
}

static void put_ready(struct engine_inbox *inbox, struct engine_event *event)
{
    if (event->is_suspect) {
        engine_event_list_push_front(&inbox->ready, event);
    } else {
        engine_event_list_push(&inbox->ready, event);
    }
}

/* Some of its jobs were refused for what may have passed: they are to be decided anew. */
static bool is_open(const struct engine_event *event, const struct core_answer *answer)
{
    if (event->event.kind != CORE_EV_submit || answer->outcomes_len != event->event.submit.len) {
        return false;
    }
    for (size_t i = 0; i < answer->outcomes_len; i++) {
        if (!core_outcome_is_final(&answer->outcomes[i])) return true;
    }
    return false;
}

void engine_inbox_found(struct engine_inbox *inbox, uint64_t lookup,
                        const struct fl_digest *body_sha, struct fl_str answer_bytes, bool is_good)
{
    struct engine_event *event = engine_event_list_take(&inbox->looking, lookup);
    struct core_answer answer = {0};
    struct fl_err err = {0};

    if (!event) return; /* a reload has started it over, or refused it */
    /* An answer that was found before a reload may be gone. */
    if (event->event.kind == CORE_EV_submit) event->event.submit.kept = NULL;
    if (!is_good) {
        engine_inbox_refuse(inbox, event, FL_UNAVAILABLE,
                            "its Idempotency-Key could not be looked up; try again in a moment");
    } else if (!answer_bytes.at) {
        put_ready(inbox, event);
    } else if (memcmp(body_sha->at, event->event.body_sha.at, sizeof body_sha->at) != 0) {
        engine_inbox_refuse(
            inbox, event, FL_CONFLICT,
            "this Idempotency-Key was used before, for another request; take a new key for "
            "a new one");
    } else if (!core_answer_decode(answer_bytes, &event->arena, &answer, &err)) {
        engine_inbox_refuse(inbox, event, err.code, err.text);
    } else if (is_open(event, &answer)) {
        event->event.submit.kept = answer.outcomes;
        put_ready(inbox, event);
    } else {
        answer.request = event->event.request;
        answer.is_replay = true;
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

void engine_inbox_open(struct engine_inbox *inbox)
{
    inbox->is_open = true;
}

void engine_inbox_restart(struct engine_inbox *inbox)
{
    struct engine_event_list all = {0};

    inbox->is_open = false;
    engine_event_list_join(&all, &inbox->looking);
    engine_event_list_join(&all, &inbox->ready);
    keep_requests(inbox, &all);
    inbox->ready = all;
}

void engine_inbox_again(struct engine_inbox *inbox, struct engine_event_list *list)
{
    keep_requests(inbox, list);
    for (struct engine_event *event = list->first; event; event = event->next) {
        set_suspect(inbox, event, true);
    }
    engine_event_list_join(list, &inbox->ready);
    inbox->ready = *list;
    *list = (struct engine_event_list){0};
}
