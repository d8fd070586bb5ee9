/* log_output_state.h - whether a reader may still expect something of one output.  Readers of logs
 * and the simulator's followers decide by this one rule.  Pure. */
#pragma once

#include <stdbool.h>

#include "controlplane/core/replica_output.h"

enum log_output_state {
    LOG_OUTPUT_STATE_none,    /* there is no output */
    LOG_OUTPUT_STATE_ended,   /* its end is stored */
    LOG_OUTPUT_STATE_awaited, /* its end will come, or may */
    LOG_OUTPUT_STATE_lost,    /* its end is not known, and nothing more comes: readers get a gap */
};

/* 'letter' is that of the row that ended the attempt; no row, or an empty one, is CORE_OUTPUT_none.
 * 'has_bytes': some output is stored.  'is_given_up': its cluster was removed, or its agent has had
 * its time to bring it. */
static inline enum log_output_state log_output_state(char letter, bool has_bytes, bool is_ended,
                                                     bool is_given_up)
{
    if (is_ended) return LOG_OUTPUT_STATE_ended;
    if (letter == CORE_OUTPUT_lost) return LOG_OUTPUT_STATE_lost;
    if (letter == CORE_OUTPUT_none && !has_bytes) return LOG_OUTPUT_STATE_none;
    return is_given_up ? LOG_OUTPUT_STATE_lost : LOG_OUTPUT_STATE_awaited;
}
