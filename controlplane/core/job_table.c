#include "controlplane/core/job_table.h"

#include "shared/base/assert.h"

_Static_assert(sizeof(struct job) <= 48, "a queued job is small");

static const struct element_slot none = {0};

void job_table_init(struct job_table *table, uint32_t jobs_max)
{
    *table = (struct job_table){0};
    fl_slab_init(&table->jobs, sizeof(struct job), jobs_max);
    fl_slab_init(&table->runs, sizeof(struct job_run), jobs_max);
}

void job_table_fini(struct job_table *table)
{
    struct job_slot slot;

    for (uint64_t id = 0; (slot.n = fl_page_map_next(&table->by_id, id, &id)) != 0; id++) {
        struct job_run *run = job_table_run(table, job_table_at(table, slot));

        if (!run) continue;
        fl_page_map_fini(&run->started);
        fl_element_set_fini(&run->picks);
    }
    fl_page_map_fini(&table->by_id);
    fl_page_map_fini(&table->deadlines);
    fl_page_map_fini(&table->revisions);
    fl_page_map_fini(&table->limits);
    fl_slab_fini(&table->runs);
    fl_slab_fini(&table->jobs);
}

struct job_slot job_table_next(const struct job_table *table, uint64_t from)
{
    uint64_t id;

    return (struct job_slot){fl_page_map_next(&table->by_id, from, &id)};
}

struct job_slot job_table_prev(const struct job_table *table, uint64_t before)
{
    uint64_t id;

    return (struct job_slot){fl_page_map_prev(&table->by_id, before, &id)};
}

struct job_slot job_table_add(struct job_table *table, struct fl_job job)
{
    struct job_slot slot = {fl_slab_take(&table->jobs)};

    if (!slot.n) return slot;
    fl_assert(!job_table_find(table, job).n);
    job_table_at(table, slot)->id = job.n;
    fl_page_map_put(&table->by_id, job.n, slot.n);
    return slot;
}

void job_table_remove(struct job_table *table, struct job_slot slot)
{
    struct job *job = job_table_at(table, slot);
    struct job_run *run = job_table_run(table, job);

    if (run) {
        fl_page_map_fini(&run->started);
        fl_element_set_fini(&run->picks);
        fl_slab_give(&table->runs, job->run.n);
    }
    fl_page_map_remove(&table->by_id, job->id);
    fl_page_map_remove(&table->deadlines, job->id);
    fl_page_map_remove(&table->revisions, job->id);
    fl_page_map_remove(&table->limits, job->id);
    fl_slab_give(&table->jobs, slot.n);
}

void job_table_put_deadline(struct job_table *table, const struct job *job, uint32_t deadline_s)
{
    if (deadline_s) {
        fl_page_map_put(&table->deadlines, job->id, deadline_s);
    } else {
        fl_page_map_remove(&table->deadlines, job->id);
    }
}

void job_table_put_parallelism(struct job_table *table, const struct job *job, uint32_t parallelism)
{
    if (parallelism) {
        fl_page_map_put(&table->limits, job->id, parallelism);
    } else {
        fl_page_map_remove(&table->limits, job->id);
    }
}

uint32_t job_table_starts_left(const struct job_table *table, const struct job *job)
{
    const struct job_run *run = job_table_run(table, job);
    uint32_t parallelism = job->elements > 1 ? job_table_parallelism(table, job) : 0;
    uint32_t live = run ? run->live : 0;

    if (!parallelism) return UINT32_MAX;
    return live < parallelism ? parallelism - live : 0;
}

void job_table_put_revision(struct job_table *table, const struct job *job, uint32_t revision)
{
    fl_page_map_put(&table->revisions, job->id, revision);
}

enum job_state job_table_state(const struct job_table *table, const struct job *job)
{
    const struct job_run *run = job_table_run(table, job);

    if (run && run->stop != REASON_none) return JOB_stopping;
    if (run && run->running > 0) return JOB_running;
    if (run && run->live > 0) return JOB_starting;
    return job->is_held ? JOB_held : JOB_queued;
}

struct job_run *job_table_need_run(struct job_table *table, struct job *job)
{
    if (!job->run.n) {
        job->run.n = fl_slab_take(&table->runs);
        fl_assert(job->run.n); /* 'runs' has as many slots as 'jobs' */
    }
    return job_table_run(table, job);
}

static const struct fl_element_set *picks_of(const struct job_table *table, const struct job *job)
{
    const struct job_run *run = job_table_run(table, job);

    return run && run->picks.len > 0 ? &run->picks : NULL;
}

uint32_t job_table_number(const struct job_table *table, const struct job *job, uint32_t place)
{
    const struct fl_element_set *picks = picks_of(table, job);

    return picks ? fl_element_set_nth(picks, place) : place;
}

uint32_t job_table_place(const struct job_table *table, const struct job *job, uint32_t element)
{
    const struct fl_element_set *picks = picks_of(table, job);

    return picks ? fl_element_set_rank(picks, element) : element;
}

bool job_table_has_element(const struct job_table *table, const struct job *job, uint32_t element)
{
    const struct fl_element_set *picks = picks_of(table, job);

    return picks ? fl_element_set_has(picks, element) : element < job->elements;
}

uint32_t job_table_take_fresh(struct job_table *table, struct job *job)
{
    struct job_run *run = job_table_run(table, job);
    uint32_t place = job->elements_next++;

    if (run && run->pair) {
        place = pair_first_ready(run->pair);
        fl_assert(pair_take(run->pair, place));
    }
    return job_table_number(table, job, place);
}

struct element_slot job_table_element(const struct job_table *table, const struct job *job,
                                      uint32_t element)
{
    const struct job_run *run = job_table_run(table, job);

    if (!run) return none;
    if (job->elements > 1) return (struct element_slot){fl_page_map_find(&run->started, element)};
    return job_table_has_element(table, job, element) ? run->only : none;
}

void job_table_put_element(struct job_table *table, struct job *job, uint32_t element,
                           struct element_slot slot)
{
    struct job_run *run = job_table_need_run(table, job);

    fl_assert(job_table_has_element(table, job, element));
    fl_assert(!job_table_element(table, job, element).n);
    if (job->elements == 1) {
        run->only = slot;
    } else {
        fl_page_map_put(&run->started, element, slot.n);
    }
}

void job_table_remove_element(struct job_table *table, struct job *job, uint32_t element)
{
    struct job_run *run = job_table_run(table, job);

    if (job->elements == 1) {
        run->only = none;
    } else {
        fl_page_map_remove(&run->started, element);
    }
}

struct element_slot job_table_next_element(const struct job_table *table, const struct job *job,
                                           uint32_t from, uint32_t *ret_element)
{
    const struct job_run *run = job_table_run(table, job);
    struct element_slot slot = {0};
    uint64_t element = 0;

    if (!run) return none;
    if (job->elements == 1) {
        element = job_table_number(table, job, 0);
        if (from <= element) slot = run->only;
    } else {
        slot.n = fl_page_map_next(&run->started, from, &element);
    }
    if (slot.n) *ret_element = (uint32_t)element;
    return slot;
}

size_t job_table_hot_bytes(const struct job_table *table)
{
    return fl_slab_bytes(&table->jobs) + fl_page_map_bytes(&table->by_id) +
           fl_page_map_bytes(&table->deadlines) + fl_page_map_bytes(&table->revisions) +
           fl_page_map_bytes(&table->limits);
}
