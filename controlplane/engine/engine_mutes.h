/* engine_mutes.h - the clusters that the engine does not listen to for a while.
 * The database refused what followed from an event of theirs, and their agents would say the same
 * again and again; the others are not to pay for it.
 * Uses shared/base only.  Not thread-safe: the engine owns it. */
#pragma once

#include "shared/base/types.h"

enum { ENGINE_MUTES_MAX = 32 };

struct engine_mute {
    struct fl_cluster cluster;
    fl_ms until;
};

struct engine_mutes {
    struct engine_mute at[ENGINE_MUTES_MAX]; /* a place whose time is over is free */
    size_t len;
};

/* At ENGINE_MUTES_MAX another cluster is heard again too early. */
void engine_mutes_add(struct engine_mutes *mutes, struct fl_cluster cluster, fl_ms until,
                      fl_ms now);
bool engine_mutes_has(const struct engine_mutes *mutes, struct fl_cluster cluster, fl_ms now);
