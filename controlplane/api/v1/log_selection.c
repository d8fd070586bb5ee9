#include "controlplane/api/v1/log_selection.h"

#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/time_text.h"

static bool query_time(struct api_call *call, const char *name, fl_ms *ret_at)
{
    if (!api_query_has(call, name)) return true;
    if (fl_time_parse(api_query(call, name), ret_at)) return true;
    api_fail_parameter(call, name, "not a time", api_query(call, name), "2026-01-31T09:00:00Z");
    return false;
}

bool log_selection_replicas(struct fl_str text, struct log_query *query)
{
    while (text.len > 0) {
        const char *comma = memchr(text.at, ',', text.len);
        struct fl_str one = {text.at, comma ? (size_t)(comma - text.at) : text.len};
        const char *dash = memchr(one.at, '-', one.len);
        struct fl_str from = {one.at, dash ? (size_t)(dash - one.at) : one.len};
        uint64_t first, last;

        if (query->replicas_len == LOG_RANGES_MAX || !fl_str_parse_u64(from, &first)) return false;
        last = first;
        if (dash && !fl_str_parse_u64((struct fl_str){dash + 1, one.len - from.len - 1}, &last)) {
            return false;
        }
        if (first > last || last > UINT32_MAX) return false;
        query->replicas[query->replicas_len++] =
            (struct log_replicas){(uint32_t)first, (uint32_t)last};
        if (!comma) return true;
        text = (struct fl_str){comma + 1, text.len - one.len - 1};
    }
    return false;
}

bool log_selection_read(struct api_call *call, struct log_query *query)
{
    if (!query_time(call, "since", &query->since) || !query_time(call, "until", &query->until)) {
        return false;
    }
    query->has_element = api_query_has(call, "element");
    query->element = (uint32_t)api_query_u64(call, "element");
    query->has_attempt = api_query_has(call, "attempt");
    query->attempt = (uint16_t)api_query_u64(call, "attempt");
    if (api_query_has(call, "replica") &&
        !log_selection_replicas(api_query(call, "replica"), query)) {
        api_fail_parameter(call, "replica", "not a list of replicas", api_query(call, "replica"),
                           "as 3, 0-7 or 0,3,8-11; at most 16 parts");
        return false;
    }
    if (api_query_has(call, "from")) {
        query->from = LOG_FROM_LINE;
        query->n = api_query_u64(call, "from");
    } else if (api_query_has(call, "tail")) {
        query->from = LOG_FROM_TAIL;
        query->n = api_query_u64(call, "tail");
    }
    return true;
}

bool log_grep_read(struct api_call *call, bool is_one_piece, struct log_grep *ret_grep)
{
    struct fl_str text = api_query(call, "grep");

    *ret_grep = (struct log_grep){0};
    if (!api_query_has(call, "grep")) return true;
    if (memchr(text.at, '\n', text.len)) {
        api_fail_parameter(call, "grep", "cannot be searched for in a line", text, "one line");
        return false;
    }
    if (is_one_piece) {
        api_fail_parameter(call, "grep", "this does not go with a range of lines", text,
                           "without 'count' and Range; 'tail' and 'since' bound what is looked at");
        return false;
    }
    fl_assert(text.len <= LOG_GREP_BYTES_MAX); /* by the route's table */
    memcpy(ret_grep->text, text.at, text.len);
    ret_grep->len = text.len;
    return true;
}

bool log_grep_is_hit(const struct log_grep *grep, const struct log_line *line)
{
    return grep->len == 0 || line->gap != FL_LOG_GAP_none ||
           (line->bytes.len > 0 && memmem(line->bytes.at, line->bytes.len, grep->text, grep->len));
}
