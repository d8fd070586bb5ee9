/* text_map.h - texts by name: variables of the environment, labels, parameters.
 * Uses shared/base only.  Pure. */
#pragma once

#include <stddef.h>

#include "shared/base/str.h"

struct fl_arena;
struct fl_buf;

struct fl_text_map_entry {
    struct fl_str key, value;
};

struct fl_text_map {
    struct fl_text_map_entry *at; /* sorted by key, no key twice */
    size_t len, cap;
};

/* Empty, with room for 'cap'. */
struct fl_text_map fl_text_map_new(size_t cap, struct fl_arena *arena);

/* Sorts by key; the first that is there twice, or NULL. */
const struct fl_text_map_entry *fl_text_map_sort(struct fl_text_map *map);

/* 'under' with those of 'over' in place of the ones of the same key. */
struct fl_text_map fl_text_map_over(const struct fl_text_map *under, const struct fl_text_map *over,
                                    struct fl_arena *arena);

/* Takes those of these keys out; keys that are not there are passed over. */
void fl_text_map_without(struct fl_text_map *map, const struct fl_str *keys, size_t len);

/* Labels as they are stored and as nodes report theirs: "key=value\n" lines, sorted by key. */
void fl_text_map_lines(struct fl_buf *out, const struct fl_text_map *map);
/* The same back; a line without '=' is passed over.  They point into 'lines'. */
struct fl_text_map fl_text_map_of_lines(struct fl_str lines, struct fl_arena *arena);
