/* row_spill.h - the rows of a table that is being written: in memory while they are few, else in a
 * file without a name.  So a merge of many outputs takes no more memory than one of few.
 * Not thread-safe. */
#pragma once

#include "shared/base/buf.h"
#include "shared/base/err.h"

struct row_spill {
    char *path;         /* the file's, while it has a name; owned */
    int fd;             /* -1: all rows are in 'rows' */
    uint64_t bytes;     /* in the file */
    struct fl_buf rows; /* the newest: append here, then call row_spill_check */
};

/* Takes over 'path'. */
void row_spill_init(struct row_spill *spill, char *path);
void row_spill_fini(struct row_spill *spill);

/* Writes the rows to the file if they are many.  FL_IO, FL_NO_SPACE. */
FL_CHECK bool row_spill_check(struct row_spill *spill, struct fl_err *err);

/* Gives all rows, in pieces of whole rows of row_bytes each. */
FL_CHECK bool row_spill_each(const struct row_spill *spill, size_t row_bytes,
                             bool (*piece)(void *ctx, const uint8_t *at, size_t len,
                                           struct fl_err *err),
                             void *ctx, struct fl_err *err);
