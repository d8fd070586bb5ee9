#include "shared/base/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn static void give_up(size_t n, size_t item_bytes)
{
    fprintf(stderr, "out of memory: %zu x %zu bytes\n", n, item_bytes);
    abort();
}

/* No object may be larger than a pointer difference can say. */
static size_t product(size_t n, size_t item_bytes)
{
    size_t bytes;

    if (__builtin_mul_overflow(n, item_bytes, &bytes) || bytes > PTRDIFF_MAX)
        give_up(n, item_bytes);
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
    void *ptr = calloc(1, product(n, item_bytes));

    if (!ptr) give_up(n, item_bytes);
    return ptr;
}

void *fl_alloc_resize(void *ptr, size_t n, size_t item_bytes)
{
    ptr = realloc(ptr, product(n, item_bytes));
    if (!ptr) give_up(n, item_bytes);
    return ptr;
}
