#include "shared/base/vec.h"

#include <stdint.h>

void *fl_vec_grow(void *at, size_t *cap, size_t cap_min, size_t item_bytes)
{
    size_t cap_new = *cap < 4 ? 8 : *cap * 2;

    fl_assert(*cap <= SIZE_MAX / 2);
    if (cap_new < cap_min) cap_new = cap_min;
    at = fl_alloc_resize(at, cap_new, item_bytes);
    *cap = cap_new;
    return at;
}
