/* trace.h - the name by which an answer that refuses is found in the log: its traceId.
 * It is the caller's own, of a 'traceparent' (W3C Trace Context), or the next of ours.
 * Uses shared/base only.  Pure.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shared/wire/http_head.h"

enum { FL_TRACE_MAX = 32 + 1 };

struct fl_traces {
    uint64_t seed; /* drawn at the start, so that processes and threads have different ones */
    uint64_t last;
};

/* 'head' NULL: none could be read.  True: it is the caller's own. */
bool fl_trace_name(struct fl_traces *traces, const struct fl_http_head *head,
                   char ret_trace[FL_TRACE_MAX]);
