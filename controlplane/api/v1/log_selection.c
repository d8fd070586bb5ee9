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
                           LOG_REPLICAS_ALLOWED);
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

/* The words that say how the pattern is meant need one. */
static bool has_no_words(struct api_call *call)
{
    static const char *const words[] = {"match", "ignoreCase", "invert"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!api_query_has(call, words[i])) continue;
        api_fail_parameter(call, words[i], "this says how a pattern is meant, and there is none",
                           api_query(call, words[i]), "beside 'grep'");
        return false;
    }
    return true;
}

bool log_selection_pattern(struct api_call *call, bool is_one_piece,
                           struct log_pattern **ret_pattern)
{
    struct log_pattern_text text = {
        .text = api_query(call, "grep"),
        .is_regex = fl_str_eq(api_query(call, "match"), FL_STR("regex")),
        .ignores_case = api_query_flag(call, "ignoreCase"),
        .is_inverted = api_query_flag(call, "invert"),
    };
    struct fl_err err = {0};

    *ret_pattern = NULL;
    if (!api_query_has(call, "grep")) return has_no_words(call);
    if (memchr(text.text.at, '\n', text.text.len)) {
        api_fail_parameter(call, "grep", "cannot be searched for in a line", text.text, "one line");
        return false;
    }
    if (is_one_piece) {
        api_fail_parameter(call, "grep", "this does not go with a range of lines", text.text,
                           "without 'count' and Range; 'tail' and 'since' bound what is looked at");
        return false;
    }
    fl_assert(text.text.len <= LOG_PATTERN_BYTES_MAX); /* by the route's table */
    *ret_pattern = log_pattern_create(&text, &err);
    if (*ret_pattern) return true;
    api_fail_parameter(call, "grep", fl_arena_printf(&call->arena, "no pattern: %s", err.text),
                       text.text, "Perl's syntax (PCRE2); match=text takes it as it stands");
    return false;
}
