/* progress.h - how far a backup or restore is, on a terminal: a line that is written over, at most
 * five times a second.  Elsewhere nothing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct progress { /* {.is_terminal = ...} */
    bool is_terminal;
    bool is_shown;
    int64_t shown_us;
};

/* So many of 'of' bytes; 0: the end is not known. */
void progress_show(struct progress *progress, const char *name, uint64_t bytes, uint64_t of);
void progress_end(struct progress *progress); /* the line is clear again */

struct progress_size {
    char text[16];
};
struct progress_size progress_size(uint64_t bytes); /* "41.2 MiB" */
