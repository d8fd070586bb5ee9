#include "controlplane/store/lease_mark.h"

#include <inttypes.h>
#include <stdio.h>

struct lease_mark_texts lease_mark_texts(const struct time_mark *mark)
{
    struct lease_mark_texts texts;

    snprintf(texts.at, sizeof texts.at, "%" PRId64, mark->at);
    snprintf(texts.hub, sizeof texts.hub, "%" PRId64, mark->clocks.hub);
    snprintf(texts.uptime, sizeof texts.uptime, "%" PRId64, mark->clocks.uptime);
    snprintf(texts.boot, sizeof texts.boot, "%" PRIu64, mark->clocks.boot);
    return texts;
}
