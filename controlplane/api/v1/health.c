/* livez, readyz and version: the first questions of a supervisor or a person. */
#include "controlplane/api/api_state.h"
#include "controlplane/api/auth.h"
#include "controlplane/api/v1/resources.h"
#include "shared/base/version.h"

static void livez(struct api_call *call)
{
    api_answer_as(call, 200, "text/plain", FL_STR("ok\n"));
}

/* Whether it takes requests: it leads, and knows its tokens.  A probe without a token gets
 * neither reason nor figures: they name the database and the disk. */
static void readyz(struct api_call *call)
{
    struct api_health health = {0};
    bool has_tokens = token_table_is_loaded(call->parts->tokens), is_ready;
    bool is_probe = call->token.id[0] == '\0';
    struct fl_json_out *json = api_json(call);

    call->parts->health(call->parts->health_ctx, &health);
    is_ready = health.is_leading && has_tokens;
    fl_json_open(json, NULL, '{');
    fl_json_put_bool(json, "ready", is_ready);
    if (!health.is_leading && !is_probe) fl_json_put_cstr(json, "why", health.why);
    if (api_query_flag(call, "verbose") && api_may_see_figures(&call->token)) {
        fl_json_put_bool(json, "leading", health.is_leading);
        fl_json_put_bool(json, "tokensLoaded", has_tokens);
        fl_json_put_u64(json, "epoch", health.epoch);
        fl_json_put_u64(json, "turnLongestMicros", health.turn_longest_us);
        fl_json_put_u64(json, "eventsWaiting", health.waiting);
        fl_json_put_u64(json, "streams", api_streams(call->api));
        fl_json_put_cstr(json, "tunnelAddress", call->config->tunnel_address);
        fl_json_open(json, "database", '{');
        fl_json_put_cstr(json, "state", health.database);
        fl_json_put_u64(json, "commits", health.commits);
        fl_json_put_u64(json, "commitLongestMillis", health.commit_longest_ms);
        fl_json_close(json, '}');
        fl_json_open(json, "disk", '{');
        fl_json_put_bool(json, "full", health.is_log_disk_full);
        fl_json_put_u64(json, "freeBytes", health.disk_free_bytes);
        fl_json_put_u64(json, "totalBytes", health.disk_total_bytes);
        fl_json_close(json, '}');
        fl_json_open(json, "history", '{');
        fl_json_put_bool(json, "disputed", health.is_disputed);
        fl_json_put_u64(json, "losses", health.losses);
        fl_json_put_u64(json, "lostJobsMin", health.lost_jobs_min);
        fl_json_put_u64(json, "lostJobsMax", health.lost_jobs_max);
        fl_json_close(json, '}');
    }
    fl_json_close(json, '}');
    api_answer_as(call, is_ready ? 200 : 503, "application/json",
                  (struct fl_str){(const char *)call->out.at, call->out.len});
}

static void version(struct api_call *call)
{
    struct fl_json_out *json = api_json(call);

    fl_json_open(json, NULL, '{');
    fl_json_put_cstr(json, "version", FL_VERSION);
    fl_json_put_cstr(json, "api", "v1");
    fl_json_close(json, '}');
    api_answer(call);
}

static const struct api_field ready_query[] = {
    API_MAY("verbose", "boolean", "with figures, for a token with the scope read for all queues"),
    {0},
};

static const struct api_field database_fields[] = {
    API_MUST("state", "string", "whether it answers", .words = "ok, lost, full"),
    API_MUST("commits", "integer", "since the start"),
    API_MUST("commitLongestMillis", "integer", "the slowest commit"),
    {0},
};

const struct api_object database_health_object = {.name = "DatabaseHealth",
                                                  .text =
                                                      "The database, as the control plane sees it.",
                                                  .fields = database_fields};

static const struct api_field disk_fields[] = {
    API_MUST("full", "boolean", "the log store has stopped for want of room"),
    API_MUST("freeBytes", "integer", "where logs and keys lie"),
    API_MUST("totalBytes", "integer", "the same"),
    {0},
};

const struct api_object disk_health_object = {
    .name = "DiskHealth", .text = "The disk of the state directory.", .fields = disk_fields};

static const struct api_field history_fields[] = {
    API_MUST("disputed", "boolean",
             "agents know of a later database; a person must accept this one"),
    API_MUST("losses", "integer", "takeovers since the start that found the database too old"),
    API_MUST("lostJobsMin", "integer", "lost with the newest of them, at least"),
    API_MUST("lostJobsMax", "integer", "and at most"),
    {0},
};

const struct api_object history_health_object = {
    .name = "HistoryHealth",
    .text = "Whether the database is as new as it should be.",
    .fields = history_fields};

static const struct api_field health_fields[] = {
    API_MUST("ready", "boolean", "it leads, and knows its tokens"),
    API_MAY("why", "string", "why it does not lead"),
    API_MAY("leading", "boolean", "it decides"),
    API_MAY("tokensLoaded", "boolean", "it knows its tokens"),
    API_MAY("epoch", "integer", "counts the terms of leaders"),
    API_MAY("turnLongestMicros", "integer", "the engine's longest turn"),
    API_MAY("eventsWaiting", "integer", "for the engine"),
    API_MAY("streams", "integer", "open on this front"),
    API_MAY("tunnelAddress", "string", "where agents dial"),
    API_MAY("database", "DatabaseHealth", "the database"),
    API_MAY("disk", "DiskHealth", "the disk"),
    API_MAY("history", "HistoryHealth", "a restored database"),
    {0},
};

const struct api_object health_object = {.name = "Health",
                                         .text = "Whether the control plane takes requests.",
                                         .fields = health_fields,
                                         .example = "{\"ready\":true}"};

static const struct api_field version_fields[] = {
    API_MUST("version", "string", "the program's version"),
    API_MUST("api", "string", "the API's version"),
    {0},
};

const struct api_object version_object = {
    .name = "Version", .text = "Which version this is.", .fields = version_fields};

static const struct api_also not_ready[] = {
    {503, NULL, "Health", "it does not take requests"},
    {0},
};

const struct api_route health_routes[] = {
    API_ROUTE(API_GET, "/livez", API_NEED_nothing, livez, "getLive", "is the process there",
              .gives = "text/plain"),
    API_ROUTE(API_GET, "/readyz", API_NEED_token, readyz, "getReady",
              "does it take requests: 200, else 503, and no more to a request without a token",
              .query = ready_query, .answer = "Health", .also = not_ready, .takes_probes = true),
    API_ROUTE(API_GET, "/version", API_NEED_token, version, "getVersion", "which version this is",
              .answer = "Version"),
    {0},
};
