/* history_seal.h - the newest seal of the hub's database (decision 73), kept for the next HELLO.
 * The agent cannot read, make or change a seal.  It is kept in memory, and in the agent's store
 * under "history", so that an agent that was started again still knows one: the first of each
 * connection is stored, one each HISTORY_SEAL_STORE_MS of those after it, and the newest when the
 * agent ends.  A seal that cannot be stored is logged, and holds up nothing.
 * The caller says what time it is. */
#pragma once

#include "agent/tunnel/identity_store.h"
#include "shared/base/types.h"

enum { HISTORY_SEAL_BYTES_MAX = 64, HISTORY_SEAL_STORE_MS = 300000 };

struct history_seal {
    struct identity_store store;
    uint8_t at[HISTORY_SEAL_BYTES_MAX];
    size_t len; /* 0: none yet */
    bool is_stored;
    fl_ms store_at; /* the earliest time to store one */
};

/* Reads the stored one, if there is any. */
void history_seal_load(struct history_seal *seal, struct identity_store store);

/* A connection begins: its first seal is stored at once. */
void history_seal_connected(struct history_seal *seal);

void history_seal_hear(struct history_seal *seal, struct fl_str bytes, fl_ms now);

/* For HELLO; empty: none.  Borrowed until the next one is heard. */
struct fl_str history_seal_bytes(const struct history_seal *seal);

/* The agent ends: stores the newest. */
void history_seal_end(struct history_seal *seal);
