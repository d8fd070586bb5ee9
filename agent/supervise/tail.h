/* tail.h - the newest bytes of a job's output, in memory, for the line that its exit record has.
 * Uses shared/base only.  Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "shared/base/last_line.h"

struct tail {
    char at[FL_LAST_LINE_TAIL_MAX]; /* a ring */
    uint64_t bytes;                 /* all that were put */
};

void tail_put(struct tail *tail, const char *ptr, size_t len);

/* The line of them that says why the job failed; in 'ret_text', and empty if there is none. */
struct fl_str tail_line(const struct tail *tail, char ret_text[FL_WORDS_BYTES_MAX + 1]);
