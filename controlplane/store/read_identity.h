/* read_identity.h - reads queues, clusters, join tokens and API tokens: all that a front must know
 * to let people and agents in.  A front reads them when it starts and when a term begins; after
 * that it follows the rows of the engine's notices, which have the same kinds.
 *
 * The read calls 'row' for each, then 'done' with the batch that was newest when it began.  It may
 * see later changes; so the front applies the rows of notices behind that batch once more.  A put
 * or a drop that is applied twice does no harm.  Uses reader.h and the core's rows. */
#pragma once

#include "controlplane/core/row.h"
#include "controlplane/store/reader.h"

enum { READ_IDENTITY_PAGE = 1000 };

typedef void read_identity_row_fn(void *ctx, const struct row *row);
/* err NULL: all rows were given. */
typedef void read_identity_done_fn(void *ctx, const struct fl_err *err, uint64_t batch);

/* Returns the question's number; 0: FL_FULL. */
uint64_t read_identity(struct reader *reader, read_identity_row_fn *row,
                       read_identity_done_fn *done, void *ctx, struct fl_err *err);

/* Whether a notice's row is of a kind that is read here. */
bool read_identity_is(const struct row *row);
