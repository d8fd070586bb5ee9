#include "controlplane/logs/worker_state.h"

#include "shared/base/assert.h"
#include "shared/io/clock.h"
#include "shared/io/log.h"

#define ADMIT_MAX 256 /* sources that get room in one turn */

struct log_cluster_writer *log_worker_writer_of(struct log_worker *worker,
                                                struct fl_cluster cluster)
{
    struct log_cluster_writer *writer;
    uint64_t i;

    if (fl_map_find(&worker->writer_of, &cluster.n, sizeof(cluster.n), &i)) {
        return worker->writers.at[i];
    }
    writer = fl_new(struct log_cluster_writer);
    writer->cluster = cluster;
    fl_buf_init(&writer->headers, SIZE_MAX);
    fl_map_put(&worker->writer_of, &cluster.n, sizeof(cluster.n), worker->writers.len);
    fl_vec_push(&worker->writers, writer);
    return writer;
}

/* ---- answers --------------------------------------------------------------------------------- */

void log_worker_answer(struct log_worker *worker, struct log_answer_box *box,
                       const struct log_answer *answer)
{
    if (!box) return;
    fl_vec_push(&box->waiting, *answer);
    if (box->is_listed) return;
    box->is_listed = true;
    fl_vec_push(&worker->boxes, box);
}

void log_worker_tell(struct log_worker *worker, const struct log_output *output,
                     enum fl_log_message_kind kind, enum fl_code code)
{
    const struct log_place *place = kind == FL_LOG_ack ? &output->durable : &output->queued;

    log_worker_answer(worker, output->peer.front,
                      &(struct log_answer){.connection = output->peer.connection,
                                           .message = {.kind = kind,
                                                       .source = output->peer.number,
                                                       .offset = place->offset,
                                                       .chain = place->chain,
                                                       .code = (uint16_t)code}});
}

void log_worker_set_back(struct log_worker *worker, struct log_output *output)
{
    if (output->is_set_back) return;
    output->is_set_back = true;
    log_worker_tell(worker, output, FL_LOG_cursor, FL_OK);
}

/* Sends letters to the fronts that have read their last one; the others get theirs later. */
void log_worker_post(struct log_worker *worker)
{
    size_t kept = 0;

    for (size_t i = 0; i < worker->boxes.len; i++) {
        struct log_answer_box *box = worker->boxes.at[i];

        if (atomic_load(&box->is_out)) {
            worker->boxes.at[kept++] = box;
            continue;
        }
        box->is_listed = false;
        box->out.len = 0;
        {
            struct log_answer_list full = box->waiting;

            box->waiting = box->out;
            box->out = full;
        }
        atomic_store(&box->is_out, true);
        if (!fl_mailbox_put(box->mailbox, &box->letter.letter)) {
            fl_unreachable("a front's mailbox has room for its one letter until it has left");
        }
    }
    worker->boxes.len = kept;
}

/* ---- outputs and their sessions -------------------------------------------------------------- */

struct peer_key {
    uint64_t connection;
    uint64_t number;
};

struct log_output *log_worker_by_peer(const struct log_worker *worker, uint64_t connection,
                                      uint32_t number)
{
    struct peer_key key = {connection, number};
    uint64_t found;

    if (!fl_map_find(&worker->output_of, &key, sizeof(key), &found)) return NULL;
    return (struct log_output *)(uintptr_t)found;
}

/* All of the output is sealed and it has no session: files hold its end.  The index is locked. */
bool log_worker_is_idle(const struct log_output *output)
{
    return output->marks.len == 0 && output->unsealed_seq == 0 && !output->peer.front &&
           !output->is_unacked && !output->is_end_queued &&
           output->queued.offset == output->place.offset;
}

void log_worker_evict(struct log_worker *worker, struct log_output *output)
{
    log_index_lock(worker->index);
    if (log_worker_is_idle(output)) log_index_remove(worker->index, output);
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

void log_worker_detach(struct log_worker *worker, struct log_output *output)
{
    struct peer_key key = {output->peer.connection, output->peer.number};

    if (!output->peer.front) return;
    fl_map_remove(&worker->output_of, &key, sizeof(key));
    unpause(worker, output);
    log_index_lock(worker->index);
    output->peer = (struct log_peer){0};
    log_index_unlock(worker->index);
    output->is_set_back = false;
}

static void refuse(struct log_worker *worker, const struct log_request *request, enum fl_code code)
{
    log_worker_answer(
        worker, request->box,
        &(struct log_answer){
            .connection = request->connection,
            .message = {.kind = FL_LOG_refuse, .source = request->number, .code = (uint16_t)code}});
}

/* Ends the connection; the agent opens its sources again when it dials again. */
static void break_off(struct log_worker *worker, const struct log_request *request,
                      const struct fl_err *err)
{
    log_worker_answer(
        worker, request->box,
        &(struct log_answer){.connection = request->connection, .is_broken = true, .err = *err});
}

/* Puts the source into the table.  A new one goes behind those that wait.  False: it must wait, see
 * err. */
static bool add_output(struct log_worker *worker, const struct log_request *request, bool is_new,
                       struct log_output **ret_output, struct fl_err *err)
{
    struct log_known known;

    if (worker->index->outputs_len + (is_new ? worker->waiting_len : 0) >=
        worker->config.sources_max) {
        return fl_fail(err, FL_FULL, "%u log sources are open", worker->config.sources_max);
    }
    if (!log_index_sealed_end(worker->index, request->cluster, &request->key, &known, err)) {
        fl_log(FL_LOG_ERROR, "logs", "open_failed", FL_LOG_N("job", request->key.attempt.job.n),
               FL_LOG_N("element", request->key.attempt.element), FL_LOG_ERR(err));
        return false;
    }
    log_index_lock(worker->index);
    *ret_output = log_index_add(worker->index, &request->key, request->cluster, &known.place);
    (*ret_output)->is_ended = known.is_ended;
    log_index_unlock(worker->index);
    return true;
}

static void wait_for_room(struct log_worker *worker, const struct log_request *request,
                          enum fl_code code)
{
    struct log_cluster_writer *writer = log_worker_writer_of(worker, request->cluster);
    struct peer_key key = {request->connection, request->number};
    struct log_answer pause = {
        .connection = request->connection,
        .message = {.kind = FL_LOG_pause, .source = request->number, .code = (uint16_t)code}};

    fl_map_put(&worker->waiting_of, &key, sizeof(key), ++worker->tickets);
    fl_vec_push(&writer->waiting, (struct log_waiting){*request, worker->tickets});
    worker->waiting_len++;
    log_worker_answer(worker, request->box, &pause);
}

static bool is_forgotten(const struct log_worker *worker, struct fl_job job)
{
    bool is_there;

    log_index_lock(worker->index);
    is_there = fl_map_find(&worker->index->forgotten, &job.n, sizeof(job.n), NULL);
    log_index_unlock(worker->index);
    return is_there;
}

/* The agent has what is damaged here: an output that it opens again was not taken off it. */
static void set_back_to_hole(struct log_worker *worker, struct log_output *output)
{
    struct log_place hole = output->hole;

    log_index_lock(worker->index);
    log_index_unmark_from(worker->index, output, hole.offset);
    output->has_hole = output->is_ended = false;
    output->place = output->durable = output->queued = hole;
    output->segment_seq = 0;
    worker->index->births++;
    log_index_unlock(worker->index);
}

/* 'answer' tells the agent where to begin: CURSOR, or RESUME if it was paused meanwhile. */
static void open_source(struct log_worker *worker, const struct log_request *request,
                        enum fl_log_message_kind answer)
{
    struct peer_key key = {request->connection, request->number};
    struct log_output *output;
    struct fl_err err = {0};

    if (is_forgotten(worker, request->key.attempt.job)) {
        refuse(worker, request, FL_ABSENT);
        return;
    }
    log_index_lock(worker->index);
    output = log_index_find(worker->index, &request->key);
    log_index_unlock(worker->index);
    if (!output && !add_output(worker, request, answer == FL_LOG_cursor, &output, &err)) {
        if (err.code != FL_FULL) worker->admit_at = fl_clock_mono() + LOG_WORKER_RETRY_MS;
        wait_for_room(worker, request, err.code);
        return;
    }
    fl_assert(output);
    if (output->cluster.n != request->cluster.n && output->cluster.n != 0) {
        refuse(worker, request, FL_DENIED); /* another cluster has written it */
        return;
    }
    if (output->has_hole) set_back_to_hole(worker, output);
    log_worker_detach(worker, output); /* the newer session takes it over */
    fl_map_put(&worker->output_of, &key, sizeof(key), (uint64_t)(uintptr_t)output);
    log_index_lock(worker->index);
    output->cluster = request->cluster;
    output->peer = (struct log_peer){request->box, request->connection, request->number};
    log_index_unlock(worker->index);
    log_worker_tell(worker, output, answer, FL_OK);
}

void log_worker_open(struct log_worker *worker, const struct log_request *request)
{
    struct peer_key key = {request->connection, request->number};
    struct fl_err err = {0};

    if (fl_map_find(&worker->output_of, &key, sizeof(key), NULL) ||
        fl_map_find(&worker->waiting_of, &key, sizeof(key), NULL)) {
        fl_fail(&err, FL_INVALID, "log source %u is opened twice", request->number);
        break_off(worker, request, &err);
        return;
    }
    open_source(worker, request, FL_LOG_cursor);
}

void log_worker_close(struct log_worker *worker, const struct log_request *request)
{
    struct peer_key key = {request->connection, request->number};
    struct log_output *output = log_worker_by_peer(worker, request->connection, request->number);

    if (fl_map_remove(&worker->waiting_of, &key, sizeof(key))) worker->waiting_len--;
    if (!output) return;
    log_worker_detach(worker, output);
    log_worker_evict(worker, output);
}

/* The next source in the writer's list that was not closed meanwhile. */
static bool next_waiting(struct log_worker *worker, struct log_cluster_writer *writer,
                         struct log_request *ret_request)
{
    bool is_there = false;

    while (!is_there && writer->waiting_pos < writer->waiting.len) {
        const struct log_waiting *waiting = &writer->waiting.at[writer->waiting_pos++];
        struct peer_key key = {waiting->request.connection, waiting->request.number};
        uint64_t ticket;

        if (!fl_map_find(&worker->waiting_of, &key, sizeof(key), &ticket)) continue;
        if (ticket != waiting->ticket) continue;
        fl_map_remove(&worker->waiting_of, &key, sizeof(key));
        worker->waiting_len--;
        *ret_request = waiting->request;
        is_there = true;
    }
    if (writer->waiting_pos == writer->waiting.len) {
        fl_vec_clear(&writer->waiting);
        writer->waiting_pos = 0;
    }
    return is_there;
}

void log_worker_admit(struct log_worker *worker, fl_ms now)
{
    struct log_request request;

    if (worker->waiting_len == 0 || now < worker->admit_at) return;
    for (size_t empty = 0, admitted = 0;
         empty < worker->writers.len && admitted < ADMIT_MAX &&
         worker->index->outputs_len < worker->config.sources_max && now >= worker->admit_at;
         worker->turn++) {
        struct log_cluster_writer *writer = worker->writers.at[worker->turn % worker->writers.len];

        if (next_waiting(worker, writer, &request)) {
            open_source(worker, &request, FL_LOG_resume);
            empty = 0;
            admitted++;
        } else {
            empty++;
        }
    }
}

void log_worker_pause(struct log_worker *worker, struct log_output *output, enum fl_code code)
{
    if (output->is_paused || !output->peer.front) return;
    output->is_paused = true;
    fl_vec_push(&worker->paused, output);
    log_worker_tell(worker, output, FL_LOG_pause, code);
}

void log_worker_wake_later(struct log_worker *worker, struct fl_job job)
{
    if (worker->woken.len > 0 && worker->woken.at[worker->woken.len - 1].n == job.n) return;
    fl_vec_push(&worker->woken, job);
}
