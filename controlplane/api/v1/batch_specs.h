/* batch_specs.h - specs that lines of a batch share: an earlier line defines one, and lines use it
 * by name; or an earlier job had it, and lines use it by digest.  A line that uses one adds
 * members of its own.
 * A spec that asks for no CPU gets its queue's default.  Where a line takes it to another queue, a
 * variant with that queue's default is made, once for all lines. */
#pragma once

#include "controlplane/api/v1/batch_state.h"

/* Each takes one line, whose document is 'object', or refuses the line. */
void batch_specs_define(struct batch *batch, struct batch_line *line, const struct fl_json *object);
void batch_specs_use(struct batch *batch, struct batch_line *line, const struct fl_json *object);
void batch_specs_use_digest(struct batch *batch, struct batch_line *line,
                            const struct fl_json *object);

/* Collects the digests that the lines name, READ_NEWEST_SPECS_MAX at most; batch_specs_use_digest
 * refuses the others. */
void batch_specs_find_digests(struct batch *batch);

/* The spec of digest 'i' has this body; empty: it was not found. */
void batch_specs_read_earlier(struct batch *batch, size_t i, struct fl_str body);
