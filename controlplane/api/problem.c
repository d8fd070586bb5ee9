#include "controlplane/api/problem.h"

#include "controlplane/api/schema.h"
#include "shared/json/problem.h"

static const struct {
    enum fl_code code;
    uint16_t status;
} statuses[] = {
    {FL_OK, 200},         {FL_INVALID, 422},     {FL_EXISTS, 409},      {FL_ABSENT, 404},
    {FL_FULL, 429},       {FL_TOO_LARGE, 413},   {FL_CONFLICT, 409},    {FL_CHANGED, 412},
    {FL_DENIED, 403},     {FL_UNSUPPORTED, 422}, {FL_UNAVAILABLE, 503}, {FL_NO_SPACE, 507},
    {FL_DEPOSED, 503},    {FL_TORN, 500},        {FL_BUG, 500},         {FL_IO, 503},
    {FL_IMPOSSIBLE, 422},
};

static const struct {
    uint16_t status;
    const char *text;
} texts[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {409, "Conflict"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {500, "Internal Server Error"},
    {503, "Service Unavailable"},
    {507, "Insufficient Storage"},
};

struct api_problem api_problem_absent(const char *detail, const struct api_problem_error *error)
{
    return (struct api_problem){.status = api_status_of(FL_INVALID),
                                .code = FL_ABSENT,
                                .detail = detail,
                                .errors = error,
                                .errors_len = error != NULL};
}

uint16_t api_status_of(enum fl_code code)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        if (statuses[i].code == code) return statuses[i].status;
    }
    return 500;
}

uint32_t api_retry_after_s(uint16_t status)
{
    if (status == 429 || status == 503) return 1;
    return status == 507 ? 30 : 0;
}

const char *api_status_text(uint16_t status)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].status == status) return texts[i].text;
    }
    return "Unknown";
}

static void write_error(struct fl_json_out *out, const struct api_problem_error *error)
{
    fl_json_open(out, NULL, '{');
    if (error->header.len > 0) {
        fl_json_put_str(out, "header", error->header);
    } else if (error->parameter.len > 0) {
        fl_json_put_str(out, "parameter", error->parameter);
    } else {
        fl_json_put_str(out, "pointer", error->pointer);
    }
    fl_json_put_str(out, "detail", error->detail);
    if (error->got.len > 0) fl_json_put_str(out, "got", error->got);
    if (error->allowed.len > 0) fl_json_put_str(out, "allowed", error->allowed);
    if (error->line > 0) {
        fl_json_put_u64(out, "line", error->line);
        fl_json_put_u64(out, "col", error->col);
    }
    fl_json_close(out, '}');
}

void api_problem_write(struct fl_buf *buf, const struct api_problem *problem)
{
    struct fl_json_out out = fl_json_out(buf);
    uint16_t status = problem->status ? problem->status : api_status_of(problem->code);
    struct fl_problem begin = {status, api_status_text(status), problem->code, problem->detail};

    fl_problem_open(&out, &begin);
    if (problem->errors_len > 0) {
        fl_json_open(&out, "errors", '[');
        for (size_t i = 0; i < problem->errors_len; i++) {
            write_error(&out, &problem->errors[i]);
        }
        fl_json_close(&out, ']');
    }
    if (problem->trace_id) fl_json_put_cstr(&out, "traceId", problem->trace_id);
    fl_json_close(&out, '}');
}

/* ---- its description ------------------------------------------------------------------------- */

static const struct api_field error_fields[] = {
    API_MAY("pointer", "string", "where in the document that was sent, as RFC 6901"),
    API_MAY("parameter", "string", "in its place: which parameter of the path or the query"),
    API_MAY("header", "string", "in its place: which header"),
    API_MUST("detail", "string", "the fault there"),
    API_MAY("got", "string", "the value that was sent"),
    API_MAY("allowed", "string", "the values that are allowed"),
    API_MAY("line", "integer", "where in the text that was sent"),
    API_MAY("col", "integer", "where in that line"),
    {0},
};

const struct api_object problem_error_object = {.name = "ProblemError",
                                                .text = "One thing that is wrong in what was sent.",
                                                .fields = error_fields};

static const struct api_field problem_fields[] = {
    API_MUST("type", "string", "which kind, as a URI that leads to its text"),
    API_MUST("title", "string", "the status in words"),
    API_MUST("status", "integer", "as in the head"),
    API_MUST("code", "string", "which kind, in a word: see the table of errors"),
    API_MUST("detail", "string", "the fault and its remedy"),
    API_MAY("errors", "array of ProblemError", "where it is wrong"),
    API_MAY("traceId", "string", "to be named when asking an administrator"),
    {0},
};

const struct api_object problem_object = {
    .name = "Problem",
    .text = "Why a request was not done.",
    .fields = problem_fields,
    .example = "{\"type\":\"https://fairlead.dev/docs/reference/api#absent\","
               "\"title\":\"Not Found\",\"status\":404,\"code\":\"absent\","
               "\"detail\":\"not found, or this token may not see it\","
               "\"traceId\":\"0123456789abcdef\"}"};
