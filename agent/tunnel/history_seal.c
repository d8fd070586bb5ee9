#include "agent/tunnel/history_seal.h"

#include <string.h>

#include "shared/io/log.h"

#define NAME "history"

static void store(struct history_seal *seal)
{
    struct fl_err err = {0};

    if (seal->is_stored || seal->len == 0) return;
    seal->is_stored =
        seal->store.ops->write(seal->store.self, NAME, history_seal_bytes(seal), &err);
    if (!seal->is_stored) {
        fl_log(FL_LOG_WARN, "agent", "seal_not_stored", FL_LOG_S("why", err.text));
    }
}

void history_seal_load(struct history_seal *seal, struct identity_store from)
{
    struct fl_err err = {0};
    struct fl_buf text;

    *seal = (struct history_seal){.store = from};
    fl_buf_init(&text, HISTORY_SEAL_BYTES_MAX);
    if (from.ops->read(from.self, NAME, &text, &err)) {
        memcpy(seal->at, text.at, text.len);
        seal->len = text.len;
        seal->is_stored = true;
    } else if (err.code != FL_ABSENT) {
        fl_log(FL_LOG_WARN, "agent", "seal_not_read", FL_LOG_S("why", err.text));
    }
    fl_buf_fini(&text);
}

void history_seal_connected(struct history_seal *seal)
{
    seal->store_at = 0;
}

void history_seal_hear(struct history_seal *seal, struct fl_str bytes, fl_ms now)
{
    if (bytes.len > HISTORY_SEAL_BYTES_MAX || fl_str_eq(bytes, history_seal_bytes(seal))) return;
    memcpy(seal->at, bytes.at, bytes.len);
    seal->len = bytes.len;
    seal->is_stored = false;
    if (now < seal->store_at) return;
    seal->store_at = now + HISTORY_SEAL_STORE_MS;
    store(seal);
}

struct fl_str history_seal_bytes(const struct history_seal *seal)
{
    return (struct fl_str){(const char *)seal->at, seal->len};
}

void history_seal_end(struct history_seal *seal)
{
    store(seal);
}
