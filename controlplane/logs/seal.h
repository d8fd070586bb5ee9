/* seal.h - makes sealed files: from an open segment that is full or old, or from sealed files,
 * without the parts to drop.  The caller chooses the jobs to keep and the middle of each output to
 * drop; only whole records are dropped.  Reads files and writes a new one; knows no threads. */
#pragma once

#include "controlplane/logs/index.h"       /* struct log_mark_list */
#include "controlplane/logs/limit_share.h" /* struct log_middle */
#include "controlplane/logs/sealed.h"
#include "controlplane/logs/segment.h"

struct log_seal_filter {
    void *ctx;
    bool (*keeps_job)(void *ctx, struct fl_job job);
    /* The middle to drop.  'end' is the output's length at the end of this segment.  Called once
     * for each output, in the order of keys. */
    struct log_middle (*middle_of)(void *ctx, const struct log_key *key, uint64_t end);
    /* An output's marks in the segment that is sealed (log_index_marks_of). */
    void (*marks_of)(void *ctx, const struct log_key *key, const struct log_segment *segment,
                     struct log_mark_list *ret_marks, uint64_t *ret_end);
    void (*between)(void *ctx); /* log_seal_files calls it between outputs */
};

/* 'now' is the time of sealing.  True: *ret_sealed is the file, or NULL if no output is left.
 * *ret_damaged: how many entries are damaged; each is a gap in the file. */
FL_CHECK bool log_seal_segment(const char *dir, const struct log_segment *segment, fl_ms now,
                               const struct log_seal_filter *filter, struct log_sealed **ret_sealed,
                               uint64_t *ret_damaged, struct fl_err *err);

/* Makes one file of one or more of a cluster, in the order of their seq, and gives it the name of
 * the last, which it replaces.  *ret_sealed is NULL if no output is left: all may be removed.
 * ret_damaged[i]: how many blocks of file i are damaged; each is a gap in the outputs that had
 * it. */
FL_CHECK bool log_seal_files(const char *dir, const struct log_sealed_list *files,
                             const struct log_seal_filter *filter, struct log_sealed **ret_sealed,
                             uint64_t *ret_damaged, struct fl_err *err);

/* Adds a gap to the sealer's last output: stored bytes that are damaged. */
FL_CHECK bool log_seal_damage(struct log_sealer *sealer, uint64_t offset, uint64_t end,
                              uint64_t line, fl_ms time, struct fl_err *err);
