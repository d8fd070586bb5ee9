#include "shared/base/queue.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

/* A ring: the oldest is at 'head', and 'len' items follow it, around the end. */
struct fl_queue {
    pthread_mutex_t lock;
    pthread_cond_t
        may_take; /* signalled per item, broadcast on close; its clock is the monotonic */
    size_t head, len, items_max;
    bool is_closed;
    void *items[];
};

struct fl_queue *fl_queue_create(size_t items_max)
{
    struct fl_queue *queue;
    pthread_condattr_t attr;
    size_t bytes;

    fl_assert(items_max > 0);
    fl_assert(!__builtin_mul_overflow(items_max, sizeof(void *), &bytes));
    fl_assert(!__builtin_add_overflow(bytes, sizeof(*queue), &bytes));
    queue = fl_alloc(bytes);
    queue->items_max = items_max;
    fl_assert(pthread_mutex_init(&queue->lock, NULL) == 0);
    fl_assert(pthread_condattr_init(&attr) == 0);
    fl_assert(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
    fl_assert(pthread_cond_init(&queue->may_take, &attr) == 0);
    pthread_condattr_destroy(&attr);
    return queue;
}

void fl_queue_destroy(struct fl_queue *queue)
{
    if (!queue) return;
    fl_assert(pthread_cond_destroy(&queue->may_take) == 0);
    fl_assert(pthread_mutex_destroy(&queue->lock) == 0); /* fails while somebody holds it */
    fl_free(queue);
}

static void lock(struct fl_queue *queue)
{
    fl_assert(pthread_mutex_lock(&queue->lock) == 0);
}

static void unlock(struct fl_queue *queue)
{
    fl_assert(pthread_mutex_unlock(&queue->lock) == 0);
}

bool fl_queue_put(struct fl_queue *queue, void *ptr)
{
    bool may_put;

    fl_assert(ptr);
    lock(queue);
    may_put = !queue->is_closed && queue->len < queue->items_max;
    if (may_put) {
        size_t left = queue->items_max - queue->head; /* entries from head to the end of the ring */

        queue->items[queue->len < left ? queue->head + queue->len : queue->len - left] = ptr;
        queue->len++;
        pthread_cond_signal(&queue->may_take);
    }
    unlock(queue);
    return may_put;
}

/* Under the lock; the queue is not empty. */
static void *take_oldest(struct fl_queue *queue)
{
    void *ptr = queue->items[queue->head];

    queue->head = queue->head + 1 == queue->items_max ? 0 : queue->head + 1;
    queue->len--;
    return ptr;
}

static struct timespec monotonic_after(fl_ms wait_ms)
{
    const long second_ns = 1000000000;
    const fl_ms wait_ms_max = 100 * 365 * 24 * FL_HOUR_MS; /* no overflow of any time_t */
    struct timespec at;

    if (wait_ms > wait_ms_max) wait_ms = wait_ms_max;
    fl_assert(clock_gettime(CLOCK_MONOTONIC, &at) == 0);
    at.tv_sec += (time_t)(wait_ms / FL_SECOND_MS);
    at.tv_nsec += (long)(wait_ms % FL_SECOND_MS) * 1000000;
    if (at.tv_nsec >= second_ns) {
        at.tv_nsec -= second_ns;
        at.tv_sec++;
    }
    return at;
}

void *fl_queue_take(struct fl_queue *queue, fl_ms timeout_ms)
{
    struct timespec until = {0};
    void *ptr = NULL;
    int status = 0;

    if (timeout_ms > 0) until = monotonic_after(timeout_ms);
    lock(queue);
    while (queue->len == 0 && !queue->is_closed && timeout_ms != 0 && status != ETIMEDOUT) {
        status = timeout_ms < 0 ? pthread_cond_wait(&queue->may_take, &queue->lock)
                                : pthread_cond_timedwait(&queue->may_take, &queue->lock, &until);
        fl_assert(status == 0 || status == ETIMEDOUT);
    }
    if (queue->len > 0) ptr = take_oldest(queue);
    unlock(queue);
    return ptr;
}

size_t fl_queue_take_many(struct fl_queue *queue, void **ret, size_t max)
{
    size_t taken = 0;

    lock(queue);
    while (taken < max && queue->len > 0) {
        ret[taken++] = take_oldest(queue);
    }
    unlock(queue);
    return taken;
}

void fl_queue_close(struct fl_queue *queue)
{
    lock(queue);
    queue->is_closed = true;
    pthread_cond_broadcast(&queue->may_take);
    unlock(queue);
}

size_t fl_queue_len(struct fl_queue *queue)
{
    size_t len;

    lock(queue);
    len = queue->len;
    unlock(queue);
    return len;
}
