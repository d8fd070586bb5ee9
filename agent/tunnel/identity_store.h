/* identity_store.h - the port behind which an agent's identity is kept: a few small texts by name.
 * Today it is a folder (identity_folder.h); a Secret of the cluster fits as well.
 * A call may wait, a few seconds at most: the store is asked at the start, and twice in the life of
 * a certificate. */
#pragma once

#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"

struct identity_store_ops {
    /* Calls 'fn' for each text that is there; other names may be among them. */
    bool (*list)(void *self, void (*fn)(void *ctx, const char *name), void *ctx,
                 struct fl_err *err) FL_CHECK;
    /* Appends the whole text; FL_ABSENT, FL_TOO_LARGE beyond the bound of 'text'. */
    bool (*read)(void *self, const char *name, struct fl_buf *text, struct fl_err *err) FL_CHECK;
    /* Replaces it, all or nothing; it is durable when this returns true. */
    bool (*write)(void *self, const char *name, struct fl_str text, struct fl_err *err) FL_CHECK;
    /* One that is not there is fine. */
    bool (*remove)(void *self, const char *name, struct fl_err *err) FL_CHECK;
};

struct identity_store {
    const struct identity_store_ops *ops;
    void *self;
};
