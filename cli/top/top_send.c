#include "cli/top/top_send.h"

#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"

void top_send_init(struct top_send *send, struct cli *cli, struct cli_http *http)
{
    *send = (struct top_send){0};
    top_call_init(&send->call, cli, http);
}

static void drop(struct top_send *send)
{
    fl_free(send->order.names);
    send->order = (struct top_order){0};
}

void top_send_fini(struct top_send *send)
{
    drop(send);
    top_call_fini(&send->call);
}

bool top_send_is_running(const struct top_send *send)
{
    return send->order.names_len;
}

static void ask(struct top_send *send)
{
    struct fl_arena outer = cli_begin_turn(send->call.cli);
    const struct top_order *order = &send->order;

    top_call_start(&send->call, "POST",
                   fl_arena_printf(&send->call.cli->arena, "/v1/%s/%s:%s", order->group,
                                   cli_escape(send->call.cli, order->names[send->at]),
                                   order->action));
    cli_end_turn(send->call.cli, outer);
}

void top_send_start(struct top_send *send, struct top_order *order)
{
    fl_assert(!top_send_is_running(send) && order->names_len);
    send->order = *order;
    *order = (struct top_order){0};
    send->at = send->done = 0;
    send->refused[0] = 0;
    ask(send);
}

static void tell(struct top_send *send, struct top_model *model)
{
    const struct top_order *order = &send->order;

    if (*send->refused && order->names_len == 1) {
        top_model_say(model, true, "%s", send->refused);
    } else if (*send->refused) {
        top_model_say(model, true, "%s: %zu of %zu were done; %s", order->action, send->done,
                      order->names_len, send->refused);
    } else if (order->names_len == 1) {
        top_model_say(model, false, "%s %s", order->names[0], order->done);
    } else {
        top_model_say(model, false, "%s: all %zu were done", order->action, send->done);
    }
}

bool top_send_step(struct top_send *send, struct top_model *model)
{
    struct top_answer answer;

    if (!top_send_is_running(send) || !top_call_take(&send->call, &answer)) return false;
    if (answer.json) send->done++;
    if (!answer.json && !*send->refused) {
        snprintf(send->refused, sizeof send->refused, "%s: %.*s", send->order.names[send->at],
                 TOP_WHY_BYTES / 2, answer.why);
    }
    json_decref(answer.json);
    if (answer.status && ++send->at < send->order.names_len) {
        ask(send);
        return false;
    }
    tell(send, model);
    drop(send);
    return true;
}
