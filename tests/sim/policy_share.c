#include "tests/sim/policy_share.h"

#include <inttypes.h>

enum { SHARE_REACHED = 1000 }; /* no world has so many open jobs of one owner */

struct kind {
    uint32_t queue, shape;
    int32_t priority;
};

/* Some of the open jobs. */
struct taken {
    uint32_t jobs;
    FL_VEC(struct kind) kinds;
};

static void take(struct taken *taken, const struct policy_job *job)
{
    struct kind kind = {job->queue, job->shape, job->priority};

    taken->jobs++;
    for (size_t i = 0; i < taken->kinds.len; i++) {
        const struct kind *other = &taken->kinds.at[i];

        if (other->queue == kind.queue && other->shape == kind.shape &&
            other->priority == kind.priority) {
            return;
        }
    }
    fl_vec_push(&taken->kinds, kind);
}

static uint32_t share_of(uint32_t all, uint32_t percent)
{
    uint32_t share = (uint32_t)((uint64_t)all * percent / 100);

    return share ? share : 1;
}

static void judge(struct policy *policy, uint64_t job, const char *whose, const struct taken *taken,
                  uint32_t percent, bool is_new)
{
    uint32_t jobs = share_of(policy->config.jobs_max, percent);
    uint32_t kinds = share_of(policy->config.shapes_max, percent);

    if (is_new && taken->jobs > jobs) {
        sim_broken(policy->sim, "I41",
                   "with job %" PRIu64 " its %s has %u open jobs, and its share is %u", job, whose,
                   taken->jobs, jobs);
    }
    if (taken->kinds.len > kinds) {
        sim_broken(policy->sim, "I41",
                   "with job %" PRIu64 " its %s has %zu kinds of open jobs, and its share is %u",
                   job, whose, taken->kinds.len, kinds);
    }
}

void policy_share_job(struct policy *policy, uint64_t id, bool is_new)
{
    const struct policy_job *job = policy_job(policy, id);
    struct taken of_queue = {0}, of_owner = {0};
    uint32_t percent = policy->config.owner_percent;

    if (share_of(policy->config.jobs_max, percent) > SHARE_REACHED) return;
    for (uint32_t q = 1; q < policy->queues.len; q++) {
        const struct policy_queue *queue = policy_queue(policy, q);

        for (size_t i = 0; i < queue->open.len; i++) {
            const struct policy_job *other = policy_job(policy, queue->open.at[i]);

            if (q == job->queue) take(&of_queue, other);
            if (other->owner == job->owner && other->tenant == job->tenant) {
                take(&of_owner, other);
            }
        }
    }
    judge(policy, id, "queue", &of_queue, policy->config.queue_percent, true);
    if (job->owner) judge(policy, id, "owner", &of_owner, percent, is_new);
    if (of_owner.jobs == share_of(policy->config.jobs_max, percent)) {
        sim_mark(policy->sim, MARK_owner_share_jobs);
    }
    if (of_owner.kinds.len == share_of(policy->config.shapes_max, percent)) {
        sim_mark(policy->sim, MARK_owner_share_kinds);
    }
    fl_vec_fini(&of_queue.kinds);
    fl_vec_fini(&of_owner.kinds);
}
