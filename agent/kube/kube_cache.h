/* kube_cache.h - which objects of one resource a watch knows, and in which version.
 * With it a watch gives each version once, and a new list shows which objects have gone.  Versions
 * are numbers that only grow, as Kubernetes guarantees; an object whose version is no number counts
 * as changed each time.  An object is its namespace and name; a new one of the same name has
 * another uid.
 * Uses shared/base and kube_object.h.  Pure; not thread-safe. */
#pragma once

#include <stddef.h>

#include "agent/kube/kube_object.h"
#include "shared/base/err.h"

struct kube_cache; /* opaque */

struct kube_cache *kube_cache_create(size_t objects_max);
void kube_cache_destroy(struct kube_cache *cache); /* NULL is fine */

size_t kube_cache_len(const struct kube_cache *cache);

/* False: not there.  The texts are borrowed until the next change. */
bool kube_cache_find(const struct kube_cache *cache, struct fl_str namespace, struct fl_str name,
                     struct kube_meta *ret_meta);

enum kube_cache_news {
    KUBE_CACHE_NEW,
    KUBE_CACHE_CHANGED, /* a newer version */
    KUBE_CACHE_SAME,
    KUBE_CACHE_OLDER, /* than what is known; that stays */
};

/* Takes note of the object, for the list that is under way too.  An object of the same name with
 * another uid must have been removed before.  FL_FULL at objects_max. */
FL_CHECK bool kube_cache_put(struct kube_cache *cache, const struct kube_meta *meta,
                             enum kube_cache_news *ret_news, struct fl_err *err);

/* True if it was there with that uid. */
bool kube_cache_remove(struct kube_cache *cache, const struct kube_meta *meta);

/* A list begins.  kube_cache_sweep removes each object that the list did not put, and calls 'gone'
 * with it. */
void kube_cache_begin(struct kube_cache *cache);
void kube_cache_sweep(struct kube_cache *cache,
                      void (*gone)(void *ctx, const struct kube_meta *meta), void *ctx);

/* Versions count anew, as after a restored backup: each object's next version counts as changed. */
void kube_cache_forget_versions(struct kube_cache *cache);

/* The number that a version is; 0: none. */
uint64_t kube_cache_version(struct fl_str version);
