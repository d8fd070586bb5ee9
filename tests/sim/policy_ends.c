#include "tests/sim/policy_ends.h"

#include <inttypes.h>

#include "tests/sim/policy_overdue.h"
#include "tests/sim/policy_runs.h"
#include "tests/sim/policy_time.h"
#include "tests/sim/sim_usage.h"
#include "tests/sim/sim_words.h"

/* A set of reasons, any of which an end may give: the leader may have known more than the model. */
typedef uint64_t reasons;

static reasons one(enum reason reason)
{
    return (reasons)1 << reason;
}

/* ---- reports and phases ---------------------------------------------------------------------- */

void policy_ends_told(struct policy *policy, struct policy_element *element,
                      const struct core_replica_told *told)
{
    char text[SIM_WORDS_BYTES];
    struct policy_replica *replica;

    if (told->state == FL_REPLICA_absent && told->replica == UINT32_MAX) {
        element->was_told_absent = true;
    }
    if (told->replica >= element->replicas.len || !fl_replica_state_is_last(told->state)) return;
    replica = &element->replicas.at[told->replica];
    replica->causes |= (uint16_t)(1U << told->cause);
    if (told->words.len == 0) {
        replica->was_wordless = true;
        return;
    }
    replica->has_words = true;
    if (fl_str_eq(told->words, sim_words(told->attempt, told->replica, text))) return;
    sim_broken(policy->sim, "I28",
               "job %" PRIu64 ".%u replica %u: told of its end in words of another",
               told->attempt.job.n, told->attempt.element, told->replica);
}

void policy_ends_stop_sent(const struct policy *policy, struct policy_element *element,
                           enum reason reason)
{
    if (reason == REASON_Drained) element->was_drained = true;
    if (reason == REASON_HeldBack) element->held_back_term = policy->epoch;
}

static bool is_held_back(const struct policy *policy, const struct policy_element *element)
{
    return element->held_back_term != 0 && element->held_back_term == policy->epoch;
}

/* A STOP is decided before it is let out.  Its replicas may end meanwhile, as at a gate that was
 * not opened in time, and a person may release the job. */
static bool may_be_held_back(const struct policy *policy, const struct policy_job *job,
                             const struct policy_element *element)
{
    bool is_late = job->released_batch && job->released_batch + 2 > policy->batch;

    if (is_held_back(policy, element)) return true;
    for (size_t i = 0; i < element->replicas.len; i++) {
        uint8_t phase = element->replicas.at[i].phase;

        if (phase == FL_REPLICA_running || phase == FL_REPLICA_exited) return false;
    }
    return job->is_held || is_late;
}

static reasons refusals_of(const struct policy_replica *replica)
{
    uint16_t image = 1U << FL_CAUSE_image, container = 1U << FL_CAUSE_container;
    uint16_t unscheduled = 1U << FL_CAUSE_unscheduled;
    reasons set = 0;

    if (replica->causes & image) set |= one(REASON_ImageUnavailable);
    if (replica->causes & container) set |= one(REASON_ContainerRefused);
    if (replica->causes & unscheduled) set |= one(REASON_Unscheduled);
    if (set == 0 || replica->causes & ~(image | container | unscheduled)) {
        set |= one(REASON_StartRefused);
    }
    return set;
}

static reasons failure_of(const struct policy_replica *replica)
{
    uint16_t memory = 1U << FL_CAUSE_out_of_memory, node = 1U << FL_CAUSE_node_lost;
    reasons set = 0;

    switch (replica->phase) {
    case FL_REPLICA_exited:
        if (replica->exit_code == 0) return 0;
        if (replica->causes & memory) set |= one(REASON_OutOfMemory);
        if (replica->causes != memory) set |= one(REASON_ReplicaFailed);
        return set;
    case FL_REPLICA_refused:
        return refusals_of(replica);
    case FL_REPLICA_absent:
        return one(REASON_NeverArrived);
    default:
        if (replica->causes & node) set |= one(REASON_NodeLost);
        if (replica->causes != node) set |= one(REASON_ReplicaLost);
        return set;
    }
}

void policy_ends_phase(struct policy *policy, struct policy_element *element,
                       const struct row_replica_phase *row)
{
    struct policy_replica *replica = &element->replicas.at[row->replica];
    const struct policy_job *job = policy_job(policy, row->job);
    bool is_draining = policy_cluster(policy, element->cluster)->is_draining;

    if (replica->phase_term == policy->epoch &&
        (row->state <= replica->phase ||
         fl_replica_state_is_last((enum fl_replica_state)replica->phase))) {
        sim_broken(policy->sim, "I28",
                   "job %" PRIu64 ".%u replica %u is said to be %s after it was %s", row->job,
                   row->element, row->replica,
                   fl_replica_state_name((enum fl_replica_state)row->state),
                   fl_replica_state_name((enum fl_replica_state)replica->phase));
    }
    replica->phase = row->state;
    replica->exit_code = row->exit_code;
    replica->phase_term = element->phase_term = policy->epoch;
    if (!fl_replica_state_is_last((enum fl_replica_state)row->state)) return;
    fl_vec_push(&policy->must_be_over,
                ((struct policy_live){row->job, (uint32_t)(element - job->begun.at)}));
    if (element->first_reasons || !failure_of(replica)) return;
    if (job->is_stopped || element->was_drained || is_held_back(policy, element)) return;
    if (element->replicas.len > 1) sim_mark(policy->sim, MARK_gang_cause_known);
    element->first_reasons = failure_of(replica);
    element->first_exit = row->exit_code;
    element->first = row->replica;
    element->is_first_doubtful = /* perhaps STOP went out just before */
        is_draining || may_be_held_back(policy, job, element);
}

void policy_ends_words(struct policy *policy, const struct row_attempt_words *row)
{
    struct policy_element *element = policy_element(policy_job(policy, row->job), row->element);
    struct fl_attempt attempt = {.job = {row->job}, .element = row->element, .n = (uint16_t)row->n};
    char text[SIM_WORDS_BYTES];

    if (!element || !element->is_live || element->n != row->n || element->has_words ||
        !element->first_reasons ||
        !fl_str_eq(row->words, sim_words(attempt, element->first, text))) {
        sim_broken(policy->sim, "I28",
                   "job %" PRIu64 ".%u attempt %u: '" FL_STR_FMT
                   "' is not what was said of the replica that failed first",
                   row->job, row->element, row->n, FL_STR_ARG(row->words));
    }
    element->has_words = true;
    sim_mark(policy->sim, MARK_end_in_words);
}

static void I28_words_are_kept(struct policy *policy, uint64_t job,
                               const struct policy_element *element)
{
    const struct policy_replica *first = &element->replicas.at[element->first];

    if (element->has_words || !first->has_words || first->was_wordless) return;
    sim_broken(policy->sim, "I28",
               "what was said of replica %u of job %" PRIu64 ".%u, which failed first, is not kept",
               element->first, job, element->element);
}

void policy_ends_stop(struct policy *policy, const struct row_attempt_stop *row)
{
    struct policy_element *element = policy_element(policy_job(policy, row->job), row->element);

    if (!element || !element->is_live || element->n != row->n ||
        !(element->first_reasons & one((enum reason)row->reason)) ||
        row->first_replica != element->first || row->exit_code != element->first_exit) {
        sim_broken(policy->sim, "I28",
                   "job %" PRIu64
                   ".%u attempt %u is stopped since replica %u failed: %s, exit code "
                   "%d; the first that failed is %d",
                   row->job, row->element, row->n, row->first_replica,
                   reason_name((enum reason)row->reason), row->exit_code,
                   element && element->first_reasons ? (int)element->first : -1);
    }
    element->is_first_stored = true;
    I28_words_are_kept(policy, row->job, element);
}

/* ---- the end of an attempt ------------------------------------------------------------------- */

/* In this leader's term, phase rows end each replica. */
static bool is_all_ended(const struct policy *policy, const struct policy_element *element,
                         bool *ret_is_good)
{
    *ret_is_good = true;
    for (size_t i = 0; i < element->replicas.len; i++) {
        const struct policy_replica *replica = &element->replicas.at[i];

        if (replica->phase_term != policy->epoch) return false;
        if (!fl_replica_state_is_last((enum fl_replica_state)replica->phase)) return false;
        if (failure_of(replica)) *ret_is_good = false;
    }
    return true;
}

/* As its agent says, each replica ended by itself: a STOP that was under way has ended nothing. */
static bool is_finished(const struct policy_element *element)
{
    for (size_t i = 0; i < element->replicas.len; i++) {
        if (element->replicas.at[i].causes != 1U << FL_CAUSE_finished) return false;
    }
    return true;
}

static reasons may_end_as(struct policy *policy, const struct policy_job *job,
                          const struct policy_element *element)
{
    const struct policy_cluster *cluster = policy_cluster(policy, element->cluster);
    reasons drained = (cluster->is_draining ? one(REASON_Drained) : 0) |
                      (may_be_held_back(policy, job, element) ? one(REASON_HeldBack) : 0);
    reasons overdue = policy_overdue_may_end(policy, element) ? one(REASON_StartUnconfirmed) : 0;
    bool is_good;

    if (element->first_reasons) {
        return element->first_reasons | (element->is_first_doubtful ? drained : 0);
    }
    if (is_all_ended(policy, element, &is_good)) {
        if (is_good && is_finished(element)) return one(REASON_Succeeded);
        return is_good ? one(REASON_Succeeded) | drained : drained;
    }
    if (cluster->state != POLICY_CLUSTER_ENROLLED) return one(REASON_ClusterForgotten);
    if (element->phase_term == policy->epoch && !element->was_told_absent) {
        return one(REASON_ReplicaLost) | overdue;
    }
    return one(REASON_NeverArrived) | overdue | (element->was_told ? one(REASON_ReplicaLost) : 0);
}

static void I28_the_cause_is_named(struct policy *policy, uint64_t job, uint32_t number,
                                   enum reason reason, int32_t exit_code, uint32_t replica)
{
    const struct policy_element *element = policy_element(policy_job(policy, job), number);
    bool has_first = element->first_reasons != 0;
    bool is_right = has_first ? replica == element->first && exit_code == element->first_exit
                              : replica == UINT32_MAX && exit_code == 0;

    if (has_first && element->is_first_doubtful && replica == UINT32_MAX && exit_code == 0) return;
    if (is_right && has_first) I28_words_are_kept(policy, job, element);
    if (is_right) return;
    sim_broken(policy->sim, "I28",
               "job %" PRIu64
               ".%u attempt %u ends %s: replica %d, exit code %d; the first that failed: %d, %d",
               job, number, element->n, reason_name(reason), (int)replica, exit_code,
               has_first ? (int)element->first : -1, has_first ? element->first_exit : 0);
}

static void I28_the_reason_is_true(struct policy *policy, uint64_t job, uint32_t number,
                                   enum reason reason)
{
    const struct policy_element *element = policy_element(policy_job(policy, job), number);
    reasons may = may_end_as(policy, policy_job(policy, job), element);

    if (may & one(reason)) {
        if (reason == REASON_OutOfMemory) sim_mark(policy->sim, MARK_ended_out_of_memory);
        if (reason == REASON_NodeLost) sim_mark(policy->sim, MARK_ended_node_lost);
        if (reason == REASON_StartUnconfirmed) policy_overdue_ended(policy, job, element);
        return;
    }
    for (enum reason r = REASON_Succeeded; r <= REASON_HeldBack; r++) {
        if (may & one(r)) sim_tell(policy->sim, "it may have ended for reason %llu", r);
    }
    sim_broken(policy->sim, "I28", "job %" PRIu64 ".%u attempt %u is said to end %s", job, number,
               element->n, reason_name(reason));
}

/* The replicas that exited have told this leader their numbers; the others are unknown. */
static struct fl_usage used_by(const struct policy *policy, uint64_t job,
                               const struct policy_element *element)
{
    struct fl_attempt attempt = {.job = {job}, .element = element->element, .n = element->n};
    struct fl_usage all = {0};

    for (uint32_t i = 0; i < element->replicas.len; i++) {
        const struct policy_replica *replica = &element->replicas.at[i];
        struct fl_usage one = sim_usage(attempt, i);

        if (replica->phase_term != policy->epoch || replica->phase != FL_REPLICA_exited) continue;
        if (one.meter == FL_METER_none) continue;
        all.meter = all.replicas == 0 || one.meter < all.meter ? one.meter : all.meter;
        all.replicas++;
        all.cpu_us += one.cpu_us; /* at most 1,024 replicas: far from the end of the numbers */
        all.memory_bytes =
            one.memory_bytes > all.memory_bytes ? one.memory_bytes : all.memory_bytes;
        all.read_bytes += one.read_bytes;
        all.written_bytes += one.written_bytes;
    }
    return all;
}

static void I28_what_it_used_is_kept(struct policy *policy, uint64_t job,
                                     const struct policy_element *element, struct fl_str bytes)
{
    struct fl_usage want = used_by(policy, job, element), has = fl_usage_read(bytes);

    if (want.replicas > 1) sim_mark(policy->sim, MARK_gang_measured);
    if (want.meter == has.meter && want.replicas == has.replicas && want.cpu_us == has.cpu_us &&
        want.memory_bytes == has.memory_bytes && want.read_bytes == has.read_bytes &&
        want.written_bytes == has.written_bytes && (want.replicas > 0) == (bytes.len > 0)) {
        return;
    }
    sim_broken(policy->sim, "I28",
               "job %" PRIu64 ".%u attempt %u: %u of its replicas are said to have used %" PRIu64
               " us and %" PRIu64 " bytes; told were %u, %" PRIu64 " and %" PRIu64,
               job, element->element, element->n, has.replicas, has.cpu_us, has.memory_bytes,
               want.replicas, want.cpu_us, want.memory_bytes);
}

void policy_ends_attempt(struct policy *policy, const struct row_attempt_end *row)
{
    const struct policy_job *job = policy_job(policy, row->job);
    enum reason reason = (enum reason)row->reason;

    if (job->is_stopped || reason == REASON_Succeeded) {
        sim_broken(policy->sim, "I28", "job %" PRIu64 ".%u %s, and is queued again", row->job,
                   row->element, job->is_stopped ? "is to stop" : "succeeded");
    }
    I28_the_reason_is_true(policy, row->job, row->element, reason);
    I28_the_cause_is_named(policy, row->job, row->element, reason, row->exit_code,
                           row->first_replica);
    I28_what_it_used_is_kept(policy, row->job,
                             policy_element((struct policy_job *)job, row->element), row->usage);
}

/* ---- an element ------------------------------------------------------------------------------ */

/* RetriesSpent stands for the failure that was one too many. */
static enum reason behind(const struct policy_job *job, enum reason reason)
{
    bool has_retries = job->retries_max > 0;

    if (reason == REASON_RetriesSpent && has_retries) return REASON_ReplicaFailed;
    if (reason == REASON_ReplicaFailed && has_retries) return REASON_none; /* it has to say so */
    return reason;
}

/* One that had no attempt is cancelled for each reason. */
static bool ends_as_told(const struct policy_job *job, const struct row_element_end *row)
{
    bool is_cancelled =
        job->stop == REASON_Cancelled || job->stop == REASON_NeverMet || row->n == 0;
    enum job_state state = is_cancelled ? JOB_cancelled : JOB_failed;

    return row->state == state && row->reason == (uint16_t)job->stop;
}

/* Only a stop of its job ends an element without a place; a job that ends at once gets no mark. */
static bool ends_unplaced(const struct policy_job *job, const struct row_element_end *row)
{
    if (row->reason == REASON_NeverMet && job->each) return true; /* policy_each_end() looks */
    if (row->state == JOB_cancelled) return job->was_cancelled && row->reason == REASON_Cancelled;
    return row->state == JOB_failed && row->reason == REASON_DeadlineExceeded && job->first_start;
}

static bool ends_by_itself(const struct policy_job *job, const struct policy_element *element,
                           const struct row_element_end *row)
{
    enum reason reason = behind(job, (enum reason)row->reason);

    if (!element || !element->is_live) return ends_unplaced(job, row);
    if (row->state == JOB_succeeded) return reason == REASON_Succeeded;
    return row->state == JOB_failed && policy_is_charged(element, (uint16_t)reason) &&
           element->failures >= job->retries_max;
}

void policy_ends_element(struct policy *policy, const struct row_element_end *row)
{
    const struct policy_job *job = policy_job(policy, row->job);
    const struct policy_element *element = policy_element((struct policy_job *)job, row->element);
    bool is_right = job->is_stopped ? ends_as_told(job, row) : ends_by_itself(job, element, row);

    if (!is_right) {
        sim_broken(policy->sim, "I28",
                   "job %" PRIu64 ".%u ends %s for reason %s, after %u failures of %u retries; it "
                   "is to stop: %d",
                   row->job, row->element, job_state_name((enum job_state)row->state),
                   reason_name((enum reason)row->reason), element ? element->failures : 0,
                   job->retries_max, job->is_stopped);
    }
    if (row->state == JOB_failed && job->retries_max && !job->is_stopped) {
        sim_mark(policy->sim, MARK_retries_spent);
    }
    if (!element || !element->is_live) {
        if (row->usage.len == 0) return;
        sim_broken(policy->sim, "I28", "job %" PRIu64 ".%u had no attempt, and used something",
                   row->job, row->element);
        return;
    }
    I28_what_it_used_is_kept(policy, row->job, element, row->usage);
    if (!job->is_stopped) {
        I28_the_reason_is_true(policy, row->job, row->element,
                               behind(job, (enum reason)row->reason));
    }
    I28_the_cause_is_named(policy, row->job, row->element, (enum reason)row->reason, row->exit_code,
                           row->first_replica);
}

/* ---- a job ----------------------------------------------------------------------------------- */

static void I28_no_deadline_is_early(struct policy *policy, const struct row_job_end *row)
{
    const struct policy_job *job = policy_job(policy, row->job);
    fl_ms deadline_ms = policy_deadline_ms(job);
    fl_ms ran_ms = policy->formed_at - job->first_start_true;

    if (job->first_start && ran_ms < deadline_ms * POLICY_PACE_LEAST / 1000 - 100) {
        sim_broken(policy->sim, "I32",
                   "the deadline of job %" PRIu64 " of %lld ms ends it after %lld ms", row->job,
                   (long long)deadline_ms, (long long)ran_ms);
    }
    if (job->first_start && policy->at >= job->first_start + deadline_ms) return;
    sim_broken(policy->sim, "I28", "the deadline of job %" PRIu64 " ends it %lld ms early",
               row->job, (long long)(job->first_start + deadline_ms - policy->at));
}

/* The state of a job is that of its elements; a stop that was accepted decides (decision 6). */
static bool is_its_state(const struct policy_job *job, const struct row_job_end *row)
{
    bool is_whole = job->succeeded + job->failed + job->cancelled == job->elements;

    switch ((enum job_state)row->state) {
    case JOB_succeeded:
        return job->succeeded == job->elements && !job->is_stopped;
    case JOB_failed:
        if (job->was_cancelled) return false;
        return row->reason == REASON_DeadlineExceeded ||
               (!job->is_stopped && job->failed > 0 && is_whole);
    default:
        return row->state == JOB_cancelled &&
               (job->was_cancelled || row->reason == REASON_NeverMet);
    }
}

static bool is_its_reason(const struct policy_job *job, const struct row_job_end *row)
{
    if (job->is_stopped) return row->reason == job->stop;
    if (row->state == JOB_cancelled) {
        return row->reason == REASON_Cancelled || (job->each && row->reason == REASON_NeverMet);
    }
    if (row->state == JOB_failed && row->reason == REASON_DeadlineExceeded) return true;
    if (job->elements == 1) return row->reason == job->element_reason;
    return row->reason ==
           (uint16_t)(row->state == JOB_failed ? REASON_ElementsFailed : REASON_Succeeded);
}

void policy_ends_job(struct policy *policy, const struct row_job_end *row)
{
    const struct policy_job *job = policy_job(policy, row->job);

    if (row->reason == REASON_DeadlineExceeded) I28_no_deadline_is_early(policy, row);
    if (job->elements >= 2000) sim_mark(policy->sim, MARK_large_array_ended);
    if (job->elements >= 10000) sim_mark(policy->sim, MARK_largest_array_ended);
    if (is_its_state(job, row) && is_its_reason(job, row)) return;
    sim_broken(policy->sim, "I28",
               "job %" PRIu64 " ends %s for reason %s: of %u elements %u succeeded, %u failed; "
               "cancelled: %d",
               row->job, job_state_name((enum job_state)row->state),
               reason_name((enum reason)row->reason), job->elements, job->succeeded, job->failed,
               job->was_cancelled);
}

/* ---- at the end of a batch ------------------------------------------------------------------- */

static void I28_what_is_over_ends(struct policy *policy)
{
    for (size_t i = 0; i < policy->must_be_over.len; i++) {
        const struct policy_job *job = policy_job(policy, policy->must_be_over.at[i].job);
        const struct policy_element *element = &job->begun.at[policy->must_be_over.at[i].place];
        bool is_good;

        if (element->is_live && is_all_ended(policy, element, &is_good)) {
            sim_broken(policy->sim, "I28",
                       "all replicas of job %" PRIu64 ".%u have ended, and its attempt has not",
                       policy->must_be_over.at[i].job, element->element);
        }
        if (element->is_live && element->first_reasons && !element->is_first_stored &&
            !element->is_first_doubtful && !job->is_stopped) {
            sim_broken(policy->sim, "I28",
                       "replica %u of job %" PRIu64 ".%u failed first, and that is not stored",
                       element->first, policy->must_be_over.at[i].job, element->element);
        }
        if (job->is_open && job->succeeded + job->failed + job->cancelled == job->elements) {
            sim_broken(policy->sim, "I28",
                       "all elements of job %" PRIu64 " have ended, and it has not",
                       policy->must_be_over.at[i].job);
        }
    }
    fl_vec_clear(&policy->must_be_over);
}

/* The deadline of a job counts from the first replica that ran (decision 5): that is stored. */
static void I28_the_first_start_is_kept(struct policy *policy)
{
    for (size_t i = 0; i < policy->must_have_first_start.len; i++) {
        uint64_t id = policy->must_have_first_start.at[i];
        const struct policy_job *job = policy_job(policy, id);

        if (job->first_start || job->is_stopped || !job->is_open) continue;
        if (policy_deadline_ms(job) == 0) continue;
        sim_broken(policy->sim, "I28",
                   "job %" PRIu64 " has a deadline and ran, and its first start is not stored", id);
    }
    fl_vec_clear(&policy->must_have_first_start);
}

void policy_ends_batch(struct policy *policy)
{
    I28_what_is_over_ends(policy);
    I28_the_first_start_is_kept(policy);
}

void policy_ends_first_start(struct policy *policy, const struct row_mark_set *row)
{
    const struct policy_job *job = policy_job(policy, row->job);
    bool is_wanted = policy_deadline_ms(job) > 0;

    if (is_wanted && !job->first_start && job->running > 0 && row->value >= policy->at_before &&
        row->value <= policy->at) {
        return;
    }
    sim_broken(policy->sim, "I28",
               "job %" PRIu64 ": its first start is said to be %lld ms before it was stored",
               row->job, (long long)(policy->at - row->value));
}
