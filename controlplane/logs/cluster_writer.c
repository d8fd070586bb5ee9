#include "controlplane/logs/worker_state.h"

#include "controlplane/logs/sealer_thread.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/clock.h"
#include "shared/io/log.h"

#define SEGMENT_ENTRIES_MAX 262144
#define SYNC_TURN_MS ((fl_ms)5)   /* after this time no further sync begins in the turn */
#define SYNC_EVERY_MS ((fl_ms)15) /* a sync that is not late begins so long after the one before */

/* ---- writing --------------------------------------------------------------------------------- */

/* Each failure doubles the time until the next try. */
static void back_off(struct log_worker *worker)
{
    fl_ms now = fl_clock_mono();

    worker->retry_ms = worker->retry_ms * 2;
    if (worker->retry_ms > LOG_WORKER_RETRY_MS_MAX) worker->retry_ms = LOG_WORKER_RETRY_MS_MAX;
    if (!worker->is_full && now - worker->full_until > FL_MINUTE_MS) worker->retry_ms = 0;
    if (worker->retry_ms == 0) worker->retry_ms = LOG_WORKER_RETRY_MS;
    worker->retry_at = now + worker->retry_ms;
}

/* 'bytes' had no room. */
static void failed(struct log_worker *worker, size_t bytes, const struct fl_err *err)
{
    back_off(worker);
    if (worker->is_full) return;
    fl_log(FL_LOG_ERROR, "logs", "write_failed", FL_LOG_N("retry_ms", worker->retry_ms),
           FL_LOG_ERR(err));
    worker->is_full = true;
    worker->refused_bytes = bytes;
}

/* Whether the writer has a segment; makes one if it has none. */
static bool has_segment(struct log_worker *worker, struct log_cluster_writer *writer)
{
    struct log_segment_header header = {
        .cluster = writer->cluster, .seq = worker->seq, .created_at = fl_clock_wall()};
    struct fl_err err = {0};

    if (writer->segment) return true;
    if (worker->is_full) return false;
    writer->segment = log_segment_create(worker->config.dir, &header, worker->config.disk, &err);
    if (!writer->segment) {
        failed(worker, 0, &err);
        return false;
    }
    worker->seq++;
    writer->entries_len = 0;
    writer->sources_before = 0;
    return true;
}

static void put_header(struct fl_buf *headers, struct log_cluster_writer *writer,
                       struct log_output *output, const struct log_chunk *chunk)
{
    uint8_t bytes[LOG_ENTRY_HEADER_BYTES + LOG_ENTRY_SOURCE_BYTES];
    bool is_put = true;

    if (output->segment_seq != writer->segment->header.seq) {
        output->segment_seq = writer->segment->header.seq;
        output->segment_number = (uint32_t)writer->segment->sources.len;
        fl_vec_push(&writer->segment->sources,
                    (struct log_segment_source){output->node.key, output->queued, false});
        log_entry_put_source(bytes, output->segment_number, &output->node.key, &output->queued);
        is_put = fl_buf_put(headers, bytes, sizeof(bytes));
    }
    if (chunk) {
        log_entry_put_records(bytes, output->segment_number, chunk->len);
        is_put = is_put && fl_buf_put(headers, bytes, LOG_ENTRY_HEADER_BYTES);
    } else {
        log_entry_put_end(bytes, output->segment_number, &output->node.key, &output->queued);
        is_put = is_put && fl_buf_put(headers, bytes, LOG_ENTRY_HEADER_BYTES + LOG_ENTRY_END_BYTES);
    }
    fl_assert(is_put);
}

/* Adds an entry to the batch; takes over the reference 'chunk'. */
static void add_entry(struct log_worker *worker, struct log_output *output, struct log_chunk *chunk)
{
    struct log_cluster_writer *writer = log_worker_writer_of(worker, output->cluster);
    struct log_cluster_writer_entry entry = {
        .output = output, .chunk = chunk, .before = output->queued};

    if (worker->is_full || !has_segment(worker, writer)) {
        log_chunk_unref(chunk);
        log_worker_pause(worker, output, FL_NO_SPACE);
        return;
    }
    if (writer->entries.len == 0) writer->sources_before = writer->segment->sources.len;
    entry.header_at = writer->headers.len;
    put_header(&writer->headers, writer, output, chunk);
    entry.header_bytes = (uint32_t)(writer->headers.len - entry.header_at);
    if (chunk) {
        log_place_advance(&output->queued, (struct fl_str){chunk->records, chunk->len},
                          &chunk->run);
    }
    entry.after = output->queued;
    fl_vec_push(&writer->entries, entry);
}

void log_cluster_writer_append(struct log_worker *worker, struct log_request *request)
{
    struct log_output *output = log_worker_by_peer(worker, request->connection, request->number);
    struct log_chunk *chunk = request->chunk;

    request->chunk = NULL;
    if (!output || output->is_paused || output->is_ended || output->is_end_queued) {
        log_chunk_unref(chunk);
        return;
    }
    if (chunk->run.offset != output->queued.offset) {
        worker->stats.appends_refused++;
        log_chunk_unref(chunk);
        log_worker_set_back(worker, output);
        return;
    }
    output->is_set_back = false;
    add_entry(worker, output, chunk);
}

void log_cluster_writer_end(struct log_worker *worker, const struct log_request *request)
{
    struct log_output *output = log_worker_by_peer(worker, request->connection, request->number);

    if (!output || output->is_paused || output->is_end_queued) return;
    if (request->offset != output->queued.offset) {
        log_worker_set_back(worker, output);
        return;
    }
    if (request->chain != output->queued.chain) {
        worker->stats.chains_differ++;
        fl_log(FL_LOG_ERROR, "logs", "chain_differs",
               FL_LOG_N("job", output->node.key.attempt.job.n),
               FL_LOG_N("element", output->node.key.attempt.element),
               FL_LOG_N("attempt", output->node.key.attempt.n),
               FL_LOG_N("replica", output->node.key.replica), FL_LOG_N("offset", request->offset));
    }
    if (output->is_ended) {
        log_worker_tell(worker, output, FL_LOG_end_ack, FL_OK);
        log_worker_detach(worker, output);
        log_worker_evict(worker, output);
        return;
    }
    output->is_end_queued = true;
    add_entry(worker, output, NULL);
    if (output->is_paused) output->is_end_queued = false;
}

/* The output in the segment's list. */
static struct log_segment_source *source_of(const struct log_cluster_writer *writer,
                                            const struct log_output *output)
{
    fl_assert(output->segment_number < writer->segment->sources.len);
    return &writer->segment->sources.at[output->segment_number];
}

/* Makes the written bytes visible. */
static void publish(struct log_worker *worker, struct log_cluster_writer *writer, uint64_t pos)
{
    log_index_lock(worker->index);
    for (size_t i = 0; i < writer->entries.len; i++) {
        struct log_cluster_writer_entry *entry = &writer->entries.at[i];
        struct log_output *output = entry->output;

        pos += entry->header_bytes;
        if (entry->chunk) {
            struct log_chunk *chunk = entry->chunk;

            chunk->line = entry->before.lines;
            log_index_mark(worker->index, output, writer->segment, pos, chunk->len, &chunk->run,
                           chunk->line);
            pos += chunk->len;
            worker->stats.bytes_appended += chunk->len;
            worker->stats.records_appended += chunk->run.records;
            log_index_ring_put(worker->index, output, chunk);
        }
        output->place = entry->after;
        source_of(writer, output)->place = entry->after;
        output->unsealed_seq = writer->segment->header.seq;
        if (!output->is_unacked) {
            output->is_unacked = true;
            fl_vec_push(&writer->unacked, output);
        }
        log_worker_wake_later(worker, output->node.key.attempt.job);
    }
    log_index_unlock(worker->index);
}

/* The batch was not written: sets its outputs back to where they were before. */
static void take_back(struct log_worker *worker, struct log_cluster_writer *writer,
                      enum fl_code code)
{
    for (size_t i = 0; i < writer->entries.len; i++) {
        struct log_cluster_writer_entry *entry = &writer->entries.at[i];
        struct log_output *output = entry->output;

        log_chunk_unref(entry->chunk);
        output->queued = output->place;
        output->is_end_queued = false;
        if (output->segment_seq == writer->segment->header.seq &&
            output->segment_number >= writer->sources_before) {
            output->segment_seq = 0;
        }
        log_worker_pause(worker, output, code);
    }
    writer->segment->sources.len = writer->sources_before;
}

static void mark_dirty(struct log_worker *worker, struct log_cluster_writer *writer)
{
    if (writer->is_dirty) return;
    writer->is_dirty = true;
    writer->dirty_since = fl_clock_mono();
    if (writer->is_listed) return;
    writer->is_listed = true;
    writer->dirty_next = NULL;
    if (worker->dirty_first) {
        worker->dirty_last->dirty_next = writer;
    } else {
        worker->dirty_first = writer;
    }
    worker->dirty_last = writer;
}

void log_cluster_writer_write(struct log_worker *worker, struct log_cluster_writer *writer)
{
    uint64_t pos = writer->segment->bytes;
    struct iovec *iov = fl_realloc_array(NULL, struct iovec, 2 * writer->entries.len);
    struct fl_err err = {0};
    size_t iov_len = 0;
    size_t bytes = 0;

    for (size_t i = 0; i < writer->entries.len; i++) {
        const struct log_cluster_writer_entry *entry = &writer->entries.at[i];

        bytes += entry->header_bytes + (entry->chunk ? entry->chunk->len : 0);
        iov[iov_len++] = (struct iovec){writer->headers.at + entry->header_at, entry->header_bytes};
        if (entry->chunk) {
            iov[iov_len++] = (struct iovec){entry->chunk->records, entry->chunk->len};
        }
    }
    if (log_segment_append(writer->segment, iov, iov_len, &err)) {
        publish(worker, writer, pos);
        writer->entries_len += writer->entries.len;
        mark_dirty(worker, writer);
    } else {
        failed(worker, bytes, &err);
        take_back(worker, writer, err.code);
    }
    fl_free(iov);
    fl_vec_clear(&writer->entries);
    fl_buf_clear(&writer->headers);
}

/* ---- durability ------------------------------------------------------------------------------ */

static void acknowledge(struct log_worker *worker, struct log_cluster_writer *writer)
{
    for (size_t i = 0; i < writer->unacked.len; i++) {
        struct log_output *output = writer->unacked.at[i];

        output->is_unacked = false;
        output->durable = output->place;
        if (output->is_end_queued) {
            output->is_end_queued = false;
            log_index_lock(worker->index);
            output->is_ended = true;
            log_index_unlock(worker->index);
            source_of(writer, output)->is_ended = true;
            writer->ended_len++;
            worker->ended_len++;
            log_worker_tell(worker, output, FL_LOG_end_ack, FL_OK);
            log_worker_detach(worker, output);
            log_worker_wake_later(worker, output->node.key.attempt.job);
        } else {
            log_worker_tell(worker, output, FL_LOG_ack, FL_OK);
        }
        log_worker_evict(worker, output);
    }
    fl_vec_clear(&writer->unacked);
}

/* Gives the writer's segment to the sealer. */
static void hand_over(struct log_worker *worker, struct log_cluster_writer *writer)
{
    struct log_segment *segment = writer->segment;

    worker->ended_len -= writer->ended_len;
    writer->ended_len = 0;
    writer->segment = NULL;
    log_sealer_thread_seal(worker->sealer, segment);
}

/* After a failed sync: cuts the segment to its durable bytes and closes it. */
static void give_up(struct log_worker *worker, struct log_cluster_writer *writer,
                    struct fl_err *err)
{
    struct log_segment *segment = writer->segment;

    fl_log(FL_LOG_ERROR, "logs", "sync_failed", FL_LOG_N("cluster", writer->cluster.n),
           FL_LOG_ERR(err));
    worker->stats.syncs_failed++;
    if (!log_segment_cut(segment, err)) failed(worker, 0, err);
    log_index_lock(worker->index);
    log_index_ring_clear(worker->index);
    for (size_t i = 0; i < writer->unacked.len; i++) {
        struct log_output *output = writer->unacked.at[i];

        log_index_unmark_from(worker->index, output, output->durable.offset);
        output->place = output->queued = output->durable;
        source_of(writer, output)->place = output->durable;
        output->is_unacked = output->is_end_queued = false;
        output->is_set_back = false;
    }
    log_index_unlock(worker->index);
    for (size_t i = 0; i < writer->unacked.len; i++) {
        struct log_output *output = writer->unacked.at[i];

        if (!output->is_paused) log_worker_set_back(worker, output);
        log_worker_evict(worker, output);
    }
    fl_vec_clear(&writer->unacked);
    hand_over(worker, writer);
}

static void sync_writer(struct log_worker *worker, struct log_cluster_writer *writer)
{
    int64_t began_us = fl_clock_mono_us();
    struct fl_err err = {0};
    uint64_t took_us;

    writer->is_dirty = false;
    if (!log_segment_sync(writer->segment, &err)) {
        give_up(worker, writer, &err);
        return;
    }
    took_us = (uint64_t)(fl_clock_mono_us() - began_us);
    worker->stats.syncs++;
    if (took_us > worker->stats.sync_us_max) worker->stats.sync_us_max = took_us;
    acknowledge(worker, writer);
}

static void unlist_first(struct log_worker *worker)
{
    worker->dirty_first->is_listed = false;
    worker->dirty_first = worker->dirty_first->dirty_next;
}

static struct log_cluster_writer *oldest_dirty(struct log_worker *worker)
{
    struct log_cluster_writer *writer;

    while ((writer = worker->dirty_first) && !writer->is_dirty) { /* its segment was closed */
        unlist_first(worker);
    }
    return writer;
}

void log_cluster_writer_sync_all(struct log_worker *worker)
{
    struct log_cluster_writer *writer;

    while ((writer = oldest_dirty(worker))) {
        sync_writer(worker, writer);
    }
}

fl_ms log_cluster_writer_sync_in(struct log_worker *worker, fl_ms now)
{
    const struct log_cluster_writer *writer = oldest_dirty(worker);
    fl_ms at;

    if (!writer) return INT64_MAX;
    at = writer->dirty_since + worker->config.sync_ms;
    if (worker->sync_at < at) at = worker->sync_at;
    return at > now ? at - now : 0;
}

void log_cluster_writer_sync_due(struct log_worker *worker, bool is_busy)
{
    fl_ms began = fl_clock_mono(), now = began;
    struct log_cluster_writer *writer;

    while (now - began < SYNC_TURN_MS && (writer = oldest_dirty(worker)) &&
           (now - writer->dirty_since >= worker->config.sync_ms ||
            (!is_busy && now >= worker->sync_at))) {
        unlist_first(worker); /* it will join the list again at its end */
        sync_writer(worker, writer);
        worker->sync_at = now + SYNC_EVERY_MS;
        now = fl_clock_mono();
    }
}

bool log_cluster_writer_is_over(const struct log_worker *worker,
                                const struct log_cluster_writer *writer)
{
    const struct log_segment *segment = writer->segment;

    if (!segment || segment->bytes == LOG_SEGMENT_HEADER_BYTES) return false;
    return segment->bytes >= worker->config.segment_bytes ||
           writer->entries_len >= SEGMENT_ENTRIES_MAX ||
           fl_clock_wall() - segment->header.created_at >= worker->config.segment_age_ms;
}

void log_cluster_writer_close(struct log_worker *worker, struct log_cluster_writer *writer)
{
    if (writer->is_dirty) sync_writer(worker, writer);
    if (writer->segment) hand_over(worker, writer); /* a failed sync has closed it already */
}

/* ---- a full disk ----------------------------------------------------------------------------- */

/* Appends as much as had no room, and takes it back. */
static bool has_room(struct log_worker *worker, struct log_segment *segment, struct fl_err *err)
{
    void *zeros = fl_new_array(uint8_t, worker->refused_bytes + 1);
    struct iovec iov = {zeros, worker->refused_bytes};
    bool is_written = worker->refused_bytes == 0 ||
                      (log_segment_append(segment, &iov, 1, err) && log_segment_sync(segment, err));

    fl_free(zeros);
    return is_written;
}

/* Writes a trial segment with as many bytes as had no room.  If that works, all paused sources go
 * on. */
void log_cluster_writer_try_again(struct log_worker *worker)
{
    struct log_segment_header header = {.seq = worker->seq, .created_at = fl_clock_wall()};
    struct log_segment *segment;
    struct fl_err err = {0};
    bool is_written;

    segment = log_segment_create(worker->config.dir, &header, worker->config.disk, &err);
    is_written = segment && has_room(worker, segment, &err);
    if (segment) segment->is_removed = true;
    log_segment_unref(segment);
    if (!is_written) {
        back_off(worker);
        return;
    }
    worker->seq++;
    worker->full_until = fl_clock_mono();
    worker->is_full = false;
    fl_log(FL_LOG_INFO, "logs", "write_again", FL_LOG_N("paused", worker->paused.len));
    for (size_t i = 0; i < worker->paused.len; i++) {
        worker->paused.at[i]->is_paused = false;
        worker->paused.at[i]->is_set_back = true;
        log_worker_tell(worker, worker->paused.at[i], FL_LOG_resume, FL_OK);
    }
    fl_vec_clear(&worker->paused);
}
