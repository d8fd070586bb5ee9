/* heap.h - the smallest of many, for timers and queues.
 * Ordered by (key, tie): give every item a tie of its own, such as a running number, and equal
 * pushes come out in equal order on every machine.  Items equal in both come out in an order that
 * depends on all that was pushed and popped before (deterministic still).  An owner that forgets
 * items recognises those when they come up, or looks through 'at' and removes them.  {0} is empty.
 * Uses libc only.  Not thread-safe. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct fl_heap_item {
    int64_t key;
    uint64_t tie;
    uint64_t value;
};

struct fl_heap {
    struct fl_heap_item *at; /* at[0] is the smallest */
    size_t len, cap;
};

void fl_heap_fini(struct fl_heap *heap); /* NULL is fine; leaves an empty heap */
void fl_heap_push(struct fl_heap *heap, struct fl_heap_item item);
struct fl_heap_item fl_heap_pop(struct fl_heap *heap); /* the heap is not empty */
/* Removes at[i]; another item takes its place there. */
void fl_heap_remove(struct fl_heap *heap, size_t i);

/* Borrowed until the next push or pop; NULL when empty. */
static inline const struct fl_heap_item *fl_heap_peek(const struct fl_heap *heap)
{
    return heap->len ? &heap->at[0] : NULL;
}
