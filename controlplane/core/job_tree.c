#include "controlplane/core/job_tree.h"

#include "shared/base/assert.h"
#include "shared/base/hash.h"

static const struct job_slot none = {0};

static uint64_t weight(const struct job *job)
{
    return fl_hash_u64(0, job->id);
}

/* Splits into the jobs with an id below 'id' and the others. */
static void split(const struct job_table *jobs, struct job_slot root, uint64_t id,
                  struct job_slot *ret_less, struct job_slot *ret_rest)
{
    struct job *job;

    if (!root.n) {
        *ret_less = *ret_rest = none;
        return;
    }
    job = job_table_at(jobs, root);
    if (job->id < id) {
        split(jobs, job->right, id, &job->right, ret_rest);
        *ret_less = root;
    } else {
        split(jobs, job->left, id, ret_less, &job->left);
        *ret_rest = root;
    }
}

/* Every id of 'less' is less than every id of 'rest'. */
static struct job_slot join(const struct job_table *jobs, struct job_slot less,
                            struct job_slot rest)
{
    struct job *a, *b;

    if (!less.n) return rest;
    if (!rest.n) return less;
    a = job_table_at(jobs, less);
    b = job_table_at(jobs, rest);
    if (weight(a) > weight(b)) {
        a->right = join(jobs, a->right, rest);
        return less;
    }
    b->left = join(jobs, less, b->left);
    return rest;
}

struct job_slot job_tree_add(const struct job_table *jobs, struct job_slot root,
                             struct job_slot slot)
{
    struct job *job = job_table_at(jobs, slot);
    struct job_slot *link = &root;

    while (link->n && weight(job_table_at(jobs, *link)) > weight(job)) {
        struct job *at = job_table_at(jobs, *link);

        link = job->id < at->id ? &at->left : &at->right;
    }
    split(jobs, *link, job->id, &job->left, &job->right);
    *link = slot;
    return root;
}

struct job_slot job_tree_remove(const struct job_table *jobs, struct job_slot root,
                                struct job_slot slot)
{
    struct job *job = job_table_at(jobs, slot);
    struct job_slot *link = &root;

    while (link->n != slot.n) {
        struct job *at;

        fl_assert(link->n);
        at = job_table_at(jobs, *link);
        link = job->id < at->id ? &at->left : &at->right;
    }
    *link = join(jobs, job->left, job->right);
    job->left = job->right = none;
    return root;
}

struct job_slot job_tree_first(const struct job_table *jobs, struct job_slot root)
{
    while (root.n && job_table_at(jobs, root)->left.n) {
        root = job_table_at(jobs, root)->left;
    }
    return root;
}

struct job_slot job_tree_after(const struct job_table *jobs, struct job_slot root, uint64_t id)
{
    struct job_slot after = {0};

    while (root.n) {
        const struct job *job = job_table_at(jobs, root);

        if (job->id > id) after = root;
        root = job->id > id ? job->left : job->right;
    }
    return after;
}
