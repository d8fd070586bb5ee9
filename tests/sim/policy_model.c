#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"
#include "shared/base/job_name.h"
#include "tests/sim/policy_access.h"
#include "tests/sim/policy_after.h"
#include "tests/sim/policy_each.h"
#include "tests/sim/policy_edit.h"
#include "tests/sim/policy_ends.h"
#include "tests/sim/policy_overdue.h"
#include "tests/sim/policy_reads.h"
#include "tests/sim/policy_requests.h"
#include "tests/sim/policy_runs.h"
#include "tests/sim/policy_singleton.h"
#include "tests/sim/policy_time.h"

struct policy *policy_create(struct sim *sim, const struct policy_config *config)
{
    struct policy *policy = fl_new(struct policy);

    policy->sim = sim;
    policy->config = *config;
    policy->is_walking = config->slice_max < POLICY_SLICE_SMALL;
    policy->requests = policy_requests_create();
    policy->access = policy_access_create();
    return policy;
}

static void fini_cluster(struct policy_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->nodes_len; i++) {
        fl_vec_fini(&cluster->nodes[i].reports);
    }
    fl_vec_fini(&cluster->given);
    fl_vec_fini(&cluster->ghosts);
    fl_vec_fini(&cluster->live);
}

static void fini_job(struct policy_job *job)
{
    for (size_t i = 0; i < job->begun.len; i++) {
        fl_vec_fini(&job->begun.at[i].replicas);
    }
    fl_vec_fini(&job->begun);
    fl_vec_fini(&job->after);
    fl_vec_fini(&job->ends);
}

void policy_destroy(struct policy *policy)
{
    if (!policy) return;
    for (size_t i = 0; i < policy->jobs.len; i++) {
        fini_job(&policy->jobs.at[i]);
    }
    for (size_t i = 0; i < policy->queues.len; i++) {
        fl_vec_fini(&policy->queues.at[i].open);
    }
    for (size_t i = 0; i < policy->shapes.len; i++) {
        free(policy->shapes.at[i].bytes);
    }
    for (size_t i = 0; i < policy->clusters.len; i++) {
        fini_cluster(&policy->clusters.at[i]);
    }
    fl_vec_fini(&policy->jobs);
    fl_vec_fini(&policy->queues);
    fl_vec_fini(&policy->shapes);
    fl_vec_fini(&policy->clusters);
    fl_vec_fini(&policy->buckets);
    fl_vec_fini(&policy->must_have_first_start);
    fl_vec_fini(&policy->must_stop);
    fl_vec_fini(&policy->must_be_over);
    fl_vec_fini(&policy->singletons);
    policy_requests_destroy(policy->requests);
    policy_access_destroy(policy->access);
    fl_free(policy);
}

/* ---- by id ----------------------------------------------------------------------------------- */

struct policy_job *policy_job(struct policy *policy, uint64_t id)
{
    fl_assert(id < policy->jobs.len);
    return &policy->jobs.at[id];
}

struct policy_queue *policy_queue(struct policy *policy, uint32_t id)
{
    fl_assert(id < policy->queues.len);
    return &policy->queues.at[id];
}

struct policy_shape *policy_shape(const struct policy *policy, uint32_t id)
{
    fl_assert(id < policy->shapes.len && policy->shapes.at[id].is_known);
    return &policy->shapes.at[id];
}

struct policy_cluster *policy_cluster(struct policy *policy, uint32_t id)
{
    fl_assert(id < policy->clusters.len);
    return &policy->clusters.at[id];
}

struct policy_element *policy_element(struct policy_job *job, uint32_t element)
{
    for (size_t i = 0; i < job->begun.len; i++) {
        if (job->begun.at[i].element == element) return &job->begun.at[i];
    }
    return NULL;
}

uint64_t policy_hash(struct fl_str text)
{
    return text.len ? fl_hash64(1, text.at, text.len) | 1 : 0;
}

bool policy_is_before(const struct policy_job *job, uint64_t id, const struct policy_job *other,
                      uint64_t other_id)
{
    if (job->priority != other->priority) return job->priority > other->priority;
    return id < other_id;
}

static void copy_name(char out[POLICY_NAME_MAX], struct fl_str name)
{
    fl_assert(name.len < POLICY_NAME_MAX);
    memset(out, 0, POLICY_NAME_MAX);
    if (name.len) memcpy(out, name.at, name.len);
}

/* Its place among the cluster's nodes; a new one when the name is new. */
static uint32_t need_node(struct policy_cluster *cluster, struct fl_str name)
{
    for (uint32_t i = 0; i < cluster->nodes_len; i++) {
        if (fl_str_eq(fl_str_c(cluster->nodes[i].name), name)) return i;
    }
    fl_assert(cluster->nodes_len < POLICY_NODES_MAX);
    copy_name(cluster->nodes[cluster->nodes_len].name, name);
    return cluster->nodes_len++;
}

/* ---- reports of agents ----------------------------------------------------------------------- */

/* The cluster, if that is the session which its newest row names. */
static struct policy_cluster *in_session(struct policy *policy, struct fl_cluster id,
                                         uint64_t session)
{
    struct policy_cluster *cluster =
        id.n < policy->clusters.len ? &policy->clusters.at[id.n] : NULL;

    return cluster && cluster->is_known && cluster->session == session ? cluster : NULL;
}

/* The newest attempt of that name, if it lives on the cluster. */
static struct policy_element *live_there(struct policy *policy, struct fl_cluster cluster,
                                         struct fl_attempt attempt)
{
    struct policy_element *element;

    if (attempt.job.n >= policy->jobs.len) return NULL;
    element = policy_element(policy_job(policy, attempt.job.n), attempt.element);
    return element && element->is_live && element->n == attempt.n && element->cluster == cluster.n
               ? element
               : NULL;
}

static void hear_of(struct policy_element *element, uint64_t session, uint64_t seq)
{
    element->was_told = true;
    if (element->told_session == session) return;
    element->told_session = session;
    element->told_seq = seq;
    for (size_t i = 0; i < element->replicas.len; i++) {
        element->replicas.at[i].causes = 0;
        element->replicas.at[i].has_words = element->replicas.at[i].was_wordless = false;
    }
}

/* More than the core looks at, when it walks all that lives anywhere. */
static uint64_t looks_of_all(const struct policy *policy)
{
    enum { LOOKS_OF_ONE = 8 };

    uint64_t looks = LOOKS_OF_ONE;

    for (size_t i = 0; i < policy->clusters.len; i++) {
        looks += LOOKS_OF_ONE * policy->clusters.at[i].live.len;
    }
    return looks;
}

static void hear_inventory(struct policy *policy, const struct core_event *event)
{
    struct policy_cluster *cluster =
        in_session(policy, event->inventory.cluster, event->inventory.session_epoch);

    if (!cluster) return;
    for (size_t i = 0; i < event->inventory.len; i++) {
        const struct core_replica_told *item = &event->inventory.at[i];
        struct policy_element *element =
            live_there(policy, event->inventory.cluster, item->attempt);

        if (!element) continue;
        hear_of(element, cluster->session, 0);
        policy_ends_told(policy, element, item);
    }
    if (!event->inventory.is_end || cluster->is_listed) return;
    cluster->is_listed = true;
    cluster->listed_at = policy->sim->now;
    cluster->looks_left = looks_of_all(policy);
    if (cluster->looks_left <= policy->config.slice_max / 2) cluster->looks_left = 0;
}

static void hear_replica(struct policy *policy, const struct core_event *event)
{
    struct policy_cluster *cluster =
        in_session(policy, event->replica.cluster, event->replica.session_epoch);
    struct fl_attempt attempt = event->replica.told.attempt;
    uint32_t replica = event->replica.told.replica;
    struct policy_element *element;
    struct policy_given given = {.job = attempt.job.n,
                                 .element = attempt.element,
                                 .n = attempt.n,
                                 .replica = replica,
                                 .seq = event->replica.report_seq};
    const struct shape *shape;

    if (!cluster) return;
    element = live_there(policy, event->replica.cluster, attempt);
    if (!element) return;
    hear_of(element, cluster->session, given.seq);
    policy_ends_told(policy, element, &event->replica.told);
    if (replica >= element->replicas.len) return;
    if (!fl_replica_state_is_last(event->replica.told.state)) return;
    given.node = element->replicas.at[replica].node;
    given.start_seq = element->start_session == cluster->session ? element->start_seq : 0;
    shape = &policy_shape(policy, policy_job(policy, attempt.job.n)->shape)->shape;
    given.each = sim_amounts_of_role(shape, shape_role_of(shape, replica));
    fl_vec_push(&cluster->given, given);
}

/* Reports that a newer one has followed are needed no more once that is acknowledged. */
static void forget_old(struct policy_cluster *cluster, uint32_t i)
{
    struct policy_node *node = &cluster->nodes[i];
    size_t kept = 0;

    while (node->reports.len > 1 && node->reports.at[1].seq <= cluster->acked) {
        fl_vec_remove(&node->reports, 0);
    }
    for (size_t g = 0; g < cluster->given.len; g++) {
        struct policy_given given = cluster->given.at[g];

        if (given.node == i && given.seq < node->reports.at[0].seq) continue;
        cluster->given.at[kept++] = given;
    }
    cluster->given.len = kept;
}

static void hear_named(const struct core_node_report *told, struct policy_report *report)
{
    for (size_t i = 0; i < told->named_len; i++) {
        for (size_t k = 0; k < SIM_RESOURCES_LEN; k++) {
            if (!fl_str_eq(told->named[i].name, fl_str_c(sim_resource_name(k)))) continue;
            report->total.named[k] = told->named[i].total;
            report->free.named[k] = told->named[i].free;
        }
    }
}

static void hear_nodes(struct policy *policy, const struct core_event *event)
{
    struct policy_cluster *cluster =
        in_session(policy, event->nodes.cluster, event->nodes.session_epoch);

    for (size_t i = 0; cluster && i < event->nodes.len; i++) {
        const struct core_node_report *told = &event->nodes.at[i];
        struct policy_node *node = &cluster->nodes[need_node(cluster, told->name)];
        struct policy_report report = {.seq = event->nodes.report_seq,
                                       .mark = event->nodes.mark,
                                       .at = policy->sim->now,
                                       .is_ready = told->is_ready,
                                       .total.usual = told->total,
                                       .free.usual = told->free};

        if (node->reports.len && node->reports.at[node->reports.len - 1].seq >= report.seq) {
            continue;
        }
        hear_named(told, &report);
        copy_name(report.labels, told->labels);
        fl_vec_push(&node->reports, report);
    }
}

static void hear_lost(struct policy *policy, const struct core_event *event)
{
    struct fl_cluster id = event->session_lost.cluster;
    struct policy_cluster *cluster =
        id.n < policy->clusters.len ? &policy->clusters.at[id.n] : NULL;

    if (!cluster) return;
    if (event->session_lost.session_epoch
            ? event->session_lost.session_epoch == cluster->session
            : event->session_lost.connection == cluster->opened_connection) {
        cluster->is_lost = true;
    }
}

void policy_heard(struct policy *policy, const struct core_event *event)
{
    policy->state++;
    policy_requests_heard(policy, event);
    policy_access_heard(policy, event);
    switch (event->kind) {
    case CORE_EV_session_open:
        if (event->session_open.cluster.n < policy->clusters.len) {
            policy->clusters.at[event->session_open.cluster.n].opened_connection =
                event->session_open.connection;
        }
        break;
    case CORE_EV_session_lost:
        hear_lost(policy, event);
        break;
    case CORE_EV_inventory:
        hear_inventory(policy, event);
        break;
    case CORE_EV_replica:
        hear_replica(policy, event);
        break;
    case CORE_EV_nodes:
        hear_nodes(policy, event);
        break;
    default:
        break;
    }
}

/* A hold of the batch before may have come after this GO was decided. */
static void I25_it_may_begin(struct policy *policy, struct fl_attempt attempt,
                             const struct policy_element *element)
{
    const struct policy_job *job = policy_job(policy, attempt.job.n);

    if (!job->is_held || job->held_batch + 2 > policy->batch) return;
    for (size_t i = 0; i < element->replicas.len; i++) {
        if (element->replicas.at[i].phase > FL_REPLICA_created) return;
    }
    sim_broken(policy->sim, "I25", "job %" PRIu64 ".%u is held, and its gate is opened",
               attempt.job.n, attempt.element);
}

void policy_sent(struct policy *policy, const struct core_send *send, bool is_current)
{
    struct policy_cluster *cluster = in_session(policy, send->cluster, send->session_epoch);
    struct policy_element *element;

    policy_access_sent(policy, send, is_current);
    if (send->kind == CORE_SEND_stop) policy_overdue_stopped(policy, send->attempt);
    if (!cluster) return;
    policy->state++;
    if (send->kind == CORE_SEND_bye) policy_overdue_closed(policy, cluster);
    if (send->kind == CORE_SEND_ack && send->report_seq > cluster->acked) {
        cluster->acked = send->report_seq;
        for (uint32_t i = 0; i < cluster->nodes_len; i++) {
            if (cluster->nodes[i].reports.len) forget_old(cluster, i);
        }
    }
    if (send->kind != CORE_SEND_start && send->kind != CORE_SEND_stop &&
        send->kind != CORE_SEND_go) {
        return;
    }
    element = live_there(policy, send->cluster, send->attempt);
    if (!element) return;
    if (send->kind == CORE_SEND_stop) {
        if (send->reason == REASON_HeldBack) sim_mark(policy->sim, MARK_held_back);
        policy_ends_stop_sent(policy, element, send->reason);
        if (is_current) policy_overdue_stop_sent(policy, element, send);
        return;
    }
    if (send->kind == CORE_SEND_go) {
        I25_it_may_begin(policy, send->attempt, element);
        return;
    }
    element->start_session = send->session_epoch;
    element->start_seq = send->control_seq;
    policy_overdue_start_sent(policy, element);
}

/* ---- rows ------------------------------------------------------------------------------------ */

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
    copy_name(policy->queues.at[row->queue].name, row->name);
}

/* A new session begins with nothing said in it. */
static void begin_session(struct policy *policy, struct policy_cluster *cluster, uint64_t session)
{
    cluster->session = session;
    cluster->session_term = policy->epoch;
    cluster->is_closed = cluster->is_lost = cluster->is_listed = false;
    cluster->unlisted_ms = 0;
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
    copy_name(cluster->name, row->name);
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
    job->elements = row->elements;
    policy_line_up(policy, job, row->job);
    policy_after_job(policy, row);
    policy_each_job(policy, row);
    policy_singleton_job(policy, row);
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
        fl_vec_push(&job->begun, ((struct policy_element){.element = row->element}));
        element = &job->begun.at[job->begun.len - 1];
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
        uint32_t node = need_node(cluster, (struct fl_str){names.at, len});

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
    fl_vec_push(&job->begun, element);
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

static void read_row(struct policy *policy, const struct row *row)
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

/* Each batch has a slice at least, and half of that is not for timers. */
static void work_off(struct policy *policy)
{
    for (size_t i = 0; i < policy->clusters.len; i++) {
        struct policy_cluster *cluster = &policy->clusters.at[i];
        uint64_t slice = policy->config.slice_max / 2;

        if (cluster->listed_at > policy->formed_at) continue;
        cluster->looks_left -= slice < cluster->looks_left ? slice : cluster->looks_left;
    }
}

void policy_turn_stopped(struct policy *policy)
{
    policy->turn_stopped_at = policy->sim->now;
}

void policy_took(struct policy *policy, uint64_t epoch)
{
    policy->taken = epoch;
}

void policy_committed(struct policy *policy, const struct fake_pg_journal *entry, fl_ms formed_at)
{
    struct fl_reader reader = fl_reader(entry->body.at, entry->body.len);
    size_t ring = 1 + (policy->config.slice_max < POLICY_SLICE_SMALL ? POLICY_BATCHES_MAX
                                                                     : POLICY_BATCHES_BACK);
    size_t here = entry->batch % ring;

    policy->at_before = policy->at;
    policy->at = entry->at;
    policy->at_old = policy->ats[(here + 1) % ring];
    policy->ats[here] = entry->at;
    policy->formed_at = policy->known_at = formed_at;
    if (policy->epoch != entry->epoch) policy->term_at = entry->at;
    policy->epoch = entry->epoch;
    policy->batch = entry->batch;
    policy_time_batch(policy);
    work_off(policy);
    while (reader.pos < reader.len) {
        struct fl_err err = {0};
        struct row row;

        fl_assert(row_decode(&reader, &row, &err)); /* I7 has read it already */
        policy->state++;
        policy_requests_row(policy, &row);
        policy_access_row(policy, &row);
        read_row(policy, &row);
    }
    policy_ends_batch(policy);
    policy_after_batch(policy);
    policy_each_batch(policy);
    policy_singleton_batch(policy);
    policy_requests_batch(policy);
    policy_access_batch(policy);
    policy->state++; /* the last row is in, too */
    policy_note_claims(policy);
}

/* ---- answers --------------------------------------------------------------------------------- */

void policy_answered(struct policy *policy, const struct core_answer *answer, bool is_current,
                     uint64_t epoch)
{
    policy_requests_answered(policy, answer);
    policy_access_answered(policy, answer);
    /* A leader without a batch yet has forgotten what the model knows of the one before. */
    if (!is_current || answer->code != FL_OK || epoch != policy->epoch) return;
    policy_reads_answered(policy, answer);
}
