#include "controlplane/core/job_tree.h"

#include "shared/base/assert.h"
#include "shared/base/hash.h"

static uint64_t weight(const struct job *job)
{
    return fl_hash_u64(0, job->id);
}

/* Splits into the jobs with an id below 'id' and the others. */
static void split(const struct job_table *jobs, uint32_t root, uint64_t id, uint32_t *ret_less,
                  uint32_t *ret_rest)
{
    struct job *job;

    if (!root) {
        *ret_less = *ret_rest = 0;
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
static uint32_t join(const struct job_table *jobs, uint32_t less, uint32_t rest)
{
    struct job *a, *b;

    if (!less) return rest;
    if (!rest) return less;
    a = job_table_at(jobs, less);
    b = job_table_at(jobs, rest);
    if (weight(a) > weight(b)) {
        a->right = join(jobs, a->right, rest);
        return less;
    }
    b->left = join(jobs, less, b->left);
    return rest;
}

uint32_t job_tree_add(const struct job_table *jobs, uint32_t root, uint32_t slot)
{
    struct job *job = job_table_at(jobs, slot);
    uint32_t *link = &root;

    while (*link && weight(job_table_at(jobs, *link)) > weight(job)) {
        struct job *at = job_table_at(jobs, *link);

        link = job->id < at->id ? &at->left : &at->right;
    }
    split(jobs, *link, job->id, &job->left, &job->right);
    *link = slot;
    return root;
}

uint32_t job_tree_remove(const struct job_table *jobs, uint32_t root, uint32_t slot)
{
    struct job *job = job_table_at(jobs, slot);
    uint32_t *link = &root;

    while (*link != slot) {
        struct job *at;

        fl_assert(*link);
        at = job_table_at(jobs, *link);
        link = job->id < at->id ? &at->left : &at->right;
    }
    *link = join(jobs, job->left, job->right);
    job->left = job->right = 0;
    return root;
}

uint32_t job_tree_first(const struct job_table *jobs, uint32_t root)
{
    while (root && job_table_at(jobs, root)->left) {
        root = job_table_at(jobs, root)->left;
    }
    return root;
}

uint32_t job_tree_after(const struct job_table *jobs, uint32_t root, uint64_t id)
{
    uint32_t after = 0;

    while (root) {
        const struct job *job = job_table_at(jobs, root);

        if (job->id > id) after = root;
        root = job->id > id ? job->left : job->right;
    }
    return after;
}
