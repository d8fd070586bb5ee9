/* pairs.h - texts by name: variables of the environment, labels, parameters.
 * Uses shared/base only.  Pure. */
#pragma once

#include <stddef.h>

#include "shared/base/str.h"

struct fl_arena;
struct fl_buf;

struct fl_pair {
    struct fl_str key, value;
};

struct fl_pairs {
    struct fl_pair *at; /* sorted by key, no key twice */
    size_t len, cap;
};

/* Empty, with room for 'cap'. */
struct fl_pairs fl_pairs_new(size_t cap, struct fl_arena *arena);

/* Sorts by key; the first that is there twice, or NULL. */
const struct fl_pair *fl_pairs_sort(struct fl_pairs *pairs);

/* 'under' with those of 'over' in place of the ones of the same key. */
struct fl_pairs fl_pairs_over(const struct fl_pairs *under, const struct fl_pairs *over,
                              struct fl_arena *arena);

/* Takes those of these keys out; keys that are not there are passed over. */
void fl_pairs_without(struct fl_pairs *pairs, const struct fl_str *keys, size_t len);

/* Labels as they are stored and as nodes report theirs: "key=value\n" lines, sorted by key. */
void fl_pairs_lines(struct fl_buf *out, const struct fl_pairs *pairs);
/* The same back; a line without '=' is passed over.  They point into 'lines'. */
struct fl_pairs fl_pairs_of_lines(struct fl_str lines, struct fl_arena *arena);
