#include "controlplane/core/queue_table.h"

#include <string.h>

#include "controlplane/core/job_tree.h"
#include "shared/base/assert.h"

static const struct job_slot none = {0};

void queue_table_init(struct queue_table *table, uint32_t queues_max, uint32_t buckets_max)
{
    memset(table, 0, sizeof *table);
    table->queues_max = queues_max;
    fl_slab_init(&table->buckets, sizeof(struct bucket), buckets_max);
}

void queue_table_fini(struct queue_table *table)
{
    for (size_t i = 0; i < table->queues.len; i++) {
        fl_vec_fini(&table->queues.at[i].buckets);
        fl_vec_fini(&table->queues.at[i].claim.parts);
        fl_vec_fini(&table->queues.at[i].claim.nodes);
    }
    fl_vec_fini(&table->queues);
    fl_vec_fini(&table->ids);
    fl_map_fini(&table->by_name);
    fl_slab_fini(&table->buckets);
}

struct name_key {
    uint32_t tenant;
    char name[FL_NAME_BYTES_MAX + 1];
};

static struct name_key name_key(struct fl_tenant tenant, struct fl_str name)
{
    struct name_key key;

    memset(&key, 0, sizeof key);
    key.tenant = tenant.n;
    memcpy(key.name, name.at, name.len);
    return key;
}

/* The queue of this name, even if it is removed. */
static struct fl_queue_id find_any(const struct queue_table *table, struct fl_tenant tenant,
                                   struct fl_str name)
{
    struct name_key key;
    uint64_t id = 0;

    if (name.len == 0 || name.len > FL_NAME_BYTES_MAX) return (struct fl_queue_id){0};
    key = name_key(tenant, name);
    (void)fl_map_find(&table->by_name, &key, sizeof key, &id);
    return (struct fl_queue_id){(uint32_t)id};
}

struct fl_queue_id queue_table_find(const struct queue_table *table, struct fl_tenant tenant,
                                    struct fl_str name)
{
    struct fl_queue_id id = find_any(table, tenant, name);

    return id.n && !queue_table_at(table, id)->is_removed ? id : (struct fl_queue_id){0};
}

bool queue_table_add(struct queue_table *table, struct fl_queue_id id, struct fl_tenant tenant,
                     struct fl_str name, struct fl_queue_id *ret_id, struct fl_err *err)
{
    struct fl_queue_id next = {(uint32_t)table->queues.len + 1};
    struct fl_queue_id known = find_any(table, tenant, name);
    struct queue queue = {.id = next, .tenant = tenant};
    struct name_key key;

    if (!fl_str_is_name(name)) {
        return fl_fail(err, FL_INVALID, "a queue's name is " FL_NAME_ALLOWED);
    }
    if (known.n && (id.n || !queue_table_at(table, known)->is_removed)) {
        return fl_fail(err, FL_EXISTS, "queue " FL_STR_FMT " is there already", FL_STR_ARG(name));
    }
    if (id.n == 0 && table->ids.len >= table->queues_max) {
        return fl_fail(err, FL_FULL,
                       "there are %zu queues, the most there can be; remove one that is empty",
                       table->ids.len);
    }
    if (id.n == 0 && !known.n && next.n > (uint64_t)QUEUE_TURNS_MAX * table->queues_max) {
        return fl_fail(err, FL_FULL,
                       "queues had %zu names since the beginning, the most there can be; take the "
                       "name of a removed one",
                       table->queues.len);
    }
    if (id.n != 0 && id.n != next.n) {
        return fl_fail(err, FL_TORN, "queue %u comes where queue %u is next", id.n, next.n);
    }
    *ret_id = known.n ? known : next;
    fl_vec_insert(&table->ids, fl_vec_lower_bound(&table->ids, n, ret_id->n), *ret_id);
    if (known.n) {
        queue_table_at(table, known)->is_removed = false;
        return true;
    }
    memcpy(queue.name, name.at, name.len);
    fl_vec_push(&table->queues, queue);
    key = name_key(tenant, name);
    fl_map_put(&table->by_name, &key, sizeof key, next.n);
    return true;
}

void queue_table_drop(struct queue_table *table, struct fl_queue_id id)
{
    struct queue *queue = queue_table_at(table, id);

    fl_assert(queue->jobs == 0 && !queue->claim.cluster.n && !queue->is_removed);
    queue->is_removed = true;
    queue->is_paused = false;
    fl_vec_remove(&table->ids, fl_vec_lower_bound(&table->ids, n, id.n));
}

/* Where in the queue's list a bucket of this kind is, or belongs. */
static size_t bucket_place(const struct queue_table *table, const struct queue *queue,
                           int32_t priority, struct shape_slot shape)
{
    size_t low = 0, high = queue->buckets.len;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const struct bucket *bucket = queue_table_bucket(table, queue->buckets.at[mid]);

        if (bucket->priority > priority ||
            (bucket->priority == priority && bucket->shape.n < shape.n)) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

/* ret_place: where it is, or belongs. */
static struct bucket_slot find_bucket(const struct queue_table *table, const struct queue *queue,
                                      int32_t priority, struct shape_slot shape, size_t *ret_place)
{
    const struct bucket *bucket;
    struct bucket_slot slot;

    *ret_place = bucket_place(table, queue, priority, shape);
    if (*ret_place == queue->buckets.len) return (struct bucket_slot){0};
    slot = queue->buckets.at[*ret_place];
    bucket = queue_table_bucket(table, slot);
    return bucket->priority == priority && bucket->shape.n == shape.n ? slot
                                                                      : (struct bucket_slot){0};
}

bool queue_table_has_room(const struct queue_table *table)
{
    return table->buckets.len < table->buckets.records_max;
}

struct bucket_slot queue_table_find_bucket(const struct queue_table *table,
                                           struct fl_queue_id queue, int32_t priority,
                                           struct shape_slot shape)
{
    size_t place;

    return find_bucket(table, queue_table_at(table, queue), priority, shape, &place);
}

struct bucket_slot queue_table_need_bucket(struct queue_table *table, struct fl_queue_id id,
                                           int32_t priority, struct shape_slot shape)
{
    struct queue *queue = queue_table_at(table, id);
    size_t place;
    struct bucket_slot slot = find_bucket(table, queue, priority, shape, &place);
    struct bucket *bucket;

    if (slot.n) return slot;
    slot.n = fl_slab_take(&table->buckets);
    if (!slot.n) return slot;
    bucket = queue_table_bucket(table, slot);
    bucket->queue = id;
    bucket->priority = priority;
    bucket->shape = shape;
    fl_vec_insert(&queue->buckets, place, slot);
    return slot;
}

void queue_table_recount(struct queue_table *table, const struct job_table *jobs,
                         struct job_slot slot)
{
    struct job *job = job_table_at(jobs, slot);
    struct queue *queue = queue_table_at(table, queue_table_bucket(table, job->bucket)->queue);
    enum job_state state = job_table_state(jobs, job);

    if (job->counted_as == state) return;
    queue->in_state[job->counted_as]--;
    queue->in_state[state]++;
    job->counted_as = state & 7U;
}

void queue_table_join(struct queue_table *table, const struct job_table *jobs,
                      struct job_slot job_slot)
{
    struct job *job = job_table_at(jobs, job_slot);
    struct bucket *bucket = queue_table_bucket(table, job->bucket);
    struct queue *queue = queue_table_at(table, bucket->queue);

    bucket->jobs++;
    queue->jobs++;
    job->counted_as = job_table_state(jobs, job) & 7U;
    queue->in_state[job->counted_as]++;
    job->older = queue->newest;
    job->newer = none;
    if (queue->newest.n) {
        struct job *older = job_table_at(jobs, queue->newest);

        fl_assert(older->id < job->id);
        older->newer = job_slot;
    }
    queue->newest = job_slot;
}

/* Out of its queue's line of ids, or of its tree of those that came from another queue. */
static void unlink_job(struct queue *queue, const struct job_table *jobs, struct job_slot slot)
{
    struct job *job = job_table_at(jobs, slot);

    if (job->is_moved) {
        queue->moved = job_tree_remove(jobs, JOB_LINKS_OF_QUEUE, queue->moved, slot);
        job->is_moved = false;
        return;
    }
    if (job->older.n) job_table_at(jobs, job->older)->newer = job->newer;
    if (job->newer.n) {
        job_table_at(jobs, job->newer)->older = job->older;
    } else {
        queue->newest = job->older;
    }
    job->older = job->newer = none;
}

static void leave_bucket(struct queue_table *table, struct bucket_slot slot)
{
    struct bucket *bucket = queue_table_bucket(table, slot);
    struct queue *queue = queue_table_at(table, bucket->queue);
    size_t place;

    fl_assert(bucket->jobs > 0);
    if (--bucket->jobs > 0) return;
    fl_assert(!bucket->line_first.n && !bucket->returned.n && !bucket->ready.n);
    place = bucket_place(table, queue, bucket->priority, bucket->shape);
    fl_assert(queue->buckets.at[place].n == slot.n);
    fl_vec_remove(&queue->buckets, place);
    fl_slab_give(&table->buckets, slot.n);
}

void queue_table_leave(struct queue_table *table, const struct job_table *jobs,
                       struct job_slot job_slot)
{
    struct bucket_slot slot = job_table_at(jobs, job_slot)->bucket;
    struct queue *queue = queue_table_at(table, queue_table_bucket(table, slot)->queue);

    queue->jobs--;
    queue->in_state[job_table_at(jobs, job_slot)->counted_as]--;
    unlink_job(queue, jobs, job_slot);
    leave_bucket(table, slot);
}

void queue_table_move(struct queue_table *table, const struct job_table *jobs,
                      struct job_slot job_slot, struct bucket_slot slot)
{
    struct job *job = job_table_at(jobs, job_slot);
    struct bucket_slot before = job->bucket;
    struct queue *from = queue_table_at(table, queue_table_bucket(table, before)->queue);
    struct queue *to = queue_table_at(table, queue_table_bucket(table, slot)->queue);

    queue_table_remove(table, jobs, job_slot);
    if (from != to) {
        from->jobs--;
        from->in_state[job->counted_as]--;
        unlink_job(from, jobs, job_slot);
        to->jobs++;
        to->in_state[job->counted_as]++;
        to->moved = job_tree_add(jobs, JOB_LINKS_OF_QUEUE, to->moved, job_slot);
        job->is_moved = true;
    }
    job->bucket = slot;
    queue_table_bucket(table, slot)->jobs++;
    leave_bucket(table, before);
}

void queue_table_enter(struct queue_table *table, const struct job_table *jobs,
                       struct job_slot slot)
{
    struct job *job = job_table_at(jobs, slot);
    struct bucket *bucket = queue_table_bucket(table, job->bucket);
    const struct job_run *run = job_table_run(jobs, job);
    bool is_ready = run && run->ready_first.n;

    if ((job->place == JOB_READY) != is_ready) queue_table_remove(table, jobs, slot);
    if (job->place != JOB_OUT) return;
    if (is_ready) {
        job->place = JOB_READY;
        bucket->ready = job_tree_add(jobs, JOB_LINKS_OF_BUCKET, bucket->ready, slot);
        return;
    }
    if (bucket->line_last.n && job_table_at(jobs, bucket->line_last)->id > job->id) {
        job->place = JOB_RETURNED;
        bucket->returned = job_tree_add(jobs, JOB_LINKS_OF_BUCKET, bucket->returned, slot);
        return;
    }
    job->place = JOB_IN_LINE;
    job->left = bucket->line_last;
    job->right = none;
    if (bucket->line_last.n) {
        job_table_at(jobs, bucket->line_last)->right = slot;
    } else {
        bucket->line_first = slot;
    }
    bucket->line_last = slot;
}

void queue_table_remove(struct queue_table *table, const struct job_table *jobs,
                        struct job_slot slot)
{
    struct job *job = job_table_at(jobs, slot);
    struct bucket *bucket = queue_table_bucket(table, job->bucket);

    if (job->place == JOB_OUT) return;
    if (job->place == JOB_READY) {
        bucket->ready = job_tree_remove(jobs, JOB_LINKS_OF_BUCKET, bucket->ready, slot);
    } else if (job->place == JOB_RETURNED) {
        bucket->returned = job_tree_remove(jobs, JOB_LINKS_OF_BUCKET, bucket->returned, slot);
    } else {
        if (job->left.n) {
            job_table_at(jobs, job->left)->right = job->right;
        } else {
            bucket->line_first = job->right;
        }
        if (job->right.n) {
            job_table_at(jobs, job->right)->left = job->left;
        } else {
            bucket->line_last = job->left;
        }
    }
    job->place = JOB_OUT;
    job->left = job->right = none;
}

static struct job_slot older(const struct job_table *jobs, struct job_slot a, struct job_slot b)
{
    if (!a.n || !b.n) return a.n ? a : b;
    return job_table_at(jobs, a)->id < job_table_at(jobs, b)->id ? a : b;
}

struct job_slot queue_table_first(const struct queue_table *table, const struct job_table *jobs,
                                  struct bucket_slot slot, bool is_ready)
{
    const struct bucket *bucket = queue_table_bucket(table, slot);
    struct job_slot ready = job_tree_first(jobs, JOB_LINKS_OF_BUCKET, bucket->ready);

    if (is_ready) return ready;
    return older(jobs,
                 older(jobs, job_tree_first(jobs, JOB_LINKS_OF_BUCKET, bucket->returned), ready),
                 bucket->line_first);
}

struct job_slot queue_table_after(const struct queue_table *table, const struct job_table *jobs,
                                  struct bucket_slot slot, struct job_slot job,
                                  struct job_slot line, bool is_ready)
{
    const struct bucket *bucket = queue_table_bucket(table, slot);
    uint64_t id = job_table_at(jobs, job)->id;
    struct job_slot ready = job_tree_after(jobs, JOB_LINKS_OF_BUCKET, bucket->ready, id);

    if (is_ready) return ready;
    return older(
        jobs, older(jobs, job_tree_after(jobs, JOB_LINKS_OF_BUCKET, bucket->returned, id), ready),
        line);
}
