#include "agent/kube/kube_node.h"

#include "agent/kube/kube_json.h"
#include "agent/kube/kube_object.h"
#include "shared/base/arena.h"

static void read_labels(const struct fl_json *map, struct fl_arena *arena, struct kube_node *node)
{
    if (!map || map->kind != FL_JSON_OBJECT || map->len == 0) return;
    node->labels = fl_arena_array(arena, struct kube_label, map->len);
    FL_JSON_EACH (item, map) {
        if (item->kind != FL_JSON_STRING) continue;
        node->labels[node->labels_len++] = (struct kube_label){
            fl_arena_str(arena, item->key),
            fl_arena_str(arena, item->text),
        };
    }
}

static void read_taints(const struct fl_json *list, struct fl_arena *arena, struct kube_node *node)
{
    if (!list || list->kind != FL_JSON_LIST || list->len == 0) return;
    node->taints = fl_arena_array(arena, struct fl_taint, list->len);
    FL_JSON_EACH (item, list) {
        struct fl_taint taint = {fl_arena_str(arena, kube_json_string(item, "key")),
                                 fl_arena_str(arena, kube_json_string(item, "value")),
                                 FL_EFFECT_any};

        if (!fl_taint_effect_parse(kube_json_string(item, "effect"), &taint.effect)) continue;
        node->taints[node->taints_len++] = taint;
    }
}

static enum kube_ready read_ready(const struct fl_json *conditions)
{
    if (!conditions || conditions->kind != FL_JSON_LIST) return KUBE_NODE_NOT_READY;
    FL_JSON_EACH (item, conditions) {
        struct fl_str status = kube_json_string(item, "status");

        if (!kube_json_says(item, "type", "Ready")) continue;
        if (fl_str_eq(status, FL_STR("True"))) return KUBE_NODE_READY;
        return fl_str_eq(status, FL_STR("Unknown")) ? KUBE_NODE_SILENT : KUBE_NODE_NOT_READY;
    }
    return KUBE_NODE_NOT_READY;
}

bool kube_node_read(const struct fl_json *object, struct fl_arena *arena,
                    struct kube_node *ret_node, struct fl_err *err)
{
    const struct fl_json *spec = kube_json_at(object, "spec");
    const struct fl_json *status = kube_json_at(object, "status");
    const struct fl_json *metadata = kube_json_at(object, "metadata");
    struct kube_node node = {0};
    struct kube_meta meta;

    if (!kube_object_meta(object, &meta, err)) return false;
    node.name = fl_arena_str(arena, meta.name);
    node.uid = fl_arena_str(arena, meta.uid);
    if (!kube_amounts_read(kube_json_at(status, "allocatable"), arena, &node.allocatable, err)) {
        return fl_err_wrap(err, "node " FL_STR_FMT ": allocatable", FL_STR_ARG(meta.name));
    }
    read_labels(kube_json_at(metadata, "labels"), arena, &node);
    read_taints(kube_json_at(spec, "taints"), arena, &node);
    node.ready = read_ready(kube_json_at(status, "conditions"));
    node.is_unschedulable = kube_json_is_true(spec, "unschedulable");
    *ret_node = node;
    return true;
}
