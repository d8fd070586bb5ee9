/* view_pass.h - the lines of a record that do not match, passed over without a copy.
 * Most lines of a search do not match.  The first line that may match stays, and all that is not
 * whole within the record.
 * Uses view.h and pattern.h.  The view's thread calls it. */
#pragma once

#include "controlplane/logs/view.h"

/* 'record' begins at output->offset.  True: the output has moved on, by whole lines. */
FL_CHECK bool log_view_pass(struct log_view *view, struct log_view_output *output,
                            const struct fl_log_record *record);
