#include "controlplane/core/core_state.h"
#include "controlplane/core/replica_output.h"

/* An element between its attempts: when one has ended, it gets another, at once or after a pause,
 * or it is over, and its job with the last of them. */

static const struct element_slot none = {0};

static struct job *job_of(const struct core *core, const struct element *element)
{
    return job_table_at(&core->jobs, element->job);
}

/* ---- failures and losses --------------------------------------------------------------------- */

enum { NODE_LOSSES_MAX = 3 };

/* One node lost is the node's fault; an element under which the third one goes would go through all
 * that there are. */
static bool is_charged(const struct element *element, enum reason reason)
{
    if (reason == REASON_NodeLost) return element->node_losses + 1 >= NODE_LOSSES_MAX;
    return reason == REASON_ReplicaFailed || reason == REASON_OutOfMemory ||
           reason == REASON_ImageUnavailable || reason == REASON_ContainerRefused;
}

bool core_element_count(struct element *element, enum reason reason)
{
    bool counts = is_charged(element, reason);

    if (reason == REASON_NodeLost) {
        if (element->node_losses < NODE_LOSSES_MAX) element->node_losses++;
    } else if (counts) {
        element->node_losses = 0;
    }
    if (counts) {
        element->failures++;
        element->misses = 0;
    } else {
        element->misses++;
    }
    return counts;
}

/* ---- the output of the attempt that ends ----------------------------------------------------- */

/* Whether GO may have reached a replica of which the agent has not told the end.  GO needs all of
 * them behind their gates; a core that was loaded since does not know of those before it. */
static bool may_have_run(const struct element *element)
{
    return element->created == element->replicas_len || !element->is_sent;
}

static enum core_output output_of(struct element *element, uint32_t i)
{
    const struct element_replica *replica = element_replica(element, i);

    if (replica->state == FL_REPLICA_refused) return CORE_OUTPUT_none;
    if (!replica->is_gone &&
        (replica->state == FL_REPLICA_exited || replica->state == FL_REPLICA_lost)) {
        return CORE_OUTPUT_due;
    }
    return may_have_run(element) ? CORE_OUTPUT_lost : CORE_OUTPUT_none;
}

/* The letters for the row that ends the attempt. */
static struct fl_str outputs_of(struct core *core, struct element *element)
{
    char *letters = fl_arena_alloc(&core->scratch, element->replicas_len);
    bool is_any = false;

    for (uint32_t i = 0; i < element->replicas_len; i++) {
        letters[i] = (char)output_of(element, i);
        is_any = is_any || letters[i] != CORE_OUTPUT_none;
    }
    return is_any ? (struct fl_str){letters, element->replicas_len} : (struct fl_str){0};
}

static struct fl_str usage_of(struct core *core, const struct element *element)
{
    return fl_usage_write(&element->usage, fl_arena_alloc(&core->scratch, FL_USAGE_BYTES));
}

/* ---- its end --------------------------------------------------------------------------------- */

void core_element_end(struct core *core, struct core_batch *batch, struct element_slot slot,
                      enum job_state state, enum reason reason)
{
    struct element *element = element_table_at(&core->elements, slot);
    struct job_slot job_slot = element->job;
    struct job *job = job_table_at(&core->jobs, job_slot);
    struct job_run *run = job_table_run(&core->jobs, job);
    struct row row = {.kind = ROW_element_end,
                      .element_end = {.job = job->id,
                                      .element = element->element,
                                      .n = element->n,
                                      .state = (uint8_t)state,
                                      .reason = (uint16_t)reason,
                                      .exit_code = element->exit_code,
                                      .first_replica = element->first_replica}};

    if (element->place == ELEMENT_LIVE) {
        row.element_end.outputs = outputs_of(core, element);
        row.element_end.usage = usage_of(core, element);
    }
    core_batch_row(batch, &row);
    if (state == JOB_succeeded) run->succeeded++;
    if (state == JOB_failed) run->failed++;
    if (state == JOB_cancelled) run->cancelled++;
    job_table_remove_element(&core->jobs, job, element->element);
    element_table_remove(&core->elements, slot);
    core->is_dirty = true;
    if (run->dependents) core_pair_tell(core, batch, job_slot, row.element_end.element, state);
    core_job_end_if_over(core, batch, job_slot, reason);
}

/* ---- waiting for the next attempt ------------------------------------------------------------ */

void core_element_ready(struct core *core, struct element_slot slot)
{
    struct element *element = element_table_at(&core->elements, slot);
    struct job_run *run = job_table_run(&core->jobs, job_of(core, element));

    element->place = ELEMENT_READY;
    element->next = none;
    if (run->ready_last.n) {
        element_table_at(&core->elements, run->ready_last)->next = slot;
    } else {
        run->ready_first = slot;
    }
    run->ready_last = slot;
    core_job_place(core, element->job);
}

void core_element_wait(struct core *core, struct element_slot slot, fl_ms until)
{
    struct element *element = element_table_at(&core->elements, slot);

    element->place = ELEMENT_WAITING;
    element->wait_until = until;
    core_timer_arm(core, TIMER_ELEMENT, slot.n, until);
}

/* backoff_first_ms, doubled each time, at most backoff_max_ms, all +-20 %. */
static fl_ms backoff(struct core *core, uint32_t times)
{
    fl_ms wait = core->config.backoff_first_ms;

    for (uint32_t i = 1; i < times && wait < core->config.backoff_max_ms; i++) {
        wait *= 2;
    }
    if (wait > core->config.backoff_max_ms) wait = core->config.backoff_max_ms;
    return wait + fl_prng_between(&core->prng, -(wait / 5), wait / 5);
}

/* Whether the element waits before its next attempt: after a failure of its own, a START that was
 * refused or not confirmed, or a second loss in a row; not after the first loss. */
static bool needs_pause(const struct element *element, enum reason reason, bool counts)
{
    return counts || reason == REASON_StartRefused || reason == REASON_StartUnconfirmed ||
           reason == REASON_Unscheduled || element->misses > 1;
}

static void attempt_again(struct core *core, struct core_batch *batch, struct element_slot slot,
                          enum reason reason)
{
    struct element *element = element_table_at(&core->elements, slot);
    struct row row = {.kind = ROW_attempt_end,
                      .attempt_end = {.job = job_of(core, element)->id,
                                      .element = element->element,
                                      .n = element->n,
                                      .reason = (uint16_t)reason,
                                      .exit_code = element->exit_code,
                                      .first_replica = element->first_replica,
                                      .outputs = outputs_of(core, element),
                                      .ready_at = core->now,
                                      .usage = usage_of(core, element)}};
    bool counts = core_element_count(element, reason);
    bool has_pause = needs_pause(element, reason, counts);

    if (has_pause) {
        row.attempt_end.ready_at += backoff(core, counts ? element->failures : element->misses);
    }
    core_batch_row(batch, &row);
    if (has_pause) {
        core_element_wait(core, slot, row.attempt_end.ready_at);
    } else {
        core_element_ready(core, slot);
    }
}

void core_element_go_on(struct core *core, struct core_batch *batch, struct element_slot slot,
                        enum reason reason)
{
    struct element *element = element_table_at(&core->elements, slot);
    const struct job *job = job_of(core, element);
    const struct job_run *run = job_table_run(&core->jobs, job);

    if (run->stop != REASON_none) {
        core_element_end(core, batch, slot, core_job_stopped_state(run->stop), run->stop);
    } else if (reason == REASON_Succeeded) {
        core_element_end(core, batch, slot, JOB_succeeded, reason);
    } else if (is_charged(element, reason) && element->failures >= job->retries_max) {
        core_element_end(core, batch, slot, JOB_failed,
                         job->retries_max && reason == REASON_ReplicaFailed ? REASON_RetriesSpent
                                                                            : reason);
    } else if (element->n == INT16_MAX) {
        core_element_end(core, batch, slot, JOB_failed, REASON_RetriesSpent);
    } else {
        attempt_again(core, batch, slot, reason);
    }
}
