#include "controlplane/logs/worker.h"

#include <limits.h>
#include <pthread.h>

#include "controlplane/logs/keeper.h"
#include "controlplane/logs/reader.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/queue.h"
#include "shared/io/clock.h"
#include "shared/io/log.h"

#define REQUESTS_MAX 16384 /* in the inbox */
#define BATCH_MAX 512
#define IDLE_MS ((fl_ms)1000)
#define RETRY_MS ((fl_ms)500) /* a full disk is looked at again */
#define SEGMENT_ENTRIES_MAX 262144

/* One entry on its way into a segment. */
struct entry {
    struct log_output *output;
    struct log_chunk *chunk; /* RECORDS: a reference; NULL: END */
    struct log_place before, after;
    size_t header_at; /* in lane->headers; in front of it its SOURCE entry, if it has one */
    uint32_t header_bytes;
};

/* What is written of one cluster. */
struct lane {
    struct fl_cluster cluster;
    struct log_segment *segment; /* NULL: the next append makes one */
    FL_VEC(struct entry) entries;
    struct fl_buf headers;
    uint32_t sources_before; /* numbers given out when this batch began */
    bool is_dirty;           /* something is not synced */
    uint64_t entries_len;    /* in the segment */
    FL_VEC(struct log_output *) unacked;
};

struct log_worker {
    struct log_worker_config config;
    struct log_index *index;
    struct log_reader *reader;
    struct log_keeper *keeper;
    struct fl_queue *inbox;
    atomic_uint_fast64_t inbox_bytes;
    uint64_t seq;
    FL_VEC(struct lane *) lanes;
    struct fl_map lane_of;           /* cluster -> place in lanes */
    struct fl_map output_of;         /* (connection, number) -> struct log_output * */
    FL_VEC(struct log_desk *) desks; /* with something waiting */
    FL_VEC(struct fl_job) woken;
    FL_VEC(struct log_output *) paused;
    size_t dirty_len;
    fl_ms dirty_since, retry_at, aged_at;
    bool is_full;
    pthread_t thread;
    bool is_running;
    atomic_bool is_stopping;
    pthread_mutex_t stats_lock;
    struct log_worker_stats stats;
    struct log_worker_stats stats_shown; /* a copy, under the lock */
};

struct log_worker *log_worker_create(const struct log_worker_config *config,
                                     struct log_index *index, struct log_reader *reader,
                                     struct log_keeper *keeper, uint64_t seq)
{
    struct log_worker *worker = fl_new(struct log_worker);

    worker->config = *config;
    worker->index = index;
    worker->reader = reader;
    worker->keeper = keeper;
    worker->seq = seq;
    worker->inbox = fl_queue_create(REQUESTS_MAX);
    atomic_init(&worker->inbox_bytes, 0);
    fl_assert(pthread_mutex_init(&worker->stats_lock, NULL) == 0);
    return worker;
}

/* ---- answers ----------------------------------------------------------------------------------- */

static void answer(struct log_worker *worker, struct log_desk *desk,
                   const struct log_answer *answer)
{
    if (!desk) return;
    fl_vec_push(&desk->waiting, *answer);
    if (desk->is_listed) return;
    desk->is_listed = true;
    fl_vec_push(&worker->desks, desk);
}

static void tell(struct log_worker *worker, const struct log_output *output,
                 enum fl_log_message_kind kind, enum fl_code code)
{
    const struct log_place *place = kind == FL_LOG_ack ? &output->durable : &output->queued;

    answer(worker, output->peer.front,
           &(struct log_answer){.connection = output->peer.connection,
                                .message = {.kind = kind,
                                            .source = output->peer.number,
                                            .offset = place->offset,
                                            .chain = place->chain,
                                            .code = (uint16_t)code}});
}

static void set_back(struct log_worker *worker, struct log_output *output)
{
    if (output->is_set_back) return;
    output->is_set_back = true;
    tell(worker, output, FL_LOG_cursor, FL_OK);
}

/* Letters go to the fronts that have read their last one; the others get theirs a little later. */
static void post(struct log_worker *worker)
{
    size_t kept = 0;

    for (size_t i = 0; i < worker->desks.len; i++) {
        struct log_desk *desk = worker->desks.at[i];

        if (atomic_load(&desk->is_out)) {
            worker->desks.at[kept++] = desk;
            continue;
        }
        desk->is_listed = false;
        desk->out.len = 0;
        {
            struct log_answer_list full = desk->waiting;

            desk->waiting = desk->out;
            desk->out = full;
        }
        atomic_store(&desk->is_out, true);
        if (!fl_mailbox_put(desk->mailbox, &desk->letter.letter)) {
            fl_unreachable("a front's mailbox has room for its one letter until it has left");
        }
    }
    worker->desks.len = kept;
}

/* ---- outputs and their sessions ---------------------------------------------------------------- */

struct peer_key {
    uint64_t connection;
    uint64_t number;
};

static struct log_output *by_peer(const struct log_worker *worker, uint64_t connection,
                                  uint32_t number)
{
    struct peer_key key = {connection, number};
    uint64_t found;

    if (!fl_map_find(&worker->output_of, &key, sizeof(key), &found)) return NULL;
    return (struct log_output *)(uintptr_t)found;
}

/* All of it is sealed, and nobody writes: the files say how far it is.  The index is locked. */
static bool is_idle(const struct log_output *output)
{
    return output->marks.len == 0 && output->unsealed_seq == 0 && !output->peer.front &&
           !output->is_unacked && !output->is_end_queued &&
           output->queued.offset == output->place.offset;
}

static void evict(struct log_worker *worker, struct log_output *output)
{
    log_index_lock(worker->index);
    if (is_idle(output)) log_index_remove(worker->index, output);
    log_index_unlock(worker->index);
}

static void unpause(struct log_worker *worker, struct log_output *output)
{
    if (!output->is_paused) return;
    output->is_paused = false;
    for (size_t i = 0; i < worker->paused.len; i++) {
        if (worker->paused.at[i] != output) continue;
        worker->paused.at[i] = fl_vec_pop(&worker->paused);
        return;
    }
}

static void detach(struct log_worker *worker, struct log_output *output)
{
    struct peer_key key = {output->peer.connection, output->peer.number};

    if (!output->peer.front) return;
    fl_map_remove(&worker->output_of, &key, sizeof(key));
    unpause(worker, output);
    log_index_lock(worker->index); /* the keeper looks whether it has a session */
    output->peer = (struct log_peer){0};
    log_index_unlock(worker->index);
    output->is_set_back = false;
}

/* How far it is by the sealed files; false: they could not be read. */
static bool place_of(struct log_worker *worker, const struct log_key *key,
                     struct log_known *ret_known, struct fl_err *err)
{
    struct log_known_list known;

    *ret_known = (struct log_known){.key = *key};
    if (!log_index_known(worker->index, key->attempt.job, SIZE_MAX, &known, err)) return false;
    for (size_t i = 0; i < known.len; i++) {
        if (log_key_cmp(&known.at[i].key, key) == 0) *ret_known = known.at[i];
    }
    fl_vec_fini(&known);
    return true;
}

static void refuse(struct log_worker *worker, const struct log_request *request, enum fl_code code)
{
    answer(
        worker, request->desk,
        &(struct log_answer){
            .connection = request->connection,
            .message = {.kind = FL_LOG_refuse, .source = request->number, .code = (uint16_t)code}});
}

/* What cannot be answered now is asked again by an agent that dials again. */
static void break_off(struct log_worker *worker, const struct log_request *request,
                      const struct fl_err *err)
{
    answer(worker, request->desk,
           &(struct log_answer){.connection = request->connection, .is_broken = true, .err = *err});
}

static void open_output(struct log_worker *worker, const struct log_request *request)
{
    uint64_t job = request->key.attempt.job.n;
    struct peer_key key = {request->connection, request->number};
    struct log_output *output;
    struct log_known known;
    struct fl_err err = {0};
    bool is_forgotten;

    log_index_lock(worker->index);
    is_forgotten = fl_map_find(&worker->index->forgotten, &job, sizeof(job), NULL);
    output = log_index_find(worker->index, &request->key);
    log_index_unlock(worker->index);
    if (is_forgotten) {
        refuse(worker, request, FL_ABSENT);
        return;
    }
    if (!output) {
        if (worker->index->outputs_len >= worker->config.sources_max) {
            fl_fail(&err, FL_FULL, "%u log sources are open", worker->config.sources_max);
            break_off(worker, request, &err);
            return;
        }
        if (!place_of(worker, &request->key, &known, &err)) {
            break_off(worker, request, &err);
            return;
        }
        log_index_lock(worker->index);
        output = log_index_add(worker->index, &request->key, request->cluster, &known.place);
        output->is_ended = known.is_ended;
        log_index_unlock(worker->index);
    } else if (output->cluster.n != request->cluster.n && output->cluster.n != 0) {
        refuse(worker, request, FL_DENIED); /* it is another cluster's */
        return;
    }
    detach(worker, output); /* a newer session has it */
    if (by_peer(worker, request->connection, request->number)) {
        fl_fail(&err, FL_INVALID, "log source %u is opened twice", request->number);
        break_off(worker, request, &err);
        evict(worker, output);
        return;
    }
    fl_map_put(&worker->output_of, &key, sizeof(key), (uint64_t)(uintptr_t)output);
    log_index_lock(worker->index);
    output->cluster = request->cluster;
    output->peer = (struct log_peer){request->desk, request->connection, request->number};
    log_index_unlock(worker->index);
    tell(worker, output, FL_LOG_cursor, FL_OK);
}

/* ---- writing ----------------------------------------------------------------------------------- */

static struct lane *lane_of(struct log_worker *worker, struct fl_cluster cluster)
{
    struct lane *lane;
    uint64_t i;

    if (fl_map_find(&worker->lane_of, &cluster.n, sizeof(cluster.n), &i)) {
        return worker->lanes.at[i];
    }
    lane = fl_new(struct lane);
    lane->cluster = cluster;
    fl_buf_init(&lane->headers, SIZE_MAX);
    fl_map_put(&worker->lane_of, &cluster.n, sizeof(cluster.n), worker->lanes.len);
    fl_vec_push(&worker->lanes, lane);
    return lane;
}

static void pause_output(struct log_worker *worker, struct log_output *output, enum fl_code code)
{
    if (output->is_paused || !output->peer.front) return;
    output->is_paused = true;
    fl_vec_push(&worker->paused, output);
    tell(worker, output, FL_LOG_pause, code);
}

static void failed(struct log_worker *worker, const struct fl_err *err)
{
    if (!worker->is_full) {
        fl_log(FL_LOG_ERROR, "logs", "write_failed", FL_LOG_ERR(err));
    }
    worker->is_full = true;
    worker->retry_at = fl_clock_mono() + RETRY_MS;
}

/* The lane's segment, made if it has none. */
static bool has_segment(struct log_worker *worker, struct lane *lane)
{
    struct log_segment_header header = {
        .cluster = lane->cluster, .seq = worker->seq, .created_at = fl_clock_wall()};
    struct fl_err err = {0};

    if (lane->segment) return true;
    if (worker->is_full) return false;
    lane->segment = log_segment_create(worker->config.dir, &header, worker->config.disk, &err);
    if (!lane->segment) {
        failed(worker, &err);
        return false;
    }
    worker->seq++;
    lane->entries_len = 0;
    lane->sources_before = 0;
    return true;
}

static void put_header(struct fl_buf *headers, struct lane *lane, struct log_output *output,
                       const struct log_chunk *chunk)
{
    uint8_t bytes[LOG_ENTRY_HEADER_BYTES + LOG_ENTRY_SOURCE_BYTES];
    bool is_put = true;

    if (output->segment_seq != lane->segment->header.seq) {
        output->segment_seq = lane->segment->header.seq;
        output->segment_number = lane->segment->sources_len++;
        log_entry_put_source(bytes, output->segment_number, &output->key, &output->queued);
        is_put = fl_buf_put(headers, bytes, sizeof(bytes));
    }
    if (chunk) {
        log_entry_put_records(bytes, output->segment_number, chunk->len);
        is_put = is_put && fl_buf_put(headers, bytes, LOG_ENTRY_HEADER_BYTES);
    } else {
        log_entry_put_end(bytes, output->segment_number, &output->queued);
        is_put = is_put && fl_buf_put(headers, bytes, LOG_ENTRY_HEADER_BYTES + LOG_ENTRY_END_BYTES);
    }
    fl_assert(is_put);
}

/* Puts an entry into the batch; 'chunk' is a reference that is taken over. */
static void add_entry(struct log_worker *worker, struct log_output *output, struct log_chunk *chunk)
{
    struct lane *lane = lane_of(worker, output->cluster);
    struct entry entry = {.output = output, .chunk = chunk, .before = output->queued};

    if (worker->is_full || !has_segment(worker, lane)) {
        log_chunk_unref(chunk);
        pause_output(worker, output, FL_NO_SPACE);
        return;
    }
    if (lane->entries.len == 0) lane->sources_before = lane->segment->sources_len;
    entry.header_at = lane->headers.len;
    put_header(&lane->headers, lane, output, chunk);
    entry.header_bytes = (uint32_t)(lane->headers.len - entry.header_at);
    if (chunk) {
        log_place_advance(&output->queued, (struct fl_str){chunk->records, chunk->len},
                          &chunk->run);
    }
    entry.after = output->queued;
    fl_vec_push(&lane->entries, entry);
}

static void append(struct log_worker *worker, struct log_request *request)
{
    struct log_output *output = by_peer(worker, request->connection, request->number);
    struct log_chunk *chunk = request->chunk;

    request->chunk = NULL;
    if (!output || output->is_paused || output->is_ended || output->is_end_queued) {
        log_chunk_unref(chunk);
        return;
    }
    if (chunk->run.offset != output->queued.offset) {
        worker->stats.appends_refused++;
        log_chunk_unref(chunk);
        set_back(worker, output);
        return;
    }
    output->is_set_back = false;
    add_entry(worker, output, chunk);
}

static void end(struct log_worker *worker, const struct log_request *request)
{
    struct log_output *output = by_peer(worker, request->connection, request->number);

    if (!output || output->is_paused || output->is_end_queued) return;
    if (request->offset != output->queued.offset) {
        set_back(worker, output);
        return;
    }
    if (request->chain != output->queued.chain) {
        fl_log(FL_LOG_ERROR, "logs", "chain_differs", FL_LOG_N("job", output->key.attempt.job.n),
               FL_LOG_N("element", output->key.attempt.element),
               FL_LOG_N("attempt", output->key.attempt.n), FL_LOG_N("replica", output->key.replica),
               FL_LOG_N("offset", request->offset));
    }
    if (output->is_ended) {
        tell(worker, output, FL_LOG_end_ack, FL_OK);
        detach(worker, output);
        evict(worker, output);
        return;
    }
    output->is_end_queued = true;
    add_entry(worker, output, NULL);
    if (output->is_paused) output->is_end_queued = false;
}

static void wake_later(struct log_worker *worker, struct fl_job job)
{
    if (worker->woken.len > 0 && worker->woken.at[worker->woken.len - 1].n == job.n) return;
    fl_vec_push(&worker->woken, job);
}

/* What was written becomes visible. */
static void publish(struct log_worker *worker, struct lane *lane, uint64_t pos)
{
    log_index_lock(worker->index);
    for (size_t i = 0; i < lane->entries.len; i++) {
        struct entry *entry = &lane->entries.at[i];
        struct log_output *output = entry->output;

        pos += entry->header_bytes;
        if (entry->chunk) {
            struct log_chunk *chunk = entry->chunk;

            chunk->line = entry->before.lines;
            log_index_mark(worker->index, output, lane->segment, pos, chunk->len, &chunk->run,
                           chunk->line);
            pos += chunk->len;
            worker->stats.bytes_appended += chunk->len;
            worker->stats.records_appended += chunk->run.records;
            log_index_ring_put(worker->index, output, chunk);
        }
        output->place = entry->after;
        output->unsealed_seq = lane->segment->header.seq;
        if (!output->is_unacked) {
            output->is_unacked = true;
            fl_vec_push(&lane->unacked, output);
        }
        wake_later(worker, output->key.attempt.job);
    }
    log_index_unlock(worker->index);
}

/* The batch did not get into the file: its outputs are where they were. */
static void take_back(struct log_worker *worker, struct lane *lane, enum fl_code code)
{
    for (size_t i = 0; i < lane->entries.len; i++) {
        struct entry *entry = &lane->entries.at[i];
        struct log_output *output = entry->output;

        log_chunk_unref(entry->chunk);
        output->queued = output->place;
        output->is_end_queued = false;
        if (output->segment_seq == lane->segment->header.seq &&
            output->segment_number >= lane->sources_before) {
            output->segment_seq = 0;
        }
        pause_output(worker, output, code);
    }
    lane->segment->sources_len = lane->sources_before;
}

static void write_lane(struct log_worker *worker, struct lane *lane)
{
    uint64_t pos = lane->segment->bytes;
    struct iovec *iov = fl_realloc_array(NULL, struct iovec, 2 * lane->entries.len);
    struct fl_err err = {0};
    size_t iov_len = 0;

    for (size_t i = 0; i < lane->entries.len; i++) {
        const struct entry *entry = &lane->entries.at[i];

        iov[iov_len++] = (struct iovec){lane->headers.at + entry->header_at, entry->header_bytes};
        if (entry->chunk) {
            iov[iov_len++] = (struct iovec){entry->chunk->records, entry->chunk->len};
        }
    }
    if (log_segment_append(lane->segment, iov, iov_len, &err)) {
        publish(worker, lane, pos);
        lane->entries_len += lane->entries.len;
        if (worker->dirty_len == 0) worker->dirty_since = fl_clock_mono();
        if (!lane->is_dirty) worker->dirty_len++;
        lane->is_dirty = true;
    } else {
        failed(worker, &err);
        take_back(worker, lane, err.code);
    }
    fl_free(iov);
    fl_vec_clear(&lane->entries);
    fl_buf_clear(&lane->headers);
}

/* ---- durability -------------------------------------------------------------------------------- */

static void acknowledge(struct log_worker *worker, struct lane *lane)
{
    for (size_t i = 0; i < lane->unacked.len; i++) {
        struct log_output *output = lane->unacked.at[i];

        output->is_unacked = false;
        output->durable = output->place;
        if (output->is_end_queued) {
            output->is_end_queued = false;
            log_index_lock(worker->index);
            output->is_ended = true;
            log_index_unlock(worker->index);
            tell(worker, output, FL_LOG_end_ack, FL_OK);
            detach(worker, output);
            wake_later(worker, output->key.attempt.job);
        } else {
            tell(worker, output, FL_LOG_ack, FL_OK);
        }
        evict(worker, output);
    }
    fl_vec_clear(&lane->unacked);
}

/* The sync failed: only what was durable before counts, in a segment that is closed now. */
static void give_up(struct log_worker *worker, struct lane *lane, struct fl_err *err)
{
    struct log_segment *segment = lane->segment;

    fl_log(FL_LOG_ERROR, "logs", "sync_failed", FL_LOG_N("cluster", lane->cluster.n),
           FL_LOG_ERR(err));
    worker->stats.syncs_failed++;
    if (!log_segment_cut(segment, err)) failed(worker, err);
    log_index_lock(worker->index);
    log_index_ring_clear(worker->index);
    for (size_t i = 0; i < lane->unacked.len; i++) {
        struct log_output *output = lane->unacked.at[i];

        log_index_unmark_from(worker->index, output, output->durable.offset);
        output->place = output->queued = output->durable;
        output->is_unacked = output->is_end_queued = false;
        output->is_set_back = false;
    }
    log_index_unlock(worker->index);
    for (size_t i = 0; i < lane->unacked.len; i++) {
        struct log_output *output = lane->unacked.at[i];

        if (!output->is_paused) set_back(worker, output);
        evict(worker, output);
    }
    fl_vec_clear(&lane->unacked);
    lane->segment = NULL;
    log_keeper_seal(worker->keeper, segment);
}

static void sync_lane(struct log_worker *worker, struct lane *lane)
{
    int64_t began_us = fl_clock_mono_us();
    struct fl_err err = {0};
    uint64_t took_us;

    lane->is_dirty = false;
    worker->dirty_len--;
    if (!log_segment_sync(lane->segment, &err)) {
        give_up(worker, lane, &err);
        return;
    }
    took_us = (uint64_t)(fl_clock_mono_us() - began_us);
    worker->stats.syncs++;
    if (took_us > worker->stats.sync_us_max) worker->stats.sync_us_max = took_us;
    acknowledge(worker, lane);
}

static void sync_all(struct log_worker *worker)
{
    for (size_t i = 0; i < worker->lanes.len && worker->dirty_len > 0; i++) {
        if (worker->lanes.at[i]->is_dirty) sync_lane(worker, worker->lanes.at[i]);
    }
}

static bool is_over(const struct log_worker *worker, const struct lane *lane)
{
    const struct log_segment *segment = lane->segment;

    if (!segment || segment->bytes == LOG_SEGMENT_HEADER_BYTES) return false;
    return segment->bytes >= worker->config.segment_bytes ||
           lane->entries_len >= SEGMENT_ENTRIES_MAX ||
           fl_clock_wall() - segment->header.created_at >= worker->config.segment_age_ms;
}

static void close_segment(struct log_worker *worker, struct lane *lane)
{
    struct log_segment *segment;

    if (lane->is_dirty) sync_lane(worker, lane);
    segment = lane->segment;
    if (!segment) return; /* its sync failed, and it is closed already */
    lane->segment = NULL;
    log_keeper_seal(worker->keeper, segment);
}

/* ---- a full disk ------------------------------------------------------------------------------- */

/* Is there room again?  What is written to try it is overwritten by the next append, or cut at a start. */
static void try_again(struct log_worker *worker)
{
    struct log_segment_header header = {.seq = worker->seq, .created_at = fl_clock_wall()};
    struct log_segment *segment;
    struct fl_err err = {0};

    worker->retry_at = fl_clock_mono() + RETRY_MS;
    segment = log_segment_create(worker->config.dir, &header, worker->config.disk, &err);
    if (!segment) return;
    segment->is_removed = true; /* it was only to see */
    log_segment_unref(segment);
    worker->seq++;
    worker->is_full = false;
    fl_log(FL_LOG_INFO, "logs", "write_again", FL_LOG_N("paused", worker->paused.len));
    for (size_t i = 0; i < worker->paused.len; i++) {
        worker->paused.at[i]->is_paused = false;
        worker->paused.at[i]->is_set_back = true;
        tell(worker, worker->paused.at[i], FL_LOG_resume, FL_OK);
    }
    fl_vec_clear(&worker->paused);
}

/* ---- the loop ---------------------------------------------------------------------------------- */

static void forget(struct log_worker *worker, struct fl_job job)
{
    struct log_output *output;
    struct log_output *next;

    log_index_lock(worker->index);
    output = log_index_first(worker->index, job);
    log_index_unlock(worker->index);
    for (; output; output = next) { /* the keeper removes only those without a session */
        log_index_lock(worker->index);
        next = output->job_next;
        log_index_unlock(worker->index);
        if (!output->peer.front) continue;
        tell(worker, output, FL_LOG_refuse, FL_ABSENT);
        detach(worker, output);
    }
    wake_later(worker, job);
}

static void leave(struct log_worker *worker, struct log_desk *desk)
{
    for (size_t i = 0; i < worker->desks.len; i++) {
        if (worker->desks.at[i] != desk) continue;
        fl_vec_remove(&worker->desks, i);
        break;
    }
    fl_vec_fini(&desk->waiting);
    desk->is_listed = false;
}

static void handle(struct log_worker *worker, struct log_request *request, bool *ret_has_left)
{
    struct log_output *output;

    switch (request->kind) {
    case LOG_REQUEST_LEAVE:
        *ret_has_left = true;
        leave(worker, request->desk);
        break;
    case LOG_REQUEST_OPEN:
        open_output(worker, request);
        break;
    case LOG_REQUEST_APPEND:
        append(worker, request);
        break;
    case LOG_REQUEST_END:
        end(worker, request);
        break;
    case LOG_REQUEST_CLOSE:
        output = by_peer(worker, request->connection, request->number);
        if (output) {
            detach(worker, output);
            evict(worker, output);
        }
        break;
    case LOG_REQUEST_FORGET:
        forget(worker, request->key.attempt.job);
        break;
    }
}

static size_t weight(const struct log_request *request)
{
    return sizeof(*request) + (request->chunk ? sizeof(struct log_chunk) + request->chunk->len : 0);
}

bool log_worker_put(struct log_worker *worker, struct log_request *request)
{
    size_t bytes = weight(request);

    if (atomic_load(&worker->inbox_bytes) + bytes > worker->config.inbox_bytes_max) return false;
    atomic_fetch_add(&worker->inbox_bytes, bytes);
    if (fl_queue_put(worker->inbox, request)) return true;
    atomic_fetch_sub(&worker->inbox_bytes, bytes);
    return false;
}

/* One request that is waited for, and as many as there are behind it. */
static size_t take(struct log_worker *worker, fl_ms wait_ms, void *ret_requests[BATCH_MAX])
{
    ret_requests[0] = fl_queue_take(worker->inbox, wait_ms);
    if (!ret_requests[0]) return 0;
    return 1 + fl_queue_take_many(worker->inbox, ret_requests + 1, BATCH_MAX - 1);
}

static void handle_all(struct log_worker *worker, void *const *requests, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        struct log_request *request = requests[i];
        bool has_left = false;

        atomic_fetch_sub(&worker->inbox_bytes, weight(request));
        handle(worker, request, &has_left);
        if (has_left) atomic_store(&request->desk->has_left, true);
        fl_free(request);
    }
    for (size_t i = 0; i < worker->lanes.len; i++) {
        if (worker->lanes.at[i]->entries.len > 0) write_lane(worker, worker->lanes.at[i]);
    }
}

/* Followers hear of it before it is durable. */
static void wake_followers(struct log_worker *worker)
{
    for (size_t i = 0; i < worker->woken.len; i++) {
        log_reader_wake(worker->reader, worker->woken.at[i]);
    }
    fl_vec_clear(&worker->woken);
}

static void evict_sealed(struct log_worker *worker)
{
    struct log_output *next;

    log_index_lock(worker->index);
    if (worker->index->has_unmarked) {
        worker->index->has_unmarked = false;
        for (struct log_output *output = worker->index->all; output; output = next) {
            next = output->all_next;
            if (is_idle(output)) log_index_remove(worker->index, output);
        }
    }
    log_index_unlock(worker->index);
}

static void show_stats(struct log_worker *worker)
{
    uint64_t open = 0;

    for (size_t i = 0; i < worker->lanes.len; i++) {
        open += worker->lanes.at[i]->segment != NULL;
    }
    worker->stats.segments_open = open;
    worker->stats.is_full = worker->is_full;
    fl_assert(pthread_mutex_lock(&worker->stats_lock) == 0);
    worker->stats_shown = worker->stats;
    fl_assert(pthread_mutex_unlock(&worker->stats_lock) == 0);
}

static fl_ms wait_ms(const struct log_worker *worker)
{
    if (worker->dirty_len > 0) return 0; /* nothing more there: that is when it is synced */
    if (worker->desks.len > 0) return 2; /* a front reads its last letter */
    return worker->is_full ? RETRY_MS : IDLE_MS;
}

static void *work(void *ctx)
{
    struct log_worker *worker = ctx;
    void *requests[BATCH_MAX];
    bool is_over_now = false;

    while (!is_over_now) {
        bool is_stopping = atomic_load(&worker->is_stopping); /* nothing is put from then on */
        size_t len = take(worker, wait_ms(worker), requests);
        fl_ms now = fl_clock_mono();

        if (len > 0) handle_all(worker, requests, len);
        for (size_t i = 0; i < worker->lanes.len; i++) {
            if (worker->lanes.at[i]->segment &&
                worker->lanes.at[i]->segment->bytes >= worker->config.segment_bytes) {
                close_segment(worker, worker->lanes.at[i]);
            }
        }
        wake_followers(worker);
        if (worker->dirty_len > 0 &&
            (len == 0 || now - worker->dirty_since >= worker->config.sync_ms)) {
            sync_all(worker);
        }
        if (now - worker->aged_at >= IDLE_MS) {
            worker->aged_at = now;
            for (size_t i = 0; i < worker->lanes.len; i++) {
                if (is_over(worker, worker->lanes.at[i])) {
                    close_segment(worker, worker->lanes.at[i]);
                }
            }
            evict_sealed(worker);
        }
        if (worker->is_full && now >= worker->retry_at) try_again(worker);
        wake_followers(worker);
        post(worker);
        show_stats(worker);
        is_over_now = len == 0 && is_stopping;
    }
    sync_all(worker);
    return NULL;
}

void log_worker_resume(struct log_worker *worker, struct log_segment *segment)
{
    struct lane *lane = lane_of(worker, segment->header.cluster);

    fl_assert(!lane->segment);
    lane->segment = segment;
}

void log_worker_run(struct log_worker *worker)
{
    fl_assert(pthread_create(&worker->thread, NULL, work, worker) == 0);
    worker->is_running = true;
}

void log_worker_stop(struct log_worker *worker)
{
    if (!worker->is_running) return;
    fl_queue_close(worker->inbox);
    atomic_store(&worker->is_stopping, true);
    fl_assert(pthread_join(worker->thread, NULL) == 0);
    worker->is_running = false;
}

void log_worker_destroy(struct log_worker *worker)
{
    if (!worker) return;
    log_worker_stop(worker);
    for (size_t i = 0; i < worker->lanes.len; i++) {
        struct lane *lane = worker->lanes.at[i];

        log_segment_unref(lane->segment);
        fl_vec_fini(&lane->entries);
        fl_vec_fini(&lane->unacked);
        fl_buf_fini(&lane->headers);
        fl_free(lane);
    }
    fl_vec_fini(&worker->lanes);
    fl_vec_fini(&worker->desks);
    fl_vec_fini(&worker->woken);
    fl_vec_fini(&worker->paused);
    fl_map_fini(&worker->lane_of);
    fl_map_fini(&worker->output_of);
    fl_queue_destroy(worker->inbox);
    fl_assert(pthread_mutex_destroy(&worker->stats_lock) == 0);
    fl_free(worker);
}

struct log_worker_stats log_worker_stats(struct log_worker *worker)
{
    struct log_worker_stats stats;

    fl_assert(pthread_mutex_lock(&worker->stats_lock) == 0);
    stats = worker->stats_shown;
    fl_assert(pthread_mutex_unlock(&worker->stats_lock) == 0);
    stats.inbox_bytes = atomic_load(&worker->inbox_bytes);
    return stats;
}
