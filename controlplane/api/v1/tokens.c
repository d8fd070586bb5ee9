/* /v1/tokens: tokens and their rights. */
#include <inttypes.h>
#include <stdio.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/auth.h"
#include "controlplane/api/v1/resources.h"
#include "controlplane/identity/api_token.h"
#include "controlplane/identity/identity.h"
#include "controlplane/views/directory.h"
#include "shared/tls/digest.h"

#define GONE_MAX 1001 /* the one that is revoked, and those that it made */

enum { TTL_S = FL_TOKEN_TTL_DAYS * 86400, TTL_S_MAX = 3650 * 86400, PAGE = 200 };
enum { MADE_MAX = GONE_MAX - 1 };
enum { GRACE_S = FL_TOKEN_GRACE_MINUTES * 60, GRACE_S_MAX = CORE_GRACE_MS / 1000 };

struct made {
    char text[API_TOKEN_TEXT_MAX];
    struct token_grant grant;
};

void api_token_write(struct fl_json_out *json, const char *key, const struct token_grant *token,
                     const char *secret)
{
    fl_json_open(json, key, '{');
    fl_json_put_cstr(json, "id", token->id);
    fl_json_put_cstr(json, "name", token->name);
    fl_json_open(json, "scopes", '[');
#define SCOPE(name, bit, meaning)                                                                  \
    if (token->scopes & (bit)) fl_json_put_cstr(json, NULL, #name);
    CORE_SCOPES(SCOPE)
#undef SCOPE
    fl_json_close(json, ']');
    fl_json_put_cstr(json, "queue", token->queue[0] ? token->queue : NULL);
    fl_json_put_cstr(json, "maker", token->maker[0] ? token->maker : NULL);
    fl_json_put_cstr(json, "owner", token->owner[0] ? token->owner : NULL);
    fl_json_put_time(json, "createdAt", token->made_at);
    fl_json_put_time(json, "expiresAt", token->expires_at);
    fl_json_put_time(json, "lastUsedAt", token->used_at);
    fl_json_put_time(json, "rotatedAt", token->rotated_at);
    fl_json_put_time(json, "previousUntil", token->old_until);
    if (secret) fl_json_put_cstr(json, "token", secret);
    fl_json_close(json, '}');
}

static void list_tokens(struct api_call *call)
{
    size_t limit = api_query_u64(call, "limit"), len;
    struct token_grant *tokens = fl_arena_array(&call->arena, struct token_grant, limit + 1);
    struct fl_json_out *json = api_json(call);

    len = token_table_page(call->parts->tokens, api_query(call, "cursor"),
                           fl_str_c(call->token.queue), tokens, limit + 1);
    fl_json_open(json, NULL, '{');
    fl_json_open(json, "tokens", '[');
    for (size_t i = 0; i < len && i < limit; i++) {
        api_token_write(json, NULL, &tokens[i], NULL);
    }
    fl_json_close(json, ']');
    if (len > limit) fl_json_put_cstr(json, "cursor", tokens[limit - 1].id);
    fl_json_close(json, '}');
    api_answer(call);
}

/* A rule beyond the table: false when a scope stands there twice. */
static bool read_scopes(struct api_call *call, const struct fl_json *list, uint8_t *ret_scopes)
{
    size_t i = 0;

    *ret_scopes = 0;
    FL_JSON_EACH (word, list) {
        uint8_t scope = 0;

        if (!api_scope_parse(word->text, &scope) || (*ret_scopes & scope) != 0) {
            api_fail_at(call, fl_arena_printf(&call->arena, "/scopes/%zu", i),
                        "each scope at most once", word->text, NULL);
            return false;
        }
        *ret_scopes |= scope;
        i++;
    }
    return true;
}

/* Nothing outlives the token that made it, unless that says so; where no time is asked for, the
 * maker's end is the token's. */
static bool read_life(struct api_call *call, const struct fl_json *ttl, fl_ms *ret_ttl_ms)
{
    fl_ms life = (ttl ? ttl->n : TTL_S) * FL_SECOND_MS, most = call->config->token_life_max;
    fl_ms until = api_may_grant_until(&call->token), left = until - call->at;

    if (ttl && life > most) {
        api_fail_at(call, "/ttlSeconds",
                    fl_arena_printf(&call->arena,
                                    "a token counts for %" PRId64
                                    " seconds at most (setting token_lifetime_max)",
                                    most / FL_SECOND_MS),
                    ttl->text, NULL);
        return false;
    }
    if (ttl && until != 0 && life > left) {
        api_fail_at(call, "/ttlSeconds",
                    fl_arena_printf(&call->arena,
                                    "this token counts for %" PRId64
                                    " more seconds, and one that it makes counts no longer; a "
                                    "token with the scope outlive may make others",
                                    left / FL_SECOND_MS),
                    ttl->text, NULL);
        return false;
    }
    if (life > most) life = most;
    *ret_ttl_ms = until != 0 && life > left ? left : life;
    return true;
}

static void refuse_grant(struct api_call *call)
{
    api_fail(call, FL_DENIED,
             "a token gives away no more than it has itself: its queue is \"%s\", and the scope "
             "outlive is given by those that have it",
             call->token.queue);
}

static bool read_body(struct api_call *call, struct token_grant *grant, fl_ms *ret_ttl_ms)
{
    const struct fl_json *body = api_body_json(call, false), *queue, *owner;
    struct fl_queue_id id;

    if (!body || !read_scopes(call, fl_json_member(body, FL_STR("scopes")), &grant->scopes)) {
        return false;
    }
    snprintf(grant->name, sizeof grant->name, FL_STR_FMT,
             FL_STR_ARG(fl_json_member(body, FL_STR("name"))->text));
    owner = fl_json_member(body, FL_STR("owner"));
    snprintf(grant->owner, sizeof grant->owner, FL_STR_FMT,
             FL_STR_ARG(owner              ? owner->text
                        : call->as.len > 0 ? call->as
                                           : fl_str_c(call->token.owner)));
    snprintf(grant->maker, sizeof grant->maker, "%s", call->token.id);
    queue = fl_json_member(body, FL_STR("queue"));
    if (queue && queue->kind == FL_JSON_STRING && !api_may_see_queue(&call->token, queue->text)) {
        refuse_grant(call); /* whether there is one of that name is not for this token */
        return false;
    }
    if (queue && queue->kind == FL_JSON_STRING) {
        if (!directory_queue_id(call->parts->directory, queue->text, &id)) {
            api_fail_absent_at(call, "/queue", "no queue has this name", queue->text);
            return false;
        }
        snprintf(grant->queue, sizeof grant->queue, FL_STR_FMT, FL_STR_ARG(queue->text));
    }
    return read_life(call, fl_json_member(body, FL_STR("ttlSeconds")), ret_ttl_ms);
}

static void put(struct api_call *call, const struct core_answer *answer)
{
    struct made *made = call->state;

    made->grant.made_at = answer->at;
    made->grant.expires_at = (fl_ms)answer->id;
    api_token_write(api_json(call), NULL, &made->grant, made->text);
    fl_secret_wipe(made->text, sizeof made->text);
    api_answer(call);
}

static void create_token(struct api_call *call)
{
    struct made *made = fl_arena_new(&call->arena, struct made);
    struct engine_event *event;
    struct api_token token;
    fl_ms ttl_ms;

    if (!read_body(call, &made->grant, &ttl_ms)) return;
    if (!api_may_grant(&call->token, made->grant.scopes, fl_str_c(made->grant.queue))) {
        refuse_grant(call);
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
    event->event.token_put.maker =
        fl_str_c(fl_arena_printf(&event->arena, "%s", made->grant.maker));
    event->event.token_put.owner =
        fl_str_c(fl_arena_printf(&event->arena, "%s", made->grant.owner));
    event->event.token_put.scopes = made->grant.scopes;
    event->event.token_put.ttl_ms = ttl_ms;
    fl_secret_wipe(&token, sizeof token);
    api_ask(call, event, put);
}

/* ---- a new secret ---------------------------------------------------------------------------- */

static void put_rotated(struct api_call *call, const struct core_answer *answer)
{
    struct made *made = call->state;

    made->grant.rotated_at = answer->at;
    made->grant.expires_at = (fl_ms)answer->id;
    made->grant.old_until = (fl_ms)answer->generation;
    api_token_write(api_json(call), NULL, &made->grant, made->text);
    fl_secret_wipe(made->text, sizeof made->text);
    api_answer(call);
}

/* A token's new secret comes to the one that asks, and with it its rights. */
static bool may_have(struct api_call *call, const struct token_grant *token, bool has_ttl)
{
    fl_ms until = api_may_grant_until(&call->token);

    if (strcmp(token->id, call->token.id) == 0) return true;
    if (!api_may_grant(&call->token, token->scopes, fl_str_c(token->queue))) {
        api_fail(call, FL_DENIED,
                 "a token rotates itself, and others that it could have made; this one has more "
                 "rights than it");
        return false;
    }
    if (has_ttl || until == 0 || (token->expires_at != 0 && token->expires_at <= until)) {
        return true;
    }
    api_fail(call, FL_DENIED,
             "that token counts for longer than the one that asks; say for how long it shall "
             "(ttlSeconds, at most %" PRId64 "), or ask with one that has the scope outlive",
             (until - call->at) / FL_SECOND_MS);
    return false;
}

static bool find_rotated(struct api_call *call, struct token_grant *ret_token)
{
    bool is_own = fl_str_eq(call->params[0], fl_str_c(call->token.id));

    if (!is_own && !(call->token.scopes & CORE_SCOPE_admin)) {
        api_fail(call, FL_DENIED, "a token without the scope admin rotates itself alone");
        return false;
    }
    if (!token_table_find(call->parts->tokens, call->params[0], ret_token) ||
        !api_sees_queue(call, fl_str_c(ret_token->queue))) {
        api_absent(call);
        return false;
    }
    return true;
}

static void rotate_token(struct api_call *call)
{
    const struct fl_json *body = api_body_json(call, true), *ttl, *grace;
    struct made *made = fl_arena_new(&call->arena, struct made);
    struct engine_event *event;
    struct api_token token;
    struct fl_err err = {0};
    fl_ms ttl_ms = 0;
    uint64_t id;

    if (!body || !find_rotated(call, &made->grant)) return;
    ttl = fl_json_member(body, FL_STR("ttlSeconds"));
    grace = fl_json_member(body, FL_STR("graceSeconds"));
    if (!may_have(call, &made->grant, ttl != NULL)) return;
    if (ttl && !read_life(call, ttl, &ttl_ms)) return;
    if (!api_token_id_parse(fl_str_c(made->grant.id), &id, &err)) {
        api_absent(call); /* an id that no text can name */
        return;
    }
    token = api_token_random();
    token.id = id;
    api_token_print(&token, made->text);
    call->state = made;
    event = api_event(call, CORE_EV_token_rotate);
    event->event.token_rotate.id = fl_arena_str(&event->arena, fl_str_c(made->grant.id));
    event->event.token_rotate.by = fl_arena_str(&event->arena, fl_str_c(call->token.id));
    event->event.token_rotate.shown = call->token.shown;
    event->event.token_rotate.mac = api_token_mac(&token, identity_pepper(call->parts->identity));
    event->event.token_rotate.grace_ms = (grace ? grace->n : GRACE_S) * FL_SECOND_MS;
    event->event.token_rotate.has_ttl = ttl != NULL;
    event->event.token_rotate.ttl_ms = ttl_ms;
    fl_secret_wipe(&token, sizeof token);
    api_ask(call, event, put_rotated);
}

/* ---- the end of tokens ----------------------------------------------------------------------- */

static void revoked(struct api_call *call, const struct core_answer *answer)
{
    struct fl_json_out *json = api_json(call);

    fl_json_open(json, NULL, '{');
    fl_json_put_str(json, "id", call->params[0]);
    fl_json_put_u64(json, "revoked", answer->id);
    fl_json_close(json, '}');
    api_answer(call);
}

/* The tokens that would go, and nothing changes. */
static void list_gone(struct api_call *call, const struct token_grant *token)
{
    struct token_grant *made = fl_arena_array(&call->arena, struct token_grant, MADE_MAX);
    struct fl_json_out *json = api_json(call);
    size_t len = 0;

    if (api_query_flag(call, "made")) {
        len = token_table_made(call->parts->tokens, fl_str_c(token->id), made, MADE_MAX);
    }
    fl_json_open(json, NULL, '{');
    fl_json_put_str(json, "id", call->params[0]);
    fl_json_put_u64(json, "revoked", len + 1);
    fl_json_open(json, "tokens", '[');
    api_token_write(json, NULL, token, NULL);
    for (size_t i = 0; i < len && i < MADE_MAX; i++) {
        api_token_write(json, NULL, &made[i], NULL);
    }
    fl_json_close(json, ']');
    fl_json_close(json, '}');
    api_answer(call);
}

static void revoke_token(struct api_call *call)
{
    struct engine_event *event;
    struct token_grant token;

    if (!token_table_find(call->parts->tokens, call->params[0], &token) ||
        !api_sees_queue(call, fl_str_c(token.queue))) {
        api_absent(call);
        return;
    }
    if (api_query_flag(call, "dryRun")) {
        list_gone(call, &token);
        return;
    }
    event = api_event(call, CORE_EV_token_revoke);
    event->event.token_revoke.has_made = api_query_flag(call, "made");
    event->event.token_revoke.id = fl_str_c(fl_arena_printf(&event->arena, "%s", token.id));
    api_ask(call, event, revoked);
}

static void whoami(struct api_call *call)
{
    api_token_write(api_json(call), NULL, &call->token, NULL);
    api_answer(call);
}

static const struct api_field page_query[] = {
    API_MAY("cursor", "string",
            "where the page begins: 'cursor' of the page before; empty: at the first"),
    API_MAY("limit", "integer", "the most of one page", .min = 1, .max = PAGE, .preset = PAGE),
    {0},
};

static const struct api_field revoke_query[] = {
    API_MAY("made", "boolean", "the tokens that it made, too, and those that these made"),
    API_MAY("dryRun", "boolean", "change nothing, and list the tokens that would go"),
    {0},
};

static const struct api_field create_fields[] = {
    API_MUST("name", "string", "for people", .format = API_FORMAT_name),
    API_MUST("scopes", "array of string", "its rights; admin includes all but outlive",
             .words = CORE_SCOPES(API_WORD), .min = 1, .max = 7),
    API_MAY("queue", "string or null", "it counts for this queue only; without it, for all",
            .format = API_FORMAT_name),
    API_MAY("owner", "string", "its owner, whose share its jobs count for; without it, its maker's",
            .format = API_FORMAT_name),
    API_MAY("ttlSeconds", "integer", "how long it counts", .min = 1, .max = TTL_S_MAX,
            .preset = TTL_S),
    {0},
};

static const struct api_field rotate_fields[] = {
    API_MAY("graceSeconds", "integer",
            "for so long its secret until now counts beside the new one; 0: no more", .min = 0,
            .max = GRACE_S_MAX, .preset = GRACE_S),
    API_MAY("ttlSeconds", "integer",
            "how long it counts from now on; without it, it ends when it would have", .min = 1,
            .max = TTL_S_MAX),
    {0},
};

#define TOKEN_FIELDS                                                                               \
    API_MUST("id", "string", "names it; no secret"), API_MUST("name", "string", "for people"),     \
        API_MUST("scopes", "array of string", "its rights", .words = CORE_SCOPES(API_WORD)),       \
        API_MUST("queue", "string or null", "it counts for this queue only; null: for all"),       \
        API_MUST("maker", "string or null",                                                        \
                 "the id of the token that made it; null: the control plane did"),                 \
        API_MUST("owner", "string or null", "its owner; null: its name"),                          \
        API_MUST("createdAt", "string", "when it was made", .format = API_FORMAT_time),            \
        API_MUST("expiresAt", "string or null", "until when it counts; null: for ever",            \
                 .format = API_FORMAT_time),                                                       \
        API_MUST("lastUsedAt", "string or null", "by this process; null: not since its start",     \
                 .format = API_FORMAT_time),                                                       \
        API_MUST("rotatedAt", "string or null",                                                    \
                 "when it got the secret that it has; null: it has its first",                     \
                 .format = API_FORMAT_time),                                                       \
        API_MUST("previousUntil", "string or null",                                                \
                 "until when the secret before that one counts, or counted; null: no longer than " \
                 "until then",                                                                     \
                 .format = API_FORMAT_time)

static const struct api_field token_fields[] = {TOKEN_FIELDS, {0}};

static const struct api_field new_token_fields[] = {
    TOKEN_FIELDS,
    API_MUST("token", "string", "its text, shown in this answer and never again"),
    {0},
};

const struct api_object token_object = {
    .name = "Token",
    .text = "A token of the API, without its secret.",
    .fields = token_fields,
    .example = "{\"id\":\"3k9d\",\"name\":\"ci\",\"scopes\":[\"read\",\"submit\"],"
               "\"queue\":\"ml\",\"maker\":\"7x2c\",\"owner\":\"ann\",\"createdAt\":\"2026-01-"
               "31T09:00:00.000Z\","
               "\"expiresAt\":\"2026-05-01T09:00:00.000Z\",\"lastUsedAt\":null,"
               "\"rotatedAt\":null,\"previousUntil\":null}"};

const struct api_object token_with_secret_object = {
    .name = "TokenWithSecret",
    .text = "A token that was just made or rotated, with its secret.",
    .fields = new_token_fields};

static const struct api_field page_fields[] = {
    API_MUST("tokens", "array of Token", "by id"),
    API_MAY("cursor", "string", "where the next page begins; absent on the last"),
    {0},
};

const struct api_object token_page_object = {
    .name = "TokenPage", .text = "A page of tokens.", .fields = page_fields};

static const struct api_field revoked_fields[] = {
    API_MUST("id", "string", "the revoked token"),
    API_MAY("revoked", "integer",
            "tokens of the API that count no more, or would; a join token: absent"),
    API_MAY("tokens", "array of Token", "with dryRun: these, at most " FL_QUOTE(GONE_MAX)),
    {0},
};

const struct api_object token_revoked_object = {
    .name = "TokenRevoked", .text = "A token that counts no more.", .fields = revoked_fields};

const struct api_route token_routes[] = {
    API_ROUTE(API_GET, "/v1/tokens", API_NEED_admin, list_tokens, "listTokens",
              "lists tokens, without their secrets", .query = page_query, .answer = "TokenPage"),
    API_ROUTE(API_POST, "/v1/tokens", API_NEED_admin, create_token, "createToken",
              "makes a token; its text is shown in this answer and never again",
              .body = create_fields, .body_max = 4096, .status = 201, .answer = "TokenWithSecret"),
    API_ROUTE(API_POST, "/v1/tokens/{id}:rotate", API_NEED_token, rotate_token, "rotateToken",
              "gives a token a new secret, shown in this answer and never again; the token that "
              "asks may be that token, or one with the scope admin that could have made it",
              .body = rotate_fields, .body_max = 4096, .answer = "TokenWithSecret"),
    API_ROUTE(API_DELETE, "/v1/tokens/{id}", API_NEED_admin, revoke_token, "revokeToken",
              "that token counts no more, nor, if so wished, those that it made",
              .query = revoke_query, .answer = "TokenRevoked"),
    API_ROUTE(API_GET, "/v1/whoami", API_NEED_token, whoami, "whoAmI", "shows the token that asks",
              .answer = "Token"),
    {0},
};
