/* alloc.h - memory that is there or the process ends.
 * Nothing here returns NULL: out of memory, and a size that overflows, print one line and abort.
 * So bound every size that comes from outside before asking.  All memory is zeroed, but for what
 * fl_realloc_array adds.
 * Uses libc only. */
#pragma once

#include <stddef.h>

#define fl_new(type) ((type *)fl_alloc_array(1, sizeof(type)))
#define fl_new_array(type, n) ((type *)fl_alloc_array((n), sizeof(type)))

/* Grows or shrinks to n items; added items are not zeroed.  NULL is an empty array. */
#define fl_realloc_array(ptr, type, n) ((type *)fl_alloc_resize((ptr), (n), sizeof(type)))

void *fl_alloc(size_t bytes); /* zeroed; 0 bytes give a pointer that may be freed */
void fl_free(void *ptr);      /* NULL is fine */

/* Behind the macros above. */
void *fl_alloc_array(size_t n, size_t item_bytes);
void *fl_alloc_resize(void *ptr, size_t n, size_t item_bytes);
