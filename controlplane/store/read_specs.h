/* read_specs.h - the documents that jobs were made from, by job and digest, many in one question.
 * Answers come from reader_turn; what they point to lives as long as the call.
 * Uses reader.h. */
#pragma once

#include "controlplane/store/reader.h"
#include "shared/base/str.h"

enum { READ_SPECS_MAX = 100 };

struct read_spec {
    struct fl_job job; /* any that has it */
    struct fl_digest digest;
};

struct read_specs {
    const struct fl_err *err; /* NULL: all went well */
    const struct fl_str
        *bodies; /* as many as were asked for, in their order; 'at' NULL: not there */
    size_t len;
};

typedef void read_specs_fn(void *ctx, const struct read_specs *specs);

/* At most READ_SPECS_MAX.  The number of the question; 0: FL_FULL. */
uint64_t read_specs(struct reader *reader, const struct read_spec *specs, size_t len,
                    read_specs_fn *fn, void *ctx, struct fl_err *err);
