/* read_specs.h - reads the documents that jobs were made from, by job and digest, many at once.
 * Answers come from reader_turn; their contents live as long as the call.
 * Uses reader.h. */
#pragma once

#include "controlplane/store/reader.h"
#include "shared/base/str.h"

enum {
    READ_SPECS_MAX = 100,
    READ_NEWEST_SPECS_MAX = 16,  /* small, since each is searched among all jobs walked */
    READ_NEWEST_WALK_MAX = 10000 /* jobs */
};

struct read_spec {
    struct fl_job job; /* any job that has the spec */
    struct fl_digest digest;
};

struct read_specs {
    const struct fl_err *err; /* NULL: all went well */
    /* one for each that was asked for, in that order; 'at' NULL: not found */
    const struct fl_str *bodies;
    size_t len;
};

typedef void read_specs_fn(void *ctx, const struct read_specs *specs);

/* Finds specs of this tenant's jobs, in this queue (0: in all), among the newest
 * READ_NEWEST_WALK_MAX jobs of all tenants: a digest gives no right to its spec.  At most
 * READ_NEWEST_SPECS_MAX. */
uint64_t read_specs_of_newest(struct reader *reader, struct fl_tenant tenant,
                              struct fl_queue_id queue, const struct fl_digest *digests, size_t len,
                              read_specs_fn *fn, void *ctx, struct fl_err *err);

/* At most READ_SPECS_MAX.  Returns the question's number; 0: FL_FULL. */
uint64_t read_specs(struct reader *reader, const struct read_spec *specs, size_t len,
                    read_specs_fn *fn, void *ctx, struct fl_err *err);
