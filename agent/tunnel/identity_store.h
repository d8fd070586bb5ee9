/* identity_store.h - the port to the store of an agent's identity: a few small texts by name.
 * Today it is a folder (identity_folder.h); a Secret of the cluster would fit as well.
 * A call may wait a few seconds at most: calls come at the start, a few times in the life of a
 * certificate, and each few minutes for the newest seal of the hub's database. */
#pragma once

#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"

struct identity_store_ops {
    /* Calls 'fn' with the name of each text; names of others may be among them. */
    bool (*list)(void *self, void (*fn)(void *ctx, const char *name), void *ctx,
                 struct fl_err *err) FL_CHECK;
    /* Appends the whole text; FL_ABSENT, FL_TOO_LARGE beyond the bound of 'text'. */
    bool (*read)(void *self, const char *name, struct fl_buf *text, struct fl_err *err) FL_CHECK;
    /* Replaces the text as a whole or not at all; it is durable when this returns true. */
    bool (*write)(void *self, const char *name, struct fl_str text, struct fl_err *err) FL_CHECK;
    /* A text that is not there is fine. */
    bool (*remove)(void *self, const char *name, struct fl_err *err) FL_CHECK;
};

struct identity_store {
    const struct identity_store_ops *ops;
    void *self;
};
