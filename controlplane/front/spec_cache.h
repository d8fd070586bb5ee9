/* spec_cache.h - what STARTs need beside the core's words: documents by digest, and each job's own
 * part.  Filled from the rows of committed batches as they are noticed, so that a job that starts
 * at once never waits for a read; the front reads documents that were pushed out, or accepted
 * before this process began, and puts them here.  Bounded in bytes: the oldest go.  Thread-safe:
 * the engine thread fills, fronts copy out. */
#pragma once

#include "controlplane/core/row.h"
#include "shared/base/buf.h"

struct spec_cache;

struct spec_cache *spec_cache_create(size_t bytes_max);
void spec_cache_destroy(struct spec_cache *specs); /* NULL is fine */

/* ROW_job_new and ROW_spec_new; others are ignored. */
void spec_cache_apply(struct spec_cache *specs, const struct row *row);

void spec_cache_put_job(struct spec_cache *specs, struct fl_job job, struct fl_digest digest,
                        struct fl_str params);
void spec_cache_put_document(struct spec_cache *specs, struct fl_digest digest,
                             struct fl_str document);

/* Both are copied behind what the buffers hold.  False: some part is not here, and nothing was
 * copied. */
bool spec_cache_find(struct spec_cache *specs, struct fl_job job, struct fl_digest *ret_digest,
                     struct fl_buf *ret_document, struct fl_buf *ret_params);
