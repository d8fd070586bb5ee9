#include "agent/kube/kube_seen.h"

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

struct kube_seen {
    FL_VEC(struct entry) entries;
    struct fl_map places; /* by namespace and name: its index */
    size_t objects_max;
    uint32_t list; /* counts them */
};

struct kube_seen *kube_seen_create(size_t objects_max)
{
    struct kube_seen *seen = fl_new(struct kube_seen);

    fl_assert(objects_max > 0);
    seen->objects_max = objects_max;
    return seen;
}

void kube_seen_destroy(struct kube_seen *seen)
{
    if (!seen) return;
    for (size_t i = 0; i < seen->entries.len; i++) {
        fl_free(seen->entries.at[i].text);
    }
    fl_vec_fini(&seen->entries);
    fl_map_fini(&seen->places);
    fl_free(seen);
}

size_t kube_seen_len(const struct kube_seen *seen)
{
    return seen->entries.len;
}

uint64_t kube_seen_version(struct fl_str version)
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

static struct entry *find(const struct kube_seen *seen, struct fl_str namespace, struct fl_str name)
{
    char key[KEY_BYTES_MAX];
    size_t len = write_key(namespace, name, key);
    uint64_t i;

    return fl_map_find(&seen->places, key, len, &i) ? &seen->entries.at[i] : NULL;
}

bool kube_seen_find(const struct kube_seen *seen, struct fl_str namespace, struct fl_str name,
                    struct kube_meta *ret_meta)
{
    const struct entry *entry = find(seen, namespace, name);

    if (!entry) return false;
    *ret_meta = meta_of(entry);
    return true;
}

static bool add(struct kube_seen *seen, const struct kube_meta *meta, struct fl_err *err)
{
    struct entry entry = {
        .namespace_len = (uint16_t)meta->namespace.len,
        .name_len = (uint16_t)meta->name.len,
        .uid_len = (uint16_t)meta->uid.len,
        .list = seen->list,
        .version = kube_seen_version(meta->version),
    };
    char key[KEY_BYTES_MAX];
    size_t len = write_key(meta->namespace, meta->name, key);

    if (seen->entries.len == seen->objects_max) {
        return fl_fail(err, FL_FULL, "all %zu objects of this kind are in use", seen->objects_max);
    }
    fl_assert(meta->uid.len <= KUBE_UID_BYTES_MAX);
    entry.text = fl_alloc(len + meta->uid.len);
    memcpy(entry.text, key, len);
    memcpy(entry.text + len, meta->uid.at, meta->uid.len);
    fl_map_put(&seen->places, key, len, seen->entries.len);
    fl_vec_push(&seen->entries, entry);
    return true;
}

bool kube_seen_put(struct kube_seen *seen, const struct kube_meta *meta,
                   enum kube_seen_news *ret_news, struct fl_err *err)
{
    struct entry *entry = find(seen, meta->namespace, meta->name);
    uint64_t version = kube_seen_version(meta->version);

    if (!entry) {
        if (!add(seen, meta, err)) return false;
        *ret_news = KUBE_SEEN_NEW;
        return true;
    }
    fl_assert(fl_str_eq(meta_of(entry).uid, meta->uid));
    entry->list = seen->list;
    if (version > 0 && version == entry->version) {
        *ret_news = KUBE_SEEN_SAME;
    } else if (version > 0 && version < entry->version) {
        *ret_news = KUBE_SEEN_OLDER;
    } else {
        entry->version = version;
        *ret_news = KUBE_SEEN_CHANGED;
    }
    return true;
}

/* The last one takes its place. */
static void remove_at(struct kube_seen *seen, size_t i)
{
    struct entry *entry = &seen->entries.at[i];
    struct entry last = fl_vec_pop(&seen->entries);

    fl_map_remove(&seen->places, entry->text, key_len(entry));
    fl_free(entry->text);
    if (i == seen->entries.len) return;
    *entry = last;
    fl_map_put(&seen->places, last.text, key_len(&last), i);
}

bool kube_seen_remove(struct kube_seen *seen, const struct kube_meta *meta)
{
    struct entry *entry = find(seen, meta->namespace, meta->name);

    if (!entry || !fl_str_eq(meta_of(entry).uid, meta->uid)) return false;
    remove_at(seen, (size_t)(entry - seen->entries.at));
    return true;
}

void kube_seen_begin(struct kube_seen *seen)
{
    seen->list++;
}

void kube_seen_sweep(struct kube_seen *seen, void (*gone)(void *ctx, const struct kube_meta *meta),
                     void *ctx)
{
    size_t i = 0;

    while (i < seen->entries.len) {
        struct kube_meta meta = meta_of(&seen->entries.at[i]);

        if (seen->entries.at[i].list == seen->list) {
            i++;
            continue;
        }
        gone(ctx, &meta);
        remove_at(seen, i);
    }
}

void kube_seen_forget_versions(struct kube_seen *seen)
{
    for (size_t i = 0; i < seen->entries.len; i++) {
        seen->entries.at[i].version = 0;
    }
}
