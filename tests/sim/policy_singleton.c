#include "tests/sim/policy_singleton.h"

#include <inttypes.h>
#include <string.h>

#include "shared/base/hash.h"

/* Open ones, in the order of their ids. */
static struct policy_singleton *find(const struct policy *policy, uint64_t job)
{
    for (size_t i = 0; i < policy->singletons.len; i++) {
        if (policy->singletons.at[i].job == job) return &policy->singletons.at[i];
    }
    return NULL;
}

bool policy_singleton_waits(const struct policy *policy, uint64_t job)
{
    const struct policy_singleton *own = find(policy, job);

    for (size_t i = 0; own && policy->singletons.at[i].job < job; i++) {
        const struct policy_singleton *other = &policy->singletons.at[i];

        if (other->tenant == own->tenant && other->owner == own->owner &&
            other->name == own->name) {
            return true;
        }
    }
    return false;
}

void policy_singleton_job(struct policy *policy, const struct row_job_new *row)
{
    struct policy_singleton one = {.job = row->job,
                                   .tenant = row->tenant,
                                   .owner = policy_hash(row->owner),
                                   .name = policy_hash(row->name)};

    if (!row->is_singleton) return;
    if (row->name.len == 0) {
        sim_broken(policy->sim, "I36", "job %" PRIu64 " is a singleton without a name", row->job);
    }
    fl_vec_push(&policy->singletons, one);
}

void policy_singleton_mark(struct policy *policy, const struct row_mark_set *row)
{
    struct policy_singleton *one = find(policy, row->job);
    size_t owner = row->body.len > 0 ? (uint8_t)row->body.at[0] : 0;
    struct fl_str text = {row->body.at + 1, owner}, name = {row->body.at + 1 + owner, 0};

    if (one && !one->is_marked && row->body.len > 1 + owner) {
        name.len = row->body.len - 1 - owner;
        one->is_marked = policy_hash(text) == one->owner && policy_hash(name) == one->name;
        if (one->is_marked) return;
    }
    sim_broken(policy->sim, "I36", "the mark of job %" PRIu64 " is not of its name and owner",
               row->job);
}

void policy_singleton_edit(struct policy *policy, const struct row_job_edit *row)
{
    const struct policy_singleton *one = find(policy, row->job);

    if (!one || one->name == policy_hash(row->name)) return;
    sim_broken(policy->sim, "I36", "job %" PRIu64 " is a singleton, and its name was changed",
               row->job);
}

void policy_singleton_job_end(struct policy *policy, uint64_t job)
{
    struct policy_singleton *one = find(policy, job);
    bool waits = policy_singleton_waits(policy, job);

    if (!one) return;
    if (waits) sim_mark(policy->sim, MARK_singleton_left);
    if (!waits && one->has_waited) sim_mark(policy->sim, MARK_singleton_turn);
    fl_vec_remove(&policy->singletons, (size_t)(one - policy->singletons.at));
}

void policy_singleton_batch(struct policy *policy)
{
    for (size_t i = 0; i < policy->singletons.len; i++) {
        struct policy_singleton *one = &policy->singletons.at[i];

        one->has_waited = one->has_waited || policy_singleton_waits(policy, one->job);
        if (one->is_marked) continue;
        sim_broken(policy->sim, "I36", "job %" PRIu64 " is a singleton without a mark", one->job);
    }
}
