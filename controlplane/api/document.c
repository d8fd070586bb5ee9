#include "controlplane/api/document.h"

#include "controlplane/api/api_state.h"
#include "controlplane/api/media_type.h"
#include "shared/yaml/yaml.h"

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
    bool is_yaml = media_type_is(api_header(call, "content-type"), "application/yaml");

    return is_yaml ? read_yaml(call) : api_body_json(call, false);
}
