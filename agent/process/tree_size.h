/* tree_size.h - how much a folder holds, with all that is below it, a bounded piece at a time.
 * Each entry counts as the larger of its length and its blocks, and as TREE_SIZE_ENTRY_BYTES at
 * least, so a limit of bytes is one of entries, too.  No symbolic link is followed.
 *   tree_size_begin ... tree_size_some until it answers something else than TREE_SIZE_MORE
 * Uses shared/base. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { TREE_SIZE_DEPTH_MAX = 32, TREE_SIZE_ENTRY_BYTES = 4096 };

enum tree_size_answer {
    TREE_SIZE_MORE,
    TREE_SIZE_KNOWN,
    TREE_SIZE_OVER,   /* more than bytes_max, or folders deeper than TREE_SIZE_DEPTH_MAX */
    TREE_SIZE_CLOSED, /* a folder cannot be read */
    TREE_SIZE_LATER,  /* there is no descriptor or no memory for it now: begin again later */
};

struct tree_size {
    void *at[TREE_SIZE_DEPTH_MAX]; /* open folders, one in the other */
    unsigned depth;                /* 0: it is over, or did not begin */
    uint64_t bytes, bytes_max;
};

/* Measures dir/name.  False: errno says why it cannot be read; tree_size_is_for_later looks at
 * that. */
bool tree_size_begin(struct tree_size *size, int dir, const char *name, uint64_t bytes_max);

bool tree_size_is_for_later(void);

/* Looks at up to *entries_left entries, and counts them down. */
enum tree_size_answer tree_size_some(struct tree_size *size, unsigned *entries_left);

void tree_size_end(struct tree_size *size); /* over already, or zeroed, is fine */
