#include "agent/kube/pod_rule.h"

#include <stdio.h>
#include <string.h>

#include "agent/kube/kube_cache.h"
#include "agent/kube/kube_retry.h"
#include "agent/kube/pod_replica.h"
#include "shared/base/alloc.h"
#include "shared/base/enum_names.h"
#include "shared/base/job_limits.h"
#include "shared/base/map.h"
#include "shared/base/prng.h"
#include "shared/base/slab.h"
#include "shared/base/vec.h"

#define NEVER INT64_MAX

const struct pod_times pod_times_default = {
    .trouble_ms = {[POD_TROUBLE_image] = 5 * FL_MINUTE_MS,
                   [POD_TROUBLE_container] = 2 * FL_MINUTE_MS,
                   [POD_TROUBLE_sandbox] = 5 * FL_MINUTE_MS,
                   [POD_TROUBLE_unscheduled] = 2 * FL_MINUTE_MS},
    .output_ms = FL_HOUR_MS,
};

FL_ENUM_NAMES(pod_request_name, enum pod_request_kind, POD_REQUESTS(FL_NAME))

struct request_place {
    uint32_t slot;
    uint64_t ticket;
};

struct pod_rule {
    struct pod_times times;
    struct fl_prng prng;
    struct fl_slab replicas;
    struct fl_map by_id;   /* by attempt and number */
    struct fl_map by_name; /* only replicas with a pod */
    uint64_t tickets;
    fl_ms next_at; /* no later than the first deadline of a replica */
    FL_VEC(struct request_place) requests;
    FL_VEC(struct pod_news) news;
    size_t requests_taken, news_taken;
};

/* ---- the table ------------------------------------------------------------------------------- */

struct id_key {
    uint64_t job;
    uint32_t element, n, incarnation, replica;
};

static struct id_key key_of(struct fl_attempt attempt, uint32_t replica)
{
    return (struct id_key){attempt.job.n, attempt.element, attempt.n, attempt.incarnation, replica};
}

static struct pod_replica *at(const struct pod_rule *rule, uint32_t slot)
{
    return fl_slab_at(&rule->replicas, slot);
}

/* 0: unknown. */
static uint32_t find(const struct pod_rule *rule, struct fl_attempt attempt, uint32_t replica)
{
    struct id_key key = key_of(attempt, replica);
    uint64_t slot;

    return fl_map_find(&rule->by_id, &key, sizeof key, &slot) ? (uint32_t)slot : 0;
}

static uint32_t add(struct pod_rule *rule, const struct pod_identity *identity)
{
    struct id_key key = key_of(identity->attempt, identity->replica);
    uint32_t slot = fl_slab_take(&rule->replicas);
    struct pod_replica *replica;

    fl_assert(slot); /* the core bounds them */
    replica = at(rule, slot);
    replica->attempt = identity->attempt;
    replica->number = identity->replica;
    replica->trouble_until = NEVER;
    pod_identity_name(identity, replica->name);
    pod_copy_text(replica->role, sizeof replica->role, identity->role);
    fl_map_put(&rule->by_id, &key, sizeof key, slot);
    return slot;
}

static void forget(struct pod_rule *rule, uint32_t slot)
{
    struct pod_replica *replica = at(rule, slot);
    struct id_key key = key_of(replica->attempt, replica->number);

    pod_replica_free_body(replica);
    fl_amounts_free(&replica->resources.named);
    if (replica->is_shown) fl_map_remove(&rule->by_name, replica->name, strlen(replica->name));
    fl_map_remove(&rule->by_id, &key, sizeof key);
    fl_slab_give(&rule->replicas, slot);
}

/* ---- news ------------------------------------------------------------------------------------ */

static void tell_state(struct pod_rule *rule, const struct pod_replica *replica)
{
    struct pod_news news = {.event.kind = AGENT_EV_replica_seen};

    if (replica->state == FL_REPLICA_pending) return; /* a later state follows */
    news.event.replica_seen.attempt = replica->attempt;
    news.event.replica_seen.replica = replica->number;
    news.event.replica_seen.state = replica->state;
    news.event.replica_seen.exit_code = replica->exit_code;
    news.event.replica_seen.cause = replica->cause;
    news.event.replica_seen.node = replica->node;
    memcpy(news.name, replica->name, sizeof news.name);
    if (pod_replica_is_ended(replica)) memcpy(news.why, replica->why, sizeof news.why);
    fl_vec_push(&rule->news, news);
}

static void tell_output(struct pod_rule *rule, const struct pod_replica *replica)
{
    struct pod_news news = {.is_output = true};

    news.event.replica_seen.attempt = replica->attempt;
    news.event.replica_seen.replica = replica->number;
    fl_vec_push(&rule->news, news);
}

static void tell_gone(struct pod_rule *rule, struct fl_attempt attempt, uint32_t number)
{
    struct pod_news news = {.event.kind = AGENT_EV_replica_gone};

    news.event.replica_gone.attempt = attempt;
    news.event.replica_gone.replica = number;
    fl_vec_push(&rule->news, news);
}

static void drop(struct pod_rule *rule, uint32_t slot)
{
    const struct pod_replica *replica = at(rule, slot);

    tell_gone(rule, replica->attempt, replica->number);
    forget(rule, slot);
}

/* ---- requests -------------------------------------------------------------------------------- */

static void wake_at(struct pod_rule *rule, fl_ms when)
{
    if (when < rule->next_at) rule->next_at = when;
}

static void ask(struct pod_rule *rule, uint32_t slot, enum pod_request_kind request)
{
    struct pod_replica *replica = at(rule, slot);

    replica->request = request;
    replica->ticket = ++rule->tickets;
    fl_vec_push(&rule->requests, (struct request_place){slot, replica->ticket});
}

static void wait_again(struct pod_rule *rule, struct pod_replica *replica, fl_ms now)
{
    replica->again_at = now + kube_retry_backoff(replica->failures, &rule->prng);
    replica->failures++;
}

/* Whether an ended pod may go.  One that never ran has no output. */
static bool may_go(struct pod_rule *rule, const struct pod_replica *replica, fl_ms now)
{
    fl_ms until = replica->ended_at + rule->times.output_ms;

    if (!pod_replica_is_ended(replica) || replica->state == FL_REPLICA_refused) return true;
    if (replica->is_output_taken || until <= now) return true;
    wake_at(rule, until);
    return false;
}

static void settle_removal(struct pod_rule *rule, uint32_t slot, fl_ms now)
{
    const struct pod_replica *replica = at(rule, slot);

    if (!may_go(rule, replica, now)) return;
    if (!replica->is_deleting) {
        ask(rule, slot, pod_replica_is_ended(replica) ? POD_REQUEST_delete : POD_REQUEST_withdraw);
    } else if (replica->has_finalizer) {
        ask(rule, slot, POD_REQUEST_free);
    }
}

/* Asks for the replica's next request, if it needs one.  The replica may be gone afterwards. */
static void settle(struct pod_rule *rule, uint32_t slot, fl_ms now)
{
    struct pod_replica *replica = at(rule, slot);
    bool shall_end = replica->is_stopping || replica->is_given_up;

    if (replica->ticket) return;
    if (!replica->is_shown && pod_replica_is_ended(replica)) {
        if (replica->is_removing) drop(rule, slot);
        return;
    }
    if (replica->again_at > now) {
        wake_at(rule, replica->again_at);
        return;
    }
    if (!replica->is_shown) {
        ask(rule, slot, replica->is_name_taken ? POD_REQUEST_read : POD_REQUEST_create);
    } else if (replica->is_removing) {
        settle_removal(rule, slot, now);
    } else if (shall_end && !pod_replica_is_ended(replica) && !replica->is_deleted) {
        ask(rule, slot, POD_REQUEST_delete);
    } else if (pod_replica_wants_service(replica)) {
        ask(rule, slot, replica->is_service_taken ? POD_REQUEST_serve_read : POD_REQUEST_serve);
    } else if (replica->is_released && replica->stage == POD_STAGE_gated && !replica->is_deleting &&
               !shall_end) {
        ask(rule, slot, POD_REQUEST_release);
    }
}

/* ---- states ---------------------------------------------------------------------------------- */

static void end(struct pod_rule *rule, struct pod_replica *replica, enum fl_replica_state state,
                enum agent_cause cause, fl_ms now)
{
    replica->state = state;
    replica->cause = cause;
    replica->ended_at = now;
    /* A replica that is removed behind its gate just goes. */
    if (replica->is_removing && state == FL_REPLICA_refused) return;
    tell_state(rule, replica);
    if (state != FL_REPLICA_refused) tell_output(rule, replica);
}

static enum agent_cause cause_of(enum pod_trouble trouble)
{
    static const enum agent_cause causes[] = {
#define TROUBLE_CAUSE(name, cause, meaning) AGENT_CAUSE_##cause,
        POD_TROUBLES(TROUBLE_CAUSE)
#undef TROUBLE_CAUSE
    };

    return causes[trouble];
}

/* The exit code counts unless another hand ended the pod before its container did. */
static void end_of_container(struct pod_rule *rule, struct pod_replica *replica,
                             const struct pod_status *seen, fl_ms now)
{
    bool is_early = seen->is_before_delete || (!seen->is_deleting && !seen->is_disrupted);
    bool is_ours = replica->is_stopping && !seen->is_disrupted;

    if (replica->was_cut || (!is_early && !is_ours)) {
        end(rule, replica, FL_REPLICA_lost,
            seen->is_node_gone ? AGENT_CAUSE_node_lost : AGENT_CAUSE_vanished, now);
        return;
    }
    replica->exit_code = seen->exit_code;
    end(rule, replica, FL_REPLICA_exited,
        seen->is_out_of_memory             ? AGENT_CAUSE_out_of_memory
        : seen->exit_code == 0 && is_early ? AGENT_CAUSE_finished
                                           : AGENT_CAUSE_none,
        now);
}

static void end_of_pod(struct pod_rule *rule, struct pod_replica *replica,
                       const struct pod_status *seen, fl_ms now)
{
    bool has_run = replica->state == FL_REPLICA_running || seen->has_exit;

    replica->has_log = replica->state == FL_REPLICA_running || seen->has_log;
    if (replica->is_given_up && !has_run) {
        end(rule, replica, FL_REPLICA_refused, cause_of(replica->trouble), now);
        return;
    }
    pod_replica_note(replica, seen->why, seen->words);
    if (seen->has_exit) {
        end_of_container(rule, replica, seen, now);
    } else if (seen->never_ran && !has_run) {
        end(rule, replica, FL_REPLICA_refused,
            seen->is_deleting ? AGENT_CAUSE_vanished : AGENT_CAUSE_runtime, now);
    } else {
        end(rule, replica, FL_REPLICA_lost,
            seen->is_node_gone ? AGENT_CAUSE_node_lost : AGENT_CAUSE_vanished, now);
    }
}

static void advance(struct pod_rule *rule, struct pod_replica *replica)
{
    static const enum fl_replica_state states[] = {
        [POD_STAGE_gated] = FL_REPLICA_created,
        [POD_STAGE_waiting] = FL_REPLICA_pulling,
        [POD_STAGE_running] = FL_REPLICA_running,
    };
    enum fl_replica_state state = states[replica->stage];
    bool is_first = replica->state == FL_REPLICA_pending;

    if (state <= replica->state) return;
    if (pod_replica_wants_service(replica) && !replica->is_adopted) return;
    replica->state = state;
    replica->has_log = state == FL_REPLICA_running;
    /* It is past its gate after all: an earlier agent has released it. */
    if (replica->stage > POD_STAGE_gated) replica->is_removing = false;
    tell_state(rule, replica);
    if (is_first) tell_output(rule, replica);
}

/* One that changes into another of its class, as ErrImagePull does, goes on; none ends it. */
static void mind_trouble(struct pod_rule *rule, struct pod_replica *replica,
                         const struct pod_status *seen, fl_ms now)
{
    if (replica->is_given_up) return;
    if (seen->trouble == POD_TROUBLE_none) {
        replica->trouble = POD_TROUBLE_none;
        replica->trouble_until = NEVER;
        return;
    }
    if (seen->trouble != replica->trouble) {
        replica->trouble = seen->trouble;
        replica->trouble_until = now + rule->times.trouble_ms[seen->trouble];
    }
    pod_replica_note(replica, seen->why, seen->words);
    replica->is_given_up = replica->trouble_until <= now;
    if (!replica->is_given_up) wake_at(rule, replica->trouble_until);
}

static void show(struct pod_rule *rule, uint32_t slot, const struct pod_status *seen)
{
    struct pod_replica *replica = at(rule, slot);

    if (!replica->is_shown) fl_map_put(&rule->by_name, replica->name, strlen(replica->name), slot);
    pod_replica_free_body(replica);
    replica->is_shown = true;
    pod_copy_text(replica->uid, sizeof replica->uid, seen->meta.uid);
    pod_copy_text(replica->version, sizeof replica->version, seen->meta.version);
    replica->stage = seen->stage;
    replica->has_finalizer = seen->has_finalizer;
    replica->is_deleting = seen->is_deleting;
    replica->wants_service = seen->is_named && replica->number == 0;
}

static void take_pod(struct pod_rule *rule, uint32_t slot, const struct pod_status *seen, fl_ms now)
{
    struct pod_replica *replica = at(rule, slot);

    show(rule, slot, seen);
    if (!pod_replica_is_ended(replica)) {
        if (seen->stage == POD_STAGE_ended) {
            end_of_pod(rule, replica, seen, now);
        } else {
            if (seen->is_deleting && !replica->is_given_up && !replica->is_stopping) {
                replica->was_cut = true;
            }
            advance(rule, replica);
            if (seen->stage == POD_STAGE_waiting) mind_trouble(rule, replica, seen, now);
        }
    }
    settle(rule, slot, now);
}

void pod_rule_see(struct pod_rule *rule, const struct pod_status *seen, uint32_t node, fl_ms now)
{
    uint32_t slot = find(rule, seen->identity.attempt, seen->identity.replica);
    struct pod_replica *replica;

    if (!slot) {
        slot = add(rule, &seen->identity);
        at(rule, slot)->node = node;
        at(rule, slot)->is_adopted = true;
        pod_replica_reserve(at(rule, slot), &seen->resources);
    }
    replica = at(rule, slot);
    if (replica->is_shown && pod_replica_is_same(replica, seen)) {
        bool is_known = fl_str_eq(fl_str_c(replica->version), seen->meta.version);

        if (replica->is_ahead && !is_known && pod_replica_is_older(replica, seen)) return;
        replica->is_ahead = false;
        if (is_known) return;
    }
    if (!replica->is_shown && replica->body && replica->hash != seen->hash) return;
    take_pod(rule, slot, seen, now);
}

void pod_rule_lose(struct pod_rule *rule, struct fl_str name, struct fl_str uid)
{
    uint64_t slot;

    if (!fl_map_find(&rule->by_name, name.at, name.len, &slot)) return;
    if (!fl_str_eq(fl_str_c(at(rule, (uint32_t)slot)->uid), uid)) return;
    drop(rule, (uint32_t)slot);
}

/* ---- commands -------------------------------------------------------------------------------- */

/* NULL: the replica is there already, and its state is given again. */
static struct pod_replica *add_planned(struct pod_rule *rule, const struct pod_plan *plan,
                                       uint32_t *ret_slot)
{
    uint32_t slot = find(rule, plan->identity.attempt, plan->identity.replica);

    if (slot) {
        tell_state(rule, at(rule, slot));
        return NULL;
    }
    slot = add(rule, &plan->identity);
    at(rule, slot)->node = plan->node;
    pod_replica_reserve(at(rule, slot), &plan->resources);
    *ret_slot = slot;
    return at(rule, slot);
}

void pod_rule_create_pod(struct pod_rule *rule, const struct pod_plan *plan, fl_ms now)
{
    uint32_t slot;
    struct pod_replica *replica = add_planned(rule, plan, &slot);

    if (!replica) return;
    fl_assert(plan->body.len > 0);
    replica->body = fl_alloc(plan->body.len);
    memcpy(replica->body, plan->body.at, plan->body.len);
    replica->body_len = plan->body.len;
    replica->hash = plan->hash;
    settle(rule, slot, now);
}

static void refuse(struct pod_rule *rule, struct pod_replica *replica, enum agent_cause cause,
                   const char *why, fl_ms now)
{
    pod_replica_free_body(replica);
    pod_replica_note(replica, fl_str_c(why), (struct fl_str){0});
    end(rule, replica, FL_REPLICA_refused, cause, now);
}

/* A document that the cluster does not take is the job's own fault. */
static enum agent_cause cause_of_refusal(enum fl_code code)
{
    return code == FL_INVALID || code == FL_TOO_LARGE ? AGENT_CAUSE_container : AGENT_CAUSE_runtime;
}

void pod_rule_refuse(struct pod_rule *rule, const struct pod_plan *plan, const struct fl_err *why,
                     fl_ms now)
{
    uint32_t slot;
    struct pod_replica *replica = add_planned(rule, plan, &slot);

    if (replica) refuse(rule, replica, cause_of_refusal(why->code), why->text, now);
}

void pod_rule_release(struct pod_rule *rule, struct fl_attempt attempt, uint32_t number, fl_ms now)
{
    uint32_t slot = find(rule, attempt, number);

    if (!slot) {
        tell_gone(rule, attempt, number);
    } else if (at(rule, slot)->state > FL_REPLICA_created) {
        tell_state(rule, at(rule, slot));
    } else {
        at(rule, slot)->is_released = true;
        settle(rule, slot, now);
    }
}

void pod_rule_stop(struct pod_rule *rule, struct fl_attempt attempt, uint32_t number, fl_ms now)
{
    uint32_t slot = find(rule, attempt, number);

    if (!slot) {
        tell_gone(rule, attempt, number);
    } else if (pod_replica_is_ended(at(rule, slot))) {
        tell_state(rule, at(rule, slot));
    } else {
        at(rule, slot)->is_stopping = true;
        settle(rule, slot, now);
    }
}

void pod_rule_remove(struct pod_rule *rule, struct fl_attempt attempt, uint32_t number, fl_ms now)
{
    uint32_t slot = find(rule, attempt, number);
    struct pod_replica *replica = slot ? at(rule, slot) : NULL;

    if (!slot) {
        tell_gone(rule, attempt, number);
    } else if (!pod_replica_is_ended(replica) && replica->state > FL_REPLICA_created) {
        tell_state(rule, replica);
    } else {
        replica->is_removing = true;
        settle(rule, slot, now);
    }
}

void pod_rule_output_taken(struct pod_rule *rule, struct fl_attempt attempt, uint32_t number,
                           fl_ms now)
{
    uint32_t slot = find(rule, attempt, number);

    if (!slot) return;
    at(rule, slot)->is_output_taken = true;
    settle(rule, slot, now);
}

/* ---- answers --------------------------------------------------------------------------------- */

static void answer_create(struct pod_rule *rule, struct pod_replica *replica,
                          const struct kube_failure *failure, fl_ms now)
{
    switch (failure->err.code) {
    case FL_EXISTS:
        replica->is_name_taken = true;
        break;
    case FL_INVALID:
    case FL_TOO_LARGE:
    case FL_DENIED:
    case FL_ABSENT: /* its namespace */
    case FL_UNSUPPORTED:
        refuse(rule, replica, cause_of_refusal(failure->err.code), failure->err.text, now);
        break;
    default: /* it may have been made: the next one, or the watch, shows it */
        wait_again(rule, replica, now);
    }
}

static void take_failure(struct pod_rule *rule, struct pod_replica *replica,
                         enum pod_request_kind request, const struct kube_failure *failure,
                         fl_ms now)
{
    if (request == POD_REQUEST_create) {
        if (!replica->is_shown) answer_create(rule, replica, failure, now);
        return;
    }
    if (request == POD_REQUEST_read && failure->err.code == FL_ABSENT) {
        replica->is_name_taken = false;
    }
    wait_again(rule, replica, now); /* the watch may show why, and then it is another request */
}

/* Another pod has the name. */
static void take_stranger(struct pod_rule *rule, struct pod_replica *replica, fl_ms now)
{
    refuse(rule, replica, AGENT_CAUSE_runtime,
           "a pod of this name is there, and was not made from this job", now);
}

static void take_success(struct pod_rule *rule, uint32_t slot, enum pod_request_kind request,
                         const struct pod_status *seen, fl_ms now)
{
    struct pod_replica *replica = at(rule, slot);
    bool is_mine = seen && seen->identity.replica == replica->number &&
                   fl_attempt_is_same(seen->identity.attempt, replica->attempt);

    replica->failures = 0;
    if (request == POD_REQUEST_delete || request == POD_REQUEST_withdraw) {
        replica->is_deleted = true;
    }
    if (!replica->is_shown && request == POD_REQUEST_read &&
        (!is_mine || seen->hash != replica->hash)) {
        take_stranger(rule, replica, now);
        return;
    }
    if (!is_mine || (replica->is_shown && !pod_replica_is_same(replica, seen))) {
        wait_again(rule, replica, now); /* the watch shows what has become of it */
    } else if (!pod_replica_is_older(replica, seen)) {
        replica->is_ahead = true;
        take_pod(rule, slot, seen, now);
    }
}

/* The replica whose request has ended; NULL: it has gone, or has asked for something else since. */
static struct pod_replica *end_request(struct pod_rule *rule, uint32_t slot, uint64_t ticket)
{
    struct pod_replica *replica;

    if (!fl_slab_is_taken(&rule->replicas, slot) || at(rule, slot)->ticket != ticket) return NULL;
    replica = at(rule, slot);
    replica->ticket = 0;
    return replica;
}

void pod_rule_answer(struct pod_rule *rule, uint32_t slot, uint64_t ticket,
                     const struct kube_failure *failure, const struct pod_status *seen, fl_ms now)
{
    struct pod_replica *replica = end_request(rule, slot, ticket);
    enum pod_request_kind request;

    if (!replica) return;
    request = replica->request;
    replica->request = POD_REQUEST_none;
    if (failure) {
        take_failure(rule, replica, request, failure, now);
    } else {
        take_success(rule, slot, request, seen, now);
    }
    settle(rule, slot, now);
}

bool pod_request_is_of_service(enum pod_request_kind kind)
{
    return kind == POD_REQUEST_serve || kind == POD_REQUEST_serve_read;
}

/* Without it the gang would start and not find itself. */
static void give_up_service(struct pod_replica *replica, const struct fl_err *err)
{
    replica->is_given_up = true;
    replica->trouble = POD_TROUBLE_service;
    pod_replica_note(replica, FL_STR("Service"), fl_str_c(err->text));
}

static void take_service_failure(struct pod_rule *rule, struct pod_replica *replica,
                                 const struct kube_failure *failure, fl_ms now)
{
    switch (failure->err.code) {
    case FL_EXISTS:
        replica->is_service_taken = true;
        break;
    case FL_ABSENT:
        replica->is_service_taken = false;
        wait_again(rule, replica, now);
        break;
    case FL_INVALID:
    case FL_DENIED:
    case FL_UNSUPPORTED:
        give_up_service(replica, &failure->err);
        break;
    default:
        wait_again(rule, replica, now);
    }
}

void pod_rule_answer_service(struct pod_rule *rule, uint32_t slot, uint64_t ticket,
                             const struct kube_failure *failure, struct fl_str owner, fl_ms now)
{
    struct pod_replica *replica = end_request(rule, slot, ticket);

    if (!replica) return;
    replica->request = POD_REQUEST_none;
    if (failure) {
        take_service_failure(rule, replica, failure, now);
    } else if (fl_str_eq(fl_str_c(replica->uid), owner)) {
        replica->failures = 0;
        replica->has_service = true;
        if (!pod_replica_is_ended(replica)) advance(rule, replica);
    } else { /* it goes with a pod of before, soon */
        replica->is_service_taken = false;
        wait_again(rule, replica, now);
    }
    settle(rule, slot, now);
}

/* ---- time ------------------------------------------------------------------------------------ */

static void tick_one(struct pod_rule *rule, uint32_t slot, fl_ms now)
{
    struct pod_replica *replica = at(rule, slot);

    if (!pod_replica_is_ended(replica) && replica->stage == POD_STAGE_waiting &&
        !replica->is_given_up) {
        replica->is_given_up = replica->trouble_until <= now;
        if (!replica->is_given_up) wake_at(rule, replica->trouble_until);
    }
    settle(rule, slot, now);
}

void pod_rule_tick(struct pod_rule *rule, fl_ms now)
{
    if (now < rule->next_at) return;
    rule->next_at = NEVER;
    for (uint32_t slot = 1; slot <= rule->replicas.used; slot++) {
        if (fl_slab_is_taken(&rule->replicas, slot)) tick_one(rule, slot, now);
    }
}

fl_ms pod_rule_deadline(const struct pod_rule *rule)
{
    return rule->next_at;
}

/* ---- results --------------------------------------------------------------------------------- */

bool pod_rule_take_request(struct pod_rule *rule, struct pod_request *ret_request)
{
    while (rule->requests_taken < rule->requests.len) {
        struct request_place place = rule->requests.at[rule->requests_taken++];
        const struct pod_replica *replica;

        if (!fl_slab_is_taken(&rule->replicas, place.slot)) continue;
        replica = at(rule, place.slot);
        if (replica->ticket != place.ticket) continue;
        *ret_request = (struct pod_request){
            .kind = replica->request,
            .slot = place.slot,
            .ticket = place.ticket,
            .name = fl_str_c(replica->name),
            .uid = fl_str_c(replica->uid),
            .version = fl_str_c(replica->version),
            .body = {replica->body, replica->body ? replica->body_len : 0},
            .identity = {replica->attempt, replica->number, fl_str_c(replica->role)},
        };
        return true;
    }
    fl_vec_clear(&rule->requests);
    rule->requests_taken = 0;
    return false;
}

size_t pod_rule_news_len(const struct pod_rule *rule)
{
    return rule->news.len - rule->news_taken;
}

bool pod_rule_take_news(struct pod_rule *rule, struct pod_news *ret_news)
{
    if (rule->news_taken < rule->news.len) {
        *ret_news = rule->news.at[rule->news_taken++];
        return true;
    }
    fl_vec_clear(&rule->news);
    rule->news_taken = 0;
    return false;
}

bool pod_rule_find(const struct pod_rule *rule, struct fl_attempt attempt, uint32_t number,
                   struct pod_look *ret_look)
{
    uint32_t slot = find(rule, attempt, number);
    const struct pod_replica *replica;

    if (!slot) return false;
    replica = at(rule, slot);
    *ret_look = (struct pod_look){
        .uid = fl_str_c(replica->uid),
        .role = fl_str_c(replica->role),
        .is_running = replica->state == FL_REPLICA_running,
        .is_ended = pod_replica_is_ended(replica),
        .is_deleting = replica->is_deleting,
        .has_log = replica->has_log,
        .resources = replica->resources,
    };
    return true;
}

size_t pod_rule_len(const struct pod_rule *rule)
{
    return rule->replicas.len;
}

/* ---- life ------------------------------------------------------------------------------------ */

struct pod_rule *pod_rule_create(const struct pod_times *times, uint64_t seed)
{
    struct pod_rule *rule = fl_new(struct pod_rule);

    rule->times = times ? *times : pod_times_default;
    rule->next_at = NEVER;
    fl_prng_seed(&rule->prng, seed);
    fl_slab_init(&rule->replicas, sizeof(struct pod_replica), UINT32_MAX - 1);
    return rule;
}

void pod_rule_destroy(struct pod_rule *rule)
{
    if (!rule) return;
    for (uint32_t slot = 1; slot <= rule->replicas.used; slot++) {
        if (!fl_slab_is_taken(&rule->replicas, slot)) continue;
        pod_replica_free_body(at(rule, slot));
        fl_amounts_free(&at(rule, slot)->resources.named);
    }
    fl_slab_fini(&rule->replicas);
    fl_map_fini(&rule->by_id);
    fl_map_fini(&rule->by_name);
    fl_vec_fini(&rule->requests);
    fl_vec_fini(&rule->news);
    fl_free(rule);
}
