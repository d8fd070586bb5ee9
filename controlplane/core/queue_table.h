/* queue_table.h - the queues, and in each its buckets: the jobs of one priority and one shape, by
 * age.  Jobs of a bucket are equal to the scheduler, so it only ever looks at the oldest one: where
 * that one does not fit, none of them does.  Names are unique per tenant.
 * Uses shared/base and job_table.  Not thread-safe: the core owns it and is its only caller. */
#pragma once

#include "controlplane/core/job_table.h"
#include "controlplane/core/shape.h"
#include "controlplane/core/slot.h"
#include "shared/base/err.h"
#include "shared/base/map.h"
#include "shared/base/str.h"
#include "shared/base/vec.h"

struct bucket {
    struct fl_queue_id queue;
    struct shape_slot shape;
    int32_t priority;
    struct job_slot line_first, line_last; /* linked by left and right */
    struct job_slot returned, ready;       /* roots of job trees */
    uint32_t jobs; /* open jobs of this bucket, in it or out; 0: it is freed */
    uint8_t why;   /* enum reason: why the head did not start when last tried */
};

struct claim_part {
    uint32_t node; /* index in its cluster's nodes */
    struct fl_resources room;
    uint64_t named[SHAPE_KINDS_MAX]; /* and of what its job asks for by name */
    uint8_t kind_numbers[SHAPE_KINDS_MAX], kinds_len;
};

static inline struct named_requests claim_part_wants(const struct claim_part *part)
{
    return (struct named_requests){part->kind_numbers, part->named, part->kinds_len};
}

/* The claim of a queue's first job that waits for room: enough of some nodes of one cluster for its
 * next start.  Jobs of one shape are alike: the first of them in the queue may use it.  The nodes
 * count their claimed room themselves. */
struct claim {
    struct fl_cluster cluster;       /* none: there is no claim */
    uint32_t shape;                  /* its id */
    FL_VEC(struct claim_part) parts; /* a node each */
    FL_VEC(uint32_t) nodes;          /* one for each replica, when it starts just there */
};

struct queue {
    struct fl_queue_id id;
    struct fl_tenant tenant;
    bool is_paused;
    bool is_removed; /* only its name is known, for the jobs that it had */
    bool has_default_cpu;
    uint32_t default_cpu_milli; /* for replicas that ask for no CPU; the API gives it to them */
    uint32_t jobs;              /* open */
    uint32_t in_state[JOB_OPEN_STATES_LEN + 1]; /* so many of them, by enum job_state */
    struct job_slot newest;                     /* the first of them, linked by 'older' ... */
    struct job_slot moved; /* ... but for those that came from another queue: a job tree */
    char name[FL_NAME_BYTES_MAX + 1];
    FL_VEC(struct bucket_slot) buckets; /* by priority falling, then shape */
    struct claim claim;                 /* its first job's that fits nowhere now */
};

struct queue_table {
    FL_VEC(struct queue) queues; /* id i + 1 is at[i], also of removed ones */
    struct fl_map by_name;       /* tenant and name -> id, likewise */
    struct fl_slab buckets;
    uint32_t queues_max;
    FL_VEC(struct fl_queue_id) ids; /* those not removed, in order */
};

/* A removed queue keeps its id and its name for ever: so many can come and go for each that may be
 * there at a time. */
enum { QUEUE_TURNS_MAX = 16 };

void queue_table_init(struct queue_table *table, uint32_t queues_max, uint32_t buckets_max);
void queue_table_fini(struct queue_table *table);

static inline struct queue *queue_table_at(const struct queue_table *table, struct fl_queue_id id)
{
    fl_assert(id.n - 1 < table->queues.len);
    return &table->queues.at[id.n - 1];
}

static inline struct bucket *queue_table_bucket(const struct queue_table *table,
                                                struct bucket_slot slot)
{
    return fl_slab_at(&table->buckets, slot.n);
}

/* None: not there, or removed. */
struct fl_queue_id queue_table_find(const struct queue_table *table, struct fl_tenant tenant,
                                    struct fl_str name);

/* A new queue gets the next id, which must be 'id' if one is given; one that was removed gets its
 * own again.  FL_INVALID: no name; FL_EXISTS; FL_FULL. */
FL_CHECK bool queue_table_add(struct queue_table *table, struct fl_queue_id id,
                              struct fl_tenant tenant, struct fl_str name,
                              struct fl_queue_id *ret_id, struct fl_err *err);

/* The queue has no open job, and no claim. */
void queue_table_drop(struct queue_table *table, struct fl_queue_id id);

/* The bucket for jobs like this; made if it is not there.  None: there are as many as can be. */
struct bucket_slot queue_table_need_bucket(struct queue_table *table, struct fl_queue_id queue,
                                           int32_t priority, struct shape_slot shape);

/* None: it is not there.  No shape: one that is not there yet.  And whether one could be made. */
struct bucket_slot queue_table_find_bucket(const struct queue_table *table,
                                           struct fl_queue_id queue, int32_t priority,
                                           struct shape_slot shape);
bool queue_table_has_room(const struct queue_table *table);

/* Counts an open job, which knows its bucket, in or out; the bucket goes with its last job.  Jobs
 * join in the order of their ids. */
void queue_table_join(struct queue_table *table, const struct job_table *jobs, struct job_slot job);
void queue_table_leave(struct queue_table *table, const struct job_table *jobs,
                       struct job_slot job);

/* To be called when a joined job's state may have changed: its queue counts it as it is now. */
void queue_table_recount(struct queue_table *table, const struct job_table *jobs,
                         struct job_slot job);

/* Out of its bucket; its own is this one from now on, perhaps of another queue: to be entered. */
void queue_table_move(struct queue_table *table, const struct job_table *jobs, struct job_slot job,
                      struct bucket_slot bucket);

/* Puts the job where its age belongs, or takes it out; nothing when it is there, or out, already.
 * To be called again when its list of ready elements becomes empty, or no longer is. */
void queue_table_enter(struct queue_table *table, const struct job_table *jobs,
                       struct job_slot job);
void queue_table_remove(struct queue_table *table, const struct job_table *jobs,
                        struct job_slot job);

/* The oldest job in the bucket.  'is_ready': only jobs that need no new element count. */
struct job_slot queue_table_first(const struct queue_table *table, const struct job_table *jobs,
                                  struct bucket_slot bucket, bool is_ready);
/* The next one behind a job that is there.  'line' is the first of the bucket's line behind it; the
 * caller keeps it on its way through the bucket. */
struct job_slot queue_table_after(const struct queue_table *table, const struct job_table *jobs,
                                  struct bucket_slot bucket, struct job_slot job,
                                  struct job_slot line, bool is_ready);
