/* batch_bounds.h - how much a batch may be: lines, values in them, and bytes of its answer.  One
 * over a bound is refused as a whole, before anything of it is done.  So one request costs bounded
 * time and memory, and never ends in a refusal after its jobs were made.
 * Pure. */
#pragma once

#include "controlplane/api/call.h"
#include "controlplane/core/core_event.h"
#include "shared/json/json.h"

#define BATCH_LINES_MAX 2000    /* jobs, definitions and bad ones */
#define BATCH_VALUES_MAX 200000 /* JSON values in all lines */
_Static_assert(BATCH_LINES_MAX >= 2 * CORE_SUBMIT_MAX, "each job may have a definition");

/* A result with an id, or what the core's refusal of one job takes; more than ever seen. */
enum { BATCH_RESULT_BYTES = 4096 };

struct batch_bounds { /* {0} has counted nothing */
    size_t lines, values, answer_bytes;
};

/* One more line, NULL: it is no JSON.  False: FL_TOO_LARGE; look at no further line. */
FL_CHECK bool batch_bounds_line(struct batch_bounds *bounds, const struct fl_json *line,
                                struct fl_err *err);

/* A line's result has so many bytes beside BATCH_RESULT_BYTES.  False: as above. */
FL_CHECK bool batch_bounds_result(struct batch_bounds *bounds, size_t bytes, struct fl_err *err);
