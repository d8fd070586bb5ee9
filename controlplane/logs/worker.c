#include "controlplane/logs/worker_state.h"

#include <errno.h>
#include <time.h>

#include "controlplane/logs/reader.h"
#include "controlplane/logs/sealer_thread.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/clock.h"

#define BATCH_MAX 512
#define IDLE_MS ((fl_ms)1000)
#define WAITING_MS ((fl_ms)20) /* a turn's wait while agents wait for room in the table */
#define GATHER_MS ((fl_ms)5) /* requests that come in this time after a turn began share the next */
#define LET_GO_MAX 1024      /* outputs in one turn, since it holds the index' lock */

struct log_worker *log_worker_create(const struct log_worker_config *config,
                                     struct log_index *index, struct log_reader *reader,
                                     struct log_sealer_thread *sealer, uint64_t seq)
{
    struct log_worker *worker = fl_new(struct log_worker);

    worker->config = *config;
    worker->index = index;
    worker->reader = reader;
    worker->sealer = sealer;
    worker->seq = seq;
    worker->inbox = log_inbox_create(config->inbox_bytes_max);
    fl_assert(pthread_mutex_init(&worker->stats_lock, NULL) == 0);
    return worker;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void forget(struct log_worker *worker, struct fl_job job)
{
    struct log_key_range range = log_key_range_of_job(job);
    struct log_output *output;
    struct log_output *next;

    log_index_lock(worker->index);
    output = log_index_first(worker->index, &range);
    log_index_unlock(worker->index);
    for (; output; output = next) { /* only this thread removes outputs */
        log_index_lock(worker->index);
        next = log_index_next(worker->index, &range, output);
        log_index_unlock(worker->index);
        if (!output->peer.front) continue;
        log_worker_tell(worker, output, FL_LOG_refuse, FL_ABSENT);
        log_worker_detach(worker, output);
        log_worker_evict(worker, output);
    }
    log_worker_wake_later(worker, job);
}

/* Lets the fronts go that have no request under way any more. */
static void leave(struct log_worker *worker)
{
    size_t kept = 0;

    for (size_t i = 0; i < worker->leaving.len; i++) {
        struct log_answer_box *box = worker->leaving.at[i];

        if (atomic_load(&box->requests) > 0) {
            worker->leaving.at[kept++] = box;
            continue;
        }
        for (size_t k = 0; k < worker->boxes.len; k++) {
            if (worker->boxes.at[k] != box) continue;
            fl_vec_remove(&worker->boxes, k);
            break;
        }
        fl_vec_fini(&box->waiting);
        box->is_listed = false;
        atomic_store(&box->has_left, true);
    }
    worker->leaving.len = kept;
}

static void handle(struct log_worker *worker, struct log_request *request)
{
    switch (request->kind) {
    case LOG_REQUEST_LEAVE:
        fl_vec_push(&worker->leaving, request->box);
        break;
    case LOG_REQUEST_OPEN:
        log_worker_open(worker, request);
        break;
    case LOG_REQUEST_APPEND:
        log_cluster_writer_append(worker, request);
        break;
    case LOG_REQUEST_END:
        log_cluster_writer_end(worker, request);
        break;
    case LOG_REQUEST_CLOSE:
        log_worker_close(worker, request);
        break;
    case LOG_REQUEST_FORGET:
        forget(worker, request->key.attempt.job);
        break;
    }
}

/* The count of a front's requests that LEAVE waits for. */
static atomic_uint *count_of(const struct log_request *request)
{
    if (!request->box || request->kind == LOG_REQUEST_LEAVE) return NULL;
    return &request->box->requests;
}

bool log_worker_put(struct log_worker *worker, struct log_request *request)
{
    atomic_uint *count = count_of(request);

    if (count) atomic_fetch_add(count, 1); /* the worker may be done with it before 'put' returns */
    if (log_inbox_put(worker->inbox, request)) return true;
    if (count) atomic_fetch_sub(count, 1);
    return false;
}

static void handle_all(struct log_worker *worker, struct log_request *const *requests, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        struct log_request *request = requests[i];
        atomic_uint *count = count_of(request);

        handle(worker, request);
        if (count) atomic_fetch_sub(count, 1);
        fl_free(request);
    }
    leave(worker);
    for (size_t i = 0; i < worker->writers.len; i++) {
        if (worker->writers.at[i]->entries.len > 0) {
            log_cluster_writer_write(worker, worker->writers.at[i]);
        }
    }
}

/* Wakes followers of new output, even before it is durable. */
static void wake_followers(struct log_worker *worker)
{
    for (size_t i = 0; i < worker->woken.len; i++) {
        log_reader_wake(worker->reader, worker->woken.at[i]);
    }
    fl_vec_clear(&worker->woken);
}

/* Drops from the table what is sealed: a piece of a segment in each turn. */
static void let_go(struct log_worker *worker)
{
    size_t end;

    log_index_lock(worker->index);
    if (!worker->sealed && worker->index->done.len > 0) {
        worker->sealed = worker->index->done.at[0];
        worker->sealed_pos = 0;
        fl_vec_remove(&worker->index->done, 0);
    }
    end = worker->sealed ? worker->sealed_pos + LET_GO_MAX : 0;
    for (; worker->sealed && worker->sealed_pos < end; worker->sealed_pos++) {
        struct log_output *output;

        if (worker->sealed_pos == worker->sealed->sources.len) {
            log_segment_unref(worker->sealed);
            worker->sealed = NULL;
            break;
        }
        output = log_index_unmark(
            worker->index, &worker->sealed->sources.at[worker->sealed_pos].key, worker->sealed);
        if (output && log_worker_is_idle(output)) log_index_remove(worker->index, output);
    }
    log_index_unlock(worker->index);
}

/* Closes segments so that they are sealed: those that are large or old, and the one with the most
 * ended outputs while there are too many, or while the table is full. */
static void close_segments(struct log_worker *worker, fl_ms now)
{
    bool is_aged = now - worker->aged_at >= IDLE_MS;
    struct log_cluster_writer *most = NULL;

    if (is_aged) worker->aged_at = now;
    if (is_aged && now >= worker->held_until) {
        for (size_t i = 0; i < worker->held.len; i++) {
            log_sealer_thread_seal(worker->sealer, worker->held.at[i]);
        }
        fl_vec_clear(&worker->held);
    }
    for (size_t i = 0; i < worker->writers.len; i++) {
        struct log_cluster_writer *writer = worker->writers.at[i];

        if ((writer->segment && writer->segment->bytes >= worker->config.segment_bytes) ||
            (is_aged && log_cluster_writer_is_over(worker, writer))) {
            log_cluster_writer_close(worker, writer);
        }
        if (!most || writer->ended_len > most->ended_len) most = writer;
    }
    if (most && most->ended_len > 0 &&
        (worker->ended_len > worker->config.ended_max ||
         worker->index->outputs_len >= worker->config.sources_max)) {
        log_cluster_writer_close(worker, most);
    }
}

static void show_stats(struct log_worker *worker)
{
    uint64_t open = 0;

    for (size_t i = 0; i < worker->writers.len; i++) {
        open += worker->writers.at[i]->segment != NULL;
    }
    worker->stats.segments_open = open;
    worker->stats.sources_waiting = worker->waiting_len;
    worker->stats.is_full = worker->is_full;
    fl_assert(pthread_mutex_lock(&worker->stats_lock) == 0);
    worker->stats_shown = worker->stats;
    fl_assert(pthread_mutex_unlock(&worker->stats_lock) == 0);
}

static fl_ms wait_ms(struct log_worker *worker)
{
    fl_ms wait = worker->is_full ? LOG_WORKER_RETRY_MS : IDLE_MS;
    fl_ms sync = log_cluster_writer_sync_in(worker, fl_clock_mono());

    if (worker->waiting_len > 0) wait = WAITING_MS;
    if (worker->sealed) wait = 0;
    if (worker->boxes.len > 0) wait = 2; /* answers wait for a front to read its last letter */
    return sync < wait ? sync : wait;
}

/* Sleeps until a turn that emptied the inbox is GATHER_MS old.  Under a steady load of small
 * requests each turn then has many of them, and the fronts do not wake the thread for each. */
static void gather(fl_ms began, size_t len)
{
    fl_ms until = began + GATHER_MS;
    struct timespec at = {.tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000};

    if (len == 0 || len == BATCH_MAX) return;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) {
    }
}

static void *work(void *ctx)
{
    struct log_worker *worker = ctx;
    struct log_request *requests[BATCH_MAX];
    bool is_over_now = false;

    while (!is_over_now) {
        bool is_stopping = atomic_load(&worker->is_stopping); /* no request is put after that */
        size_t len = log_inbox_take(worker->inbox, wait_ms(worker), requests, BATCH_MAX);
        fl_ms now = fl_clock_mono();

        if (len > 0) handle_all(worker, requests, len);
        wake_followers(worker);
        log_cluster_writer_sync_due(worker, len == BATCH_MAX);
        close_segments(worker, now);
        let_go(worker);
        log_worker_admit(worker, now);
        if (worker->is_full && now >= worker->retry_at) log_cluster_writer_try_again(worker);
        wake_followers(worker);
        log_worker_post(worker);
        show_stats(worker);
        is_over_now = len == 0 && is_stopping;
        gather(now, len);
    }
    log_cluster_writer_sync_all(worker);
    return NULL;
}

void log_worker_resume(struct log_worker *worker, struct log_segment *segment)
{
    struct log_cluster_writer *writer = log_worker_writer_of(worker, segment->header.cluster);

    fl_assert(!writer->segment);
    writer->segment = segment;
    for (size_t i = 0; i < segment->sources.len; i++) {
        if (segment->sources.at[i].is_ended) writer->ended_len++;
    }
    worker->ended_len += writer->ended_len;
}

void log_worker_hold(struct log_worker *worker, struct log_segment *segment)
{
    fl_vec_push(&worker->held, segment);
    worker->held_until = fl_clock_mono() + worker->config.damaged_wait_ms;
}

void log_worker_run(struct log_worker *worker)
{
    fl_assert(pthread_create(&worker->thread, NULL, work, worker) == 0);
    worker->is_running = true;
}

void log_worker_stop(struct log_worker *worker)
{
    if (!worker->is_running) return;
    log_inbox_close(worker->inbox);
    atomic_store(&worker->is_stopping, true);
    fl_assert(pthread_join(worker->thread, NULL) == 0);
    worker->is_running = false;
}

void log_worker_destroy(struct log_worker *worker)
{
    if (!worker) return;
    log_worker_stop(worker);
    for (size_t i = 0; i < worker->writers.len; i++) {
        struct log_cluster_writer *writer = worker->writers.at[i];

        log_segment_unref(writer->segment);
        fl_vec_fini(&writer->entries);
        fl_vec_fini(&writer->unacked);
        fl_vec_fini(&writer->waiting);
        fl_buf_fini(&writer->headers);
        fl_free(writer);
    }
    fl_vec_fini(&worker->writers);
    fl_vec_fini(&worker->boxes);
    fl_vec_fini(&worker->leaving);
    fl_vec_fini(&worker->woken);
    fl_vec_fini(&worker->paused);
    fl_map_fini(&worker->writer_of);
    fl_map_fini(&worker->output_of);
    fl_map_fini(&worker->waiting_of);
    for (size_t i = 0; i < worker->held.len; i++) {
        log_segment_unref(worker->held.at[i]);
    }
    fl_vec_fini(&worker->held);
    log_segment_unref(worker->sealed);
    log_inbox_destroy(worker->inbox);
    fl_assert(pthread_mutex_destroy(&worker->stats_lock) == 0);
    fl_free(worker);
}

struct log_worker_stats log_worker_stats(struct log_worker *worker)
{
    struct log_worker_stats stats;

    fl_assert(pthread_mutex_lock(&worker->stats_lock) == 0);
    stats = worker->stats_shown;
    fl_assert(pthread_mutex_unlock(&worker->stats_lock) == 0);
    stats.inbox_bytes = log_inbox_bytes(worker->inbox);
    return stats;
}
