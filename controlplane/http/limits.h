/* limits.h - the limits of an HTTP listener; http_limits.def is the table. */
#pragma once

#include <stddef.h>

#include "shared/base/err.h"
#include "shared/base/types.h"

/* The largest values that three of the limits may have; FL_HTTP_FIELDS_MAX bounds headers_max. */
#define HTTP_CONNECTIONS_MAX 1000000
#define HTTP_HEAD_BYTES_MAX 262144
#define HTTP_TOKEN_RATE_MAX 50000000

/* The largest piece that a stream is given at once, the bytes that a chunk takes beside it, and so
 * the least of stream_bytes_max: on_room comes when half of it is free. */
#define HTTP_STREAM_PIECE_BYTES 16384
#define HTTP_CHUNK_BYTES_MAX 32

/* The bytes of a head that its headers may need, beside path and query: a browser's, a token and a
 * key take some 2 KiB.  A body in reception counts as so many times its size, since its buffer
 * doubles.  A token's share has one connection that follows and one that asks. */
#define HTTP_HEADERS_BYTES_MIN 4096
#define HTTP_TARGET_BYTES_MAX (HTTP_HEAD_BYTES_MAX - HTTP_HEADERS_BYTES_MIN)
#define HTTP_BODY_COUNTS 2
#define HTTP_SHARE_CONNECTIONS_MIN 2

struct http_limits {
#define HTTP_LIMIT(name, type, value, least, text) type name;
#include "controlplane/http/http_limits.def"
#undef HTTP_LIMIT
};

static inline struct http_limits http_limits_default(void)
{
    return (struct http_limits){
#define HTTP_LIMIT(name, type, value, least, text) .name = (value),
#include "controlplane/http/http_limits.def"
#undef HTTP_LIMIT
    };
}

_Static_assert(HTTP_STREAM_BYTES_MIN == 2 * (HTTP_STREAM_PIECE_BYTES + HTTP_CHUNK_BYTES_MAX),
               "as http_limits.def has it");

/* Limits with which a server would break: FL_INVALID.  Tests play with less than the least. */
FL_CHECK bool http_limits_check(const struct http_limits *limits, struct fl_err *err);

/* Limits that depend on one another, as settings of the API: with others some request could never
 * be answered.  FL_INVALID; the text names the settings, their values and a mend. */
FL_CHECK bool http_limits_check_together(const struct http_limits *limits, struct fl_err *err);
