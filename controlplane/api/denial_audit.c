/* A refused request becomes a row of the audit: an event like any other, for which no front waits,
 * and few a minute (denial_budget.h).  An event that the engine does not take is counted, and
 * one row of a later minute tells the number. */
#include <string.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/auth.h"
#include "controlplane/api/denial_budget.h"
#include "controlplane/front/pending_requests.h"
#include "controlplane/identity/api_token.h"
#include "shared/tls/digest.h"

enum { PATH_BYTES_MAX = 256 };

static void look_later(struct api *api)
{
    if (fl_timer_is_on(&api->denials_look)) return;
    fl_timer_at(&api->denials_look, denial_budget_next(fl_loop_now(api->parts.loop)));
}

static void count(struct api *api, uint64_t n)
{
    denial_budget_count(api->config.denials, n);
    look_later(api);
}

static void on_row(void *ctx, const struct core_answer *answer)
{
    if (answer->code != FL_OK) count(ctx, 1);
}

/* The one row that says how many have none. */
static void on_count_row(void *ctx, const struct core_answer *answer)
{
    struct api *api = ctx;

    if (answer->code != FL_OK) count(api, api->denials_told);
    api->denials_told = 0;
}

/* The token, as far as it is proved. */
static const char *subject(struct api_call *call, struct fl_arena *arena)
{
    const struct fl_http_field *field =
        fl_http_head_find(http_head(call->request), FL_STR("authorization"));
    struct api_token token;
    struct fl_str text;
    struct fl_err err = {0};
    char id[API_TOKEN_ID_TEXT_MAX];

    if (call->token.id[0]) return api_actor(call, arena);
    if (!field || !api_bearer(field->value, &text) || !api_token_parse(text, &token, &err)) {
        return "stranger";
    }
    api_token_id_print(token.id, id);
    fl_secret_wipe(&token, sizeof token);
    return fl_arena_printf(arena, "unproved:%s", id);
}

void api_audit_denial(struct api_call *call, const char *outcome)
{
    const struct fl_http_head *head = http_head(call->request);
    struct fl_str path = fl_str_is_text(head->path) ? head->path : FL_STR("?");
    struct api *api = call->api;
    struct engine_event *event;
    struct fl_err err = {0};
    bool has_row = denial_budget_take(api->config.denials, fl_loop_now(api->parts.loop));

    if (api->routes) route_metrics_denied(api->routes, has_row);
    if (!has_row) {
        look_later(api);
        return;
    }
    if (path.len > PATH_BYTES_MAX) path.len = PATH_BYTES_MAX;
    event = api_event(call, CORE_EV_denied);
    event->event.actor = fl_str_c(subject(call, &event->arena));
    event->event.denied.outcome = fl_str_c(outcome);
    event->event.denied.what = fl_str_c(fl_arena_printf(
        &event->arena, "%s " FL_STR_FMT,
        call->route ? call->route->id : fl_http_method_name(head->method), FL_STR_ARG(path)));
    if (!pending_requests_send(api->parts.pending, event, fl_loop_now(api->parts.loop), on_row, api,
                               &err)) {
        count(api, 1);
    }
}

void api_denials_look(void *ctx)
{
    struct api *api = ctx;
    struct engine_event *event;
    struct fl_err err = {0};
    uint64_t n;

    if (api->denials_told > 0) { /* that row is still on its way */
        look_later(api);
        return;
    }
    n = denial_budget_counted(api->config.denials);
    if (n == 0) return;
    event = engine_event_create();
    event->event.kind = CORE_EV_denied;
    event->event.tenant = FL_TENANT_ONLY;
    event->event.actor = FL_STR("api");
    event->event.denied.outcome = FL_STR("denied");
    event->event.denied.unwritten = n;
    api->denials_told = n;
    if (pending_requests_send(api->parts.pending, event, fl_loop_now(api->parts.loop), on_count_row,
                              api, &err)) {
        return;
    }
    api->denials_told = 0;
    count(api, n);
}
