#include "shared/json/problem.h"

#include <stdio.h>

void fl_problem_open(struct fl_json_out *out, const struct fl_problem *problem)
{
    const char *detail = problem->detail ? problem->detail : fl_code_meaning(problem->code);
    char type[128];

    snprintf(type, sizeof type, "https://fairlead.dev/docs/reference/api#%s",
             fl_code_name(problem->code));
    fl_json_open(out, NULL, '{');
    fl_json_put_cstr(out, "type", type);
    fl_json_put_cstr(out, "title", problem->title);
    fl_json_put_u64(out, "status", problem->status);
    fl_json_put_cstr(out, "code", fl_code_name(problem->code));
    fl_json_put_cstr(out, "detail", detail);
}
