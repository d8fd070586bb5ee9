#include <inttypes.h>
#include <string.h>

#include "controlplane/core/core_state.h"
#include "shared/base/alloc.h"

/* From rows to a core.  Rows come table by table, and within a table by key; so attempts are known
 * before their ends.  The agents report the rest afterwards: sessions, nodes, the states of
 * replicas. */

static bool load_queue(struct core *core, const struct row_queue_put *row, struct fl_err *err)
{
    struct fl_queue_id id = {row->queue};
    struct queue *queue;

    if (!queue_table_add(&core->queues, id, (struct fl_tenant){row->tenant}, row->name, &id, err)) {
        return fl_err_wrap(err, "queue %" PRIu32, row->queue);
    }
    queue = queue_table_at(&core->queues, id);
    queue->is_paused = row->is_paused;
    queue->has_default_cpu = row->has_default_cpu;
    queue->default_cpu_milli = row->default_cpu_milli;
    if (row->is_removed) queue_table_drop(&core->queues, id);
    return true;
}

static bool load_cluster(struct core *core, const struct row_cluster_put *row, struct fl_err *err)
{
    struct fl_cluster id = {row->cluster};
    struct cluster *cluster;

    if (row->cordon.len > CORE_REASON_BYTES_MAX || row->uuid.len > CLUSTER_UUID_MAX ||
        row->access > CORE_ACCESS_revoked ||
        !cluster_table_add(&core->clusters, id, row->name, row->uid, &cluster, err)) {
        return fl_err_wrap(err, "cluster %" PRIu32, row->cluster);
    }
    cluster->session_epoch = row->session_epoch;
    if (row->cordon.len > 0) memcpy(cluster->cordon, row->cordon.at, row->cordon.len);
    if (row->uuid.len > 0) memcpy(cluster->uuid, row->uuid.at, row->uuid.len);
    cluster->access = row->access;
    cluster->is_draining = row->is_draining;
    cluster->generation = row->generation;
    cluster->seen = row->seen;
    cluster->key = row->key;
    if (row->state == CLUSTER_REMOVED) cluster_table_remove(&core->clusters, cluster);
    return true;
}

static void copy_text(char *to, size_t to_bytes, struct fl_str from)
{
    size_t len = from.len < to_bytes ? from.len : to_bytes - 1;

    if (len > 0) memcpy(to, from.at, len);
}

static bool load_join(struct core *core, const struct row_join_put *row, struct fl_err *err)
{
    struct join join = {.token = row->token,
                        .tenant = {row->tenant},
                        .expires_at = row->expires_at,
                        .cluster = {row->cluster},
                        .key = row->key};

    copy_text(join.name, sizeof join.name, row->name);
    if (row->cluster > core->clusters.clusters.len) {
        return fl_fail(err, FL_TORN, "a join token was used by cluster %" PRIu32 ", which is not",
                       row->cluster);
    }
    return access_table_add_join(&core->access, &join, err) || fl_err_wrap(err, "a join token");
}

static bool load_token(struct core *core, const struct row_token_put *row, struct fl_err *err)
{
    struct token token = {.tenant = {row->tenant},
                          .scopes = row->scopes,
                          .made_at = row->made_at,
                          .expires_at = row->expires_at,
                          .mac = row->mac,
                          .old_mac = row->old_mac,
                          .old_until = row->old_until,
                          .rotated_at = row->rotated_at};

    copy_text(token.id, sizeof token.id, row->id);
    copy_text(token.name, sizeof token.name, row->name);
    copy_text(token.queue, sizeof token.queue, row->queue);
    copy_text(token.maker, sizeof token.maker, row->maker);
    copy_text(token.owner, sizeof token.owner, row->owner);
    return access_table_add_token(&core->access, &token, err) || fl_err_wrap(err, "a token");
}

static bool load_resource(struct core *core, const struct row_resource_put *row, struct fl_err *err)
{
    return resource_table_put(&core->resources, row->resource, row->name, err) ||
           fl_err_wrap(err, "a resource");
}

static bool load_shape(struct core *core, const struct row_shape_new *row, struct fl_err *err)
{
    struct shape_slot slot;

    if (!shape_table_add(&core->shapes, row->shape, row->body, &slot, err)) {
        return fl_err_wrap(err, "shape %" PRIu32, row->shape);
    }
    shape_table_number_one(&core->shapes, slot, &core->resources);
    return true;
}

static bool load_counter(struct core *core, const struct row_counter *row, struct fl_err *err)
{
    return core_history_load(core, row) ||
           fl_fail(err, FL_TORN, "no counter has the number %u, or it is out of bounds",
                   row->counter);
}

/* A job of an older release has what its shape says. */
static void load_limits(struct core *core, struct job *job, const struct row_job_new *row,
                        struct fl_str shape)
{
    uint32_t deadline_s = row->deadline_s, retries_max = row->retries_max;

    if (shape_is_old(shape)) shape_read_old(shape, &deadline_s, &retries_max);
    job->retries_max = (uint16_t)retries_max;
    job_table_put_deadline(&core->jobs, job, deadline_s);
}

static bool load_job(struct core *core, const struct row_job_new *row, struct fl_err *err)
{
    struct shape_slot shape = shape_table_find_id(&core->shapes, row->shape);
    struct bucket_slot bucket;
    struct job_slot slot = {0};
    struct job *job;

    if (row->owner.len > FL_NAME_BYTES_MAX) {
        return fl_fail(err, FL_TORN, "job %" PRIu64 ": its owner's name is too long", row->job);
    }
    if (!shape.n || row->queue == 0 || row->queue > core->queues.queues.len || row->elements == 0 ||
        queue_table_at(&core->queues, (struct fl_queue_id){row->queue})->is_removed ||
        job_table_find(&core->jobs, (struct fl_job){row->job}).n) {
        return fl_fail(err, FL_TORN,
                       "job %" PRIu64 " is there twice, or its queue %" PRIu32 " or shape %" PRIu32
                       " is not",
                       row->job, row->queue, row->shape);
    }
    bucket = queue_table_need_bucket(&core->queues, (struct fl_queue_id){row->queue}, row->priority,
                                     shape);
    if (bucket.n) slot = job_table_add(&core->jobs, (struct fl_job){row->job});
    if (!slot.n) return fl_fail(err, FL_FULL, "job %" PRIu64 ": more than may be open", row->job);
    job = job_table_at(&core->jobs, slot);
    job->owner = owner_table_need(&core->owners, (struct fl_tenant){row->tenant}, row->owner);
    job->bucket = bucket;
    job->elements = row->elements;
    load_limits(core, job, row, shape_table_at(&core->shapes, shape)->bytes);
    job_table_put_parallelism(&core->jobs, job, row->parallelism);
    queue_table_join(&core->queues, &core->jobs, slot);
    owner_table_join(&core->owners, job->owner, bucket);
    shape_table_ref(&core->shapes, shape);
    if (row->job >= core->job_next) core->job_next = row->job + 1;
    core_job_place(core, slot);
    return true;
}

/* None: 'err' says that the job is not open. */
static struct job_slot find_job(const struct core *core, uint64_t id, struct fl_err *err)
{
    struct job_slot slot = job_table_find(&core->jobs, (struct fl_job){id});

    if (!slot.n) fl_fail(err, FL_TORN, "a row names job %" PRIu64 ", which is not open", id);
    return slot;
}

/* The deadline runs from the first start on, also while no control plane led. */
static void load_first_start(struct core *core, struct job *job, fl_ms first_start)
{
    struct job_run *run = job_table_need_run(&core->jobs, job);
    fl_ms deadline_ms = job_table_deadline_s(&core->jobs, job) * FL_SECOND_MS;

    run->first_start = first_start;
    if (run->stop != REASON_none) return;
    core->deadlines++;
    core_timer_arm(core, TIMER_DEADLINE, job->id, first_start + deadline_ms);
}

/* The job runs chosen elements only. */
static bool load_picked(struct core *core, struct job *job, struct fl_str bytes, struct fl_err *err)
{
    struct job_run *run = job_table_need_run(&core->jobs, job);

    if (run->picks.len > 0 || !fl_element_set_decode(bytes, &run->picks, err) ||
        fl_element_set_count(&run->picks) != job->elements) {
        return fl_fail(err, FL_TORN, "job %" PRIu64 ": its chosen elements are not its number",
                       job->id);
    }
    return true;
}

/* It waits for jobs that are open; or one of them did not end as wanted, and it is being ended. */
static bool load_after(struct core *core, struct job *job, struct fl_str bytes, struct fl_err *err)
{
    struct job_run *run = job_table_run(&core->jobs, job);
    struct fl_dependencies list;

    if (job->is_after || !fl_dependencies_decode(bytes, &core->scratch, &list, err) ||
        list.len == 0 || !dependency_table_has_room(&core->dependencies, list.len)) {
        return fl_fail(err, FL_TORN, "job %" PRIu64 ": no list of jobs that it waits for", job->id);
    }
    job->is_after = true;
    if (run && run->stop != REASON_none) return true;
    for (size_t i = 0; i < list.len; i++) {
        struct fl_job target = list.at[i].job;

        if (target.n >= job->id || !job_table_find(&core->jobs, target).n) {
            return fl_fail(err, FL_TORN,
                           "job %" PRIu64 " waits for job %" PRIu64 ", which is not open", job->id,
                           target.n);
        }
        dependency_table_add(&core->dependencies, job->id, target.n, list.at[i].on);
        core_owner(core, job)->used[OWNER_waits]++;
    }
    return true;
}

/* Marks come by id, so each line is in its order. */
static bool load_singleton(struct core *core, struct job_slot slot, struct fl_str key,
                           struct fl_err *err)
{
    const struct job *job = job_table_at(&core->jobs, slot);

    if (job->is_singleton || !singleton_key_is_whole(key) ||
        !singleton_table_has_room(&core->singletons) ||
        singleton_table_last(&core->singletons, core_owner(core, job)->tenant.n, key) >= job->id) {
        return fl_fail(err, FL_TORN, "job %" PRIu64 ": no name and owner to run alone under",
                       job->id);
    }
    core_job_queue_up(core, slot, key);
    return true;
}

/* It goes on to its end.  Each job that is stopped is walked: perhaps no row of it follows, so that
 * nothing else would end it.  This mark comes before those that ask whether it is stopped. */
static void load_stop(struct core *core, struct job *job, enum reason reason)
{
    struct job_run *run = job_table_need_run(&core->jobs, job);

    if (run->first_start && run->stop == REASON_none) core->deadlines--;
    run->stop = (uint16_t)reason;
    if (!run->is_swept) core_walk_add(core, (struct core_walk){.id = job->id});
    run->is_swept = true;
}

static bool load_mark(struct core *core, const struct row_mark_set *row, struct fl_err *err)
{
    struct job_slot slot = find_job(core, row->job, err);
    struct job *job = slot.n ? job_table_at(&core->jobs, slot) : NULL;

    if (!job) return false;
    switch (row->kind) {
    case CORE_MARK_held:
        job->is_held = true;
        break;
    case CORE_MARK_cancel:
        load_stop(core, job, (enum reason)row->value);
        break;
    case CORE_MARK_first_start:
        load_first_start(core, job, row->value);
        break;
    case CORE_MARK_picked:
        if (!load_picked(core, job, row->body, err)) return false;
        break;
    case CORE_MARK_after:
        if (!load_after(core, job, row->body, err)) return false;
        fl_arena_reset(&core->scratch);
        break;
    case CORE_MARK_edited:
        if (row->value <= 0 || row->value > UINT32_MAX) {
            return fl_fail(err, FL_TORN, "job %" PRIu64 ": no number of edits", row->job);
        }
        job_table_put_revision(&core->jobs, job, (uint32_t)row->value);
        break;
    case CORE_MARK_singleton:
        if (!load_singleton(core, slot, row->body, err)) return false;
        break;
    case CORE_MARK_each:
        if (!core_pair_load(core, slot, row->value, err)) return false;
        break;
    default:
        return fl_fail(err, FL_TORN, "job %" PRIu64 ": no mark has the number %u", row->job,
                       row->kind);
    }
    core_job_place(core, slot);
    return true;
}

/* No other row of elements that have ended comes.  Chosen elements were loaded before. */
static bool load_array_ends(struct core *core, const struct row_array_ends *row, struct fl_err *err)
{
    uint64_t ended = (uint64_t)row->succeeded + row->failed + row->cancelled;
    struct job_slot slot = find_job(core, row->job, err);
    struct job *job = slot.n ? job_table_at(&core->jobs, slot) : NULL;
    struct job_run *run;

    if (!job) return false;
    if (job->elements_next > 0 || !job_table_has_element(&core->jobs, job, row->last) ||
        row->unplaced > (uint64_t)row->failed + row->cancelled || ended == 0 ||
        ended > job_table_place(&core->jobs, job, row->last) + (uint64_t)1) {
        return fl_fail(err, FL_TORN,
                       "job %" PRIu64 ": %" PRIu64 " elements up to element %" PRIu32
                       " cannot have ended",
                       row->job, ended, row->last);
    }
    run = job_table_need_run(&core->jobs, job);
    run->succeeded = row->succeeded;
    run->failed = row->failed;
    run->cancelled = row->cancelled;
    run->unplaced = row->unplaced;
    job->elements_next =
        run->pair ? (uint32_t)ended : job_table_place(&core->jobs, job, row->last) + 1;
    core_job_place(core, slot);
    return true;
}

static void load_nodes(struct core *core, struct element *element, struct fl_str names)
{
    struct cluster *cluster = cluster_table_at(&core->clusters, element->cluster);

    for (uint32_t i = 0; i < element->replicas_len && names.len > 0; i++) {
        const char *end = memchr(names.at, '\n', names.len);
        size_t len = end ? (size_t)(end - names.at) : names.len;
        uint32_t node = ELEMENT_NODE_NONE;

        if (len > 0) {
            node = cluster_need_node(&core->clusters, cluster, (struct fl_str){names.at, len});
        }
        element_replica(element, i)->node = node;
        element_replica(element, i)->is_held = node != ELEMENT_NODE_NONE;
        len += end ? 1 : 0;
        names.at += len;
        names.len -= len;
    }
}

/* Marks and clusters were loaded before. */
static void link_attempt(struct core *core, struct element_slot slot)
{
    struct element *element = element_table_at(&core->elements, slot);

    element->session = 0;
    element->is_reported = false;
    element->stop = job_table_run(&core->jobs, job_table_at(&core->jobs, element->job))->stop;
    if (element->stop == REASON_none &&
        cluster_table_at(&core->clusters, element->cluster)->is_draining) {
        element->stop = REASON_Drained;
    }
    core_attempt_link(core, slot);
}

/* False: it waits for an element of another array. */
static bool load_begun(struct core *core, struct job *job, uint32_t element)
{
    const struct job_run *run = job_table_run(&core->jobs, job);
    uint32_t place = job_table_place(&core->jobs, job, element);

    if (run->pair) {
        job->elements_next++;
        return pair_is_ready(run->pair, place) && pair_take(run->pair, place);
    }
    if (place >= job->elements_next) job->elements_next = place + 1;
    return true;
}

static bool load_attempt(struct core *core, const struct row_attempt_new *row, struct fl_err *err)
{
    struct job_slot job_slot = find_job(core, row->job, err);
    struct job *job = job_slot.n ? job_table_at(&core->jobs, job_slot) : NULL;
    struct element *element;
    struct element_slot slot;
    struct shape_slot shape;
    struct fl_cluster cluster = {row->cluster};

    if (!job) return false;
    slot = job_table_element(&core->jobs, job, row->element);
    if (!cluster_table_find(&core->clusters, cluster) ||
        !job_table_has_element(&core->jobs, job, row->element) ||
        row->n != (slot.n ? element_table_at(&core->elements, slot)->n : 0) + 1) {
        return fl_fail(err, FL_TORN,
                       "job %" PRIu64 " element %" PRIu32 ": attempt %u does not follow", row->job,
                       row->element, row->n);
    }
    if (!slot.n) {
        slot = element_table_add(&core->elements);
        if (!slot.n) return fl_fail(err, FL_FULL, "more elements than may be started");
        element_table_at(&core->elements, slot)->job = job_slot;
        element_table_at(&core->elements, slot)->element = row->element;
        job_table_put_element(&core->jobs, job, row->element, slot);
        if (!load_begun(core, job, row->element)) {
            return fl_fail(err, FL_TORN,
                           "job %" PRIu64 " element %" PRIu32 " began, and its turn had not come",
                           row->job, row->element);
        }
        core_job_place(core, job_slot);
    } else if (element_table_at(&core->elements, slot)->place == ELEMENT_LIVE) {
        core_attempt_unlink(core, slot); /* this one follows it */
    }
    element = element_table_at(&core->elements, slot);
    element->n = row->n;
    element->incarnation = row->incarnation;
    element->cluster = cluster;
    element->place = ELEMENT_LIVE;
    element->first_replica = UINT32_MAX;
    shape = queue_table_bucket(&core->queues, job->bucket)->shape;
    element_set_replicas(element, shape_table_at(&core->shapes, shape)->replicas);
    load_nodes(core, element, row->nodes);
    link_attempt(core, slot);
    return true;
}

/* None: it has not started, or has ended. */
static struct element_slot find_element(const struct core *core, uint64_t job, uint32_t element,
                                        struct fl_err *err)
{
    struct job_slot slot = find_job(core, job, err);

    if (!slot.n) return (struct element_slot){0};
    return job_table_element(&core->jobs, job_table_at(&core->jobs, slot), element);
}

/* It waits for its next attempt, or for its end, if its job is stopped. */
static void load_wait(struct core *core, struct element_slot slot, fl_ms ready_at)
{
    struct element *element = element_table_at(&core->elements, slot);
    const struct job *job = job_table_at(&core->jobs, element->job);

    core_attempt_unlink(core, slot);
    element->place = ELEMENT_WAITING;
    if (job_table_run(&core->jobs, job)->stop != REASON_none) return;
    fl_vec_push(&core->waits, ((struct loaded_wait){slot, ready_at}));
}

static bool load_attempt_end(struct core *core, const struct row_attempt_end *row,
                             struct fl_err *err)
{
    struct element_slot slot = find_element(core, row->job, row->element, err);
    struct element *element = slot.n ? element_table_at(&core->elements, slot) : NULL;

    if (!element || row->n > element->n) {
        return fl_fail(err, FL_TORN,
                       "job %" PRIu64 " element %" PRIu32 ": attempt %u ended and never was",
                       row->job, row->element, row->n);
    }
    (void)core_element_count(element, (enum reason)row->reason);
    if (row->n == element->n && element->place == ELEMENT_LIVE) {
        load_wait(core, slot, row->ready_at);
    }
    return true;
}

/* The row of an attempt that has ended since says nothing any more. */
static bool load_attempt_stop(struct core *core, const struct row_attempt_stop *row,
                              struct fl_err *err)
{
    struct element_slot slot = find_element(core, row->job, row->element, err);
    struct element *element = slot.n ? element_table_at(&core->elements, slot) : NULL;

    if (!find_job(core, row->job, err).n) return false;
    if (!element || element->place != ELEMENT_LIVE || element->n != row->n) return true;
    element->stop = element->why = row->reason;
    element->exit_code = row->exit_code;
    element->first_replica = row->first_replica;
    return true;
}

bool core_load(struct core *core, const struct row *row, struct fl_err *err)
{
    fl_assert(!core->is_begun);
    switch (row->kind) {
    case ROW_queue_put:
        return load_queue(core, &row->queue_put, err);
    case ROW_cluster_put:
        return load_cluster(core, &row->cluster_put, err);
    case ROW_join_put:
        return load_join(core, &row->join_put, err);
    case ROW_token_put:
        return load_token(core, &row->token_put, err);
    case ROW_resource_put:
        return load_resource(core, &row->resource_put, err);
    case ROW_shape_new:
        return load_shape(core, &row->shape_new, err);
    case ROW_counter:
        return load_counter(core, &row->counter, err);
    case ROW_job_new:
        return load_job(core, &row->job_new, err);
    case ROW_mark_set:
        return load_mark(core, &row->mark_set, err);
    case ROW_attempt_new:
        return load_attempt(core, &row->attempt_new, err);
    case ROW_attempt_end:
        return load_attempt_end(core, &row->attempt_end, err);
    case ROW_array_ends:
        return load_array_ends(core, &row->array_ends, err);
    case ROW_pair_end:
        return core_pair_load_end(core, &row->pair_end, err);
    case ROW_attempt_stop:
        return load_attempt_stop(core, &row->attempt_stop, err);
    default:
        return fl_fail(err, FL_TORN, "a row %s is no part of what is loaded",
                       row_kind_name(row->kind));
    }
}

/* Attempts that ended brought the names of their nodes too, which may be many over time: the live
 * ones' stay. */
static void pack_nodes(struct core *core, struct cluster *cluster)
{
    uint32_t *moved = fl_new_array(uint32_t, cluster->nodes.len + 1);

    if (cluster_pack_nodes(cluster, moved)) {
        for (struct element_slot slot = cluster->live_first; slot.n;) {
            struct element *element = element_table_at(&core->elements, slot);

            for (uint32_t i = 0; i < element->replicas_len; i++) {
                struct element_replica *replica = element_replica(element, i);

                if (replica->node != ELEMENT_NODE_NONE) replica->node = moved[replica->node];
            }
            slot = element->cluster_next;
        }
    }
    fl_free(moved);
}

/* Jobs and live attempts are in their places already, as they were loaded: so this takes as long as
 * there are clusters. */
void core_begin(struct core *core)
{
    for (size_t i = 0; i < core->clusters.clusters.len; i++) {
        struct cluster *cluster = core->clusters.clusters.at[i];

        pack_nodes(core, cluster);
        if (cluster->state != CLUSTER_ENROLLED) {
            if (cluster->live_first.n) core_session_sweep_later(core, cluster);
            continue;
        }
        cluster->seen_at = core->now;
        cluster->lost_at = core->now + core->config.silence_ms;
        core_timer_arm(core, TIMER_LOSS, cluster->id.n, cluster->lost_at);
    }
    core_access_begin(core);
    core->is_dirty = true;
}

/* Each keeps its wait.  Those whose wait is over by now, however many there are, are ready one by
 * one within the first wait. */
bool core_begin_waits(struct core *core)
{
    while (core->slice_left > 0 && core->waits_begun < core->waits.len) {
        struct loaded_wait wait = core->waits.at[core->waits_begun++];
        struct element *element;

        core_spend(core, 1);
        if (!fl_slab_is_taken(&core->elements.elements, wait.element.n)) continue; /* it ended */
        element = element_table_at(&core->elements, wait.element);
        if (element->place != ELEMENT_WAITING || element->wait_until) continue;
        if (wait.ready_at <= core->now) {
            wait.ready_at =
                core->now + fl_prng_between(&core->prng, 0, core->config.backoff_first_ms);
        }
        core_element_wait(core, wait.element, wait.ready_at);
    }
    if (core->waits_begun < core->waits.len) return true;
    fl_vec_fini(&core->waits);
    core->waits_begun = 0;
    return false;
}
