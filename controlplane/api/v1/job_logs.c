/* Output of a job: a range of lines, all of it, or as it is written. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/api/v1/job_log_tail.h"
#include "controlplane/api/v1/job_parts.h"
#include "controlplane/api/v1/resources.h"
#include "controlplane/store/read_jobs.h"
#include "controlplane/views/directory.h"
#include "shared/json/json_out.h"

enum {
    COUNT_MAX = LOG_PAGE_LINES_MAX,
    PAGE_BYTES = HTTP_STREAM_PIECE_BYTES,
    RENDERED_MAX = 1 << 20,
    LOOK_MS = 1000,     /* how often a follower looks whether what it waits for is given up */
    NEWEST_MS = 500,    /* after a read that failed */
    WAIT_TOLD_MS = 3000 /* it says so when it has waited so long behind the job's end */
};

/* ---- the end of it --------------------------------------------------------------------------- */

static void on_stream_gone(struct api_stream *stream)
{
    job_log_free((struct log_tail *)stream);
}

static void on_call_end(struct api_call *call)
{
    job_log_free(call->state);
}

/* ---- piece by piece -------------------------------------------------------------------------- */

/* Gives what is rendered as far as there is room; true: all of it is gone. */
static bool give(struct log_tail *tail)
{
    while (tail->sent < tail->ready.len) {
        size_t len = tail->ready.len - tail->sent;

        if (len > PAGE_BYTES) len = PAGE_BYTES;
        if (!api_stream_put(&tail->stream,
                            (struct fl_str){(const char *)tail->ready.at + tail->sent, len})) {
            tail->stream.is_mid = true;
            return false;
        }
        tail->sent += len;
    }
    fl_buf_clear(&tail->ready);
    tail->sent = 0;
    tail->stream.is_mid = false;
    return true;
}

static void give_and_go_on(struct log_tail *tail)
{
    if (!give(tail)) return;
    if (tail->is_at_end) {
        api_stream_end(&tail->stream);
    } else if (tail->wants_more) {
        tail->wants_more = false;
        log_read_more(tail->read);
    }
}

static void on_room(struct api_stream *stream)
{
    give_and_go_on((struct log_tail *)stream);
}

static void fail_page(struct log_tail *tail, const struct fl_err *err)
{
    if (tail->call) {
        struct api_call *call = tail->call;

        call->on_end = NULL; /* 'err' ends with the tail */
        api_fail(call, err->code, "%s", err->text);
        job_log_free(tail);
    } else {
        /* A stream that ends well would say that this was all. */
        http_stream_cut(tail->stream.request);
    }
}

/* The answer begins.  False: it was answered otherwise, and the tail is gone. */
static bool begin_stream(struct log_tail *tail)
{
    struct api_call *call = tail->call;

    tail->call = NULL;
    call->on_end = NULL;
    if (!api_stream_open(&tail->stream, call, tail->content_type)) {
        job_log_free(tail);
        return false;
    }
    fl_vec_push(&call->api->tails, tail);
    if (api_drop(call)) fl_unreachable("a call that gave its request away has none");
    return true;
}

static void put_text(struct log_tail *tail, const char *text)
{
    fl_buf_put(&tail->ready, text, strlen(text));
}

static void put_end(struct log_tail *tail, const struct log_page *page)
{
    struct fl_json_out json = fl_json_out(&tail->ready);

    if (tail->is_events) put_text(tail, "event: end\ndata: ");
    fl_json_open(&json, NULL, '{');
    fl_json_put_cstr(&json, "type", "end");
    fl_json_put_cstr(&json, "output", job_log_extent(page));
    fl_json_close(&json, '}');
    put_text(tail, tail->is_events ? "\n\n" : "\n");
}

/* All that is stored was given, and the job has ended. */
static void note_wait(struct log_tail *tail, const struct log_page *page)
{
    tail->awaited = page->sources_live;
    tail->awaited_first = page->awaited;
    tail->awaited_replica = page->awaited_replica;
    tail->awaited_from = fl_loop_now(tail->stream.api->parts.loop);
    tail->is_wait_told = false;
}

static void on_page(void *ctx, struct log_read *read, const struct log_page *page)
{
    struct log_tail *tail = ctx;

    (void)read;
    if (page->err.code != FL_OK) {
        fail_page(tail, &page->err);
        return;
    }
    if (tail->count > 0) {
        job_log_answer(tail, page);
        return;
    }
    if (tail->call) {
        job_log_add_extent(tail, page);
        if (!begin_stream(tail)) return;
    }
    if (tail->is_search) {
        job_log_hits_write(tail, page);
    } else {
        job_log_write(tail, page);
        if (page->lines_len == 0 && !page->is_over) note_wait(tail, page);
        tail->is_at_end = page->is_over;
        if (page->is_over && tail->has_end) put_end(tail, page);
    }
    tail->wants_more = !tail->is_at_end;
    give_and_go_on(tail);
}

/* ---- output that is still to come ------------------------------------------------------------ */

static void tell_wait(struct log_tail *tail)
{
    struct directory_cluster cluster;
    struct fl_cluster id;
    struct fl_json_out begun = fl_json_out(&tail->ready), *json = &begun;
    fl_ms until;

    tail->is_wait_told = true;
    put_text(tail, "event: waiting\ndata: ");
    fl_json_open(json, NULL, '{');
    fl_json_put_u64(json, "outputs", tail->awaited);
    fl_json_put_u64(json, "element", tail->awaited_first.element);
    fl_json_put_u64(json, "attempt", tail->awaited_first.n);
    fl_json_put_u64(json, "replica", tail->awaited_replica);
    if (job_outputs_place(tail->outputs, tail->awaited_first, &id, &until)) {
        if (directory_cluster(tail->stream.api->parts.directory, id, &cluster)) {
            fl_json_put_cstr(json, "cluster", cluster.name);
        }
        fl_json_put_time(json, "until", until);
    }
    fl_json_close(json, '}');
    put_text(tail, "\n\n");
    (void)give(tail); /* a piece that does not fit goes with the next room */
}

static void on_look(void *ctx)
{
    struct log_tail *tail = ctx;
    bool is_due = tail->awaited > 0 && !tail->is_wait_told && tail->is_events &&
                  fl_loop_now(tail->stream.api->parts.loop) >= tail->awaited_from + WAIT_TOLD_MS;

    fl_timer_in(&tail->look, LOOK_MS);
    if (job_outputs_look(tail->outputs)) {
        log_read_settle(tail->read, job_outputs_attempts(tail->outputs));
    }
    if (is_due && tail->ready.len == 0) tell_wait(tail);
}

/* For a follower. */
static void on_outputs(void *ctx, const struct fl_err *err)
{
    struct log_tail *tail = ctx;

    if (err) {
        fail_page(tail, err);
        return;
    }
    log_read_settle(tail->read, job_outputs_attempts(tail->outputs));
    fl_timer_in(&tail->look, LOOK_MS);
}

/* Its job has ended. */
static void settle(struct log_tail *tail)
{
    struct api *api = tail->stream.api;

    if (tail->outputs || !tail->query.is_following) return;
    tail->outputs =
        job_outputs_create(&api->config, &api->parts, &tail->query, true, on_outputs, tail);
}

void api_logs_settle(struct api *api, struct fl_job job)
{
    for (size_t i = 0; i < api->tails.len; i++) {
        struct log_tail *tail = api->tails.at[i];

        if (tail->job.n == job.n) settle(tail);
    }
}

/* ---- ends without a notice ------------------------------------------------------------------- */

static void on_jobs(void *ctx, const struct read_jobs *jobs)
{
    struct api *api = ctx;

    if (jobs->err) {
        fl_timer_in(&api->newest, NEWEST_MS);
        return;
    }
    for (size_t i = 0; i < jobs->len; i++) {
        if (jobs->at[i].is_ended) api_logs_settle(api, jobs->at[i].job);
    }
}

/* Settles those of the jobs that have ended; false: not now, but soon, all that follow are. */
static bool look_for_ends(struct api *api, struct fl_tenant tenant, const struct fl_job *jobs,
                          size_t len)
{
    struct fl_err err = {0};
    bool is_asked = read_jobs_by_id(api->parts.reader, tenant, jobs, len, on_jobs, api, &err) != 0;

    api->parts.asked(api->parts.asked_ctx);
    if (!is_asked) fl_timer_in(&api->newest, NEWEST_MS);
    return is_asked;
}

void api_logs_catch_up(struct api *api)
{
    FL_VEC(struct fl_job) jobs = {0};

    for (size_t i = 0; i < api->tails.len; i++) {
        const struct log_tail *tail = api->tails.at[i], *next = NULL;

        if (i + 1 < api->tails.len) next = api->tails.at[i + 1];
        if (tail->query.is_following && !tail->outputs) fl_vec_push(&jobs, tail->job);
        if (jobs.len == 0) continue;
        if (next && jobs.len < READ_JOBS_IDS_MAX && next->query.tenant.n == tail->query.tenant.n) {
            continue;
        }
        if (!look_for_ends(api, tail->query.tenant, jobs.at, jobs.len)) break;
        fl_vec_clear(&jobs);
    }
    fl_vec_fini(&jobs);
}

/* ---- the request ----------------------------------------------------------------------------- */

struct log_tail *job_log_create(struct api_call *call, const struct log_query *query,
                                const char *content_type)
{
    struct log_tail *tail = fl_new(struct log_tail);

    tail->job = query->job;
    tail->query = *query;
    tail->content_type = content_type;
    tail->call = call;
    tail->stream.api = call->api;
    tail->stream.on_room = on_room;
    tail->stream.on_gone = on_stream_gone;
    fl_timer_init(&tail->look, call->parts->loop, on_look, tail);
    fl_buf_init(&tail->ready, 16 * RENDERED_MAX);
    return tail;
}

static void refuse_cursor(struct log_tail *tail, const struct fl_err *err)
{
    struct api_call *call = tail->call;
    struct fl_str id = api_header(call, "last-event-id");

    call->on_end = NULL;
    if (id.len > 0) {
        api_fail_header(call, "Last-Event-ID", err->text, id, "'id' of an event of this output");
    } else {
        api_fail_parameter(call, "cursor", err->text, api_query(call, "cursor"),
                           "'nextCursor' of a search of this output");
    }
    job_log_free(tail);
}

/* Opens the read; false: the call was answered, and the tail is gone. */
static bool open_read(struct log_tail *tail)
{
    struct fl_err err = {0};
    bool has_cursor = tail->query.from == LOG_FROM_CURSOR;

    tail->read = log_read_open(tail->stream.api->parts.logs, &tail->query, on_page, tail, &err);
    tail->query.attempts = NULL; /* the read has its own */
    tail->query.pattern = NULL;  /* the read's, or freed */
    if (tail->read) return true;
    if (tail->call && has_cursor && err.code == FL_INVALID) { /* it was the cursor */
        refuse_cursor(tail, &err);
    } else {
        fail_page(tail, &err);
    }
    return false;
}

/* For an answer that does not follow. */
static void on_outputs_first(void *ctx, const struct fl_err *err)
{
    struct log_tail *tail = ctx;

    if (err) {
        fail_page(tail, err);
        return;
    }
    tail->query.attempts = job_outputs_attempts(tail->outputs);
    if (open_read(tail) && tail->is_search) FL_IGNORE(begin_stream(tail));
}

/* An answer that tells in its head how much of the output it is begins with its first page; a
 * follower and a search begin at once. */
void job_log_start(struct log_tail *tail, bool has_ended)
{
    struct api_call *call = tail->call;
    struct api *api = tail->stream.api;

    call->state = tail;
    call->on_end = on_call_end;
    if (has_ended && !tail->query.is_following) {
        tail->outputs = job_outputs_create(&api->config, &api->parts, &tail->query, false,
                                           on_outputs_first, tail);
        return;
    }
    if (!open_read(tail) || !(tail->query.is_following || tail->is_search) || !begin_stream(tail)) {
        return;
    }
    if (tail->is_search) return;
    if (has_ended) {
        settle(tail);
    } else {
        /* The notice of its end may have passed before the answer that it is open came. */
        (void)look_for_ends(api, tail->query.tenant, &tail->job, 1);
    }
}

/* ---- GET .../logs ---------------------------------------------------------------------------- */

/* Says what the header is refused for; true: 'ret_has' says whether there is a range. */
static bool read_range(struct api_call *call, struct line_range *ret_range, bool *ret_has)
{
    static const char *const others[] = {"from", "tail", "count", "since", "until"};
    struct fl_str header = api_header(call, "range");

    *ret_has = false;
    if (http_head(call->request)->method == FL_HTTP_HEAD || api_header(call, "if-range").len > 0) {
        return true; /* it is for GET, and what an answer was like before is not remembered */
    }
    switch (line_range_parse(header, ret_range)) {
    case LINE_RANGE_NONE:
        return true;
    case LINE_RANGE_BAD:
        api_fail_header(call, "Range", "not a range of lines", header,
                        "lines=100-199 or lines=100-, one of them; the last lines: ?tail=100");
        return false;
    case LINE_RANGE_GIVEN:
        break;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!api_query_has(call, others[i])) continue;
        api_fail_parameter(call, others[i], "this does not go with a Range of lines", header, NULL);
        return false;
    }
    *ret_has = true;
    return true;
}

static void get_lines(struct api_call *call, struct fl_job job, bool has_ended)
{
    struct log_query query = {.tenant = call->token.tenant, .job = job};
    struct log_tail *tail;
    struct line_range range;
    uint64_t count = api_query_u64(call, "count");
    bool is_text = !fl_str_eq(api_query(call, "format"), FL_STR("jsonl")), is_range;

    if (!log_selection_read(call, &query) || !read_range(call, &range, &is_range) ||
        !log_selection_pattern(call, is_range || count > 0, &query.pattern)) {
        return;
    }
    api_header_add(call, "Accept-Ranges", FL_STR("lines"));
    if (is_range) {
        query.from = LOG_FROM_LINE;
        query.n = range.first;
        count = range.last - range.first < COUNT_MAX ? range.last - range.first + 1 : COUNT_MAX;
    }
    query.lines_max = (uint32_t)count;
    tail = job_log_create(call, &query, is_text ? "text/plain" : "application/x-ndjson");
    tail->is_text = is_text;
    tail->is_range = is_range;
    tail->count = count;
    tail->cut.lines_max = count;
    if (count == 0 && http_head(call->request)->method == FL_HTTP_HEAD) {
        if (begin_stream(tail)) api_stream_end(&tail->stream); /* needs no look at the output */
        return;
    }
    job_log_start(tail, has_ended);
}

static void get_logs(struct api_call *call)
{
    job_parts_lookup(call, get_lines);
}

/* ---- GET .../logs/stream --------------------------------------------------------------------- */

static void follow(struct api_call *call, struct fl_job job, bool has_ended)
{
    struct log_query query = {.tenant = call->token.tenant, .job = job, .is_following = true};
    struct fl_str id = api_header(call, "last-event-id");
    struct log_tail *tail;
    bool is_events;

    if (!log_selection_read(call, &query) || !api_stream_form(call, &is_events) ||
        !log_selection_pattern(call, false, &query.pattern)) {
        return;
    }
    if (id.len > 0) {
        query.from = LOG_FROM_CURSOR;
        query.cursor = id;
    }
    if (api_query_has(call, "follow")) query.is_following = api_query_flag(call, "follow");
    query.bytes_max = PAGE_BYTES;
    query.has_whole_lines = query.pattern != NULL; /* a line is looked at when its end is there */
    tail = job_log_create(call, &query, is_events ? "text/event-stream" : "application/x-ndjson");
    tail->is_events = is_events;
    tail->has_end = true;
    job_log_start(tail, has_ended);
}

static void follow_logs(struct api_call *call)
{
    api_want_rows(call->api);
    job_parts_lookup(call, follow);
}

void api_logs_fini(struct api *api)
{
    while (api->tails.len > 0) {
        api_stream_end(&api->tails.at[api->tails.len - 1]->stream);
    }
    fl_vec_fini(&api->tails);
}

static const struct api_field range_query[] = {
    LOG_SELECTION,
    API_MAY("count", "integer",
            "at most so many whole lines, in one piece with Content-Range and ETag; "
            "X-Fairlead-Next-Line says where to go on; without it, all",
            .min = 1, .max = COUNT_MAX),
    API_MAY("format", "string",
            "text: the bytes as they were written (preset); jsonl: a JSON object a line",
            .words = "text, jsonl"),
    {0},
};

static const struct api_field stream_query[] = {
    LOG_SELECTION,
    API_MAY("follow", "boolean", "false: end with what is there now"),
    {0},
};

static const struct api_field line_fields[] = {
    LOG_LINE_FIELDS,
    {0},
};

const struct api_object log_line_object = {
    .name = "LogLine",
    .text = "A line of output, or a gap.",
    .fields = line_fields,
    .example = "{\"element\":0,\"attempt\":1,\"replica\":0,\"line\":4,\"offset\":28,"
               "\"time\":\"2026-01-31T09:00:00.000Z\",\"text\":\"step 4\\n\"}"};

static const struct api_field end_fields[] = {
    API_MUST("type", "string", "the last object of a stream", .words = "end"),
    API_MUST("output", "string", "whether all of it was given; more: with follow=false alone",
             .words = "complete, incomplete, more"),
    {0},
};

const struct api_object log_end_object = {
    .name = "LogEnd",
    .text = "The event 'end', or the last line: nothing comes any more.",
    .fields = end_fields};

static const struct api_field waiting_fields[] = {
    API_MUST("outputs", "integer", "how many replicas have output that is still to come"),
    API_MUST("element", "integer", "the first of them: its element"),
    API_MUST("attempt", "integer", "its attempt"),
    API_MUST("replica", "integer", "its number"),
    API_MAY("cluster", "string", "where it is"),
    API_MAY("until", "string", "how long it is waited for", .format = API_FORMAT_time),
    {0},
};

const struct api_object log_waiting_object = {
    .name = "LogWaiting",
    .text = "The event 'waiting': the job has ended, and output of it is still to come.",
    .fields = waiting_fields};

const struct api_object log_piece_object = {.name = "LogPiece",
                                            .text = "The data of an event in a stream of output.",
                                            .one_of = "LogLine, LogEnd, LogWaiting, ClosedEvent"};

static const struct api_also range_also[] = {
    {200, "application/x-ndjson", "LogLine", "with format=jsonl: an object a line"},
    {206, "text/plain", NULL, "the lines that Range names"},
    {206, "application/x-ndjson", "LogLine", "the same with format=jsonl"},
    {0},
};

static const struct api_also stream_also[] = {
    {200, "application/x-ndjson", "LogPiece",
     "with Accept: an object a line, and at the end a LogEnd; a stream without it was cut"},
    {0},
};

const struct api_route job_log_routes[] = {
    API_ROUTE(API_GET, "/v1/jobs/{job}/logs", API_NEED_read, get_logs, "getLogs",
              "its output: all of it, or a range of lines: 'count', or the header 'Range: "
              "lines=100-199', which is answered with 206, or 416 beyond the last one",
              .query = range_query, .headers = API_TAKES_range, .gives = "text/plain",
              .also = range_also),
    API_ROUTE(API_GET, "/v1/jobs/{job}/logs/stream", API_NEED_read, follow_logs, "followLogs",
              "its output as it is written, from the beginning or from behind Last-Event-ID, until "
              "the job has ended and all is given; each line tells its offset, so that one that is "
              "given again after a cut is known",
              .query = stream_query, .headers = API_TAKES_event_id, .gives = "text/event-stream",
              .answer = "LogPiece", .also = stream_also),
    {0},
};
