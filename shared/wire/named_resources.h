/* named_resources.h - a node's resources with a name, as lines of text in its message.
 * "rdma/hca=4/3\n" says that there are 4 and that 3 of them are free.  Lines are sorted by name and
 * name each resource once; numbers are decimal, and a total is never 0: one list has one text.
 * Uses shared/base only.  Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "shared/base/amounts.h"
#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"

struct fl_arena;

enum {
    FL_NAMED_RESOURCES_MAX = 16,
    FL_NAMED_RESOURCES_BYTES_MAX = 5632, /* each a name, 2 numbers of 16 digits */
};
#define FL_NAMED_AMOUNT_MAX FL_AMOUNT_MAX

struct fl_named_resource {
    struct fl_str name;
    uint64_t total, free; /* at most FL_NAMED_AMOUNT_MAX; no more is free than there is */
};

/* False: 'out' is full, or the offers break a rule above. */
FL_CHECK bool fl_named_resources_write(struct fl_buf *out, const struct fl_named_resource *offers,
                                       size_t len);

/* Names point into the text.  Anything that fl_named_resources_write does not write is refused. */
FL_CHECK bool fl_named_resources_read(struct fl_str text, struct fl_arena *arena,
                                      const struct fl_named_resource **ret_offers, size_t *ret_len,
                                      struct fl_err *err);
