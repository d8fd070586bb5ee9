/* row_deed.h - the job that a record of the audit is about.
 * A hold, a release, a stop and an edit of one job are records like "hold job-7", each before the
 * rows that it decides, so that a reader of a batch can tell who did them.  The index audit_of_job
 * (migration 0024) finds the same records.  Uses shared/base only. */
#pragma once

#include "controlplane/core/row.h"

struct row_deed {
    struct fl_job job;   /* 0: the row is another one, or tells of a refusal */
    enum core_mark mark; /* that it sets or clears, if any: held or cancel */
};

struct row_deed row_deed(const struct row *row);
