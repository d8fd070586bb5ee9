/* seal.h - makes sealed files: from an open segment that is over, or from a sealed one without the
 * parts that are not kept.  The caller decides which part of an output goes along; it is left out
 * record by record, since records are not cut.  Reads files, writes a new one; knows neither
 * threads nor index. */
#pragma once

#include "controlplane/logs/limit_share.h" /* struct log_middle */
#include "controlplane/logs/sealed.h"
#include "controlplane/logs/segment.h"

struct log_seal_filter {
    void *ctx;
    bool (*keeps_job)(void *ctx, struct fl_job job);
    /* 'end' is how far the output was at the end of this segment.  Once per output, in the order of
     * keys. */
    struct log_middle (*middle_of)(void *ctx, const struct log_key *key, uint64_t end);
};

/* True: *ret_sealed is the file, or NULL when nothing was left to be kept.  'ret_is_damaged': the
 * segment ends before its last entry. */
FL_CHECK bool log_seal_segment(const char *dir, const struct log_segment *segment,
                               const struct log_seal_filter *filter, struct log_sealed **ret_sealed,
                               bool *ret_is_damaged, struct fl_err *err);

/* The file of the same name is replaced; NULL: nothing is left, it may be removed.  A damaged block
 * is left out: readers find a gap. */
FL_CHECK bool log_seal_again(const char *dir, const struct log_sealed *old,
                             const struct log_seal_filter *filter, struct log_sealed **ret_sealed,
                             struct fl_err *err);
