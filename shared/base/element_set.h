/* element_set.h - a set of element numbers, and the bytes in which it is stored and sent.
 * The set is a run of ranges in ascending order that neither overlap nor touch.  Its bytes are two
 * var numbers a range: how far behind the end of the one before it begins, and how many more
 * elements it has; so equal sets have equal bytes, and decoding refuses all others.
 * Uses shared/base only.  Pure. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"

struct fl_buf;

enum { FL_ELEMENT_SET_BYTES_MAX = 16384, FL_ELEMENT_SET_RANGES_MAX = FL_ELEMENT_SET_BYTES_MAX / 2 };

struct fl_element_set_range {
    uint32_t first, last; /* both included */
    uint32_t before;      /* how many elements are in earlier ranges */
};

/* {0} is the empty set. */
struct fl_element_set {
    struct fl_element_set_range *at;
    size_t len, cap;
};

void fl_element_set_fini(struct fl_element_set *set);

/* Numbers come in ascending order.  FL_TOO_LARGE: the set has too many ranges; FL_INVALID: the
 * number is not greater than those before. */
FL_CHECK bool fl_element_set_add(struct fl_element_set *set, uint32_t element, struct fl_err *err);

uint32_t fl_element_set_count(const struct fl_element_set *set);
bool fl_element_set_has(const struct fl_element_set *set, uint32_t element);
/* The element with so many before it; i is less than the count. */
uint32_t fl_element_set_nth(const struct fl_element_set *set, uint32_t i);
/* How many elements of the set are less than 'element'. */
uint32_t fl_element_set_rank(const struct fl_element_set *set, uint32_t element);

/* False past out->max.  The empty set has no bytes. */
FL_CHECK bool fl_element_set_encode(struct fl_buf *out, const struct fl_element_set *set);
/* 'ret_set' is filled on success only; the caller fini's it. */
FL_CHECK bool fl_element_set_decode(struct fl_str bytes, struct fl_element_set *ret_set,
                                    struct fl_err *err);
