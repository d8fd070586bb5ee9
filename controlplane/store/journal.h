/* journal.h - the rows of a batch as the journal's column 'body' has them: a byte that says the
 * form, then one zstd frame with its length and a checksum in it; no rows are no bytes.  Rows of
 * one batch are much alike, so that what goes over the wire, into the WAL and onto the disk is a
 * fraction of them (decision 0056). Release 0001 wrote no form, and rows without their lengths:
 * such a body begins as a zstd frame does, and is read for ever. Uses libzstd and the core's
 * rows.  A packer is not thread-safe; unpacking needs none. */
#pragma once

#include "shared/base/arena.h"
#include "shared/base/str.h"

#define JOURNAL_ROWS_BYTES_MAX                                                                     \
    ((size_t)1 << 30) /* in one batch; a body that claims more is damaged */

struct journal_packer; /* its memory is used again and again, up to JOURNAL_KEPT_BYTES */

#define JOURNAL_KEPT_BYTES ((size_t)16 << 20)

struct journal_packer *journal_packer_create(void);
void journal_packer_destroy(struct journal_packer *packer); /* NULL is fine */

/* 'rows' has at most JOURNAL_ROWS_BYTES_MAX.  The answer lives until the next call. */
struct fl_str journal_pack(struct journal_packer *packer, struct fl_str rows);

/* Any bytes are either a body, whose rows are in the arena then, as row_decode takes them, or
 * refused: FL_TORN, or FL_UNSUPPORTED for a form that only a newer program knows. */
FL_CHECK bool journal_unpack(struct fl_str body, struct fl_arena *arena, struct fl_str *ret_rows,
                             struct fl_err *err);
