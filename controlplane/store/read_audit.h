/* read_audit.h - reads the audit, the newest row first.
 * A page walks READ_AUDIT_MAX rows at most and leaves out other tenants': a short page need not be
 * the last.  Answers come from reader_turn; their contents live as long as the call.
 * Uses reader.h and the core's rows. */
#pragma once

#include "controlplane/core/row.h"
#include "controlplane/store/reader.h"

enum { READ_AUDIT_MAX = 1000 };

struct read_audit_row {
    uint64_t batch;
    uint32_t n;
    fl_ms at;
    struct row_audit audit; /* empty: not known; outcome: it was done */
};

struct read_audit {
    const struct fl_err *err; /* NULL: all went well */
    const struct read_audit_row *at;
    size_t len;
    bool has_more; /* ask again with (batch, n) below */
    uint64_t batch;
    uint32_t n;
};

typedef void read_audit_fn(void *ctx, const struct read_audit *audit);

/* Rows before (batch, n); batch 0: from the newest on.  Every tenant sees the rows of the control
 * plane itself (tenant 0).  Returns the question's number; 0: FL_FULL. */
uint64_t read_audit(struct reader *reader, struct fl_tenant tenant, uint64_t batch, uint32_t n,
                    size_t len_max, read_audit_fn *fn, void *ctx, struct fl_err *err);
