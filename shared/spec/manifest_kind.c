#include "shared/spec/manifest_kind.h"

#include <string.h>

static struct fl_str text_of(const struct fl_json *object, struct fl_str key)
{
    const struct fl_json *node = fl_json_member(object, key);

    return node && node->kind == FL_JSON_STRING ? node->text : ((struct fl_str){0});
}

/* "batch" of "batch/v1", and nothing of "v1". */
static struct fl_str group_of(struct fl_str api)
{
    const char *slash = api.len ? memchr(api.at, '/', api.len) : NULL;

    return (struct fl_str){api.at, slash ? (size_t)(slash - api.at) : 0};
}

static void refuse_kind(const struct fl_job_check *check, const struct fl_path *path,
                        const struct fl_json *manifest, const struct fl_manifest_kind *kind)
{
    struct fl_path here = {.up = path, .key = FL_STR("kind")};
    const struct fl_json *node = fl_json_member(manifest, here.key);
    struct fl_str allowed =
        FL_STR("batch/v1 Job; kubeflow.org/v1 PyTorchJob; v1 Pod, PodTemplate and List");

    if (kind && kind->is_taken) {
        here.key = FL_STR("apiVersion");
        fl_job_wrong(check, &here, fl_json_member(manifest, here.key), fl_str_c(kind->api),
                     "a %s of this version is not taken: write apiVersion: %s", kind->name,
                     kind->api);
    } else if (kind) {
        fl_job_wrong(check, &here, node, allowed, "%s is not taken: %s", kind->name, kind->text);
    } else if (!node) {
        fl_job_wrong(check, &here, node, allowed, "a manifest needs its kind: write kind: Job");
    } else {
        fl_job_wrong(check, &here, node, allowed,
                     "this kind is not taken: write a batch/v1 Job or a job document, or create it "
                     "in its cluster with kubectl");
    }
}

const struct fl_manifest_kind *fl_manifest_kind_of(const struct fl_job_check *check,
                                                   const struct fl_path *path,
                                                   const struct fl_json *manifest)
{
    struct fl_str api = text_of(manifest, FL_STR("apiVersion"));
    struct fl_str name = text_of(manifest, FL_STR("kind"));
    const struct fl_manifest_kind *kind, *match = NULL;

    for (size_t i = 0; (kind = fl_manifest_kind_at(i)); i++) {
        struct fl_str own = fl_str_c(kind->api);

        if (!fl_str_eq(fl_str_c(kind->name), name)) continue;
        if (kind->is_taken && fl_str_eq(own, api)) return kind;
        if (fl_str_eq(kind->is_taken ? group_of(own) : own, group_of(api))) match = kind;
    }
    refuse_kind(check, path, manifest, match);
    return NULL;
}

const struct fl_json *fl_manifest_only_item(const struct fl_job_check *check, struct fl_path *items,
                                            const struct fl_json *list)
{
    const struct fl_json *node = fl_json_member(list, items->key);

    if (node && node->kind == FL_JSON_LIST && node->len == 1 &&
        node->first->kind == FL_JSON_OBJECT) {
        return node->first;
    }
    fl_job_wrong(check, items, node, FL_STR("a list of one manifest"),
                 "a request holds one job: send the items one by one, or as lines to "
                 "/v1/jobs:batch; 'fairlead submit' does the first");
    return NULL;
}
