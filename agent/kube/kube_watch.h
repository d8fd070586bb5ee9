/* kube_watch.h - all objects of one resource, and then each change: list and watch.
 * kube_watch_rule decides, kube_cache knows the objects, and here are the requests.  The port gets
 * each version of an object at most once:
 *
 *     port.put(ctx, meta, object)   a new object or a new version; both live until it returns
 *     port.remove(ctx, meta)        it is gone; meta has namespace, name and uid
 *     port.synced(ctx)              every object that was there when the list began has been put;
 *                                   also after each further list
 *     port.problem(ctx, failure)    a list or watch failed, or one object could not be read; the
 *                                   watch goes on by itself.  NULL is fine
 *
 * After a cut, put and remove bring the difference.  A version that came and went meanwhile is left
 * out; an object that was replaced by another of the same name is removed and put.  An object that
 * cannot be read keeps its last version until the next list, and is removed then.
 *
 * Lists come in pages of page_objects, and objects are decoded while they arrive: memory holds one
 * object, and of each object that is there its names and version, about 250 bytes.
 * On the client's loop; not thread-safe. */
#pragma once

#include "agent/kube/kube_object.h"
#include "agent/kube/kube_status.h"
#include "agent/kube/kube_watch_rule.h"

struct fl_json;
struct kube_client;
struct kube_watch; /* opaque */

enum { KUBE_WATCH_PAGE_OBJECTS = 500, KUBE_WATCH_OBJECTS_MAX = 200000 };

struct kube_watch_config {
    const char *path;     /* "/api/v1/pods" */
    const char *selector; /* "fieldSelector=...", escaped; NULL: all objects */
    /* 0 and NULL are the defaults. */
    unsigned page_objects;
    size_t objects_max; /* further objects are a problem each, and not put */
    const struct kube_watch_times *times;
    uint64_t seed;
};

/* No callback may destroy the watch. */
struct kube_watch_port {
    void *ctx;
    void (*put)(void *ctx, const struct kube_meta *meta, const struct fl_json *object);
    void (*remove)(void *ctx, const struct kube_meta *meta);
    void (*synced)(void *ctx);
    void (*problem)(void *ctx, const struct kube_failure *failure);
};

/* Begins at the loop's next turn.  Strings are copied. */
struct kube_watch *kube_watch_create(struct kube_client *client,
                                     const struct kube_watch_config *config,
                                     const struct kube_watch_port *port);
void kube_watch_destroy(struct kube_watch *watch); /* before the client; NULL is fine */

struct kube_watch_counts {
    size_t objects;
    uint64_t lists, pages, watches; /* requests */
    uint64_t hung, dropped, failed; /* how they ended, if not well */
    uint64_t puts, removes;
    uint64_t late; /* events that were a repetition */
};
struct kube_watch_counts kube_watch_counts(const struct kube_watch *watch);
bool kube_watch_is_watching(const struct kube_watch *watch); /* and not listing or resting */
