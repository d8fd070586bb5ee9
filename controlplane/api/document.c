#include "controlplane/api/document.h"

#include <string.h>
#include <strings.h>

#include "controlplane/api/api_state.h"
#include "shared/yaml/yaml.h"

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
