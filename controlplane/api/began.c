/* A term began: what the fronts share is read anew, and what a first start lacks is made. */
#include "controlplane/api/api_state.h"
#include "controlplane/api/directory.h"
#include "controlplane/api/events.h"
#include "controlplane/ask.h"
#include "controlplane/store/read_events.h"
#include "controlplane/store/read_identity.h"
#include "shared/io/log.h"

enum { RETRY_MS = 500 };

static void on_first(void *ctx, const struct core_answer *answer)
{
    (void)ctx;
    if (answer->code == FL_OK) return;
    fl_log(FL_LOG_WARN, "api", "first_start_refused", FL_LOG_S("code", fl_code_name(answer->code)),
           FL_LOG_S("text", answer->text));
}

static void send_first(struct api *api, struct engine_event *event)
{
    struct fl_err err = {0};

    if (ask_send(api->parts.ask, event, fl_loop_now(api->parts.loop), on_first, api, &err)) return;
    fl_log(FL_LOG_WARN, "api", "first_start_refused", FL_LOG_ERR(&err));
}

static void make_first(struct api *api)
{
    struct engine_event *event;
    struct fl_queue_id queue;
    struct fl_err err = {0};

    if (!directory_queue_id(api->parts.directory, FL_STR("default"), &queue)) {
        event = engine_event_create();
        event->event.kind = CORE_EV_queue_put;
        event->event.tenant = (struct fl_tenant){1};
        event->event.actor = FL_STR("fairleadd");
        event->event.queue_put.name = FL_STR("default");
        send_first(api, event);
    }
    if (token_table_has_admin(api->parts.tokens, fl_loop_wall(api->parts.loop))) return;
    if (api->parts.first_token(api->parts.first_token_ctx, &event, &err)) {
        send_first(api, event);
    } else {
        fl_log(FL_LOG_ERROR, "api", "first_token_not_made", FL_LOG_ERR(&err));
    }
}

static void on_row(void *ctx, const struct row *row)
{
    struct api *api = ctx;

    token_table_load_row(api->parts.tokens, row);
    directory_apply(api->parts.directory, row);
}

static void on_done(void *ctx, const struct fl_err *err, uint64_t batch)
{
    struct api *api = ctx;

    (void)batch;
    if (err) {
        fl_log(FL_LOG_WARN, "api", "tokens_not_read", FL_LOG_ERR(err));
        fl_timer_in(&api->fill, RETRY_MS);
        return;
    }
    token_table_load_end(api->parts.tokens);
    make_first(api);
}

void api_fill(void *ctx)
{
    struct api *api = ctx;
    struct fl_err err = {0};

    token_table_load_begin(api->parts.tokens);
    if (read_identity(api->parts.reader, on_row, on_done, api, &err) == 0) {
        fl_timer_in(&api->fill, RETRY_MS);
    }
    api->parts.asked(api->parts.asked_ctx);
}

/* The newest batch, before the first notice tells it. */
static void on_newest(void *ctx, const struct read_events *events)
{
    struct api *api = ctx;

    if (events->err) {
        fl_timer_in(&api->newest, RETRY_MS);
        return;
    }
    if (events->batch > api->batch_newest) api->batch_newest = events->batch;
    api_events_catch_up(api);
}

void api_ask_newest(void *ctx)
{
    struct api *api = ctx;
    struct fl_err err = {0};

    if (read_events_newest(api->parts.reader, on_newest, api, &err) == 0) {
        fl_timer_in(&api->newest, RETRY_MS);
    }
    api->parts.asked(api->parts.asked_ctx);
}

void api_began(struct api *api, bool is_lost)
{
    api_ask_newest(api);
    if (!is_lost && api->parts.is_first) api_fill(api);
}
