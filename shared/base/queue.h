/* queue.h - a bounded queue of pointers between threads.
 * Many producers, many consumers, one order.  A pointer that was put belongs to the queue until a
 * consumer takes it; NULL may not be put.  At items_max a put is refused at once and the pointer
 * stays the caller's: a put never waits.  After close puts are refused, and what is inside can
 * still be taken.  Uses pthread: the only module of base that does, and no core links it.
 * Thread-safe, but for destroy, which comes after the last user and frees no items: take the
 * remaining items before. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "shared/base/err.h"
#include "shared/base/types.h"

struct fl_queue;

struct fl_queue *fl_queue_create(size_t items_max);
void fl_queue_destroy(struct fl_queue *queue); /* NULL is fine */

FL_CHECK bool fl_queue_put(struct fl_queue *queue, void *ptr); /* false when full or closed */

/* Takes the oldest.  Waits up to timeout_ms; 0: not at all; below 0: without end.  NULL when the
 * time is over, or when the queue is closed and empty. */
void *fl_queue_take(struct fl_queue *queue, fl_ms timeout_ms);

/* Takes up to 'max' of the oldest, without waiting, and returns how many. */
size_t fl_queue_take_many(struct fl_queue *queue, void **ret, size_t max);

void fl_queue_close(struct fl_queue *queue); /* wakes every waiting consumer; twice is fine */
size_t fl_queue_len(struct fl_queue *queue);
