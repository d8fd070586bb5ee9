/* http_target.h - the path and the query of a request: cut first, decoded afterwards, each part
 * once.  A percent-encoded slash is thus part of a name and never a border, and nothing is decoded
 * twice.  A decoded part must be text: UTF-8 without a zero byte.  In a query '+' is a space, as
 * forms write it.  Uses shared/base only.  Pure. */
#pragma once

#include <stdbool.h>

#include "shared/base/err.h"
#include "shared/base/str.h"

/* Takes the first segment off *path, which begins with '/' or is empty: "/v1/jobs/" has the
 * segments "v1", "jobs" and "".  False at the end.  The segment is raw. */
FL_CHECK bool fl_http_take_segment(struct fl_str *path, struct fl_str *ret_segment);

/* Takes the first "name=value" off *query; without a '=' the value is empty.  Empty pieces ("&&")
 * are skipped.  False at the end.  Both are raw. */
FL_CHECK bool fl_http_take_pair(struct fl_str *query, struct fl_str *ret_name,
                                struct fl_str *ret_value);

enum fl_http_part {
    FL_HTTP_IN_PATH,
    FL_HTTP_IN_QUERY, /* '+' is a space */
};

/* Writes what 'raw' says into 'out', which has room for raw.len bytes and may be where raw is.
 * False: a bad percent sign, or the result is not text; out may have been written to. */
FL_CHECK bool fl_http_decode(struct fl_str raw, enum fl_http_part part, char *out,
                             struct fl_str *ret_text);
