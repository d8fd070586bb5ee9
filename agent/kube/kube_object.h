/* kube_object.h - what every object of Kubernetes has, the event of a watch, the head of a list.
 * The texts that are found point into the tree.  An object without name, uid or resourceVersion is
 * refused: without them a watch cannot follow it.
 * Uses shared/base and shared/json.  Pure. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"

struct fl_json;

enum {
    KUBE_NAME_BYTES_MAX = 253,
    KUBE_NAMESPACE_BYTES_MAX = 63,
    KUBE_UID_BYTES_MAX = 64,
    KUBE_VERSION_BYTES_MAX = 64,    /* a resourceVersion */
    KUBE_CONTINUE_BYTES_MAX = 8192, /* where the next page of a list begins */
};

struct kube_meta {
    struct fl_str namespace; /* empty: the object has none, as a node */
    struct fl_str name, uid;
    struct fl_str version; /* resourceVersion */
};

/* FL_INVALID: something is missing, too long, or holds a character that none of them may have. */
FL_CHECK bool kube_object_meta(const struct fl_json *object, struct kube_meta *ret_meta,
                               struct fl_err *err);

enum kube_event_kind {
    KUBE_EVENT_ADDED,
    KUBE_EVENT_MODIFIED,
    KUBE_EVENT_DELETED,
    KUBE_EVENT_BOOKMARK, /* the object has a resourceVersion and nothing else */
    KUBE_EVENT_ERROR,    /* the object is a Status; the watch ends */
};

struct kube_event {
    enum kube_event_kind kind;
    const struct fl_json *object;
};

/* FL_INVALID: no event; FL_UNSUPPORTED: an event whose type is not listed above. */
FL_CHECK bool kube_object_event(const struct fl_json *root, struct kube_event *ret_event,
                                struct fl_err *err);

/* The resourceVersion alone, of a bookmark; FL_INVALID where it has none. */
FL_CHECK bool kube_object_version(const struct fl_json *object, struct fl_str *ret_version,
                                  struct fl_err *err);

struct kube_list_head {
    struct fl_str version;     /* resourceVersion of the whole list */
    struct fl_str continue_at; /* empty: this is the last page */
};

/* The head that kube_stream gives: it must stand before the items and say its resourceVersion, so
 * that a list can be refused before its items are taken.  FL_INVALID otherwise. */
FL_CHECK bool kube_object_list(const struct fl_json *head, struct kube_list_head *ret_head,
                               struct fl_err *err);
