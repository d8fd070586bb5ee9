#include "controlplane/logs/inbox.h"

#include <pthread.h>
#include <time.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"
#include "shared/io/clock.h"

#define TURN_REQUESTS 16 /* a lane gives, before the next has its turn */

struct lane {
    struct log_request *first, *last;
    struct lane *next; /* among those with requests */
    uint64_t bytes;
};

struct log_inbox {
    uint64_t bytes_max;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t has_some;
    FL_VEC(struct lane *) lanes;
    struct fl_map lane_of;     /* cluster -> place in lanes */
    struct lane *first, *last; /* those with requests, in the order of their turns */
    uint64_t bytes;
    bool is_closed;
};

struct log_inbox *log_inbox_create(uint64_t bytes_max)
{
    struct log_inbox *inbox = fl_new(struct log_inbox);
    pthread_condattr_t attr;

    inbox->bytes_max = bytes_max;
    fl_assert(pthread_mutex_init(&inbox->lock, NULL) == 0);
    fl_assert(pthread_condattr_init(&attr) == 0);
    fl_assert(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
    fl_assert(pthread_cond_init(&inbox->has_some, &attr) == 0);
    pthread_condattr_destroy(&attr);
    return inbox;
}

void log_inbox_destroy(struct log_inbox *inbox)
{
    if (!inbox) return;
    for (size_t i = 0; i < inbox->lanes.len; i++) {
        struct log_request *next;

        for (struct log_request *request = inbox->lanes.at[i]->first; request; request = next) {
            next = request->next;
            log_chunk_unref(request->chunk);
            fl_free(request);
        }
        fl_free(inbox->lanes.at[i]);
    }
    fl_vec_fini(&inbox->lanes);
    fl_map_fini(&inbox->lane_of);
    fl_assert(pthread_cond_destroy(&inbox->has_some) == 0);
    fl_assert(pthread_mutex_destroy(&inbox->lock) == 0);
    fl_free(inbox);
}

static void lock(struct log_inbox *inbox)
{
    fl_assert(pthread_mutex_lock(&inbox->lock) == 0);
}

static void unlock(struct log_inbox *inbox)
{
    fl_assert(pthread_mutex_unlock(&inbox->lock) == 0);
}

static uint64_t weight(const struct log_request *request)
{
    return sizeof(*request) + (request->chunk ? sizeof(struct log_chunk) + request->chunk->len : 0);
}

static struct lane *lane_of(struct log_inbox *inbox, struct fl_cluster cluster)
{
    struct lane *lane;
    uint64_t i;

    if (fl_map_find(&inbox->lane_of, &cluster.n, sizeof(cluster.n), &i)) return inbox->lanes.at[i];
    lane = fl_new(struct lane);
    fl_map_put(&inbox->lane_of, &cluster.n, sizeof(cluster.n), inbox->lanes.len);
    fl_vec_push(&inbox->lanes, lane);
    return lane;
}

/* Puts the lane behind the others. */
static void list(struct log_inbox *inbox, struct lane *lane)
{
    lane->next = NULL;
    if (inbox->last) {
        inbox->last->next = lane;
    } else {
        inbox->first = lane;
    }
    inbox->last = lane;
}

bool log_inbox_put(struct log_inbox *inbox, struct log_request *request)
{
    uint64_t bytes = weight(request);
    struct lane *lane;
    bool is_put;

    lock(inbox);
    lane = lane_of(inbox, request->cluster);
    is_put = inbox->bytes + bytes <= inbox->bytes_max &&
             lane->bytes + bytes <= inbox->bytes_max - inbox->bytes;
    if (is_put) {
        request->next = NULL;
        if (lane->first) {
            lane->last->next = request;
        } else {
            lane->first = request;
            list(inbox, lane);
        }
        lane->last = request;
        lane->bytes += bytes;
        inbox->bytes += bytes;
        fl_assert(pthread_cond_signal(&inbox->has_some) == 0);
    }
    unlock(inbox);
    return is_put;
}

/* One lane's turn. */
static size_t take_turn(struct log_inbox *inbox, struct log_request **requests, size_t requests_max)
{
    struct lane *lane = inbox->first;
    size_t len = 0;

    inbox->first = lane->next;
    if (!inbox->first) inbox->last = NULL;
    while (lane->first && len < TURN_REQUESTS && len < requests_max) {
        struct log_request *request = lane->first;

        lane->first = request->next;
        lane->bytes -= weight(request);
        inbox->bytes -= weight(request);
        requests[len++] = request;
    }
    if (lane->first) list(inbox, lane);
    return len;
}

size_t log_inbox_take(struct log_inbox *inbox, fl_ms wait_ms, struct log_request **ret_requests,
                      size_t requests_max)
{
    fl_ms at = fl_clock_mono() + wait_ms;
    struct timespec until = {.tv_sec = at / 1000, .tv_nsec = at % 1000 * 1000000};
    size_t len = 0;
    bool is_late = wait_ms == 0;

    lock(inbox);
    while (!inbox->first && !inbox->is_closed && !is_late) {
        is_late = pthread_cond_timedwait(&inbox->has_some, &inbox->lock, &until) != 0;
    }
    while (inbox->first && len < requests_max) {
        len += take_turn(inbox, ret_requests + len, requests_max - len);
    }
    unlock(inbox);
    return len;
}

void log_inbox_close(struct log_inbox *inbox)
{
    lock(inbox);
    inbox->is_closed = true;
    fl_assert(pthread_cond_signal(&inbox->has_some) == 0);
    unlock(inbox);
}

uint64_t log_inbox_bytes(struct log_inbox *inbox)
{
    uint64_t bytes;

    lock(inbox);
    bytes = inbox->bytes;
    unlock(inbox);
    return bytes;
}
