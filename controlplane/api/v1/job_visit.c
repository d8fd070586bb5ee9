/* Visits: a command or a shell in a replica that runs, and a connection to one of its ports.  Here
 * is decided who may, and where to; then the connection is given to the front that has the tunnel
 * (controlplane/visits). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/v1/job_lookup.h"
#include "controlplane/api/v1/resources.h"
#include "controlplane/views/directory.h"
#include "controlplane/visits/visit_order.h"
#include "shared/base/job_name.h"
#include "shared/json/json.h"
#include "shared/tls/websocket_key.h"

enum {
    ROWS_PRESET = 24,
    COLUMNS_PRESET = 80,
    COMMAND_NODES_MAX = FL_VISIT_WORDS_MAX + 1,
    WHAT_BYTES_MAX = 240,
};

static const char subprotocol[] = "v5.channel.k8s.io";

struct asked {
    enum fl_frame_type type;
    struct fl_visit_open open;
    struct fl_job job;
    struct fl_cluster cluster;
    char accept[FL_WEBSOCKET_ACCEPT_MAX];
    bool has_protocol;
    bool has_element, has_replica;
    char what[WHAT_BYTES_MAX];
};

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

static bool check_handshake(struct api_call *call, struct asked *asked)
{
    const struct fl_http_head *head = http_head(call->request);

    if (head->method != FL_HTTP_GET || !has_word(api_header(call, "upgrade"), "websocket") ||
        !has_word(api_header(call, "connection"), "upgrade") ||
        !fl_str_eq(api_header(call, "sec-websocket-version"), FL_STR("13")) ||
        !fl_websocket_accept(api_header(call, "sec-websocket-key"), asked->accept)) {
        api_fail_status(
            call, 400, FL_INVALID,
            "this is a WebSocket: ask with 'Upgrade: websocket', 'Connection: Upgrade', "
            "'Sec-WebSocket-Version: 13' and a Sec-WebSocket-Key");
        return false;
    }
    asked->has_protocol = api_header(call, "sec-websocket-protocol").len > 0;
    if (asked->has_protocol && !has_word(api_header(call, "sec-websocket-protocol"), subprotocol)) {
        api_fail_header(call, "Sec-WebSocket-Protocol", "no subprotocol of these is spoken here",
                        api_header(call, "sec-websocket-protocol"), subprotocol);
        return false;
    }
    if (call->is_page) {
        api_fail(call, FL_DENIED, "a cookie alone opens no WebSocket: show a token");
        return false;
    }
    if (is_origin_good(call)) return true;
    api_fail(call, FL_DENIED, "a page of another origin may not ask for this");
    return false;
}

/* ---- handing over ---------------------------------------------------------------------------- */

static void hand_over(struct api_call *call)
{
    const struct api_parts *parts = call->parts;
    struct asked *asked = call->state;
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

/* ---- where to -------------------------------------------------------------------------------- */

static void write_what(struct api_call *call, struct asked *asked)
{
    char job[FL_JOB_NAME_MAX];
    int len;

    fl_job_name(asked->job, job);
    len = snprintf(asked->what, sizeof asked->what, "%s %s element %" PRIu32 " replica %" PRIu32,
                   asked->type == FL_FRAME_EXEC ? "exec" : "forward", job,
                   asked->open.attempt.element, asked->open.replica);
    if (asked->type == FL_FRAME_FORWARD) {
        snprintf(asked->what + len, sizeof asked->what - (size_t)len, " port %u", asked->open.port);
    } else if (asked->open.words_len == 0) {
        snprintf(asked->what + len, sizeof asked->what - (size_t)len, " shell");
    } else {
        struct fl_str text = api_query(call, "command");

        /* a long one is cut, at a whole character */
        if (text.len > sizeof asked->what - (size_t)len - 2) {
            text.len = sizeof asked->what - (size_t)len - 2;
        }
        while (text.len > 0 && !fl_str_is_text(text)) {
            text.len--;
        }
        snprintf(asked->what + len, sizeof asked->what - (size_t)len, " " FL_STR_FMT,
                 FL_STR_ARG(text));
    }
}

static bool runs(const struct core_element_view *element, uint32_t replica)
{
    return element->state == ATTEMPT_running && replica < element->replicas_len &&
           element->replicas[replica] == FL_REPLICA_running;
}

/* The replica that was named, or the first that runs. */
static bool choose(struct asked *asked, const struct core_answer *answer)
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

static void on_elements(struct api_call *call, const struct core_answer *answer)
{
    struct asked *asked = call->state;
    struct engine_event *event;

    if (!choose(asked, answer)) {
        api_fail(call, FL_CONFLICT, "this replica of the job does not run now: it is %s",
                 answer->jobs_len == 1 ? job_state_name(answer->jobs[0].state) : "not open");
        return;
    }
    write_what(call, asked);
    event = api_event(call, CORE_EV_visit);
    event->event.visit.what = fl_arena_str(&event->arena, fl_str_c(asked->what));
    api_ask(call, event, on_audited);
}

static void open_job(struct api_call *call, struct fl_job job)
{
    struct asked *asked = call->state;
    struct engine_event *event = api_event(call, CORE_EV_read_job);

    asked->job = job;
    event->event.job.job = job;
    if (asked->has_element) event->event.job.element_from = asked->open.attempt.element;
    api_ask(call, event, on_elements);
}

static void ended_job(struct api_call *call, const struct read_job *job)
{
    api_fail(call, FL_CONFLICT, "the job has ended: it %s", job_state_name(job->state));
}

/* ---- GET .../exec, .../forward --------------------------------------------------------------- */

static struct asked *begin(struct api_call *call, enum fl_frame_type type)
{
    struct asked *asked = fl_arena_new(&call->arena, struct asked);

    asked->type = type;
    asked->has_element = api_query_has(call, "element");
    asked->has_replica = api_query_has(call, "replica");
    asked->open.attempt.element = (uint32_t)api_query_u64(call, "element");
    asked->open.replica = (uint32_t)api_query_u64(call, "replica");
    call->state = asked;
    return check_handshake(call, asked) ? asked : NULL;
}

/* A list of texts; none is a shell. */
static bool read_command(struct api_call *call, struct asked *asked)
{
    struct fl_str text = api_query(call, "command");
    const struct fl_json *root = NULL;
    struct fl_err err = {0};
    bool is_list = false;

    if (!api_query_has(call, "command")) return true;
    if (fl_json_parse_few(text, COMMAND_NODES_MAX, &call->arena, &root, NULL, &err)) {
        is_list = root->kind == FL_JSON_LIST && root->len > 0;
    }
    if (is_list) asked->open.words = fl_arena_array(&call->arena, struct fl_str, root->len);
    for (const struct fl_json *item = is_list ? root->first : NULL; item; item = item->next) {
        is_list = is_list && item->kind == FL_JSON_STRING;
        asked->open.words[asked->open.words_len++] = item->text;
    }
    if (is_list) return true;
    api_fail_parameter(call, "command", "not a command", text,
                       "a JSON list of 1 to 256 texts: [\"ls\",\"-l\"]");
    return false;
}

static void exec_job(struct api_call *call)
{
    struct asked *asked = begin(call, FL_FRAME_EXEC);

    if (!asked || !read_command(call, asked)) return;
    asked->open.has_tty = api_query_flag(call, "tty");
    asked->open.size.rows = (uint16_t)api_query_u64(call, "rows");
    asked->open.size.columns = (uint16_t)api_query_u64(call, "columns");
    asked->open.term = api_query_has(call, "term") ? api_query(call, "term") : FL_STR("dumb");
    job_lookup(call, open_job, ended_job);
}

static void forward_job(struct api_call *call)
{
    struct asked *asked = begin(call, FL_FRAME_FORWARD);

    if (!asked) return;
    asked->open.port = (uint16_t)api_query_u64(call, "port");
    job_lookup(call, open_job, ended_job);
}

#define REPLICA_QUERY                                                                              \
    API_MAY("element", "integer", "a replica of this element; else the first that runs",           \
            .max = UINT32_MAX),                                                                    \
        API_MAY("replica", "integer", "this replica; without it, the first that runs",             \
                .max = UINT16_MAX)

static const struct api_field exec_query[] = {
    REPLICA_QUERY,
    API_MAY("command", "string",
            "a JSON list of 1 to 256 texts, as [\"ls\",\"-l\"]; without it, a shell"),
    API_MAY("tty", "boolean", "with a terminal, on which stdout and stderr are one"),
    API_MAY("rows", "integer", "the terminal's height", .min = 1, .max = UINT16_MAX,
            .preset = ROWS_PRESET),
    API_MAY("columns", "integer", "its width", .min = 1, .max = UINT16_MAX,
            .preset = COLUMNS_PRESET),
    API_MAY("term", "string", "its TERM", .min = 1, .max = 64),
    {0},
};

static const struct api_field forward_query[] = {
    REPLICA_QUERY,
    API_MUST("port", "integer", "the port at which it listens", .min = 1, .max = UINT16_MAX),
    {0},
};

const struct api_route job_visit_routes[] = {
    API_ROUTE(
        API_GET, "/v1/jobs/{job}/exec", API_NEED_exec, exec_job, "execJob",
        "a WebSocket with the subprotocol v5.channel.k8s.io: runs a command, or a shell, in a "
        "replica that runs",
        .query = exec_query, .status = 101, .gives = "application/octet-stream",
        .may_conflict = true),
    API_ROUTE(API_GET, "/v1/jobs/{job}/forward", API_NEED_exec, forward_job, "forwardJob",
              "the same for one connection to a port of a replica: channel 0 goes to it, channel 1 "
              "comes from it",
              .query = forward_query, .status = 101, .gives = "application/octet-stream",
              .may_conflict = true),
    {0},
};
