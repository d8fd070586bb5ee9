/* GET /v1/throughput: counts of jobs that came, started and ended, hour by hour or day by day, and
 * how long they waited and ran. */
#include <inttypes.h>
#include <stdio.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/call_reads.h"
#include "controlplane/api/v1/queue_query.h"
#include "controlplane/api/v1/resources.h"
#include "shared/base/time_text.h"

enum { HOURS = 24, DAYS = 30, DAY_BYTES = 10 /* 2026-01-31 */ };

struct asked {
    struct read_throughput_query query;
};

/* ---- the answer ------------------------------------------------------------------------------ */

static void put_times(struct fl_json_out *json, const char *key,
                      const struct fl_histogram *histogram)
{
    uint64_t count = fl_histogram_count(histogram);

    fl_json_open(json, key, '{');
    fl_json_put_u64(json, "count", count);
    if (count == 0) {
        fl_json_put_null(json, "p50Millis");
        fl_json_put_null(json, "p95Millis");
        fl_json_put_null(json, "maxMillis");
    } else {
        fl_json_put_i64(json, "p50Millis", fl_histogram_percentile(histogram, 50));
        fl_json_put_i64(json, "p95Millis", fl_histogram_percentile(histogram, 95));
        fl_json_put_i64(json, "maxMillis", histogram->longest);
    }
    fl_json_close(json, '}');
}

static void put_sums(struct fl_json_out *json, const struct read_throughput_step *step)
{
#define PUT_COUNT(name, meaning) fl_json_put_u64(json, #name, step->counts[THROUGHPUT_##name]);
    THROUGHPUT_COUNTS(PUT_COUNT)
#undef PUT_COUNT
    put_times(json, "waits", &step->waits);
    put_times(json, "runs", &step->runs);
}

/* 1970's first hour, too, is a time. */
static void put_hour(struct fl_json_out *json, const char *key, int64_t hour)
{
    char text[FL_TIME_TEXT_MAX];

    fl_time_print(hour * FL_HOUR_MS, text);
    fl_json_put_cstr(json, key, text);
}

static void answer(struct api_call *call, const struct read_throughput *throughput)
{
    const struct read_throughput_query *query = &((const struct asked *)call->state)->query;
    struct fl_json_out *json = api_json(call);

    fl_json_open(json, NULL, '{');
    put_hour(json, "since", query->from);
    put_hour(json, "until", (int64_t)query->to + query->hours);
    fl_json_put_cstr(json, "step", query->hours == THROUGHPUT_DAY ? "day" : "hour");
    fl_json_put_time(json, "countedFrom", throughput->counted_from); /* 0: null */
    if (throughput->is_whole) {
        fl_json_put_null(json, "countedTo");
    } else {
        fl_json_put_time(json, "countedTo",
                         throughput->counted_at > 0 ? throughput->counted_at : 1);
    }
    fl_json_open(json, "total", '{');
    put_sums(json, &throughput->total);
    fl_json_close(json, '}');
    fl_json_open(json, "steps", '[');
    for (size_t i = 0; i < throughput->len; i++) {
        fl_json_open(json, NULL, '{');
        put_hour(json, "at", query->from + (int64_t)i * query->hours);
        put_sums(json, &throughput->at[i]);
        fl_json_close(json, '}');
    }
    fl_json_close(json, ']');
    fl_json_close(json, '}');
    api_answer(call);
}

/* ---- the question ---------------------------------------------------------------------------- */

/* A day, or a time.  A day that is the last one counts to its end. */
static bool read_time(struct api_call *call, const char *name, bool is_last, fl_ms *at)
{
    struct fl_str text = api_query(call, name);
    char whole[FL_TIME_TEXT_MAX];

    if (!api_query_has(call, name)) return true;
    if (fl_time_parse(text, at)) return true;
    if (text.len == DAY_BYTES) {
        snprintf(whole, sizeof whole, FL_STR_FMT "T00:00:00Z", FL_STR_ARG(text));
        if (fl_time_parse(fl_str_c(whole), at)) {
            if (is_last) *at += FL_DAY_MS;
            return true;
        }
    }
    api_fail_parameter(call, name, "not a time", text,
                       "a time, as 2026-01-31T09:00:00Z, or a day of UTC, as 2026-01-31");
    return false;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* The steps that have something of [since, until). */
static bool read_steps(struct api_call *call, struct read_throughput_query *query)
{
    bool is_day = fl_str_eq(api_query(call, "step"), FL_STR("day"));
    int64_t step_ms = is_day ? FL_DAY_MS : FL_HOUR_MS, first, last;
    fl_ms since, until = call->wall + 1;
    char detail[160];

    query->hours = is_day ? THROUGHPUT_DAY : THROUGHPUT_HOUR;
    if (!read_time(call, "until", true, &until)) return false;
    last = floor_div(until - 1, step_ms);
    since = (last - (is_day ? DAYS : HOURS) + 1) * step_ms;
    if (since < 0) since = 0;
    if (!read_time(call, "since", false, &since)) return false;
    first = floor_div(since, step_ms);
    if (first > last) {
        api_fail_parameter(call, "since", "not before 'until'", api_query(call, "since"),
                           "a time before 'until', which is now unless it is given");
        return false;
    }
    if (last - first >= READ_THROUGHPUT_MAX) {
        snprintf(detail, sizeof detail, "%" PRId64 " steps of %s; one answer has %d at most",
                 last - first + 1, is_day ? "a day" : "an hour", READ_THROUGHPUT_MAX);
        api_fail_parameter(call, "since", detail, api_query(call, "since"),
                           is_day ? "a later 'since' or an earlier 'until'"
                                  : "a later 'since', an earlier 'until', or step=day");
        return false;
    }
    query->from = (int32_t)(first * query->hours);
    query->to = (int32_t)(last * query->hours);
    return true;
}

static void get_throughput(struct api_call *call)
{
    struct asked *asked = fl_arena_new(&call->arena, struct asked);

    asked->query.tenant = call->token.tenant;
    if (!read_steps(call, &asked->query) || !queue_query_read(call, &asked->query.queue)) return;
    call->state = asked;
    call_reads_throughput(call, &asked->query, answer);
}

static const struct api_field throughput_query[] = {
    API_MAY("queue", "string", "only of this queue; without it, all together"),
    API_MAY("step", "string", "how long a step is, in UTC; without it, hour", .words = "hour, day"),
    API_MAY("since", "string",
            "a time or a day in the first step; without it, 24 hours or 30 days with the last"),
    API_MAY("until", "string",
            "the time, or the day, with which the last step ends; without it, now"),
    {0},
};

static const struct api_field times_fields[] = {
    API_MUST("count", "integer", "so many are known"),
    API_MUST("p50Millis", "integer or null",
             "half of them are at most so long, within 19 %; null: there are none"),
    API_MUST("p95Millis", "integer or null", "95 of a hundred are, likewise"),
    API_MUST("maxMillis", "integer or null", "the longest, exactly"),
    {0},
};

const struct api_object throughput_times_object = {
    .name = "ThroughputTimes", .text = "How long something took.", .fields = times_fields};

#define SUMS_FIELDS                                                                                \
    API_MUST("submitted", "integer", "jobs that were accepted"),                                   \
        API_MUST("started", "integer",                                                             \
                 "elements that were placed on a cluster for the first time; a retry is no "       \
                 "further start"),                                                                 \
        API_MUST("succeeded", "integer", "jobs that ended well"),                                  \
        API_MUST("failed", "integer", "jobs that failed"),                                         \
        API_MUST("cancelled", "integer", "jobs that were cancelled"),                              \
        API_MUST("waits", "ThroughputTimes",                                                       \
                 "from the submission of a job to each of these starts"),                          \
        API_MUST("runs", "ThroughputTimes",                                                        \
                 "from placement to end, when an attempt ended well in this time")

static const struct api_field total_fields[] = {SUMS_FIELDS, {0}};

const struct api_object throughput_total_object = {
    .name = "ThroughputTotal", .text = "All steps together.", .fields = total_fields};

static const struct api_field step_fields[] = {
    API_MUST("at", "string", "the time with which it begins", .format = API_FORMAT_time),
    SUMS_FIELDS,
    {0},
};

const struct api_object throughput_counts_object = {
    .name = "ThroughputCounts",
    .text = "The counts of an hour or a day. A job counts in the queue that it has when it is "
            "counted.",
    .fields = step_fields};

static const struct api_field throughput_fields[] = {
    API_MUST("since", "string", "the time with which the first step begins",
             .format = API_FORMAT_time),
    API_MUST("until", "string", "the time with which the last step ends",
             .format = API_FORMAT_time),
    API_MUST("step", "string", "how long a step is", .words = "hour, day"),
    API_MUST("countedFrom", "string or null",
             "an older release was running before, so no step has it; null: all is counted",
             .format = API_FORMAT_time),
    API_MUST("countedTo", "string or null",
             "later starts and ends are not counted yet; null: all are", .format = API_FORMAT_time),
    API_MUST("total", "ThroughputTotal", "all steps together"),
    API_MUST("steps", "array of ThroughputCounts",
             "each step, the oldest first, also those in which nothing happened"),
    {0},
};

#define TIMES(count, p50, p95, max)                                                                \
    "{\"count\":" count ",\"p50Millis\":" p50 ",\"p95Millis\":" p95 ",\"maxMillis\":" max "}"
#define SUMS                                                                                       \
    "\"submitted\":120,\"started\":118,\"succeeded\":97,\"failed\":3,\"cancelled\":2,"             \
    "\"waits\":" TIMES("118", "609", "4871", "6120") ",\"runs\":" TIMES("97", "41327", "165309",   \
                                                                        "171004")

const struct api_object throughput_object = {
    .name = "Throughput",
    .text = "Counts of jobs, step by step.",
    .fields = throughput_fields,
    .example = "{\"since\":\"2026-01-31T09:00:00.000Z\",\"until\":\"2026-01-31T10:00:00.000Z\","
               "\"step\":\"hour\",\"countedFrom\":null,\"countedTo\":null,\"total\":{" SUMS "},"
               "\"steps\":[{\"at\":\"2026-01-31T09:00:00.000Z\"," SUMS "}]}"};

const struct api_route throughput_routes[] = {
    API_ROUTE(API_GET, "/v1/throughput", API_NEED_read, get_throughput, "getThroughput",
              "how many jobs came, started and ended, and how long they waited and ran, by the "
              "hour or by the day",
              .query = throughput_query, .answer = "Throughput"),
    {0},
};
