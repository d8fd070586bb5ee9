#include "controlplane/engine/engine_keys.h"

#include <string.h>

#include "shared/base/assert.h"

struct key_bytes {
    uint8_t at[4 + FL_KEY_BYTES_MAX];
    size_t len;
};

static struct key_bytes key_bytes(struct fl_tenant tenant, struct fl_str key)
{
    struct key_bytes bytes = {.len = 4 + key.len};

    fl_assert(key.len > 0 && key.len <= FL_KEY_BYTES_MAX);
    memcpy(bytes.at, &tenant.n, 4);
    memcpy(bytes.at + 4, key.at, key.len);
    return bytes;
}

void engine_keys_init(struct engine_keys *keys, size_t keys_max)
{
    *keys = (struct engine_keys){.keys_max = keys_max};
}

void engine_keys_fini(struct engine_keys *keys)
{
    if (keys) fl_map_fini(&keys->held);
}

bool engine_keys_hold(struct engine_keys *keys, struct fl_tenant tenant, struct fl_str key,
                      struct fl_err *err)
{
    struct key_bytes bytes = key_bytes(tenant, key);

    if (fl_map_find(&keys->held, bytes.at, bytes.len, NULL)) {
        return fl_fail(
            err, FL_CONFLICT,
            "a request with this Idempotency-Key is still running; its answer can be had "
            "with the same key once it is done");
    }
    if (keys->held.len >= keys->keys_max) {
        return fl_fail(err, FL_FULL, "%zu requests with an Idempotency-Key are already running",
                       keys->held.len);
    }
    fl_map_put(&keys->held, bytes.at, bytes.len, 1);
    return true;
}

void engine_keys_free(struct engine_keys *keys, struct fl_tenant tenant, struct fl_str key)
{
    struct key_bytes bytes = key_bytes(tenant, key);
    bool was_held = fl_map_remove(&keys->held, bytes.at, bytes.len);

    fl_assert(was_held);
}
