/* problem.h - the answer to a request that was not done: application/problem+json.
 * One table turns the codes of codes.def into statuses.  'type' leads to docs/reference/api.md,
 * where each is explained; 'errors' point into the document that was sent.
 * Pure. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"

struct fl_buf;

/* It names a header or a parameter of path or query, or points into the body. */
struct api_problem_error {
    struct fl_str header, parameter; /* one of them, or neither */
    struct fl_str pointer;           /* RFC 6901; empty: the body as a whole */
    struct fl_str detail, got, allowed;
    uint32_t line, col; /* 0: not known */
};

struct api_problem {
    uint16_t status; /* 0: that of 'code' */
    enum fl_code code;
    const char *detail;
    const struct api_problem_error *errors;
    size_t errors_len;
    const char *trace_id;
};

/* A body or a query names something that is not there, as 'error' (NULL is fine) says: not 404,
 * which is for the path. */
struct api_problem api_problem_absent(const char *detail, const struct api_problem_error *error);

uint16_t api_status_of(enum fl_code code);
/* Seconds for Retry-After; 0: none. */
uint32_t api_retry_after_s(uint16_t status);
const char *api_status_text(uint16_t status);

/* Appends the JSON object. */
void api_problem_write(struct fl_buf *out, const struct api_problem *problem);
