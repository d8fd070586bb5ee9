#include "agent/kube/kube_json.h"

const struct fl_json *kube_json_at(const struct fl_json *node, const char *key)
{
    const struct fl_json *member = node ? fl_json_member(node, fl_str_c(key)) : NULL;

    return member && member->kind != FL_JSON_NULL ? member : NULL;
}

const struct fl_json *kube_json_list(const struct fl_json *node, const char *key)
{
    const struct fl_json *member = kube_json_at(node, key);

    return member && member->kind == FL_JSON_LIST ? member : NULL;
}

struct fl_str kube_json_string(const struct fl_json *node, const char *key)
{
    const struct fl_json *member = kube_json_at(node, key);

    return member && member->kind == FL_JSON_STRING ? member->text : (struct fl_str){0};
}

bool kube_json_says(const struct fl_json *node, const char *key, const char *text)
{
    return fl_str_eq(kube_json_string(node, key), fl_str_c(text));
}

bool kube_json_is_true(const struct fl_json *node, const char *key)
{
    const struct fl_json *member = kube_json_at(node, key);

    return member && member->kind == FL_JSON_BOOL && member->n != 0;
}

const struct fl_json *kube_json_find(const struct fl_json *list, const char *key,
                                     struct fl_str text)
{
    if (!list || list->kind != FL_JSON_LIST) return NULL;
    FL_JSON_EACH (item, list) {
        if (fl_str_eq(kube_json_string(item, key), text)) return item;
    }
    return NULL;
}
