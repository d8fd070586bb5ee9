#include "controlplane/engine/engine_mutes.h"

void engine_mutes_add(struct engine_mutes *mutes, struct fl_cluster cluster, fl_ms until, fl_ms now)
{
    size_t at = 0;

    while (at < mutes->len && mutes->at[at].cluster.n != cluster.n && now < mutes->at[at].until) {
        at++;
    }
    if (at == ENGINE_MUTES_MAX) at = 0;
    if (at == mutes->len) mutes->len++;
    mutes->at[at] = (struct engine_mute){cluster, until};
}

bool engine_mutes_has(const struct engine_mutes *mutes, struct fl_cluster cluster, fl_ms now)
{
    for (size_t i = 0; i < mutes->len; i++) {
        if (mutes->at[i].cluster.n == cluster.n && now < mutes->at[i].until) return true;
    }
    return false;
}
