#include "shared/base/alloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* calloc of the C library asks its arena, under a lock, even for what the thread's own cache
 * holds. */
#define SMALL_BYTES ((size_t)1024)

_Noreturn static void give_up(size_t n, size_t item_bytes)
{
    fprintf(stderr, "out of memory: %zu x %zu bytes\n", n, item_bytes);
    abort();
}

/* No object may be larger than a pointer difference can say. */
static size_t product(size_t n, size_t item_bytes)
{
    size_t bytes;

    if (__builtin_mul_overflow(n, item_bytes, &bytes) || bytes > PTRDIFF_MAX) {
        give_up(n, item_bytes);
    }
    return bytes ? bytes : 1;
}

void *fl_alloc(size_t bytes)
{
    return fl_alloc_array(bytes, 1);
}

void fl_free(void *ptr)
{
    free(ptr);
}

void *fl_alloc_array(size_t n, size_t item_bytes)
{
    size_t bytes = product(n, item_bytes);
    bool is_small = bytes <= SMALL_BYTES;
    void *ptr = is_small ? malloc(bytes) : calloc(1, bytes);

    if (!ptr) give_up(n, item_bytes);
    return is_small ? memset(ptr, 0, bytes) : ptr;
}

void *fl_alloc_resize(void *ptr, size_t n, size_t item_bytes)
{
    ptr = realloc(ptr, product(n, item_bytes));
    if (!ptr) give_up(n, item_bytes);
    return ptr;
}
