/* Facts that a first start lacks, a default queue and a first token, are made when the views are
 * filled. */
#include "controlplane/api/api_state.h"
#include "controlplane/front/pending_requests.h"
#include "controlplane/views/directory.h"
#include "shared/io/log.h"

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

    if (pending_requests_send(api->parts.pending, event, fl_loop_now(api->parts.loop), on_first,
                              api, &err)) {
        return;
    }
    fl_log(FL_LOG_WARN, "api", "first_start_refused", FL_LOG_ERR(&err));
}

void api_first_start(void *ctx)
{
    struct api *api = ctx;
    struct engine_event *event;
    struct fl_queue_id queue;
    struct fl_err err = {0};

    /* An earlier release let it be removed. */
    if (!directory_queue_id(api->parts.directory, FL_STR(FL_QUEUE_DEFAULT), &queue) ||
        directory_queue_is_removed(api->parts.directory, queue)) {
        event = engine_event_create();
        event->event.kind = CORE_EV_queue_put;
        event->event.tenant = FL_TENANT_ONLY;
        event->event.actor = FL_STR("fairleadd");
        event->event.queue_put.name = FL_STR(FL_QUEUE_DEFAULT);
        send_first(api, event);
    }
    if (!api->parts.must_make_token &&
        token_table_has_admin(api->parts.tokens,
                              token_table_time(api->parts.tokens, fl_loop_now(api->parts.loop)))) {
        return;
    }
    api->parts.must_make_token = false;
    if (api->parts.first_token(api->parts.first_token_ctx, &event, &err)) {
        send_first(api, event);
    } else {
        fl_log(FL_LOG_ERROR, "api", "first_token_not_made", FL_LOG_ERR(&err));
    }
}
