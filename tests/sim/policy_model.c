#include <stdlib.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"
#include "tests/sim/policy_access.h"
#include "tests/sim/policy_after.h"
#include "tests/sim/policy_each.h"
#include "tests/sim/policy_ends.h"
#include "tests/sim/policy_reads.h"
#include "tests/sim/policy_requests.h"
#include "tests/sim/policy_singleton.h"
#include "tests/sim/policy_time.h"

struct policy *policy_create(struct sim *sim, const struct policy_config *config)
{
    struct policy *policy = fl_new(struct policy);

    policy->sim = sim;
    policy->config = *config;
    policy->is_walking = config->slice_max < POLICY_SLICE_SMALL;
    policy->requests = policy_requests_create();
    policy->access = policy_access_create();
    return policy;
}

static void fini_cluster(struct policy_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->nodes_len; i++) {
        fl_vec_fini(&cluster->nodes[i].reports);
    }
    fl_vec_fini(&cluster->given);
    fl_vec_fini(&cluster->ghosts);
    fl_vec_fini(&cluster->live);
}

static void fini_job(struct policy_job *job)
{
    for (size_t i = 0; i < job->begun.len; i++) {
        fl_vec_fini(&job->begun.at[i].replicas);
    }
    fl_vec_fini(&job->begun);
    fl_vec_fini(&job->places);
    fl_vec_fini(&job->after);
    fl_vec_fini(&job->ends);
}

void policy_destroy(struct policy *policy)
{
    if (!policy) return;
    for (size_t i = 0; i < policy->jobs.len; i++) {
        fini_job(&policy->jobs.at[i]);
    }
    for (size_t i = 0; i < policy->queues.len; i++) {
        fl_vec_fini(&policy->queues.at[i].open);
        fl_vec_fini(&policy->queues.at[i].unfit);
    }
    for (size_t i = 0; i < policy->shapes.len; i++) {
        free(policy->shapes.at[i].bytes);
    }
    for (size_t i = 0; i < policy->clusters.len; i++) {
        fini_cluster(&policy->clusters.at[i]);
    }
    fl_vec_fini(&policy->jobs);
    fl_vec_fini(&policy->queues);
    fl_vec_fini(&policy->shapes);
    fl_vec_fini(&policy->clusters);
    fl_vec_fini(&policy->buckets);
    fl_vec_fini(&policy->must_have_first_start);
    fl_vec_fini(&policy->must_stop);
    fl_vec_fini(&policy->must_be_over);
    fl_vec_fini(&policy->singletons);
    policy_requests_destroy(policy->requests);
    policy_access_destroy(policy->access);
    fl_free(policy);
}

/* ---- by id ----------------------------------------------------------------------------------- */

struct policy_job *policy_job(struct policy *policy, uint64_t id)
{
    fl_assert(id < policy->jobs.len);
    return &policy->jobs.at[id];
}

struct policy_queue *policy_queue(struct policy *policy, uint32_t id)
{
    fl_assert(id < policy->queues.len);
    return &policy->queues.at[id];
}

struct policy_shape *policy_shape(const struct policy *policy, uint32_t id)
{
    fl_assert(id < policy->shapes.len && policy->shapes.at[id].is_known);
    return &policy->shapes.at[id];
}

struct policy_cluster *policy_cluster(struct policy *policy, uint32_t id)
{
    fl_assert(id < policy->clusters.len);
    return &policy->clusters.at[id];
}

struct policy_element *policy_element(struct policy_job *job, uint32_t element)
{
    uint32_t place = element < job->places.len ? job->places.at[element] : 0;

    return place ? &job->begun.at[place - 1] : NULL;
}

struct policy_element *policy_begin(struct policy_job *job, const struct policy_element *element)
{
    fl_vec_push(&job->begun, *element);
    while (job->places.len <= element->element) {
        fl_vec_push(&job->places, 0);
    }
    job->places.at[element->element] = (uint32_t)job->begun.len;
    return &job->begun.at[job->begun.len - 1];
}

uint64_t policy_hash(struct fl_str text)
{
    return text.len ? fl_hash64(1, text.at, text.len) | 1 : 0;
}

bool policy_is_before(const struct policy_job *job, uint64_t id, const struct policy_job *other,
                      uint64_t other_id)
{
    if (job->priority != other->priority) return job->priority > other->priority;
    return id < other_id;
}

void policy_copy_name(char out[POLICY_NAME_MAX], struct fl_str name)
{
    fl_assert(name.len < POLICY_NAME_MAX);
    memset(out, 0, POLICY_NAME_MAX);
    if (name.len) memcpy(out, name.at, name.len);
}

uint32_t policy_need_node(struct policy_cluster *cluster, struct fl_str name)
{
    for (uint32_t i = 0; i < cluster->nodes_len; i++) {
        if (fl_str_eq(fl_str_c(cluster->nodes[i].name), name)) return i;
    }
    fl_assert(cluster->nodes_len < POLICY_NODES_MAX);
    policy_copy_name(cluster->nodes[cluster->nodes_len].name, name);
    return cluster->nodes_len++;
}

/* ---- batches --------------------------------------------------------------------------------- */

/* Each batch has a slice at least, and half of that is not for timers. */
static void work_off(struct policy *policy)
{
    for (size_t i = 0; i < policy->clusters.len; i++) {
        struct policy_cluster *cluster = &policy->clusters.at[i];
        uint64_t slice = policy->config.slice_max / 2;

        if (cluster->listed_at > policy->formed_at) continue;
        cluster->looks_left -= slice < cluster->looks_left ? slice : cluster->looks_left;
    }
}

void policy_turn_stopped(struct policy *policy)
{
    policy->turn_stopped_at = policy->sim->now;
}

void policy_took(struct policy *policy, uint64_t epoch)
{
    policy->taken = epoch;
}

void policy_committed(struct policy *policy, const struct fake_pg_journal *entry, fl_ms formed_at)
{
    struct fl_reader reader = fl_reader(entry->body.at, entry->body.len);
    size_t ring = 1 + (policy->config.slice_max < POLICY_SLICE_SMALL ? POLICY_BATCHES_MAX
                                                                     : POLICY_BATCHES_BACK);
    size_t here = entry->batch % ring;

    policy->at_before = policy->at;
    policy->at = entry->at;
    policy->at_old = policy->ats[(here + 1) % ring];
    policy->ats[here] = entry->at;
    policy->formed_at = policy->known_at = formed_at;
    if (policy->epoch != entry->epoch) policy->term_at = entry->at;
    policy->epoch = entry->epoch;
    policy->batch = entry->batch;
    policy_time_batch(policy);
    work_off(policy);
    while (reader.pos < reader.len) {
        struct fl_err err = {0};
        struct row row;

        fl_assert(row_decode(&reader, &row, &err)); /* I7 has read it already */
        policy->state++;
        policy_requests_row(policy, &row);
        policy_access_row(policy, &row);
        policy_fold_row(policy, &row);
    }
    policy_ends_batch(policy);
    policy_after_batch(policy);
    policy_each_batch(policy);
    policy_singleton_batch(policy);
    policy_requests_batch(policy);
    policy_access_batch(policy);
    policy->state++; /* the last row is in, too */
    policy_note_claims(policy);
}

/* ---- answers --------------------------------------------------------------------------------- */

void policy_answered(struct policy *policy, const struct core_answer *answer, bool is_current,
                     uint64_t epoch)
{
    policy_requests_answered(policy, answer);
    policy_access_answered(policy, answer);
    /* A leader without a batch yet has forgotten what the model knows of the one before. */
    if (!is_current || answer->code != FL_OK || epoch != policy->epoch) return;
    policy_reads_answered(policy, answer);
}
