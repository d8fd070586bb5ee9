#include "controlplane/core/job_tree.h"

#include "shared/base/assert.h"
#include "shared/base/hash.h"

static const struct job_slot none = {0};

static uint64_t weight(const struct job *job)
{
    return fl_hash_u64(0, job->id);
}

/* The roots of the jobs with smaller ids, and with greater ones, below this one. */
static struct job_slot *less_of(struct job *job, enum job_links links)
{
    return links == JOB_LINKS_OF_QUEUE ? &job->older : &job->left;
}

static struct job_slot *more_of(struct job *job, enum job_links links)
{
    return links == JOB_LINKS_OF_QUEUE ? &job->newer : &job->right;
}

/* Splits into the jobs with an id below 'id' and the others. */
static void split(const struct job_table *jobs, enum job_links links, struct job_slot root,
                  uint64_t id, struct job_slot *ret_less, struct job_slot *ret_rest)
{
    struct job *job;

    if (!root.n) {
        *ret_less = *ret_rest = none;
        return;
    }
    job = job_table_at(jobs, root);
    if (job->id < id) {
        struct job_slot *more = more_of(job, links);

        split(jobs, links, *more, id, more, ret_rest);
        *ret_less = root;
    } else {
        struct job_slot *less = less_of(job, links);

        split(jobs, links, *less, id, ret_less, less);
        *ret_rest = root;
    }
}

/* Every id of 'less' is less than every id of 'rest'. */
static struct job_slot join(const struct job_table *jobs, enum job_links links,
                            struct job_slot less, struct job_slot rest)
{
    struct job *a, *b;

    if (!less.n) return rest;
    if (!rest.n) return less;
    a = job_table_at(jobs, less);
    b = job_table_at(jobs, rest);
    if (weight(a) > weight(b)) {
        *more_of(a, links) = join(jobs, links, *more_of(a, links), rest);
        return less;
    }
    *less_of(b, links) = join(jobs, links, less, *less_of(b, links));
    return rest;
}

struct job_slot job_tree_add(const struct job_table *jobs, enum job_links links,
                             struct job_slot root, struct job_slot slot)
{
    struct job *job = job_table_at(jobs, slot);
    struct job_slot *link = &root;

    while (link->n && weight(job_table_at(jobs, *link)) > weight(job)) {
        struct job *at = job_table_at(jobs, *link);

        link = job->id < at->id ? less_of(at, links) : more_of(at, links);
    }
    split(jobs, links, *link, job->id, less_of(job, links), more_of(job, links));
    *link = slot;
    return root;
}

struct job_slot job_tree_remove(const struct job_table *jobs, enum job_links links,
                                struct job_slot root, struct job_slot slot)
{
    struct job *job = job_table_at(jobs, slot);
    struct job_slot *link = &root;

    while (link->n != slot.n) {
        struct job *at;

        fl_assert(link->n);
        at = job_table_at(jobs, *link);
        link = job->id < at->id ? less_of(at, links) : more_of(at, links);
    }
    *link = join(jobs, links, *less_of(job, links), *more_of(job, links));
    *less_of(job, links) = *more_of(job, links) = none;
    return root;
}

struct job_slot job_tree_first(const struct job_table *jobs, enum job_links links,
                               struct job_slot root)
{
    while (root.n && less_of(job_table_at(jobs, root), links)->n) {
        root = *less_of(job_table_at(jobs, root), links);
    }
    return root;
}

struct job_slot job_tree_after(const struct job_table *jobs, enum job_links links,
                               struct job_slot root, uint64_t id)
{
    struct job_slot after = none;

    while (root.n) {
        struct job *job = job_table_at(jobs, root);

        if (job->id > id) after = root;
        root = job->id > id ? *less_of(job, links) : *more_of(job, links);
    }
    return after;
}

struct job_slot job_tree_before(const struct job_table *jobs, enum job_links links,
                                struct job_slot root, uint64_t id)
{
    struct job_slot before = none;

    while (root.n) {
        struct job *job = job_table_at(jobs, root);

        if (job->id < id) before = root;
        root = job->id < id ? *more_of(job, links) : *less_of(job, links);
    }
    return before;
}
