#include "controlplane/core/core_state.h"

/* Who may speak: join tokens and certificates of clusters, tokens of the API. */

void core_access(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    (void)core;
    core_answer_code(batch, event, FL_UNSUPPORTED, "not in this build");
}
