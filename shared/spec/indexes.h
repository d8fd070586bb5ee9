/* indexes.h - the numbers that people give to the elements of an array: "1-100:3,200".
 * The text is a list of numbers and ranges, in ascending order; ":3" behind a range is its step.
 * Element 0 has the first number, element 1 the next.  Equal lists of numbers have one canonical
 * text, and reading it gives it again; that of the numbers 0, 1, 2... is empty, since elements have
 * these numbers anyhow.
 * Uses shared/base.  Pure. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"

struct fl_arena;

struct fl_indexes {
    struct fl_str text; /* canonical; empty: each element has its own number */
    uint32_t len;       /* so many numbers; 0: no list was given */
};

/* FL_INVALID, FL_TOO_LARGE: over FL_JOB_INDEXES_BYTES_MAX, or FL_JOB_ELEMENTS_MAX numbers. */
FL_CHECK bool fl_indexes_parse(struct fl_str text, struct fl_arena *arena,
                               struct fl_indexes *ret_indexes, struct fl_err *err);

/* The number of an element, by a canonical text.  Total: where the text has no number for it, the
 * element's own. */
uint32_t fl_indexes_at(struct fl_str text, uint32_t element);

/* The element that has this number, by a canonical text.  False: there is none.  An empty text has
 * each number. */
bool fl_indexes_find(struct fl_str text, uint32_t index, uint32_t *ret_element);
