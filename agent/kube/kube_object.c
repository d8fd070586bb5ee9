#include "agent/kube/kube_object.h"

#include "agent/kube/kube_json.h"

static const struct {
    const char *name;
    enum kube_event_kind kind;
} event_kinds[] = {
    {"ADDED", KUBE_EVENT_ADDED},     {"MODIFIED", KUBE_EVENT_MODIFIED},
    {"DELETED", KUBE_EVENT_DELETED}, {"BOOKMARK", KUBE_EVENT_BOOKMARK},
    {"ERROR", KUBE_EVENT_ERROR},
};

/* Printable and without spaces: names, uids and versions need no other characters. */
static bool is_plain(struct fl_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.at[i] <= ' ' || s.at[i] > '~') return false;
    }
    return true;
}

/* An absent member is the empty string. */
static bool text_of(const struct fl_json *node, const char *key, size_t bytes_max,
                    struct fl_str *ret_text, struct fl_err *err)
{
    const struct fl_json *member = kube_json_at(node, key);

    *ret_text = (struct fl_str){0};
    if (!member) return true;
    if (member->kind != FL_JSON_STRING || member->text.len > bytes_max || !is_plain(member->text)) {
        return fl_fail(err, FL_INVALID, "its %s is no text of at most %zu plain bytes", key,
                       bytes_max);
    }
    *ret_text = member->text;
    return true;
}

static bool needed(const struct fl_json *node, const char *key, size_t bytes_max,
                   struct fl_str *ret_text, struct fl_err *err)
{
    if (!text_of(node, key, bytes_max, ret_text, err)) return false;
    if (ret_text->len > 0) return true;
    return fl_fail(err, FL_INVALID, "it has no %s", key);
}

bool kube_object_meta(const struct fl_json *object, struct kube_meta *ret_meta, struct fl_err *err)
{
    const struct fl_json *metadata = kube_json_at(object, "metadata");
    struct kube_meta meta;

    if (!needed(metadata, "name", KUBE_NAME_BYTES_MAX, &meta.name, err)) return false;
    if (!text_of(metadata, "namespace", KUBE_NAMESPACE_BYTES_MAX, &meta.namespace, err) ||
        !needed(metadata, "uid", KUBE_UID_BYTES_MAX, &meta.uid, err) ||
        !needed(metadata, "resourceVersion", KUBE_VERSION_BYTES_MAX, &meta.version, err)) {
        return fl_err_wrap(err, "object " FL_STR_FMT, FL_STR_ARG(meta.name));
    }
    *ret_meta = meta;
    return true;
}

bool kube_object_version(const struct fl_json *object, struct fl_str *ret_version,
                         struct fl_err *err)
{
    return needed(kube_json_at(object, "metadata"), "resourceVersion", KUBE_VERSION_BYTES_MAX,
                  ret_version, err);
}

bool kube_object_event(const struct fl_json *root, struct kube_event *ret_event, struct fl_err *err)
{
    struct fl_str type = kube_json_string(root, "type");
    const struct fl_json *object = kube_json_at(root, "object");

    if (type.len == 0 || !object || object->kind != FL_JSON_OBJECT) {
        return fl_fail(err, FL_INVALID,
                       "the watch gave what is no event: type or object is absent");
    }
    for (size_t i = 0; i < sizeof event_kinds / sizeof *event_kinds; i++) {
        if (!fl_str_eq(type, fl_str_c(event_kinds[i].name))) continue;
        *ret_event = (struct kube_event){event_kinds[i].kind, object};
        return true;
    }
    return fl_fail(err, FL_UNSUPPORTED, "the watch gave an event of a type that is not known");
}

bool kube_object_list(const struct fl_json *head, struct kube_list_head *ret_head,
                      struct fl_err *err)
{
    const struct fl_json *metadata = kube_json_at(head, "metadata");
    const struct fl_json *items = fl_json_member(head, FL_STR("items")); /* may be null */
    struct kube_list_head list;

    if (items && items->kind != FL_JSON_NULL && (items->kind != FL_JSON_LIST || items->len > 0)) {
        return fl_fail(err, FL_INVALID, "the items of the list are no list");
    }
    if (!items) return fl_fail(err, FL_INVALID, "the answer is no list: it has no items");
    if (!needed(metadata, "resourceVersion", KUBE_VERSION_BYTES_MAX, &list.version, err) ||
        !text_of(metadata, "continue", KUBE_CONTINUE_BYTES_MAX, &list.continue_at, err)) {
        return fl_err_wrap(err, "the list, before its items");
    }
    *ret_head = list;
    return true;
}
