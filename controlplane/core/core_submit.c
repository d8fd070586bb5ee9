#include <inttypes.h>
#include <string.h>

#include "controlplane/core/core_state.h"
#include "shared/base/job_name.h"

/* A request with jobs.  Each job is accepted or refused by itself; those accepted get the next
 * numbers, in order.  A job passes two steps: check_item() finds the first fault in it and changes
 * nothing; accept_job() writes its rows and cannot fail. */

enum { SPECS_SEEN_MAX = 65536 };

/* False, for the caller to return. */
static bool refuse(struct core *core, struct core_outcome *outcome, enum fl_code code,
                   const char *text)
{
    outcome->code = code;
    outcome->text = fl_arena_copy(&core->scratch, text, strlen(text));
    return false;
}

/* check_item() fills it for a job that may be accepted. */
struct accepted {
    struct owner_slot owner; /* none: it has no open job */
    struct fl_queue_id queue;
    struct shape_slot shape;         /* none: a new one */
    const struct shape_entry *entry; /* the same, or a new one as it was decoded */
    struct fl_element_set picks;
    struct fl_dependency *after; /* all jobs that it is to run after ... */
    struct fl_dependency *unmet; /* ... and those that have not ended */
    size_t after_len, unmet_len;
    struct job_slot each; /* its elements wait for those of this one; none: they do not */
    struct fl_str key;    /* a singleton's, see singleton_table.h; else empty */
};

/* The bounds of the item alone. */
static bool check_sizes(struct core *core, const struct core_event *event,
                        const struct core_submit_item *item, struct core_outcome *outcome)
{
    if (event->owner.len > FL_NAME_BYTES_MAX) {
        return refuse(core, outcome, FL_INVALID,
                      "an owner's name has at most " FL_QUOTE(FL_NAME_BYTES_MAX) " bytes");
    }
    if (item->elements == 0 || item->elements > FL_JOB_ELEMENTS_MAX) {
        return refuse(core, outcome, FL_INVALID,
                      "a job has 1 to " FL_QUOTE(FL_JOB_ELEMENTS_MAX) " elements");
    }
    if (item->retries_max > FL_JOB_RETRIES_MAX || item->deadline_s > FL_JOB_DEADLINE_S_MAX) {
        return refuse(core, outcome, FL_INVALID,
                      "a job has at most " FL_QUOTE(
                          FL_JOB_RETRIES_MAX) " retries, and a deadline "
                                              "of at most " FL_QUOTE(FL_JOB_DEADLINE_S_MAX) " s");
    }
    if (item->parallelism > FL_JOB_ELEMENTS_MAX) {
        return refuse(core, outcome, FL_INVALID,
                      "parallelism is at most " FL_QUOTE(FL_JOB_ELEMENTS_MAX) " elements");
    }
    if (item->name.len > FL_JOB_NAME_BYTES_MAX || item->labels.len > FL_JOB_LABELS_BYTES_MAX ||
        item->params.len > FL_JOB_PARAMS_BYTES_MAX || item->picked.len > FL_ELEMENT_SET_BYTES_MAX ||
        item->spec.len > FL_JOB_SPEC_BYTES_MAX) {
        return refuse(core, outcome, FL_TOO_LARGE,
                      fl_arena_printf(&core->scratch,
                                      "a name has at most %d bytes, labels %d, parameters %d, a "
                                      "spec %d",
                                      FL_JOB_NAME_BYTES_MAX, FL_JOB_LABELS_BYTES_MAX,
                                      FL_JOB_PARAMS_BYTES_MAX, FL_JOB_SPEC_BYTES_MAX));
    }
    if (!fl_str_is_text(item->name)) {
        return refuse(core, outcome, FL_INVALID, "the name is not UTF-8 text");
    }
    return true;
}

static bool check_bounds(struct core *core, const struct core_event *event,
                         const struct core_submit_item *item, struct accepted *found,
                         struct core_outcome *outcome)
{
    struct fl_str short_name = item->queue;
    const char *full;

    if (short_name.len > FL_NAME_BYTES_MAX) short_name.len = FL_NAME_BYTES_MAX;
    found->queue = queue_table_find(&core->queues, event->tenant, item->queue);
    if (!found->queue.n) {
        const char *text = fl_arena_printf(
            &core->scratch, "queue \"" FL_STR_FMT "\" does not exist; create it, or name another",
            FL_STR_ARG(short_name));

        return refuse(core, outcome, FL_ABSENT, text);
    }
    if (!check_sizes(core, event, item, outcome)) return false;
    found->owner = owner_table_find(&core->owners, event->tenant, event->owner);
    if (item->retry_of.n && job_table_find(&core->jobs, item->retry_of).n) {
        return refuse(core, outcome, FL_CONFLICT,
                      "the job to retry has not ended; cancel it or wait for its end");
    }
    if (core_history_is_disputed(core)) {
        return refuse(core, outcome, FL_UNAVAILABLE,
                      "an agent has worked for a later state of this database: it was restored; "
                      "nothing is accepted until 'fairlead admin accept-restore'");
    }
    if (core->job_next >= core->job_below) {
        return refuse(core, outcome, FL_UNAVAILABLE,
                      "no room for further job numbers yet; maintenance makes it, try again");
    }
    if (core->jobs.jobs.len >= core->config.jobs_max) {
        return refuse(core, outcome, FL_FULL,
                      fl_arena_printf(&core->scratch,
                                      "%" PRIu32 " jobs are open, the most there can be",
                                      core->config.jobs_max));
    }
    if (!found->owner.n && !owner_table_has_room(&core->owners)) {
        return refuse(core, outcome, FL_FULL,
                      "open jobs have " FL_QUOTE(OWNERS_MAX) " owners, the most there can be");
    }
    full = core_queue_no_room(core, found->queue);
    if (!full) full = core_owner_no_room(core, found->owner, OWNER_jobs, 1);
    return !full || refuse(core, outcome, FL_FULL, full);
}

/* The chosen elements, if the job has any.  False: refused. */
static bool read_picks(struct core *core, const struct core_submit_item *item,
                       struct fl_element_set *ret_picks, struct core_outcome *outcome)
{
    struct fl_err err = {0};

    if (item->picked.len == 0) return true;
    if (!fl_element_set_decode(item->picked, ret_picks, &err)) {
        return refuse(core, outcome, FL_INVALID, err.text);
    }
    if (fl_element_set_count(ret_picks) == item->elements &&
        ret_picks->at[ret_picks->len - 1].last < FL_JOB_ELEMENTS_MAX) {
        return true;
    }
    fl_element_set_fini(ret_picks);
    return refuse(
        core, outcome, FL_INVALID,
        "the job has not as many elements as were chosen, or one has a number past " FL_QUOTE(
            FL_JOB_ELEMENT_LAST));
}

static bool is_elastic(const struct shape *shape)
{
    for (uint32_t i = 0; i < shape->roles_len; i++) {
        if (shape->roles[i].replicas_min != shape->roles[i].replicas) return true;
    }
    return false;
}

/* False: it is no shape that can be placed, or there is no room for another one. */
static bool check_shape(struct core *core, const struct core_submit_item *item,
                        struct accepted *found, struct core_outcome *outcome)
{
    struct fl_err err = {0};
    const char *why;

    if (shape_is_old(item->shape)) { /* its jobs would be loaded with what it says */
        return refuse(core, outcome, FL_INVALID, "the shape is as an older release wrote it");
    }
    found->shape = shape_table_find(&core->shapes, item->shape);
    found->entry = core_possible_entry(core, item->shape, &err);
    if (!found->entry) return refuse(core, outcome, err.code, err.text);
    if (!found->shape.n) {
        if (is_elastic(&found->entry->shape)) {
            return refuse(core, outcome, FL_UNSUPPORTED,
                          "a role's min must equal its replicas: elastic jobs are not scheduled");
        }
        if (!shape_table_has_room(&core->shapes)) {
            return refuse(core, outcome, FL_FULL,
                          fl_arena_printf(&core->scratch,
                                          "open jobs have %" PRIu32
                                          " different shapes, the most there can be",
                                          core->config.shapes_max));
        }
    }
    why = core_kind_no_room(core, &(struct core_kind){.queue = found->queue,
                                                      .priority = item->priority,
                                                      .shape = found->shape,
                                                      .owner = found->owner});
    return !why || refuse(core, outcome, FL_FULL, why);
}

/* ---- the jobs that it is to run after -------------------------------------------------------- */

/* A line is one before it, and the job of that line was accepted.  'before': the outcomes of the
 * lines before it. */
static bool find_line(struct core *core, uint32_t line, const struct core_outcome *before,
                      size_t before_len, struct fl_job *ret, struct core_outcome *outcome)
{
    if (line > before_len) {
        return refuse(core, outcome, FL_INVALID,
                      "a job can run after the jobs of lines before it only");
    }
    if (before[line - 1].code != FL_OK) {
        return refuse(core, outcome, FL_CONFLICT,
                      "a job that it is to run after, of a line before it, was refused");
    }
    *ret = before[line - 1].job;
    return true;
}

static bool check_dependents(struct core *core, struct fl_job job, const char *name,
                             struct core_outcome *outcome)
{
    if (dependency_table_dependents(&core->dependencies, job.n) < DEPENDENTS_MAX) return true;
    return refuse(core, outcome, FL_FULL,
                  fl_arena_printf(&core->scratch,
                                  "%d jobs wait for %s, the most that may wait for one; make them "
                                  "elements of one job",
                                  DEPENDENTS_MAX, name));
}

/* The array is open, and none of its elements failed: the core counts those that did, and does not
 * know which they are. */
static bool check_each(struct core *core, const struct core_event *event,
                       const struct core_dependency *asked, struct fl_job job,
                       struct accepted *found, struct core_outcome *outcome)
{
    struct job_slot slot = job_table_find(&core->jobs, job);
    const struct job *target = slot.n ? job_table_at(&core->jobs, slot) : NULL;
    const struct job_run *run = target ? job_table_run(&core->jobs, target) : NULL;
    char name[FL_JOB_NAME_MAX];

    fl_job_name(job, name);
    if (found->each.n) {
        return refuse(core, outcome, FL_INVALID,
                      "the elements of a job wait for those of one other job only; name the others "
                      "with success, any or failure");
    }
    if (asked->ended == CORE_OTHER_INDEXES) {
        return refuse(core, outcome, FL_INVALID,
                      fl_arena_printf(&core->scratch,
                                      "elements wait for the same elements of %s, so both have the "
                                      "same indexes: give this job those of %s, or run after the "
                                      "job itself, with success or any",
                                      name, name));
    }
    if (!target || core_owner(core, target)->tenant.n != event->tenant.n) {
        return refuse(core, outcome,
                      asked->ended || asked->after.line ? FL_CONFLICT : FL_UNAVAILABLE,
                      fl_arena_printf(&core->scratch,
                                      "%s has ended, so its elements cannot be waited for one by "
                                      "one; run after the job itself, with success or any",
                                      name));
    }
    if (run && (run->stop != REASON_none || run->failed > 0 || run->cancelled > 0)) {
        return refuse(core, outcome, FL_CONFLICT,
                      fl_arena_printf(&core->scratch,
                                      "elements of %s have failed or are being stopped, so they "
                                      "cannot be waited for one by one any more; run after the job "
                                      "itself, or after a retry of all of it",
                                      name));
    }
    found->each = slot;
    return true;
}

static bool has_same_picks(const struct fl_element_set *a, const struct fl_element_set *b)
{
    if (a->len != b->len) return false;
    for (size_t i = 0; i < a->len; i++) {
        if (a->at[i].first != b->at[i].first || a->at[i].last != b->at[i].last) return false;
    }
    return true;
}

/* Both are arrays, of the same elements; and the pair has room. */
static bool check_pair(struct core *core, const struct core_submit_item *item,
                       const struct accepted *found, struct core_outcome *outcome)
{
    static const struct fl_element_set all = {0};
    const struct job *target;
    const struct job_run *run;
    char name[FL_JOB_NAME_MAX];
    const char *why;

    if (!found->each.n) return true;
    target = job_table_at(&core->jobs, found->each);
    run = job_table_run(&core->jobs, target);
    fl_job_name((struct fl_job){target->id}, name);
    if (item->elements < 2 || item->elements != target->elements) {
        return refuse(core, outcome, FL_INVALID,
                      fl_arena_printf(&core->scratch,
                                      "elements wait for the same elements of %s, so both are "
                                      "arrays of one size: it has %" PRIu32
                                      ", and this job %" PRIu32,
                                      name, target->elements, item->elements));
    }
    if (!has_same_picks(&found->picks, run ? &run->picks : &all)) {
        return refuse(core, outcome, FL_INVALID,
                      fl_arena_printf(&core->scratch,
                                      "elements of %s have other numbers, and only a whole array "
                                      "can be waited for element by element: run after the job "
                                      "itself, with success or any",
                                      name));
    }
    if (core_pair_family(core, found->each) >= PAIR_FAMILY_MAX) {
        return refuse(core, outcome, FL_FULL,
                      fl_arena_printf(&core->scratch,
                                      "%d arrays wait for each other element by element with %s, "
                                      "the most that may; run after the job itself",
                                      PAIR_FAMILY_MAX, name));
    }
    if (!pair_table_has_room(&core->pairs, item->elements)) {
        return refuse(
            core, outcome, FL_FULL,
            fl_arena_printf(&core->scratch,
                            "%d arrays, or %d elements of arrays, wait for others element "
                            "by element, the most there can be; run after the job itself",
                            PAIRS_MAX, PAIR_ELEMENTS_MAX));
    }
    why = core_owner_no_room(core, found->owner, OWNER_pairs, 1);
    if (!why) {
        why = core_owner_no_room(core, found->owner, OWNER_pair_elements, item->elements);
    }
    return !why || refuse(core, outcome, FL_FULL, why);
}

/* The end of the job is awaited, or came as it was wanted; else refused. */
static bool check_after(struct core *core, const struct core_event *event,
                        const struct core_dependency *asked, struct fl_job job,
                        struct accepted *found, struct core_outcome *outcome)
{
    struct job_slot slot = job_table_find(&core->jobs, job);
    struct fl_dependency after = {.job = job, .on = asked->after.on};
    char name[FL_JOB_NAME_MAX];

    fl_job_name(job, name);
    for (size_t i = 0; i < found->after_len; i++) {
        if (found->after[i].job.n != job.n) continue;
        return refuse(core, outcome, FL_INVALID,
                      fl_arena_printf(&core->scratch, "it is to run after %s twice", name));
    }
    if (asked->ended == CORE_NO_JOB) {
        return refuse(
            core, outcome, FL_ABSENT,
            fl_arena_printf(&core->scratch, "%s, which it is to run after, does not exist", name));
    }
    found->after[found->after_len++] = after;
    if (after.on == FL_ON_each) return check_each(core, event, asked, job, found, outcome);
    if (slot.n && core_owner(core, job_table_at(&core->jobs, slot))->tenant.n == event->tenant.n) {
        found->unmet[found->unmet_len++] = after;
        return check_dependents(core, job, name, outcome);
    }
    if (asked->after.line) { /* accepted by an earlier try of this request */
        return refuse(core, outcome, FL_CONFLICT,
                      fl_arena_printf(&core->scratch,
                                      "%s, which it is to run after, has ended meanwhile: submit "
                                      "it alone, with that id",
                                      name));
    }
    if (!asked->ended) {
        return refuse(core, outcome, FL_UNAVAILABLE,
                      fl_arena_printf(&core->scratch,
                                      "%s, which it is to run after, has just ended: submit it "
                                      "again",
                                      name));
    }
    if (job_state_meets((enum job_state)asked->ended, after.on)) return true;
    return refuse(core, outcome, FL_CONFLICT,
                  fl_arena_printf(&core->scratch,
                                  "%s has ended, %s: a job that is to run after its %s would never "
                                  "start",
                                  name, job_state_name((enum job_state)asked->ended),
                                  fl_dependency_on_name(after.on)));
}

static bool check_dependencies(struct core *core, const struct core_event *event,
                               const struct core_submit_item *item,
                               const struct core_outcome *before, size_t before_len,
                               struct accepted *found, struct core_outcome *outcome)
{
    const char *why;

    if (item->after_len == 0) return true;
    if (item->after_len > FL_JOB_AFTER_MAX) {
        return refuse(core, outcome, FL_INVALID,
                      "a job waits for at most " FL_QUOTE(FL_JOB_AFTER_MAX) " other jobs");
    }
    if (!dependency_table_has_room(&core->dependencies, item->after_len)) {
        return refuse(core, outcome, FL_FULL, "too many open jobs wait for others");
    }
    found->after = fl_arena_array(&core->scratch, struct fl_dependency, item->after_len);
    found->unmet = fl_arena_array(&core->scratch, struct fl_dependency, item->after_len);
    for (size_t i = 0; i < item->after_len; i++) {
        const struct fl_dependency *after = &item->after[i].after;
        struct fl_job job = after->job;

        if (after->line && event->submit.is_dry) continue;
        if (after->line && !find_line(core, after->line, before, before_len, &job, outcome)) {
            return false;
        }
        if (!check_after(core, event, &item->after[i], job, found, outcome)) {
            if (outcome->code == FL_ABSENT) outcome->after = (uint32_t)i + 1;
            return false;
        }
    }
    why = core_owner_no_room(core, found->owner, OWNER_waits, (uint32_t)found->unmet_len);
    return !why || refuse(core, outcome, FL_FULL, why);
}

/* ---- jobs that run one at a time ------------------------------------------------------------- */

static bool check_singleton(struct core *core, const struct core_event *event,
                            const struct core_submit_item *item, struct accepted *found,
                            struct core_outcome *outcome)
{
    const char *why;

    if (!item->is_singleton) return true;
    if (item->name.len == 0) {
        return refuse(core, outcome, FL_INVALID,
                      "a singleton needs a name: it runs alone under its name and owner");
    }
    found->key = singleton_key(event->owner, item->name, &core->scratch);
    if (singleton_table_len(&core->singletons, event->tenant.n, found->key) >=
        SINGLETONS_OF_NAME_MAX) {
        return refuse(core, outcome, FL_FULL,
                      fl_arena_printf(&core->scratch,
                                      "%d open singletons have its name and owner, the most that "
                                      "may; make them elements of one job",
                                      SINGLETONS_OF_NAME_MAX));
    }
    if (!singleton_table_has_room(&core->singletons)) {
        return refuse(core, outcome, FL_FULL,
                      fl_arena_printf(&core->scratch,
                                      "%d singletons are open, the most there can be",
                                      SINGLETONS_MAX));
    }
    why = core_owner_no_room(core, found->owner, OWNER_singletons, 1);
    return !why || refuse(core, outcome, FL_FULL, why);
}

/* A job that no enrolled cluster could ever run is accepted and waits. */
static bool may_wait(const struct core *core, const struct core_event *event)
{
    return event->submit.waits_for_cluster || !core->config.refuses_impossible;
}

/* Else it is refused: it would wait for ever. */
static bool check_possible(struct core *core, const struct core_event *event,
                           const struct accepted *found, struct core_outcome *outcome)
{
    const char *why = may_wait(core, event) ? NULL : core_possible_refusal(core, found->entry);

    return !why || refuse(core, outcome, FL_IMPOSSIBLE, why);
}

/* False: refused, and nothing has changed.  True: ret_found is accept_job()'s. */
static bool check_item(struct core *core, const struct core_event *event,
                       const struct core_submit_item *item, const struct core_outcome *before,
                       size_t before_len, struct accepted *ret_found, struct core_outcome *outcome)
{
    struct accepted found = {0};

    if (!check_bounds(core, event, item, &found, outcome) ||
        !check_shape(core, item, &found, outcome) ||
        !check_dependencies(core, event, item, before, before_len, &found, outcome) ||
        !check_singleton(core, event, item, &found, outcome) ||
        !check_possible(core, event, &found, outcome) ||
        !read_picks(core, item, &found.picks, outcome)) {
        return false;
    }
    if (!check_pair(core, item, &found, outcome)) {
        fl_element_set_fini(&found.picks);
        return false;
    }
    *ret_found = found;
    return true;
}

/* A new shape.  One that no job uses makes room for it where needed. */
static struct shape_slot add_shape(struct core *core, struct core_batch *batch, struct fl_str bytes)
{
    uint32_t evicted = shape_table_evict(&core->shapes);
    struct shape_slot slot;
    struct fl_err err = {0};
    struct row row;

    if (evicted) {
        row = (struct row){.kind = ROW_shape_drop, .shape_drop = {.shape = evicted}};
        core_batch_row(batch, &row);
        shape_table_drop(&core->shapes, evicted);
    }
    fl_assert(shape_table_add(&core->shapes, 0, bytes, &slot, &err)); /* check_shape looked */
    shape_table_number_one(&core->shapes, slot, &core->resources);
    row = (struct row){
        .kind = ROW_shape_new,
        .shape_new = {.shape = shape_table_at(&core->shapes, slot)->id, .body = bytes}};
    core_batch_row(batch, &row);
    return slot;
}

/* A spec is stored once per range of ids.  The core remembers, within bounds, the specs that it
 * stored, to spare a row. */
static void need_spec(struct core *core, struct core_batch *batch,
                      const struct core_submit_item *item, uint64_t job)
{
    uint64_t range = job / ROW_JOB_RANGE;
    uint64_t seen;
    struct row row = {.kind = ROW_spec_new,
                      .spec_new = {.job = range * ROW_JOB_RANGE,
                                   .digest = item->spec_digest,
                                   .body = item->spec}};

    if (item->spec.len == 0) return;
    if (core->spec_newest_range == range &&
        memcmp(&core->spec_newest, &item->spec_digest, sizeof core->spec_newest) == 0) {
        return;
    }
    core->spec_newest = item->spec_digest;
    core->spec_newest_range = range;
    if (fl_map_find(&core->specs_seen, &item->spec_digest, sizeof item->spec_digest, &seen) &&
        seen == range) {
        return;
    }
    if (core->specs_seen.len >= SPECS_SEEN_MAX) fl_map_fini(&core->specs_seen);
    fl_map_put(&core->specs_seen, &item->spec_digest, sizeof item->spec_digest, range);
    core_batch_row(batch, &row);
}

static void accept_job(struct core *core, const struct core_event *event, struct core_batch *batch,
                       const struct core_submit_item *item, struct accepted *found,
                       struct core_outcome *outcome)
{
    struct shape_slot shape = found->shape.n ? found->shape : add_shape(core, batch, item->shape);
    struct bucket_slot bucket =
        queue_table_need_bucket(&core->queues, found->queue, item->priority, shape);
    struct job_slot slot = job_table_add(&core->jobs, (struct fl_job){core->job_next});
    struct row row = {.kind = ROW_job_new};
    struct job *job;

    fl_assert(bucket.n && slot.n); /* check_item looked */
    core->job_next++;
    job = job_table_at(&core->jobs, slot);
    job->owner = owner_table_need(&core->owners, event->tenant, event->owner);
    job->bucket = bucket;
    job->elements = item->elements;
    job->retries_max = (uint16_t)item->retries_max;
    job->is_held = item->is_held;
    job_table_put_deadline(&core->jobs, job, item->deadline_s);
    job_table_put_parallelism(&core->jobs, job, item->parallelism);
    queue_table_join(&core->queues, &core->jobs, slot);
    owner_table_join(&core->owners, job->owner, bucket);
    shape_table_ref(&core->shapes, shape);
    need_spec(core, batch, item, job->id);
    row.job_new = (struct row_job_new){
        .job = job->id,
        .tenant = event->tenant.n,
        .queue = found->queue.n,
        .shape = shape_table_at(&core->shapes, shape)->id,
        .priority = item->priority,
        .elements = item->elements,
        .spec = item->spec_digest,
        .retry_of = item->retry_of.n,
        .name = item->name,
        .labels = item->labels,
        .params = item->params,
        .owner = event->owner,
        .picked = item->picked,
        .deadline_s = item->deadline_s,
        .retries_max = (uint16_t)item->retries_max,
        .after = fl_dependencies_encode(found->after, found->after_len, &core->scratch),
        .is_singleton = item->is_singleton,
        .parallelism = item->parallelism};
    core_batch_row(batch, &row);
    core_job_wait(core, batch, slot, found->unmet, found->unmet_len);
    if (item->is_held) {
        struct row mark = {.kind = ROW_mark_set,
                           .mark_set = {.job = job->id, .kind = CORE_MARK_held, .value = 1}};

        core_batch_row(batch, &mark);
    }
    if (found->picks.len > 0) {
        struct row mark = {.kind = ROW_mark_set,
                           .mark_set = {.job = job->id,
                                        .kind = CORE_MARK_picked,
                                        .value = job->elements,
                                        .body = item->picked}};

        job_table_need_run(&core->jobs, job)->picks = found->picks;
        core_batch_row(batch, &mark);
    }
    if (found->each.n) core_pair_add(core, batch, slot, found->each);
    if (found->key.len > 0) {
        struct row mark = {
            .kind = ROW_mark_set,
            .mark_set = {
                .job = job->id, .kind = CORE_MARK_singleton, .value = 1, .body = found->key}};

        core_job_queue_up(core, slot, found->key);
        core_batch_row(batch, &mark);
    }
    core_job_place(core, slot);
    outcome->code = FL_OK;
    outcome->job.n = job->id;
}

/* Accepts or refuses one job. */
static void decide(struct core *core, const struct core_event *event, struct core_batch *batch,
                   size_t i, struct core_outcome *outcomes)
{
    const struct core_submit_item *item = &event->submit.at[i];
    struct accepted found;

    if (!check_item(core, event, item, outcomes, i, &found, &outcomes[i])) return;
    if (event->submit.is_dry) {
        fl_element_set_fini(&found.picks);
        outcomes[i].code = FL_OK;
    } else {
        accept_job(core, event, batch, item, &found, &outcomes[i]);
    }
}

/* A dry run of one job says whether it could ever run, also where it may wait; elsewhere it would
 * have been refused. */
static void say_where(struct core *core, const struct core_event *event, struct core_answer *answer)
{
    const struct shape_entry *entry;
    struct fl_err err = {0};

    if (answer->outcomes[0].code != FL_OK) return;
    entry = core_possible_entry(core, event->submit.at[0].shape, &err);
    fl_assert(entry); /* check_shape looked */
    answer->is_possible = !may_wait(core, event) || !core_possible_refusal(core, entry);
    if (event->submit.wants_verdicts) core_read_some_verdicts(core, entry, answer);
}

/* The outcomes that are final are kept under the key.  'found': how many were so before. */
static void keep_outcomes(struct core_batch *batch, const struct core_event *event,
                          const struct core_answer *answer, size_t found)
{
    struct row drop = {.kind = ROW_idempotency_drop,
                       .idempotency_drop = {.tenant = event->tenant.n, .key = event->key}};
    size_t final = 0;

    for (size_t i = 0; i < answer->outcomes_len; i++) {
        final += core_outcome_is_final(&answer->outcomes[i]);
    }
    if (final == found) return;
    if (event->submit.kept) core_batch_row(batch, &drop);
    core_keep_answer(batch, event, answer);
}

void core_submit(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    size_t found_before = 0;
    size_t len = event->submit.len;
    struct core_outcome *outcomes;
    struct core_effect effect = {.kind = CORE_ANSWER, .answer = {.request = event->request}};
    uint64_t first = core->job_next;

    if (len == 0 || len > CORE_SUBMIT_MAX) {
        core_answer_code(batch, event, FL_TOO_LARGE,
                         "one request has 1 to " FL_QUOTE(CORE_SUBMIT_MAX) " jobs");
        return;
    }
    outcomes = fl_arena_array(&core->scratch, struct core_outcome, len);
    feasibility_begin(&core->feasibility, &core->round.chooser.room, &core->clusters,
                      &core->resources);
    for (size_t i = 0; i < len; i++) {
        const struct core_outcome *kept = event->submit.kept ? &event->submit.kept[i] : NULL;

        if (kept && core_outcome_is_final(kept)) {
            outcomes[i] = *kept;
            found_before++;
        } else {
            decide(core, event, batch, i, outcomes);
        }
    }
    if (core->job_next > first) {
        char name[FL_JOB_NAME_MAX];

        fl_job_name((struct fl_job){first}, name);
        core_audit(batch, event, "submit %s+%" PRIu64, name, core->job_next - first);
    }
    effect.answer.outcomes = outcomes;
    effect.answer.outcomes_len = len;
    if (event->submit.is_dry && len == 1) say_where(core, event, &effect.answer);
    if (!event->submit.is_dry) keep_outcomes(batch, event, &effect.answer, found_before);
    if (event->request) core_batch_effect(batch, &effect);
}

void core_bound(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    struct core_effect effect = {.kind = CORE_ANSWER,
                                 .answer = {.request = event->request, .id = core->job_next}};

    core_keep_answer(batch, event, &effect.answer);
    if (event->request) core_batch_effect(batch, &effect);
}
