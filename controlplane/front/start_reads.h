/* start_reads.h - the documents of STARTs that the cache has not: they are read from the store.
 * All that one turn wants is read in as few questions as it takes.  A read that fails says nothing
 * of the documents, so it is tried again for a while; a document that a read does not find cannot
 * be had, and the agent refuses its START.  Not thread-safe: the front's. */
#pragma once

#include "controlplane/store/read_jobs.h"
#include "controlplane/store/read_specs.h"
#include "shared/base/types.h"

struct fl_loop;
struct spec_cache;
struct start_reads; /* opaque */

struct start_reads_ports {
    void *ctx;
    /* The store's questions, as read_jobs_by_id and read_specs have them: 0 if it failed. */
    uint64_t (*jobs)(void *ctx, const struct fl_job *jobs, size_t len, read_jobs_fn *fn,
                     void *fn_ctx, struct fl_err *err);
    uint64_t (*documents)(void *ctx, const struct read_spec *specs, size_t len, read_specs_fn *fn,
                          void *fn_ctx, struct fl_err *err);
    void (*asked)(void *ctx); /* after questions were put */

    /* The cache has now what can be had for the START of this ticket. */
    void (*tell)(void *ctx, uint64_t ticket, struct fl_job job);
};

enum { START_READ_MS = 1000 }; /* between two reads, when the store cannot be asked */

struct start_reads *start_reads_create(struct fl_loop *loop, struct spec_cache *specs,
                                       const struct start_reads_ports *ports, fl_ms again_ms);
void start_reads_destroy(struct start_reads *reads); /* NULL is fine; the store answers no more */

void start_reads_add(struct start_reads *reads, uint64_t ticket, struct fl_job job);
