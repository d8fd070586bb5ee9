/* limits.h - the limits of an HTTP listener; http_limits.def is the table. */
#pragma once

#include <stddef.h>

#include "shared/base/types.h"

/* The largest values that two of the limits may have; FL_HTTP_FIELDS_MAX bounds headers_max. */
#define HTTP_CONNECTIONS_MAX 1000000
#define HTTP_HEAD_BYTES_MAX 262144

struct http_limits {
#define HTTP_LIMIT(name, type, value, text) type name;
#include "controlplane/http/http_limits.def"
#undef HTTP_LIMIT
};

static inline struct http_limits http_limits_default(void)
{
    return (struct http_limits){
#define HTTP_LIMIT(name, type, value, text) .name = (value),
#include "controlplane/http/http_limits.def"
#undef HTTP_LIMIT
    };
}
