/* GET /v1/usage: sums of the resources that ended attempts held and used. */
#include <stdio.h>
#include <string.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/call_reads.h"
#include "controlplane/api/v1/job_json.h"
#include "controlplane/api/v1/queue_query.h"
#include "controlplane/api/v1/resources.h"
#include "shared/base/time_text.h"

enum { DAYS = 30, DAY_BYTES = 10 /* 2026-01-31 */, BY_BYTES_MAX = 1024 };

#define BY_ALLOWED "day, queue, submittedBy, and one label as label:KEY, separated by commas"

struct asked {
    struct read_usage_query query;
};

static void day_print(int64_t day, char out[FL_TIME_TEXT_MAX])
{
    fl_time_print(day * FL_DAY_MS, out);
    out[DAY_BYTES] = '\0';
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void put_sums(struct fl_json_out *json, const uint64_t sums[USAGE_SUMS_LEN])
{
    fl_json_put_u64(json, "attempts", sums[USAGE_attempts]);
    fl_json_open(json, "held", '{');
    fl_json_put_u64(json, "replicaMillis", sums[USAGE_replica_ms]);
    fl_json_put_u64(json, "cpuMillis", sums[USAGE_cpu_ms]);
    fl_json_put_u64(json, "memoryMibMillis", sums[USAGE_memory_mib_ms]);
    fl_json_put_u64(json, "gpuMillis", sums[USAGE_gpu_ms]);
    fl_json_close(json, '}');
    if (sums[USAGE_measured] == 0) return;
    fl_json_open(json, "measured", '{');
    fl_json_put_u64(json, "attempts", sums[USAGE_measured]);
    fl_json_put_u64(json, "heldCpuMillis", sums[USAGE_measured_cpu_ms]);
    fl_json_put_u64(json, "cpuMillis", sums[USAGE_used_cpu_us] / 1000);
    fl_json_put_u64(json, "memoryBytes", sums[USAGE_memory_bytes]);
    fl_json_put_u64(json, "readBytes", sums[USAGE_read_bytes]);
    fl_json_put_u64(json, "writtenBytes", sums[USAGE_written_bytes]);
    fl_json_close(json, '}');
}

static void put_group(struct api_call *call, struct fl_json_out *json, unsigned by,
                      const struct read_usage_group *group)
{
    char day[FL_TIME_TEXT_MAX];

    fl_json_open(json, NULL, '{');
    if (by & READ_USAGE_day) {
        day_print(group->day, day);
        fl_json_put_cstr(json, "day", day);
    }
    if (by & READ_USAGE_queue) job_json_queue(call, json, group->queue);
    if ((by & READ_USAGE_owner) && group->owner.len > 0) {
        fl_json_put_str(json, "submittedBy", group->owner);
    } else if (by & READ_USAGE_owner) {
        fl_json_put_null(json, "submittedBy");
    }
    if (group->has_label) {
        fl_json_put_str(json, "label", group->label);
    } else if (by & READ_USAGE_label) {
        fl_json_put_null(json, "label");
    }
    put_sums(json, group->sums);
    fl_json_close(json, '}');
}

static void answer(struct api_call *call, const struct read_usage *usage)
{
    const struct asked *asked = call->state;
    struct fl_json_out *json = api_json(call);
    char day[FL_TIME_TEXT_MAX];

    fl_json_open(json, NULL, '{');
    day_print(asked->query.from, day);
    fl_json_put_cstr(json, "since", day);
    day_print(asked->query.to, day);
    fl_json_put_cstr(json, "until", day);
    if (usage->is_whole) {
        fl_json_put_null(json, "countedTo");
    } else {
        fl_json_put_time(json, "countedTo", usage->counted_at > 0 ? usage->counted_at : 1);
    }
    fl_json_put_bool(json, "hasMore", usage->has_more);
    fl_json_open(json, "usage", '[');
    for (size_t i = 0; i < usage->len; i++) {
        put_group(call, json, asked->query.by, &usage->at[i]);
    }
    fl_json_close(json, ']');
    fl_json_close(json, '}');
    api_answer(call);
}

/* ---- the question ---------------------------------------------------------------------------- */

static bool read_by(struct api_call *call, struct read_usage_query *query)
{
    static const struct {
        struct fl_str name;
        enum read_usage_by by;
    } words[] = {{FL_STR("day"), READ_USAGE_day},
                 {FL_STR("queue"), READ_USAGE_queue},
                 {FL_STR("submittedBy"), READ_USAGE_owner}};
    struct fl_str list = api_query(call, "by"), label = FL_STR("label:"), word;

    if (list.len == 0) return true;
    while (fl_str_next_word(&list, ',', &word)) {
        unsigned by = 0;

        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            if (fl_str_eq(word, words[i].name)) by = words[i].by;
        }
        if (word.len > label.len && memcmp(word.at, label.at, label.len) == 0) {
            by = READ_USAGE_label;
            query->by_label = (struct fl_str){word.at + label.len, word.len - label.len};
        }
        if (by == 0 || (query->by & by)) {
            api_fail_parameter(call, "by", by ? "named twice" : "nothing to add up by", word,
                               BY_ALLOWED);
            return false;
        }
        query->by |= by;
    }
    return true;
}

static bool read_day(struct api_call *call, const char *name, int32_t *day)
{
    struct fl_str text = api_query(call, name);
    char whole[FL_TIME_TEXT_MAX];
    fl_ms at;

    if (!api_query_has(call, name)) return true;
    if (text.len == DAY_BYTES) {
        snprintf(whole, sizeof whole, FL_STR_FMT "T00:00:00Z", FL_STR_ARG(text));
        if (fl_time_parse(fl_str_c(whole), &at)) {
            *day = (int32_t)(at / FL_DAY_MS);
            return true;
        }
    }
    api_fail_parameter(call, name, "not a day", text, "a day of UTC, as 2026-01-31");
    return false;
}

/* The last day, and the first, which is not behind it. */
static bool read_days(struct api_call *call, struct read_usage_query *query)
{
    query->to = (int32_t)(call->wall / FL_DAY_MS);
    if (!read_day(call, "until", &query->to)) return false;
    query->from = query->to - DAYS + 1;
    if (!read_day(call, "since", &query->from)) return false;
    if (query->from <= query->to) return true;
    api_fail_parameter(call, "since", "behind 'until'", api_query(call, "since"),
                       "a day up to 'until', which is today unless it is given");
    return false;
}

static bool read_label(struct api_call *call, struct read_usage_query *query)
{
    struct fl_str value = api_query(call, "label"), got = value;

    if (value.len == 0) return true;
    query->label = fl_str_cut(&value, '=');
    query->value = value;
    if (query->label.len > 0 && query->label.len < got.len) return true;
    api_fail_parameter(call, "label", "not a label that can be searched for", got, "key=value");
    return false;
}

static void get_usage(struct api_call *call)
{
    struct asked *asked = fl_arena_new(&call->arena, struct asked);
    struct read_usage_query *query = &asked->query;

    query->tenant = call->token.tenant;
    query->len_max = (size_t)api_query_u64(call, "limit");
    query->owner = api_query(call, "submittedBy");
    if (fl_str_eq(query->owner, FL_STR("@me"))) query->owner = api_owner(call);
    if (!read_by(call, query) || !read_days(call, query) ||
        !queue_query_read(call, &query->queue) || !read_label(call, query)) {
        return;
    }
    call->state = asked;
    call_reads_usage(call, query, answer);
}

static const struct api_field report_query[] = {
    API_MAY("by", "string", "sums are kept apart by these: " BY_ALLOWED "; empty: one sum",
            .max = BY_BYTES_MAX),
    API_MAY("since", "string", "the first day, of UTC; without it, 30 days with the last"),
    API_MAY("until", "string", "the last day; without it, today"),
    API_MAY("queue", "string", "only of this queue"),
    API_MAY("submittedBy", "string", "only of jobs that this owner submitted; @me: your own"),
    API_MAY("label", "string", "only of jobs that carried it, as key=value"),
    API_MAY("limit", "integer", "the most groups", .min = 1, .max = READ_USAGE_MAX,
            .preset = READ_USAGE_MAX),
    {0},
};

static const struct api_field held_fields[] = {
    API_MUST("replicaMillis", "integer", "time of replicas, from placement to the end"),
    API_MUST("cpuMillis", "integer", "the same, times the processors that each asked for"),
    API_MUST("memoryMibMillis", "integer", "times the memory, in MiB"),
    API_MUST("gpuMillis", "integer", "times the accelerators"),
    {0},
};

const struct api_object usage_held_object = {
    .name = "UsageHeld",
    .text = "Resources that were set aside for attempts, in milliseconds of each.",
    .fields = held_fields};

static const struct api_field measured_fields[] = {
    API_MUST("attempts", "integer", "so many were measured; all below is of these alone"),
    API_MUST("heldCpuMillis", "integer", "the processors that they held"),
    API_MUST("cpuMillis", "integer", "the CPU time that they used"),
    API_MUST("memoryBytes", "integer", "the peak of the replica that had the highest"),
    API_MUST("readBytes", "integer", "from block devices"),
    API_MUST("writtenBytes", "integer", "to block devices"),
    {0},
};

const struct api_object usage_measured_object = {
    .name = "UsageMeasured", .text = "Resources that attempts used.", .fields = measured_fields};

static const struct api_field group_fields[] = {
    API_MAY("day", "string", "the day, with by=day"),
    API_MAY("queue", "string or null", "with by=queue; null: it has no name any more"),
    API_MAY("submittedBy", "string or null", "with by=submittedBy; null: not known"),
    API_MAY("label", "string or null",
            "the label's value, with by=label:KEY; null: none, or the label is not counted"),
    API_MUST("attempts", "integer", "so many ended"),
    API_MUST("held", "UsageHeld", "the resources set aside for them"),
    API_MAY("measured", "UsageMeasured",
            "the resources they used; absent: no meter saw any of them"),
    {0},
};

const struct api_object usage_group_object = {
    .name = "UsageGroup", .text = "The sums of one group.", .fields = group_fields};

static const struct api_field report_fields[] = {
    API_MUST("since", "string", "the first day"),
    API_MUST("until", "string", "the last day"),
    API_MUST("countedTo", "string or null",
             "attempts that ended later are not counted yet; null: all are",
             .format = API_FORMAT_time),
    API_MUST("hasMore", "boolean", "there are more groups than 'limit'"),
    API_MUST("usage", "array of UsageGroup", "by day, then those that held most"),
    {0},
};

const struct api_object usage_report_object = {
    .name = "UsageReport",
    .text =
        "Resources that ended attempts held and used. Each day has the share that fell into it.",
    .fields = report_fields,
    .example =
        "{\"since\":\"2026-01-02\",\"until\":\"2026-01-31\",\"countedTo\":null,\"hasMore\":false,"
        "\"usage\":[{\"submittedBy\":\"amy\",\"attempts\":3,\"held\":{\"replicaMillis\":7200000,"
        "\"cpuMillis\":28800000,\"memoryMibMillis\":58982400000,\"gpuMillis\":7200000},"
        "\"measured\":{\"attempts\":3,\"heldCpuMillis\":28800000,\"cpuMillis\":21600000,"
        "\"memoryBytes\":6442450944,\"readBytes\":0,\"writtenBytes\":4096}}]}"};

const struct api_route usage_routes[] = {
    API_ROUTE(API_GET, "/v1/usage", API_NEED_read, get_usage, "getUsage",
              "adds up what ended attempts held and used", .query = report_query,
              .answer = "UsageReport"),
    {0},
};
