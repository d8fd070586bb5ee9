/* read_outputs.h - the ended attempts of a job of which a replica may have had output, in the order
 * of element and number.
 * Answers come from reader_turn; their contents live as long as the call.
 * Uses reader.h and types. */
#pragma once

#include "controlplane/store/reader.h"
#include "shared/base/str.h"

enum { READ_OUTPUTS_MAX = 1000 }; /* in one answer */

struct read_output {
    struct fl_attempt attempt;
    struct fl_cluster cluster;
    struct fl_str letters; /* its replicas', see controlplane/core/replica_output.h */
    fl_ms ended_at;        /* 0: not known any more */
};

struct read_outputs {
    const struct fl_err *err; /* NULL: all went well */
    const struct read_output *at;
    size_t len;
    bool has_more; /* ask again from the last one on */
};

typedef void read_outputs_fn(void *ctx, const struct read_outputs *outputs);

/* Those behind attempt n of element 'first', up to element 'last'.  Returns the question's number;
 * 0: FL_FULL. */
uint64_t read_outputs(struct reader *reader, struct fl_job job, uint32_t first, uint16_t n,
                      uint32_t last, read_outputs_fn *fn, void *ctx, struct fl_err *err);
