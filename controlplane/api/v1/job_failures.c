/* GET /v1/jobs/{job}/failures: the failed elements of a job, grouped by how they failed. */
#include <stdio.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/call_reads.h"
#include "controlplane/api/failure_groups.h"
#include "controlplane/api/v1/job_lookup.h"
#include "controlplane/api/v1/resources.h"
#include "shared/base/job_name.h"

#define SHOWN_MAX 200 /* groups of an answer */

enum {
    PAGES_MAX = 400, /* pages read for an answer */
    RUNS_BYTES_MAX = FAILURE_RUNS_MAX * 20,
};

struct state {
    struct fl_job job;
    struct failure_groups *groups;
    unsigned pages;
};

/* ---- the answer ------------------------------------------------------------------------------ */

/* "0-3,7" */
static void write_runs(struct fl_json_out *json, const struct failure_group *group)
{
    char text[RUNS_BYTES_MAX];
    size_t len = 0;

    for (size_t i = 0; i < group->runs_len; i++) {
        const struct failure_run *run = &group->runs[i];
        char last[12] = "";

        if (run->last > run->first) snprintf(last, sizeof last, "-%u", run->last);
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%u%s", i > 0 ? "," : "",
                                run->first, last);
    }
    fl_json_put_str(json, "elements", (struct fl_str){text, len});
    fl_json_put_bool(json, "hasMoreElements", group->has_more_runs);
}

static void write_group(struct fl_json_out *json, const struct failure_group *group)
{
    const struct read_failure *first = &group->first;

    fl_json_open(json, NULL, '{');
    fl_json_put_cstr(json, "id", group->id);
    fl_json_put_u64(json, "count", group->count);
    fl_json_put_cstr(json, "reason", reason_name(first->reason));
    if (first->exit_code == 0) {
        fl_json_put_null(json, "exitCode");
    } else {
        fl_json_put_i64(json, "exitCode", first->exit_code);
    }
    fl_json_put_str(json, "line", first->words);
    fl_json_put_cstr(json, "pattern", group->pattern);
    write_runs(json, group);
    fl_json_open(json, "first", '{');
    fl_json_put_u64(json, "element", first->element);
    fl_json_put_u64(json, "attempt", first->attempt);
    if (first->first_replica == UINT32_MAX) {
        fl_json_put_null(json, "replica");
    } else {
        fl_json_put_u64(json, "replica", first->first_replica);
    }
    fl_json_close(json, '}');
    fl_json_close(json, '}');
}

static void answer(struct api_call *call, bool is_read)
{
    struct state *state = call->state;
    struct fl_json_out *json = api_json(call);
    char job[FL_JOB_NAME_MAX];
    size_t len;
    const struct failure_group *const *groups = failure_groups_sorted(state->groups, &len);
    uint32_t rest = failure_groups_failed(state->groups);

    fl_job_name(state->job, job);
    fl_json_open(json, NULL, '{');
    fl_json_put_cstr(json, "job", job);
    fl_json_put_u64(json, "failed", rest);
    fl_json_open(json, "groups", '[');
    for (size_t i = 0; i < len && i < SHOWN_MAX; i++) {
        write_group(json, groups[i]);
        rest -= groups[i]->count;
    }
    fl_json_close(json, ']');
    fl_json_put_u64(json, "others", rest);
    fl_json_put_bool(json, "isWhole", is_read && failure_groups_apart(state->groups) == 0);
    fl_json_close(json, '}');
    api_answer(call);
}

/* ---- the question ---------------------------------------------------------------------------- */

static void on_end(struct api_call *call)
{
    struct state *state = call->state;

    failure_groups_destroy(state->groups);
    state->groups = NULL;
}

static void on_page(struct api_call *call, const struct read_failures *page)
{
    struct state *state = call->state;

    for (size_t i = 0; i < page->len; i++) {
        failure_groups_add(state->groups, &page->at[i]);
    }
    if (page->has_more && ++state->pages < PAGES_MAX) {
        call_reads_failures(call, state->job, page->next, on_page);
    } else {
        answer(call, !page->has_more);
    }
}

static void read_all(struct api_call *call, struct fl_job job)
{
    struct state *state = call->state;

    state->job = job;
    state->groups = failure_groups_create();
    call->on_end = on_end;
    call_reads_failures(call, job, 0, on_page);
}

static void ended(struct api_call *call, const struct read_job *job)
{
    read_all(call, job->job);
}

static void list_failures(struct api_call *call)
{
    call->state = fl_arena_new(&call->arena, struct state);
    job_lookup(call, read_all, ended);
}

/* ---- the shapes ------------------------------------------------------------------------------ */

static const struct api_field first_fields[] = {
    API_MUST("element", "integer", "its number"),
    API_MUST("attempt", "integer", "its last attempt"),
    API_MUST("replica", "integer or null", "the replica that failed first; null: none did"),
    {0},
};

const struct api_object failed_element_object = {
    .name = "FailedElement", .text = "An element that failed.", .fields = first_fields};

static const struct api_field group_fields[] = {
    API_MUST("id", "string",
             "names the group in a retry; the same as long as reason, exit code and pattern are"),
    API_MUST("count", "integer", "so many elements failed so"),
    API_MUST("reason", "string", "how their last attempts ended, in a word: see reasons.md"),
    API_MUST("exitCode", "integer or null",
             "the replica that failed first ended with it; null: it ended without one"),
    API_MUST("line", "string",
             "the last error line of one of them, or what its cluster said; may be empty"),
    API_MUST(
        "pattern", "string",
        "the line with placeholders in angle brackets for numbers, times, addresses and paths: "
        "all that counts of it"),
    API_MUST("elements", "string", "which ones, as 0-3,7"),
    API_MUST("hasMoreElements", "boolean", "further elements are not named"),
    API_MUST("first", "FailedElement", "the one with the lowest number, whose line that is"),
    {0},
};

const struct api_object failure_group_object = {
    .name = "FailureGroup", .text = "Elements that failed alike.", .fields = group_fields};

static const struct api_field failures_fields[] = {
    API_MUST("job", "string", "the job"),
    API_MUST("failed", "integer", "so many elements failed"),
    API_MUST("groups", "array of FailureGroup",
             "the most frequent first, " FL_QUOTE(SHOWN_MAX) " at most"),
    API_MUST("others", "integer", "so many of them are in no group of this answer"),
    API_MUST("isWhole", "boolean",
             "false: there are more failures than one answer reads, or more than " FL_QUOTE(
                 FAILURE_GROUPS_MAX) " groups, so a count may be too low"),
    {0},
};

const struct api_object failures_object = {
    .name = "Failures",
    .text = "The failed elements of a job, grouped by how they failed.",
    .fields = failures_fields,
    .example =
        "{\"job\":\"job-7k\",\"failed\":3,\"groups\":[{\"id\":\"c5815f26a855\",\"count\":3,"
        "\"reason\":\"ReplicaFailed\",\"exitCode\":1,\"line\":\"ValueError: bad row 17\","
        "\"pattern\":\"ValueError: bad row <n>\",\"elements\":\"0-1,7\",\"hasMoreElements\":false,"
        "\"first\":{\"element\":0,\"attempt\":1,\"replica\":0}}],\"others\":0,\"isWhole\":true}"};

const struct api_route job_failure_routes[] = {
    API_ROUTE(API_GET, "/v1/jobs/{job}/failures", API_NEED_read, list_failures, "listFailures",
              "groups its failed elements by reason, exit code and last error line",
              .answer = "Failures"),
    {0},
};
