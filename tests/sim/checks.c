#include <inttypes.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/element_set.h"
#include "tests/sim/checks_state.h"
#include "tests/sim/policy_time.h"

enum { UNSETTLED_TOLD_MAX = 10 };

struct checks *checks_create(struct sim *sim, const struct fake_pg *pg,
                             const struct core_config *config)
{
    struct checks *checks = fl_new(struct checks);
    struct policy_config policy = {.unconfirmed_max = config->unconfirmed_max,
                                   .slice_max = config->slice_max,
                                   .backoff_first_ms = config->backoff_first_ms,
                                   .backoff_max_ms = config->backoff_max_ms,
                                   .start_ms = config->start_ms,
                                   .stop_ms = config->stop_ms,
                                   .inventory_ms = config->inventory_ms,
                                   .rejoin_ms = config->rejoin_ms,
                                   .jobs_max = config->jobs_max,
                                   .shapes_max = config->shapes_max,
                                   .queue_percent = config->queue_percent,
                                   .owner_percent = config->owner_percent};

    checks->sim = sim;
    checks->pg = pg;
    checks->config = *config;
    checks->policy = policy_create(sim, &policy);
    checks->history = checks_history_create(sim);
    checks->journal_len = 1; /* genesis */
    return checks;
}

void checks_destroy(struct checks *checks)
{
    if (!checks) return;
    fl_vec_fini(&checks->jobs);
    fl_vec_fini(&checks->db_back_at);
    fl_vec_fini(&checks->elements);
    fl_vec_fini(&checks->outputs);
    fl_map_fini(&checks->element_index);
    fl_map_fini(&checks->phases);
    fl_map_fini(&checks->names);
    policy_destroy(checks->policy);
    checks_history_destroy(checks->history);
    fl_free(checks);
}

void checks_set_runtimes(struct checks *checks, struct fake_runtime *const *runtimes,
                         size_t runtimes_len)
{
    checks->runtimes = runtimes;
    checks->runtimes_len = runtimes_len;
}

/* ---- reads ----------------------------------------------------------------------------------- */

struct checks_job *checks_job(struct checks *checks, uint64_t id)
{
    fl_assert(id < CHECKS_JOBS_MAX);
    while (checks->jobs.len <= id) {
        fl_vec_push(&checks->jobs, (struct checks_job){0});
    }
    return &checks->jobs.at[id];
}

static struct fl_element_set picks_of(const struct checks *checks, uint64_t job)
{
    struct fl_element_set picks = {0};
    struct fl_err err = {0};
    struct row row;

    fl_assert(fake_pg_find_ever(checks->pg, ROW_TABLE_job, job, 0, 0, &row));
    fl_assert(fl_element_set_decode(row.job_new.picked, &picks, &err));
    return picks;
}

uint32_t checks_number(const struct checks *checks, uint64_t job, uint32_t place)
{
    struct fl_element_set picks;
    uint32_t number;

    if (!checks->jobs.at[job].is_picked) return place;
    picks = picks_of(checks, job);
    number = fl_element_set_nth(&picks, place);
    fl_element_set_fini(&picks);
    return number;
}

bool checks_has_number(const struct checks *checks, uint64_t job, uint32_t element)
{
    struct fl_element_set picks;
    bool has;

    if (!checks->jobs.at[job].is_picked) return element < checks->jobs.at[job].elements;
    picks = picks_of(checks, job);
    has = fl_element_set_has(&picks, element);
    fl_element_set_fini(&picks);
    return has;
}

/* Its place in 'elements', plus 1; 0: not seen yet. */
static uint64_t element_place(const struct checks *checks, uint64_t job, uint32_t element)
{
    struct checks_element_key key = {job, element};
    uint64_t place = 0;

    fl_map_find(&checks->element_index, &key, sizeof(key), &place);
    return place;
}

struct checks_element *checks_find_element(const struct checks *checks, uint64_t job,
                                           uint32_t element)
{
    uint64_t place = element_place(checks, job, element);

    return place ? &checks->elements.at[place - 1] : NULL;
}

struct checks_element *checks_need_element(struct checks *checks, uint64_t job, uint32_t element)
{
    struct checks_element_key key = {job, element};
    uint64_t place = element_place(checks, job, element);

    if (place) return &checks->elements.at[place - 1];
    fl_vec_push(&checks->elements, ((struct checks_element){.job = job, .element = element}));
    fl_map_put(&checks->element_index, &key, sizeof(key), checks->elements.len);
    return &checks->elements.at[checks->elements.len - 1];
}

uint64_t checks_phase(const struct checks *checks, struct fl_attempt attempt, uint32_t replica)
{
    struct checks_phase_key key = {attempt.job.n, attempt.element, attempt.n, replica, 0};
    uint64_t state = 0;

    fl_map_find(&checks->phases, &key, sizeof(key), &state);
    return state;
}

const struct fake_replica *checks_truth(const struct checks *checks,
                                        const struct checks_element *element, uint32_t replica)
{
    struct fl_attempt attempt = {
        {element->job}, element->element, element->n, element->incarnation};

    for (size_t i = 0; i < checks->runtimes_len; i++) {
        const struct fake_replica *found = fake_runtime_find(checks->runtimes[i], attempt, replica);

        if (found) return found;
    }
    return NULL;
}

/* ---- as things happen ------------------------------------------------------------------------ */

void checks_retire(struct checks *checks)
{
    checks->is_retired = true;
}

void checks_restored(struct checks *checks)
{
    checks->journal_len = fake_pg_journal_len(checks->pg);
    checks_history_restored(checks->history, fake_pg_newest(checks->pg));
}

struct checks_history *checks_history(struct checks *checks)
{
    return checks->history;
}

void checks_term(struct checks *checks, uint64_t epoch)
{
    checks_history_took(checks->history, epoch);
    policy_took(checks->policy, epoch);
    checks->term_at[epoch % CHECKS_TERMS_MAX] = checks->sim->now;
}

void checks_db_back(struct checks *checks)
{
    fl_vec_push(&checks->db_back_at, checks->sim->now);
}

static void I1_what_is_answered_is_stored(struct checks *checks, const struct core_answer *answer)
{
    for (size_t i = 0; i < answer->outcomes_len; i++) {
        const struct core_outcome *outcome = &answer->outcomes[i];

        if (outcome->code != FL_OK) continue;
        if (!fake_pg_find_ever(checks->pg, ROW_TABLE_job, outcome->job.n, 0, 0, NULL)) {
            sim_broken(checks->sim, "I1", "job %" PRIu64 " is acknowledged and not stored",
                       outcome->job.n);
        }
    }
    for (size_t i = 0; i < answer->jobs_len; i++) { /* a read shows nothing that may not happen */
        const struct core_job_view *view = &answer->jobs[i];
        struct checks_element *element;

        if (!fake_pg_find_ever(checks->pg, ROW_TABLE_job, view->job.n, 0, 0, NULL)) {
            sim_broken(checks->sim, "I1", "job %" PRIu64 " is shown and not stored", view->job.n);
        }
        element = checks_find_element(checks, view->job.n, checks_number(checks, view->job.n, 0));
        if (view->attempt && (!element || element->n < view->attempt)) {
            sim_broken(checks->sim, "I1", "attempt %u of job %" PRIu64 " is shown and not stored",
                       view->attempt, view->job.n);
        }
    }
}

void checks_answer(struct checks *checks, const struct core_answer *answer, bool is_current)
{
    if (checks->is_retired) return;
    if (answer->code == FL_OK) I1_what_is_answered_is_stored(checks, answer);
    policy_answered(checks->policy, answer, is_current, fake_pg_epoch(checks->pg));
}

bool checks_all_told(const struct checks *checks)
{
    return policy_all_told(checks->policy);
}

bool checks_knows_gpus(const struct checks *checks, struct fl_cluster cluster, const char *node)
{
    return policy_knows_gpus(checks->policy, cluster, node);
}

void checks_heard(struct checks *checks, const struct core_event *event)
{
    if (checks->is_retired) return;
    policy_heard(checks->policy, event);
}

void checks_passed(struct checks *checks, fl_ms for_ms, bool is_steady)
{
    if (checks->is_retired) return;
    policy_passed(checks->policy, for_ms, is_steady);
}

void checks_cancel_acked(struct checks *checks, struct fl_job id, uint64_t epoch)
{
    struct checks_job *job = checks_job(checks, id.n);

    if (checks->is_retired) return;
    if (!job->is_stopped && !job->is_ended) {
        sim_broken(checks->sim, "I13", "the cancel of job %" PRIu64 " is acknowledged, not stored",
                   id.n);
    }
    job->cancel_epoch = epoch;
    for (uint32_t i = 0; i < job->elements; i++) {
        const struct checks_element *element =
            checks_find_element(checks, id.n, checks_number(checks, id.n, i));

        if (!element || !element->is_live) continue;
        sim_mark(checks->sim,
                 element->running ? MARK_cancel_while_running : MARK_cancel_while_starting);
    }
}

void checks_said_ended(struct checks *checks, struct fl_job id)
{
    struct checks_job *job = checks_job(checks, id.n);

    if (checks->is_retired) return;
    if (job->is_known && !job->is_ended) {
        sim_broken(checks->sim, "I1", "job %" PRIu64 " is called ended and is open in the rows",
                   id.n);
    }
}

/* Strangers do not notice that a batch was refused: only who brought what a constraint refuses is
 * blamed. */
static void I16_only_a_culprit_is_quarantined(struct checks *checks, const struct core_event *event,
                                              const char *why)
{
    for (size_t i = 0; event->kind == CORE_EV_submit && i < event->submit.len; i++) {
        if (fl_str_eq(event->submit.at[i].name, FL_STR(FAKE_PG_POISON))) return;
    }
    sim_broken(checks->sim, "I16", "an innocent %s is quarantined: %s",
               core_event_name(event->kind), why);
}

void checks_quarantine(struct checks *checks, const struct core_event *event, const char *why)
{
    if (checks->is_retired) return;
    I16_only_a_culprit_is_quarantined(checks, event, why);
}

static void I4_goes_only_when_durable(struct checks *checks, struct fl_attempt attempt,
                                      struct fl_cluster cluster, bool is_go)
{
    struct checks_element *element = checks_find_element(checks, attempt.job.n, attempt.element);
    struct row row;

    if (!fake_pg_find_ever(checks->pg, ROW_TABLE_attempt, attempt.job.n, attempt.element, attempt.n,
                           &row) ||
        row.attempt_new.cluster != cluster.n ||
        row.attempt_new.incarnation != attempt.incarnation) {
        sim_broken(checks->sim, "I4", "%s of job %" PRIu64 ".%u attempt %u, which is not stored",
                   is_go ? "GO" : "START", attempt.job.n, attempt.element, attempt.n);
    }
    if (!is_go) return;
    for (uint32_t i = 0; element->n == attempt.n && i < element->replicas; i++) {
        if (checks_phase(checks, attempt, i) < FL_REPLICA_created) {
            sim_broken(checks->sim, "I4",
                       "GO of job %" PRIu64
                       ".%u attempt %u before its replica %u is known to exist",
                       attempt.job.n, attempt.element, attempt.n, i);
        }
    }
}

/* By the order of one hub's own output: frames that another hub sent before it was deposed may
 * still travel. */
static void I13_no_start_after_a_cancel(struct checks *checks, const struct core_send *send,
                                        uint64_t epoch)
{
    if (checks_job(checks, send->attempt.job.n)->cancel_epoch != epoch) return;
    sim_broken(checks->sim, "I13", "%s of job %" PRIu64 " after its cancel was acknowledged",
               core_send_name(send->kind), send->attempt.job.n);
}

void checks_turn_stopped(struct checks *checks)
{
    policy_turn_stopped(checks->policy);
}

void checks_send(struct checks *checks, const struct core_send *send, uint64_t epoch)
{
    if (checks->is_retired) return;
    policy_sent(checks->policy, send, epoch == fake_pg_epoch(checks->pg));
    if (send->kind != CORE_SEND_start && send->kind != CORE_SEND_go) return;
    I4_goes_only_when_durable(checks, send->attempt, send->cluster, send->kind == CORE_SEND_go);
    I13_no_start_after_a_cancel(checks, send, epoch);
}

void checks_acked_end(struct checks *checks, struct fl_cluster cluster, struct fl_attempt attempt,
                      uint32_t replica)
{
    struct checks_element *element = checks_find_element(checks, attempt.job.n, attempt.element);

    if (checks->is_retired) return;
    if (!element || !element->is_live || element->n != attempt.n) return;
    if (element->cluster != cluster.n || element->incarnation != attempt.incarnation) return;
    if (replica >= element->replicas) return;
    if (!fl_replica_state_is_last((enum fl_replica_state)checks_phase(checks, attempt, replica))) {
        sim_broken(checks->sim, "I1",
                   "the end of job %" PRIu64 ".%u attempt %u replica %u is acknowledged to its "
                   "agent, and not stored",
                   attempt.job.n, attempt.element, attempt.n, replica);
    }
}

/* ---- runtimes -------------------------------------------------------------------------------- */

static void I4_runs_only_what_is_stored(struct checks *checks, struct fl_cluster cluster,
                                        const struct fake_replica *replica)
{
    struct row row;

    if (fake_pg_find_ever(checks->pg, ROW_TABLE_attempt, replica->attempt.job.n,
                          replica->attempt.element, replica->attempt.n, &row) &&
        row.attempt_new.cluster == cluster.n &&
        row.attempt_new.incarnation == replica->attempt.incarnation) {
        return;
    }
    sim_broken(checks->sim, "I4",
               "cluster %u has job %" PRIu64 ".%u attempt %u, which is not stored so", cluster.n,
               replica->attempt.job.n, replica->attempt.element, replica->attempt.n);
}

/* The core places on what is free, so no node is asked for more than it has. */
static void I10_no_node_is_overfull(struct checks *checks, struct fl_cluster cluster,
                                    const struct fake_runtime *runtime, uint32_t node)
{
    struct sim_amounts total = fake_runtime_node_total(runtime, node);
    struct sim_amounts used = fake_runtime_node_used(runtime, node);

    if (sim_amounts_fit(&used, &total)) return;
    for (size_t k = 0; k < SIM_RESOURCES_LEN; k++) {
        if (used.named[k] <= total.named[k]) continue;
        sim_broken(checks->sim, "I10", "cluster %u node %u: %" PRIu64 " %s of %" PRIu64 " are used",
                   cluster.n, node, used.named[k], sim_resource_name(k), total.named[k]);
    }
    sim_broken(checks->sim, "I10", "cluster %u node %u: %u milli cpus of %u are used", cluster.n,
               node, used.usual.cpu_milli, total.usual.cpu_milli);
}

void checks_created(struct checks *checks, struct fl_cluster cluster,
                    const struct fake_replica *replica, const struct fake_runtime *runtime)
{
    if (checks->is_retired) return;
    I4_runs_only_what_is_stored(checks, cluster, replica);
    I10_no_node_is_overfull(checks, cluster, runtime, replica->node);
}

static void I3_one_attempt_runs(struct checks *checks, const struct fake_replica *replica)
{
    struct checks_element *element =
        checks_need_element(checks, replica->attempt.job.n, replica->attempt.element);

    if (element->running && !fl_attempt_is_same(element->running_attempt, replica->attempt)) {
        sim_broken(checks->sim, "I3", "job %" PRIu64 ".%u runs attempts %u and %u at once",
                   element->job, element->element, element->running_attempt.n, replica->attempt.n);
    }
    element->running++;
    element->running_attempt = replica->attempt;
}

void checks_runs(struct checks *checks, struct fl_cluster cluster,
                 const struct fake_replica *replica)
{
    if (checks->is_retired) return;
    I4_runs_only_what_is_stored(checks, cluster, replica);
    if (checks_phase(checks, replica->attempt, replica->replica) < FL_REPLICA_created) {
        sim_broken(checks->sim, "I4",
                   "job %" PRIu64 ".%u attempt %u replica %u runs, and that it was "
                   "created is not stored",
                   replica->attempt.job.n, replica->attempt.element, replica->attempt.n,
                   replica->replica);
    }
    I3_one_attempt_runs(checks, replica);
}

void checks_ended(struct checks *checks, const struct fake_replica *replica)
{
    struct checks_element *element =
        checks_find_element(checks, replica->attempt.job.n, replica->attempt.element);

    if (checks->is_retired) return;
    fl_assert(element && element->running > 0);
    element->running--;
}

/* ---- engines and cores ----------------------------------------------------------------------- */

void checks_engine(struct checks *checks, const struct engine *engine,
                   const struct engine_config *config)
{
    struct engine_stats stats = engine_stats(engine);

    if (stats.inbox_len > config->inbox_max + stats.suspects_len ||
        stats.inflight_len > config->inflight_max || stats.keys_len > config->keys_max) {
        sim_broken(checks->sim, "I11", "%zu events wait, %zu batches fly, %zu keys are held",
                   stats.inbox_len, stats.inflight_len, stats.keys_len);
    }
    if (stats.inflight_len == 2) sim_mark(checks->sim, MARK_batch_two_in_flight);
    /* I12, by the core itself: an assertion of it ends the process. */
    if (engine_core(engine)) core_check(engine_core(engine));
}

struct loading {
    struct checks *checks;
    struct core *core;
};

static void load_row(void *ctx, const struct row *row)
{
    struct loading *loading = ctx;
    struct fl_err err = {0};

    if (!core_load(loading->core, row, &err)) {
        sim_broken(loading->checks->sim, "I7", "the rows contradict each other: %s", err.text);
    }
}

void checks_reload(struct checks *checks, const struct core *core)
{
    struct loading loading = {checks, core_create(&checks->config)};

    fake_pg_load(checks->pg, load_row, &loading);
    if (core_hash(loading.core) != core_hash(core)) {
        sim_broken(checks->sim, "I7", "a core loaded from the rows is not the leader's");
    }
    core_destroy(loading.core);
}

/* ---- at the end ------------------------------------------------------------------------------ */

bool checks_all_settled(const struct checks *checks)
{
    return checks->jobs_open == 0;
}

void checks_tell_unsettled(struct checks *checks)
{
    uint32_t told = 0;

    for (size_t i = 0; i < checks->jobs.len; i++) {
        const struct checks_job *job = &checks->jobs.at[i];

        if (!job->is_known || job->is_ended || told >= UNSETTLED_TOLD_MAX) continue;
        told++;
        sim_tell(checks->sim, "job %llu is open: %llu elements, stopped %llu", i, job->elements,
                 job->is_stopped);
        for (uint32_t e = 0; e < job->elements; e++) {
            const struct checks_element *element =
                checks_find_element(checks, i, checks_number(checks, i, e));

            if (!element || element->is_ended) continue;
            sim_tell(checks->sim, "   element %llu: attempt %llu on cluster %llu, live %llu", e,
                     element->n, element->cluster, element->is_live);
        }
    }
}

static void I14_nothing_is_left(struct checks *checks, const struct fake_runtime *runtime)
{
    for (size_t i = 0; i < fake_runtime_len(runtime); i++) {
        const struct fake_replica *replica = fake_runtime_at(runtime, i);

        if (!replica->is_present) continue;
        sim_broken(
            checks->sim, "I14",
            "job %" PRIu64 ".%u attempt %u replica %u is left, %s, its output is %s, its removal "
            "was %s",
            replica->attempt.job.n, replica->attempt.element, replica->attempt.n, replica->replica,
            fl_replica_state_name(replica->state), replica->is_taken ? "taken" : "not taken",
            replica->is_removing ? "asked for" : "not asked for");
    }
}

static void I19_rows_are_the_truth(struct checks *checks, const struct checks_element *element)
{
    for (uint32_t i = 0; element->state == JOB_succeeded && i < element->replicas; i++) {
        const struct fake_replica *truth = checks_truth(checks, element, i);

        if (!truth || truth->state != FL_REPLICA_exited || truth->exit_code != 0 ||
            truth->run_from == 0) {
            sim_broken(checks->sim, "I19", "job %" PRIu64 ".%u succeeded, its replica %u did not",
                       element->job, element->element, i);
        }
    }
    if (element->state == JOB_failed && element->exit_code != 0) {
        const struct fake_replica *truth = checks_truth(checks, element, element->first_replica);

        if (!truth || truth->exit_code != element->exit_code) {
            sim_broken(checks->sim, "I19", "job %" PRIu64 ".%u: exit code %d, in truth %d",
                       element->job, element->element, element->exit_code,
                       truth ? truth->exit_code : -1);
        }
    }
}

void checks_end(struct checks *checks)
{
    struct fl_err err = {0};

    if (!fake_pg_fold_is_equal(checks->pg, &err)) {
        sim_broken(checks->sim, "I7", "%s", err.text);
    }
    for (size_t i = 0; i < checks->runtimes_len; i++) {
        I14_nothing_is_left(checks, checks->runtimes[i]);
    }
    for (size_t i = 0; i < checks->elements.len; i++) {
        const struct checks_element *element = &checks->elements.at[i];

        if (!element->is_ended && element->n) {
            struct checks_job *job = checks_job(checks, element->job);

            if (!job->is_ended || element->is_live) {
                sim_broken(checks->sim, "I20", "job %" PRIu64 ".%u is not settled", element->job,
                           element->element);
            }
        }
        I19_rows_are_the_truth(checks, element);
    }
    if (fake_pg_len(checks->pg, ROW_TABLE_open_job) ||
        fake_pg_len(checks->pg, ROW_TABLE_open_mark)) {
        sim_broken(checks->sim, "I20", "%zu jobs and %zu marks are open in the rows",
                   fake_pg_len(checks->pg, ROW_TABLE_open_job),
                   fake_pg_len(checks->pg, ROW_TABLE_open_mark));
    }
}

bool checks_has_live(const struct checks *checks, struct fl_cluster not_on, struct fl_attempt *ret)
{
    for (size_t i = checks->elements.len; i > 0; i--) {
        const struct checks_element *element = &checks->elements.at[i - 1];

        if (!element->is_live || element->cluster == not_on.n) continue;
        *ret =
            (struct fl_attempt){{element->job}, element->element, element->n, element->incarnation};
        return true;
    }
    return false;
}

struct fl_cluster checks_cluster_of(const struct checks *checks, struct fl_attempt attempt)
{
    struct checks_element *element = checks_find_element(checks, attempt.job.n, attempt.element);

    return (struct fl_cluster){element ? element->cluster : 0};
}

size_t checks_elements_ended(const struct checks *checks)
{
    return checks->elements_ended;
}

size_t checks_jobs(const struct checks *checks)
{
    return checks->jobs_known;
}
