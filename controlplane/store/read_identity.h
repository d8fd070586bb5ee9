/* read_identity.h - queues, clusters, join tokens and API tokens: all that a front must know to let
 * people and agents in.  A front reads them when it starts and when a term begins, and then keeps
 * up by the rows of the engine's notices, which are of the same kinds.
 *
 * 'row' is called for each, then 'done' with the newest batch at the beginning of the read.  The
 * read may hold later changes; so the rows of notices that came meanwhile, with a batch after that
 * one, are applied once more behind it: a put or a drop twice is once.
 * Uses reader.h and the core's rows. */
#pragma once

#include "controlplane/core/row.h"
#include "controlplane/store/reader.h"

enum { READ_IDENTITY_PAGE = 1000 };

typedef void read_identity_row_fn(void *ctx, const struct row *row);
/* err NULL: all rows were given. */
typedef void read_identity_done_fn(void *ctx, const struct fl_err *err, uint64_t batch);

/* The number of the question; 0: FL_FULL. */
uint64_t read_identity(struct reader *reader, read_identity_row_fn *row,
                       read_identity_done_fn *done, void *ctx, struct fl_err *err);

/* Whether a row of a notice concerns what is read here. */
bool read_identity_is(const struct row *row);
