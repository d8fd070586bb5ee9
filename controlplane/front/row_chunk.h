/* row_chunk.h - the rows of one committed batch, shared by the fronts that have followers.
 * The engine thread copies them once; each letter holds a count, and the last release frees them.
 * Never changed after create.  Thread-safe. */
#pragma once

#include "shared/base/str.h"
#include "shared/base/types.h"

struct row_chunk;

struct row_chunk *row_chunk_create(struct fl_str rows); /* copies; the count is 1 */
struct row_chunk *row_chunk_share(struct row_chunk *chunk);
void row_chunk_release(struct row_chunk *chunk); /* NULL is fine */

struct fl_str row_chunk_rows(const struct row_chunk *chunk); /* borrowed while a count is held */
