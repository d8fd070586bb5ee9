#include "controlplane/api/v1/batch_problem.h"

#include "controlplane/api/api_state.h"

struct fl_str batch_problem_json(struct batch *batch, const struct api_problem *problem)
{
    struct fl_buf buf;

    fl_buf_init_in(&buf, 64 << 10, &batch->call->arena);
    api_problem_write(&buf, problem);
    return fl_buf_take(&buf);
}

void batch_problem_refuse(struct batch *batch, struct batch_line *line, const struct fl_err *err)
{
    struct api_problem problem = {.code = err->code, .detail = err->text};

    if (err->code == FL_ABSENT) problem = api_problem_absent(err->text, NULL);
    line->problem = batch_problem_json(batch, &problem);
}

struct fl_str batch_problem_absent_json(struct batch *batch, const char *where, const char *text,
                                        struct fl_str got)
{
    struct api_problem_error error = {
        .pointer = fl_str_c(where), .detail = fl_str_c(text), .got = got};
    struct api_problem problem = api_problem_absent(text, &error);

    return batch_problem_json(batch, &problem);
}

void batch_problem_refuse_all(struct batch *batch, struct batch_line *line,
                              const struct fl_problems *problems)
{
    struct api_problem_error errors[FL_PROBLEMS_MAX];
    struct api_problem problem = {.code = FL_INVALID, .errors = errors};
    struct fl_err err = {0};

    problem.errors_len = api_problem_errors(problems, errors);
    for (size_t i = 0; i < problem.errors_len; i++) {
        if (errors[i].line > 0) errors[i].line += line->number - 1;
    }
    if (fl_problems_fail(problems, &err)) fl_unreachable("fl_problems_fail returns false");
    problem.detail = err.text;
    line->problem = batch_problem_json(batch, &problem);
}

struct fl_str batch_problem_outcome_json(struct batch *batch, const struct core_outcome *outcome)
{
    struct api_problem problem = {.code = outcome->code, .detail = outcome->text};
    const char *where = "/queue";

    if (outcome->code != FL_ABSENT) return batch_problem_json(batch, &problem);
    if (outcome->after > 0) {
        where = fl_arena_printf(&batch->call->arena, "/after/%u/job", outcome->after - 1);
    }
    return batch_problem_absent_json(batch, where, outcome->text, (struct fl_str){0});
}
