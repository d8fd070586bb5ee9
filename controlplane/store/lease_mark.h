/* lease_mark.h - the mark of time in the lease's row: the columns of a statement, and its texts.
 * Uses engine/time_rule.h. */
#pragma once

#include "controlplane/engine/time_rule.h"

/* With $1 the holder; Postgres's own clock is read as the statement runs. */
#define LEASE_MARK_SET                                                                             \
    " core_at = $2, postgres_at = (extract(epoch from clock_timestamp()) * 1000)::int8,"           \
    " hub_at = $3, uptime_at = $4, boot = $5"

/* $2 to $5. */
struct lease_mark_texts {
    char at[24], hub[24], uptime[24], boot[24];
};

struct lease_mark_texts lease_mark_texts(const struct time_mark *mark);
