/* PATCH /v1/jobs/{job}: an open job gets another queue, priority, deadline, parallelism, name or
 * labels, or is held.
 *
 *   the core's view: its revision ──> its row: name and labels ──> the edit, of that revision
 *                        ^                                              │
 *                        └── another edit came between, and no If-Match ┘
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/idempotency.h"
#include "controlplane/api/v1/job_edit_values.h"
#include "controlplane/api/v1/job_get.h"
#include "controlplane/api/v1/job_lookup.h"
#include "controlplane/api/v1/resources.h"
#include "controlplane/api/v1/submit_item.h"
#include "shared/spec/job_edit.h"
#include "shared/wire/http_head.h"

enum { TRIES = 5 };

/* No job was edited so often. */
#define NO_REVISION UINT32_MAX

struct edit {
    const struct fl_json *body;
    struct fl_job job;
    bool has_ended;
    enum job_state state; /* in which it ended */
    uint32_t revision;
    bool did_match; /* If-Match, when its revision was read */
    uint32_t tries;
};

static bool names(const struct edit *edit, const char *member)
{
    return fl_json_member(edit->body, fl_str_c(member)) != NULL;
}

/* ---- If-Match -------------------------------------------------------------------------------- */

/* The ETag of a job begins with its revision, since the rest of it changes by itself: "3.8f..."
 * and "3" are alike here. */
static bool is_tag_of(struct fl_str tag, uint32_t revision)
{
    char text[16];
    size_t len = (size_t)snprintf(text, sizeof text, "\"%" PRIu32, revision);

    return tag.len > len && memcmp(tag.at, text, len) == 0 &&
           (tag.at[len] == '"' || tag.at[len] == '.');
}

/* False: its text is no list of tags. */
static bool read_match(struct fl_str list, uint32_t revision, bool *ret_matches)
{
    bool matches = list.len == 0 || fl_str_eq(list, FL_STR("*"));
    struct fl_str tag;

    while (!matches && fl_http_etag_next(&list, &tag)) {
        matches = is_tag_of(tag, revision);
    }
    *ret_matches = matches;
    return matches || list.len == 0;
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void read_revision(struct api_call *call, struct fl_job job);

static void done(struct api_call *call, const struct core_answer *answer)
{
    struct edit *edit = call->state;

    if (answer->code == FL_OK) {
        job_answer(call, edit->job);
    } else if (edit->has_ended) {
        job_fail_ended(call, edit->state);
    } else if (answer->code == FL_ABSENT) {
        api_fail(call, FL_CONFLICT, "the job has just ended: nothing of it was changed");
    } else if (answer->code == FL_INVALID && names(edit, "queue")) {
        job_edit_fail_queue(call, fl_json_member(edit->body, FL_STR("queue"))->text,
                            "/queue"); /* all else that may be invalid was read here */
    } else if (answer->code != FL_CHANGED) {
        api_fail(call, answer->code, "%s",
                 answer->text ? answer->text : fl_code_meaning(answer->code));
    } else if (api_header(call, "if-match").len > 0 && edit->did_match) {
        api_fail(call, FL_CHANGED,
                 "somebody else has just edited the job; read it, and decide again");
    } else if (api_header(call, "if-match").len > 0) {
        api_fail(call, FL_CHANGED,
                 "the job is not as If-Match says: its revision is %" PRIu32
                 " now; read it, and decide again",
                 edit->revision);
    } else if (++edit->tries < TRIES) {
        read_revision(call, edit->job);
    } else {
        api_fail(call, FL_CHANGED, "others edit this job at the same time; try again");
    }
}

/* ---- the edit -------------------------------------------------------------------------------- */

/* 'job': as it is stored; 'spec': as it is to be. */
static void send_edit(struct api_call *call, const struct read_job *job,
                      const struct fl_job_spec *spec)
{
    struct edit *edit = call->state;
    struct engine_event *event = api_event(call, CORE_EV_edit);
    struct fl_err err = {0};

    if (!read_match(api_header(call, "if-match"), edit->revision, &edit->did_match)) {
        engine_event_destroy(event);
        api_fail_header(call, "If-Match", "no list of ETags", api_header(call, "if-match"),
                        "the ETag of the job, or its revision in double quotes");
        return;
    }
    if (!submit_labels(&spec->labels, &event->arena, &event->event.edit.labels, &err)) {
        engine_event_destroy(event);
        api_fail(call, err.code, "%s", err.text);
        return;
    }
    event->event.edit.name = fl_arena_str(&event->arena, spec->name);
    event->event.edit.job = edit->job;
    event->event.edit.revision = edit->did_match ? edit->revision : NO_REVISION;
    job_edit_fill(event, edit->body, spec);
    event->event.edit.sets_words = !fl_str_eq(event->event.edit.name, job->row.name) ||
                                   !fl_str_eq(event->event.edit.labels, job->row.labels);
    if (api_idempotent(call, event)) api_ask_any(call, event, done);
}

static void on_stored(struct api_call *call, const struct read_job *job)
{
    struct edit *edit = call->state;
    struct fl_problems problems = {0};
    struct fl_job_spec spec = {0};

    if (!job) {
        api_fail(call, FL_UNAVAILABLE, "the job is being stored, try again");
        return;
    }
    spec.name = fl_arena_str(&call->arena, job->row.name);
    spec.labels = fl_text_map_of_lines(fl_arena_str(&call->arena, job->row.labels), &call->arena);
    if (!fl_job_edit_parse(edit->body, &call->arena, &spec, &problems)) {
        api_fail_problems(call, &problems);
    } else if (!names(edit, "queue") || job_edit_may_move(call, spec.queue, "/queue")) {
        send_edit(call, job, &spec);
    }
}

static void on_view(struct api_call *call, const struct core_answer *answer)
{
    struct edit *edit = call->state;

    edit->revision =
        answer->code == FL_OK && answer->jobs_len == 1 ? answer->jobs[0].revision : NO_REVISION;
    call_reads_job(call, edit->job, on_stored);
}

/* Its row is read behind this, so its words are those of this revision, or of a later one, and then
 * the core refuses the edit. */
static void read_revision(struct api_call *call, struct fl_job job)
{
    struct edit *edit = call->state;
    struct engine_event *event = api_event(call, CORE_EV_read_job);

    edit->job = job;
    event->event.job.job = job;
    api_ask_any(call, event, on_view);
}

/* With a key the engine is asked nonetheless: this may be the repetition of a request that came
 * before the job's end. */
static void ended(struct api_call *call, const struct read_job *job)
{
    struct edit *edit = call->state;

    edit->job = job->job;
    edit->has_ended = true;
    edit->state = job->state;
    edit->revision = NO_REVISION;
    if (api_header(call, "idempotency-key").len > 0) {
        on_stored(call, job);
    } else {
        job_fail_ended(call, edit->state);
    }
}

static void edit_job(struct api_call *call)
{
    struct edit *edit = fl_arena_new(&call->arena, struct edit);

    edit->body = api_body_json(call, false);
    if (!edit->body) return;
    call->state = edit;
    job_lookup(call, read_revision, ended);
}

/* ---- its description ------------------------------------------------------------------------- */

static const struct api_field edit_fields[] = {
    API_MAY("name", "string or null", "for people; null: none"),
    API_MAY("queue", "string", "where it waits; the token needs the scope submit"),
    API_MAY("priority", "integer", "within its queue, the higher goes first"),
    API_MAY("deadline", "string or integer or null",
            "the longest time from its first start, like 1h30m, or seconds; null: none.  Not once "
            "it has started"),
    API_MAY(
        "parallelism", "integer or null",
        "so many elements of an array run at the same time; null: all.  Fewer than run now stops "
        "none: the others start later"),
    API_MAY("labels", "object or null",
            "labels that are given come over those that there are, null takes one away; null for "
            "all: none is left"),
    API_MAY("hold", "boolean", "it starts nothing more; false: it may start"),
    {0},
};

const struct api_object job_edit_object = {
    .name = "JobEdit",
    .text = "The new values of members of an open job.  A member that is left out stays.",
    .fields = edit_fields,
    .example = "{\"priority\":10,\"labels\":{\"team\":\"vision\",\"try\":null}}"};

const struct api_route job_edit_routes[] = {
    API_ROUTE(API_PATCH, "/v1/jobs/{job}", API_NEED_cancel, edit_job, "editJob",
              "changes the given members of an open job; its attempts that run go on",
              .schema = "JobEdit", .body_max = 65536, .headers = API_TAKES_key | API_TAKES_match,
              .answer = "Job", .may_conflict = true),
    {0},
};
