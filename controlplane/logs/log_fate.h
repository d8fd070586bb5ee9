/* log_fate.h - whether a reader may still expect something of one output.  Readers of logs and the
 * simulator's followers decide by this one rule.  Pure. */
#pragma once

#include <stdbool.h>

#include "controlplane/core/replica_output.h"

enum log_fate {
    LOG_FATE_none,    /* there is no output */
    LOG_FATE_ended,   /* its end is stored */
    LOG_FATE_awaited, /* its end will come, or may */
    LOG_FATE_lost,    /* its end is not known, and nothing more comes: readers get a gap */
};

/* 'letter' is that of the row that ended the attempt; no row, or an empty one, is CORE_OUTPUT_none.
 * 'has_bytes': some output is stored.  'is_given_up': its cluster was removed, or its agent has had
 * its time to bring it. */
static inline enum log_fate log_fate(char letter, bool has_bytes, bool is_ended, bool is_given_up)
{
    if (is_ended) return LOG_FATE_ended;
    if (letter == CORE_OUTPUT_lost) return LOG_FATE_lost;
    if (letter == CORE_OUTPUT_none && !has_bytes) return LOG_FATE_none;
    return is_given_up ? LOG_FATE_lost : LOG_FATE_awaited;
}
