/* problem.h - the beginning of a problem (RFC 9457), which all answers that refuse share.
 * 'type' leads to docs/reference/api.md, where each code is explained.  The object stays open: the
 * caller may add members, and closes it.
 * Uses shared/base only.  Pure. */
#pragma once

#include "shared/base/err.h"
#include "shared/json/json_out.h"

struct fl_problem {
    unsigned status;
    const char *title; /* the status in words */
    enum fl_code code;
    const char *detail; /* any text; NULL: the meaning of the code */
};

void fl_problem_open(struct fl_json_out *out, const struct fl_problem *problem);
