/* /v1/clusters: who has joined, what they have, and what a person decides about them. */

#include "controlplane/api/api_state.h"
#include "controlplane/api/directory.h"
#include "controlplane/api/document.h"
#include "controlplane/api/job_json.h"
#include "controlplane/api/resources.h"

enum { PAGE = 500, WHY_BYTES_MAX = 253 };

static void write_resources(struct json *json, const char *key, const struct fl_resources *amount)
{
    json_open(json, key, '{');
    json_u64(json, "cpuMilli", amount->cpu_milli);
    json_u64(json, "memoryBytes", amount->memory_bytes);
    json_u64(json, "gpus", amount->gpus);
    json_close(json, '}');
}

static const char *state_of(const struct core_cluster_view *cluster)
{
    if (cluster->access == CORE_ACCESS_locked) return "locked";
    if (cluster->access == CORE_ACCESS_revoked) return "revoked";
    if (!cluster->is_connected) return cluster->is_silent ? "lost" : "away";
    if (!cluster->is_reconciled) return "joining";
    if (cluster->is_draining) return "draining";
    return cluster->cordon && cluster->cordon[0] ? "cordoned" : "ready";
}

static void write_cluster(struct json *json, const struct core_cluster_view *cluster)
{
    json_open(json, NULL, '{');
    json_cstr(json, "name", cluster->name);
    json_cstr(json, "id", cluster->uuid);
    json_cstr(json, "uid", cluster->uid);
    json_cstr(json, "state", state_of(cluster));
    if (cluster->cordon && cluster->cordon[0]) json_cstr(json, "cordon", cluster->cordon);
    json_bool(json, "connected", cluster->is_connected);
    json_bool(json, "images", cluster->has_images);
    json_u64(json, "certificateGeneration", cluster->generation);
    json_u64(json, "session", cluster->session_epoch);
    json_u64(json, "attempts", cluster->attempts);
    json_u64(json, "unconfirmed", cluster->attempts_unconfirmed);
    json_u64(json, "nodes", cluster->nodes);
    json_u64(json, "nodesReady", cluster->nodes_ready);
    write_resources(json, "total", &cluster->total);
    write_resources(json, "free", &cluster->free);
    json_close(json, '}');
}

static void listed(struct api_call *call, const struct core_answer *answer)
{
    struct json *json = api_json(call);

    json_open(json, NULL, '{');
    json_open(json, "clusters", '[');
    for (size_t i = 0; i < answer->clusters_len; i++)
        write_cluster(json, &answer->clusters[i]);
    json_close(json, ']');
    if (answer->next != 0) {
        char *cursor = fl_arena_printf(&call->arena, "%llu", (unsigned long long)answer->next);

        json_cstr(json, "cursor", cursor);
    }
    json_close(json, '}');
    api_answer(call);
}

static void list_clusters(struct api_call *call)
{
    struct engine_event *event;
    uint64_t from, limit;

    if (!api_query_u64(call, "cursor", 0, 0, UINT32_MAX, &from) ||
        !api_query_u64(call, "limit", PAGE, 1, PAGE, &limit)) {
        return;
    }
    event = api_event(call, CORE_EV_list_clusters);
    event->event.list.from = (uint32_t)from;
    event->event.list.len_max = limit;
    api_ask(call, event, listed);
}

/* False: there is none of that name; the call was answered. */
static bool find_cluster(struct api_call *call, struct fl_cluster *ret_cluster)
{
    struct directory_cluster cluster;

    if (!directory_cluster_named(call->parts->directory, call->params[0], &cluster)) {
        api_absent(call);
        return false;
    }
    *ret_cluster = cluster.cluster;
    return true;
}

static void got(struct api_call *call, const struct core_answer *answer)
{
    if (answer->clusters_len == 0 ||
        !fl_str_eq(fl_str_c(answer->clusters[0].name), call->params[0])) {
        api_absent(call);
        return;
    }
    write_cluster(api_json(call), &answer->clusters[0]);
    api_answer(call);
}

static void get_cluster(struct api_call *call)
{
    struct engine_event *event;
    struct fl_cluster cluster;

    if (!find_cluster(call, &cluster)) return;
    event = api_event(call, CORE_EV_list_clusters);
    event->event.list.from = cluster.n;
    event->event.list.len_max = 1;
    api_ask(call, event, got);
}

/* --- nodes --- */

static void listed_nodes(struct api_call *call, const struct core_answer *answer)
{
    struct json *json = api_json(call);

    json_open(json, NULL, '{');
    json_open(json, "nodes", '[');
    for (size_t i = 0; i < answer->nodes_len; i++) {
        const struct core_node_view *node = &answer->nodes[i];

        json_open(json, NULL, '{');
        json_cstr(json, "name", node->name);
        json_bool(json, "ready", node->is_ready);
        write_resources(json, "total", &node->total);
        write_resources(json, "free", &node->free);
        job_json_lines(json, "labels", fl_str_c(node->labels));
        json_close(json, '}');
    }
    json_close(json, ']');
    if (answer->next != 0) {
        char *cursor = fl_arena_printf(&call->arena, "%llu", (unsigned long long)answer->next);

        json_cstr(json, "cursor", cursor);
    }
    json_close(json, '}');
    api_answer(call);
}

static void list_nodes(struct api_call *call)
{
    struct engine_event *event;
    struct fl_cluster cluster;
    uint64_t from, limit;

    if (!find_cluster(call, &cluster) || !api_query_u64(call, "cursor", 0, 0, UINT32_MAX, &from) ||
        !api_query_u64(call, "limit", PAGE, 1, PAGE, &limit)) {
        return;
    }
    event = api_event(call, CORE_EV_list_nodes);
    event->event.list_nodes.cluster = cluster;
    event->event.list_nodes.from = (uint32_t)from;
    event->event.list_nodes.len_max = limit;
    api_ask(call, event, listed_nodes);
}

/* --- what a person decides --- */

static void decided(struct api_call *call, const struct core_answer *answer)
{
    struct json *json = api_json(call);

    (void)answer;
    json_open(json, NULL, '{');
    json_text(json, "name", call->params[0]);
    json_close(json, '}');
    api_answer(call);
}

/* The reason of the body; false: the call was answered. */
static bool read_why(struct api_call *call, const struct fl_json *body, struct engine_event *event,
                     struct fl_str *ret_why)
{
    const struct fl_json *why = fl_json_member(body, FL_STR("reason"));
    struct fl_str text = why ? why->text : FL_STR("by request");

    if (why && (why->kind != FL_JSON_STRING || text.len == 0 || text.len > WHY_BYTES_MAX ||
                !fl_str_is_text(text))) {
        engine_event_destroy(event);
        api_fail_at(call, "/reason", "a reason is a text", text, "1 to 253 bytes");
        return false;
    }
    *ret_why = fl_str_c(fl_arena_copy(&event->arena, text.at, text.len));
    return true;
}

static void cordon_cluster(struct api_call *call)
{
    const struct fl_json *body = api_body_json(call, true);
    struct engine_event *event;
    struct fl_cluster cluster;

    if (!body || !api_body_check(call, body) || !find_cluster(call, &cluster)) return;
    event = api_event(call, CORE_EV_cluster_cordon);
    event->event.cluster_cordon.cluster = cluster;
    event->event.cluster_cordon.is_on = true;
    if (!read_why(call, body, event, &event->event.cluster_cordon.why)) return;
    if (api_idempotent(call, event)) api_ask(call, event, decided);
}

static void uncordon_cluster(struct api_call *call)
{
    struct engine_event *event;
    struct fl_cluster cluster;

    if (!find_cluster(call, &cluster)) return;
    event = api_event(call, CORE_EV_cluster_cordon);
    event->event.cluster_cordon.cluster = cluster;
    if (api_idempotent(call, event)) api_ask(call, event, decided);
}

static void drain_cluster(struct api_call *call)
{
    const struct fl_json *body = api_body_json(call, true), *mode;
    struct engine_event *event;
    struct fl_cluster cluster;
    bool is_stop = false;

    if (!body || !api_body_check(call, body) || !find_cluster(call, &cluster)) return;
    mode = fl_json_member(body, FL_STR("running"));
    if (mode) {
        is_stop = fl_str_eq(mode->text, FL_STR("stop"));
        if (mode->kind != FL_JSON_STRING || (!is_stop && !fl_str_eq(mode->text, FL_STR("wait")))) {
            api_fail_at(call, "/running", "what is to become of what runs", mode->text,
                        "wait, stop");
            return;
        }
    }
    event = api_event(call, CORE_EV_cluster_drain);
    event->event.cluster_drain.cluster = cluster;
    event->event.cluster_drain.is_stop = is_stop;
    if (!read_why(call, body, event, &event->event.cluster_drain.why)) return;
    if (api_idempotent(call, event)) api_ask(call, event, decided);
}

static void decide(struct api_call *call, enum core_event_kind kind)
{
    struct engine_event *event;
    struct fl_cluster cluster;

    if (!find_cluster(call, &cluster)) return;
    event = api_event(call, kind);
    event->event.cluster_forget.cluster = cluster;
    if (api_idempotent(call, event)) api_ask(call, event, decided);
}

static void revoke_cluster(struct api_call *call)
{
    decide(call, CORE_EV_cluster_revoke);
}

static void unlock_cluster(struct api_call *call)
{
    decide(call, CORE_EV_cluster_unlock);
}

static void forget_cluster(struct api_call *call)
{
    decide(call, CORE_EV_cluster_forget);
}

static const struct api_field page_fields[] = {
    {"cursor", "string", "where the page begins: 'cursor' of the page before"},
    {"limit", "integer", "of one page, at most 500"},
    {0},
};

static const struct api_field cordon_fields[] = {
    {"reason", "string", "shown with the cluster"},
    {0},
};

static const struct api_field drain_fields[] = {
    {"reason", "string", "shown with the cluster"},
    {"running", "string", "wait: what runs may end (preset); stop: it is queued again, uncharged"},
    {0},
};

const struct api_route cluster_routes[] = {
    API_ROUTE(API_GET, "/v1/clusters", API_NEED_read, list_clusters,
              "lists clusters and what they have", .query = page_fields),
    API_ROUTE(API_GET, "/v1/clusters/{cluster}", API_NEED_read, get_cluster, "shows one cluster"),
    API_ROUTE(API_GET, "/v1/clusters/{cluster}/nodes", API_NEED_read, list_nodes,
              "lists its nodes as its agent reported them", .query = page_fields),
    API_ROUTE(API_POST, "/v1/clusters/{cluster}:cordon", API_NEED_fleet, cordon_cluster,
              "starts nothing more there", .body = cordon_fields, .body_max = 4096),
    API_ROUTE(API_POST, "/v1/clusters/{cluster}:uncordon", API_NEED_fleet, uncordon_cluster,
              "lets a cordoned or drained cluster take work again"),
    API_ROUTE(API_POST, "/v1/clusters/{cluster}:drain", API_NEED_fleet, drain_cluster,
              "starts nothing more there and, if so wished, gives back what runs",
              .body = drain_fields, .body_max = 4096),
    API_ROUTE(API_POST, "/v1/clusters/{cluster}:revoke", API_NEED_fleet, revoke_cluster,
              "its certificates count no more; with a new join token it may come back"),
    API_ROUTE(API_POST, "/v1/clusters/{cluster}:unlock", API_NEED_fleet, unlock_cluster,
              "a cluster that was locked because an old certificate came back may speak again"),
    API_ROUTE(API_DELETE, "/v1/clusters/{cluster}", API_NEED_fleet, forget_cluster,
              "a silent cluster is gone for good: its work is queued elsewhere"),
    {0},
};
