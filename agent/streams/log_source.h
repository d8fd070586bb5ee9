/* log_source.h - where the pump's records come from: the runtime's output, with its holes as gap records.
 * A runtime tells of bytes it does not have by a jump between two records; a stream of records has no jumps,
 * so each becomes a gap record here, and so does a hole between what the hub asks for and the first record
 * that is left.  A record that begins before what is asked for is cut.
 * Uses shared code, the pump and the runtime port.  Not thread-safe. */
#pragma once

#include "agent/runtime.h"
#include "agent/streams/log_pump.h"
#include "shared/base/buf.h"

struct log_source {
    struct runtime runtime; /* borrowed */
    struct fl_buf records;  /* as the runtime gave them */
};

void log_source_init(struct log_source *source, struct runtime runtime);
void log_source_fini(struct log_source *source);

/* For log_pump_create; 'source' must outlive the pump. */
struct log_pump_port log_source_port(struct log_source *source);
