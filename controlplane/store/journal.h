/* journal.h - packs the rows of a batch for the journal's column 'body', and unpacks them.
 * A body is a byte for the form, then one zstd frame that holds its length and a checksum; a batch
 * without rows has an empty body.  Rows of one batch are much alike, so that their body is a
 * fraction of them on the wire, in the WAL and on the disk (decision 0056).
 * Release 0001 wrote no form byte, and rows without their lengths: its bodies begin with the first
 * byte of a zstd frame, and unpacking reads them for ever.
 * Uses libzstd and the core's rows.  A packer is not thread-safe; unpacking needs none, and each
 * thread that unpacks keeps zstd's memory for it, about 100 KB, until it ends. */
#pragma once

#include "shared/base/arena.h"
#include "shared/base/str.h"

/* One batch's rows; a body that claims more is damaged. */
#define JOURNAL_ROWS_BYTES_MAX ((size_t)1 << 30)

struct journal_packer; /* its memory is used again and again, up to JOURNAL_KEPT_BYTES */

#define JOURNAL_KEPT_BYTES ((size_t)16 << 20)

struct journal_packer *journal_packer_create(void);
void journal_packer_destroy(struct journal_packer *packer); /* NULL is fine */

/* 'rows' has at most JOURNAL_ROWS_BYTES_MAX.  The answer lives until the next call. */
struct fl_str journal_pack(struct journal_packer *packer, struct fl_str rows);

/* Puts the rows of any body into the arena, as row_decode takes them.  False: FL_TORN, or
 * FL_UNSUPPORTED for a form that only a newer program knows. */
FL_CHECK bool journal_unpack(struct fl_str body, struct fl_arena *arena, struct fl_str *ret_rows,
                             struct fl_err *err);
