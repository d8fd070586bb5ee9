/* visit_status.h - the two messages of v5.channel.k8s.io that are JSON: how a visit ended, as a
 * Kubernetes Status, and the size of a terminal.
 * Uses shared/base and shared/json.  Pure. */
#pragma once

#include "shared/wire/visit.h"

enum { VISIT_STATUS_BYTES_MAX = 4096 };

/* {"metadata":{},"status":"Success"}; or Failure with a reason and a message: "NonZeroExitCode",
 * whose details name the code, or a name of our error codes. */
struct fl_str visit_status_write(const struct fl_visit_status *status,
                                 char text[VISIT_STATUS_BYTES_MAX]);

/* {"Width":80,"Height":24} */
FL_CHECK bool visit_status_read_size(struct fl_str text, struct fl_visit_size *ret_size,
                                     struct fl_err *err);
