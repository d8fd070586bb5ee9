/* GET /v1/jobs: open jobs from the core, the newest first, then ended ones from the store,
 * likewise.  A page may be short and still have a cursor: then there is more to look at.  The
 * request looks on, LOOKS_MAX times, until a job passes the filter. */
#include <stdio.h>
#include <string.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/auth.h"
#include "controlplane/api/cursor.h"
#include "controlplane/api/v1/job_filter.h"
#include "controlplane/api/v1/job_json.h"
#include "controlplane/api/v1/resources.h"
#include "controlplane/views/directory.h"

#define LOOKED_MAX 100000 /* jobs that one request looks at */

enum {
    PAGE = 50,
    PAGE_MAX = 1000,
    COUNTED_MAX = 50000,              /* elements, in all of a page */
    LOOKS_MAX = LOOKED_MAX / PAGE_MAX /* at up to PAGE_MAX jobs each */
};

_Static_assert((int)PAGE_MAX <= (int)READ_ELEMENTS_JOBS_MAX &&
                   (int)COUNTED_MAX <= (int)READ_ELEMENTS_MAX,
               "one question asks for all");

struct list {
    struct job_filter filter;
    struct api_cursor cursor;
    uint64_t limit;
    size_t looks;
    struct core_job_view *views; /* the open jobs that pass the filter, labels left out */
    size_t views_len;
    uint64_t next; /* where the core's list goes on; 0: it is over */
    struct fl_job *ids;
    struct read_element_counts counts; /* the ended arrays' */
};

static void look(struct api_call *call);

static void answer_begin(struct api_call *call)
{
    struct fl_json_out *json = api_json(call);

    fl_json_open(json, NULL, '{');
    fl_json_open(json, "jobs", '[');
}

static void answer_end(struct api_call *call, bool has_next, struct api_cursor next)
{
    char cursor[API_CURSOR_BYTES];

    fl_json_close(&call->json, ']');
    if (has_next) {
        api_cursor_print(next, cursor);
        fl_json_put_cstr(&call->json, "cursor", cursor);
    }
    fl_json_close(&call->json, '}');
    api_answer(call);
}

/* False: it has looked often enough, so that an empty page is the answer. */
static bool looks_on(struct api_call *call, struct api_cursor at)
{
    struct list *list = call->state;

    if (++list->looks == LOOKS_MAX) return false;
    list->cursor = at;
    look(call);
    return true;
}

/* ---- ended ones ------------------------------------------------------------------------------ */

static void on_ended_documents(struct api_call *call, const struct read_jobs *jobs)
{
    struct list *list = call->state;

    answer_begin(call);
    /* In the order of the page, which the documents do not have. */
    for (size_t i = 0; i < list->views_len; i++) {
        for (size_t k = 0; k < jobs->len; k++) {
            if (jobs->at[k].job.n != list->ids[i].n) continue;
            fl_json_open(&call->json, NULL, '{');
            job_json_stored(call, &call->json, &jobs->at[k], &list->counts);
            fl_json_close(&call->json, '}');
        }
    }
    answer_end(call, list->next != 0, (struct api_cursor){API_CURSOR_ended, list->next});
}

static void on_ended_counts(struct api_call *call, const struct read_element_counts *counts)
{
    struct list *list = call->state;
    struct read_element_count *copy =
        fl_arena_array(&call->arena, struct read_element_count, counts->len);

    for (size_t i = 0; i < counts->len; i++) {
        copy[i] = counts->at[i];
    }
    list->counts = (struct read_element_counts){.at = copy, .len = counts->len};
    call_reads_jobs(call, list->ids, list->views_len, on_ended_documents);
}

static void on_ended_page(struct api_call *call, const struct read_jobs *jobs)
{
    struct list *list = call->state;
    struct fl_job *arrays = fl_arena_array(&call->arena, struct fl_job, jobs->len);
    uint32_t room = COUNTED_MAX;
    size_t arrays_len = 0;

    list->next = jobs->next;
    list->ids = fl_arena_array(&call->arena, struct fl_job, jobs->len);
    list->views_len = 0;
    for (size_t i = 0; i < jobs->len; i++) {
        if (list->views_len == list->limit) {
            list->next = jobs->at[i - 1].job.n; /* the next page begins below what this one gives */
            break;
        }
        list->ids[list->views_len++] = jobs->at[i].job;
        if (job_json_wants_counts(&jobs->at[i], &room)) arrays[arrays_len++] = jobs->at[i].job;
    }
    if (list->views_len == 0 && list->next != 0 &&
        looks_on(call, (struct api_cursor){API_CURSOR_ended, list->next})) {
        return;
    }
    if (list->views_len == 0) {
        on_ended_documents(call, &(struct read_jobs){0});
    } else if (arrays_len > 0) {
        call_reads_counts(call, arrays, arrays_len, on_ended_counts);
    } else {
        call_reads_jobs(call, list->ids, list->views_len, on_ended_documents);
    }
}

static void read_ended(struct api_call *call)
{
    struct list *list = call->state;
    struct read_jobs_query query = {
        .tenant = call->token.tenant,
        .queue = list->filter.queue,
        .states = list->filter.ended_states,
        .labels = list->filter.labels,
        .owner = list->filter.owner,
        .name = list->filter.name,
        .before = list->cursor.job,
    };

    call_reads_page(call, &query, on_ended_page);
}

/* ---- open ones ------------------------------------------------------------------------------- */

/* Where the list goes on behind what was looked at; false: nowhere. */
static bool behind_open(const struct list *list, struct api_cursor *ret_cursor)
{
    *ret_cursor = (struct api_cursor){API_CURSOR_open, list->next};
    if (list->next != 0) return true;
    *ret_cursor = (struct api_cursor){API_CURSOR_ended, 0};
    return list->filter.wants_ended;
}

static void answer_open(struct api_call *call, size_t given)
{
    struct api_cursor next;
    bool goes_on = behind_open(call->state, &next);

    if (given == 0 && goes_on && looks_on(call, next)) return;
    answer_end(call, goes_on, next);
}

static const struct read_job *stored_of(const struct read_jobs *jobs, struct fl_job job)
{
    for (size_t i = 0; i < jobs->len; i++) {
        if (jobs->at[i].job.n == job.n) return &jobs->at[i];
    }
    return NULL;
}

static void on_open_documents(struct api_call *call, const struct read_jobs *jobs)
{
    struct list *list = call->state;
    size_t given = 0;

    answer_begin(call);
    for (size_t i = 0; i < list->views_len; i++) {
        const struct read_job *stored = stored_of(jobs, list->views[i].job);
        bool passes = !job_filter_needs_stored(&list->filter) ||
                      (stored && job_filter_stored(&list->filter, stored));

        if (!passes) continue;
        if (given == list->limit) {
            list->next =
                list->views[i - 1].job.n; /* the next page begins below what is looked at */
            break;
        }
        fl_json_open(&call->json, NULL, '{');
        job_json_view(call, &call->json, &list->views[i], stored);
        fl_json_close(&call->json, '}');
        given++;
    }
    answer_open(call, given);
}

/* A filter that the core can apply makes the page full with 'limit' of them. */
static void take_views(struct api_call *call, const struct core_answer *answer)
{
    struct list *list = call->state;
    bool may_be_more = job_filter_needs_stored(&list->filter);

    list->next = answer->next;
    list->views_len = 0;
    for (size_t i = 0; i < answer->jobs_len && i < PAGE_MAX; i++) {
        const struct core_job_view *view = &answer->jobs[i];

        if (view->tenant.n != call->token.tenant.n || !job_filter_open(&list->filter, view)) {
            continue;
        }
        if (list->views_len == list->limit && !may_be_more) {
            list->next = list->views[list->views_len - 1].job.n;
            break;
        }
        list->ids[list->views_len] = view->job;
        list->views[list->views_len++] = *view;
    }
}

static void on_open_page(struct api_call *call, const struct core_answer *answer)
{
    struct list *list = call->state;

    take_views(call, answer);
    if (list->views_len == 0) {
        answer_begin(call);
        answer_open(call, 0);
    } else {
        call_reads_jobs(call, list->ids, list->views_len, on_open_documents);
    }
}

/* A filter that the core does not know is for more jobs than a page has. */
static void read_open(struct api_call *call)
{
    struct list *list = call->state;
    struct engine_event *event = api_event(call, CORE_EV_list_jobs);
    bool is_narrow = list->filter.open_states != 0 || job_filter_needs_stored(&list->filter);
    uint64_t len_max = is_narrow ? PAGE_MAX : list->limit;

    if (!list->views) {
        list->views = fl_arena_array(&call->arena, struct core_job_view, len_max);
        list->ids = fl_arena_array(&call->arena, struct fl_job, len_max);
    }
    event->event.list_jobs.queue = fl_arena_str(&event->arena, list->filter.queue_name);
    event->event.list_jobs.before = list->cursor.job;
    event->event.list_jobs.len_max = len_max;
    api_ask(call, event, on_open_page);
}

static void look(struct api_call *call)
{
    const struct list *list = call->state;

    if (list->cursor.part == API_CURSOR_open) {
        read_open(call);
    } else {
        read_ended(call);
    }
}

static void list_jobs(struct api_call *call)
{
    struct list *list = fl_arena_new(&call->arena, struct list);
    struct fl_str cursor = api_query(call, "cursor");

    call->state = list;
    if (!job_filter_query(call, &list->filter)) return;
    list->limit = api_query_u64(call, "limit");
    list->cursor =
        (struct api_cursor){list->filter.wants_open ? API_CURSOR_open : API_CURSOR_ended, 0};
    if (cursor.len > 0 && !api_cursor_parse(cursor, &list->cursor)) {
        api_fail_parameter(call, "cursor", "not a cursor of a list of jobs", cursor,
                           "'cursor' of the page before");
        return;
    }
    look(call);
}

static const struct api_field list_query[] = {
    API_MAY("queue", "string", "only this queue"),
    API_MAY("state", "string",
            "in one of these states, separated by commas; 'open' and 'ended' stand for several"),
    API_MAY("label", "string", "with these labels, 'key=value' separated by commas"),
    API_MAY("submittedBy", "string",
            "only those that this owner of a token submitted; @me: the owner of this one", .min = 1,
            .max = READ_JOBS_OWNER_BYTES_MAX),
    API_MAY("name", "string", "only with this name; each * in it stands for any characters",
            .min = 1, .max = FL_JOB_NAME_BYTES_MAX),
    API_MAY("cursor", "string",
            "where the page begins: 'cursor' of the page before; empty: at the first"),
    API_MAY("limit", "integer", "the most of one page", .min = 1, .max = PAGE_MAX, .preset = PAGE),
    {0},
};

static const struct api_field page_fields[] = {
    API_MUST("jobs", "array of Job", "open ones, the newest first, then ended ones likewise"),
    API_MAY("cursor", "string",
            "where the next page begins; absent on the last.  A page may be short before it, and "
            "empty if the filter passes none of " FL_QUOTE(LOOKED_MAX) " jobs"),
    {0},
};

const struct api_object job_page_object = {
    .name = "JobPage", .text = "A page of jobs.", .fields = page_fields};

const struct api_route job_list_routes[] = {
    API_ROUTE(API_GET, "/v1/jobs", API_NEED_read, list_jobs, "listJobs",
              "lists jobs: open ones, the newest first, then ended ones likewise; a page may be "
              "short, and goes on as long as it has a cursor",
              .query = list_query, .answer = "JobPage"),
    {0},
};
