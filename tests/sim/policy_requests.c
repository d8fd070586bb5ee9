#include "tests/sim/policy_requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"
#include "shared/base/job_name.h"

/* One job as it was submitted; texts by their hashes. */
struct asked_item {
    uint64_t queue, name, shape, picked, params, labels, owner, retry_of;
    struct fl_digest spec;
    int32_t priority;
    uint32_t elements, deadline_s, retries_max, parallelism;
    bool is_held, is_singleton;
    FL_VEC(struct fl_dependency) after; /* resolved, in a row; else as it was asked */
};

struct asked {
    bool is_known;
    enum core_event_kind kind;
    uint32_t tenant;
    uint64_t object; /* a job's or a cluster's id; where a list begins */
    bool is_on;      /* pause, cordon, drain: stop what runs */
    char name[POLICY_NAME_MAX];
    bool sets_queue, sets_priority, sets_deadline, sets_parallelism,
        sets_labels; /* an edit; 'name': the queue */
    int32_t priority;
    uint32_t deadline_s, parallelism;
    uint64_t labels;
    uint64_t key; /* its Idempotency-Key's hash; 0: none */
    struct fl_digest body_sha;
    FL_VEC(struct asked_item) items;
};

/* A job_new row whose audit row has not come yet. */
struct accepted {
    uint64_t job;
    struct asked_item item;
    uint32_t tenant;
    bool is_held;
};

struct kept_key {
    uint32_t tenant;
    uint64_t key;
};

struct policy_requests {
    FL_VEC(struct asked) requests; /* by their number */
    FL_VEC(uint64_t) makers;       /* by job: its request's number */
    FL_VEC(struct kept_key) keys;  /* that idempotency rows have */
    /* found in this batch */
    FL_VEC(struct accepted) accepted;
    FL_VEC(uint64_t) ordered; /* requests that are audited */
};

struct policy_requests *policy_requests_create(void)
{
    return fl_new(struct policy_requests);
}

void policy_requests_destroy(struct policy_requests *asked)
{
    if (!asked) return;
    for (size_t i = 0; i < asked->requests.len; i++) {
        for (size_t k = 0; k < asked->requests.at[i].items.len; k++) {
            fl_vec_fini(&asked->requests.at[i].items.at[k].after);
        }
        fl_vec_fini(&asked->requests.at[i].items);
    }
    fl_vec_fini(&asked->requests);
    fl_vec_fini(&asked->makers);
    fl_vec_fini(&asked->keys);
    fl_vec_fini(&asked->accepted);
    fl_vec_fini(&asked->ordered);
    fl_free(asked);
}

/* ---- requests -------------------------------------------------------------------------------- */

static void copy_name(char out[POLICY_NAME_MAX], struct fl_str name)
{
    fl_assert(name.len < POLICY_NAME_MAX);
    if (name.len) memcpy(out, name.at, name.len);
}

static void keep_items(struct asked *asked, const struct core_event *event)
{
    for (size_t i = 0; i < event->submit.len; i++) {
        const struct core_submit_item *from = &event->submit.at[i];
        struct asked_item item = {.queue = policy_hash(from->queue),
                                  .name = policy_hash(from->name),
                                  .shape = policy_hash(from->shape),
                                  .picked = policy_hash(from->picked),
                                  .params = policy_hash(from->params),
                                  .labels = policy_hash(from->labels),
                                  .owner = policy_hash(event->owner),
                                  .retry_of = from->retry_of.n,
                                  .spec = from->spec_digest,
                                  .priority = from->priority,
                                  .elements = from->elements,
                                  .deadline_s = from->deadline_s,
                                  .retries_max = from->retries_max,
                                  .parallelism = from->parallelism,
                                  .is_held = from->is_held,
                                  .is_singleton = from->is_singleton};

        for (size_t k = 0; k < from->after_len; k++) {
            fl_vec_push(&item.after, from->after[k].after);
        }
        fl_vec_push(&asked->items, item);
    }
}

static void keep_cluster(struct asked *asked, const struct core_event *event)
{
    switch (event->kind) {
    case CORE_EV_cluster_cordon:
        asked->object = event->cluster_cordon.cluster.n;
        asked->is_on = event->cluster_cordon.is_on;
        break;
    case CORE_EV_cluster_drain:
        asked->object = event->cluster_drain.cluster.n;
        asked->is_on = event->cluster_drain.is_stop;
        break;
    case CORE_EV_renew:
        asked->object = event->renew.cluster.n;
        break;
    default:
        asked->object = event->cluster_forget.cluster.n;
        break;
    }
}

static void keep_edit(struct asked *asked, const struct core_event *event)
{
    asked->object = event->edit.job.n;
    asked->is_on = event->edit.is_held;
    asked->sets_queue = event->edit.sets_queue;
    asked->sets_priority = event->edit.sets_priority;
    asked->sets_deadline = event->edit.sets_deadline;
    asked->sets_parallelism = event->edit.sets_parallelism;
    asked->sets_labels = event->edit.sets_words;
    asked->priority = event->edit.priority;
    asked->deadline_s = event->edit.deadline_s;
    asked->parallelism = event->edit.parallelism;
    asked->labels = policy_hash(event->edit.labels);
    copy_name(asked->name, event->edit.queue);
}

void policy_requests_heard(struct policy *policy, const struct core_event *event)
{
    uint64_t number = event->request >> 8;
    struct asked *asked;

    if (!event->request) return;
    while (policy->requests->requests.len <= number) {
        fl_vec_push(&policy->requests->requests, (struct asked){0});
    }
    asked = &policy->requests->requests.at[number];
    if (asked->is_known) return;
    asked->is_known = true;
    asked->kind = event->kind;
    asked->tenant = event->tenant.n;
    asked->key = policy_hash(event->key);
    asked->body_sha = event->body_sha;
    switch (event->kind) {
    case CORE_EV_submit:
        keep_items(asked, event);
        break;
    case CORE_EV_cancel:
    case CORE_EV_hold:
    case CORE_EV_release:
    case CORE_EV_read_job:
    case CORE_EV_explain:
        asked->object = event->job.job.n;
        break;
    case CORE_EV_edit:
        keep_edit(asked, event);
        break;
    case CORE_EV_list_jobs:
        asked->object = event->list_jobs.before;
        break;
    case CORE_EV_queue_put:
        asked->is_on = event->queue_put.is_paused;
        copy_name(asked->name, event->queue_put.name);
        break;
    case CORE_EV_cluster_put:
        copy_name(asked->name, event->cluster_put.name);
        break;
    case CORE_EV_join_put:
        copy_name(asked->name, event->join_put.name);
        break;
    case CORE_EV_token_put:
        copy_name(asked->name, event->token_put.id);
        break;
    case CORE_EV_token_revoke:
        copy_name(asked->name, event->token_revoke.id);
        break;
    case CORE_EV_token_rotate:
        copy_name(asked->name, event->token_rotate.id);
        break;
    case CORE_EV_cluster_cordon:
    case CORE_EV_cluster_drain:
    case CORE_EV_cluster_forget:
    case CORE_EV_cluster_revoke:
    case CORE_EV_cluster_unlock:
    case CORE_EV_renew:
        keep_cluster(asked, event);
        break;
    default:
        break;
    }
}

static const struct asked *find_asked(const struct policy *policy, uint64_t number)
{
    const struct policy_requests *all = policy->requests;

    return number < all->requests.len && all->requests.at[number].is_known
               ? &all->requests.at[number]
               : NULL;
}

/* ---- jobs, as they were submitted ------------------------------------------------------------ */

/* A line is some job before it. */
static bool is_same_after(const struct asked_item *asked, const struct policy_job *job)
{
    if (asked->after.len != job->after.len) return false;
    for (size_t i = 0; i < job->after.len; i++) {
        const struct fl_dependency *from = &asked->after.at[i], *to = &job->after.at[i];

        if (from->on != to->on || (!from->line && from->job.n != to->job.n)) return false;
    }
    return true;
}

static bool is_same_item(const struct asked_item *a, const struct asked_item *b)
{
    return a->queue == b->queue && a->shape == b->shape && a->picked == b->picked &&
           a->params == b->params && a->labels == b->labels && a->owner == b->owner &&
           a->retry_of == b->retry_of && memcmp(&a->spec, &b->spec, sizeof(a->spec)) == 0 &&
           a->priority == b->priority && a->elements == b->elements &&
           a->deadline_s == b->deadline_s && a->retries_max == b->retries_max &&
           a->parallelism == b->parallelism && a->is_singleton == b->is_singleton;
}

static void see_job(struct policy *policy, const struct row_job_new *row)
{
    const struct policy_queue *queue = policy_queue(policy, row->queue);
    struct accepted accepted = {.job = row->job,
                                .tenant = row->tenant,
                                .item = {.queue = policy_hash(fl_str_c(queue->name)),
                                         .name = policy_hash(row->name),
                                         .shape = policy_shape(policy, row->shape)->hash,
                                         .picked = policy_hash(row->picked),
                                         .params = policy_hash(row->params),
                                         .labels = policy_hash(row->labels),
                                         .owner = policy_hash(row->owner),
                                         .retry_of = row->retry_of,
                                         .spec = row->spec,
                                         .priority = row->priority,
                                         .elements = row->elements,
                                         .deadline_s = row->deadline_s,
                                         .retries_max = row->retries_max,
                                         .parallelism = row->parallelism,
                                         .is_singleton = row->is_singleton}};

    if (queue->tenant != row->tenant) {
        sim_broken(policy->sim, "I29", "job %" PRIu64 " of tenant %u is in a queue of tenant %u",
                   row->job, row->tenant, queue->tenant);
    }
    fl_vec_push(&policy->requests->accepted, accepted);
}

static struct accepted *find_accepted(struct policy *policy, uint64_t job)
{
    for (size_t i = 0; i < policy->requests->accepted.len; i++) {
        if (policy->requests->accepted.at[i].job == job) return &policy->requests->accepted.at[i];
    }
    return NULL;
}

/* "submit job-7+3": these jobs are items of that request, in their order. */
static void I29_jobs_are_as_submitted(struct policy *policy, uint64_t number, struct fl_str body)
{
    const struct asked *asked = find_asked(policy, number);
    const char *plus = memchr(body.at, '+', body.len);
    struct fl_err err = {0};
    struct fl_job first;
    char digits[32];
    uint64_t count;
    size_t next = 0;

    fl_assert(plus && fl_job_parse((struct fl_str){body.at + 7, (size_t)(plus - body.at) - 7},
                                   &first, &err));
    snprintf(digits, sizeof(digits), "%.*s", (int)(body.at + body.len - plus - 1), plus + 1);
    count = strtoull(digits, NULL, 10); /* I21 has counted them */
    for (uint64_t job = first.n; job < first.n + count; job++) {
        struct accepted *accepted = find_accepted(policy, job);

        if (!accepted || accepted->tenant != asked->tenant) {
            sim_broken(policy->sim, "I29",
                       "job %" PRIu64 " is audited for request %" PRIu64
                       ", and is none of tenant %u",
                       job, number, asked->tenant);
        }
        while (next < asked->items.len && asked->items.at[next].name != accepted->item.name) {
            next++;
        }
        if (next == asked->items.len || !is_same_item(&asked->items.at[next], &accepted->item) ||
            !is_same_after(&asked->items.at[next], policy_job(policy, job)) ||
            asked->items.at[next].is_held != accepted->is_held) {
            sim_broken(policy->sim, "I29", "job %" PRIu64 " is not as request %" PRIu64 " has it",
                       job, number);
        }
        next++;
        while (policy->requests->makers.len <= job) {
            fl_vec_push(&policy->requests->makers, UINT64_MAX);
        }
        policy->requests->makers.at[job] = number;
    }
}

/* ---- audit rows ------------------------------------------------------------------------------ */

/* How the audit row of that request begins. */
static void say_order(struct policy *policy, const struct asked *asked, char *out, size_t max)
{
    const char *verb = core_event_name(asked->kind);
    char job[FL_JOB_NAME_MAX];

    switch (asked->kind) {
    case CORE_EV_cancel:
    case CORE_EV_hold:
    case CORE_EV_release:
    case CORE_EV_edit:
        fl_job_name((struct fl_job){asked->object}, job);
        snprintf(out, max, "%s %s", verb, job);
        return;
    case CORE_EV_submit:
        snprintf(out, max, "%s job-", verb);
        return;
    case CORE_EV_enrol:
        snprintf(out, max, "%s c", verb);
        return;
    case CORE_EV_queue_put:
        snprintf(out, max, "%s %s%s", verb, asked->name, asked->is_on ? " paused" : "");
        return;
    case CORE_EV_cluster_put:
    case CORE_EV_join_put:
    case CORE_EV_token_put:
    case CORE_EV_token_revoke:
    case CORE_EV_token_rotate:
        snprintf(out, max, "%s %s", verb, asked->name);
        return;
    default:
        snprintf(out, max, "%s %s", verb, policy_cluster(policy, (uint32_t)asked->object)->name);
        return;
    }
}

static bool says(struct fl_str body, const char *order, enum core_event_kind kind)
{
    size_t len = strlen(order);
    bool is_open = kind == CORE_EV_submit || kind == CORE_EV_enrol;

    if (body.len < len || memcmp(body.at, order, len) != 0) return false;
    if (kind == CORE_EV_queue_put) return body.len == len;
    return is_open || body.len == len || body.at[len] == ' ';
}

static bool is_by_agent(struct fl_str body)
{
    static const char *const words[] = {"cluster_lock ", "cluster_duplicate "};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t len = strlen(words[i]);

        if (body.len > len && memcmp(body.at, words[i], len) == 0) return true;
    }
    return false;
}

static void I29_orders_are_kept(struct policy *policy, const struct asked *asked,
                                struct fl_str body)
{
    const struct policy_cluster *cluster;

    if (asked->kind == CORE_EV_queue_put) {
        for (size_t i = 0; i < policy->queues.len; i++) {
            const struct policy_queue *queue = &policy->queues.at[i];

            if (queue->tenant != asked->tenant || strcmp(queue->name, asked->name) != 0) continue;
            if (queue->is_paused == asked->is_on) return;
        }
    } else if (asked->kind == CORE_EV_cluster_cordon) {
        cluster = policy_cluster(policy, (uint32_t)asked->object);
        if (cluster->is_cordoned == asked->is_on) return;
    } else if (asked->kind == CORE_EV_cluster_drain) {
        cluster = policy_cluster(policy, (uint32_t)asked->object);
        if (cluster->is_cordoned && (cluster->is_draining || !asked->is_on)) return;
    } else {
        return;
    }
    sim_broken(policy->sim, "I29", "%.*s is audited, and the row before it says otherwise",
               FL_STR_ARG(body));
}

static void I29_the_actor_asked_for_it(struct policy *policy, const struct row_audit *row)
{
    char actor[32] = {0}, order[2 * POLICY_NAME_MAX];
    const struct asked *asked;
    uint64_t number = UINT64_MAX;

    if (fl_str_eq(row->actor, FL_STR("agent"))) {
        if (is_by_agent(row->body)) return;
    } else if (row->actor.len < sizeof(actor)) {
        memcpy(actor, row->actor.at, row->actor.len);
        if (sscanf(actor, "user-%" SCNu64, &number) != 1) number = UINT64_MAX;
    }
    asked = find_asked(policy, number);
    if (asked && asked->tenant == row->tenant) {
        say_order(policy, asked, order, sizeof(order));
        if (says(row->body, order, asked->kind) ||
            (asked->kind == CORE_EV_renew && is_by_agent(row->body))) {
            if (asked->kind == CORE_EV_submit) {
                I29_jobs_are_as_submitted(policy, number, row->body);
            }
            I29_orders_are_kept(policy, asked, row->body);
            fl_vec_push(&policy->requests->ordered, number);
            return;
        }
    }
    sim_broken(policy->sim, "I29", "\"%.*s\" did not ask for \"%.*s\" in tenant %u",
               FL_STR_ARG(row->actor), FL_STR_ARG(row->body), row->tenant);
}

/* ---- marks ----------------------------------------------------------------------------------- */

static void I29_a_mark_was_ordered(struct policy *policy, uint64_t job, enum core_event_kind kind)
{
    for (size_t i = policy->requests->ordered.len; i > 0; i--) {
        const struct asked *asked = find_asked(policy, policy->requests->ordered.at[i - 1]);

        bool is_edit =
            asked->kind == CORE_EV_edit && kind == (asked->is_on ? CORE_EV_hold : CORE_EV_release);

        if ((asked->kind != kind && !is_edit) || asked->object != job) continue;
        if (policy_job(policy, job)->tenant == asked->tenant) return;
    }
    sim_broken(policy->sim, "I29", "nobody of its tenant ordered: %s job %" PRIu64,
               core_event_name(kind), job);
}

static void see_mark(struct policy *policy, const struct row_mark_set *row)
{
    struct accepted *accepted = find_accepted(policy, row->job);

    if (row->kind == CORE_MARK_cancel && row->value == REASON_Cancelled) {
        I29_a_mark_was_ordered(policy, row->job, CORE_EV_cancel);
    }
    if (row->kind != CORE_MARK_held) return;
    if (accepted && policy->requests->makers.len <= row->job) { /* not audited yet: held at birth */
        accepted->is_held = true;
    } else {
        I29_a_mark_was_ordered(policy, row->job, CORE_EV_hold);
    }
}

/* Members that the order does not name stay; the model does not know the edit yet. */
static bool is_as_ordered(struct policy *policy, const struct asked *asked,
                          const struct row_job_edit *row)
{
    const struct policy_job *job = policy_job(policy, row->job);
    const char *queue = policy_queue(policy, row->queue)->name;

    if (asked->kind != CORE_EV_edit || asked->object != row->job || asked->tenant != job->tenant) {
        return false;
    }
    return (asked->sets_queue ? strcmp(queue, asked->name) == 0 : row->queue == job->queue) &&
           row->priority == (asked->sets_priority ? asked->priority : job->priority) &&
           row->deadline_s == (asked->sets_deadline ? asked->deadline_s : job->deadline_s) &&
           row->parallelism == (asked->sets_parallelism ? asked->parallelism : job->parallelism) &&
           policy_hash(row->name) == job->name &&
           policy_hash(row->labels) == (asked->sets_labels ? asked->labels : job->labels);
}

static void I29_an_edit_was_ordered(struct policy *policy, const struct row_job_edit *row)
{
    size_t len = policy->requests->ordered.len;

    if (len > 0 &&
        is_as_ordered(policy, find_asked(policy, policy->requests->ordered.at[len - 1]), row)) {
        return;
    }
    sim_broken(policy->sim, "I29", "edit %u of job %" PRIu64 " is not as its order says",
               row->revision, row->job);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void I29_a_key_is_its_askers(struct policy *policy, const struct row_idempotency *row)
{
    struct kept_key kept = {row->tenant, policy_hash(row->key)};

    for (size_t i = 0; i < policy->requests->keys.len; i++) {
        const struct kept_key *other = &policy->requests->keys.at[i];

        if (other->key == kept.key && other->tenant != kept.tenant) {
            sim_mark(policy->sim, MARK_key_of_two_tenants);
        }
    }
    fl_vec_push(&policy->requests->keys, kept);
    for (size_t i = 0; i < policy->requests->requests.len; i++) {
        const struct asked *asked = &policy->requests->requests.at[i];

        if (asked->is_known && asked->key == kept.key && asked->tenant == kept.tenant &&
            memcmp(&asked->body_sha, &row->body_sha, sizeof(asked->body_sha)) == 0) {
            return;
        }
    }
    sim_broken(policy->sim, "I29", "nobody of tenant %u sent that body with the key %.*s",
               row->tenant, FL_STR_ARG(row->key));
}

void policy_requests_row(struct policy *policy, const struct row *row)
{
    switch (row->kind) {
    case ROW_job_new:
        see_job(policy, &row->job_new);
        break;
    case ROW_job_edit:
        I29_an_edit_was_ordered(policy, &row->job_edit);
        break;
    case ROW_mark_set:
        see_mark(policy, &row->mark_set);
        break;
    case ROW_mark_clear:
        if (row->mark_clear.kind == CORE_MARK_held) {
            I29_a_mark_was_ordered(policy, row->mark_clear.job, CORE_EV_release);
        }
        break;
    case ROW_idempotency:
        I29_a_key_is_its_askers(policy, &row->idempotency);
        break;
    case ROW_audit:
        I29_the_actor_asked_for_it(policy, &row->audit);
        break;
    default:
        break;
    }
}

void policy_requests_batch(struct policy *policy)
{
    fl_vec_clear(&policy->requests->accepted);
    fl_vec_clear(&policy->requests->ordered);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* The job is this request's, or that of one with the same tenant, key and body. */
static void I29_a_job_is_its_makers(struct policy *policy, const struct asked *asked,
                                    uint64_t number, uint64_t job)
{
    uint64_t maker =
        job < policy->requests->makers.len ? policy->requests->makers.at[job] : UINT64_MAX;
    const struct asked *first = find_asked(policy, maker);

    if (maker == number) return;
    if (first && first->tenant == asked->tenant && first->key && first->key == asked->key &&
        memcmp(&first->body_sha, &asked->body_sha, sizeof(first->body_sha)) == 0) {
        return;
    }
    sim_broken(policy->sim, "I29",
               "request %" PRIu64 " is promised job %" PRIu64 ", which request %" PRIu64
               " submitted",
               number, job, maker);
}

static void I29_a_tenant_sees_its_own(struct policy *policy, const struct asked *asked,
                                      const struct core_answer *answer)
{
    for (size_t i = 0; i < answer->jobs_len; i++) {
        const struct core_job_view *view = &answer->jobs[i];

        if (policy_job(policy, view->job.n)->tenant == asked->tenant &&
            view->tenant.n == asked->tenant &&
            (asked->kind == CORE_EV_list_jobs || view->job.n == asked->object)) {
            continue;
        }
        sim_broken(policy->sim, "I29", "tenant %u is shown job %" PRIu64, asked->tenant,
                   view->job.n);
    }
    for (size_t i = 0; i < answer->queues_len; i++) {
        if (policy_queue(policy, answer->queues[i].queue.n)->tenant == asked->tenant) continue;
        sim_broken(policy->sim, "I29", "tenant %u is shown queue %u", asked->tenant,
                   answer->queues[i].queue.n);
    }
}

/* The rows show the order carried out, or a change that came later. */
static bool is_carried_out(struct policy *policy, const struct asked *asked,
                           const struct core_answer *answer)
{
    const struct policy_job *job;
    const struct policy_cluster *cluster;

    switch (asked->kind) {
    case CORE_EV_hold:
    case CORE_EV_release:
        job = policy_job(policy, asked->object);
        return !job->is_open || job->is_held == (asked->kind == CORE_EV_hold) ||
               job->held_changed_at >= answer->at;
    case CORE_EV_edit:
        job = policy_job(policy, asked->object);
        if (!job->is_open || job->edited_at >= answer->at) return true;
        return (!asked->sets_priority || job->priority == asked->priority) &&
               (!asked->sets_queue ||
                strcmp(policy_queue(policy, job->queue)->name, asked->name) == 0);
    case CORE_EV_queue_put:
        if (answer->id >= policy->queues.len) return false;
        return policy->queues.at[answer->id].is_paused == asked->is_on ||
               policy->queues.at[answer->id].changed_at >= answer->at;
    case CORE_EV_cluster_cordon:
    case CORE_EV_cluster_drain:
        cluster = policy_cluster(policy, (uint32_t)asked->object);
        return cluster->is_cordoned == (asked->is_on || asked->kind == CORE_EV_cluster_drain) ||
               cluster->changed_at >= answer->at;
    case CORE_EV_cluster_forget:
        cluster = policy_cluster(policy, (uint32_t)asked->object);
        return cluster->state != POLICY_CLUSTER_ENROLLED || cluster->changed_at >= answer->at;
    case CORE_EV_cluster_revoke:
    case CORE_EV_cluster_unlock:
        cluster = policy_cluster(policy, (uint32_t)asked->object);
        return (cluster->access == CORE_ACCESS_revoked) ==
                   (asked->kind == CORE_EV_cluster_revoke) ||
               cluster->changed_at >= answer->at;
    default:
        return true;
    }
}

struct policy_question policy_requests_question(const struct policy *policy,
                                                const struct core_answer *answer)
{
    const struct asked *asked = find_asked(policy, answer->request >> 8);

    if (!asked) return (struct policy_question){.kind = CORE_EVENTS_LEN};
    return (struct policy_question){asked->kind, asked->tenant, asked->object};
}

void policy_requests_answered(struct policy *policy, const struct core_answer *answer)
{
    uint64_t number = answer->request >> 8;
    const struct asked *asked = find_asked(policy, number);
    bool is_about_job;

    if (!asked || answer->code != FL_OK) return;
    is_about_job = asked->kind == CORE_EV_cancel || asked->kind == CORE_EV_hold ||
                   asked->kind == CORE_EV_release || asked->kind == CORE_EV_edit ||
                   asked->kind == CORE_EV_read_job || asked->kind == CORE_EV_explain;
    if (is_about_job && policy_job(policy, asked->object)->tenant != asked->tenant) {
        sim_broken(policy->sim, "I29", "tenant %u is answered about job %" PRIu64 " of another",
                   asked->tenant, asked->object);
    }
    for (size_t i = 0; i < answer->outcomes_len; i++) {
        if (answer->outcomes[i].code != FL_OK) continue;
        I29_a_job_is_its_makers(policy, asked, number, answer->outcomes[i].job.n);
    }
    I29_a_tenant_sees_its_own(policy, asked, answer);
    if (is_carried_out(policy, asked, answer)) return;
    sim_broken(policy->sim, "I29", "request %" PRIu64 " is answered: %s is done; the rows deny it",
               number, core_event_name(asked->kind));
}
