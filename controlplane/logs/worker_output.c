#include "controlplane/logs/worker_parts.h"

#include "shared/base/assert.h"

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

/* Finds the output's end in the sealed files.  False: they could not be read. */
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

void log_worker_open(struct log_worker *worker, const struct log_request *request)
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
        refuse(worker, request, FL_DENIED); /* another cluster has written it */
        return;
    }
    log_worker_detach(worker, output); /* the newer session takes it over */
    if (log_worker_by_peer(worker, request->connection, request->number)) {
        fl_fail(&err, FL_INVALID, "log source %u is opened twice", request->number);
        break_off(worker, request, &err);
        log_worker_evict(worker, output);
        return;
    }
    fl_map_put(&worker->output_of, &key, sizeof(key), (uint64_t)(uintptr_t)output);
    log_index_lock(worker->index);
    output->cluster = request->cluster;
    output->peer = (struct log_peer){request->box, request->connection, request->number};
    log_index_unlock(worker->index);
    log_worker_tell(worker, output, FL_LOG_cursor, FL_OK);
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
