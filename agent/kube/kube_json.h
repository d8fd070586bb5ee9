/* kube_json.h - members of objects that may lack them: Kubernetes leaves out what is empty.
 * A node that is NULL, or of another kind, has no members.
 * Uses shared/base and shared/json.  Pure. */
#pragma once

#include <stdbool.h>

#include "shared/base/str.h"
#include "shared/json/json.h"

/* NULL also where the member is null. */
const struct fl_json *kube_json_at(const struct fl_json *node, const char *key);

/* The same, but NULL for what is of another kind. */
const struct fl_json *kube_json_list(const struct fl_json *node, const char *key);

/* Empty where it is absent or no string. */
struct fl_str kube_json_string(const struct fl_json *node, const char *key);
bool kube_json_says(const struct fl_json *node, const char *key, const char *text);

bool kube_json_is_true(const struct fl_json *node, const char *key);

/* The first object of a list that says 'text' under 'key'; NULL: none does, or no list. */
const struct fl_json *kube_json_find(const struct fl_json *list, const char *key,
                                     struct fl_str text);
