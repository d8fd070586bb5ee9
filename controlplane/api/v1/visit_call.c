#include "controlplane/api/v1/visit_call.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/page.h"
#include "controlplane/views/directory.h"
#include "controlplane/visits/visit_order.h"
#include "shared/base/job_name.h"

static const char subprotocol[] = "v5.channel.k8s.io";

/* ---- the handshake --------------------------------------------------------------------------- */

/* Whether a header's list, "a, b", has the word, in any case. */
static bool has_word(struct fl_str list, const char *word)
{
    size_t len = strlen(word);

    while (list.len > 0) {
        const char *comma = memchr(list.at, ',', list.len);
        struct fl_str item = {list.at, comma ? (size_t)(comma - list.at) : list.len};
        size_t taken = comma ? item.len + 1 : item.len;

        while (item.len > 0 && (item.at[0] == ' ' || item.at[0] == '\t')) {
            item.at++;
            item.len--;
        }
        while (item.len > 0 && (item.at[item.len - 1] == ' ' || item.at[item.len - 1] == '\t')) {
            item.len--;
        }
        if (item.len == len && strncasecmp(item.at, word, len) == 0) return true;
        list.at += taken;
        list.len -= taken;
    }
    return false;
}

/* A browser names the page that asks.  Pages of this control plane itself may, others not; and the
 * page's host must be the one that is asked, so that no foreign name leads here. */
static bool is_origin_good(struct api_call *call)
{
    const char *url = call->config->api_url, *host = strstr(url, "://");

    if (api_header(call, "origin").len == 0) return true;
    return host && fl_str_eq(api_header(call, "origin"), fl_str_c(url)) &&
           fl_str_eq(http_head(call->request)->host, fl_str_c(host + 3));
}

/* A cookie comes by itself, also with the request of a foreign page. */
static bool check_page(struct api_call *call, const struct visit_asked *asked)
{
    const char *refusal;

    if (asked->type != FL_FRAME_EXEC) {
        api_fail(call, FL_DENIED, "a cookie alone opens no forward: show a token");
        return false;
    }
    /* without Upgrade it is a request as any other, and page_refusal has looked at it */
    refusal = asked->is_upgrade ? page_socket_refusal(http_head(call->request),
                                                      call->config->api_url, &call->config->cookie)
                                : NULL;
    if (refusal) api_fail(call, FL_DENIED, "%s", refusal);
    return !refusal;
}

static bool fail_handshake(struct api_call *call)
{
    api_fail_status(call, 400, FL_INVALID,
                    "this is a WebSocket: ask with 'Upgrade: websocket', 'Connection: Upgrade', "
                    "'Sec-WebSocket-Version: 13' and a Sec-WebSocket-Key");
    return false;
}

static bool check_handshake(struct api_call *call, struct visit_asked *asked)
{
    asked->is_upgrade = api_header(call, "upgrade").len > 0;
    if (asked->is_upgrade &&
        (http_head(call->request)->method != FL_HTTP_GET ||
         !has_word(api_header(call, "upgrade"), "websocket") ||
         !has_word(api_header(call, "connection"), "upgrade") ||
         !fl_str_eq(api_header(call, "sec-websocket-version"), FL_STR("13")) ||
         !fl_websocket_accept(api_header(call, "sec-websocket-key"), asked->accept))) {
        return fail_handshake(call);
    }
    asked->has_protocol = api_header(call, "sec-websocket-protocol").len > 0;
    if (asked->has_protocol && !has_word(api_header(call, "sec-websocket-protocol"), subprotocol)) {
        api_fail_header(call, "Sec-WebSocket-Protocol", "no subprotocol of these is spoken here",
                        api_header(call, "sec-websocket-protocol"), subprotocol);
        return false;
    }
    if (call->is_page) return check_page(call, asked);
    if (is_origin_good(call)) return true;
    api_fail(call, FL_DENIED, "a page of another origin may not ask for this");
    return false;
}

/* ---- handing over ---------------------------------------------------------------------------- */

static void hand_over(struct api_call *call)
{
    const struct api_parts *parts = call->parts;
    struct visit_asked *asked = call->state;
    struct visit_order *order = visit_order_create();
    struct directory_cluster cluster;
    struct http_request *request;

    order->type = asked->type;
    order->cluster = asked->cluster;
    order->job = asked->job;
    if (directory_cluster(parts->directory, asked->cluster, &cluster)) {
        snprintf(order->cluster_name, sizeof order->cluster_name, "%s", cluster.name);
    }
    snprintf(order->accept, sizeof order->accept, "%s", asked->accept);
    order->has_protocol = asked->has_protocol;
    order->tenant = call->token.tenant;
    order->token = token_hold_of(&call->token);
    order->is_page = call->is_page;
    order->session = call->session.key;
    snprintf(order->actor, sizeof order->actor, "%s", api_actor(call, &call->arena));
    snprintf(order->what, sizeof order->what, "%s", asked->what);
    snprintf(order->trace, sizeof order->trace, "%s", call->trace_id);
    if (!fl_visit_put_open(&order->open, &asked->open)) {
        visit_order_destroy(order);
        api_fail(call, FL_TOO_LARGE, "the command has over %d bytes", FL_VISIT_BYTES_MAX);
        return;
    }
    if (!http_take(call->request, &order->taken)) {
        visit_order_destroy(order);
        api_fail_status(call, 400, FL_INVALID, "the answers to earlier requests are not read yet");
        return;
    }
    api_call_count(call, 101);
    request = api_call_release(call);
    (void)request; /* its connection is the order's now */
    FL_IGNORE(api_drop(call));
    parts->visit(parts->visit_ctx, order);
}

static void on_audited(struct api_call *call, const struct core_answer *answer)
{
    (void)answer;
    hand_over(call);
}

void visit_call_enter(struct api_call *call, const char *verb, struct fl_str what)
{
    struct visit_asked *asked = call->state;
    struct engine_event *event;
    char job[FL_JOB_NAME_MAX];
    int len;

    if (!asked->is_upgrade) {
        fail_handshake(call);
        return;
    }
    fl_job_name(asked->job, job);
    len =
        snprintf(asked->what, sizeof asked->what, "%s %s element %" PRIu32 " replica %" PRIu32 " ",
                 verb, job, asked->open.attempt.element, asked->open.replica);
    /* a long one is cut, at a whole character */
    if (what.len > sizeof asked->what - (size_t)len - 1) {
        what.len = sizeof asked->what - (size_t)len - 1;
    }
    while (what.len > 0 && !fl_str_is_text(what)) {
        what.len--;
    }
    snprintf(asked->what + len, sizeof asked->what - (size_t)len, FL_STR_FMT, FL_STR_ARG(what));
    event = api_event(call, CORE_EV_visit);
    event->event.visit.what = fl_arena_str(&event->arena, fl_str_c(asked->what));
    api_ask(call, event, on_audited);
}

/* ---- where to -------------------------------------------------------------------------------- */

static bool runs(const struct core_element_view *element, uint32_t replica)
{
    return element->state == ATTEMPT_running && replica < element->replicas_len &&
           element->replicas[replica] == FL_REPLICA_running;
}

bool visit_call_choose(struct visit_asked *asked, const struct core_answer *answer)
{
    for (size_t i = 0; i < answer->elements_len; i++) {
        const struct core_element_view *element = &answer->elements[i];

        if (asked->has_element && element->element != asked->open.attempt.element) continue;
        for (uint32_t r = 0; r < element->replicas_len; r++) {
            if (asked->has_replica && r != asked->open.replica) continue;
            if (!runs(element, r)) continue;
            asked->cluster = element->cluster;
            asked->open.replica = r;
            asked->open.attempt = (struct fl_attempt){asked->job, element->element,
                                                      element->attempt, element->incarnation};
            return true;
        }
    }
    return false;
}

void visit_call_ask_elements(struct api_call *call, struct fl_job job,
                             void (*then)(struct api_call *call, const struct core_answer *answer))
{
    struct visit_asked *asked = call->state;
    struct engine_event *event = api_event(call, CORE_EV_read_job);

    asked->job = job;
    event->event.job.job = job;
    if (asked->has_element) event->event.job.element_from = asked->open.attempt.element;
    api_ask(call, event, then);
}

bool visit_call_begin(struct api_call *call, struct visit_asked *asked, enum fl_frame_type type)
{
    asked->type = type;
    asked->has_element = api_query_has(call, "element");
    asked->has_replica = api_query_has(call, "replica");
    asked->open.attempt.element = (uint32_t)api_query_u64(call, "element");
    asked->open.replica = (uint32_t)api_query_u64(call, "replica");
    call->state = asked;
    return check_handshake(call, asked);
}
