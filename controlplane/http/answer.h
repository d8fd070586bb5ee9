/* answer.h - the bytes of an answer's head.
 * Uses shared/base and shared/wire. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/buf.h"
#include "shared/base/types.h"
#include "shared/wire/http_head.h"

/* The Date header, made once a second. */
struct http_date { /* {0} is fine */
    int64_t second;
    char line[48]; /* "Date: Sun, 22 Nov 2026 10:20:00 GMT\r\n" */
    size_t line_len;
};

struct fl_str http_date_line(struct http_date *date, fl_ms wall);

struct http_answer {
    unsigned status; /* 200..599 */
    const struct fl_http_field *headers;
    size_t headers_len;
    bool is_chunked;
    bool has_length; /* never with is_chunked; not with 204, nor 304 */
    uint64_t length;
    bool closes;
};

/* Appends status line, headers and the empty line. */
void http_answer_put(struct fl_buf *out, const struct http_answer *answer, struct fl_str date_line);

/* Appends the body of a refusal: a problem, as the API has it, and a newline. */
void http_refusal_put(struct fl_buf *out, struct fl_http_refusal refusal, const char *trace);

/* "Not Found"; "Unknown" for a number without a name. */
const char *http_status_name(unsigned status);
