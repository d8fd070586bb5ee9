#include "shared/wire/trace.h"

#include <string.h>

#include "shared/base/hash.h"
#include "shared/base/hex.h"

/* Version, 32 digits that name the trace, 16 of its part, flags. */
static bool has_traceparent(const struct fl_http_head *head, struct fl_str *ret_trace)
{
    enum { VERSION = 3, TRACE = FL_TRACE_MAX - 1, REST = 1 + 16 + 1 + 2 };
    const struct fl_http_field *field = fl_http_head_find(head, FL_STR("traceparent"));
    struct fl_str value = field ? field->value : (struct fl_str){0};
    bool is_zero = true;

    if (value.len != VERSION + TRACE + REST || memcmp(value.at, "00-", VERSION) != 0) return false;
    for (size_t i = VERSION; i < VERSION + TRACE; i++) {
        char digit = value.at[i];

        if (!(digit >= '0' && digit <= '9') && !(digit >= 'a' && digit <= 'f')) return false;
        is_zero = is_zero && digit == '0';
    }
    *ret_trace = (struct fl_str){value.at + VERSION, TRACE};
    return !is_zero && value.at[VERSION + TRACE] == '-';
}

bool fl_trace_name(struct fl_traces *traces, const struct fl_http_head *head,
                   char ret_trace[FL_TRACE_MAX])
{
    struct fl_str trace;
    uint64_t hash;

    if (head && has_traceparent(head, &trace)) {
        memcpy(ret_trace, trace.at, trace.len);
        ret_trace[trace.len] = 0;
        return true;
    }
    hash = fl_hash64(traces->seed, &traces->last, sizeof traces->last);
    fl_hex_print(&hash, sizeof hash, ret_trace);
    traces->last++;
    return false;
}
