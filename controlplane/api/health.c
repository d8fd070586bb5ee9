/* livez, readyz and version: what a supervisor and a person ask first. */
#include "controlplane/api/api_state.h"
#include "controlplane/api/resources.h"
#include "shared/base/version.h"

static void livez(struct api_call *call)
{
    api_answer_as(call, 200, "text/plain", FL_STR("ok\n"));
}

/* Whether it takes requests: it leads, and knows its tokens. */
static void readyz(struct api_call *call)
{
    struct api_health health = {0};
    bool has_tokens = token_table_is_loaded(call->parts->tokens), is_ready;
    struct json *json = api_json(call);

    call->parts->health(call->parts->health_ctx, &health);
    is_ready = health.is_leading && has_tokens;
    json_open(json, NULL, '{');
    json_bool(json, "ready", is_ready);
    if (!health.is_leading) json_cstr(json, "why", health.why);
    if (api_query_has(call, "verbose")) {
        json_bool(json, "leading", health.is_leading);
        json_bool(json, "tokensLoaded", has_tokens);
        json_u64(json, "epoch", health.epoch);
        json_u64(json, "turnLongestMicros", health.turn_longest_us);
        json_u64(json, "eventsWaiting", health.waiting);
        json_u64(json, "streams", api_streams(call->api));
        json_cstr(json, "tunnelAddress", call->config->tunnel_address);
        json_open(json, "database", '{');
        json_cstr(json, "state", health.database);
        json_u64(json, "commits", health.commits);
        json_u64(json, "commitLongestMillis", health.commit_longest_ms);
        json_close(json, '}');
        json_open(json, "disk", '{');
        json_bool(json, "full", health.is_log_disk_full);
        json_u64(json, "freeBytes", health.disk_free_bytes);
        json_u64(json, "totalBytes", health.disk_total_bytes);
        json_close(json, '}');
    }
    json_close(json, '}');
    api_answer_as(call, is_ready ? 200 : 503, "application/json",
                  (struct fl_str){(const char *)call->out.at, call->out.len});
}

static void version(struct api_call *call)
{
    struct json *json = api_json(call);

    json_open(json, NULL, '{');
    json_cstr(json, "version", FL_VERSION);
    json_cstr(json, "api", "v1");
    json_close(json, '}');
    api_answer(call);
}

static const struct api_field ready_fields[] = {
    {"verbose", "boolean", "with figures"},
    {0},
};

const struct api_route health_routes[] = {
    API_ROUTE(API_GET, "/livez", API_NEED_nothing, livez, "is the process there",
              .gives = "text/plain"),
    API_ROUTE(API_GET, "/readyz", API_NEED_token, readyz, "does it take requests: 200, else 503",
              .query = ready_fields),
    API_ROUTE(API_GET, "/version", API_NEED_token, version, "which version this is"),
    {0},
};
