/* The lines of a job's output that match a pattern, and how many there are. */
#include "controlplane/api/v1/job_log_tail.h"
#include "controlplane/api/v1/job_parts.h"
#include "controlplane/api/v1/resources.h"

enum { PAGE_BYTES = HTTP_STREAM_PIECE_BYTES };

/* ---- GET .../logs/search --------------------------------------------------------------------- */

static bool has_pattern(struct api_call *call)
{
    if (api_query_has(call, "grep") || api_query_has(call, "level")) return true;
    api_fail_parameter(call, "grep", "a search needs what it is to look for", (struct fl_str){0},
                       "a text, or with match=regex a regular expression; or a level");
    return false;
}

static bool read_levels(struct api_call *call, uint32_t *ret_levels)
{
    struct fl_str text = api_query(call, "level");

    *ret_levels = 0;
    if (!api_query_has(call, "level") || fl_line_levels_parse(text, ret_levels)) return true;
    api_fail_parameter(call, "level", "not levels of lines", text,
                       "error, warn, info, debug and none, separated by commas");
    return false;
}

static void search(struct api_call *call, struct fl_job job, bool has_ended)
{
    struct log_query query = {
        .tenant = call->token.tenant, .job = job, .bytes_max = PAGE_BYTES, .is_search = true};
    struct fl_str id = api_header(call, "last-event-id");
    struct fl_str cursor = id.len > 0 ? id : api_query(call, "cursor");
    uint64_t limit = api_query_u64(call, "limit");
    struct log_tail *tail;
    bool is_events;

    if (!has_pattern(call) || !read_levels(call, &query.levels) ||
        !log_selection_read(call, &query) || !api_stream_form(call, &is_events) ||
        !log_selection_pattern(call, false, &query.pattern)) {
        return;
    }
    if (cursor.len > 0) {
        query.from = LOG_FROM_CURSOR;
        query.cursor = cursor;
    }
    query.lines_max =
        limit > 0 && limit < LOG_HITS_LINES_MAX ? (uint32_t)limit : LOG_HITS_LINES_MAX;
    tail = job_log_create(call, &query, is_events ? "text/event-stream" : "application/x-ndjson");
    tail->is_events = is_events;
    tail->is_search = true;
    tail->found.objects_max = limit;
    job_log_start(tail, has_ended);
}

static void search_logs(struct api_call *call)
{
    job_parts_lookup(call, search);
}

static const struct api_field search_query[] = {
    LOG_SELECTION,
    API_MAY("level", "string",
            "only lines of these levels, separated by commas: error, warn, info, debug, none; "
            "without 'grep', all lines of these levels"),
    API_MAY(
        "limit", "integer",
        "stop behind so many lines, those with gaps too, but not those of output that was lost; "
        "without it, all",
        .min = 1, .max = LOG_PAGE_LINES_MAX),
    API_MAY("cursor", "string",
            "go on where a search of the same output stopped at its limit: its nextCursor; 'from' "
            "and 'tail' do not count then",
            .min = 1, .max = LOG_SEARCH_CURSOR_BYTES_MAX),
    {0},
};

static const struct api_field hit_fields[] = {
    LOG_LINE_FIELDS,
    API_MAY("level", "string", "how grave it is, as far as its beginning tells; a guess",
            .words = FL_LINE_LEVELS(API_WORD)),
    API_MAY("matches", "array of integer",
            "begin and end of each match in turn, in bytes from 'offset' on: the first " FL_QUOTE(
                LOG_SPANS_MAX) " matches",
            .max = 2 * LOG_SPANS_MAX),
    API_MAY("piece", "boolean", "true: a piece of a line of over 32 KiB, looked at by itself"),
    {0},
};

const struct api_object log_hit_object = {
    .name = "LogHit",
    .text = "A line that matches, one that is undecided, or a gap, which might have held a match.",
    .fields = hit_fields,
    .example = "{\"element\":0,\"attempt\":1,\"replica\":0,\"line\":4,\"offset\":28,"
               "\"time\":\"2026-01-31T09:00:00.000Z\",\"text\":\"ERROR: disk full\\n\","
               "\"level\":\"error\",\"matches\":[7,11]}"};

static const struct api_field levels_fields[] = {
    API_MUST("none", "integer", "lines that tell no level"),
    API_MUST("error", "integer", "fatal and critical ones, too"),
    API_MUST("warn", "integer", "warnings"),
    API_MUST("info", "integer", "notices, too"),
    API_MUST("debug", "integer", "traces, too"),
    {0},
};

const struct api_object log_levels_object = {
    .name = "LogLevels", .text = "How many lines are of which level.", .fields = levels_fields};

static const struct api_field found_fields[] = {
    API_MUST("type", "string", "the last object of a search", .words = "end"),
    API_MUST("stopped", "string", "at the end of what is stored, or at the limit",
             .words = "end, limit"),
    API_MUST("output", "string", "whether all of the output is there",
             .words = "complete, incomplete, more"),
    API_MUST("hits", "integer",
             "lines that match and have an asked level, of a line of over 32 KiB its pieces; since "
             "the cursor, if one was "
             "given"),
    API_MUST("undecided", "integer",
             "lines in which the search ran into its limits: they may match"),
    API_MUST("gaps", "integer", "places where output is missing"),
    API_MUST("lines", "integer", "lines that were looked at"),
    API_MUST("levels", "LogLevels",
             "the lines that match by their levels, also by those that were not asked for"),
    API_MUST("nextCursor", "string or null",
             "where to go on behind the limit, for the same job, elements, attempts and replicas; "
             "null: at the end"),
    {0},
};

const struct api_object log_found_object = {
    .name = "LogFound",
    .text = "The end of a search.",
    .fields = found_fields,
    .example = "{\"type\":\"end\",\"stopped\":\"end\",\"output\":\"complete\",\"hits\":1,"
               "\"undecided\":0,\"gaps\":0,\"lines\":1000,\"levels\":{\"none\":0,\"error\":1,"
               "\"warn\":0,\"info\":0,\"debug\":0},\"nextCursor\":null}"};

const struct api_object log_search_object = {.name = "LogSearch",
                                             .text = "The data of an event of a search.",
                                             .one_of = "LogHit, LogFound, ClosedEvent"};

static const struct api_also search_also[] = {
    {200, "application/x-ndjson", "LogSearch", "with Accept: an object a line"},
    {0},
};

const struct api_route job_log_search_routes[] = {
    API_ROUTE(API_GET, "/v1/jobs/{job}/logs/search", API_NEED_read, search_logs, "searchLogs",
              "the lines of its output that match a pattern, as they are found, and at the end how "
              "many there are; it looks through what is stored now",
              .query = search_query, .headers = API_TAKES_event_id, .gives = "text/event-stream",
              .answer = "LogSearch", .also = search_also),
    {0},
};
