#include <string.h>

#include "controlplane/core/core_state.h"
#include "controlplane/core/job_tree.h"
#include "shared/base/alloc.h"
#include "shared/base/hash.h"

/* Two looks at the whole state: its fingerprint, and whether it is whole. */

/* ---- the hash over what rows hold, in the order of their keys -------------------------------- */

static uint64_t hash_text(uint64_t h, const char *text)
{
    return fl_hash64(h, text, strlen(text));
}

/* Those of a job that is stopped say nothing any more. */
static uint64_t hash_pair(const struct core *core, const struct pair *pair, uint64_t h)
{
    h = fl_hash_u64(h, pair->target.n ? job_table_at(&core->jobs, pair->target)->id : 0);
    for (uint32_t at = pair_next_left(pair, 0); at != UINT32_MAX;
         at = pair_next_left(pair, at + 1)) {
        h = fl_hash_u64(h, (uint64_t)at << 1 | pair_is_ready(pair, at));
    }
    return h;
}

static uint64_t hash_elements(const struct core *core, const struct job *job, uint64_t h)
{
    static const struct job_run empty = {0};
    const struct job_run *run = job_table_run(&core->jobs, job);
    struct element_slot slot;
    uint32_t number = 0;

    if (!run) run = &empty; /* a record may stay although what it was for has gone */
    for (uint32_t from = 0; (slot = job_table_next_element(&core->jobs, job, from, &number)).n != 0;
         from = number + 1) {
        const struct element *element = element_table_at(&core->elements, slot);

        h = fl_hash_u64(h, (uint64_t)number << 16 | element->n);
        h = fl_hash_u64(h, element->place == ELEMENT_LIVE ? element->cluster.n : 0);
        h = fl_hash_u64(h, element->incarnation);
        h = fl_hash_u64(h, (uint64_t)element->node_losses << 16 | element->failures);
        if (element->place == ELEMENT_LIVE) {
            h = fl_hash_u64(h, (uint64_t)element->why << 32 | (uint32_t)element->exit_code);
            h = fl_hash_u64(h, element->first_replica);
        }
    }
    for (size_t i = 0; i < run->picks.len; i++) {
        h = fl_hash_u64(h, (uint64_t)run->picks.at[i].first << 32 | run->picks.at[i].last);
    }
    if (run->pair && run->stop == REASON_none) h = hash_pair(core, run->pair, h);
    h = fl_hash_u64(h, (uint64_t)run->succeeded << 32 | run->failed);
    h = fl_hash_u64(h, (uint64_t)run->cancelled << 32 | run->stop);
    h = fl_hash_u64(h, run->unplaced);
    return fl_hash_u64(h, (uint64_t)run->first_start);
}

static uint64_t hash_dependencies(const struct core *core, const struct job *job, uint64_t h)
{
    const struct dependency_edge *edge = dependency_table_first(&core->dependencies, job->id);

    for (; edge; edge = dependency_table_next(&core->dependencies, edge)) {
        h = fl_hash_u64(fl_hash_u64(h, edge->target), edge->on);
    }
    return h;
}

static uint64_t hash_job(const struct core *core, const struct job *job, uint64_t h)
{
    const struct bucket *bucket = queue_table_bucket(&core->queues, job->bucket);
    const struct owner *owner = core_owner(core, job);

    h = fl_hash_u64(h, job->id);
    h = fl_hash_u64(h, (uint64_t)owner->tenant.n << 32 | bucket->queue.n);
    h = fl_hash64(h, owner->name, owner->name_len);
    h = fl_hash_u64(h, (uint64_t)shape_table_at(&core->shapes, bucket->shape)->id << 32 |
                           (uint32_t)bucket->priority);
    h = fl_hash_u64(h, (uint64_t)job->elements << 32 | job->elements_next);
    h = fl_hash_u64(h, (uint64_t)job_table_revision(&core->jobs, job) << 1 | job->is_held);
    h = hash_dependencies(core, job, h);
    if (job->is_singleton) {
        struct fl_str key = singleton_table_key(&core->singletons, job->id);

        h = fl_hash64(h, key.at, key.len);
    }
    h = fl_hash_u64(h, (uint64_t)job_table_deadline_s(&core->jobs, job) << 32 | job->retries_max);
    h = fl_hash_u64(h, job_table_parallelism(&core->jobs, job));
    return hash_elements(core, job, h);
}

static uint64_t hash_access(const struct access_table *access, uint64_t h)
{
    for (size_t i = 0; i < access->joins.len; i++) {
        const struct join *join = &access->joins.at[i];

        h = fl_hash64(h, &join->token, sizeof join->token);
        h = fl_hash64(h, &join->key, sizeof join->key);
        h = fl_hash_u64(h, (uint64_t)join->tenant.n << 32 | join->cluster.n);
        h = fl_hash_u64(h, (uint64_t)join->expires_at);
        h = hash_text(h, join->name);
    }
    for (size_t i = 0; i < access->tokens.len; i++) {
        const struct token *token = &access->tokens.at[i];

        h = fl_hash64(h, &token->mac, sizeof token->mac);
        h = fl_hash_u64(h, (uint64_t)token->tenant.n << 8 | token->scopes);
        h = fl_hash_u64(h, (uint64_t)token->made_at);
        h = fl_hash_u64(h, (uint64_t)token->expires_at);
        h = hash_text(h, token->id);
        h = hash_text(h, token->name);
        h = hash_text(h, token->queue);
    }
    return h;
}

uint64_t core_hash(const struct core *core)
{
    uint64_t h = fl_hash_u64(0, core->job_next), id;
    struct shape_slot shape_slot;
    struct job_slot slot;

    h = fl_hash_u64(h, core->history.job_lost_from);
    h = fl_hash_u64(h, core->history.job_lost_to);
    h = fl_hash_u64(h, core->history.jobs_skipped);
    h = fl_hash_u64(h, core->history.incarnations);
    h = fl_hash_u64(h, core->history.batch_known);
    h = fl_hash_u64(h, core->history.leader_incarnation);
    h = fl_hash_u64(h, (uint64_t)core->history.incarnation_known << 32 |
                           core->history.incarnation_accepted);
    h = fl_hash_u64(h, core->history.seen.incarnation);
    h = fl_hash_u64(h, core->history.seen.batch);
    h = fl_hash_u64(h, core->history.seen.job_below);
    for (size_t i = 0; i < core->queues.queues.len; i++) {
        const struct queue *queue = &core->queues.queues.at[i];

        h = fl_hash_u64(h, (uint64_t)queue->tenant.n << 2 | (uint64_t)queue->is_removed << 1 |
                               queue->is_paused);
        h = fl_hash_u64(h, (uint64_t)queue->has_default_cpu << 32 | queue->default_cpu_milli);
        h = hash_text(h, queue->name);
    }
    for (size_t i = 0; i < core->clusters.clusters.len; i++) {
        const struct cluster *cluster = core->clusters.clusters.at[i];

        h = fl_hash_u64(h, cluster->session_epoch << 8 | cluster->state);
        h = hash_text(h, cluster->name);
        h = hash_text(h, cluster->uid);
        h = hash_text(h, cluster->cordon);
        h = hash_text(h, cluster->uuid);
        h = fl_hash_u64(h, (uint64_t)cluster->access << 8 | cluster->is_draining);
        h = fl_hash_u64(fl_hash_u64(h, cluster->generation), cluster->seen);
        h = fl_hash64(h, &cluster->key, sizeof cluster->key);
    }
    for (size_t i = 0; i < core->resources.names.len; i++) {
        h = fl_hash64(h, core->resources.names.at[i].at, core->resources.names.at[i].len);
    }
    h = hash_access(&core->access, h);
    for (id = 0; (shape_slot.n = fl_page_map_next(&core->shapes.by_id, id, &id)) != 0; id++) {
        const struct shape_entry *shape = shape_table_at(&core->shapes, shape_slot);

        h = fl_hash_u64(h, shape->id);
        h = fl_hash64(h, shape->bytes.at, shape->bytes.len);
    }
    for (uint64_t from = 0; (slot = job_table_next(&core->jobs, from)).n != 0;) {
        const struct job *job = job_table_at(&core->jobs, slot);

        from = job->id + 1;
        h = hash_job(core, job, h);
    }
    return h;
}

/* ---- whether it is whole --------------------------------------------------------------------- */

struct sums {
    size_t elements, live, deadlines, walks, edges, singletons, pairs;
};

/* Its START waits to be sent again, in the cluster's session of now. */
static bool is_resend(const struct cluster *cluster, const struct element *element)
{
    return element->session == cluster->session_epoch && element->is_resend;
}

/* A reply that its cluster owes is in a line, whose timer is set. */
static void check_reply(const struct cluster *cluster, const struct element *element)
{
    bool is_now = cluster->is_connected && element->session == cluster->session_epoch;
    bool is_stop = is_now && element->is_stop_sent;
    bool is_start = is_now && element->start_seq != 0 && !element->is_stop_sent &&
                    element->created < element->replicas_len;

    fl_assert(!is_stop || element->reply_due == ELEMENT_REPLY_stop);
    fl_assert(!is_start || element->reply_due == ELEMENT_REPLY_start);
    if (!is_now || element->reply_due == ELEMENT_REPLY_nothing) return;
    fl_assert(cluster->replies[element->reply_due].first.n &&
              cluster->replies[element->reply_due].at);
    fl_assert(element->reply_prev.n || cluster->replies[element->reply_due].first.n);
}

/* A live attempt's next actor is its cluster: connected, or with the clock of its silence running
 * or run out.  A waiting element's is its timer, a ready one's the next round. */
static void check_live(const struct core *core, struct element_slot slot,
                       const struct element *element)
{
    const struct cluster *cluster = cluster_table_at(&core->clusters, element->cluster);
    struct element *mutable = (struct element *)element;
    uint32_t ended = 0, created = 0;

    fl_assert(cluster->state == CLUSTER_ENROLLED || cluster->is_swept);
    fl_assert(cluster->is_connected || cluster->is_silent || cluster->lost_at || core->is_db_away ||
              cluster->is_swept);
    fl_assert(element->is_unknown == cluster->is_silent || cluster->is_swept);
    fl_assert(element->n > 0 && element->incarnation <= core->incarnation);
    fl_assert(!element->cluster_next.n ||
              element_table_at(&core->elements, element->cluster_next)->cluster_prev.n == slot.n);
    for (uint32_t i = 0; i < element->replicas_len; i++) {
        const struct element_replica *replica = element_replica(mutable, i);

        created += replica->state != FL_REPLICA_pending;
        ended += fl_replica_state_is_last((enum fl_replica_state)replica->state);
        fl_assert(replica->node == ELEMENT_NODE_NONE || replica->node < cluster->nodes.len);
        fl_assert(!replica->is_held ||
                  !fl_replica_state_is_last((enum fl_replica_state)replica->state));
    }
    fl_assert(ended == element->ended && created == element->created);
    fl_assert(ended < element->replicas_len);
    check_reply(cluster, element);
    fl_assert(!is_resend(cluster, element) || cluster->resend_at || !cluster->is_connected ||
              element->stop != REASON_none);
}

static void check_elements(const struct core *core, const struct job *job,
                           const struct job_run *run, struct sums *sums)
{
    struct element_slot slot;
    uint32_t number = 0, live = 0, running = 0, ready = 0, unknown = 0, overdue = 0;
    uint32_t open = 0, ended = run->succeeded + run->failed + run->cancelled;

    for (uint32_t from = 0; (slot = job_table_next_element(&core->jobs, job, from, &number)).n != 0;
         from = number + 1) {
        const struct element *element = element_table_at(&core->elements, slot);

        fl_assert(element->element == number);
        fl_assert(run->pair || job_table_place(&core->jobs, job, number) < job->elements_next);
        fl_assert(job_table_at(&core->jobs, element->job) == job);
        open++;
        if (element->place == ELEMENT_LIVE) {
            live++;
            running += element->is_running;
            unknown += element->is_unknown;
            overdue += element->is_overdue;
            fl_assert(run->stop == REASON_none || element->stop != REASON_none || run->is_swept);
            check_live(core, slot, element);
        } else {
            fl_assert(run->stop == REASON_none || run->is_swept);
        }
    }
    for (slot = run->ready_first; slot.n; slot = element_table_at(&core->elements, slot)->next) {
        fl_assert(element_table_at(&core->elements, slot)->place == ELEMENT_READY);
        fl_assert(element_table_at(&core->elements, slot)->next.n || slot.n == run->ready_last.n);
        ready++;
    }
    fl_assert(live == run->live && running == run->running && live + ready <= open);
    fl_assert(unknown == run->unknown && overdue == run->overdue);
    fl_assert(open + ended == job->elements_next && run->unplaced <= run->failed + run->cancelled);
    fl_assert(ended < job->elements);                                 /* else it would have ended */
    fl_assert(run->stop == REASON_none || open > 0 || run->is_swept); /* else none would end it */
    sums->walks += run->is_swept;
    sums->elements += open;
    sums->live += live;
    sums->deadlines += run->first_start && run->stop == REASON_none;
}

/* The jobs that it waits for are open, and older: so no circle can be. */
static void check_dependencies(const struct core *core, const struct job *job, struct sums *sums)
{
    const struct job_run *run = job_table_run(&core->jobs, job);
    const struct dependency_edge *edge = dependency_table_first(&core->dependencies, job->id);

    fl_assert(!edge || job->is_after);
    fl_assert(!job->is_after || edge || (run && run->stop != REASON_none));
    for (; edge; edge = dependency_table_next(&core->dependencies, edge)) {
        fl_assert(edge->job == job->id && edge->target < job->id);
        fl_assert(job_table_find(&core->jobs, (struct fl_job){edge->target}).n);
        fl_assert(dependency_table_dependents(&core->dependencies, edge->target) > 0);
        sums->edges++;
    }
}

/* Each element waits, is ready, or has begun.  The target is open, and knows the pair. */
static void check_pair(const struct core *core, const struct job *job, const struct job_run *run)
{
    const struct pair *pair = run->pair, *of_target;

    fl_assert(core->pairs.pairs.at[pair->place_in_table] == pair);
    fl_assert(job_table_at(&core->jobs, pair->job) == job && pair->elements == job->elements);
    fl_assert(pair->waiting_len + pair->ready_len + job->elements_next == job->elements);
    fl_assert(pair->waiting_len == 0 || pair->target.n || run->stop != REASON_none);
    if (!pair->target.n) return;
    of_target = job_table_run(&core->jobs, job_table_at(&core->jobs, pair->target))->dependents;
    while (of_target != pair) {
        of_target = of_target->next_of_target;
    }
}

/* The first of a line is open, and older than the others; none but the first has started. */
static void check_singleton(const struct core *core, const struct job *job, struct sums *sums)
{
    uint64_t first;

    if (!job->is_singleton) return;
    first = singleton_table_first(&core->singletons, job->id);
    fl_assert(first <= job->id && job_table_find(&core->jobs, (struct fl_job){first}).n);
    fl_assert((first == job->id) == (singleton_table_before(&core->singletons, job->id) == 0));
    fl_assert(first == job->id || core_job_started(job, job_table_run(&core->jobs, job)) == 0);
    sums->singletons++;
}

static void check_jobs(const struct core *core, struct sums *sums)
{
    struct job_slot slot;

    for (uint64_t from = 0; (slot = job_table_next(&core->jobs, from)).n != 0;) {
        const struct job *job = job_table_at(&core->jobs, slot);
        const struct job_run *run = job_table_run(&core->jobs, job);

        from = job->id + 1;
        fl_assert(job->id < core->job_next && job->elements_next <= job->elements);
        fl_assert((job->place != JOB_OUT) == core_job_has_work(core, job));
        fl_assert((job->place == JOB_READY) ==
                  (core_job_has_work(core, job) && run && run->ready_first.n));
        check_dependencies(core, job, sums);
        check_singleton(core, job, sums);
        if (run) {
            check_elements(core, job, run, sums);
            if (run->pair) check_pair(core, job, run);
            sums->pairs += run->pair != NULL;
        } else {
            fl_assert(job->elements_next == 0);
        }
    }
}

/* The jobs that came from another queue; how many they are, and in which states. */
static size_t check_moved(const struct core *core, const struct queue *queue,
                          uint32_t in_state[JOB_OPEN_STATES_LEN + 1])
{
    struct job_slot slot = job_tree_first(&core->jobs, JOB_LINKS_OF_QUEUE, queue->moved);
    size_t len = 0;

    for (; slot.n; len++) {
        const struct job *job = job_table_at(&core->jobs, slot);

        fl_assert(job->is_moved && job_table_revision(&core->jobs, job) > 0);
        in_state[job_table_state(&core->jobs, job)]++;
        fl_assert(queue_table_bucket(&core->queues, job->bucket)->queue.n == queue->id.n);
        slot = job_tree_after(&core->jobs, JOB_LINKS_OF_QUEUE, queue->moved, job->id);
    }
    return len;
}

static void check_buckets(const struct core *core)
{
    size_t jobs = 0;

    for (size_t q = 0; q < core->queues.queues.len; q++) {
        const struct queue *queue = &core->queues.queues.at[q];
        uint32_t in_state[JOB_OPEN_STATES_LEN + 1] = {0};
        size_t in_queue = 0, listed = 0;

        for (struct job_slot slot = queue->newest; slot.n;
             slot = job_table_at(&core->jobs, slot)->older) {
            const struct job *job = job_table_at(&core->jobs, slot);

            fl_assert(queue_table_bucket(&core->queues, job->bucket)->queue.n == q + 1);
            fl_assert(!job->is_moved);
            fl_assert(!job->older.n || job_table_at(&core->jobs, job->older)->id < job->id);
            fl_assert(!job->older.n || job_table_at(&core->jobs, job->older)->newer.n == slot.n);
            in_state[job_table_state(&core->jobs, job)]++;
            listed++;
        }
        listed += check_moved(core, queue, in_state);
        for (size_t i = 0; i < queue->buckets.len; i++) {
            const struct bucket *bucket = queue_table_bucket(&core->queues, queue->buckets.at[i]);
            uint64_t before = 0;

            fl_assert(bucket->queue.n == q + 1 && bucket->jobs > 0);
            in_queue += bucket->jobs;
            for (struct job_slot slot = bucket->line_first; slot.n;
                 slot = job_table_at(&core->jobs, slot)->right) {
                const struct job *job = job_table_at(&core->jobs, slot);

                fl_assert(job->place == JOB_IN_LINE && job->id > before);
                fl_assert(job->bucket.n == queue->buckets.at[i].n);
                before = job->id;
            }
        }
        fl_assert(in_queue == queue->jobs && listed == in_queue);
        fl_assert(memcmp(queue->in_state, in_state, sizeof in_state) == 0);
        jobs += in_queue;
    }
    fl_assert(jobs == core->jobs.jobs.len);
}

static bool has_same(const struct named_resources *a, const struct named_resources *b)
{
    for (unsigned number = 1; number <= RESOURCES_MAX; number++) {
        const struct named_resource *x = named_resources_find(a, (uint8_t)number),
                                    *y = named_resources_find(b, (uint8_t)number);

        if ((x ? x->held : 0) != (y ? y->held : 0)) return false;
        if ((x ? x->claimed : 0) != (y ? y->claimed : 0)) return false;
    }
    return true;
}

/* The sums that a node keeps of resources with a name are those of its replicas and claims. */
static void check_named(const struct core *core, const struct cluster *cluster)
{
    struct named_resources *sums = fl_new_array(struct named_resources, cluster->nodes.len + 1);

    for (struct element_slot slot = cluster->live_first; slot.n;) {
        struct element *element = element_table_at(&core->elements, slot);
        const struct shape *shape = core_attempt_shape(core, element);

        for (uint32_t i = 0; i < element->replicas_len && shape->kinds_len > 0; i++) {
            const struct element_replica *replica = element_replica(element, i);
            struct named_requests wants = shape_wants(shape, shape_role_of(shape, i));

            if (replica->node == ELEMENT_NODE_NONE || !replica->is_held) continue;
            for (uint32_t k = 0; k < wants.len; k++) {
                if (wants.amounts[k] == 0) continue;
                named_resources_need(&sums[replica->node], wants.numbers[k])->held +=
                    wants.amounts[k];
            }
        }
        slot = element->cluster_next;
    }
    for (size_t q = 0; q < core->queues.queues.len; q++) {
        const struct claim *claim = &core->queues.queues.at[q].claim;

        if (claim->cluster.n != cluster->id.n) continue;
        for (size_t i = 0; i < claim->parts.len && !cluster->is_claim_broken; i++) {
            struct named_requests wants = claim_part_wants(&claim->parts.at[i]);

            for (uint32_t k = 0; k < wants.len; k++) {
                if (wants.amounts[k] == 0) continue;
                named_resources_need(&sums[claim->parts.at[i].node], wants.numbers[k])->claimed +=
                    wants.amounts[k];
            }
        }
    }
    for (size_t i = 0; i < cluster->nodes.len; i++) {
        fl_assert(cluster->is_claim_broken || has_same(&sums[i], &cluster->nodes.at[i].named));
        named_resources_fini(&sums[i]);
    }
    fl_free(sums);
}

/* Each node counts its replicas of live attempts.  A node without any was reported in this session,
 * or the session has not listed all its nodes yet. */
static void check_nodes(const struct core *core, const struct cluster *cluster)
{
    uint32_t *replicas = fl_new_array(uint32_t, cluster->nodes.len + 1);
    struct fl_resources_sum *held = fl_new_array(struct fl_resources_sum, cluster->nodes.len + 1);
    uint32_t told = 0, ready = 0, limited = 0, holes = 0, tainted = 0;

    for (struct element_slot slot = cluster->live_first; slot.n;) {
        struct element *element = element_table_at(&core->elements, slot);

        for (uint32_t i = 0; i < element->replicas_len; i++) {
            uint32_t node = element_replica(element, i)->node;

            if (node == ELEMENT_NODE_NONE) continue;
            replicas[node]++;
            if (!element_replica(element, i)->is_held) continue;
            fl_resources_sum_add(&held[node],
                                 shape_role_of(core_attempt_shape(core, element), i)->each);
        }
        slot = element->cluster_next;
    }
    for (uint32_t i = 0; i < cluster->nodes.len; i++) {
        const struct node *node = &cluster->nodes.at[i];
        bool is_told = cluster->is_connected && node->session == cluster->session_epoch;

        fl_assert(node->replicas == replicas[i] && fl_resources_sum_is_same(node->held, held[i]));
        fl_assert(!is_told || cluster->by_number.at[node->number] == i + 1);
        fl_assert(is_told || node->replicas > 0 || node->name.len == 0 || !cluster->is_listed);
        fl_assert(node->name.len > 0 || (!is_told && node->replicas == 0 && !node->labels.at));
        fl_assert(node->name.len > 0 || !node->taints.at);
        tainted += node->taints.len > 0;
        told += is_told;
        ready += is_told && node->is_ready;
        limited += is_told && node->is_ready && node->has_limits;
        holes += node->name.len == 0;
    }
    fl_assert(told == cluster->told_len && told <= core->clusters.nodes_max);
    fl_assert(!cluster->is_connected ||
              (ready == cluster->ready_len && limited == cluster->limited_len));
    fl_assert(holes == cluster->holes.len && tainted == cluster->tainted_len);
    fl_assert(cluster->nodes_by_name.len == cluster->nodes.len - holes);
    fl_free(replicas);
    fl_free(held);
}

/* The claimed room of each node is the sum of the queues' claims on it. */
static void check_claims(const struct core *core, const struct cluster *cluster)
{
    struct fl_resources_sum *claimed =
        fl_new_array(struct fl_resources_sum, cluster->nodes.len + 1);
    uint32_t claims_len = 0;

    for (size_t q = 0; q < core->queues.queues.len; q++) {
        const struct claim *claim = &core->queues.queues.at[q].claim;

        if (claim->cluster.n != cluster->id.n) continue;
        claims_len++;
        for (size_t i = 0; i < claim->parts.len && !cluster->is_claim_broken; i++) {
            fl_resources_sum_add(&claimed[claim->parts.at[i].node], claim->parts.at[i].room);
        }
    }
    fl_assert(claims_len == cluster->claims_len);
    for (size_t i = 0; i < cluster->nodes.len && !cluster->is_claim_broken; i++) {
        fl_assert(fl_resources_sum_is_same(cluster->nodes.at[i].claimed, claimed[i]));
    }
    fl_free(claimed);
}

static void check_clusters(const struct core *core, struct sums *sums)
{
    size_t live = 0;

    for (size_t i = 0; i < core->clusters.clusters.len; i++) {
        const struct cluster *cluster = core->clusters.clusters.at[i];
        uint32_t len = 0, unconfirmed = 0, resend = 0, unmarked = 0, unmarked_here = 0;

        for (struct element_slot slot = cluster->live_first; slot.n;) {
            const struct element *element = element_table_at(&core->elements, slot);

            fl_assert(element->place == ELEMENT_LIVE && element->cluster.n == cluster->id.n);
            len++;
            unconfirmed += !element->is_reported;
            resend += is_resend(cluster, element);
            unmarked += element->session == cluster->session_epoch && element->start_seq != 0;
            slot = element->cluster_next;
        }
        for (struct element_slot slot = cluster->unmarked_first; slot.n;) {
            const struct element *element = element_table_at(&core->elements, slot);

            /* Without a session the list waits for the next one, which begins with an empty
             * list. */
            fl_assert(element->start_seq > 0);
            fl_assert(!cluster->is_connected || element->start_seq <= cluster->control_seq);
            unmarked_here++;
            slot = element->unmarked_next;
        }
        fl_assert(!cluster->is_draining || cluster->cordon[0] != '\0');
        fl_assert(cluster->seen <= cluster->generation);
        fl_assert(len == cluster->live_len && unconfirmed == cluster->unconfirmed);
        fl_assert(!cluster->is_connected || resend == cluster->resend_len);
        fl_assert(!cluster->is_connected || unmarked == unmarked_here);
        fl_assert(cluster->is_connected || !cluster->is_inventoried);
        fl_assert(cluster->is_inventoried || !cluster->is_reconciled);
        fl_assert(cluster->is_reconciled || !cluster->is_inventoried || cluster->is_swept);
        sums->walks += cluster->is_swept;
        fl_assert(!core->is_db_away || cluster->lost_at == 0);
        check_nodes(core, cluster);
        check_claims(core, cluster);
        check_named(core, cluster);
        live += len;
    }
    fl_assert(live == sums->live);
}

/* By enum owner_share. */
struct used {
    uint32_t of[OWNER_SHARES_LEN];
};

static void add_used(const struct core *core, const struct job *job, struct used *used)
{
    const struct dependency_edge *edge = dependency_table_first(&core->dependencies, job->id);
    const struct job_run *run = job_table_run(&core->jobs, job);

    for (; edge; edge = dependency_table_next(&core->dependencies, edge)) {
        used->of[OWNER_waits]++;
    }
    used->of[OWNER_jobs]++;
    used->of[OWNER_singletons] += job->is_singleton;
    if (!run || !run->pair) return;
    used->of[OWNER_pairs]++;
    used->of[OWNER_pair_elements] += run->pair->elements;
}

static void check_owners(const struct core *core)
{
    const struct fl_slab *owners = &core->owners.owners;
    struct used *used = fl_new_array(struct used, owners->used + 1);
    uint32_t checked = 0;

    for (struct job_slot slot = job_table_next(&core->jobs, 1); slot.n;) {
        const struct job *job = job_table_at(&core->jobs, slot);

        fl_assert(owner_table_jobs(&core->owners, job->owner, job->bucket) > 0);
        add_used(core, job, &used[job->owner.n]);
        slot = job_table_next(&core->jobs, job->id + 1);
    }
    for (uint32_t i = 1; i <= owners->used; i++) {
        const struct owner *owner;

        if (!fl_slab_is_taken(owners, i)) continue;
        owner = owner_table_at(&core->owners, (struct owner_slot){i});
        used[i].of[OWNER_kinds] = (uint32_t)owner->kinds.len;
        fl_assert(owner->used[OWNER_jobs] > 0);
        fl_assert(memcmp(owner->used, &used[i], sizeof used[i]) == 0);
        for (size_t k = 0; k < owner->kinds.len; k++) {
            fl_assert(k == 0 || owner->kinds.at[k - 1].bucket < owner->kinds.at[k].bucket);
            used[i].of[OWNER_jobs] -= owner->kinds.at[k].jobs;
        }
        fl_assert(used[i].of[OWNER_jobs] == 0);
        checked++;
    }
    fl_assert(checked == owners->len);
    fl_free(used);
}

void core_check(const struct core *core)
{
    struct sums sums = {0};

    if (!core->is_begun) return;
    check_jobs(core, &sums);
    check_buckets(core);
    check_owners(core);
    check_clusters(core, &sums);
    claim_check(&core->round.chooser.room);
    fl_assert(sums.elements == core->elements.elements.len);
    fl_assert(sums.deadlines == core->deadlines);
    fl_assert(sums.edges == core->dependencies.edges.len);
    fl_assert(sums.singletons == core->singletons.singletons.len);
    fl_assert(sums.pairs == core->pairs.pairs.len);
    fl_assert(sums.walks <= core_walk_len(core)); /* a job may have ended meanwhile */
}
