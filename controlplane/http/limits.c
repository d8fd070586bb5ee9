#include "controlplane/http/limits.h"

#include "shared/wire/http_head.h"

bool http_limits_check(const struct http_limits *limits, struct fl_err *err)
{
#define HTTP_LIMIT(name, type, value, text)                                                        \
    if (limits->name <= 0) return fl_fail(err, FL_INVALID, "the limit " #name " must be over 0");
#include "controlplane/http/http_limits.def"
#undef HTTP_LIMIT
    if (limits->headers_max > FL_HTTP_FIELDS_MAX ||
        limits->connections_max > HTTP_CONNECTIONS_MAX ||
        limits->head_bytes_max > HTTP_HEAD_BYTES_MAX) {
        return fl_fail(err, FL_INVALID,
                       "limits: at most %d headers, %d bytes of head, %d connections",
                       FL_HTTP_FIELDS_MAX, HTTP_HEAD_BYTES_MAX, HTTP_CONNECTIONS_MAX);
    }
    if (limits->stream_bytes_max < HTTP_STREAM_BYTES_MIN) {
        return fl_fail(err, FL_INVALID, "the limit stream_bytes_max must be at least %d",
                       HTTP_STREAM_BYTES_MIN);
    }
    if (limits->token_percent > 100) {
        return fl_fail(err, FL_INVALID, "the limit token_percent must be at most 100");
    }
    if (limits->token_rate > HTTP_TOKEN_RATE_MAX) {
        return fl_fail(err, FL_INVALID, "the limit token_rate must be at most %d",
                       HTTP_TOKEN_RATE_MAX);
    }
    return true;
}
