/* The visits' questions to a front: where the tunnel is, and the way to the audit. */
#include "controlplane/engine/engine_event.h"
#include "controlplane/front/front_state.h"
#include "controlplane/views/views.h"
#include "shared/io/log.h"

static struct fl_streams *on_streams(void *ctx, struct fl_cluster cluster)
{
    struct front *front = ctx;

    return tunnel_server_cluster_streams(front->tunnels, cluster);
}

/* The fronts are asked one after the other, in a ring. */
static bool on_pass_on(void *ctx, struct visit_order *order)
{
    struct front *front = ctx;
    const struct front_ring *ring = front->shared.ring;

    order->fronts_asked++;
    if (order->fronts_asked >= ring->len) return false;
    return visits_put(ring->at[front->config.number % ring->len], order); /* numbers are from 1 */
}

static void on_row(void *ctx, const struct core_answer *answer)
{
    (void)ctx;
    if (answer->code == FL_OK) return;
    fl_log(FL_LOG_WARN, "front", "visit_end_unwritten",
           FL_LOG_S("code", fl_code_name(answer->code)));
}

static void on_ended(void *ctx, const struct visit_end *end)
{
    struct front *front = ctx;
    struct engine_event *event = engine_event_create();
    struct fl_err err = {0};

    event->event.kind = CORE_EV_visit;
    event->event.tenant = end->tenant;
    event->event.actor = fl_arena_str(&event->arena, end->actor);
    event->event.peer = fl_arena_str(&event->arena, end->peer);
    event->event.trace = fl_arena_str(&event->arena, end->trace);
    event->event.visit.what =
        fl_str_c(fl_arena_printf(&event->arena, "end_" FL_STR_FMT, FL_STR_ARG(end->what)));
    if (!pending_requests_send(front->pending, event, fl_loop_now(front->loop), on_row, front,
                               &err)) {
        fl_log(FL_LOG_WARN, "front", "visit_end_unwritten", FL_LOG_ERR(&err));
    }
}

static void on_visit(void *ctx, struct visit_order *order)
{
    struct front *front = ctx;

    visits_enter(front->visits, order);
}

static bool on_session_lives(void *ctx, const struct fl_digest *session)
{
    const struct front *front = ctx;

    return session_table_lives(front->config.api.sessions, session, fl_loop_now(front->loop));
}

void front_visits_init(struct front *front, struct api_parts *parts)
{
    struct visits_port port = {front, on_streams, on_pass_on, on_ended, on_session_lives};

    front->visits =
        visits_create(front->loop, &front->config.visits, front->shared.views->tokens, &port);
    parts->visit = on_visit;
    parts->visit_ctx = front;
}
