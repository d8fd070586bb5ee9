/* GET /v1/jobs/{job} and its attempts: the core's live state, the store's document and history, as
 * one. */
#include <inttypes.h>
#include <string.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/v1/job_get.h"
#include "controlplane/api/v1/job_json.h"
#include "controlplane/api/v1/job_lookup.h"
#include "controlplane/api/v1/resources.h"

#define ATTEMPTS 100

enum { ATTEMPTS_MAX = READ_ATTEMPTS_MAX };

struct get {
    struct fl_job job;
    bool is_open;
    struct core_job_view view; /* is_open */
    struct fl_str live;        /* JSON: its elements that run or wait for their next attempt */
    struct fl_str sentence;    /* the core's, see core_answer; empty: none */
    struct read_job stored;
    bool has_stored;
    struct fl_str spec;
    struct read_element_count count; /* has_count: an ended array's */
    bool has_count;
};

/* ---- attempts -------------------------------------------------------------------------------- */

static void write_names(struct fl_json_out *json, const char *key, struct fl_str lines)
{
    fl_json_open(json, key, '[');
    while (lines.len > 0) {
        const char *end = memchr(lines.at, '\n', lines.len);
        size_t len = end ? (size_t)(end - lines.at) : lines.len;
        size_t taken = end ? len + 1 : len;

        if (len > 0) fl_json_put_str(json, NULL, (struct fl_str){lines.at, len});
        lines.at += taken;
        lines.len -= taken;
    }
    fl_json_close(json, ']');
}

static void write_attempt(struct api_call *call, struct fl_json_out *json,
                          const struct read_attempt *attempt)
{
    fl_json_open(json, NULL, '{');
    fl_json_put_u64(json, "element", attempt->attempt.element);
    fl_json_put_u64(json, "attempt", attempt->attempt.n);
    job_json_cluster(call, json, attempt->cluster);
    write_names(json, "nodes", attempt->nodes);
    fl_json_put_time(json, "placedAt", attempt->began_at);
    fl_json_put_time(json, "endedAt", attempt->is_ended ? attempt->ended_at : 0);
    if (attempt->is_ended) {
        fl_json_put_cstr(json, "reason", reason_name(attempt->reason));
        fl_json_put_i64(json, "exitCode", attempt->exit_code);
        if (attempt->first_replica != UINT32_MAX) {
            fl_json_put_u64(json, "firstReplica", attempt->first_replica);
        }
        if (attempt->words.len > 0) fl_json_put_str(json, "words", attempt->words);
        job_json_usage(json, &attempt->usage);
        if (attempt->is_last) {
            fl_json_put_cstr(json, "elementState", job_state_name(attempt->state));
        }
    }
    fl_json_close(json, '}');
}

static void write_attempts(struct api_call *call, struct fl_json_out *json,
                           const struct read_attempts *attempts)
{
    fl_json_open(json, "attempts", '[');
    for (size_t i = 0; i < attempts->len; i++) {
        write_attempt(call, json, &attempts->at[i]);
    }
    fl_json_close(json, ']');
    if (attempts->has_more) {
        fl_json_put_cstr(json, "attemptsCursor",
                         fl_arena_printf(&call->arena, "%u.%u", attempts->element, attempts->n));
    }
}

/* The live ones, kept as JSON: the answer of the core is gone by the time it is written. */
static struct fl_str live_json(struct api_call *call, const struct core_answer *answer)
{
    struct fl_json_out *json = api_json(call);

    fl_json_open(json, NULL, '[');
    for (size_t i = 0; i < answer->elements_len; i++) {
        const struct core_element_view *element = &answer->elements[i];

        fl_json_open(json, NULL, '{');
        fl_json_put_u64(json, "element", element->element);
        fl_json_put_u64(json, "attempt", element->attempt);
        fl_json_put_cstr(json, "state", attempt_state_name(element->state));
        if (element->reason != REASON_none) {
            fl_json_put_cstr(json, "reason", reason_name(element->reason));
        }
        if (element->unknown_at != 0) fl_json_put_time(json, "unknownSince", element->unknown_at);
        if (element->wait_until != 0) fl_json_put_time(json, "waitsUntil", element->wait_until);
        job_json_cluster(call, json, element->cluster);
        write_names(json, "nodes", fl_str_c(element->nodes));
        fl_json_open(json, "replicas", '[');
        for (size_t r = 0; r < element->replicas_len; r++) {
            fl_json_put_cstr(json, NULL, fl_replica_state_name(element->replicas[r]));
        }
        fl_json_close(json, ']');
        fl_json_close(json, '}');
    }
    fl_json_close(json, ']');
    return fl_arena_str(&call->arena, (struct fl_str){(const char *)call->out.at, call->out.len});
}

/* ---- one job --------------------------------------------------------------------------------- */

static void answer_job(struct api_call *call, const struct read_attempts *attempts)
{
    struct get *get = call->state;
    struct fl_json_out *json = api_json(call);

    fl_json_open(json, NULL, '{');
    if (get->is_open) {
        job_json_view(call, json, &get->view, get->has_stored ? &get->stored : NULL);
        if (get->sentence.len > 0) fl_json_put_str(json, "sentence", get->sentence);
        fl_json_put_raw(json, "live", get->live);
    } else {
        job_json_stored(call, json, &get->stored,
                        &(struct read_element_counts){.at = &get->count, .len = get->has_count});
    }
    if (get->has_stored) {
        fl_json_put_hex(json, "specDigest", get->stored.row.spec.at,
                        sizeof get->stored.row.spec.at);
        if (get->stored.row.params.len > 0) fl_json_put_raw(json, "params", get->stored.row.params);
    }
    if (get->spec.len > 0) fl_json_put_raw(json, "spec", get->spec);
    write_attempts(call, json, attempts);
    fl_json_close(json, '}');
    api_answer(call);
}

static void read_attempts_of(struct api_call *call)
{
    const struct get *get = call->state;
    struct read_attempts_query query = {.job = get->is_open ? get->view.job : get->stored.job,
                                        .len_max = ATTEMPTS};

    call_reads_attempts(call, &query, answer_job);
}

static void on_counts(struct api_call *call, const struct read_element_counts *counts)
{
    struct get *get = call->state;

    get->has_count = counts->len == 1;
    if (get->has_count) get->count = counts->at[0];
    read_attempts_of(call);
}

static void on_spec(struct api_call *call, struct fl_str body)
{
    struct get *get = call->state;
    uint32_t room = READ_ELEMENTS_MAX;

    get->spec = fl_arena_str(&call->arena, body);
    if (!get->is_open && job_json_wants_counts(&get->stored, &room)) {
        call_reads_counts(call, &get->stored.job, 1, on_counts);
    } else {
        read_attempts_of(call);
    }
}

static void on_stored(struct api_call *call, const struct read_job *job)
{
    struct get *get = call->state;

    if (job && !get->is_open && !job->is_ended) {
        /* A reload has lost sight of it for a moment. */
        api_fail(call, FL_UNAVAILABLE, "the state of the job is being read, ask again");
    } else if (job) {
        get->has_stored = true;
        get->stored = read_job_copy(job, &call->arena);
        call_reads_spec(call, job->job, job->row.spec, on_spec);
    } else if (get->is_open) {
        on_spec(call, (struct fl_str){0});
    } else {
        api_absent(call);
    }
}

static void on_view(struct api_call *call, const struct core_answer *answer)
{
    struct get *get = call->state;

    get->is_open = answer->code == FL_OK && answer->jobs_len == 1;
    if (get->is_open) {
        get->view = answer->jobs[0];
        call->tag = fl_arena_printf(&call->arena, "%" PRIu32, get->view.revision);
        if (answer->sentence) {
            get->sentence = fl_arena_str(&call->arena, fl_str_c(answer->sentence));
        }
        get->live = live_json(call, answer);
    }
    call_reads_job(call, get->job, on_stored);
}

void job_answer(struct api_call *call, struct fl_job job)
{
    struct get *get = fl_arena_new(&call->arena, struct get);
    struct engine_event *event = api_event(call, CORE_EV_read_job);

    get->job = job;
    call->state = get;
    event->event.job.job = job;
    api_ask_any(call, event, on_view);
}

static void answer_stored(struct api_call *call, const struct read_job *job)
{
    call->state = fl_arena_new(&call->arena, struct get);
    on_stored(call, job);
}

static void get_job(struct api_call *call)
{
    job_lookup(call, job_answer, answer_stored);
}

/* ---- further attempts ------------------------------------------------------------------------ */

static void answer_attempts(struct api_call *call, const struct read_attempts *attempts)
{
    struct fl_json_out *json = api_json(call);

    fl_json_open(json, NULL, '{');
    write_attempts(call, json, attempts);
    fl_json_close(json, '}');
    api_answer(call);
}

/* "7.2": behind attempt 2 of element 7. */
static bool read_cursor(struct api_call *call, uint64_t *ret_element, uint64_t *ret_n)
{
    struct fl_str text = api_query(call, "cursor");
    const char *dot = text.len > 0 ? memchr(text.at, '.', text.len) : NULL;

    *ret_element = *ret_n = 0;
    if (text.len == 0) return true;
    if (dot && fl_str_parse_u64((struct fl_str){text.at, (size_t)(dot - text.at)}, ret_element) &&
        fl_str_parse_u64((struct fl_str){dot + 1, text.len - (size_t)(dot + 1 - text.at)}, ret_n) &&
        *ret_element <= UINT32_MAX && *ret_n <= UINT16_MAX) {
        return true;
    }
    api_fail_parameter(call, "cursor", "not a cursor of a list of attempts", text,
                       "'attemptsCursor' of the page before");
    return false;
}

static enum job_state state_of(struct fl_str text)
{
    if (fl_str_eq(text, FL_STR("succeeded"))) return JOB_succeeded;
    if (fl_str_eq(text, FL_STR("failed"))) return JOB_failed;
    return text.len > 0 ? JOB_cancelled : 0;
}

static void attempts_of(struct api_call *call, struct fl_job job)
{
    uint64_t element, n;

    if (!read_cursor(call, &element, &n)) return;
    call_reads_attempts(call,
                        &(struct read_attempts_query){.job = job,
                                                      .element = (uint32_t)element,
                                                      .n = (uint16_t)n,
                                                      .len_max = api_query_u64(call, "limit"),
                                                      .state = state_of(api_query(call, "state"))},
                        answer_attempts);
}

static void attempts_of_ended(struct api_call *call, const struct read_job *job)
{
    attempts_of(call, job->job);
}

static void list_attempts(struct api_call *call)
{
    job_lookup(call, attempts_of, attempts_of_ended);
}

static const struct api_field page_query[] = {
    API_MAY("cursor", "string",
            "where the page begins: 'attemptsCursor' of the page before; empty: at the first"),
    API_MAY("limit", "integer", "the most of one page", .min = 1, .max = ATTEMPTS_MAX,
            .preset = ATTEMPTS),
    API_MAY("state", "string",
            "only the attempts with which an element ended in this state; without it, all attempts",
            .words = "succeeded, failed, cancelled"),
    {0},
};

static const struct api_field page_fields[] = {
    API_MUST("attempts", "array of Attempt", "by element and number"),
    API_MAY("attemptsCursor", "string",
            "where the next page begins; absent on the last.  With a state a page may be short "
            "before it, and empty if none of " FL_QUOTE(READ_ENDS_MAX) " elements ended so"),
    {0},
};

const struct api_object attempt_page_object = {
    .name = "AttemptPage", .text = "A page of attempts.", .fields = page_fields};

const struct api_route job_get_routes[] = {
    API_ROUTE(
        API_GET, "/v1/jobs/{job}", API_NEED_read, get_job, "getJob",
        "shows one job: state, spec, what is live, and its first " FL_QUOTE(ATTEMPTS) " attempts",
        .answer = "Job"),
    API_ROUTE(API_GET, "/v1/jobs/{job}/attempts", API_NEED_read, list_attempts, "listAttempts",
              "lists its attempts with cluster, nodes, times and exit code", .query = page_query,
              .answer = "AttemptPage"),
    {0},
};
