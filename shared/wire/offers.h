/* offers.h - the resources with a name that a node offers, as lines of text in its message.
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

enum { FL_OFFERS_MAX = 16, FL_OFFERS_BYTES_MAX = 5632 }; /* each a name, 2 numbers of 16 digits */
#define FL_OFFER_AMOUNT_MAX FL_AMOUNT_MAX

struct fl_offer {
    struct fl_str name;
    uint64_t total, free; /* at most FL_OFFER_AMOUNT_MAX; no more is free than there is */
};

/* False: 'out' is full, or the offers break a rule above. */
FL_CHECK bool fl_offers_write(struct fl_buf *out, const struct fl_offer *offers, size_t len);

/* Names point into the text.  Anything that fl_offers_write does not write is refused. */
FL_CHECK bool fl_offers_read(struct fl_str text, struct fl_arena *arena,
                             const struct fl_offer **ret_offers, size_t *ret_len,
                             struct fl_err *err);
