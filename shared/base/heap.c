#include "shared/base/heap.h"

#include <stdbool.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/vec.h"

static bool is_before(const struct fl_heap_item *a, const struct fl_heap_item *b)
{
    return a->key < b->key || (a->key == b->key && a->tie < b->tie);
}

void fl_heap_fini(struct fl_heap *heap)
{
    fl_vec_fini(heap);
}

/* at[i] is free: the item goes there, or above it. */
static void rise(struct fl_heap *heap, size_t i, struct fl_heap_item item)
{
    while (i > 0 && is_before(&item, &heap->at[(i - 1) / 2])) {
        heap->at[i] = heap->at[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->at[i] = item;
}

/* at[i] is free: the item goes there, or below it. */
static void sink(struct fl_heap *heap, size_t i, struct fl_heap_item item)
{
    for (size_t child = 2 * i + 1; child < heap->len; child = 2 * i + 1) {
        if (child + 1 < heap->len && is_before(&heap->at[child + 1], &heap->at[child])) child++;
        if (!is_before(&heap->at[child], &item)) break;
        heap->at[i] = heap->at[child];
        i = child;
    }
    heap->at[i] = item;
}

void fl_heap_push(struct fl_heap *heap, struct fl_heap_item item)
{
    fl_vec_push(heap, item);
    rise(heap, heap->len - 1, item);
}

struct fl_heap_item fl_heap_pop(struct fl_heap *heap)
{
    struct fl_heap_item last = fl_vec_pop(heap);
    struct fl_heap_item first;

    if (heap->len == 0) return last;
    first = heap->at[0];
    sink(heap, 0, last);
    return first;
}

void fl_heap_remove(struct fl_heap *heap, size_t i)
{
    struct fl_heap_item last = fl_vec_pop(heap);

    fl_assert(i <= heap->len);
    if (i == heap->len) return;
    if (i > 0 && is_before(&last, &heap->at[(i - 1) / 2])) {
        rise(heap, i, last);
    } else {
        sink(heap, i, last);
    }
}
