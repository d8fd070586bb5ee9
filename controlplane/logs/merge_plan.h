/* merge_plan.h - which sealed files of a cluster to make one of.
 * Files of about equal size are merged by eight or more, so that output is written again only a few
 * times, and the number of files grows with the logarithm of what is stored.  Files stay in their
 * order, also beside segments that are not sealed yet: outputs go on from one to the next.  A file
 * that was sealed much later is not merged with older ones: it could not go with them when their
 * time is over.  Uses shared/base only.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/types.h"

#define LOG_MERGE_FILES 8                         /* this many are worth it */
#define LOG_MERGE_FILES_MAX 16                    /* at once */
#define LOG_MERGE_BYTES_MAX ((uint64_t)1 << 30)   /* a merged file has */
#define LOG_MERGE_OUTPUTS_MAX ((uint64_t)1 << 22) /* in a merged file */

struct log_merge_file {
    uint64_t bytes, outputs;
    fl_ms sealed_at;
    bool is_behind_segment; /* one is still to be sealed between the file before and this one */
};

/* 'files' are one cluster's, by seq; those merged were sealed within span_ms of each other.  False:
 * none are to be merged. */
bool log_merge_plan(const struct log_merge_file *files, size_t len, fl_ms span_ms,
                    size_t *ret_first, size_t *ret_len);
