/* Visits: a command or a shell in a replica that runs, and a connection to one of its ports. */
#include "controlplane/api/v1/job_lookup.h"
#include "controlplane/api/v1/job_parts.h"
#include "controlplane/api/v1/resources.h"
#include "controlplane/api/v1/visit_call.h"
#include "shared/json/json.h"

enum {
    ROWS_PRESET = 24,
    COLUMNS_PRESET = 80,
    COMMAND_NODES_MAX = FL_VISIT_WORDS_MAX + 1,
};

/* ---- where to -------------------------------------------------------------------------------- */

static void on_elements(struct api_call *call, const struct core_answer *answer)
{
    struct visit_asked *asked = call->state;

    if (!visit_call_choose(asked, answer)) {
        api_fail(call, FL_CONFLICT, "this replica does not run now; the job is %s",
                 answer->jobs_len == 1 ? job_state_name(answer->jobs[0].state) : "not open");
    } else if (asked->type == FL_FRAME_FORWARD) {
        visit_call_enter(call, "forward",
                         fl_str_c(fl_arena_printf(&call->arena, "port %u", asked->open.port)));
    } else {
        visit_call_enter(call, "exec",
                         asked->open.words_len > 0 ? api_query(call, "command") : FL_STR("shell"));
    }
}

static void choose(struct api_call *call, struct fl_job job)
{
    visit_call_ask_elements(call, job, on_elements);
}

static void open_job(struct api_call *call, struct fl_job job)
{
    job_parts_check(call, job, choose);
}

static void ended_job(struct api_call *call, const struct read_job *job)
{
    api_fail(call, FL_CONFLICT, "the job has ended: it %s", job_state_name(job->state));
}

/* ---- GET .../exec, .../forward --------------------------------------------------------------- */

static struct visit_asked *begin(struct api_call *call, enum fl_frame_type type)
{
    struct visit_asked *asked = fl_arena_new(&call->arena, struct visit_asked);

    return visit_call_begin(call, asked, type) ? asked : NULL;
}

/* A list of texts; none is a shell. */
static bool read_command(struct api_call *call, struct visit_asked *asked)
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
    api_fail_parameter(
        call, "command", "not a command", text,
        "a JSON list of 1 to " FL_QUOTE(FL_VISIT_WORDS_MAX) " texts: [\"ls\",\"-l\"]");
    return false;
}

static void exec_job(struct api_call *call)
{
    struct visit_asked *asked = begin(call, FL_FRAME_EXEC);

    if (!asked || !read_command(call, asked)) return;
    asked->open.has_tty = api_query_flag(call, "tty");
    asked->open.size.rows = (uint16_t)api_query_u64(call, "rows");
    asked->open.size.columns = (uint16_t)api_query_u64(call, "columns");
    asked->open.term = api_query_has(call, "term") ? api_query(call, "term") : FL_STR("dumb");
    job_lookup(call, open_job, ended_job);
}

static void forward_job(struct api_call *call)
{
    struct visit_asked *asked = begin(call, FL_FRAME_FORWARD);

    if (!asked) return;
    asked->open.port = (uint16_t)api_query_u64(call, "port");
    job_lookup(call, open_job, ended_job);
}

static const struct api_field exec_query[] = {
    VISIT_REPLICA_QUERY,
    API_MAY("command", "string",
            "a JSON list of 1 to " FL_QUOTE(
                FL_VISIT_WORDS_MAX) " texts, as [\"ls\",\"-l\"]; without it, a shell"),
    API_MAY("tty", "boolean", "with a terminal, on which stdout and stderr are one"),
    API_MAY("rows", "integer", "the terminal's height", .min = 1, .max = UINT16_MAX,
            .preset = ROWS_PRESET),
    API_MAY("columns", "integer", "its width", .min = 1, .max = UINT16_MAX,
            .preset = COLUMNS_PRESET),
    API_MAY("term", "string", "its TERM", .min = 1, .max = 64),
    {0},
};

static const struct api_field forward_query[] = {
    VISIT_REPLICA_QUERY,
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
