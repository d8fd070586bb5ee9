#include "tests/sim/checks.h"

#include <inttypes.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/job_name.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"

enum { JOBS_MAX = 1 << 20, TERMS_MAX = 4096, UNSETTLED_TOLD_MAX = 10 };

/* One element as the journal has it, and what of it runs. */
struct element {
    uint64_t job;
    uint32_t element;
    uint16_t n; /* its newest attempt; 0: none yet */
    bool is_live, is_ended;
    uint32_t incarnation, cluster, replicas;
    uint8_t state;
    uint16_t reason;
    int32_t exit_code;
    uint32_t first_replica;
    struct fl_attempt running_attempt; /* valid while 'running' > 0 */
    uint32_t running;
};

struct job {
    bool is_known, is_ended, is_stopped;
    uint8_t state;
    uint32_t elements;
    uint64_t cancel_epoch; /* the term that acknowledged its cancel; 0: none did */
};

struct checks {
    struct sim *sim;
    const struct fake_pg *pg;
    struct core_config config;
    struct fake_runtime *const *runtimes;
    size_t runtimes_len;
    size_t journal_len; /* entries read */
    uint64_t epoch_last;
    FL_VEC(struct job) jobs; /* by id */
    size_t jobs_known, jobs_open, elements_ended;
    FL_VEC(struct element) elements;
    struct fl_map element_index; /* job, element -> place + 1 */
    struct fl_map phases;        /* job, element, n, replica -> highest state */
    struct fl_map names;         /* job names, each unique in a run */
    fl_ms term_at[TERMS_MAX];    /* by epoch */
    FL_VEC(fl_ms) db_back_at;    /* ever later */
};

struct element_key {
    uint64_t job;
    uint64_t element;
};

struct phase_key {
    uint64_t job;
    uint32_t element, n, replica, zero;
};

struct checks *checks_create(struct sim *sim, const struct fake_pg *pg,
                             const struct core_config *config)
{
    struct checks *checks = fl_new(struct checks);

    checks->sim = sim;
    checks->pg = pg;
    checks->config = *config;
    checks->journal_len = 1; /* genesis */
    return checks;
}

void checks_destroy(struct checks *checks)
{
    if (!checks) return;
    fl_vec_fini(&checks->jobs);
    fl_vec_fini(&checks->db_back_at);
    fl_vec_fini(&checks->elements);
    fl_map_fini(&checks->element_index);
    fl_map_fini(&checks->phases);
    fl_map_fini(&checks->names);
    fl_free(checks);
}

void checks_set_runtimes(struct checks *checks, struct fake_runtime *const *runtimes,
                         size_t runtimes_len)
{
    checks->runtimes = runtimes;
    checks->runtimes_len = runtimes_len;
}

static struct job *job_at(struct checks *checks, uint64_t id)
{
    fl_assert(id < JOBS_MAX);
    while (checks->jobs.len <= id)
        fl_vec_push(&checks->jobs, (struct job){0});
    return &checks->jobs.at[id];
}

static struct element *find_element(const struct checks *checks, uint64_t job, uint32_t element)
{
    struct element_key key = {job, element};
    uint64_t place;

    if (!fl_map_find(&checks->element_index, &key, sizeof(key), &place)) return NULL;
    return &checks->elements.at[place - 1];
}

static struct element *need_element(struct checks *checks, uint64_t job, uint32_t element)
{
    struct element_key key = {job, element};
    struct element *found = find_element(checks, job, element);

    if (found) return found;
    fl_vec_push(&checks->elements, ((struct element){.job = job, .element = element}));
    fl_map_put(&checks->element_index, &key, sizeof(key), checks->elements.len);
    return &checks->elements.at[checks->elements.len - 1];
}

static uint64_t phase_of(const struct checks *checks, struct fl_attempt attempt, uint32_t replica)
{
    struct phase_key key = {attempt.job.n, attempt.element, attempt.n, replica, 0};
    uint64_t state = 0;

    fl_map_find(&checks->phases, &key, sizeof(key), &state);
    return state;
}

/* --- the journal, row by row ----------------------------------------------------------------- */

static void I6_I23_no_lie_is_written(struct checks *checks, int32_t exit_code)
{
    if (exit_code == CHECKS_LIE_OLD_SESSION) {
        sim_broken(checks->sim, "I6", "a report of a superseded session reached a row");
    }
    if (exit_code == CHECKS_LIE_FOREIGN) {
        sim_broken(checks->sim, "I23", "an agent's word on another cluster's work reached a row");
    }
}

static void I2_job_is_open(struct checks *checks, uint64_t id, const char *what)
{
    struct job *job = job_at(checks, id);

    if (!job->is_known) sim_broken(checks->sim, "I2", "%s of unknown job %" PRIu64, what, id);
    if (job->is_ended) sim_broken(checks->sim, "I2", "%s of ended job %" PRIu64, what, id);
}

/* I15, and that a request that is stepped again, or sent again with its key, makes nothing twice: the
 * client gives no name to two jobs. */
static void read_job_new(struct checks *checks, const struct row_job_new *row)
{
    struct job *job = job_at(checks, row->job);

    if (job->is_known) sim_broken(checks->sim, "I17", "job %" PRIu64 " was issued twice", row->job);
    if (row->name.len && fl_map_find(&checks->names, row->name.at, row->name.len, NULL)) {
        sim_broken(checks->sim, "I15", "the one request of job \"%.*s\" made two jobs",
                   FL_STR_ARG(row->name));
    }
    fl_map_put(&checks->names, row->name.at, row->name.len, row->job);
    job->is_known = true;
    job->elements = row->elements;
    checks->jobs_known++;
    checks->jobs_open++;
}

static uint32_t lines(struct fl_str text)
{
    uint32_t len = text.len > 0;

    for (size_t i = 0; i < text.len; i++)
        len += text.at[i] == '\n';
    return len;
}

static void read_attempt_new(struct checks *checks, const struct row_attempt_new *row)
{
    struct element *element = need_element(checks, row->job, row->element);

    I2_job_is_open(checks, row->job, "an attempt");
    if (job_at(checks, row->job)->is_stopped) {
        sim_broken(checks->sim, "I13", "job %" PRIu64 ".%u starts after it was cancelled", row->job,
                   row->element);
    }
    if (element->is_ended) {
        sim_broken(checks->sim, "I2", "job %" PRIu64 ".%u starts after its end", row->job,
                   row->element);
    }
    if (element->is_live) {
        sim_broken(checks->sim, "I3", "job %" PRIu64 ".%u has attempts %u and %u", row->job,
                   row->element, element->n, row->n);
    }
    if (row->n != element->n + 1) {
        sim_broken(checks->sim, "I17", "job %" PRIu64 ".%u: attempt %u after %u", row->job,
                   row->element, row->n, element->n);
    }
    element->n = row->n;
    element->incarnation = row->incarnation;
    element->cluster = row->cluster;
    element->replicas = lines(row->nodes);
    element->is_live = true;
}

static const struct fake_replica *find_truth(const struct checks *checks,
                                             const struct element *element, uint32_t replica)
{
    struct fl_attempt attempt = {
        {element->job}, element->element, element->n, element->incarnation};

    for (size_t i = 0; i < checks->runtimes_len; i++) {
        const struct fake_replica *found = fake_runtime_find(checks->runtimes[i], attempt, replica);

        if (found) return found;
    }
    return NULL;
}

/* What every replica ended with was on record where it ran: calling the attempt lost means that its agent
 * threw the record away before its report was durable, or that the report was. */
static void I19_no_known_end_is_lost(struct checks *checks, const struct element *element,
                                     enum reason reason)
{
    if (reason != REASON_ReplicaLost && reason != REASON_NeverArrived) return;
    for (uint32_t i = 0; i < element->replicas; i++) {
        const struct fake_replica *truth = find_truth(checks, element, i);

        if (!truth || truth->state != FL_REPLICA_exited || truth->run_from == 0) return;
    }
    sim_broken(checks->sim, "I19",
               "job %" PRIu64 ".%u attempt %u is called lost: all of it had ended", element->job,
               element->element, element->n);
}

static void read_attempt_end(struct checks *checks, const struct row_attempt_end *row)
{
    struct element *element = need_element(checks, row->job, row->element);

    I6_I23_no_lie_is_written(checks, row->exit_code);
    I2_job_is_open(checks, row->job, "an attempt's end");
    if (!element->is_live || element->n != row->n) {
        sim_broken(checks->sim, "I2", "job %" PRIu64 ".%u attempt %u ends twice", row->job,
                   row->element, row->n);
    }
    I19_no_known_end_is_lost(checks, element, (enum reason)row->reason);
    element->is_live = false;
    switch ((enum reason)row->reason) {
    case REASON_ReplicaFailed:
        sim_mark(checks->sim, MARK_attempt_retried);
        break;
    case REASON_NeverArrived:
    case REASON_ReplicaLost:
        sim_mark(checks->sim, MARK_attempt_lost);
        break;
    case REASON_StartRefused:
        sim_mark(checks->sim, MARK_attempt_refused);
        break;
    default:
        break;
    }
}

static void read_element_end(struct checks *checks, const struct row_element_end *row)
{
    struct element *element = need_element(checks, row->job, row->element);

    I6_I23_no_lie_is_written(checks, row->exit_code);
    I2_job_is_open(checks, row->job, "an element's end");
    if (element->is_ended) {
        sim_broken(checks->sim, "I2", "job %" PRIu64 ".%u ends twice", row->job, row->element);
    }
    if (row->n != element->n) {
        sim_broken(checks->sim, "I2", "job %" PRIu64 ".%u ends with attempt %u, its newest is %u",
                   row->job, row->element, row->n, element->n);
    }
    element->is_live = false;
    element->is_ended = true;
    checks->elements_ended++;
    element->state = row->state;
    element->reason = row->reason;
    element->exit_code = row->exit_code;
    element->first_replica = row->first_replica;
    if (row->reason == REASON_DeadlineExceeded) sim_mark(checks->sim, MARK_deadline_passed);
    if (row->state == JOB_failed && element->replicas > 1) {
        sim_mark(checks->sim, MARK_gang_failed);
    }
    if (row->state == JOB_failed && job_at(checks, row->job)->elements > 1) {
        sim_mark(checks->sim, MARK_array_part_failed);
    }
}

static void read_job_end(struct checks *checks, const struct row_job_end *row)
{
    struct job *job = job_at(checks, row->job);

    I2_job_is_open(checks, row->job, "the end");
    job->is_ended = true;
    job->state = row->state;
    checks->jobs_open--;
}

/* A job's end may leave nothing alive: looked at once its batch is read whole, for the order of rows in
 * it is the core's own affair. */
static void I2_nothing_lives_in_an_ended_job(struct checks *checks, uint64_t id)
{
    struct job *job = job_at(checks, id);

    for (uint32_t i = 0; i < job->elements; i++) {
        struct element *element = find_element(checks, id, i);

        if (element && element->is_live) {
            sim_broken(checks->sim, "I2", "job %" PRIu64 " ended, its element %u lives", id, i);
        }
        if (job->state == JOB_succeeded && (!element || element->state != JOB_succeeded)) {
            sim_broken(checks->sim, "I2", "job %" PRIu64 " succeeded without element %u", id, i);
        }
    }
}

static void read_phase(struct checks *checks, const struct row_replica_phase *row)
{
    struct phase_key key = {row->job, row->element, row->n, row->replica, 0};
    uint64_t state = 0;

    I6_I23_no_lie_is_written(checks, row->exit_code);
    fl_map_find(&checks->phases, &key, sizeof(key), &state);
    if (row->state > state) fl_map_put(&checks->phases, &key, sizeof(key), row->state);
}

/* The time in which a cluster may be found silent runs while this leader leads and Postgres answers, and
 * starts anew, in full, whenever it did not.  A row was decided between the batch's opening and its
 * forming; clocks of hosts drift by a percent. */
static void I18_downtime_is_not_silence(struct checks *checks, uint64_t epoch, fl_ms opened_at,
                                        fl_ms formed_at)
{
    fl_ms since = checks->term_at[epoch % TERMS_MAX];

    for (size_t i = checks->db_back_at.len; i > 0; i--) {
        if (checks->db_back_at.at[i - 1] > opened_at) continue;
        if (checks->db_back_at.at[i - 1] > since) since = checks->db_back_at.at[i - 1];
        break;
    }
    if ((formed_at - since) * 100 < (fl_ms)checks->config.silence_ms * 97) {
        sim_broken(checks->sim, "I18", "silent %lld ms after control plane or database were back",
                   (long long)(formed_at - since));
    }
}

/* --- audit ----------------------------------------------------------------------------------- */

/* What one batch changed on somebody's request, and what its audit rows say. */
struct tally {
    int jobs, jobs_audited;
    int holds, holds_audited, releases, releases_audited;
    int cancels, cancels_audited;
    int queues, queues_audited;
    int clusters_audited;
    uint64_t held_at_birth; /* newest job that was submitted */
    FL_VEC(uint64_t) ended;
};

static bool starts_with(struct fl_str s, const char *word)
{
    size_t len = strlen(word);

    return s.len >= len && memcmp(s.at, word, len) == 0;
}

static int number_behind(struct fl_str s, char sign)
{
    int n = 0;
    size_t i = 0;

    while (i < s.len && s.at[i] != sign)
        i++;
    for (i++; i < s.len && s.at[i] >= '0' && s.at[i] <= '9'; i++)
        n = n * 10 + (s.at[i] - '0');
    return n;
}

static void tally_audit(struct checks *checks, struct tally *tally, struct fl_str body)
{
    struct fl_err err = {0};
    struct fl_job job;

    if (starts_with(body, "submit ")) {
        tally->jobs_audited += number_behind(body, '+');
    } else if (starts_with(body, "hold ")) {
        tally->holds_audited++;
    } else if (starts_with(body, "release ")) {
        tally->releases_audited++;
    } else if (starts_with(body, "queue_put ")) {
        tally->queues_audited++;
    } else if (starts_with(body, "cluster_")) {
        tally->clusters_audited++;
    } else if (starts_with(body, "cancel ")) {
        struct fl_str name = {body.at + 7, body.len - 7};

        tally->cancels_audited++;
        if (!fl_job_parse(name, &job, &err) || !job_at(checks, job.n)->is_known) {
            sim_broken(checks->sim, "I21", "an audit row of no job: %.*s", FL_STR_ARG(body));
        }
    } else {
        sim_broken(checks->sim, "I21", "an audit row of unknown words: %.*s", FL_STR_ARG(body));
    }
}

static void I21_one_audit_row_a_mutation(struct checks *checks, const struct tally *tally,
                                         uint64_t batch)
{
    bool is_good = tally->jobs == tally->jobs_audited && tally->holds == tally->holds_audited &&
                   tally->releases == tally->releases_audited &&
                   tally->queues == tally->queues_audited &&
                   tally->cancels <= tally->cancels_audited;

    if (is_good) return;
    sim_broken(checks->sim, "I21",
               "batch %" PRIu64 " has %d jobs, %d audited; %d holds, %d; %d releases, %d; "
               "%d queues, %d; %d cancels, %d",
               batch, tally->jobs, tally->jobs_audited, tally->holds, tally->holds_audited,
               tally->releases, tally->releases_audited, tally->queues, tally->queues_audited,
               tally->cancels, tally->cancels_audited);
}

static void read_mark(struct checks *checks, struct tally *tally, const struct row *row)
{
    bool is_set = row->kind == ROW_mark_set;
    uint64_t job = is_set ? row->mark_set.job : row->mark_clear.job;
    uint8_t kind = is_set ? row->mark_set.kind : row->mark_clear.kind;

    I2_job_is_open(checks, job, "a mark");
    switch ((enum core_mark)kind) {
    case CORE_MARK_held:
        if (!is_set) {
            tally->releases++;
        } else if (tally->held_at_birth != job) {
            tally->holds++;
        }
        break;
    case CORE_MARK_cancel:
        if (!is_set) sim_broken(checks->sim, "I13", "the cancel of job %" PRIu64 " is undone", job);
        job_at(checks, job)->is_stopped = true;
        if (row->mark_set.value == REASON_Cancelled) tally->cancels++;
        break;
    case CORE_MARK_first_start:
        break;
    }
}

static void read_row(struct checks *checks, struct tally *tally, const struct row *row,
                     uint64_t epoch, fl_ms opened_at, fl_ms formed_at)
{
    switch (row->kind) {
    case ROW_job_new:
        read_job_new(checks, &row->job_new);
        tally->jobs++;
        tally->held_at_birth = row->job_new.job;
        break;
    case ROW_attempt_new:
        read_attempt_new(checks, &row->attempt_new);
        break;
    case ROW_attempt_end:
        read_attempt_end(checks, &row->attempt_end);
        break;
    case ROW_element_end:
        read_element_end(checks, &row->element_end);
        break;
    case ROW_job_end:
        read_job_end(checks, &row->job_end);
        fl_vec_push(&tally->ended, row->job_end.job);
        break;
    case ROW_mark_set:
    case ROW_mark_clear:
        read_mark(checks, tally, row);
        break;
    case ROW_queue_put:
        tally->queues++;
        break;
    case ROW_audit:
        tally_audit(checks, tally, row->audit.body);
        break;
    case ROW_replica_phase:
        read_phase(checks, &row->replica_phase);
        break;
    case ROW_cluster_phase:
        if (row->cluster_phase.phase == 0) {
            I18_downtime_is_not_silence(checks, epoch, opened_at, formed_at);
            sim_mark(checks->sim, MARK_cluster_silent);
        } else {
            sim_mark(checks->sim, MARK_cluster_back);
        }
        break;
    default:
        break;
    }
}

/* --- as things happen ------------------------------------------------------------------------ */

void checks_term(struct checks *checks, uint64_t epoch)
{
    checks->term_at[epoch % TERMS_MAX] = checks->sim->now;
}

void checks_db_back(struct checks *checks)
{
    fl_vec_push(&checks->db_back_at, checks->sim->now);
}

void checks_committed(struct checks *checks, fl_ms opened_at, fl_ms formed_at)
{
    for (; checks->journal_len < fake_pg_journal_len(checks->pg); checks->journal_len++) {
        struct fake_pg_journal entry = fake_pg_journal_at(checks->pg, checks->journal_len);
        struct fake_pg_journal before = fake_pg_journal_at(checks->pg, checks->journal_len - 1);
        struct fl_reader reader = fl_reader(entry.body.at, entry.body.len);
        struct tally tally = {0};

        if (entry.batch != before.batch + 1) {
            sim_broken(checks->sim, "I7", "batch %" PRIu64 " after %" PRIu64, entry.batch,
                       before.batch);
        }
        if (entry.epoch < before.epoch || entry.epoch != fake_pg_epoch(checks->pg)) {
            sim_broken(checks->sim, "I5", "epoch %" PRIu64 " wrote under epoch %" PRIu64,
                       entry.epoch, fake_pg_epoch(checks->pg));
        }
        if (entry.at < before.at) {
            sim_broken(checks->sim, "I7", "batch %" PRIu64 " is older than the one before",
                       entry.batch);
        }
        while (reader.pos < reader.len) {
            struct fl_err err = {0};
            struct row row;

            if (!row_decode(&reader, &row, &err)) {
                sim_broken(checks->sim, "I7", "batch %" PRIu64 " cannot be read: %s", entry.batch,
                           err.text);
            }
            read_row(checks, &tally, &row, entry.epoch, opened_at, formed_at);
        }
        for (size_t i = 0; i < tally.ended.len; i++) {
            I2_nothing_lives_in_an_ended_job(checks, tally.ended.at[i]);
        }
        fl_vec_fini(&tally.ended);
        I21_one_audit_row_a_mutation(checks, &tally, entry.batch);
    }
}

static void I1_what_is_answered_is_stored(struct checks *checks, const struct core_answer *answer)
{
    for (size_t i = 0; i < answer->outcomes_len; i++) {
        const struct core_outcome *outcome = &answer->outcomes[i];

        if (outcome->code != FL_OK) continue;
        if (!fake_pg_find_job(checks->pg, outcome->job, NULL)) {
            sim_broken(checks->sim, "I1", "job %" PRIu64 " is acknowledged and not stored",
                       outcome->job.n);
        }
    }
    for (size_t i = 0; i < answer->jobs_len; i++) { /* a read shows nothing that may not happen */
        const struct core_job_view *view = &answer->jobs[i];
        struct element *element = find_element(checks, view->job.n, 0);

        if (!fake_pg_find_job(checks->pg, view->job, NULL)) {
            sim_broken(checks->sim, "I1", "job %" PRIu64 " is shown and not stored", view->job.n);
        }
        if (view->attempt && (!element || element->n < view->attempt)) {
            sim_broken(checks->sim, "I1", "attempt %u of job %" PRIu64 " is shown and not stored",
                       view->attempt, view->job.n);
        }
    }
}

void checks_answer(struct checks *checks, const struct core_answer *answer)
{
    if (answer->code == FL_OK) I1_what_is_answered_is_stored(checks, answer);
}

void checks_cancel_acked(struct checks *checks, struct fl_job id, uint64_t epoch)
{
    struct job *job = job_at(checks, id.n);

    if (!job->is_stopped && !job->is_ended) {
        sim_broken(checks->sim, "I13", "the cancel of job %" PRIu64 " is acknowledged, not stored",
                   id.n);
    }
    job->cancel_epoch = epoch;
    for (uint32_t i = 0; i < job->elements; i++) {
        const struct element *element = find_element(checks, id.n, i);

        if (!element || !element->is_live) continue;
        sim_mark(checks->sim,
                 element->running ? MARK_cancel_while_running : MARK_cancel_while_starting);
    }
}

void checks_said_ended(struct checks *checks, struct fl_job id)
{
    struct job *job = job_at(checks, id.n);

    if (job->is_known && !job->is_ended) {
        sim_broken(checks->sim, "I1", "job %" PRIu64 " is called ended and is open in the rows",
                   id.n);
    }
}

/* Strangers do not notice that a batch was refused: only who brought what a constraint refuses is blamed. */
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
    I16_only_a_culprit_is_quarantined(checks, event, why);
}

static void I4_goes_only_when_durable(struct checks *checks, struct fl_attempt attempt,
                                      struct fl_cluster cluster, bool is_go)
{
    struct element *element = find_element(checks, attempt.job.n, attempt.element);
    struct row row;

    if (!fake_pg_find_attempt(checks->pg, attempt.job, attempt.element, attempt.n, &row) ||
        row.attempt_new.cluster != cluster.n ||
        row.attempt_new.incarnation != attempt.incarnation) {
        sim_broken(checks->sim, "I4", "%s of job %" PRIu64 ".%u attempt %u, which is not stored",
                   is_go ? "GO" : "START", attempt.job.n, attempt.element, attempt.n);
    }
    if (!is_go) return;
    for (uint32_t i = 0; element->n == attempt.n && i < element->replicas; i++) {
        if (phase_of(checks, attempt, i) < FL_REPLICA_created) {
            sim_broken(checks->sim, "I4",
                       "GO of job %" PRIu64
                       ".%u attempt %u before its replica %u is known to exist",
                       attempt.job.n, attempt.element, attempt.n, i);
        }
    }
}

/* By the order of one hub's own output: what another hub sent before it was deposed may still travel. */
static void I13_no_start_after_a_cancel(struct checks *checks, const struct core_send *send,
                                        uint64_t epoch)
{
    if (job_at(checks, send->attempt.job.n)->cancel_epoch != epoch) return;
    sim_broken(checks->sim, "I13", "%s of job %" PRIu64 " after its cancel was acknowledged",
               core_send_name(send->kind), send->attempt.job.n);
}

void checks_send(struct checks *checks, const struct core_send *send, uint64_t epoch)
{
    if (send->kind != CORE_SEND_start && send->kind != CORE_SEND_go) return;
    I4_goes_only_when_durable(checks, send->attempt, send->cluster, send->kind == CORE_SEND_go);
    I13_no_start_after_a_cancel(checks, send, epoch);
}

void checks_acked_end(struct checks *checks, struct fl_cluster cluster, struct fl_attempt attempt,
                      uint32_t replica)
{
    struct element *element = find_element(checks, attempt.job.n, attempt.element);

    if (!element || !element->is_live || element->n != attempt.n) return;
    if (element->cluster != cluster.n || element->incarnation != attempt.incarnation) return;
    if (replica >= element->replicas) return;
    if (!fl_replica_state_is_last((enum fl_replica_state)phase_of(checks, attempt, replica))) {
        sim_broken(checks->sim, "I1",
                   "the end of job %" PRIu64 ".%u attempt %u replica %u is acknowledged to its "
                   "agent, and not stored",
                   attempt.job.n, attempt.element, attempt.n, replica);
    }
}

/* --- runtimes -------------------------------------------------------------------------------- */

static void I4_runs_only_what_is_stored(struct checks *checks, struct fl_cluster cluster,
                                        const struct fake_replica *replica)
{
    struct row row;

    if (fake_pg_find_attempt(checks->pg, replica->attempt.job, replica->attempt.element,
                             replica->attempt.n, &row) &&
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
    struct fl_resources total = fake_runtime_node_total(runtime, node);
    struct fl_resources used = fake_runtime_node_used(runtime, node);

    if (fl_resources_fit(used, total)) return;
    sim_broken(checks->sim, "I10", "cluster %u node %u: %u milli cpus of %u are used", cluster.n,
               node, used.cpu_milli, total.cpu_milli);
}

void checks_created(struct checks *checks, struct fl_cluster cluster,
                    const struct fake_replica *replica, const struct fake_runtime *runtime)
{
    I4_runs_only_what_is_stored(checks, cluster, replica);
    I10_no_node_is_overfull(checks, cluster, runtime, replica->node);
}

static void I3_one_attempt_runs(struct checks *checks, const struct fake_replica *replica)
{
    struct element *element =
        need_element(checks, replica->attempt.job.n, replica->attempt.element);

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
    I4_runs_only_what_is_stored(checks, cluster, replica);
    if (phase_of(checks, replica->attempt, replica->replica) < FL_REPLICA_created) {
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
    struct element *element =
        find_element(checks, replica->attempt.job.n, replica->attempt.element);

    fl_assert(element && element->running > 0);
    element->running--;
}

/* --- engines and cores ----------------------------------------------------------------------- */

void checks_engine(struct checks *checks, const struct engine *engine,
                   const struct engine_config *config)
{
    struct engine_stats stats = engine_stats(engine);

    if (stats.inbox_len > config->inbox_max || stats.inflight_len > config->inflight_max ||
        stats.keys_len > config->keys_max) {
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

/* --- at the end ------------------------------------------------------------------------------ */

bool checks_all_settled(const struct checks *checks)
{
    return checks->jobs_open == 0;
}

void checks_tell_unsettled(struct checks *checks)
{
    uint32_t told = 0;

    for (size_t i = 0; i < checks->jobs.len; i++) {
        const struct job *job = &checks->jobs.at[i];

        if (!job->is_known || job->is_ended || told >= UNSETTLED_TOLD_MAX) continue;
        told++;
        sim_tell(checks->sim, "job %llu is open: %llu elements, stopped %llu", i, job->elements,
                 job->is_stopped);
        for (uint32_t e = 0; e < job->elements; e++) {
            const struct element *element = find_element(checks, i, e);

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
        sim_broken(checks->sim, "I14", "job %" PRIu64 ".%u attempt %u replica %u is left, %s",
                   replica->attempt.job.n, replica->attempt.element, replica->attempt.n,
                   replica->replica, fl_replica_state_name(replica->state));
    }
}

static void I19_rows_are_the_truth(struct checks *checks, const struct element *element)
{
    for (uint32_t i = 0; element->state == JOB_succeeded && i < element->replicas; i++) {
        const struct fake_replica *truth = find_truth(checks, element, i);

        if (!truth || truth->state != FL_REPLICA_exited || truth->exit_code != 0 ||
            truth->run_from == 0) {
            sim_broken(checks->sim, "I19", "job %" PRIu64 ".%u succeeded, its replica %u did not",
                       element->job, element->element, i);
        }
    }
    if (element->state == JOB_failed && element->exit_code != 0) {
        const struct fake_replica *truth = find_truth(checks, element, element->first_replica);

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
        const struct element *element = &checks->elements.at[i];

        if (!element->is_ended && element->n) {
            struct job *job = job_at(checks, element->job);

            if (!job->is_ended || element->is_live) {
                sim_broken(checks->sim, "I20", "job %" PRIu64 ".%u is not settled", element->job,
                           element->element);
            }
        }
        I19_rows_are_the_truth(checks, element);
    }
    if (fake_pg_len(checks->pg, FAKE_PG_open_job) || fake_pg_len(checks->pg, FAKE_PG_open_mark)) {
        sim_broken(checks->sim, "I20", "%zu jobs and %zu marks are open in the rows",
                   fake_pg_len(checks->pg, FAKE_PG_open_job),
                   fake_pg_len(checks->pg, FAKE_PG_open_mark));
    }
}

bool checks_has_live(const struct checks *checks, struct fl_cluster not_on, struct fl_attempt *ret)
{
    for (size_t i = checks->elements.len; i > 0; i--) {
        const struct element *element = &checks->elements.at[i - 1];

        if (!element->is_live || element->cluster == not_on.n) continue;
        *ret =
            (struct fl_attempt){{element->job}, element->element, element->n, element->incarnation};
        return true;
    }
    return false;
}

struct fl_cluster checks_cluster_of(const struct checks *checks, struct fl_attempt attempt)
{
    struct element *element = find_element(checks, attempt.job.n, attempt.element);

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
