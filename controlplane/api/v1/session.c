/* /v1/session: signing in from a browser, and /v1/session-codes, for a link that does. */
#include <stdio.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/caller.h"
#include "controlplane/api/page.h"
#include "controlplane/api/v1/resources.h"
#include "controlplane/identity/identity.h"
#include "shared/tls/digest.h"

enum { CODE_TTL_S = 60, CODE_TTL_S_MAX = 600 };

static void set_cookie(struct api_call *call, const char *text)
{
    char *header = fl_arena_alloc(&call->arena, PAGE_COOKIE_MAX);

    page_cookie_print(&call->config->cookie, text, header);
    api_header_add(call, "Set-Cookie", fl_str_c(header));
}

static void answer_session(struct api_call *call, const struct session *session)
{
    struct fl_json_out *json = api_json(call);

    fl_json_open(json, NULL, '{');
    api_token_write(json, "token", &call->token, NULL);
    fl_json_put_time(json, "expiresAt", call->wall + session->ends_at - call->now);
    fl_json_put_u64(json, "idleSeconds", SESSION_IDLE_MS / FL_SECOND_MS);
    fl_json_put_cstr(json, "instance", session_table_instance(call->config->sessions));
    fl_json_close(json, '}');
    api_answer(call);
}

/* ---- beginning ------------------------------------------------------------------------------- */

/* The token of the body's text counts; or that for which its code was made does, still. */
static bool find_token(struct api_call *call, const struct fl_json *token,
                       const struct fl_json *code)
{
    struct token_hold hold;

    if (token) {
        return api_caller_of(token->text, &call->api->callers, call->parts->tokens,
                             identity_pepper(call->parts->identity), call->at, &call->token);
    }
    return session_table_use_code(call->config->sessions, code->text, call->now, &hold) &&
           api_caller_again(&hold, call->parts->tokens, call->at, &call->token);
}

static void begin(struct api_call *call)
{
    const char *refusal = page_refusal(http_head(call->request), call->config->api_url);
    const struct fl_json *body = api_body_json(call, false), *token, *code;
    char text[SESSION_TEXT_MAX];
    struct token_hold hold;
    struct session session;

    if (!body) return;
    if (refusal) {
        api_fail(call, FL_DENIED, "%s", refusal);
        return;
    }
    token = fl_json_member(body, FL_STR("token"));
    code = fl_json_member(body, FL_STR("code"));
    if (!token == !code) {
        api_fail_at(call, "", "a session begins with a token or with a code", (struct fl_str){0},
                    "one of token and code");
        return;
    }
    if (!token_table_is_loaded(call->parts->tokens)) {
        api_fail_status(call, 503, FL_UNAVAILABLE, "tokens are being read, ask again");
        return;
    }
    if (!find_token(call, token, code)) {
        api_fail(call, FL_DENIED, "%s",
                 token ? "this is no token that counts"
                       : "this code was used before, or its time is over: make another");
        return;
    }
    hold = token_hold_of(&call->token);
    session_table_begin(call->config->sessions, &hold, call->now, text, &session);
    set_cookie(call, text);
    fl_secret_wipe(text, sizeof text);
    answer_session(call, &session);
}

/* ---- looking and leaving --------------------------------------------------------------------- */

static bool has_session(struct api_call *call)
{
    if (call->is_page) return true;
    api_fail_header(call, "Cookie", "this request shows a token, and no session",
                    (struct fl_str){0}, "the cookie that POST /v1/session sets");
    return false;
}

static void look(struct api_call *call)
{
    if (has_session(call)) answer_session(call, &call->session);
}

static void end(struct api_call *call)
{
    if (!has_session(call)) return;
    session_table_end(call->config->sessions, &call->session.key);
    set_cookie(call, "");
    answer_session(call, &call->session);
}

/* A page makes no code: else a session could go on for ever. */
static void make_code(struct api_call *call)
{
    const struct fl_json *body = api_body_json(call, true), *ttl;
    struct token_hold hold = token_hold_of(&call->token);
    char code[SESSION_TEXT_MAX];
    struct fl_json_out *json;
    fl_ms life;

    if (!body) return;
    if (call->is_page) {
        api_fail(call, FL_DENIED, "codes are for those that show a token: ask with one");
        return;
    }
    ttl = fl_json_member(body, FL_STR("ttlSeconds"));
    life = (ttl ? ttl->n : CODE_TTL_S) * FL_SECOND_MS;
    session_table_make_code(call->config->sessions, &hold, call->now + life, code);
    json = api_json(call);
    fl_json_open(json, NULL, '{');
    fl_json_put_cstr(json, "code", code);
    fl_json_put_str(json, "path", fl_str_c(fl_arena_printf(&call->arena, "/login#code=%s", code)));
    fl_json_put_time(json, "expiresAt", call->wall + life);
    fl_json_close(json, '}');
    fl_secret_wipe(code, sizeof code);
    api_answer(call);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static const struct api_field begin_fields[] = {
    API_MAY("token", "string", "a token's text", .min = 1, .max = 128),
    API_MAY("code", "string", "in its place: a code, which counts once", .min = 1, .max = 128),
    {0},
};

static const struct api_field code_asked_fields[] = {
    API_MAY("ttlSeconds", "integer", "for how long the code counts", .min = 1,
            .max = CODE_TTL_S_MAX, .preset = CODE_TTL_S),
    {0},
};

static const struct api_field session_fields[] = {
    API_MUST("token", "Token", "the token with which it began, whose rights it has"),
    API_MUST("expiresAt", "string", "when it ends at the latest", .format = API_FORMAT_time),
    API_MUST("idleSeconds", "integer", "it ends when it was not used for so long"),
    API_MUST("instance", "string", "the process of the control plane, with which it ends"),
    {0},
};

const struct api_object session_object = {.name = "Session",
                                          .text = "A person who is signed in from a browser.",
                                          .fields = session_fields};

static const struct api_field code_fields[] = {
    API_MUST("code", "string", "begins one session, once"),
    API_MUST("path", "string", "a path of the dashboard that takes the code from its address"),
    API_MUST("expiresAt", "string", "until when it counts", .format = API_FORMAT_time),
    {0},
};

const struct api_object session_code_object = {
    .name = "SessionCode", .text = "A code for a link to the dashboard.", .fields = code_fields};

const struct api_route session_routes[] = {
    API_ROUTE(API_POST, "/v1/session", API_NEED_nothing, begin, "beginSession",
              "signs a browser in, with a token or a code; the answer sets a cookie, and needs the "
              "header " PAGE_HEADER ": 1",
              .body = begin_fields, .body_max = 4096, .status = 201, .answer = "Session"),
    API_ROUTE(API_GET, "/v1/session", API_NEED_token, look, "getSession",
              "shows the session whose cookie came", .answer = "Session"),
    API_ROUTE(API_DELETE, "/v1/session", API_NEED_token, end, "endSession",
              "ends the session whose cookie came", .answer = "Session"),
    API_ROUTE(API_POST, "/v1/session-codes", API_NEED_token, make_code, "createSessionCode",
              "makes a code that begins one session with the rights of the token that asks, once",
              .body = code_asked_fields, .body_max = 4096, .status = 201, .answer = "SessionCode"),
    {0},
};
