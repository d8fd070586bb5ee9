/* /v1/clusters: the clusters, their nodes, and a person's decisions about them. */

#include <string.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/idempotency.h"
#include "controlplane/api/v1/id_page.h"
#include "controlplane/api/v1/job_json.h"
#include "controlplane/api/v1/resources.h"
#include "controlplane/views/directory.h"

static void write_resources(struct fl_json_out *json, const char *key,
                            struct fl_resources_sum amount, const struct core_resource_view *named,
                            size_t named_len)
{
    bool is_free = strcmp(key, "free") == 0;

    fl_json_open(json, key, '{');
    fl_json_put_u64(json, "cpuMilli", amount.cpu_milli);
    fl_json_put_u64(json, "memoryBytes", amount.memory_bytes);
    fl_json_put_u64(json, "gpus", amount.gpus);
    fl_json_open(json, "named", '{');
    for (size_t i = 0; i < named_len; i++) {
        fl_json_put_key(json, fl_str_c(named[i].name));
        fl_json_put_u64(json, NULL, is_free ? named[i].free : named[i].total);
    }
    fl_json_close(json, '}');
    fl_json_close(json, '}');
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

static void write_cluster(struct fl_json_out *json, const struct core_cluster_view *cluster)
{
    fl_json_open(json, NULL, '{');
    fl_json_put_cstr(json, "name", cluster->name);
    fl_json_put_cstr(json, "id", cluster->uuid);
    fl_json_put_cstr(json, "uid", cluster->uid);
    fl_json_put_cstr(json, "state", state_of(cluster));
    fl_json_put_cstr(json, "cordon",
                     cluster->cordon && cluster->cordon[0] ? cluster->cordon : NULL);
    fl_json_put_bool(json, "connected", cluster->is_connected);
    fl_json_put_bool(json, "images", cluster->has_images);
    fl_json_put_u64(json, "certificateGeneration", cluster->generation);
    fl_json_put_u64(json, "session", cluster->session_epoch);
    fl_json_put_u64(json, "attempts", cluster->attempts);
    fl_json_put_u64(json, "unconfirmed", cluster->attempts_unconfirmed);
    fl_json_put_u64(json, "nodes", cluster->nodes);
    fl_json_put_u64(json, "nodesReady", cluster->nodes_ready);
    fl_json_put_u64(json, "nodesLimited", cluster->nodes_limited);
    write_resources(json, "total", cluster->total, cluster->named, cluster->named_len);
    write_resources(json, "free", cluster->free, cluster->named, cluster->named_len);
    fl_json_close(json, '}');
}

static void listed(struct api_call *call, const struct core_answer *answer)
{
    struct fl_json_out *json = api_json(call);

    fl_json_open(json, NULL, '{');
    fl_json_open(json, "clusters", '[');
    for (size_t i = 0; i < answer->clusters_len; i++) {
        write_cluster(json, &answer->clusters[i]);
    }
    fl_json_close(json, ']');
    id_page_put_next(json, answer->next);
    fl_json_close(json, '}');
    api_answer(call);
}

static void list_clusters(struct api_call *call)
{
    struct engine_event *event;
    uint32_t from;

    if (!id_page_from(call, &from)) return;
    event = api_event(call, CORE_EV_list_clusters);
    event->event.list.from = from;
    event->event.list.len_max = api_query_u64(call, "limit");
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

/* ---- nodes ----------------------------------------------------------------------------------- */

static void write_taints(struct fl_json_out *json, struct fl_str lines)
{
    fl_json_open(json, "taints", '[');
    while (lines.len > 0) {
        fl_json_put_str(json, NULL, fl_str_cut(&lines, '\n'));
    }
    fl_json_close(json, ']');
}

static void listed_nodes(struct api_call *call, const struct core_answer *answer)
{
    struct fl_json_out *json = api_json(call);

    fl_json_open(json, NULL, '{');
    fl_json_open(json, "nodes", '[');
    for (size_t i = 0; i < answer->nodes_len; i++) {
        const struct core_node_view *node = &answer->nodes[i];

        fl_json_open(json, NULL, '{');
        fl_json_put_cstr(json, "name", node->name);
        fl_json_put_bool(json, "ready", node->is_ready);
        write_resources(json, "total", fl_resources_sum_of(node->total), node->named,
                        node->named_len);
        write_resources(json, "free", fl_resources_sum_of(node->free), node->named,
                        node->named_len);
        job_json_lines(json, "labels", fl_str_c(node->labels));
        write_taints(json, fl_str_c(node->taints));
        fl_json_close(json, '}');
    }
    fl_json_close(json, ']');
    id_page_put_next(json, answer->next);
    fl_json_close(json, '}');
    api_answer(call);
}

static void list_nodes(struct api_call *call)
{
    struct engine_event *event;
    struct fl_cluster cluster;
    uint32_t from;

    if (!find_cluster(call, &cluster) || !id_page_from(call, &from)) return;
    event = api_event(call, CORE_EV_list_nodes);
    event->event.list_nodes.cluster = cluster;
    event->event.list_nodes.from = from;
    event->event.list_nodes.len_max = api_query_u64(call, "limit");
    api_ask(call, event, listed_nodes);
}

/* ---- actions --------------------------------------------------------------------------------- */

static void decided(struct api_call *call, const struct core_answer *answer)
{
    (void)answer;
    get_cluster(call);
}

static void forgotten(struct api_call *call, const struct core_answer *answer)
{
    struct fl_json_out *json = api_json(call);

    (void)answer;
    fl_json_open(json, NULL, '{');
    fl_json_put_str(json, "name", call->params[0]);
    fl_json_close(json, '}');
    api_answer(call);
}

/* The reason in the body. */
static struct fl_str read_why(const struct fl_json *body, struct engine_event *event)
{
    const struct fl_json *why = fl_json_member(body, FL_STR("reason"));
    struct fl_str text = why ? why->text : FL_STR("by request");

    return fl_str_c(fl_arena_copy(&event->arena, text.at, text.len));
}

static void cordon_cluster(struct api_call *call)
{
    const struct fl_json *body = api_body_json(call, true);
    struct engine_event *event;
    struct fl_cluster cluster;

    if (!body || !find_cluster(call, &cluster)) return;
    event = api_event(call, CORE_EV_cluster_cordon);
    event->event.cluster_cordon.cluster = cluster;
    event->event.cluster_cordon.is_on = true;
    event->event.cluster_cordon.why = read_why(body, event);
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

    if (!body || !find_cluster(call, &cluster)) return;
    mode = fl_json_member(body, FL_STR("running"));
    event = api_event(call, CORE_EV_cluster_drain);
    event->event.cluster_drain.cluster = cluster;
    event->event.cluster_drain.is_stop = mode && fl_str_eq(mode->text, FL_STR("stop"));
    event->event.cluster_drain.why = read_why(body, event);
    if (api_idempotent(call, event)) api_ask(call, event, decided);
}

static void decide(struct api_call *call, enum core_event_kind kind, api_then *then)
{
    struct engine_event *event;
    struct fl_cluster cluster;

    if (!find_cluster(call, &cluster)) return;
    event = api_event(call, kind);
    event->event.cluster_forget.cluster = cluster;
    if (api_idempotent(call, event)) api_ask(call, event, then);
}

static void revoke_cluster(struct api_call *call)
{
    decide(call, CORE_EV_cluster_revoke, decided);
}

static void unlock_cluster(struct api_call *call)
{
    decide(call, CORE_EV_cluster_unlock, decided);
}

static void forget_cluster(struct api_call *call)
{
    decide(call, CORE_EV_cluster_forget, forgotten);
}

static const struct api_field cordon_fields[] = {
    API_MAY("reason", "string", "shown with the cluster", .min = 1, .max = CORE_REASON_BYTES_MAX),
    {0},
};

static const struct api_field drain_fields[] = {
    API_MAY("reason", "string", "shown with the cluster", .min = 1, .max = CORE_REASON_BYTES_MAX),
    API_MAY("running", "string",
            "wait: attempts that run may end (preset); stop: they are queued again, uncharged",
            .words = "wait, stop"),
    {0},
};

static const struct api_field resources_fields[] = {
    API_MUST("cpuMilli", "integer", "thousandths of a core"),
    API_MUST("memoryBytes", "integer", "bytes of memory"),
    API_MUST("gpus", "integer", "whole GPUs"),
    API_MUST("named", "map of integer",
             "all other resources by name: bytes of ephemeral-storage and hugepages, numbers of "
             "devices"),
    {0},
};

const struct api_object resources_object = {
    .name = "Resources", .text = "Amounts of a cluster or node.", .fields = resources_fields};

static const struct api_field cluster_fields[] = {
    API_MUST("name", "string", "its name"),
    API_MUST("id", "string", "the identity in its certificates, a UUID"),
    API_MUST("uid", "string", "tells its cluster or host from all others"),
    API_MUST("state", "string", "whether it takes work",
             .words = "ready, cordoned, draining, joining, away, lost, locked, revoked"),
    API_MUST("cordon", "string or null", "why it takes no new work; null: it does"),
    API_MUST("connected", "boolean", "its agent has a session"),
    API_MUST("images", "boolean", "its runtime runs container images"),
    API_MUST("certificateGeneration", "integer", "counts its certificates"),
    API_MUST("session", "integer", "counts its sessions"),
    API_MUST("attempts", "integer", "that live there"),
    API_MUST("unconfirmed", "integer", "attempts that its agent has not confirmed"),
    API_MUST("nodes", "integer", "that its agent reported"),
    API_MUST("nodesReady", "integer", "nodes that take work"),
    API_MUST("nodesLimited", "integer",
             "those of them that keep replicas within their limits of memory and CPU"),
    API_MUST("total", "Resources", "the sum over its ready nodes"),
    API_MUST("free", "Resources", "the part of it that is unused"),
    {0},
};

const struct api_object cluster_object = {
    .name = "Cluster",
    .text = "A cluster: one agent and what it sees.",
    .fields = cluster_fields,
    .example = "{\"name\":\"east\",\"id\":\"5f0c61a2-9f4e-4ff4-a3a7-0f6f0f1d2c3b\","
               "\"uid\":\"host-7\",\"state\":\"ready\",\"cordon\":null,\"connected\":true,"
               "\"images\":false,\"certificateGeneration\":1,\"session\":3,\"attempts\":2,"
               "\"unconfirmed\":0,\"nodes\":4,\"nodesReady\":4,\"nodesLimited\":4,"
               "\"total\":{\"cpuMilli\":16000,\"memoryBytes\":34359738368,\"gpus\":0,"
               "\"named\":{\"rdma/hca\":4}},"
               "\"free\":{\"cpuMilli\":14000,\"memoryBytes\":32212254720,\"gpus\":0,"
               "\"named\":{\"rdma/hca\":3}}}"};

static const struct api_field clusters_fields[] = {
    API_MUST("clusters", "array of Cluster", "by number"),
    API_MAY("cursor", "string", "where the next page begins; absent on the last"),
    {0},
};

const struct api_object cluster_page_object = {
    .name = "ClusterPage", .text = "A page of clusters.", .fields = clusters_fields};

static const struct api_field node_fields[] = {
    API_MUST("name", "string", "its name"),
    API_MUST("ready", "boolean", "it takes work"),
    API_MUST("total", "Resources", "all it has"),
    API_MUST("free", "Resources", "the part of it that is unused"),
    API_MUST("labels", "map of string", "for a nodeSelector"),
    API_MUST("taints", "array of string",
             "taints that keep jobs off which do not tolerate them, as key=value:NoSchedule"),
    {0},
};

const struct api_object node_object = {
    .name = "Node", .text = "A node of a cluster.", .fields = node_fields};

static const struct api_field nodes_fields[] = {
    API_MUST("nodes", "array of Node", "as its agent reported them"),
    API_MAY("cursor", "string", "where the next page begins; absent on the last"),
    {0},
};

const struct api_object node_page_object = {
    .name = "NodePage", .text = "A page of nodes.", .fields = nodes_fields};

static const struct api_field forgotten_fields[] = {
    API_MUST("name", "string", "the cluster that is gone"),
    {0},
};

const struct api_object cluster_forgotten_object = {.name = "ClusterForgotten",
                                                    .text = "A cluster that is gone for good.",
                                                    .fields = forgotten_fields};

const struct api_route cluster_routes[] = {
    API_ROUTE(API_GET, "/v1/clusters", API_NEED_read, list_clusters, "listClusters",
              "lists clusters and what they have", .query = id_page_query, .answer = "ClusterPage"),
    API_ROUTE(API_GET, "/v1/clusters/{cluster}", API_NEED_read, get_cluster, "getCluster",
              "shows one cluster", .answer = "Cluster"),
    API_ROUTE(API_GET, "/v1/clusters/{cluster}/nodes", API_NEED_read, list_nodes, "listNodes",
              "lists its nodes as its agent reported them", .query = id_page_query,
              .answer = "NodePage"),
    API_ROUTE(API_POST, "/v1/clusters/{cluster}:cordon", API_NEED_fleet, cordon_cluster,
              "cordonCluster", "starts nothing more there", .body = cordon_fields, .body_max = 4096,
              .headers = API_TAKES_key, .answer = "Cluster", .may_conflict = true),
    API_ROUTE(API_POST, "/v1/clusters/{cluster}:uncordon", API_NEED_fleet, uncordon_cluster,
              "uncordonCluster", "lets a cordoned or drained cluster take work again",
              .headers = API_TAKES_key, .answer = "Cluster", .may_conflict = true),
    API_ROUTE(API_POST, "/v1/clusters/{cluster}:drain", API_NEED_fleet, drain_cluster,
              "drainCluster", "starts nothing more there and, if so wished, gives back what runs",
              .body = drain_fields, .body_max = 4096, .headers = API_TAKES_key, .answer = "Cluster",
              .may_conflict = true),
    API_ROUTE(API_POST, "/v1/clusters/{cluster}:revoke", API_NEED_fleet, revoke_cluster,
              "revokeCluster",
              "its certificates count no more; with a new join token it may come back",
              .headers = API_TAKES_key, .answer = "Cluster", .may_conflict = true),
    API_ROUTE(API_POST, "/v1/clusters/{cluster}:unlock", API_NEED_fleet, unlock_cluster,
              "unlockCluster",
              "a cluster that was locked because an old certificate came back may speak again",
              .headers = API_TAKES_key, .answer = "Cluster", .may_conflict = true),
    API_ROUTE(API_DELETE, "/v1/clusters/{cluster}", API_NEED_fleet, forget_cluster, "forgetCluster",
              "a silent cluster is gone for good: its work is queued elsewhere",
              .headers = API_TAKES_key, .answer = "ClusterForgotten", .may_conflict = true),
    {0},
};
