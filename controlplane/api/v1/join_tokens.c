/* POST /v1/clusters/{cluster}/join-tokens: a secret with which one agent may enrol, once. */
#include <stdio.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/v1/resources.h"
#include "controlplane/identity/identity.h"
#include "shared/tls/digest.h"
#include "shared/tls/join_token.h"

enum { TTL_S = 3600, TTL_S_MAX = CORE_JOIN_TTL_MS / 1000 };

struct made {
    char text[FL_JOIN_TOKEN_TEXT_MAX];
    struct fl_digest sha256;
};

static void put(struct api_call *call, const struct core_answer *answer)
{
    struct made *made = call->state;
    struct fl_json_out *json = api_json(call);

    fl_json_open(json, NULL, '{');
    fl_json_put_str(json, "cluster", call->params[0]);
    fl_json_put_hex(json, "id", made->sha256.at, sizeof made->sha256.at);
    fl_json_put_cstr(json, "token", made->text);
    fl_json_put_time(json, "expiresAt", (fl_ms)answer->id);
    fl_json_close(json, '}');
    fl_secret_wipe(made->text, sizeof made->text);
    api_answer(call);
}

static bool read_ttl(struct api_call *call, int64_t *ret_ttl_s)
{
    const struct fl_json *body = api_body_json(call, true), *ttl;

    if (!body) return false;
    ttl = fl_json_member(body, FL_STR("ttlSeconds"));
    *ret_ttl_s = ttl ? ttl->n : TTL_S;
    return true;
}

static void create_join_token(struct api_call *call)
{
    struct made *made = fl_arena_new(&call->arena, struct made);
    struct engine_event *event;
    struct fl_join_token token;
    struct fl_err err = {0};
    int64_t ttl_s;

    if (!fl_str_is_name(call->params[0])) {
        api_fail_parameter(call, "cluster", "not a cluster name", call->params[0], FL_NAME_ALLOWED);
        return;
    }
    if (!read_ttl(call, &ttl_s)) return;
    if (!fl_join_token_init(&token, identity_ca_sha256(call->parts->identity),
                            fl_str_c(call->config->api_url), fl_str_c(call->config->tunnel_address),
                            &err)) {
        api_fail(call, err.code, "%s", err.text);
        return;
    }
    fl_join_token_print(&token, made->text);
    made->sha256 = fl_join_token_sha256(&token);
    fl_secret_wipe(&token, sizeof token);
    call->state = made;
    event = api_event(call, CORE_EV_join_put);
    event->event.join_put.name =
        fl_str_c(fl_arena_copy(&event->arena, call->params[0].at, call->params[0].len));
    event->event.join_put.token = made->sha256;
    event->event.join_put.ttl_ms = ttl_s * 1000;
    api_ask(call, event, put);
}

static void revoked(struct api_call *call, const struct core_answer *answer)
{
    struct fl_json_out *json = api_json(call);

    (void)answer;
    fl_json_open(json, NULL, '{');
    fl_json_put_str(json, "id", call->params[1]);
    fl_json_close(json, '}');
    api_answer(call);
}

static void revoke_join_token(struct api_call *call)
{
    struct engine_event *event;
    struct fl_digest token;
    struct fl_err err = {0};

    if (!fl_digest_parse(call->params[1], &token, &err)) {
        api_absent(call);
        return;
    }
    event = api_event(call, CORE_EV_join_revoke);
    event->event.join_revoke.token = token;
    api_ask(call, event, revoked);
}

static const struct api_field create_fields[] = {
    API_MAY("ttlSeconds", "integer", "how long it may be used", .min = 1, .max = TTL_S_MAX,
            .preset = TTL_S),
    {0},
};

static const struct api_field new_fields[] = {
    API_MUST("cluster", "string", "that an agent may enrol as"),
    API_MUST("id", "string", "names it; no secret"),
    API_MUST("token", "string", "its text, shown in this answer and never again"),
    API_MUST("expiresAt", "string", "until when it may be used", .format = API_FORMAT_time),
    {0},
};

const struct api_object join_token_with_secret_object = {
    .name = "JoinTokenWithSecret",
    .text = "A join token that was just made, with its secret.",
    .fields = new_fields};

const struct api_route join_token_routes[] = {
    API_ROUTE(API_POST, "/v1/clusters/{cluster}/join-tokens", API_NEED_fleet, create_join_token,
              "createJoinToken",
              "makes a token with which one agent may enrol once as that cluster; its text is "
              "shown in this answer and never again",
              .body = create_fields, .body_max = 4096, .status = 201,
              .answer = "JoinTokenWithSecret"),
    API_ROUTE(API_DELETE, "/v1/clusters/{cluster}/join-tokens/{id}", API_NEED_fleet,
              revoke_join_token, "revokeJoinToken", "that token counts no more",
              .answer = "TokenRevoked"),
    {0},
};
