/* curl_error.h - libcurl's results as our errors; for this folder alone.
 * Pure. */
#pragma once

#include <curl/curl.h>

#include "shared/base/err.h"

struct fl_curl_place {
    bool is_answering; /* the answer's head was whole */
    long proxy_status; /* how a proxy answered CONNECT; 0: it did not */
};

/* 'text' is libcurl's own message, or "". */
void fl_curl_fail(struct fl_err *err, CURLcode result, const char *text,
                  const struct fl_curl_place *place);
