#include "controlplane/api/idempotency.h"

#include <string.h>

#include "controlplane/api/api_state.h"
#include "shared/base/api_limits.h"
#include "shared/tls/digest.h"

static void put_text(struct fl_sha256_stream *to, struct fl_str text)
{
    uint64_t len = text.len;

    fl_sha256_put(to, &len, sizeof len);
    fl_sha256_put(to, text.at, text.len);
}

/* Its own key as it is, where nothing narrows it.  Else a digest, behind a space, which no client's
 * key can have. */
static struct fl_str scoped(struct fl_arena *arena, const char *queue, struct fl_str key,
                            const char *part)
{
    struct fl_sha256_stream *stream;
    struct fl_digest digest;
    char text[1 + FL_DIGEST_TEXT_MAX] = " ";

    if (!queue[0] && !part[0]) return fl_arena_str(arena, key);
    stream = fl_sha256_create();
    put_text(stream, fl_str_c(queue));
    put_text(stream, key);
    put_text(stream, fl_str_c(part));
    digest = fl_sha256_end(stream);
    fl_digest_print(digest, text + 1);
    return fl_arena_str(arena, fl_str_c(text));
}

/* The document's bytes are in its digest, and with them what the shape is made of. */
static void put_item(struct fl_sha256_stream *to, const struct core_submit_item *item)
{
    uint64_t numbers[] = {(uint64_t)item->priority, item->elements, item->deadline_s,
                          item->retries_max,        item->is_held,  item->retry_of.n};

    fl_sha256_put(to, numbers, sizeof numbers);
    fl_sha256_put(to, item->asked.at, sizeof item->asked.at);
    put_text(to, item->queue);
    put_text(to, item->name);
    put_text(to, item->labels);
    put_text(to, item->params);
    put_text(to, item->picked);
    for (size_t i = 0; i < item->after_len; i++) { /* whether it has ended does not count */
        const struct fl_dependency *after = &item->after[i].after;
        uint64_t what[] = {after->job.n, after->line, (uint64_t)after->on};

        fl_sha256_put(to, what, sizeof what);
    }
    if (item->is_singleton) put_text(to, FL_STR("singleton")); /* other keys mean what they did */
    if (item->parallelism > 0) {
        uint64_t limit = item->parallelism;

        put_text(to, FL_STR("parallelism"));
        fl_sha256_put(to, &limit, sizeof limit);
    }
}

static struct fl_digest meaning(const struct api_call *call, const struct core_event *event)
{
    const struct fl_http_head *head = http_head(call->request);
    struct fl_sha256_stream *stream = fl_sha256_create();

    put_text(stream, head->path);
    if (call->as.len > 0) put_text(stream, call->as);
    switch (event->kind) {
    case CORE_EV_submit:
        for (size_t i = 0; i < event->submit.len; i++) {
            put_item(stream, &event->submit.at[i]);
        }
        break;
    case CORE_EV_bound: /* its part of the key says what it is for */
        break;
    default:
        put_text(stream, head->query);
        put_text(stream, call->body);
        break;
    }
    return fl_sha256_end(stream);
}

bool api_idempotent_check(struct api_call *call)
{
    struct fl_str key = api_header(call, "idempotency-key");

    for (size_t i = 0; i < key.len; i++) {
        if (key.at[i] > ' ' && key.at[i] <= '~' && key.len <= FL_KEY_BYTES_MAX) continue;
        api_fail_header(call, "Idempotency-Key", "not a key", key, API_KEY_ALLOWED);
        return false;
    }
    return true;
}

bool api_idempotent_part(struct api_call *call, struct engine_event *event, const char *part)
{
    struct fl_str key = api_header(call, "idempotency-key");

    if (!api_idempotent_check(call)) {
        engine_event_destroy(event);
        return false;
    }
    if (key.len == 0) return true;
    event->event.key = scoped(&event->arena, call->token.queue, key, part);
    event->event.body_sha = meaning(call, &event->event);
    return true;
}

bool api_idempotent(struct api_call *call, struct engine_event *event)
{
    return api_idempotent_part(call, event, "");
}
