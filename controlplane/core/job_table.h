/* job_table.h - the open jobs: a small record each, and a larger one once something of it has
 * started.  A queued job costs its record and four bytes of index, and four bytes more each if it
 * has a deadline or a parallelism.  That is all the memory that grows with the queue: specs and
 * names are in Postgres, elements exist once they start.
 * Uses shared/base only.  Not thread-safe: the core owns it and is its only caller. */
#pragma once

#include "controlplane/core/job.h"
#include "controlplane/core/pair_table.h"
#include "controlplane/core/slot.h"
#include "shared/base/element_set.h"
#include "shared/base/page_map.h"
#include "shared/base/slab.h"
#include "shared/base/types.h"

enum job_place {
    JOB_OUT,      /* in no bucket: held, stopping, or all it has is running or waiting */
    JOB_IN_LINE,  /* in its bucket, in the line of those that came in order */
    JOB_RETURNED, /* in its bucket, among those that came back */
    JOB_READY,    /* in its bucket, among those with an element that is ready to start again */
};

struct job {
    uint64_t id;
    struct owner_slot owner;      /* its tenant, and who brought it; see owner_table.h */
    struct bucket_slot bucket;    /* queue, priority and shape */
    struct job_slot left, right;  /* neighbours in line, or children among the returned */
    struct job_slot older, newer; /* the jobs of its queue by id; children if it was moved */
    uint32_t elements;
    uint32_t elements_next; /* the first that never started; in a pair: how many began */
    struct run_slot run;    /* none: nothing has started yet */
    uint16_t retries_max;
    uint8_t place; /* enum job_place */
    bool is_held : 1;
    bool is_after : 1;      /* it waits for other jobs, see dependency_table.h */
    bool is_moved : 1;      /* it came from another queue */
    bool is_singleton : 1;  /* it runs alone under its name, see singleton_table.h */
    uint8_t counted_as : 3; /* enum job_state: its queue counts it so */
};

/* A job has one once an element of it started; a job of chosen elements has one from the start. */
struct job_run {
    struct element_slot only;   /* a plain job's element */
    struct fl_page_map started; /* an array's: element -> slot, for those not ended */
    /* May start again now, in the order they became so. */
    struct element_slot ready_first, ready_last;
    uint32_t live;    /* elements with a live attempt */
    uint32_t running; /* live elements with a replica seen running */
    uint32_t unknown; /* live elements on a cluster that is silent */
    uint32_t overdue; /* live elements whose STOP has had no answer in time */
    uint32_t succeeded, failed, cancelled;
    uint32_t unplaced;   /* ended without an attempt; counted in these, too */
    uint16_t stop;       /* enum reason: cancel or deadline; none: goes on */
    bool is_swept;       /* its elements are being walked in slices, since it is stopped ... */
    uint32_t sweep_from; /* ... from this one on */
    struct fl_element_set picks; /* the numbers of its elements, where these are not 0, 1, ... */
    fl_ms first_start;           /* 0: not yet, or it has no deadline */
    struct pair *pair;       /* its elements wait for those of another array; NULL: they do not */
    struct pair *dependents; /* arrays of which the elements wait for its own */
};

struct job_table {
    struct fl_slab jobs;
    struct fl_slab runs;
    struct fl_page_map by_id;     /* -> slot */
    struct fl_page_map deadlines; /* id -> seconds, of the few jobs that have one */
    struct fl_page_map revisions; /* id -> how many times it was edited, of the few that were */
    struct fl_page_map limits;    /* id -> elements that may run at once, of the few that say it */
};

void job_table_init(struct job_table *table, uint32_t jobs_max);
void job_table_fini(struct job_table *table);

static inline struct job *job_table_at(const struct job_table *table, struct job_slot slot)
{
    return fl_slab_at(&table->jobs, slot.n);
}

static inline struct job_run *job_table_run(const struct job_table *table, const struct job *job)
{
    return job->run.n ? fl_slab_at(&table->runs, job->run.n) : NULL;
}

/* None: no open job has this id. */
static inline struct job_slot job_table_find(const struct job_table *table, struct fl_job job)
{
    return (struct job_slot){fl_page_map_find(&table->by_id, job.n)};
}

/* The open job with the smallest id >= from. */
struct job_slot job_table_next(const struct job_table *table, uint64_t from);

/* The open job with the greatest id < before. */
struct job_slot job_table_prev(const struct job_table *table, uint64_t before);

/* None: jobs_max are open. */
struct job_slot job_table_add(struct job_table *table, struct fl_job job);
void job_table_remove(struct job_table *table, struct job_slot slot);

/* For how many seconds it may go on from its first start; 0: no deadline. */
void job_table_put_deadline(struct job_table *table, const struct job *job, uint32_t deadline_s);
static inline uint32_t job_table_deadline_s(const struct job_table *table, const struct job *job)
{
    return fl_page_map_find(&table->deadlines, job->id);
}

/* So many of its elements may have a live attempt at the same time; 0: all. */
void job_table_put_parallelism(struct job_table *table, const struct job *job,
                               uint32_t parallelism);
static inline uint32_t job_table_parallelism(const struct job_table *table, const struct job *job)
{
    return fl_page_map_find(&table->limits, job->id);
}

/* So many further elements may get an attempt now, as far as its parallelism goes. */
uint32_t job_table_starts_left(const struct job_table *table, const struct job *job);

/* How many times it was edited. */
void job_table_put_revision(struct job_table *table, const struct job *job, uint32_t revision);
static inline uint32_t job_table_revision(const struct job_table *table, const struct job *job)
{
    return fl_page_map_find(&table->revisions, job->id);
}

/* How many of its elements may start for the first time. */
static inline uint32_t job_table_fresh(const struct job_table *table, const struct job *job)
{
    const struct job_run *run = job_table_run(table, job);

    return run && run->pair ? run->pair->ready_len : job->elements - job->elements_next;
}
/* The next of these, by its number: it begins. */
uint32_t job_table_take_fresh(struct job_table *table, struct job *job);

/* An open job's. */
enum job_state job_table_state(const struct job_table *table, const struct job *job);

/* The job's run, made if it is not there. */
struct job_run *job_table_need_run(struct job_table *table, struct job *job);

/* Its elements' numbers, and their places in the order in which they start first. */
uint32_t job_table_number(const struct job_table *table, const struct job *job, uint32_t place);
uint32_t job_table_place(const struct job_table *table, const struct job *job, uint32_t element);
bool job_table_has_element(const struct job_table *table, const struct job *job, uint32_t element);

/* None: it has not started, or has ended. */
struct element_slot job_table_element(const struct job_table *table, const struct job *job,
                                      uint32_t element);
void job_table_put_element(struct job_table *table, struct job *job, uint32_t element,
                           struct element_slot slot);
void job_table_remove_element(struct job_table *table, struct job *job, uint32_t element);
/* The smallest element >= from that has started and not ended. */
struct element_slot job_table_next_element(const struct job_table *table, const struct job *job,
                                           uint32_t from, uint32_t *ret_element);

size_t job_table_hot_bytes(const struct job_table *table);
