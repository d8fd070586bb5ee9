#include <string.h>

#include "controlplane/core/core_state.h"

/* An attempt lives in two steps: START makes replicas behind a gate, GO opens it once the commit
 * that knows of all of them is durable.  Its end is decided by its replicas alone: by the last of
 * them, or by its cluster's word that there are none. */

static const struct element_slot none = {0};

static struct cluster *cluster_of(const struct core *core, const struct element *element)
{
    return cluster_table_at(&core->clusters, element->cluster);
}

static struct job *job_of(const struct core *core, const struct element *element)
{
    return job_table_at(&core->jobs, element->job);
}

static struct shape_entry *shape_of(const struct core *core, const struct job *job)
{
    return shape_table_at(&core->shapes, queue_table_bucket(&core->queues, job->bucket)->shape);
}

const struct shape *core_attempt_shape(const struct core *core, const struct element *element)
{
    return &shape_of(core, job_of(core, element))->shape;
}

struct fl_attempt core_attempt_id(const struct core *core, const struct element *element)
{
    return (struct fl_attempt){.job = {job_of(core, element)->id},
                               .element = element->element,
                               .n = element->n,
                               .incarnation = element->incarnation};
}

struct element_slot core_attempt_find(const struct core *core, struct fl_attempt attempt)
{
    struct job_slot job = job_table_find(&core->jobs, attempt.job);
    struct element_slot slot;

    if (!job.n) return none;
    slot = job_table_element(&core->jobs, job_table_at(&core->jobs, job), attempt.element);
    return slot.n && core_attempt_is(core, slot, attempt) ? slot : none;
}

bool core_attempt_is(const struct core *core, struct element_slot slot, struct fl_attempt attempt)
{
    const struct element *element = element_table_at(&core->elements, slot);

    return element->place == ELEMENT_LIVE &&
           fl_attempt_is_same(core_attempt_id(core, element), attempt);
}

enum reason core_attempt_stop_reason(const struct core *core, const struct element *element)
{
    if (element->stop != REASON_none) return (enum reason)element->stop;
    return (enum reason)job_table_run(&core->jobs, job_of(core, element))->stop;
}

static void freshen(const struct core *core, struct element *element)
{
    element_enter_session(element, cluster_of(core, element)->session_epoch);
}

/* ---- its replicas' parts of nodes ------------------------------------------------------------ */

static void hold(struct core *core, struct element *element, uint32_t i)
{
    struct element_replica *replica = element_replica(element, i);
    const struct shape *shape = &shape_of(core, job_of(core, element))->shape;
    const struct shape_role *role = shape_role_of(shape, i);
    struct cluster *cluster = cluster_of(core, element);

    replica->is_held = true;
    replica->guest_no = cluster_hold(cluster, replica->node, role->each);
    if (shape->kinds_len == 0) return;
    cluster_hold_named(cluster, replica->node, shape_wants(shape, role), replica->guest_no);
}

bool core_attempt_unhold(struct core *core, struct element *element, uint32_t i)
{
    struct element_replica *replica = element_replica(element, i);
    const struct shape *shape = &shape_of(core, job_of(core, element))->shape;
    const struct shape_role *role = shape_role_of(shape, i);
    struct cluster *cluster = cluster_of(core, element);

    if (!replica->is_held) return false;
    replica->is_held = false;
    if (replica->node == ELEMENT_NODE_NONE) return false;
    cluster_unhold(cluster, replica->node, role->each, replica->guest_no);
    if (shape->kinds_len == 0) return true;
    cluster_unhold_named(cluster, replica->node, shape_wants(shape, role), replica->guest_no);
    return true;
}

/* ---- lists of its cluster -------------------------------------------------------------------- */

/* Its job may be in another state now. */
static void recount(struct core *core, const struct element *element)
{
    queue_table_recount(&core->queues, &core->jobs, element->job);
}

void core_attempt_link(struct core *core, struct element_slot slot)
{
    struct element *element = element_table_at(&core->elements, slot);
    struct cluster *cluster = cluster_of(core, element);

    element->cluster_prev = none;
    element->cluster_next = cluster->live_first;
    if (cluster->live_first.n) {
        element_table_at(&core->elements, cluster->live_first)->cluster_prev = slot;
    }
    cluster->live_first = slot;
    cluster->live_len++;
    job_table_run(&core->jobs, job_of(core, element))->live++;
    recount(core, element);
    core_job_count_live(core, element->job);
    for (uint32_t i = 0; i < element->replicas_len; i++) {
        uint32_t node = element_replica(element, i)->node;

        if (node == ELEMENT_NODE_NONE) continue;
        cluster_join_node(cluster, node);
        if (element_replica(element, i)->is_held) hold(core, element, i);
    }
    if (!element->is_reported) cluster->unconfirmed++;
}

static void unmark(struct core *core, struct element_slot slot)
{
    struct element *element = element_table_at(&core->elements, slot);
    struct cluster *cluster = cluster_of(core, element);

    freshen(core, element);
    if (element->start_seq == 0) return;
    if (element->unmarked_prev.n) {
        element_table_at(&core->elements, element->unmarked_prev)->unmarked_next =
            element->unmarked_next;
    } else {
        cluster->unmarked_first = element->unmarked_next;
    }
    if (element->unmarked_next.n) {
        element_table_at(&core->elements, element->unmarked_next)->unmarked_prev =
            element->unmarked_prev;
    } else {
        cluster->unmarked_last = element->unmarked_prev;
    }
    element->unmarked_prev = element->unmarked_next = none;
    element->start_seq = 0;
}

static void confirm(struct core *core, struct element *element)
{
    struct cluster *cluster = cluster_of(core, element);

    if (element->is_reported) return;
    element->is_reported = true;
    if (cluster->unconfirmed-- == core->config.unconfirmed_max) core_retry_shapes(core, cluster);
}

static void drop_resend(struct core *core, struct element *element)
{
    freshen(core, element);
    if (!element->is_resend) return;
    element->is_resend = false;
    cluster_of(core, element)->resend_len--;
}

static void release(struct core *core, struct element *element, uint32_t i)
{
    struct element_replica *replica = element_replica(element, i);
    const struct shape *shape = &shape_of(core, job_of(core, element))->shape;
    const struct shape_role *role = shape_role_of(shape, i);
    struct cluster *cluster = cluster_of(core, element);

    if (!core_attempt_unhold(core, element, i)) return;
    cluster_give(&core->clusters, cluster, replica->node, role->each);
    core->is_dirty = true;
    if (shape->kinds_len == 0) return;
    cluster_give_named(cluster, replica->node, shape_wants(shape, role));
}

void core_attempt_unlink(struct core *core, struct element_slot slot)
{
    struct element *element = element_table_at(&core->elements, slot);
    struct cluster *cluster = cluster_of(core, element);
    struct job_run *run = job_table_run(&core->jobs, job_of(core, element));

    for (uint32_t i = 0; i < element->replicas_len; i++) {
        struct element_replica *replica = element_replica(element, i);

        release(core, element, i);
        if (replica->node == ELEMENT_NODE_NONE) continue;
        cluster_leave_node(&core->clusters, cluster, replica->node);
        replica->node = ELEMENT_NODE_NONE;
    }
    unmark(core, slot);
    core_reply_drop(core, slot);
    drop_resend(core, element);
    confirm(core, element);
    if (cluster->sweep_at.n == slot.n) cluster->sweep_at = element->cluster_next;
    if (element->cluster_prev.n) {
        element_table_at(&core->elements, element->cluster_prev)->cluster_next =
            element->cluster_next;
    } else {
        cluster->live_first = element->cluster_next;
    }
    if (element->cluster_next.n) {
        element_table_at(&core->elements, element->cluster_next)->cluster_prev =
            element->cluster_prev;
    }
    cluster->live_len--;
    run->live--;
    if (element->is_running) run->running--;
    if (element->is_unknown) run->unknown--;
    if (element->is_overdue) run->overdue--;
    element->is_unknown = element->is_overdue = false;
    recount(core, element);
    core_job_count_live(core, element->job);
}

void core_attempt_note_silence(struct core *core, struct element *element)
{
    struct job_run *run = job_table_run(&core->jobs, job_of(core, element));
    bool is_silent = cluster_of(core, element)->is_silent;

    if (element->is_unknown == is_silent) return;
    element->is_unknown = is_silent;
    run->unknown += is_silent ? 1 : UINT32_MAX;
}

/* ---- start ----------------------------------------------------------------------------------- */

static struct element_slot take_element(struct core *core, struct job_slot job_slot)
{
    struct job *job = job_table_at(&core->jobs, job_slot);
    struct job_run *run = job_table_need_run(&core->jobs, job);
    struct element_slot slot = run->ready_first;
    uint32_t number;

    if (slot.n) {
        run->ready_first = element_table_at(&core->elements, slot)->next;
        if (!run->ready_first.n) run->ready_last = none;
        return slot;
    }
    slot = element_table_add(&core->elements);
    fl_assert(slot.n); /* the round looked */
    element_table_at(&core->elements, slot)->job = job_slot;
    number = job_table_take_fresh(&core->jobs, job);
    element_table_at(&core->elements, slot)->element = number;
    job_table_put_element(&core->jobs, job, number, slot);
    return slot;
}

static void begin_attempt(struct core *core, struct element *element,
                          const struct placement *placement)
{
    element->n++;
    element->incarnation = core->incarnation;
    element->cluster = placement->cluster;
    element->place = ELEMENT_LIVE;
    element->next = none;
    element->session = 0;
    element->is_sent = element->is_reported = element->is_running = false;
    element->stop = element->why = REASON_none;
    element->is_cut_short = false;
    element->first_replica = UINT32_MAX;
    element->exit_code = 0;
    element->created = element->ended = 0;
    element->usage = (struct fl_usage){0};
    element_set_replicas(element, placement->nodes_len);
    for (uint32_t i = 0; i < placement->nodes_len; i++) {
        element_replica(element, i)->node = placement->nodes[i];
    }
}

static void put_attempt(struct core *core, struct core_batch *batch, const struct element *element)
{
    const struct cluster *cluster = cluster_of(core, element);
    struct row row = {.kind = ROW_attempt_new,
                      .attempt_new = {.job = job_of(core, element)->id,
                                      .element = element->element,
                                      .n = element->n,
                                      .incarnation = element->incarnation,
                                      .cluster = cluster->id.n}};
    size_t bytes = 0;
    char *names;

    for (uint32_t i = 0; i < element->replicas_len; i++) {
        bytes +=
            cluster->nodes.at[element_replica((struct element *)element, i)->node].name.len + 1;
    }
    names = fl_arena_alloc(&core->scratch, bytes);
    row.attempt_new.nodes = (struct fl_str){names, bytes - 1};
    for (uint32_t i = 0; i < element->replicas_len; i++) {
        struct fl_str name =
            cluster->nodes.at[element_replica((struct element *)element, i)->node].name;

        memcpy(names, name.at, name.len);
        names[name.len] = '\n';
        names += name.len + 1;
    }
    core_batch_row(batch, &row);
}

void core_attempt_send_start(struct core *core, struct core_batch *batch, struct element_slot slot)
{
    struct element *element = element_table_at(&core->elements, slot);
    struct cluster *cluster = cluster_of(core, element);
    const struct shape *shape = &shape_of(core, job_of(core, element))->shape;
    struct core_send send = core_send_to(cluster, CORE_SEND_start);

    drop_resend(core, element);
    unmark(core, slot);
    core_spend(core, element->replicas_len);
    send.control_seq = ++cluster->control_seq;
    send.attempt = core_attempt_id(core, element);
    send.nodes_len = element->replicas_len;
    send.nodes = fl_arena_array(&core->scratch, uint32_t, send.nodes_len);
    for (uint32_t i = 0; i < element->replicas_len; i++) {
        struct element_replica *replica = element_replica(element, i);
        const struct shape_role *role = shape_role_of(shape, i);

        cluster_take(&core->clusters, cluster, replica->node, role->each);
        if (shape->kinds_len > 0) {
            cluster_take_named(cluster, replica->node, shape_wants(shape, role));
        }
        if (!replica->is_held) hold(core, element, i);
        send.nodes[i] = cluster->nodes.at[replica->node].number;
    }
    element->is_sent = true;
    element->start_seq = send.control_seq;
    element->unmarked_prev = cluster->unmarked_last;
    if (cluster->unmarked_last.n) {
        element_table_at(&core->elements, cluster->unmarked_last)->unmarked_next = slot;
    } else {
        cluster->unmarked_first = slot;
    }
    cluster->unmarked_last = slot;
    core_reply_expect(core, slot, ELEMENT_REPLY_start);
    core_emit_send(batch, &send);
}

void core_attempt_start(struct core *core, struct core_batch *batch, struct job_slot job_slot,
                        const struct placement *placement)
{
    struct element_slot slot = take_element(core, job_slot);
    struct element *element = element_table_at(&core->elements, slot);

    begin_attempt(core, element, placement);
    core_attempt_link(core, slot);
    put_attempt(core, batch, element);
    core_attempt_send_start(core, batch, slot);
    core_job_place(core, job_slot);
    core->starts++;
}

/* ---- its end --------------------------------------------------------------------------------- */

/* The element's slot may be free afterwards. */
static void end_attempt(struct core *core, struct core_batch *batch, struct element_slot slot,
                        enum reason reason)
{
    core_attempt_unlink(core, slot);
    core_element_go_on(core, batch, slot, reason);
}

/* ---- the agent's reports --------------------------------------------------------------------- */

static void put_phase(struct core *core, struct core_batch *batch, const struct element *element,
                      uint32_t replica, enum fl_replica_state state, int32_t exit_code)
{
    struct row row = {.kind = ROW_replica_phase,
                      .replica_phase = {.job = job_of(core, element)->id,
                                        .element = element->element,
                                        .n = element->n,
                                        .replica = replica,
                                        .state = (uint8_t)state,
                                        .exit_code = exit_code}};

    core_batch_row(batch, &row);
}

static void first_start(struct core *core, struct core_batch *batch, struct job_slot job_slot)
{
    struct job *job = job_table_at(&core->jobs, job_slot);
    struct job_run *run = job_table_run(&core->jobs, job);
    uint32_t deadline_s = job_table_deadline_s(&core->jobs, job);
    struct row row = {
        .kind = ROW_mark_set,
        .mark_set = {.job = job->id, .kind = CORE_MARK_first_start, .value = core->now}};

    if (!deadline_s || run->first_start || run->stop != REASON_none) return;
    run->first_start = core->now;
    core->deadlines++;
    core_timer_arm(core, TIMER_DEADLINE, job->id, core->now + deadline_s * FL_SECOND_MS);
    core_batch_row(batch, &row);
}

static enum reason refusal(enum fl_cause cause)
{
    switch (cause) {
    case FL_CAUSE_image:
        return REASON_ImageUnavailable;
    case FL_CAUSE_container:
        return REASON_ContainerRefused;
    case FL_CAUSE_unscheduled:
        return REASON_Unscheduled;
    default:
        return REASON_StartRefused;
    }
}

static enum reason failure(const struct core_replica_told *told)
{
    switch (told->state) {
    case FL_REPLICA_exited:
        if (told->exit_code == 0) return REASON_none;
        return told->cause == FL_CAUSE_out_of_memory ? REASON_OutOfMemory : REASON_ReplicaFailed;
    case FL_REPLICA_refused:
        return refusal(told->cause);
    case FL_REPLICA_absent:
        return REASON_NeverArrived;
    default:
        return told->cause == FL_CAUSE_node_lost ? REASON_NodeLost : REASON_ReplicaLost;
    }
}

/* The cause is durable before what STOP ends comes back as ends that look like causes. */
static void put_cause(struct core *core, struct core_batch *batch, const struct element *element)
{
    struct row row = {.kind = ROW_attempt_stop,
                      .attempt_stop = {.job = job_of(core, element)->id,
                                       .element = element->element,
                                       .n = element->n,
                                       .reason = element->why,
                                       .exit_code = element->exit_code,
                                       .first_replica = element->first_replica}};

    core_batch_row(batch, &row);
}

static void put_words(struct core *core, struct core_batch *batch, const struct element *element,
                      struct fl_str words)
{
    struct row row = {.kind = ROW_attempt_words,
                      .attempt_words = {.job = job_of(core, element)->id,
                                        .element = element->element,
                                        .n = element->n,
                                        .words = words}};

    if (words.len > 0) core_batch_row(batch, &row);
}

/* The first failing replica is the cause; the others of its gang are stopped because of it. */
static void replica_ended(struct core *core, struct core_batch *batch, struct element_slot slot,
                          const struct core_replica_told *told)
{
    struct element *element = element_table_at(&core->elements, slot);
    enum reason reason = failure(told);

    element->ended++;
    fl_usage_add(&element->usage, &told->usage);
    release(core, element, told->replica);
    if (told->cause != FL_CAUSE_finished &&
        core_attempt_stop_reason(core, element) != REASON_none) {
        element->is_cut_short = true; /* or perhaps not: 0 does not say */
    }
    if (reason == REASON_none || element->why != REASON_none) return;
    if (core_attempt_stop_reason(core, element) != REASON_none) return; /* hence it fails */
    element->why = (uint16_t)reason;
    element->first_replica = told->replica;
    element->exit_code = told->exit_code;
    put_words(core, batch, element, told->words);
    if (element->ended == element->replicas_len) return;
    put_cause(core, batch, element);
    core_attempt_stop(core, batch, slot, reason);
}

/* An agent that lists what it holds says that this replica stands behind its gate, and has said
 * more of it before.  The gate on its disk decides: without a GO it would stand there for ever. */
static bool is_taken_back(const struct core *core, const struct element *element,
                          enum fl_replica_state was, enum fl_replica_state state)
{
    return state == FL_REPLICA_created && was > state && !fl_replica_state_is_last(was) &&
           !cluster_of(core, element)->is_inventoried;
}

static void take_back(struct core *core, struct core_batch *batch, struct element *element,
                      uint32_t i)
{
    bool is_running = false;

    element_replica(element, i)->state = FL_REPLICA_created;
    put_phase(core, batch, element, i, FL_REPLICA_created, 0);
    for (uint32_t n = 0; n < element->replicas_len; n++) {
        enum fl_replica_state state = (enum fl_replica_state)element_replica(element, n)->state;

        is_running = is_running || state == FL_REPLICA_running || state == FL_REPLICA_exited;
    }
    if (element->is_running && !is_running) {
        job_table_run(&core->jobs, job_of(core, element))->running--;
    }
    element->is_running = is_running;
    recount(core, element);
}

bool core_attempt_replica(struct core *core, struct core_batch *batch, struct element_slot slot,
                          const struct core_replica_told *told)
{
    struct element *element = element_table_at(&core->elements, slot);
    enum fl_replica_state state = told->state;
    uint32_t i = told->replica;
    struct element_replica *replica;
    enum fl_replica_state was;

    confirm(core, element);
    drop_resend(core, element);
    element->is_seen = true;
    if (i >= element->replicas_len) return true;
    replica = element_replica(element, i);
    replica->is_seen = true;
    was = (enum fl_replica_state)replica->state;
    if (is_taken_back(core, element, was, state)) {
        take_back(core, batch, element, i);
        return true; /* GO follows once the inventory is compared */
    }
    if (state <= was || fl_replica_state_is_last(was)) return true; /* old news */
    replica->state = (uint8_t)state;
    put_phase(core, batch, element, i, state, told->exit_code);
    if (was == FL_REPLICA_pending) element->created++;
    if (element->reply_due == ELEMENT_REPLY_start && element->created == element->replicas_len) {
        core_reply_drop(core, slot);
    }
    if (state == FL_REPLICA_running || (state == FL_REPLICA_exited && !element->is_running)) {
        if (!element->is_running) job_table_run(&core->jobs, job_of(core, element))->running++;
        element->is_running = true;
        recount(core, element);
        first_start(core, batch, element->job);
    }
    if (fl_replica_state_is_last(state)) {
        enum reason stop;

        replica_ended(core, batch, slot, told);
        stop = core_attempt_stop_reason(core, element);
        /* A STOP that came too late has ended nothing, be it of a drain or of a hold. */
        if (!element->is_cut_short) stop = REASON_none;
        if (element->ended == element->replicas_len) {
            end_attempt(core, batch, slot,
                        element->why != REASON_none ? (enum reason)element->why
                        : stop != REASON_none       ? stop
                                                    : REASON_Succeeded);
            return false;
        }
    }
    core_attempt_go(core, batch, slot);
    return true;
}

void core_attempt_go(struct core *core, struct core_batch *batch, struct element_slot slot)
{
    struct element *element = element_table_at(&core->elements, slot);
    struct cluster *cluster = cluster_of(core, element);
    struct core_send send;
    uint32_t gated = 0;

    if (element->created < element->replicas_len) return;
    freshen(core, element);
    if (element->is_go_sent || core_history_is_disputed(core)) return;
    if (core_attempt_stop_reason(core, element) != REASON_none) return;
    if (!cluster->is_inventoried || (!cluster->is_reconciled && !element->is_judged)) return;
    for (uint32_t i = 0; i < element->replicas_len; i++) {
        gated += element_replica(element, i)->state == FL_REPLICA_created;
    }
    if (gated == 0) return;
    if (gated == element->replicas_len && job_of(core, element)->is_held) {
        core_attempt_stop(core, batch, slot, REASON_HeldBack); /* nothing of it has begun */
        return;
    }
    element->is_go_sent = true;
    send = core_send_to(cluster, CORE_SEND_go);
    send.control_seq = ++cluster->control_seq;
    send.attempt = core_attempt_id(core, element);
    core_emit_send(batch, &send);
}

/* ---- ends that are decided here -------------------------------------------------------------- */

void core_attempt_stop(struct core *core, struct core_batch *batch, struct element_slot slot,
                       enum reason reason)
{
    struct element *element = element_table_at(&core->elements, slot);
    struct cluster *cluster = cluster_of(core, element);
    struct core_send send;

    if (element->stop == REASON_none) element->stop = (uint16_t)reason;
    freshen(core, element);
    if (!cluster->is_connected || element->is_stop_sent) return;
    element->is_stop_sent = true;
    send = core_send_to(cluster, CORE_SEND_stop);
    send.control_seq = ++cluster->control_seq;
    send.attempt = core_attempt_id(core, element);
    send.reason = (enum reason)element->stop;
    core_reply_expect(core, slot, ELEMENT_REPLY_stop);
    core_emit_send(batch, &send);
}

void core_attempt_stop_again(struct core *core, struct core_batch *batch, struct element_slot slot)
{
    struct element *element = element_table_at(&core->elements, slot);

    if (!element->is_overdue) job_table_run(&core->jobs, job_of(core, element))->overdue++;
    element->is_overdue = true;
    element->is_stop_sent = false;
    core_attempt_stop(core, batch, slot, (enum reason)element->stop);
}

void core_attempt_end(struct core *core, struct core_batch *batch, struct element_slot slot,
                      enum reason reason)
{
    struct element *element = element_table_at(&core->elements, slot);

    if (element->why != REASON_none) {
        reason = (enum reason)element->why; /* a replica had failed before the rest went */
    } else if (element->first_replica == UINT32_MAX) {
        element->exit_code = 0;
    }
    end_attempt(core, batch, slot, reason);
}

void core_job_stop(struct core *core, struct core_batch *batch, struct job_slot job_slot,
                   enum reason reason)
{
    struct job *job = job_table_at(&core->jobs, job_slot);
    struct job_run *run = job_table_run(&core->jobs, job);
    struct row mark = {.kind = ROW_mark_set,
                       .mark_set = {.job = job->id, .kind = CORE_MARK_cancel, .value = reason}};
    struct core_walk rest = {.id = job->id};

    if (!run) {
        core_job_end_unstarted(core, batch, job_slot, reason);
        return;
    }
    if (run->first_start && run->stop == REASON_none) core->deadlines--;
    run->stop = (uint16_t)reason;
    run->ready_first = run->ready_last = none;
    core_job_wait_no_more(core, job);
    core_job_place(core, job_slot);
    if (run->live > 0 || run->dependents ||
        core->slice_left < (uint64_t)LOOKS_OF_END * core_job_open(job, run)) {
        core_batch_row(batch, &mark); /* all else follows from it, after a reload too */
    }
    run->is_swept = true;
    run->sweep_from = 0;
    if (!core_job_stop_slice(core, batch, job_slot)) core_walk_add(core, rest);
}

bool core_job_stop_slice(struct core *core, struct core_batch *batch, struct job_slot job_slot)
{
    struct job *job = job_table_at(&core->jobs, job_slot);
    struct job_run *run = job_table_run(&core->jobs, job);
    enum reason reason = (enum reason)run->stop;
    struct element_slot slot;
    uint32_t number = 0;

    while ((slot = job_table_next_element(&core->jobs, job, run->sweep_from, &number)).n != 0) {
        if (core->slice_left == 0) return false;
        run->sweep_from = number + 1;
        if (element_table_at(&core->elements, slot)->place == ELEMENT_LIVE) {
            core_spend(core, 1);
            core_attempt_stop(core, batch, slot, reason);
        } else {
            bool is_last = core_job_open(job, run) == 1 && !core_job_owes_ends(job, run);

            core_spend(core, LOOKS_OF_END);
            core_element_end(core, batch, slot, core_job_stopped_state(reason), reason);
            if (is_last) return true;
        }
    }
    if (!core_pair_sweep(core, batch, job_slot)) return false;
    run->is_swept = false;
    core_job_end_if_over(core, batch, job_slot, reason);
    return true;
}
