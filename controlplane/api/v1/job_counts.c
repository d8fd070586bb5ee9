/* GET /v1/jobs:counts: jobs counted by the value of a label.  It walks down the newest jobs, page
 * by page and on the front's own connection for reading, and stops at LOOKED_MAX. */
#include <string.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/call_reads.h"
#include "controlplane/api/label_counts.h"
#include "controlplane/api/v1/job_filter.h"
#include "controlplane/api/v1/resources.h"

#define LOOKED_MAX 100000 /* jobs that one request looks at */
#define BY_ALLOWED "label:KEY, with the key of a label"

enum { LOOKS_MAX = LOOKED_MAX / READ_JOBS_WALK_MAX };

struct asked {
    struct job_filter filter;
    struct label_counts *counts;
    uint64_t before;
    unsigned looks;
};

/* ---- the answer ------------------------------------------------------------------------------ */

static void put_sums(struct fl_json_out *json, const struct label_sums *sums)
{
    fl_json_put_u64(json, "jobs", sums->jobs);
#define STATE(name) fl_json_put_u64(json, #name, sums->in_state[LABEL_COUNT_##name]);
    LABEL_COUNT_STATES(STATE)
#undef STATE
}

static void put_member(struct fl_json_out *json, const char *name, struct label_sums sums)
{
    fl_json_open(json, name, '{');
    put_sums(json, &sums);
    fl_json_close(json, '}');
}

static void answer(struct api_call *call, bool is_read)
{
    const struct asked *asked = call->state;
    struct fl_json_out *json = api_json(call);
    size_t len;
    const struct label_count *const *values = label_counts_sorted(asked->counts, &len);

    fl_json_open(json, NULL, '{');
    fl_json_put_str(json, "by", api_query(call, "by"));
    fl_json_open(json, "values", '[');
    for (size_t i = 0; i < len; i++) {
        fl_json_open(json, NULL, '{');
        fl_json_put_str(json, "value", values[i]->value);
        put_sums(json, &values[i]->sums);
        fl_json_close(json, '}');
    }
    fl_json_close(json, ']');
    put_member(json, "without", label_counts_without(asked->counts));
    put_member(json, "others", label_counts_others(asked->counts));
    put_member(json, "total", label_counts_total(asked->counts));
    fl_json_put_bool(json, "isWhole", is_read);
    fl_json_close(json, '}');
    api_answer(call);
}

/* ---- the question ---------------------------------------------------------------------------- */

static void on_end(struct api_call *call)
{
    struct asked *asked = call->state;

    label_counts_destroy(asked->counts);
    asked->counts = NULL;
}

static void look(struct api_call *call);

static void on_page(struct api_call *call, const struct read_jobs *jobs)
{
    struct asked *asked = call->state;

    for (size_t i = 0; i < jobs->len; i++) {
        label_counts_add(asked->counts, &jobs->at[i]);
    }
    asked->before = jobs->next;
    if (jobs->next != 0 && ++asked->looks < LOOKS_MAX) {
        look(call);
    } else {
        answer(call, jobs->next == 0);
    }
}

static void look(struct api_call *call)
{
    const struct asked *asked = call->state;
    struct read_jobs_query query = {
        .tenant = call->token.tenant,
        .queue = asked->filter.queue,
        .with_open = true,
        .labels = asked->filter.labels,
        .owner = asked->filter.owner,
        .name = asked->filter.name,
        .before = asked->before,
    };

    call_reads_page(call, &query, on_page);
}

static bool read_key(struct api_call *call, struct fl_str *ret_key)
{
    struct fl_str by = api_query(call, "by"), label = FL_STR("label:");
    struct fl_str key = {by.at + label.len, by.len - label.len};

    if (by.len > label.len && memcmp(by.at, label.at, label.len) == 0 &&
        !memchr(key.at, '=', key.len)) {
        *ret_key = key;
        return true;
    }
    api_fail_parameter(call, "by", "nothing to count by", by, BY_ALLOWED);
    return false;
}

static void count_jobs(struct api_call *call)
{
    struct asked *asked = fl_arena_new(&call->arena, struct asked);
    struct fl_str key;

    call->state = asked;
    if (!read_key(call, &key) || !job_filter_query(call, &asked->filter)) return;
    asked->counts = label_counts_create(key);
    call->on_end = on_end;
    look(call);
}

static const struct api_field counts_query[] = {
    API_MUST("by", "string", "the label to count by: " BY_ALLOWED),
    API_MAY("queue", "string", "only this queue"),
    API_MAY("label", "string", "with these labels, 'key=value' separated by commas"),
    API_MAY("submittedBy", "string",
            "only those that this owner of a token submitted; @me: the owner of this one", .min = 1,
            .max = READ_JOBS_OWNER_BYTES_MAX),
    API_MAY("name", "string", "only with this name; each * in it stands for any characters",
            .min = 1, .max = FL_JOB_NAME_BYTES_MAX),
    {0},
};

#define SUMS_FIELDS                                                                                \
    API_MUST("jobs", "integer", "all of them"),                                                    \
        API_MUST("open", "integer", "those that have not ended"),                                  \
        API_MUST("succeeded", "integer", "those that ended well"),                                 \
        API_MUST("failed", "integer", "those that failed"),                                        \
        API_MUST("cancelled", "integer", "those that were cancelled")

static const struct api_field sums_fields[] = {SUMS_FIELDS, {0}};

const struct api_object job_sums_object = {.name = "JobSums",
                                           .text = "How many jobs there are, by how they stand.",
                                           .fields = sums_fields};

static const struct api_field value_fields[] = {
    API_MUST("value", "string", "the value of the label"),
    SUMS_FIELDS,
    {0},
};

const struct api_object label_count_object = {
    .name = "LabelCount", .text = "The jobs with one value of the label.", .fields = value_fields};

static const struct api_field counts_fields[] = {
    API_MUST("by", "string", "the label that they are counted by"),
    API_MUST("values", "array of LabelCount",
             "the values, most jobs first; at most " FL_QUOTE(LABEL_COUNTS_MAX)),
    API_MUST("without", "JobSums", "the jobs that lack the label"),
    API_MUST("others", "JobSums", "the jobs with a value that is not among 'values'"),
    API_MUST("total", "JobSums", "all jobs that were counted"),
    API_MUST("isWhole", "boolean",
             "false: only the newest " FL_QUOTE(LOOKED_MAX) " jobs were looked at"),
    {0},
};

#define NO_JOBS "{\"jobs\":0,\"open\":0,\"succeeded\":0,\"failed\":0,\"cancelled\":0}"

const struct api_object job_counts_object = {
    .name = "JobCounts",
    .text = "Jobs counted by a label.",
    .fields = counts_fields,
    .example = "{\"by\":\"label:team\",\"values\":[{\"value\":\"vision\",\"jobs\":12,\"open\":2,"
               "\"succeeded\":9,\"failed\":1,\"cancelled\":0}],\"without\":" NO_JOBS
               ",\"others\":" NO_JOBS ",\"total\":{\"jobs\":12,\"open\":2,\"succeeded\":9,"
               "\"failed\":1,\"cancelled\":0},\"isWhole\":true}"};

const struct api_route job_count_routes[] = {
    API_ROUTE(API_GET, "/v1/jobs:counts", API_NEED_read, count_jobs, "countJobs",
              "counts jobs, open and ended, by the value of a label", .query = counts_query,
              .answer = "JobCounts"),
    {0},
};
