/* policy_rows.c - what the model learns from rows. */
#include <stdlib.h>
#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/hash.h"
#include "shared/base/job_name.h"
#include "tests/sim/policy_after.h"
#include "tests/sim/policy_each.h"
#include "tests/sim/policy_edit.h"
#include "tests/sim/policy_ends.h"
#include "tests/sim/policy_runs.h"
#include "tests/sim/policy_share.h"
#include "tests/sim/policy_singleton.h"
#include "tests/sim/policy_state.h"

static void put_shape(struct policy *policy, const struct row_shape_new *row)
{
    struct policy_shape *shape;
    struct fl_err err = {0};

    while (policy->shapes.len <= row->shape) {
        fl_vec_push(&policy->shapes, (struct policy_shape){0});
    }
    shape = &policy->shapes.at[row->shape];
    free(shape->bytes);
    *shape = (struct policy_shape){.is_known = true, .bytes = malloc(row->body.len + 1)};
    fl_assert(shape->bytes);
    memcpy(shape->bytes, row->body.at, row->body.len);
    fl_assert(shape_decode((struct fl_str){shape->bytes, row->body.len}, &shape->shape, &err));
    shape->hash = row->body.len ? fl_hash64(1, row->body.at, row->body.len) | 1 : 0;
    shape->replicas = shape_replicas(&shape->shape);
    for (uint32_t i = 0; i < shape->shape.roles_len; i++) {
        struct sim_amounts each = sim_amounts_of_role(&shape->shape, &shape->shape.roles[i]);

        sim_amounts_keep_more(&shape->largest, &each);
    }
}

static void put_queue(struct policy *policy, const struct row_queue_put *row)
{
    while (policy->queues.len <= row->queue) {
        fl_vec_push(&policy->queues, (struct policy_queue){0});
    }
    policy->queues.at[row->queue].is_paused = row->is_paused;
    policy->queues.at[row->queue].tenant = row->tenant;
    policy->queues.at[row->queue].changed_at = policy->at;
    policy_copy_name(policy->queues.at[row->queue].name, row->name);
}

/* A new session begins with nothing said in it. */
static void begin_session(struct policy *policy, struct policy_cluster *cluster, uint64_t session)
{
    cluster->session = session;
    cluster->session_term = policy->epoch;
    cluster->is_closed = cluster->is_lost = cluster->is_listed = false;
    cluster->unlisted_ms = cluster->nodes_ended_at = 0;
    cluster->acked = 0;
    fl_vec_clear(&cluster->given);
    fl_vec_clear(&cluster->ghosts);
    for (uint32_t i = 0; i < cluster->nodes_len; i++) {
        fl_vec_clear(&cluster->nodes[i].reports);
    }
}

static void put_cluster(struct policy *policy, const struct row_cluster_put *row)
{
    struct policy_cluster *cluster;

    while (policy->clusters.len <= row->cluster) {
        fl_vec_push(&policy->clusters, (struct policy_cluster){0});
    }
    cluster = &policy->clusters.at[row->cluster];
    cluster->is_known = true;
    cluster->state = row->state;
    cluster->access = row->access;
    cluster->is_cordoned = row->cordon.len > 0;
    cluster->is_draining = row->is_draining;
    cluster->changed_at = policy->at;
    policy_copy_name(cluster->name, row->name);
    if (row->session_epoch != cluster->session) begin_session(policy, cluster, row->session_epoch);
    if (row->access != CORE_ACCESS_open) cluster->is_closed = true;
}

static void add_job(struct policy *policy, const struct row_job_new *row)
{
    struct policy_job *job;

    while (policy->jobs.len <= row->job) {
        fl_vec_push(&policy->jobs, (struct policy_job){0});
    }
    job = &policy->jobs.at[row->job];
    job->is_open = true;
    job->tenant = row->tenant;
    job->queue = row->queue;
    job->shape = row->shape;
    job->deadline_s = row->deadline_s;
    job->retries_max = row->retries_max;
    job->parallelism = row->parallelism;
    job->priority = row->priority;
    job->name = policy_hash(row->name);
    job->labels = policy_hash(row->labels);
    job->owner = policy_hash(row->owner);
    job->elements = row->elements;
    policy_line_up(policy, job, row->job);
    policy_after_job(policy, row);
    policy_each_job(policy, row);
    policy_singleton_job(policy, row);
    policy_share_job(policy, row->job, true);
}

static void end_job(struct policy *policy, const struct row_job_end *row)
{
    struct policy_job *job = policy_job(policy, row->job);

    policy_ends_job(policy, row);
    policy_after_job_end(policy, row);
    policy_each_job_end(policy, row);
    policy_singleton_job_end(policy, row->job);
    job->is_open = false;
    policy_leave_line(policy, job, row->job);
}

static void start_attempt(struct policy *policy, const struct row_attempt_new *row)
{
    struct policy_job *job = policy_job(policy, row->job);
    struct policy_cluster *cluster = policy_cluster(policy, row->cluster);
    struct policy_element *element = policy_element(job, row->element);
    struct fl_str names = row->nodes;

    policy_judge_start(policy, row);
    if (!element) {
        element = policy_begin(job, &(struct policy_element){.element = row->element});
        job->started++;
    }
    job->live++;
    element->n = row->n;
    element->is_live = true;
    element->did_run = element->was_told = false;
    element->was_drained = false;
    element->held_back_term = 0;
    element->was_told_absent = element->is_first_doubtful = false;
    element->is_first_stored = element->has_words = false;
    element->first_reasons = element->phase_term = 0;
    element->start_session = element->told_session = 0;
    element->cluster = row->cluster;
    element->serial = ++policy->serial;
    element->formed_at = policy->formed_at;
    element->durable_at = policy->sim->now;
    fl_vec_clear(&element->replicas);
    while (names.len > 0) {
        const char *end = memchr(names.at, '\n', names.len);
        size_t len = end ? (size_t)(end - names.at) : names.len;
        uint32_t node = policy_need_node(cluster, (struct fl_str){names.at, len});

        fl_vec_push(&element->replicas, ((struct policy_replica){.node = node}));
        len += end ? 1 : 0;
        names.at += len;
        names.len -= len;
    }
    fl_vec_push(&cluster->live,
                ((struct policy_live){row->job, (uint32_t)(element - job->begun.at)}));
    policy_wait_started(policy, job, row->job, row->cluster);
}

/* Its newest attempt is over, if it had one that lived. */
static void end_attempt(struct policy *policy, uint64_t id, struct policy_element *element)
{
    struct policy_job *job = policy_job(policy, id);
    struct policy_cluster *cluster;

    if (!element->is_live) return;
    element->is_live = false;
    job->live--;
    if (element->did_run) job->running--;
    cluster = policy_cluster(policy, element->cluster);
    for (size_t i = 0; i < cluster->live.len; i++) {
        const struct policy_live *live = &cluster->live.at[i];

        if (live->job != id || &job->begun.at[live->place] != element) continue;
        cluster->live.at[i] = cluster->live.at[cluster->live.len - 1];
        (void)fl_vec_pop(&cluster->live);
        return;
    }
}

static void read_attempt_end(struct policy *policy, const struct row_attempt_end *row)
{
    struct policy_element *element = policy_element(policy_job(policy, row->job), row->element);

    fl_assert(element); /* I2 has seen to it */
    policy_ends_attempt(policy, row);
    policy_runs_again(policy, row);
    end_attempt(policy, row->job, element);
}

/* An element of an array ends without an attempt: it counts as begun. */
static void begin_unplaced(struct policy_job *job, uint32_t number)
{
    struct policy_element element = {.element = number, .is_ended = true};

    if (job->elements == 1) return;
    job->started++;
    job->unplaced++;
    (void)policy_begin(job, &element);
}

static void read_element_end(struct policy *policy, const struct row_element_end *row)
{
    struct policy_job *job = policy_job(policy, row->job);
    struct policy_element *element = policy_element(job, row->element);

    policy_ends_element(policy, row);
    policy_each_end(policy, row);
    job->element_reason = row->reason;
    if (row->state == JOB_succeeded) job->succeeded++;
    if (row->state == JOB_failed) job->failed++;
    if (row->state == JOB_cancelled) job->cancelled++;
    if (!element) {
        begin_unplaced(job, row->element);
        return;
    }
    end_attempt(policy, row->job, element);
    element->is_ended = true;
}

static void read_phase(struct policy *policy, const struct row_replica_phase *row)
{
    struct policy_job *job = policy_job(policy, row->job);
    struct policy_element *element = policy_element(job, row->element);
    struct policy_cluster *cluster;

    if (!element || !element->is_live || row->replica >= element->replicas.len) return;
    policy_ends_phase(policy, element, row);
    cluster = policy_cluster(policy, element->cluster);
    if (row->state == FL_REPLICA_running || row->state == FL_REPLICA_exited) {
        if (!element->did_run) job->running++;
        element->did_run = true;
        fl_vec_push(&policy->must_have_first_start, row->job);
    }
    if (!fl_replica_state_is_last((enum fl_replica_state)row->state)) return;
    element->replicas.at[row->replica].is_ended = true;
    for (size_t i = 0; i < cluster->given.len; i++) {
        struct policy_given *given = &cluster->given.at[i];

        if (given->job == row->job && given->element == row->element && given->n == row->n &&
            given->replica == row->replica) {
            given->is_durable = true;
        }
    }
}

static void read_mark(struct policy *policy, const struct row_mark_set *row)
{
    struct policy_job *job = policy_job(policy, row->job);

    switch ((enum core_mark)row->kind) {
    case CORE_MARK_held:
        job->is_held = true;
        job->held_batch = policy->batch;
        job->held_changed_at = policy->at;
        break;
    case CORE_MARK_cancel:
        job->is_stopped = true;
        job->stop = (enum reason)row->value;
        break;
    case CORE_MARK_first_start:
        policy_ends_first_start(policy, row);
        job->first_start = row->value;
        job->first_start_true = policy->formed_at - (policy->at - row->value);
        break;
    case CORE_MARK_picked:
        break;
    case CORE_MARK_after:
        policy_after_mark(policy, row);
        break;
    case CORE_MARK_edited:
        policy_edit_mark(policy, row);
        break;
    case CORE_MARK_each:
        policy_each_mark(policy, row);
        break;
    case CORE_MARK_singleton:
        policy_singleton_mark(policy, row);
        break;
    }
}

static void clear_mark(struct policy *policy, const struct row_mark_clear *row)
{
    struct policy_job *job = policy_job(policy, row->job);

    if (row->kind == CORE_MARK_after) job->after_marked = 0;
    if (row->kind != CORE_MARK_held) return;
    job->is_held = false;
    job->released_batch = policy->batch;
    job->held_changed_at = policy->at;
}

/* "cancel job-7": a person asked for it, and it was accepted. */
static void read_audit(struct policy *policy, struct fl_str body)
{
    static const char word[] = "cancel ";
    size_t len = sizeof(word) - 1;
    struct fl_err err = {0};
    struct fl_job job;

    if (body.len <= len || memcmp(body.at, word, len) != 0) return;
    if (!fl_job_parse((struct fl_str){body.at + len, body.len - len}, &job, &err)) return;
    policy_job(policy, job.n)->was_cancelled = true;
}

void policy_fold_row(struct policy *policy, const struct row *row)
{
    switch (row->kind) {
    case ROW_shape_new:
        put_shape(policy, &row->shape_new);
        break;
    case ROW_queue_put:
        put_queue(policy, &row->queue_put);
        break;
    case ROW_cluster_put:
        put_cluster(policy, &row->cluster_put);
        break;
    case ROW_job_new:
        add_job(policy, &row->job_new);
        break;
    case ROW_job_edit:
        policy_edit_job(policy, &row->job_edit);
        policy_share_job(policy, row->job_edit.job, false);
        policy_singleton_edit(policy, &row->job_edit);
        break;
    case ROW_job_end:
        end_job(policy, &row->job_end);
        break;
    case ROW_attempt_new:
        start_attempt(policy, &row->attempt_new);
        break;
    case ROW_attempt_end:
        read_attempt_end(policy, &row->attempt_end);
        break;
    case ROW_element_end:
        read_element_end(policy, &row->element_end);
        break;
    case ROW_attempt_stop:
        policy_ends_stop(policy, &row->attempt_stop);
        break;
    case ROW_attempt_words:
        policy_ends_words(policy, &row->attempt_words);
        break;
    case ROW_replica_phase:
        read_phase(policy, &row->replica_phase);
        break;
    case ROW_mark_set:
        read_mark(policy, &row->mark_set);
        break;
    case ROW_mark_clear:
        clear_mark(policy, &row->mark_clear);
        break;
    case ROW_audit:
        read_audit(policy, row->audit.body);
        break;
    case ROW_cluster_phase:
        policy_cluster(policy, row->cluster_phase.cluster)->silent_term =
            row->cluster_phase.phase == 0 ? policy->epoch : 0;
        break;
    default:
        break;
    }
}
