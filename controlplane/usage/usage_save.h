/* usage_save.h - sends the sums of a pass and the new mark, all in one statement.
 * Uses the store's connections and statements. */
#pragma once

#include "controlplane/usage/usage_day.h"
#include "controlplane/usage/usage_hour.h"

struct pg_conn;

struct usage_mark {
    uint64_t from, to; /* it is moved from there only; the sums are kept if it was */
    fl_ms to_at;
};

/* The sums are merged and complete.  The answer is one row: whether the mark was moved.  False: the
 * connection is lost. */
FL_CHECK bool usage_save(struct pg_conn *conn, const struct usage_mark *mark,
                         const struct usage_days *days, const struct usage_hours *hours);
