#include <inttypes.h>
#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/job_name.h"
#include "tests/sim/checks_state.h"

/* ---- the journal, row by row ----------------------------------------------------------------- */

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
    struct checks_job *job = checks_job(checks, id);

    if (!job->is_known) sim_broken(checks->sim, "I2", "%s of unknown job %" PRIu64, what, id);
    if (job->is_ended) sim_broken(checks->sim, "I2", "%s of ended job %" PRIu64, what, id);
}

/* I15, and that a request that is stepped again, or sent again with its key, makes nothing twice:
 * the client gives no name to two jobs, but to singletons, whose labels differ. */
static void read_job_new(struct checks *checks, const struct row_job_new *row)
{
    struct checks_job *job = checks_job(checks, row->job);
    struct fl_str name = row->is_singleton ? row->labels : row->name;

    if (job->is_known) sim_broken(checks->sim, "I17", "job %" PRIu64 " was issued twice", row->job);
    if (name.len && fl_map_find(&checks->names, name.at, name.len, NULL)) {
        sim_broken(checks->sim, "I15", "the one request of job \"%.*s\" made two jobs",
                   FL_STR_ARG(name));
    }
    fl_map_put(&checks->names, name.at, name.len, row->job);
    job->is_known = true;
    job->elements = row->elements;
    job->is_picked = row->picked.len > 0;
    if (job->is_picked) sim_mark(checks->sim, MARK_job_picked);
    checks->jobs_known++;
    checks->jobs_open++;
}

static uint32_t lines(struct fl_str text)
{
    uint32_t len = text.len > 0;

    for (size_t i = 0; i < text.len; i++) {
        len += text.at[i] == '\n';
    }
    return len;
}

static void read_attempt_new(struct checks *checks, const struct row_attempt_new *row)
{
    struct checks_element *element = checks_need_element(checks, row->job, row->element);

    I2_job_is_open(checks, row->job, "an attempt");
    if (checks_job(checks, row->job)->is_stopped) {
        sim_broken(checks->sim, "I13", "job %" PRIu64 ".%u starts after it was cancelled", row->job,
                   row->element);
    }
    if (!checks_has_number(checks, row->job, row->element)) {
        sim_broken(checks->sim, "I2", "job %" PRIu64 " has no element %u to start", row->job,
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

/* Each replica's end was on record where it ran: calling the attempt lost means that its
 * agent threw the record away before its report was durable, or that the report was. */
static void I19_no_known_end_is_lost(struct checks *checks, const struct checks_element *element,
                                     enum reason reason)
{
    if (reason != REASON_ReplicaLost && reason != REASON_NeverArrived) return;
    for (uint32_t i = 0; i < element->replicas; i++) {
        const struct fake_replica *truth = checks_truth(checks, element, i);

        if (!truth || truth->state != FL_REPLICA_exited || truth->run_from == 0) return;
        if (truth->is_wiped) return; /* a fault threw it away */
    }
    sim_broken(checks->sim, "I19",
               "job %" PRIu64 ".%u attempt %u is called lost: all of it had ended", element->job,
               element->element, element->n);
}

static void read_attempt_end(struct checks *checks, const struct row_attempt_end *row)
{
    struct checks_element *element = checks_need_element(checks, row->job, row->element);

    I6_I23_no_lie_is_written(checks, row->exit_code);
    I2_job_is_open(checks, row->job, "an attempt's end");
    if (!element->is_live || element->n != row->n) {
        sim_broken(checks->sim, "I2", "job %" PRIu64 ".%u attempt %u ends twice", row->job,
                   row->element, row->n);
    }
    I19_no_known_end_is_lost(checks, element, (enum reason)row->reason);
    checks_output_ended(checks, element, row->outputs);
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
    case REASON_Drained:
        sim_mark(checks->sim, MARK_attempt_drained);
        break;
    default:
        break;
    }
}

static void read_element_end(struct checks *checks, const struct row_element_end *row)
{
    struct checks_element *element = checks_need_element(checks, row->job, row->element);

    I6_I23_no_lie_is_written(checks, row->exit_code);
    I2_job_is_open(checks, row->job, "an element's end");
    if (element->is_ended) {
        sim_broken(checks->sim, "I2", "job %" PRIu64 ".%u ends twice", row->job, row->element);
    }
    if (row->n != element->n) {
        sim_broken(checks->sim, "I2", "job %" PRIu64 ".%u ends with attempt %u, its newest is %u",
                   row->job, row->element, row->n, element->n);
    }
    if (element->is_live) checks_output_ended(checks, element, row->outputs);
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
    if (row->state == JOB_failed && checks_job(checks, row->job)->elements > 1) {
        sim_mark(checks->sim, MARK_array_part_failed);
    }
}

static void read_job_end(struct checks *checks, const struct row_job_end *row)
{
    struct checks_job *job = checks_job(checks, row->job);

    I2_job_is_open(checks, row->job, "the end");
    job->is_ended = true;
    job->state = row->state;
    checks->jobs_open--;
}

/* A job's end may leave nothing alive: looked at once its batch is read whole, for the order of
 * rows in it is the core's own affair. */
static void I2_nothing_lives_in_an_ended_job(struct checks *checks, uint64_t id)
{
    struct checks_job *job = checks_job(checks, id);

    for (uint32_t i = 0; i < job->elements; i++) {
        uint32_t number = checks_number(checks, id, i);
        struct checks_element *element = checks_find_element(checks, id, number);

        if (element && element->is_live) {
            sim_broken(checks->sim, "I2", "job %" PRIu64 " ended, its element %u lives", id,
                       number);
        }
        if (job->state == JOB_succeeded && (!element || element->state != JOB_succeeded)) {
            sim_broken(checks->sim, "I2", "job %" PRIu64 " succeeded without element %u", id,
                       number);
        }
    }
}

static void read_phase(struct checks *checks, const struct row_replica_phase *row)
{
    struct checks_phase_key key = {row->job, row->element, row->n, row->replica, 0};
    uint64_t state = 0;

    I6_I23_no_lie_is_written(checks, row->exit_code);
    fl_map_find(&checks->phases, &key, sizeof(key), &state);
    if (row->state > state) fl_map_put(&checks->phases, &key, sizeof(key), row->state);
}

/* The time in which a cluster may be found silent runs while this leader leads and Postgres
 * answers, and starts anew, in full, whenever it did not.  A row was decided between the batch's
 * opening and its forming; clocks of hosts drift by a percent. */
static void I18_downtime_is_not_silence(struct checks *checks, uint64_t epoch, fl_ms opened_at,
                                        fl_ms formed_at)
{
    fl_ms since = checks->term_at[epoch % CHECKS_TERMS_MAX];

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

/* ---- audit ----------------------------------------------------------------------------------- */

/* One batch's changes on request, and its audit rows. */
struct tally {
    int jobs, jobs_audited;
    int holds, holds_audited, releases, releases_audited;
    int cancels, cancels_audited;
    int queues, queues_audited;
    int clusters_audited;
    int joins, joins_audited; /* made, used and taken back; an expiry has no actor */
    int tokens, tokens_audited;
    int edits, edits_audited;
    uint64_t held_at_birth; /* newest job that was submitted */
    FL_VEC(uint64_t) ended;
};

static bool starts_with(struct fl_str s, const char *word)
{
    size_t len = strlen(word);

    return s.len >= len && memcmp(s.at, word, len) == 0;
}

static bool ends_with(struct fl_str s, const char *word)
{
    size_t len = strlen(word);

    return s.len >= len && memcmp(s.at + s.len - len, word, len) == 0;
}

static int number_behind(struct fl_str s, char sign)
{
    int n = 0;
    size_t i = 0;

    while (i < s.len && s.at[i] != sign) {
        i++;
    }
    for (i++; i < s.len && s.at[i] >= '0' && s.at[i] <= '9'; i++) {
        n = n * 10 + (s.at[i] - '0');
    }
    return n;
}

/* "edit job-7 queue=b priority=-1 deadline=60 words held": a row for all but the last word. */
static void tally_edit(struct tally *tally, struct fl_str body)
{
    bool is_held = ends_with(body, " held"), is_released = ends_with(body, " released");
    size_t words = 0, changes;

    for (size_t i = 0; i < body.len; i++) {
        words += body.at[i] == ' ';
    }
    changes = words - 1;
    tally->holds_audited += is_held;
    tally->releases_audited += is_released;
    tally->edits_audited += changes > (size_t)(is_held || is_released);
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
    } else if (starts_with(body, "edit ")) {
        tally_edit(tally, body);
    } else if (starts_with(body, "queue_put ")) {
        tally->queues_audited++;
    } else if (starts_with(body, "cluster_") || starts_with(body, "renew ")) {
        tally->clusters_audited++;
    } else if (starts_with(body, "join_put ") || starts_with(body, "enrol ")) {
        tally->joins_audited++;
    } else if (starts_with(body, "token_put ") || starts_with(body, "token_rotate ")) {
        tally->tokens_audited++;
    } else if (starts_with(body, "join_revoke ") || starts_with(body, "token_revoke ")) {
        return;
    } else if (starts_with(body, "cancel ")) {
        struct fl_str name = {body.at + 7, body.len - 7};

        tally->cancels_audited++;
        if (!fl_job_parse(name, &job, &err) || !checks_job(checks, job.n)->is_known) {
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
                   tally->queues == tally->queues_audited && tally->joins == tally->joins_audited &&
                   tally->tokens == tally->tokens_audited && tally->edits == tally->edits_audited &&
                   tally->cancels <= tally->cancels_audited;

    if (is_good) return;
    sim_broken(checks->sim, "I21",
               "batch %" PRIu64 " has %d jobs, %d audited; %d holds, %d; %d releases, %d; "
               "%d queues, %d; %d cancels, %d; %d joins, %d; %d tokens, %d; %d edits, %d",
               batch, tally->jobs, tally->jobs_audited, tally->holds, tally->holds_audited,
               tally->releases, tally->releases_audited, tally->queues, tally->queues_audited,
               tally->cancels, tally->cancels_audited, tally->joins, tally->joins_audited,
               tally->tokens, tally->tokens_audited, tally->edits, tally->edits_audited);
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
        checks_job(checks, job)->is_stopped = true;
        if (row->mark_set.value == REASON_Cancelled) tally->cancels++;
        break;
    case CORE_MARK_first_start:
    case CORE_MARK_picked:
    case CORE_MARK_after:
    case CORE_MARK_edited:
    case CORE_MARK_singleton:
    case CORE_MARK_each:
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
    case ROW_job_edit:
        I2_job_is_open(checks, row->job_edit.job, "an edit");
        tally->edits++;
        sim_mark(checks->sim, MARK_job_edited);
        break;
    case ROW_queue_put:
        tally->queues++;
        break;
    case ROW_cluster_put:
        if (row->cluster_put.access == CORE_ACCESS_locked) {
            sim_mark(checks->sim, MARK_cluster_locked);
        }
        break;
    case ROW_join_put:
        tally->joins++;
        break;
    case ROW_token_put:
        tally->tokens++;
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

/* ---- a batch became durable ------------------------------------------------------------------ */

void checks_clock_set(struct checks *checks, bool do_hubs_differ)
{
    policy_clock_set(checks->policy, do_hubs_differ);
}

void checks_committed(struct checks *checks, fl_ms opened_at, fl_ms formed_at)
{
    for (; checks->journal_len < fake_pg_journal_len(checks->pg); checks->journal_len++) {
        struct fake_pg_journal entry = fake_pg_journal_at(checks->pg, checks->journal_len);
        struct fake_pg_journal before = fake_pg_journal_at(checks->pg, checks->journal_len - 1);
        struct fl_reader reader = fl_reader(entry.body.at, entry.body.len);
        struct tally tally = {0};

        checks_history_committed(checks->history, &entry);
        if (checks->is_retired) continue;
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
        policy_committed(checks->policy, &entry, formed_at);
    }
}
