/* ndjson.h - the lines of a body in which each line is a JSON text.
 * A line ends with LF or CRLF, the last one may end with the body; empty lines are skipped, but
 * counted.  Pure. */
#pragma once

#include "shared/base/str.h"

struct ndjson {
    struct fl_str rest;
    uint32_t line; /* number of the line that ndjson_next gave last, from 1 */
};

bool ndjson_next(struct ndjson *lines, struct fl_str *ret_line);
