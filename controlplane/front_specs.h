/* front_specs.h - what STARTs need beside the core's words: documents by digest, and each job's own part.
 * Filled from the rows of committed batches as they are noticed, so that a job that starts at once never
 * waits for a read; what has been pushed out, or was accepted before this process began, is read by the
 * front and put here.  Bounded in bytes: the oldest go.
 * Thread-safe: the engine thread fills, fronts copy out. */
#pragma once

#include "controlplane/core/row.h"
#include "shared/base/buf.h"

struct front_specs;

struct front_specs *front_specs_create(size_t bytes_max);
void front_specs_destroy(struct front_specs *specs); /* NULL is fine */

/* ROW_job_new and ROW_spec_new; others are ignored. */
void front_specs_apply(struct front_specs *specs, const struct row *row);

void front_specs_put_job(struct front_specs *specs, struct fl_job job, struct fl_digest digest,
                         struct fl_str params);
void front_specs_put_document(struct front_specs *specs, struct fl_digest digest,
                              struct fl_str document);

/* Both are copied behind what the buffers hold.  False: some part is not here, and nothing was copied. */
bool front_specs_find(struct front_specs *specs, struct fl_job job, struct fl_digest *ret_digest,
                      struct fl_buf *ret_document, struct fl_buf *ret_params);
