#include "controlplane/core/core_state.h"

/* The end of a session.  Below core_session and core_access, since both end sessions. */

void core_disconnected(struct core *core, struct cluster *cluster)
{
    bool was_connected = cluster->is_connected;

    cluster_end_session(&core->clusters, cluster);
    if (!was_connected || core->is_db_away || cluster->is_silent) return;
    if (cluster->lost_at) return; /* it was back for a moment and listed nothing */
    cluster->lost_at = core->now + core->config.silence_ms;
    core_timer_arm(core, TIMER_LOSS, cluster->id.n, cluster->lost_at);
}

void core_disconnect(struct core *core, struct core_batch *batch, struct cluster *cluster,
                     enum fl_code code, const char *why)
{
    struct core_send bye = core_send_to(cluster, CORE_SEND_bye);

    if (!cluster->is_connected) return;
    bye.code = code;
    bye.text = why;
    core_emit_send(batch, &bye);
    core_disconnected(core, cluster);
}
