/* POST /v1/jobs:cancel, :edit and :retry: all jobs that a filter names, page by page, from the
 * newest down, counted.  A request stops behind the page with which it has matched its limit;
 * 'cursor' is where the next one goes on.  The answer says why the first job that failed could not
 * be changed.  With an Idempotency-Key no job is retried twice. */
#include <stdlib.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/cursor.h"
#include "controlplane/api/idempotency.h"
#include "controlplane/api/v1/job_edit_values.h"
#include "controlplane/api/v1/job_filter.h"
#include "controlplane/api/v1/job_resubmit.h"
#include "controlplane/api/v1/resources.h"
#include "shared/base/job_name.h"

enum { CANCEL_MAX = 100000, RETRY_MAX = 5000, PAGE = 1000 };

/* An open job as the core listed it. */
struct listed {
    uint64_t job;
    uint32_t revision;
    const struct read_job *row; /* as it is stored; valid while the page is changed */
};

struct bulk {
    struct job_resubmit resubmit; /* first, see job_resubmit.h */
    struct job_filter filter;
    bool is_dry, has_more;
    uint64_t next; /* where the core's list, or the store's, goes on; 0: it is over */
    uint64_t limit, matched, changed, unchanged, failed;
    struct {               /* the first of the failed ones; valid where there are any */
        struct fl_job job; /* 0: not known, of an open one */
        enum fl_code code;
        const char *text;
    } failure;
    const struct fl_json *edit; /* NULL: open jobs are cancelled */
    struct fl_job_spec to;      /* its values */
    struct listed *listed;      /* the page's, for an edit */
    size_t listed_len;
    const char *wanted;  /* the filter as one text */
    struct fl_job *jobs; /* this page's */
    struct read_job *stored;
    size_t len, at, pending;
};

static void next_page(struct api_call *call);

static enum api_cursor_part part_of(const struct bulk *bulk)
{
    return bulk->resubmit.done ? API_CURSOR_ended : API_CURSOR_open;
}

/* 'job' 0: not known. */
static void count_failure(struct api_call *call, struct fl_job job, enum fl_code code,
                          const char *text)
{
    struct bulk *bulk = call->state;

    if (bulk->failed++ > 0) return;
    bulk->failure.job = job;
    bulk->failure.code = code;
    bulk->failure.text = fl_arena_printf(&call->arena, "%s", text ? text : fl_code_meaning(code));
}

static void put_failure(const struct bulk *bulk, struct fl_json_out *json)
{
    char name[FL_JOB_NAME_MAX];

    fl_job_name(bulk->failure.job, name);
    fl_json_open(json, "firstFailure", '{');
    if (bulk->failure.job.n) fl_json_put_cstr(json, "job", name);
    fl_json_put_cstr(json, "code", fl_code_name(bulk->failure.code));
    fl_json_put_cstr(json, "detail", bulk->failure.text);
    fl_json_close(json, '}');
}

static void answer(struct api_call *call)
{
    struct bulk *bulk = call->state;
    struct fl_json_out *json = api_json(call);
    char cursor[API_CURSOR_BYTES];

    fl_json_open(json, NULL, '{');
    fl_json_put_bool(json, "dryRun", bulk->is_dry);
    fl_json_put_u64(json, "matched", bulk->matched);
    fl_json_put_u64(json, "changed", bulk->changed);
    if (bulk->edit) fl_json_put_u64(json, "unchanged", bulk->unchanged);
    fl_json_put_u64(json, "failed", bulk->failed);
    if (bulk->failed > 0) put_failure(bulk, json);
    fl_json_put_bool(json, "more", bulk->has_more);
    if (bulk->has_more) {
        api_cursor_print((struct api_cursor){part_of(bulk), bulk->next}, cursor);
        fl_json_put_cstr(json, "cursor", cursor);
    }
    fl_json_close(json, '}');
    api_answer(call);
}

static void go_on(struct api_call *call)
{
    struct bulk *bulk = call->state;

    bulk->has_more = bulk->next != 0;
    if (bulk->next != 0 && bulk->matched < bulk->limit) {
        next_page(call);
    } else {
        answer(call);
    }
}

static int from_the_newest(const void *a, const void *b)
{
    uint64_t left = ((const struct fl_job *)a)->n, right = ((const struct fl_job *)b)->n;

    return (left < right) - (left > right);
}

/* Takes the page, up to the limit: the next one begins behind what is taken. */
static void take_page(struct bulk *bulk)
{
    uint64_t left = bulk->limit - bulk->matched;

    if (bulk->len > left) {
        qsort(bulk->jobs, bulk->len, sizeof *bulk->jobs, from_the_newest);
        bulk->len = (size_t)left;
        bulk->next = bulk->jobs[left - 1].n;
    }
    bulk->matched += bulk->len;
}

/* ---- cancel and edit: open jobs -------------------------------------------------------------- */

static void on_changed(struct api_call *call, const struct core_answer *answered)
{
    struct bulk *bulk = call->state;

    if (answered->code == FL_OK && answered->is_as_before) {
        bulk->unchanged++;
    } else if (answered->code == FL_OK) {
        bulk->changed++;
    } else if (answered->code != FL_ABSENT) {
        /* An absent one has ended meanwhile.  The answers name no job. */
        count_failure(call, (struct fl_job){0}, answered->code, answered->text);
    }
    if (--bulk->pending == 0) go_on(call);
}

static int by_job(const void *a, const void *b)
{
    const struct listed *left = a, *right = b;

    return (left->job > right->job) - (left->job < right->job);
}

static struct listed *find_listed(const struct bulk *bulk, struct fl_job job)
{
    const struct listed key = {.job = job.n};

    return bsearch(&key, bulk->listed, bulk->listed_len, sizeof key, by_job);
}

/* The row of an edit has name and labels, too: they stay as they are stored.  It is of the revision
 * that the core listed before they were read, so an edit that came between is not undone. */
static void fill_edit(struct bulk *bulk, struct fl_job job, struct engine_event *event)
{
    const struct listed *listed = find_listed(bulk, job);

    event->event.edit.job = job;
    event->event.edit.revision = listed->revision;
    event->event.edit.name = fl_arena_str(&event->arena, listed->row->row.name);
    event->event.edit.labels = fl_arena_str(&event->arena, listed->row->row.labels);
    job_edit_fill(event, bulk->edit, &bulk->to);
}

static struct engine_event *change_of(struct api_call *call, struct fl_job job)
{
    struct bulk *bulk = call->state;
    struct engine_event *event = api_event(call, bulk->edit ? CORE_EV_edit : CORE_EV_cancel);

    if (bulk->edit) {
        fill_edit(bulk, job, event);
    } else {
        event->event.job.job = job;
    }
    return event;
}

static void change_page(struct api_call *call)
{
    struct bulk *bulk = call->state;

    take_page(bulk);
    if (bulk->is_dry || bulk->len == 0) {
        go_on(call);
        return;
    }
    /* One more than there are, until all are sent: an answer may come within the asking. */
    bulk->pending = bulk->len + 1;
    for (size_t i = 0; i < bulk->len; i++) {
        api_ask_any(call, change_of(call, bulk->jobs[i]), on_changed);
    }
    if (--bulk->pending == 0) go_on(call);
}

static void on_stored(struct api_call *call, const struct read_jobs *jobs)
{
    struct bulk *bulk = call->state;

    bulk->len = 0;
    qsort(bulk->listed, bulk->listed_len, sizeof *bulk->listed, by_job);
    for (size_t i = 0; i < jobs->len; i++) {
        struct listed *listed = find_listed(bulk, jobs->at[i].job);

        if (!listed || !job_filter_stored(&bulk->filter, &jobs->at[i])) continue;
        listed->row = &jobs->at[i];
        bulk->jobs[bulk->len++] = jobs->at[i].job;
    }
    change_page(call);
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
        bulk->listed[bulk->len] =
            (struct listed){.job = listed->jobs[i].job.n, .revision = listed->jobs[i].revision};
        bulk->jobs[bulk->len++] = listed->jobs[i].job;
    }
    bulk->listed_len = bulk->len;
    if (bulk->len > 0 && (bulk->edit || job_filter_needs_stored(&bulk->filter))) {
        call_reads_jobs(call, bulk->jobs, bulk->len, on_stored);
    } else {
        change_page(call);
    }
}

/* ---- retry: ended jobs, one after the other -------------------------------------------------- */

static void retry_next(struct api_call *call)
{
    struct bulk *bulk = call->state;

    if (bulk->at == bulk->len) {
        go_on(call);
        return;
    }
    job_resubmit_start(call, &bulk->stored[bulk->at++]);
}

static void on_retried(struct api_call *call, struct fl_job job, enum fl_code code,
                       const char *text)
{
    struct bulk *bulk = call->state;

    (void)job;
    fl_element_set_fini(&bulk->resubmit.picks);
    if (code == FL_OK) {
        bulk->changed++;
    } else {
        count_failure(call, bulk->resubmit.job.job, code, text);
    }
    retry_next(call);
}

static bool is_in(const struct read_jobs *jobs, struct fl_job job)
{
    for (size_t i = 0; i < jobs->len; i++) {
        if (jobs->at[i].job.n == job.n) return true;
    }
    return false;
}

/* The page named them, and now they are not to be had. */
static void count_lost(struct api_call *call, const struct read_jobs *jobs)
{
    const struct bulk *bulk = call->state;

    for (size_t i = 0; i < bulk->len && jobs->len < bulk->len; i++) {
        if (is_in(jobs, bulk->jobs[i])) continue;
        count_failure(call, bulk->jobs[i], FL_ABSENT, "it was removed, or cannot be read");
    }
}

static void on_documents(struct api_call *call, const struct read_jobs *jobs)
{
    struct bulk *bulk = call->state;

    count_lost(call, jobs);
    bulk->stored = fl_arena_array(&call->arena, struct read_job, jobs->len);
    bulk->len = jobs->len;
    bulk->at = 0;
    for (size_t i = 0; i < jobs->len; i++) {
        bulk->stored[i] = read_job_copy(&jobs->at[i], &call->arena);
    }
    retry_next(call);
}

static void on_ended(struct api_call *call, const struct read_jobs *jobs)
{
    struct bulk *bulk = call->state;

    bulk->next = jobs->next;
    for (bulk->len = 0; bulk->len < jobs->len && bulk->len < PAGE; bulk->len++) {
        bulk->jobs[bulk->len] = jobs->at[bulk->len].job;
    }
    take_page(bulk);
    if (bulk->is_dry || bulk->len == 0) {
        go_on(call);
    } else {
        call_reads_jobs(call, bulk->jobs, bulk->len, on_documents);
    }
}

/* ---- both ------------------------------------------------------------------------------------ */

static void next_page(struct api_call *call)
{
    struct bulk *bulk = call->state;

    if (bulk->resubmit.done) {
        struct read_jobs_query query = {
            .tenant = call->token.tenant,
            .queue = bulk->filter.queue,
            .states = bulk->filter.ended_states,
            .labels = bulk->filter.labels,
            .owner = bulk->filter.owner,
            .name = bulk->filter.name,
            .before = bulk->next,
        };

        call_reads_page(call, &query, on_ended);
    } else {
        struct engine_event *event = api_event(call, CORE_EV_list_jobs);

        event->event.list_jobs.queue = fl_arena_str(&event->arena, bulk->filter.queue_name);
        event->event.list_jobs.before = bulk->next;
        event->event.list_jobs.len_max = PAGE;
        api_ask(call, event, on_open);
    }
}

static bool fail_member(struct api_call *call, const struct fl_json *member, const char *allowed)
{
    api_fail_at(call, fl_arena_printf(&call->arena, "/" FL_STR_FMT, FL_STR_ARG(member->key)),
                "this names no jobs", member->text, allowed);
    return false;
}

/* One word of the filter's list: a comma in it would make it two.  A label may have no value. */
static bool add_word(struct fl_buf *list, const struct fl_json *item, bool is_pair)
{
    bool is_good = item->kind == FL_JSON_STRING && (is_pair || item->text.len > 0) &&
                   !memchr(item->text.at, ',', item->text.len) &&
                   !(is_pair && memchr(item->key.at, ',', item->key.len));

    if (!is_good) return false;
    if (list->len > 0) fl_buf_put_u8(list, ',');
    if (is_pair) {
        fl_buf_put(list, item->key.at, item->key.len);
        fl_buf_put_u8(list, '=');
    }
    fl_buf_put(list, item->text.at, item->text.len);
    return !list->is_over;
}

/* "state": a list or one word; "labels": an object.  As words with commas, which the filter reads;
 * a member that is empty is refused, since it would leave the filter as wide as without it. */
static bool read_words(struct api_call *call, const struct fl_json *node, const char *allowed,
                       struct fl_str *ret_words)
{
    struct fl_buf buf;
    bool is_good;

    *ret_words = (struct fl_str){0};
    if (!node) return true;
    fl_buf_init_in(&buf, 8192, &call->arena);
    if (node->kind == FL_JSON_STRING) {
        is_good = add_word(&buf, node, false);
    } else {
        is_good = node->len > 0;
        for (const struct fl_json *item = node->first; item && is_good; item = item->next) {
            is_good = add_word(&buf, item, node->kind == FL_JSON_OBJECT);
        }
    }
    *ret_words = fl_buf_take(&buf);
    return is_good || fail_member(call, node, allowed);
}

/* Where an earlier call stopped, and how far this one goes. */
static bool read_bounds(struct api_call *call, const struct fl_json *body, struct bulk *bulk)
{
    const struct fl_json *cursor = fl_json_member(body, FL_STR("cursor"));
    const struct fl_json *limit = fl_json_member(body, FL_STR("limit"));
    uint64_t most = bulk->resubmit.done ? RETRY_MAX : CANCEL_MAX;
    struct api_cursor at = {.part = part_of(bulk)};

    if (cursor && (!api_cursor_parse(cursor->text, &at) || at.part != part_of(bulk))) {
        api_fail_at(call, "/cursor", "this is not a cursor of this action", cursor->text, NULL);
        return false;
    }
    bulk->next = at.job;
    bulk->limit = limit && (uint64_t)limit->n < most ? (uint64_t)limit->n : most;
    return true;
}

static bool read_body(struct api_call *call, struct bulk *bulk)
{
    const struct fl_json *body = api_body_json(call, false), *queue, *state, *owner, *name, *dry,
                         *waits;
    struct job_filter_words words = {0};

    if (!body) return false;
    bulk->edit = fl_json_member(body, FL_STR("edit"));
    if (bulk->edit && !job_edit_read_many(call, bulk->edit, &bulk->to)) return false;
    queue = fl_json_member(body, FL_STR("queue"));
    state = fl_json_member(body, FL_STR("state"));
    owner = fl_json_member(body, FL_STR("submittedBy"));
    name = fl_json_member(body, FL_STR("name"));
    if (queue) words.queue = queue->text;
    if (owner) words.owner = owner->text;
    if (name) words.name = name->text;
    if (!read_words(call, state, "a list of states", &words.states) ||
        !read_words(call, fl_json_member(body, FL_STR("labels")), "an object of texts",
                    &words.labels)) {
        return false;
    }
    dry = fl_json_member(body, FL_STR("dryRun"));
    waits = fl_json_member(body, FL_STR("waitForCluster"));
    if (!queue && !state && !owner && !name && !fl_json_member(body, FL_STR("labels"))) {
        api_fail(call, FL_INVALID,
                 "name at least one of queue, state, labels, submittedBy and name");
        return false;
    }
    if (!read_bounds(call, body, bulk)) return false;
    bulk->is_dry = dry && dry->n != 0;
    bulk->resubmit.waits_for_cluster = waits && waits->n != 0;
    if (!job_filter_body(call, &words, &bulk->filter)) return false;
    bulk->wanted = fl_arena_printf(
        &call->arena, FL_STR_FMT " " FL_STR_FMT " " FL_STR_FMT "%s" FL_STR_FMT "%s" FL_STR_FMT,
        FL_STR_ARG(words.queue), FL_STR_ARG(words.states), FL_STR_ARG(words.labels),
        owner ? " " : "", FL_STR_ARG(bulk->filter.owner), name ? " name " : "",
        FL_STR_ARG(bulk->filter.name));
    return !bulk->resubmit.done || !state || bulk->filter.wants_ended ||
           fail_member(call, state, "succeeded, failed, cancelled, ended");
}

/* With a key the jobs are those that were there at its first use.  Jobs that this use has made, or
 * that have come since, are left alone. */
static void on_bound(struct api_call *call, const struct core_answer *answer)
{
    struct bulk *bulk = call->state;

    if (bulk->next == 0 || bulk->next > answer->id) bulk->next = answer->id;
    next_page(call);
}

static void begin(struct api_call *call)
{
    struct bulk *bulk = call->state;
    struct engine_event *event;

    if (!bulk->resubmit.done || api_header(call, "idempotency-key").len == 0) {
        next_page(call);
        return;
    }
    event = api_event(call, CORE_EV_bound);
    if (api_idempotent_part(call, event, bulk->wanted)) api_ask(call, event, on_bound);
}

static void start(struct api_call *call, bool is_retry)
{
    struct bulk *bulk = fl_arena_new(&call->arena, struct bulk);

    call->state = bulk;
    bulk->resubmit.is_one_of_many = true;
    if (is_retry) bulk->resubmit.done = on_retried;
    if (!read_body(call, bulk) || !api_idempotent_check(call)) return;
    bulk->jobs = fl_arena_array(&call->arena, struct fl_job, PAGE);
    bulk->listed = fl_arena_array(&call->arena, struct listed, PAGE);
    bulk->resubmit.what = RESUBMIT_failed;
    if (is_retry) {
        /* Without a state in the filter: the failed ones. */
        if (bulk->filter.ended_states == 0) {
            bulk->filter.ended_states = 1U << (JOB_failed - JOB_succeeded);
        } else if (bulk->filter.ended_states != 1U << (JOB_failed - JOB_succeeded)) {
            bulk->resubmit.what = RESUBMIT_all;
        }
    }
    begin(call);
}

static void cancel_many(struct api_call *call)
{
    start(call, false);
}

/* Its body has the member 'edit'. */
static void edit_many(struct api_call *call)
{
    start(call, false);
}

static void retry_many(struct api_call *call)
{
    start(call, true);
}

#define FILTER_FIELDS                                                                              \
    API_MAY("queue", "string", "only this queue", .format = API_FORMAT_name),                      \
        API_MAY("state", "array of string or string", "in one of these states",                    \
                .words = JOB_STATES(API_WORD) "open, ended"),                                      \
        API_MAY("labels", "map of string", "with all of these labels"),                            \
        API_MAY("submittedBy", "string",                                                           \
                "only those that this owner of a token submitted; @me: the owner of this one",     \
                .min = 1, .max = FL_NAME_BYTES_MAX),                                               \
        API_MAY("name", "string", "only with this name; each * in it stands for any characters",   \
                .min = 1, .max = FL_JOB_NAME_BYTES_MAX),                                           \
        API_MAY("limit", "integer", "stop when so many jobs are matched", .min = 1,                \
                .max = CANCEL_MAX),                                                                \
        API_MAY("cursor", "string", "go on where an earlier call stopped"),                        \
        API_MAY("dryRun", "boolean", "only counts")

static const struct api_field cancel_fields[] = {FILTER_FIELDS, {0}};

static const struct api_field edit_fields[] = {
    FILTER_FIELDS,
    API_MUST("edit", "JobEdit", "the new values, but for name and labels"),
    {0},
};

static const struct api_field retry_fields[] = {
    FILTER_FIELDS,
    API_MAY("waitForCluster", "boolean",
            "true: accepted even if no enrolled cluster could ever run them"),
    {0},
};

static const struct api_field count_fields[] = {
    API_MUST("dryRun", "boolean", "nothing was changed"),
    API_MUST("matched", "integer", "jobs that the filter names"),
    API_MUST("changed", "integer", "jobs that were cancelled or edited, or run again"),
    API_MAY("unchanged", "integer", "jobs that were as the edit wants them; only of an edit"),
    API_MUST("failed", "integer", "jobs that could not be changed"),
    API_MAY("firstFailure", "BulkFailure", "why the first of these could not; only with 'failed'"),
    API_MUST("more", "boolean", "there are others that it names: call again with 'cursor'"),
    API_MAY("cursor", "string", "where the next call goes on; only with 'more'"),
    {0},
};

static const struct api_field failure_fields[] = {
    API_MAY("job", "string", "its id; only of a retry"),
    API_MUST("code", "string", "the reason in a word, a code as that of a problem"),
    API_MUST("detail", "string", "the reason in a sentence"),
    {0},
};

const struct api_object bulk_failure_object = {
    .name = "BulkFailure",
    .text = "Why a job could not be changed by an action on many.",
    .fields = failure_fields};

const struct api_object bulk_count_object = {
    .name = "BulkCount",
    .text = "The outcome of an action on many jobs.",
    .fields = count_fields,
    .example = "{\"dryRun\":false,\"matched\":5,\"changed\":5,\"failed\":0,\"more\":false}"};

const struct api_route bulk_routes[] = {
    API_ROUTE(API_POST, "/v1/jobs:cancel", API_NEED_cancel, cancel_many, "cancelJobs",
              "cancels the open jobs that a filter names; counts them", .body = cancel_fields,
              .body_max = 16384, .headers = API_TAKES_as, .answer = "BulkCount"),
    API_ROUTE(API_POST, "/v1/jobs:edit", API_NEED_cancel, edit_many, "editJobs",
              "changes the given members of the open jobs that a filter names; counts them",
              .body = edit_fields, .body_max = 16384, .headers = API_TAKES_as,
              .answer = "BulkCount"),
    API_ROUTE(API_POST, "/v1/jobs:retry", API_NEED_submit, retry_many, "retryJobs",
              "runs the ended jobs again that a filter names, without a state those that failed",
              .body = retry_fields, .body_max = 16384, .headers = API_TAKES_key | API_TAKES_as,
              .answer = "BulkCount"),
    {0},
};
