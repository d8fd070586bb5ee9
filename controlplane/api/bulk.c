/* POST /v1/jobs:cancel and :retry: all jobs that a filter names, page by page, counted.
 * A request works through so many jobs at most, that it ends; 'more' says that there are others. */
#include "controlplane/api/api_state.h"
#include "controlplane/api/job_filter.h"
#include "controlplane/api/resources.h"
#include "controlplane/api/retry.h"

enum { CANCEL_MAX = 100000, RETRY_MAX = 5000, PAGE = 1000 };

struct bulk {
    struct retry retry; /* first, see retry.h */
    struct job_filter filter;
    bool is_dry, has_more;
    uint64_t next; /* of the core's list, or of the store's pages */
    uint64_t matched, changed, failed;
    struct fl_job *jobs; /* of this page */
    struct read_job *stored;
    size_t len, at, pending;
};

static void next_page(struct api_call *call);

static void answer(struct api_call *call)
{
    struct bulk *bulk = call->state;
    struct json *json = api_json(call);

    json_open(json, NULL, '{');
    json_bool(json, "dryRun", bulk->is_dry);
    json_u64(json, "matched", bulk->matched);
    json_u64(json, "changed", bulk->changed);
    json_u64(json, "failed", bulk->failed);
    json_bool(json, "more", bulk->has_more);
    json_close(json, '}');
    api_answer(call);
}

static void go_on(struct api_call *call)
{
    struct bulk *bulk = call->state;

    bulk->has_more = bulk->next != 0;
    if (bulk->next != 0 && bulk->matched < (bulk->retry.done ? RETRY_MAX : CANCEL_MAX)) {
        next_page(call);
    } else {
        answer(call);
    }
}

/* --- cancel: open jobs --- */

static void on_cancelled(struct api_call *call, const struct core_answer *answered)
{
    struct bulk *bulk = call->state;

    if (answered->code == FL_OK) {
        bulk->changed++;
    } else if (answered->code != FL_ABSENT) {
        bulk->failed++; /* an absent one has ended meanwhile */
    }
    if (--bulk->pending == 0) go_on(call);
}

static void cancel_page(struct api_call *call)
{
    struct bulk *bulk = call->state;

    bulk->matched += bulk->len;
    if (bulk->is_dry || bulk->len == 0) {
        go_on(call);
        return;
    }
    /* One more than there are, until all are sent: an answer may come within the asking. */
    bulk->pending = bulk->len + 1;
    for (size_t i = 0; i < bulk->len; i++) {
        struct engine_event *event = api_event(call, CORE_EV_cancel);

        event->event.job.job = bulk->jobs[i];
        api_ask_any(call, event, on_cancelled);
    }
    if (--bulk->pending == 0) go_on(call);
}

static void on_labels(struct api_call *call, const struct read_jobs *jobs)
{
    struct bulk *bulk = call->state;

    bulk->len = 0;
    for (size_t i = 0; i < jobs->len; i++) {
        if (!job_filter_labels(&bulk->filter, jobs->at[i].labels)) continue;
        bulk->jobs[bulk->len++] = jobs->at[i].job;
    }
    cancel_page(call);
}

static void on_open(struct api_call *call, const struct core_answer *listed)
{
    struct bulk *bulk = call->state;

    bulk->next = listed->next;
    bulk->len = 0;
    for (size_t i = 0; i < listed->jobs_len && i < PAGE; i++) {
        if (listed->jobs[i].tenant.n != call->token.tenant.n ||
            !job_filter_open(&bulk->filter, &listed->jobs[i])) {
            continue;
        }
        bulk->jobs[bulk->len++] = listed->jobs[i].job;
    }
    if (bulk->filter.labels.len > 0 && bulk->len > 0) {
        reads_jobs(call, bulk->jobs, bulk->len, on_labels);
    } else {
        cancel_page(call);
    }
}

/* --- retry: ended jobs, one after the other --- */

static void retry_next(struct api_call *call)
{
    struct bulk *bulk = call->state;

    if (bulk->at == bulk->len) {
        go_on(call);
        return;
    }
    retry_start(call, &bulk->stored[bulk->at++]);
}

static void on_retried(struct api_call *call, struct fl_job job, enum fl_code code,
                       const char *text)
{
    struct bulk *bulk = call->state;

    (void)job;
    (void)text;
    fl_picks_fini(&bulk->retry.picks);
    bulk->retry.element = 0;
    bulk->retry.n = 0;
    if (code == FL_OK) {
        bulk->changed++;
    } else {
        bulk->failed++;
    }
    retry_next(call);
}

static struct fl_str keep(struct fl_arena *arena, struct fl_str s)
{
    return (struct fl_str){fl_arena_copy(arena, s.at, s.len), s.len};
}

static void on_documents(struct api_call *call, const struct read_jobs *jobs)
{
    struct bulk *bulk = call->state;

    bulk->stored = fl_arena_array(&call->arena, struct read_job, jobs->len);
    bulk->len = jobs->len;
    bulk->at = 0;
    for (size_t i = 0; i < jobs->len; i++) {
        bulk->stored[i] = jobs->at[i];
        bulk->stored[i].name = keep(&call->arena, jobs->at[i].name);
        bulk->stored[i].labels = keep(&call->arena, jobs->at[i].labels);
        bulk->stored[i].params = keep(&call->arena, jobs->at[i].params);
        bulk->stored[i].picked = keep(&call->arena, jobs->at[i].picked);
    }
    retry_next(call);
}

static void on_ended(struct api_call *call, const struct read_jobs *jobs)
{
    struct bulk *bulk = call->state;

    bulk->next = jobs->next;
    bulk->matched += jobs->len;
    if (bulk->is_dry || jobs->len == 0) {
        go_on(call);
        return;
    }
    for (size_t i = 0; i < jobs->len && i < PAGE; i++)
        bulk->jobs[i] = jobs->at[i].job;
    reads_jobs(call, bulk->jobs, jobs->len < PAGE ? jobs->len : PAGE, on_documents);
}

/* --- both --- */

static void next_page(struct api_call *call)
{
    struct bulk *bulk = call->state;

    if (bulk->retry.done) {
        struct read_jobs_query query = {
            .tenant = call->token.tenant,
            .queue = bulk->filter.queue,
            .states = bulk->filter.ended_states,
            .labels = bulk->filter.labels,
            .before = bulk->next,
        };

        reads_page(call, &query, on_ended);
    } else {
        struct engine_event *event = api_event(call, CORE_EV_list_jobs);

        event->event.list_jobs.queue = keep(&event->arena, bulk->filter.queue_name);
        event->event.list_jobs.before = bulk->next;
        event->event.list_jobs.len_max = PAGE;
        api_ask(call, event, on_open);
    }
}

/* "state": a list or one word; "labels": an object.  As words with commas, which the filter reads. */
static bool words_of(struct api_call *call, const struct fl_json *node, bool is_pairs,
                     struct fl_str *ret_words)
{
    struct fl_buf buf;
    bool is_good = true;

    *ret_words = (struct fl_str){0};
    if (!node) return true;
    if (!is_pairs && node->kind == FL_JSON_STRING) {
        *ret_words = node->text;
        return true;
    }
    if (node->kind != (is_pairs ? FL_JSON_OBJECT : FL_JSON_LIST)) is_good = false;
    fl_buf_init(&buf, 8192);
    for (const struct fl_json *item = is_good ? node->first : NULL; item; item = item->next) {
        if (item->kind != FL_JSON_STRING) is_good = false;
        if (buf.len > 0) fl_buf_put_u8(&buf, ',');
        if (is_pairs) {
            fl_buf_put(&buf, item->key.at, item->key.len);
            fl_buf_put_u8(&buf, '=');
        }
        fl_buf_put(&buf, item->text.at, item->text.len);
    }
    is_good = is_good && !buf.is_over;
    *ret_words = keep(&call->arena, (struct fl_str){(const char *)buf.at, buf.len});
    fl_buf_fini(&buf);
    if (!is_good) {
        api_fail_at(call, is_pairs ? "/labels" : "/state", "this names no jobs", (struct fl_str){0},
                    is_pairs ? "an object of texts" : "a list of states");
    }
    return is_good;
}

static bool read_body(struct api_call *call, struct bulk *bulk)
{
    const struct fl_json *body = api_body_json(call, false), *queue, *dry;
    struct fl_str states, labels;

    if (!body || !api_body_check(call, body) ||
        !words_of(call, fl_json_member(body, FL_STR("state")), false, &states) ||
        !words_of(call, fl_json_member(body, FL_STR("labels")), true, &labels)) {
        return false;
    }
    queue = fl_json_member(body, FL_STR("queue"));
    dry = fl_json_member(body, FL_STR("dryRun"));
    bulk->is_dry = dry && dry->kind == FL_JSON_BOOL && dry->n != 0;
    if (!queue && states.len == 0 && labels.len == 0) {
        api_fail(call, FL_INVALID, "name at least one of queue, state and labels");
        return false;
    }
    return job_filter_words(call, queue ? queue->text : (struct fl_str){0}, states, labels,
                            &bulk->filter);
}

static void start(struct api_call *call, bool is_retry)
{
    struct bulk *bulk = fl_arena_new(&call->arena, struct bulk);

    call->state = bulk;
    if (!read_body(call, bulk)) return;
    bulk->jobs = fl_arena_array(&call->arena, struct fl_job, PAGE);
    bulk->retry.what = RETRY_failed;
    if (is_retry) {
        bulk->retry.done = on_retried;
        /* Without a word about states: what failed. */
        if (bulk->filter.ended_states == 0) {
            bulk->filter.ended_states = 1U << (JOB_failed - JOB_succeeded);
        } else if (bulk->filter.ended_states != 1U << (JOB_failed - JOB_succeeded)) {
            bulk->retry.what = RETRY_all;
        }
    }
    next_page(call);
}

static void cancel_many(struct api_call *call)
{
    start(call, false);
}

static void retry_many(struct api_call *call)
{
    start(call, true);
}

static const struct api_field bulk_fields[] = {
    {"queue", "string", "of this queue only"},
    {"state", "array", "in one of these states"},
    {"labels", "object", "with all of these labels"},
    {"dryRun", "boolean", "only counts"},
    {0},
};

const struct api_route bulk_routes[] = {
    API_ROUTE(API_POST, "/v1/jobs:cancel", API_NEED_cancel, cancel_many,
              "cancels the open jobs that a filter names; counts them", .body = bulk_fields,
              .body_max = 16384),
    API_ROUTE(API_POST, "/v1/jobs:retry", API_NEED_submit, retry_many,
              "runs the ended jobs again that a filter names, without a state those that failed",
              .body = bulk_fields, .body_max = 16384),
    {0},
};
