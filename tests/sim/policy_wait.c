#include <inttypes.h>
#include <string.h>

#include "tests/sim/policy_overdue.h"
#include "tests/sim/policy_runs.h"

/* I20: how long work may wait that could start.  Twice a second the model walks each queue in its
 * order.  A job that fits somewhere, by what the leader knows, starts within
 * POLICY_START_WITHIN_MS.  A job that fits only once others have ended starts within some turns of
 * the clusters that could hold it; a turn ends when everything has ended that was there when it
 * began.  Turns and not time, since other people's work ends when it likes. */

enum {
    POLICY_START_WITHIN_MS = 10000,
    POLICY_DEADLINE_LATE_MS = 5000,
    POLICY_TURNS_MAX = 2, /* one for a claim that had to move; and one more for each rival */
    POLICY_CLAIMANTS =
        8, /* a round asks so many of a queue whether they could claim (decision 66) */
};

/* ---- work that fits -------------------------------------------------------------------------- */

static void I20_what_fits_starts(struct policy *policy, struct policy_bucket *bucket,
                                 uint32_t ahead, fl_ms for_ms)
{
    if (!bucket->is_waiting || bucket->term != policy->epoch) { /* a new leader holds anew */
        bucket->is_waiting = true;
        bucket->term = policy->epoch;
        bucket->waited_ms = 0;
    } else {
        bucket->waited_ms += for_ms;
    }
    if (ahead > 0) sim_mark(policy->sim, MARK_fits_behind_others);
    if (bucket->waited_ms <= POLICY_START_WITHIN_MS) return;
    sim_broken(policy->sim, "I20",
               "job %" PRIu64
               " fits and has waited for %lld ms, %u shapes ahead of it in its queue",
               bucket->head, (long long)bucket->waited_ms, ahead);
}

/* ---- work that fits only when others end ----------------------------------------------------- */

/* Others have come since, and all that was there has ended.  On empty clusters room is missing for
 * another reason than others. */
static bool has_turned(const struct policy *policy, const struct policy_cluster_set *clusters,
                       uint64_t from)
{
    bool is_used = false;

    for (size_t c = 0; c < policy->clusters.len; c++) {
        const struct policy_cluster *cluster = &policy->clusters.at[c];

        if (!policy_set_has(clusters, c)) continue;
        for (size_t i = 0; i < cluster->live.len; i++) {
            const struct policy_live *live = &cluster->live.at[i];

            if (policy->jobs.at[live->job].begun.at[live->place].serial <= from) return false;
            is_used = true;
        }
    }
    return is_used;
}

/* Other queues that may hold a claim on one of these clusters. */
static uint32_t count_rivals(struct policy *policy, const struct policy_bucket *bucket)
{
    uint32_t count = 0;

    for (size_t i = 0; i < policy->queues.len; i++) {
        bool is_rival = false;

        if (i == bucket->queue || policy->queues.at[i].is_paused) continue;
        for (size_t c = 0; c < policy->clusters.len && !is_rival; c++) {
            is_rival =
                policy_set_has(&bucket->blocked_on, c) &&
                policy_queue_claims(policy, &policy->queues.at[i], &policy->clusters.at[c]) > 0;
        }
        count += is_rival;
    }
    return count;
}

/* One that fits in what is free, and that only claims keep from it, waits for rivals' claims that
 * may each have to move once. */
static uint32_t turns_most(const struct policy_bucket *bucket)
{
    uint32_t turns = bucket->rivals + POLICY_TURNS_MAX;

    return bucket->was_kept_off ? 2 * turns : turns;
}

static void I20_a_big_head_starts(struct policy *policy, struct policy_bucket *bucket,
                                  const struct policy_cluster_set *clusters)
{
    bool is_known = bucket->is_blocked && bucket->blocked_job == bucket->head &&
                    memcmp(&bucket->blocked_on, clusters, sizeof(*clusters)) == 0 &&
                    bucket->blocked_term == policy->epoch;
    uint32_t rivals;

    if (!is_known) {
        bucket->is_blocked = true;
        bucket->blocked_job = bucket->head;
        bucket->blocked_on = *clusters;
        bucket->blocked_term = policy->epoch; /* a new leader claims anew */
        bucket->turn_from = policy->serial;
        bucket->turns = bucket->rivals = 0;
        bucket->was_kept_off = false;
        return;
    }
    rivals = count_rivals(policy, bucket);
    if (rivals > bucket->rivals) bucket->rivals = rivals;
    if (policy_does_fit(policy, policy_shape(policy, bucket->shape))) bucket->was_kept_off = true;
    if (!has_turned(policy, clusters, bucket->turn_from)) return;
    bucket->turn_from = policy->serial;
    bucket->turns++;
    sim_mark(policy->sim, MARK_head_outwaited);
    if (bucket->turns <= turns_most(bucket)) return;
    sim_broken(policy->sim, "I20",
               "job %" PRIu64
               " is first in its queue, and %u times all has ended that was in its way",
               bucket->head, bucket->turns);
}

/* ---- the walk -------------------------------------------------------------------------------- */

static struct policy_bucket *find_bucket(struct policy *policy, const struct policy_job *job)
{
    for (size_t i = 0; i < policy->buckets.len; i++) {
        struct policy_bucket *bucket = &policy->buckets.at[i];

        if (bucket->queue == job->queue && bucket->shape == job->shape &&
            bucket->priority == job->priority) {
            return bucket;
        }
    }
    return NULL;
}

static struct policy_bucket *need_bucket(struct policy *policy, const struct policy_job *job)
{
    struct policy_bucket *bucket = find_bucket(policy, job);

    if (bucket) return bucket;
    fl_vec_push(&policy->buckets,
                ((struct policy_bucket){
                    .queue = job->queue, .shape = job->shape, .priority = job->priority}));
    return &policy->buckets.at[policy->buckets.len - 1];
}

static void look_at(struct policy *policy, struct policy_bucket *bucket, uint32_t ahead,
                    fl_ms for_ms, bool *has_blocked)
{
    const struct policy_shape *shape = policy_shape(policy, bucket->shape);
    bool was_blocked = bucket->is_blocked; /* its own claim is not in its way */
    struct policy_cluster_set clusters;
    bool does_fit, could_fit = false;

    bucket->is_blocked = false;
    does_fit = policy_does_fit_beside_claims(policy, shape);
    bucket->is_waiting = bucket->is_waiting && does_fit;
    if (does_fit) {
        I20_what_fits_starts(policy, bucket, ahead, for_ms);
        return;
    }
    if (!*has_blocked && ahead < POLICY_CLAIMANTS) {
        could_fit = policy_fits_empty(policy, shape, &clusters);
    }
    if (!could_fit) {
        /* Its largest replica everywhere would not fit; the job itself may, and hold the claim. */
        *has_blocked = *has_blocked || (ahead < POLICY_CLAIMANTS && shape->shape.roles_len > 1);
        return;
    }
    *has_blocked = true;
    bucket->is_blocked = was_blocked;
    if (shape->replicas > 1) sim_mark(policy->sim, MARK_gang_blocked);
    I20_a_big_head_starts(policy, bucket, &clusters);
}

static void I28_a_deadline_ends_its_job(struct policy *policy, const struct policy_job *job,
                                        uint64_t id)
{
    fl_ms deadline_ms = policy_deadline_ms(job);

    if (!job->first_start || job->is_stopped) return;
    if (policy->at_old <= job->first_start + deadline_ms + POLICY_DEADLINE_LATE_MS) return;
    sim_broken(policy->sim, "I28", "the deadline of job %" PRIu64 " has passed for %lld ms", id,
               (long long)(policy->at_old - job->first_start - deadline_ms));
}

/* A person keeps back what would start. */
static void mark_kept_back(struct policy *policy, const struct policy_queue *queue,
                           const struct policy_job *job)
{
    if (!job->is_held && !queue->is_paused) return;
    if (job->is_stopped || job->started == job->elements) return;
    if (!policy_does_fit(policy, policy_shape(policy, job->shape))) return;
    sim_mark(policy->sim, job->is_held ? MARK_held_and_fits : MARK_paused_and_fits);
}

static void walk_queue(struct policy *policy, const struct policy_queue *queue, fl_ms for_ms)
{
    bool has_blocked = false;
    uint32_t ahead = 0;

    for (size_t i = 0; i < queue->open.len; i++) {
        const struct policy_job *job = policy_job(policy, queue->open.at[i]);
        struct policy_cluster_set clusters;
        struct policy_bucket *bucket;

        I28_a_deadline_ends_its_job(policy, job, queue->open.at[i]);
        mark_kept_back(policy, queue, job);
        if (queue->is_paused || !policy_is_ready(policy, job, false)) continue;
        bucket = need_bucket(policy, job);
        if (bucket->pass == policy->pass) continue;
        bucket->pass = policy->pass;
        bucket->head = queue->open.at[i];
        if (policy_is_ready(policy, job, true)) {
            look_at(policy, bucket, ahead, for_ms, &has_blocked);
        } else { /* if its pause is over already, it may have its queue's claim */
            bucket->is_waiting = false;
            if (ahead < POLICY_CLAIMANTS &&
                policy_fits_empty(policy, policy_shape(policy, bucket->shape), &clusters)) {
                has_blocked = true;
            }
        }
        ahead++;
    }
}

/* A bucket that this walk did not meet has nothing to start, or its queue is paused. */
static void forget_others(struct policy *policy)
{
    size_t kept = 0;

    for (size_t i = 0; i < policy->buckets.len; i++) {
        if (policy->buckets.at[i].pass != policy->pass) continue;
        policy->buckets.at[kept++] = policy->buckets.at[i];
    }
    policy->buckets.len = kept;
}

void policy_passed(struct policy *policy, fl_ms for_ms, bool is_steady)
{
    policy_overdue_passed(policy, for_ms, is_steady);
    for (size_t i = 0; !is_steady && i < policy->buckets.len; i++) {
        policy->buckets.at[i].is_waiting = false;
    }
    if (!is_steady) return;
    policy->pass++;
    for (size_t i = 0; i < policy->queues.len; i++) {
        walk_queue(policy, &policy->queues.at[i], for_ms);
    }
    forget_others(policy);
}

void policy_wait_started(struct policy *policy, const struct policy_job *job, uint64_t id,
                         uint32_t cluster)
{
    struct policy_bucket *own = find_bucket(policy, job);

    if (own) own->is_waiting = own->is_blocked = false;
    for (size_t i = 0; i < policy->buckets.len; i++) {
        struct policy_bucket *bucket = &policy->buckets.at[i];

        if (bucket == own) continue;
        if (bucket->is_blocked && policy_set_has(&bucket->blocked_on, cluster)) {
            sim_mark(policy->sim, MARK_head_passed);
        }
        if (bucket->queue != job->queue) continue;
        if (policy_is_before(job, id, policy_job(policy, bucket->head), bucket->head)) {
            bucket->turn_from = policy->serial; /* it goes first, as often as it comes */
            bucket->turns = 0;
        }
    }
}
