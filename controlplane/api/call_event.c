/* The event in which a call asks the core, with its token and its peer. */
#include "controlplane/api/call.h"

struct fl_str api_owner(const struct api_call *call)
{
    if (call->as.len > 0) return call->as;
    return fl_str_c(call->token.owner[0] ? call->token.owner : call->token.name);
}

const char *api_actor(const struct api_call *call, struct fl_arena *arena)
{
    bool is_as = call->as.len > 0;
    struct fl_str parts[] = {FL_STR("token:"), fl_str_c(call->token.id),
                             is_as ? FL_STR(" as ") : FL_STR(" "),
                             is_as ? call->as : fl_str_c(call->token.name)};

    if (!call->token.id[0]) return "api";
    return fl_arena_join(arena, parts, sizeof parts / sizeof *parts);
}

struct engine_event *api_event(struct api_call *call, enum core_event_kind kind)
{
    struct engine_event *event = engine_event_create();

    event->event.kind = kind;
    event->event.tenant = call->token.tenant.n ? call->token.tenant : FL_TENANT_ONLY;
    event->event.actor = fl_str_c(api_actor(call, &event->arena));
    event->event.owner = fl_arena_str(&event->arena, api_owner(call));
    /* Only a refusal shows a trace of ours. */
    if (call->is_traced || kind == CORE_EV_denied) {
        event->event.trace = fl_arena_str(&event->arena, fl_str_c(call->trace_id));
    }
    if (call->request) event->event.peer = fl_arena_str(&event->arena, http_peer(call->request));
    return event;
}
