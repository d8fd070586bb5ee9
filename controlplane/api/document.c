#include "controlplane/api/document.h"

#include <string.h>
#include <strings.h>

#include "controlplane/api/api_state.h"
#include "shared/tls/digest.h"
#include "shared/yaml/yaml.h"

enum { KEY_BYTES_MAX = 128 };

static bool is_type(struct fl_str type, const char *wanted)
{
    size_t len = strlen(wanted);

    return type.len >= len && strncasecmp(type.at, wanted, len) == 0 &&
           (type.len == len || type.at[len] == ';' || type.at[len] == ' ');
}

static const struct fl_json *read_yaml(struct api_call *call)
{
    struct fl_yaml *yaml = fl_yaml_create(call->body);
    const struct fl_json *root = NULL, *more = NULL;
    struct fl_place at = {0};
    struct fl_err err = {0};

    if (!fl_yaml_next(yaml, &call->arena, &root, &at, &err) ||
        (root && !fl_yaml_next(yaml, &call->arena, &more, &at, &err))) {
        api_fail_place(call, 400, at, &err);
        root = NULL;
    } else if (!root || more) {
        api_fail(call, FL_INVALID, "%s",
                 root ? "one document is taken here; send several to /v1/jobs:batch"
                      : "the body has no document");
        root = NULL;
    }
    fl_yaml_destroy(yaml);
    return root;
}

const struct fl_json *api_document(struct api_call *call)
{
    struct fl_str type = api_header(call, "content-type");

    if (type.len == 0 || is_type(type, "application/json")) return api_body_json(call, false);
    if (is_type(type, "application/yaml") || is_type(type, "application/x-yaml") ||
        is_type(type, "text/yaml")) {
        return read_yaml(call);
    }
    api_fail_status(call, 415, FL_UNSUPPORTED,
                    "the content type must be application/json or application/yaml");
    return NULL;
}

bool api_idempotent(struct api_call *call, struct engine_event *event)
{
    struct fl_str key = api_header(call, "idempotency-key");
    const struct fl_http_head *head = http_head(call->request);
    struct fl_sha256_stream *stream;

    for (size_t i = 0; i < key.len; i++) {
        if (key.at[i] > ' ' && key.at[i] <= '~' && key.len <= KEY_BYTES_MAX) continue;
        engine_event_destroy(event);
        api_fail_status(call, 400, FL_INVALID,
                        "an Idempotency-Key has 1 to %d visible ASCII characters", KEY_BYTES_MAX);
        return false;
    }
    if (key.len == 0) return true;
    /* The same key for another route or body is a mistake of the client, and this notices it. */
    stream = fl_sha256_create();
    fl_sha256_put(stream, head->path.at, head->path.len);
    fl_sha256_put(stream, "?", 1);
    fl_sha256_put(stream, head->query.at, head->query.len);
    fl_sha256_put(stream, "\n", 1);
    fl_sha256_put(stream, call->body.at, call->body.len);
    event->event.body_sha = fl_sha256_end(stream);
    event->event.key = fl_arena_str(&event->arena, key);
    return true;
}
