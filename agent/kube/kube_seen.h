/* kube_seen.h - which objects of one resource a watch knows, and in which version.
 * With it a watch gives each version once, and a new list shows which objects have gone.  Versions
 * are numbers that only grow, as Kubernetes guarantees; an object whose version is no number counts
 * as changed each time.  An object is its namespace and name; a new one of the same name has
 * another uid.
 * Uses shared/base and kube_object.h.  Pure; not thread-safe. */
#pragma once

#include <stddef.h>

#include "agent/kube/kube_object.h"
#include "shared/base/err.h"

struct kube_seen; /* opaque */

struct kube_seen *kube_seen_create(size_t objects_max);
void kube_seen_destroy(struct kube_seen *seen); /* NULL is fine */

size_t kube_seen_len(const struct kube_seen *seen);

/* False: not there.  The texts are borrowed until the next change. */
bool kube_seen_find(const struct kube_seen *seen, struct fl_str namespace, struct fl_str name,
                    struct kube_meta *ret_meta);

enum kube_seen_news {
    KUBE_SEEN_NEW,
    KUBE_SEEN_CHANGED, /* a newer version */
    KUBE_SEEN_SAME,
    KUBE_SEEN_OLDER, /* than what is known; that stays */
};

/* Takes note of the object, for the list that is under way too.  An object of the same name with
 * another uid must have been removed before.  FL_FULL at objects_max. */
FL_CHECK bool kube_seen_put(struct kube_seen *seen, const struct kube_meta *meta,
                            enum kube_seen_news *ret_news, struct fl_err *err);

/* True if it was there with that uid. */
bool kube_seen_remove(struct kube_seen *seen, const struct kube_meta *meta);

/* A list begins.  kube_seen_sweep removes each object that the list did not put, and calls 'gone'
 * with it. */
void kube_seen_begin(struct kube_seen *seen);
void kube_seen_sweep(struct kube_seen *seen, void (*gone)(void *ctx, const struct kube_meta *meta),
                     void *ctx);

/* Versions count anew, as after a restored backup: each object's next version counts as changed. */
void kube_seen_forget_versions(struct kube_seen *seen);

/* The number that a version is; 0: none. */
uint64_t kube_seen_version(struct fl_str version);
