/* engine_keys.h - which Idempotency-Keys belong to requests that are not settled yet.
 * Two requests with one key must not both enter the core: the rows that would tell are not
 * committed yet.  So a key is held from before it is looked up until its batch is committed, or
 * until a reload has settled what became of it.
 * Uses shared/base only.  Not thread-safe. */
#pragma once

#include "shared/base/api_limits.h" /* FL_KEY_BYTES_MAX */
#include "shared/base/err.h"
#include "shared/base/map.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

struct engine_keys {
    struct fl_map held; /* tenant and key */
    size_t keys_max;
};

void engine_keys_init(struct engine_keys *keys, size_t keys_max);
void engine_keys_fini(struct engine_keys *keys);

/* FL_CONFLICT: a request with this key is still running; FL_FULL: at keys_max. */
FL_CHECK bool engine_keys_hold(struct engine_keys *keys, struct fl_tenant tenant, struct fl_str key,
                               struct fl_err *err);

/* It must be held. */
void engine_keys_free(struct engine_keys *keys, struct fl_tenant tenant, struct fl_str key);
