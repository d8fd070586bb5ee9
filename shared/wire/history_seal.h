/* history_seal.h - a seal of the hub's on its way through an agent: how far its database was.
 * The hub sends it in the message 'history', to agents whose HELLO names the capability; the agent
 * keeps the bytes, which it cannot read or make, and gives them back in its next HELLO, as the
 * capability "history:HEX".  So an older agent or hub takes no harm.
 * Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/str.h"

enum {
    FL_HISTORY_SEAL_BYTES_MAX = 64,
    FL_HISTORY_TEXT_MAX = 2 * FL_HISTORY_SEAL_BYTES_MAX + 16,
};

struct fl_history_seal {
    uint8_t at[FL_HISTORY_SEAL_BYTES_MAX];
    size_t len; /* 0: none yet */
};

/* "history:HEX", with its quotes and a final zero. */
void fl_history_seal_print(const struct fl_history_seal *seal, char out[FL_HISTORY_TEXT_MAX]);

/* False: the list of capabilities does not name it.  A malformed seal has no bytes. */
bool fl_history_seal_find(struct fl_str capabilities, struct fl_history_seal *ret_seal);
