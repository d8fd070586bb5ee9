#include "agent/kube/kube_runtime.h"

#include <inttypes.h>
#include <string.h>

#include "agent/core/agent_cause.h"
#include "agent/kube/kube_client.h"
#include "agent/kube/kube_json.h"
#include "agent/kube/kube_output.h"
#include "agent/kube/kube_pod.h"
#include "agent/kube/kube_room.h"
#include "agent/kube/kube_stream.h"
#include "agent/kube/kube_visit.h"
#include "agent/kube/kube_watch.h"
#include "agent/kube/pod_call.h"
#include "agent/kube/pod_make.h"
#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/io/log.h"
#include "shared/io/loop.h"

/* A request that is under way. */
struct asking {
    struct kube_runtime *runtime;
    struct kube_call *call;
    enum pod_request_kind kind;
    uint32_t slot;
    uint64_t ticket;
    char name[POD_NAME_BYTES_MAX + 1];
    struct fl_buf answer;
    struct asking *next, *prev;
};

struct kube_runtime {
    struct fl_loop *loop;
    struct fl_arena texts; /* holds the five below */
    const char *namespace;
    struct fl_str image, grants, pull_secrets;
    bool is_undisturbed;
    struct fl_str accelerator; /* empty: not known yet, or none */
    uint64_t seed;
    struct runtime_listener listener;
    struct kube_client *client;
    struct kube_watch *nodes, *pods; /* NULL before 'begin' */
    struct kube_room *room;
    struct pod_rule *rule;
    struct kube_outputs *outputs;
    struct kube_visits *visits;
    struct asking *askings;
    struct fl_arena arena; /* the object that is looked at */
    struct fl_after after; /* sends requests and tells news */
    struct fl_timer timer; /* the rule's deadline */
    bool has_nodes, has_pods;
    bool is_synced;
};

static fl_ms now_of(const struct kube_runtime *runtime)
{
    return fl_loop_now(runtime->loop);
}

/* ---- requests -------------------------------------------------------------------------------- */

static void unlink_asking(struct asking *asking)
{
    if (asking->prev) {
        asking->prev->next = asking->next;
    } else {
        asking->runtime->askings = asking->next;
    }
    if (asking->next) asking->next->prev = asking->prev;
}

static void destroy_asking(struct asking *asking)
{
    unlink_asking(asking);
    kube_call_destroy(asking->call);
    fl_buf_fini(&asking->answer);
    fl_free(asking);
}

static void on_answer_body(void *ctx, struct fl_str bytes)
{
    struct asking *asking = ctx;

    FL_IGNORE(fl_buf_put(&asking->answer, bytes.at, bytes.len)); /* cut: it is not read */
}

/* The pod of ours that came with the answer; false: something else did. */
static bool read_answer(struct asking *asking, struct pod_status *ret_seen)
{
    struct kube_runtime *runtime = asking->runtime;
    struct fl_str text = {(const char *)asking->answer.at, asking->answer.len};
    const struct fl_json *object;
    struct fl_err err = {0};

    return !asking->answer.is_over && fl_json_parse(text, &runtime->arena, &object, NULL, NULL) &&
           pod_status_read(object, &runtime->arena, ret_seen, &err);
}

/* The uid of the pod that the Service of the answer goes with; empty: none. */
static struct fl_str read_owner(struct asking *asking)
{
    struct fl_str text = {(const char *)asking->answer.at, asking->answer.len};
    const struct fl_json *object;

    if (asking->answer.is_over ||
        !fl_json_parse(text, &asking->runtime->arena, &object, NULL, NULL)) {
        return (struct fl_str){0};
    }
    return kube_json_string(
        kube_json_find(kube_json_list(kube_json_at(object, "metadata"), "ownerReferences"), "kind",
                       FL_STR("Pod")),
        "uid");
}

static void take_answer(struct asking *asking, const struct kube_failure *failure)
{
    struct kube_runtime *runtime = asking->runtime;
    struct pod_status seen;
    bool has_pod;

    if (pod_request_is_of_service(asking->kind)) {
        pod_rule_answer_service(runtime->rule, asking->slot, asking->ticket, failure,
                                failure ? (struct fl_str){0} : read_owner(asking), now_of(runtime));
        return;
    }
    has_pod = !failure && read_answer(asking, &seen);
    pod_rule_answer(runtime->rule, asking->slot, asking->ticket, failure, has_pod ? &seen : NULL,
                    now_of(runtime));
}

static void on_answer_done(void *ctx, const struct kube_failure *failure)
{
    struct asking *asking = ctx;
    struct kube_runtime *runtime = asking->runtime;

    if (failure) {
        fl_log(failure->err.code == FL_EXISTS ? FL_LOG_INFO : FL_LOG_WARN, "kube", "request_failed",
               FL_LOG_S("request", pod_request_name(asking->kind)), FL_LOG_S("pod", asking->name),
               FL_LOG_ERR(&failure->err));
    }
    take_answer(asking, failure);
    fl_arena_reset(&runtime->arena);
    fl_after_put(&runtime->after);
    destroy_asking(asking);
}

static void send_one(struct kube_runtime *runtime, const struct pod_request *request)
{
    struct asking *asking = fl_new(struct asking);
    struct kube_port port = {asking, on_answer_body, on_answer_done};
    struct fl_arena arena = {0};
    struct kube_request call;

    asking->runtime = runtime;
    asking->kind = request->kind;
    asking->slot = request->slot;
    asking->ticket = request->ticket;
    memcpy(asking->name, request->name.at, request->name.len);
    fl_buf_init(&asking->answer, KUBE_STREAM_OBJECT_BYTES_MAX);
    asking->next = runtime->askings;
    if (asking->next) asking->next->prev = asking;
    runtime->askings = asking;
    pod_call_write(request, runtime->namespace, &arena, &call);
    asking->call = kube_call_start(runtime->client, &call, &port);
    fl_arena_fini(&arena);
}

/* ---- news ------------------------------------------------------------------------------------ */

static void tell(struct kube_runtime *runtime, struct agent_event *event)
{
    event->now = now_of(runtime);
    runtime->listener.happened(runtime->listener.ctx, event);
}

static void log_end(const struct pod_news *news)
{
    enum fl_replica_state state = news->event.replica_seen.state;

    if (!fl_replica_state_is_last(state)) return;
    fl_log(state == FL_REPLICA_exited ? FL_LOG_DEBUG : FL_LOG_WARN, "kube", "replica_ended",
           FL_LOG_S("pod", news->name), FL_LOG_S("state", fl_replica_state_name(state)),
           FL_LOG_S("cause", agent_cause_name(news->event.replica_seen.cause)),
           FL_LOG_S("why", news->why));
}

static void on_output(void *ctx, struct fl_attempt attempt, uint32_t replica)
{
    struct kube_runtime *runtime = ctx;

    if (runtime->listener.output) {
        runtime->listener.output(runtime->listener.ctx, attempt, replica);
    }
}

/* Its output is followed from its container's start to its end. */
static void follow(struct kube_runtime *runtime, const struct pod_news *news)
{
    struct fl_attempt attempt = news->event.replica_seen.attempt;
    enum fl_replica_state state = news->event.replica_seen.state;
    struct kube_output_pod pod = {
        .identity = {.attempt = attempt, .replica = news->event.replica_seen.replica},
        .name = fl_str_c(news->name)};
    struct pod_look look;

    if (!pod_rule_find(runtime->rule, attempt, pod.identity.replica, &look)) return;
    pod.uid = look.uid;
    pod.identity.role = look.role;
    if (state == FL_REPLICA_running) kube_outputs_follow(runtime->outputs, &pod);
    if (state == FL_REPLICA_exited || state == FL_REPLICA_lost) {
        kube_outputs_end(runtime->outputs, &pod,
                         look.has_log && news->event.replica_seen.cause != AGENT_CAUSE_node_lost);
        if (look.is_deleting) kube_outputs_deleted(runtime->outputs, attempt, pod.identity.replica);
    }
}

/* A replica that has gone since has nothing left to count; that follows. */
static void add_resources(struct kube_runtime *runtime, struct agent_event *event,
                          struct fl_arena *arena)
{
    struct pod_look look;
    struct kube_share told;

    if (!pod_rule_find(runtime->rule, event->replica_seen.attempt, event->replica_seen.replica,
                       &look)) {
        return;
    }
    told = kube_share_told(&look.resources, runtime->accelerator, arena);
    event->replica_seen.resources = told.usual;
    event->replica_seen.named = told.named;
}

static void tell_pod(struct kube_runtime *runtime, struct pod_news *news)
{
    struct fl_arena arena = {0};

    if (news->is_output) {
        on_output(runtime, news->event.replica_seen.attempt, news->event.replica_seen.replica);
        return;
    }
    if (news->event.kind == AGENT_EV_replica_seen) {
        news->event.replica_seen.words = fl_str_c(news->why);
        log_end(news);
        follow(runtime, news);
        add_resources(runtime, &news->event, &arena);
        if (fl_replica_state_is_last(news->event.replica_seen.state)) {
            kube_visits_end(runtime->visits, news->event.replica_seen.attempt,
                            news->event.replica_seen.replica);
        }
    } else {
        kube_outputs_drop(runtime->outputs, news->event.replica_gone.attempt,
                          news->event.replica_gone.replica);
    }
    tell(runtime, &news->event);
    fl_arena_fini(&arena);
}

/* The listener may command us meanwhile; news from that wait for the next turn. */
static void tell_all(struct kube_runtime *runtime)
{
    size_t len = pod_rule_news_len(runtime->rule);
    struct agent_event event;
    struct pod_news news;

    while (kube_room_take_news(runtime->room, &event)) {
        tell(runtime, &event);
    }
    for (; len > 0 && pod_rule_take_news(runtime->rule, &news); len--) {
        tell_pod(runtime, &news);
    }
    if (!runtime->is_synced) {
        runtime->is_synced = true;
        kube_outputs_sweep(runtime->outputs);
        fl_log(FL_LOG_INFO, "kube", "synced", FL_LOG_S("namespace", runtime->namespace),
               FL_LOG_N("replicas", pod_rule_len(runtime->rule)));
        event = (struct agent_event){.kind = AGENT_EV_synced};
        tell(runtime, &event);
    }
    if (pod_rule_news_len(runtime->rule) > 0) fl_after_put(&runtime->after);
}

static void end_turn(void *ctx)
{
    struct kube_runtime *runtime = ctx;
    struct pod_request request;

    while (pod_rule_take_request(runtime->rule, &request)) {
        send_one(runtime, &request);
    }
    if (runtime->has_nodes && runtime->has_pods) tell_all(runtime);
    if (pod_rule_deadline(runtime->rule) == INT64_MAX) {
        fl_timer_off(&runtime->timer);
    } else {
        fl_timer_at(&runtime->timer, pod_rule_deadline(runtime->rule));
    }
}

static void on_time(void *ctx)
{
    struct kube_runtime *runtime = ctx;

    pod_rule_tick(runtime->rule, now_of(runtime));
    fl_after_put(&runtime->after);
}

/* ---- from the watches ------------------------------------------------------------------------ */

static void log_unread(const struct kube_meta *meta, const struct fl_err *err)
{
    fl_log(FL_LOG_WARN, "kube", "object_unread", FL_LOG_STR("name", meta->name), FL_LOG_ERR(err));
}

static void on_node_put(void *ctx, const struct kube_meta *meta, const struct fl_json *object)
{
    struct kube_runtime *runtime = ctx;
    struct kube_node node;
    struct fl_err err = {0};

    if (kube_node_read(object, &runtime->arena, &node, &err)) {
        kube_room_put_node(runtime->room, &node);
    } else {
        kube_room_leave_out(runtime->room);
        log_unread(meta, &err);
    }
    fl_arena_reset(&runtime->arena);
    fl_after_put(&runtime->after);
}

static void on_node_remove(void *ctx, const struct kube_meta *meta)
{
    struct kube_runtime *runtime = ctx;

    kube_room_drop_node(runtime->room, meta->name);
    fl_after_put(&runtime->after);
}

/* The names of a list, with commas. */
static struct fl_str names_of(const struct fl_amounts *amounts, struct fl_arena *arena)
{
    const char *text = "";

    for (size_t i = 0; i < amounts->len; i++) {
        text = fl_arena_printf(arena, "%s%s" FL_STR_FMT, text, i > 0 ? ", " : "",
                               FL_STR_ARG(amounts->at[i].name));
    }
    return fl_str_c(text);
}

/* Once in the life of this object: the resource that pods were made with keeps its name. */
static void choose_accelerator(struct kube_runtime *runtime)
{
    struct fl_amounts found = kube_room_accelerators(runtime->room, &runtime->arena);

    if (runtime->accelerator.len == 0 && found.len < 2) {
        runtime->accelerator = fl_arena_str(
            &runtime->texts, found.len == 1 ? found.at[0].name : FL_STR("nvidia.com/gpu"));
    }
    if (runtime->accelerator.len == 0) {
        fl_log(FL_LOG_WARN, "kube", "gpus_refused",
               FL_LOG_STR("kinds", names_of(&found, &runtime->arena)),
               FL_LOG_S("next", "name one of them in the setting kube_accelerator"));
    } else {
        fl_log(FL_LOG_INFO, "kube", "accelerator", FL_LOG_STR("name", runtime->accelerator),
               FL_LOG_STR("kinds", names_of(&found, &runtime->arena)));
    }
    kube_room_set_accelerator(runtime->room, runtime->accelerator);
    fl_arena_reset(&runtime->arena);
}

static void on_nodes_synced(void *ctx)
{
    struct kube_runtime *runtime = ctx;

    if (!runtime->has_nodes) choose_accelerator(runtime);
    runtime->has_nodes = true;
    fl_after_put(&runtime->after);
}

static bool is_in_namespace(const struct kube_runtime *runtime, const struct kube_meta *meta)
{
    return fl_str_eq(meta->namespace, fl_str_c(runtime->namespace));
}

/* Takes note of a pod of ours, and gives its reservation, good until the rule's next call.  False:
 * the pod is another's. */
static bool see_own(struct kube_runtime *runtime, const struct kube_meta *meta,
                    const struct fl_json *object, struct kube_share *ret_reserved)
{
    struct pod_look look;
    struct pod_status seen;
    struct fl_err err = {0};

    if (!is_in_namespace(runtime, meta)) return false;
    if (!pod_status_read(object, &runtime->arena, &seen, &err)) {
        if (err.code != FL_OK) log_unread(meta, &err);
        return false;
    }
    pod_rule_see(runtime->rule, &seen, kube_room_number(runtime->room, seen.node), now_of(runtime));
    if (!pod_rule_find(runtime->rule, seen.identity.attempt, seen.identity.replica, &look)) {
        return false;
    }
    if (look.is_ended && look.is_deleting) {
        kube_outputs_deleted(runtime->outputs, seen.identity.attempt, seen.identity.replica);
    }
    *ret_reserved = look.resources;
    return true;
}

static void on_pod_put(void *ctx, const struct kube_meta *meta, const struct fl_json *object)
{
    struct kube_runtime *runtime = ctx;
    struct kube_share reserved = {0}, foreign = {0};
    struct kube_pod pod;
    struct fl_err err = {0};

    FL_IGNORE(see_own(runtime, meta, object, &reserved)); /* a stranger's has nothing reserved */
    if (kube_pod_read(object, &runtime->arena, &pod, &err)) {
        if (kube_pod_takes_room(&pod)) {
            foreign = kube_share_of(&pod.requests, &runtime->arena);
            foreign = kube_share_without(&foreign, &reserved, &runtime->arena);
        }
        kube_room_put_pod(runtime->room, meta, pod.node, &foreign);
    } else {
        log_unread(meta, &err);
    }
    fl_arena_reset(&runtime->arena);
    fl_after_put(&runtime->after);
}

static void on_pod_remove(void *ctx, const struct kube_meta *meta)
{
    struct kube_runtime *runtime = ctx;

    if (is_in_namespace(runtime, meta)) pod_rule_lose(runtime->rule, meta->name, meta->uid);
    kube_room_drop_pod(runtime->room, meta);
    fl_after_put(&runtime->after);
}

static void on_pods_synced(void *ctx)
{
    struct kube_runtime *runtime = ctx;

    runtime->has_pods = true;
    fl_after_put(&runtime->after);
}

static void on_problem(void *ctx, const struct kube_failure *failure)
{
    (void)ctx;
    fl_log(FL_LOG_WARN, "kube", "watch_problem", FL_LOG_ERR(&failure->err));
}

/* ---- commands -------------------------------------------------------------------------------- */

static void do_begin(void *self, const struct runtime_listener *listener)
{
    struct kube_runtime *runtime = self;

    fl_assert(!runtime->listener.happened);
    runtime->listener = *listener;
    runtime->nodes = kube_watch_create(
        runtime->client,
        &(struct kube_watch_config){.path = "/api/v1/nodes", .seed = runtime->seed},
        &(struct kube_watch_port){runtime, on_node_put, on_node_remove, on_nodes_synced,
                                  on_problem});
    runtime->pods = kube_watch_create(
        runtime->client,
        &(struct kube_watch_config){.path = "/api/v1/pods", .seed = runtime->seed + 1},
        &(struct kube_watch_port){runtime, on_pod_put, on_pod_remove, on_pods_synced, on_problem});
}

static bool make(struct kube_runtime *runtime, const struct runtime_order *order,
                 struct pod_plan *plan, struct fl_buf *body, struct fl_err *err)
{
    struct pod_making making = {
        .node = kube_room_name(runtime->room, order->node),
        .image = runtime->image,
        .accelerator = runtime->accelerator,
        .grants = runtime->grants,
        .pull_secrets = runtime->pull_secrets,
        .is_undisturbed = runtime->is_undisturbed,
    };

    if (making.node.len == 0) {
        return fl_fail(err, FL_ABSENT, "there is no node %" PRIu32, order->node);
    }
    if (!pod_make(order, &making, body, &plan->hash, err)) return false;
    plan->body = (struct fl_str){(const char *)body->at, body->len};
    return true;
}

static void do_create(void *self, struct runtime_order *order)
{
    struct kube_runtime *runtime = self;
    struct pod_plan plan = {
        .identity = {order->attempt, order->replica, order->role->name},
        .node = order->node,
    };
    struct kube_share told = {order->resources, order->role->request.named};
    struct fl_arena arena = {0};
    struct fl_buf body;
    struct fl_err err = {0};

    fl_buf_init(&body, POD_BYTES_MAX);
    plan.resources = kube_share_untold(&told, runtime->accelerator, &arena);
    if (make(runtime, order, &plan, &body, &err)) {
        pod_rule_create_pod(runtime->rule, &plan, now_of(runtime));
    } else {
        pod_rule_refuse(runtime->rule, &plan, &err, now_of(runtime));
    }
    fl_buf_fini(&body);
    fl_arena_fini(&arena);
    runtime_order_destroy(order);
    fl_after_put(&runtime->after);
}

static void do_release(void *self, struct fl_attempt attempt, uint32_t replica)
{
    struct kube_runtime *runtime = self;

    pod_rule_release(runtime->rule, attempt, replica, now_of(runtime));
    fl_after_put(&runtime->after);
}

/* The pod's own grace counts, which is the document's. */
static void do_stop(void *self, struct fl_attempt attempt, uint32_t replica, uint32_t grace_ms)
{
    struct kube_runtime *runtime = self;

    (void)grace_ms;
    pod_rule_stop(runtime->rule, attempt, replica, now_of(runtime));
    fl_after_put(&runtime->after);
}

static void do_remove(void *self, struct fl_attempt attempt, uint32_t replica)
{
    struct kube_runtime *runtime = self;

    pod_rule_remove(runtime->rule, attempt, replica, now_of(runtime));
    fl_after_put(&runtime->after);
}

static bool do_read_output(void *self, struct fl_attempt attempt, uint32_t replica, uint64_t offset,
                           size_t bytes_max, struct fl_buf *records,
                           struct runtime_output *ret_output, struct fl_err *err)
{
    struct kube_runtime *runtime = self;
    struct pod_look look;

    if (!pod_rule_find(runtime->rule, attempt, replica, &look)) {
        return fl_fail(err, FL_ABSENT, "unknown replica");
    }
    return kube_outputs_read(runtime->outputs, attempt, replica, offset, bytes_max, records,
                             ret_output, err);
}

static void do_output_taken(void *self, struct fl_attempt attempt, uint32_t replica)
{
    struct kube_runtime *runtime = self;

    pod_rule_output_taken(runtime->rule, attempt, replica, now_of(runtime));
    fl_after_put(&runtime->after);
}

static bool is_leaving(void *ctx, struct fl_attempt attempt, uint32_t replica)
{
    const struct kube_runtime *runtime = ctx;
    struct pod_look look;

    return pod_rule_find(runtime->rule, attempt, replica, &look) && look.is_deleting;
}

static bool do_visit(void *self, const struct fl_visit_open *open,
                     const struct runtime_visit_port *port, struct runtime_visit *ret_visit,
                     struct fl_err *err)
{
    struct kube_runtime *runtime = self;
    struct pod_look look;

    if (open->is_files) {
        return fl_fail(err, FL_UNSUPPORTED,
                       "files of pods are not kept: write them to a volume, or copy them while the "
                       "pod runs");
    }
    if (!pod_rule_find(runtime->rule, open->attempt, open->replica, &look)) {
        return fl_fail(err, FL_ABSENT, "this agent does not have this replica");
    }
    if (!look.is_running) return fl_fail(err, FL_CONFLICT, "the replica does not run now");
    return kube_visits_start(runtime->visits, open, look.role, port, ret_visit, err);
}

static void do_destroy(void *self)
{
    kube_runtime_destroy(self);
}

struct runtime kube_runtime_port(struct kube_runtime *runtime)
{
    static const struct runtime_ops ops = {
        .name = "kubernetes",
        .has_images = true,
        .begin = do_begin,
        .create = do_create,
        .release = do_release,
        .stop = do_stop,
        .remove = do_remove,
        .read_output = do_read_output,
        .output_taken = do_output_taken,
        .visit = do_visit,
        .destroy = do_destroy,
    };

    return (struct runtime){.ops = &ops, .self = runtime};
}

/* ---- life ------------------------------------------------------------------------------------ */

static bool open_outputs(struct kube_runtime *runtime, const struct kube_runtime_config *config,
                         struct fl_err *err)
{
    struct kube_outputs_config outputs = {
        .path = config->spool_dir,
        .namespace = config->namespace,
        .each_bytes_max = config->spool_each_bytes,
        .all_bytes_max = config->spool_all_bytes,
        .seed = config->seed,
    };

    return kube_outputs_create(runtime->client, &outputs,
                               &(struct kube_outputs_port){runtime, on_output}, &runtime->outputs,
                               err);
}

bool kube_runtime_create(struct fl_loop *loop, const struct kube_runtime_config *config,
                         struct kube_runtime **ret_runtime, struct fl_err *err)
{
    struct kube_client_config client = {.kube = config->kube, .seed = config->seed};
    struct kube_runtime *runtime = fl_new(struct kube_runtime);
    struct kube_visits_port visits = {runtime, is_leaving};

    runtime->loop = loop;
    runtime->seed = config->seed;
    runtime->namespace = fl_arena_str(&runtime->texts, config->namespace).at;
    runtime->image = fl_arena_str(&runtime->texts, config->image);
    runtime->grants = fl_arena_str(&runtime->texts, config->grants);
    runtime->pull_secrets = fl_arena_str(&runtime->texts, config->pull_secrets);
    runtime->is_undisturbed = config->is_undisturbed;
    runtime->accelerator = fl_arena_str(&runtime->texts, config->accelerator);
    runtime->room = kube_room_create();
    runtime->rule = pod_rule_create(&config->times, config->seed);
    fl_after_init(&runtime->after, loop, end_turn, runtime);
    fl_timer_init(&runtime->timer, loop, on_time, runtime);
    if (!kube_client_create(loop, &client, &runtime->client, err) ||
        !open_outputs(runtime, config, err)) {
        kube_runtime_destroy(runtime);
        return false;
    }
    runtime->visits = kube_visits_create(runtime->client, runtime->namespace, &visits);
    *ret_runtime = runtime;
    return true;
}

void kube_runtime_destroy(struct kube_runtime *runtime)
{
    if (!runtime) return;
    fl_after_off(&runtime->after);
    fl_timer_off(&runtime->timer);
    kube_watch_destroy(runtime->nodes);
    kube_watch_destroy(runtime->pods);
    while (runtime->askings) {
        destroy_asking(runtime->askings);
    }
    kube_outputs_destroy(runtime->outputs);
    kube_visits_destroy(runtime->visits);
    kube_client_destroy(runtime->client);
    kube_room_destroy(runtime->room);
    pod_rule_destroy(runtime->rule);
    fl_arena_fini(&runtime->arena);
    fl_arena_fini(&runtime->texts);
    fl_free(runtime);
}
