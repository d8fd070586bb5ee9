/* amounts.h - amounts of the resources that have names, beside memory, cpu and gpus: those that a
 * replica asks for, or that a node has.
 * A list is sorted by name, names each resource once, and has no amount 0: so equal amounts are
 * equal lists, and an empty one costs nothing.  Uses shared/base only.  Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "shared/base/err.h"
#include "shared/base/str.h"

struct fl_arena;
struct fl_buf;
struct fl_reader;

/* More of one resource is not counted anywhere, so that no sum over nodes wraps. */
#define FL_AMOUNT_BITS 50
#define FL_AMOUNT_MAX ((uint64_t)1 << FL_AMOUNT_BITS)

struct fl_amount {
    struct fl_str name;
    uint64_t n;
};

struct fl_amounts {
    struct fl_amount *at;
    size_t len, cap;
};

uint64_t fl_amounts_of(const struct fl_amounts *amounts, struct fl_str name); /* 0: nothing */

/* Sets one; a resource that is not there yet is put in its place, 0 takes it away.  The list grows
 * in the arena; the name is not copied. */
void fl_amounts_set(struct fl_amounts *amounts, struct fl_amount amount, struct fl_arena *arena);

bool fl_amounts_are_same(const struct fl_amounts *a, const struct fl_amounts *b);

/* The list and its names, in the arena, or in one block of the heap that fl_amounts_free frees. */
struct fl_amounts fl_amounts_copy(const struct fl_amounts *amounts, struct fl_arena *arena);
struct fl_amounts fl_amounts_clone(const struct fl_amounts *amounts);
void fl_amounts_free(struct fl_amounts *clone); /* leaves it empty */

/* A count, and a name and a number each; an empty list is one byte.  Reading takes no other list
 * than one that keeps the rules above, and at most 'len_max' of it; names are views. */
void fl_amounts_put(struct fl_buf *out, const struct fl_amounts *amounts);
FL_CHECK bool fl_amounts_read(struct fl_reader *reader, size_t len_max, struct fl_arena *arena,
                              struct fl_amounts *ret_amounts);

/* Sums on the heap: {0} or a clone, which is freed in the end.  The sum wraps, so that what was
 * added can always be taken. */
void fl_amounts_sum_add(struct fl_amounts *sum, const struct fl_amounts *more);
void fl_amounts_sum_take(struct fl_amounts *sum, const struct fl_amounts *less);

uint64_t fl_amounts_hash(uint64_t so_far, const struct fl_amounts *amounts);
