#include "controlplane/http/limits.h"

#include "shared/wire/http_head.h"

bool http_limits_check(const struct http_limits *limits, struct fl_err *err)
{
#define HTTP_LIMIT(name, type, value, least, text)                                                 \
    if (limits->name <= 0) return fl_fail(err, FL_INVALID, "the limit " #name " must be over 0");
#include "controlplane/http/http_limits.def"
#undef HTTP_LIMIT
    if (limits->headers_max > FL_HTTP_FIELDS_MAX ||
        limits->connections_max > HTTP_CONNECTIONS_MAX ||
        limits->head_bytes_max > HTTP_HEAD_BYTES_MAX ||
        limits->target_bytes_max > HTTP_TARGET_BYTES_MAX) {
        return fl_fail(err, FL_INVALID,
                       "limits: at most %d headers, %d bytes of head, %d of target, %d connections",
                       FL_HTTP_FIELDS_MAX, HTTP_HEAD_BYTES_MAX, HTTP_TARGET_BYTES_MAX,
                       HTTP_CONNECTIONS_MAX);
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

/* ---- together -------------------------------------------------------------------------------- */

static bool check_head(const struct http_limits *limits, struct fl_err *err)
{
    size_t least = limits->target_bytes_max + HTTP_HEADERS_BYTES_MIN;

    if (limits->head_bytes_max >= least) return true;
    return fl_fail(err, FL_INVALID,
                   "http_head_bytes_max is %zu, and a head has http_target_bytes_max, %zu, and %d "
                   "for headers: set http_head_bytes_max to %zu at least, or the other lower",
                   limits->head_bytes_max, limits->target_bytes_max, HTTP_HEADERS_BYTES_MIN, least);
}

static bool check_body(const struct http_limits *limits, const char *name, size_t bytes,
                       struct fl_err *err)
{
    if (limits->bodies_bytes_max / HTTP_BODY_COUNTS >= bytes) return true;
    return fl_fail(err, FL_INVALID,
                   "http_bodies_bytes_max is %zu, and one body of %s, %zu, counts %d times: set "
                   "http_bodies_bytes_max to %zu at least, or %s to %zu at most",
                   limits->bodies_bytes_max, name, bytes, HTTP_BODY_COUNTS,
                   HTTP_BODY_COUNTS * bytes, name, limits->bodies_bytes_max / HTTP_BODY_COUNTS);
}

/* The least of which a token's share is so much. */
static size_t all_for(size_t share, const struct http_limits *limits)
{
    return (share * 100 + limits->token_percent - 1) / limits->token_percent;
}

/* A reader in good time may leave so much unread, and must still be heard. */
static bool check_unsent(const struct http_limits *limits, const char *name, size_t bytes,
                         struct fl_err *err)
{
    size_t share = limits->unsent_bytes_max * limits->token_percent / 100;

    if (share > bytes) return true;
    return fl_fail(err, FL_INVALID,
                   "http_token_percent is %zu of http_unsent_bytes_max, %zu: that is not over %s, "
                   "%zu, which one reader may leave: set http_unsent_bytes_max to %zu at least",
                   limits->token_percent, limits->unsent_bytes_max, name, bytes,
                   all_for(bytes + 1, limits));
}

static bool check_connections(const struct http_limits *limits, struct fl_err *err)
{
    size_t share = limits->connections_max * limits->token_percent / 100;

    if (share >= HTTP_SHARE_CONNECTIONS_MIN) return true;
    return fl_fail(err, FL_INVALID,
                   "http_token_percent is %zu of http_connections_max, %zu: a token has not %d, to "
                   "follow and to ask: set http_connections_max to %zu at least",
                   limits->token_percent, limits->connections_max, HTTP_SHARE_CONNECTIONS_MIN,
                   all_for(HTTP_SHARE_CONNECTIONS_MIN, limits));
}

bool http_limits_check_together(const struct http_limits *limits, struct fl_err *err)
{
    return http_limits_check(limits, err) && check_head(limits, err) &&
           check_body(limits, "http_batch_bytes_max", limits->batch_bytes_max, err) &&
           check_body(limits, "http_body_bytes_max", limits->body_bytes_max, err) &&
           check_unsent(limits, "http_stream_bytes_max", limits->stream_bytes_max, err) &&
           check_unsent(limits, "http_answer_bytes_max", limits->answer_bytes_max, err) &&
           check_connections(limits, err);
}
