/* /v1/tokens: who may do what through this API. */
#include <stdio.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/auth.h"
#include "controlplane/api/directory.h"
#include "controlplane/api/resources.h"
#include "controlplane/identity/api_token.h"
#include "controlplane/identity/identity.h"
#include "shared/tls/digest.h"

enum { TTL_S = 90 * 86400, TTL_S_MAX = 3650 * 86400, PAGE = 200, SCAN_MAX = 1000 };

struct made {
    char text[API_TOKEN_TEXT_MAX];
    struct token_grant grant;
};

void api_token_write(struct json *json, const struct token_grant *token, const char *secret)
{
    static const enum api_scope scopes[] = {API_SCOPE_read, API_SCOPE_submit, API_SCOPE_cancel,
                                            API_SCOPE_admin};

    json_open(json, NULL, '{');
    json_cstr(json, "id", token->id);
    json_cstr(json, "name", token->name);
    json_open(json, "scopes", '[');
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
        if (token->scopes & scopes[i]) json_cstr(json, NULL, api_scope_name(scopes[i]));
    }
    json_close(json, ']');
    json_cstr(json, "queue", token->queue[0] ? token->queue : NULL);
    json_time(json, "createdAt", token->made_at);
    json_time(json, "expiresAt", token->expires_at);
    json_time(json, "lastUsedAt", token->used_at);
    if (secret) json_cstr(json, "token", secret);
    json_close(json, '}');
}

static void list_tokens(struct api_call *call)
{
    struct token_grant *tokens = fl_arena_array(&call->arena, struct token_grant, SCAN_MAX);
    struct fl_str after = api_query(call, "cursor");
    struct json *json = api_json(call);
    uint64_t limit;
    size_t len, given = 0, i;

    if (!api_query_u64(call, "limit", PAGE, 1, PAGE, &limit)) return;
    len = token_table_page(call->parts->tokens, after, tokens, SCAN_MAX);
    json_open(json, NULL, '{');
    json_open(json, "tokens", '[');
    for (i = 0; i < len && given < limit; i++) {
        if (!api_may_see_queue(&call->token, fl_str_c(tokens[i].queue))) continue;
        api_token_write(json, &tokens[i], NULL);
        given++;
    }
    json_close(json, ']');
    if (i > 0 && (i < len || len == SCAN_MAX)) json_cstr(json, "cursor", tokens[i - 1].id);
    json_close(json, '}');
    api_answer(call);
}

static bool fail_field(struct api_call *call, const char *pointer, const char *detail,
                       const struct fl_json *got, const char *allowed)
{
    api_fail_at(call, pointer, detail, got ? got->text : (struct fl_str){0}, allowed);
    return false;
}

static bool read_scopes(struct api_call *call, const struct fl_json *list, uint8_t *ret_scopes)
{
    static const char allowed[] = "a list of read, submit, cancel, admin";

    *ret_scopes = 0;
    if (!list || list->kind != FL_JSON_LIST || list->len == 0) {
        return fail_field(call, "/scopes", "what the token may do", list, allowed);
    }
    FL_JSON_EACH (word, list) {
        uint8_t scope;

        if (word->kind != FL_JSON_STRING || !api_scopes_parse(word->text, &scope) ||
            (*ret_scopes & scope) != 0) {
            return fail_field(call, "/scopes", "what the token may do", word, allowed);
        }
        *ret_scopes |= scope;
    }
    return true;
}

static bool read_body(struct api_call *call, struct token_grant *grant)
{
    const struct fl_json *body = api_body_json(call, false), *name, *queue, *ttl;
    struct fl_queue_id id;

    if (!body || !api_body_check(call, body) ||
        !read_scopes(call, fl_json_member(body, FL_STR("scopes")), &grant->scopes)) {
        return false;
    }
    name = fl_json_member(body, FL_STR("name"));
    if (!name || name->kind != FL_JSON_STRING || !fl_str_is_name(name->text)) {
        return fail_field(call, "/name", "a token needs a name", name,
                          "1 to 63 of a-z, 0-9 and '-', first and last not '-'");
    }
    snprintf(grant->name, sizeof grant->name, FL_STR_FMT, FL_STR_ARG(name->text));
    queue = fl_json_member(body, FL_STR("queue"));
    if (queue && queue->kind != FL_JSON_NULL) {
        if (queue->kind != FL_JSON_STRING || !fl_str_is_name(queue->text) ||
            !directory_queue_id(call->parts->directory, queue->text, &id)) {
            return fail_field(call, "/queue", "there is no such queue", queue, NULL);
        }
        snprintf(grant->queue, sizeof grant->queue, FL_STR_FMT, FL_STR_ARG(queue->text));
    }
    ttl = fl_json_member(body, FL_STR("ttlSeconds"));
    if (ttl && (ttl->kind != FL_JSON_INT || ttl->n < 1 || ttl->n > TTL_S_MAX)) {
        return fail_field(call, "/ttlSeconds", "how long it counts", ttl, "1 to 315360000");
    }
    grant->made_at = call->wall;
    grant->expires_at = call->wall + (ttl ? ttl->n : TTL_S) * 1000;
    return true;
}

static void put(struct api_call *call, const struct core_answer *answer)
{
    struct made *made = call->state;

    (void)answer;
    api_token_write(api_json(call), &made->grant, made->text);
    fl_secret_wipe(made->text, sizeof made->text);
    api_answer(call);
}

static void create_token(struct api_call *call)
{
    struct made *made = fl_arena_new(&call->arena, struct made);
    struct engine_event *event;
    struct api_token token;

    if (!read_body(call, &made->grant)) return;
    if (!api_may_grant(&call->token, made->grant.scopes, fl_str_c(made->grant.queue))) {
        api_fail(call, FL_DENIED,
                 "a token gives away no more than it has itself: its queue is \"%s\"",
                 call->token.queue);
        return;
    }
    token = api_token_random();
    api_token_print(&token, made->text);
    api_token_id_print(token.id, made->grant.id);
    call->state = made;
    event = api_event(call, CORE_EV_token_put);
    event->event.token_put.id = fl_str_c(fl_arena_printf(&event->arena, "%s", made->grant.id));
    event->event.token_put.mac = api_token_mac(&token, identity_pepper(call->parts->identity));
    event->event.token_put.name = fl_str_c(fl_arena_printf(&event->arena, "%s", made->grant.name));
    event->event.token_put.queue =
        fl_str_c(fl_arena_printf(&event->arena, "%s", made->grant.queue));
    event->event.token_put.scopes = made->grant.scopes;
    event->event.token_put.expires_at = made->grant.expires_at;
    fl_secret_wipe(&token, sizeof token);
    api_ask(call, event, put);
}

static void revoked(struct api_call *call, const struct core_answer *answer)
{
    struct json *json = api_json(call);

    (void)answer;
    json_open(json, NULL, '{');
    json_text(json, "id", call->params[0]);
    json_close(json, '}');
    api_answer(call);
}

static void revoke_token(struct api_call *call)
{
    struct engine_event *event;
    struct token_grant token;

    if (!token_table_find(call->parts->tokens, call->params[0], &token) ||
        !api_may_see_queue(&call->token, fl_str_c(token.queue))) {
        api_absent(call);
        return;
    }
    event = api_event(call, CORE_EV_token_revoke);
    event->event.token_revoke.id = fl_str_c(fl_arena_printf(&event->arena, "%s", token.id));
    api_ask(call, event, revoked);
}

static void whoami(struct api_call *call)
{
    api_token_write(api_json(call), &call->token, NULL);
    api_answer(call);
}

static const struct api_field page_fields[] = {
    {"cursor", "string", "where the page begins: 'cursor' of the page before"},
    {"limit", "integer", "of one page, at most 200"},
    {0},
};

static const struct api_field token_fields[] = {
    {"name", "string", "for people; a DNS label"},
    {"scopes", "array", "of read, submit, cancel, admin; admin includes the others"},
    {"queue", "string", "it counts for this queue only; without it, for all"},
    {"ttlSeconds", "integer", "how long it counts; preset 90 days"},
    {0},
};

const struct api_route token_routes[] = {
    API_ROUTE(API_GET, "/v1/tokens", API_NEED_admin, list_tokens,
              "lists tokens, without their secrets", .query = page_fields),
    API_ROUTE(API_POST, "/v1/tokens", API_NEED_admin, create_token,
              "makes a token; its text is shown in this answer and never again",
              .body = token_fields, .body_max = 4096, .status = 201),
    API_ROUTE(API_DELETE, "/v1/tokens/{id}", API_NEED_admin, revoke_token,
              "that token counts no more"),
    {0},
};

const struct api_route whoami_routes[] = {
    API_ROUTE(API_GET, "/v1/whoami", API_NEED_token, whoami, "shows the token that asks"),
    {0},
};
