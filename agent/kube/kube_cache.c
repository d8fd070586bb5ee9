#include "agent/kube/kube_cache.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"

enum { KEY_BYTES_MAX = KUBE_NAMESPACE_BYTES_MAX + 1 + KUBE_NAME_BYTES_MAX };

struct entry {
    char *text; /* namespace, '/', name, uid */
    uint16_t namespace_len, name_len, uid_len;
    uint32_t list; /* the newest that it was in */
    uint64_t version;
};

struct kube_cache {
    FL_VEC(struct entry) entries;
    struct fl_map places; /* by namespace and name: its index */
    size_t objects_max;
    uint32_t list; /* counts them */
};

struct kube_cache *kube_cache_create(size_t objects_max)
{
    struct kube_cache *cache = fl_new(struct kube_cache);

    fl_assert(objects_max > 0);
    cache->objects_max = objects_max;
    return cache;
}

void kube_cache_destroy(struct kube_cache *cache)
{
    if (!cache) return;
    for (size_t i = 0; i < cache->entries.len; i++) {
        fl_free(cache->entries.at[i].text);
    }
    fl_vec_fini(&cache->entries);
    fl_map_fini(&cache->places);
    fl_free(cache);
}

size_t kube_cache_len(const struct kube_cache *cache)
{
    return cache->entries.len;
}

uint64_t kube_cache_version(struct fl_str version)
{
    uint64_t n;

    return fl_str_parse_u64(version, &n) ? n : 0;
}

static size_t key_len(const struct entry *entry)
{
    return (size_t)entry->namespace_len + 1 + entry->name_len;
}

static struct kube_meta meta_of(const struct entry *entry)
{
    const char *name = entry->text + entry->namespace_len + 1;

    return (struct kube_meta){
        .namespace = {entry->text, entry->namespace_len},
        .name = {name, entry->name_len},
        .uid = {name + entry->name_len, entry->uid_len},
    };
}

static size_t write_key(struct fl_str namespace, struct fl_str name, char key[KEY_BYTES_MAX])
{
    fl_assert(namespace.len <= KUBE_NAMESPACE_BYTES_MAX && name.len <= KUBE_NAME_BYTES_MAX);
    if (namespace.len > 0) memcpy(key, namespace.at, namespace.len);
    key[namespace.len] = '/';
    memcpy(key + namespace.len + 1, name.at, name.len);
    return namespace.len + 1 + name.len;
}

static struct entry *find(const struct kube_cache *cache, struct fl_str namespace,
                          struct fl_str name)
{
    char key[KEY_BYTES_MAX];
    size_t len = write_key(namespace, name, key);
    uint64_t i;

    return fl_map_find(&cache->places, key, len, &i) ? &cache->entries.at[i] : NULL;
}

bool kube_cache_find(const struct kube_cache *cache, struct fl_str namespace, struct fl_str name,
                     struct kube_meta *ret_meta)
{
    const struct entry *entry = find(cache, namespace, name);

    if (!entry) return false;
    *ret_meta = meta_of(entry);
    return true;
}

static bool add(struct kube_cache *cache, const struct kube_meta *meta, struct fl_err *err)
{
    struct entry entry = {
        .namespace_len = (uint16_t)meta->namespace.len,
        .name_len = (uint16_t)meta->name.len,
        .uid_len = (uint16_t)meta->uid.len,
        .list = cache->list,
        .version = kube_cache_version(meta->version),
    };
    char key[KEY_BYTES_MAX];
    size_t len = write_key(meta->namespace, meta->name, key);

    if (cache->entries.len == cache->objects_max) {
        return fl_fail(err, FL_FULL, "all %zu objects of this kind are in use", cache->objects_max);
    }
    fl_assert(meta->uid.len <= KUBE_UID_BYTES_MAX);
    entry.text = fl_alloc(len + meta->uid.len);
    memcpy(entry.text, key, len);
    memcpy(entry.text + len, meta->uid.at, meta->uid.len);
    fl_map_put(&cache->places, key, len, cache->entries.len);
    fl_vec_push(&cache->entries, entry);
    return true;
}

bool kube_cache_put(struct kube_cache *cache, const struct kube_meta *meta,
                    enum kube_cache_news *ret_news, struct fl_err *err)
{
    struct entry *entry = find(cache, meta->namespace, meta->name);
    uint64_t version = kube_cache_version(meta->version);

    if (!entry) {
        if (!add(cache, meta, err)) return false;
        *ret_news = KUBE_CACHE_NEW;
        return true;
    }
    fl_assert(fl_str_eq(meta_of(entry).uid, meta->uid));
    entry->list = cache->list;
    if (version > 0 && version == entry->version) {
        *ret_news = KUBE_CACHE_SAME;
    } else if (version > 0 && version < entry->version) {
        *ret_news = KUBE_CACHE_OLDER;
    } else {
        entry->version = version;
        *ret_news = KUBE_CACHE_CHANGED;
    }
    return true;
}

/* The last one takes its place. */
static void remove_at(struct kube_cache *cache, size_t i)
{
    struct entry *entry = &cache->entries.at[i];
    struct entry last = fl_vec_pop(&cache->entries);

    fl_map_remove(&cache->places, entry->text, key_len(entry));
    fl_free(entry->text);
    if (i == cache->entries.len) return;
    *entry = last;
    fl_map_put(&cache->places, last.text, key_len(&last), i);
}

bool kube_cache_remove(struct kube_cache *cache, const struct kube_meta *meta)
{
    struct entry *entry = find(cache, meta->namespace, meta->name);

    if (!entry || !fl_str_eq(meta_of(entry).uid, meta->uid)) return false;
    remove_at(cache, (size_t)(entry - cache->entries.at));
    return true;
}

void kube_cache_begin(struct kube_cache *cache)
{
    cache->list++;
}

void kube_cache_sweep(struct kube_cache *cache,
                      void (*gone)(void *ctx, const struct kube_meta *meta), void *ctx)
{
    size_t i = 0;

    while (i < cache->entries.len) {
        struct kube_meta meta = meta_of(&cache->entries.at[i]);

        if (cache->entries.at[i].list == cache->list) {
            i++;
            continue;
        }
        gone(ctx, &meta);
        remove_at(cache, i);
    }
}

void kube_cache_forget_versions(struct kube_cache *cache)
{
    for (size_t i = 0; i < cache->entries.len; i++) {
        cache->entries.at[i].version = 0;
    }
}
