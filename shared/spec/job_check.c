#include "shared/spec/job_check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/arena.h"

void fl_job_wrong(const struct fl_job_check *check, const struct fl_path *path,
                  const struct fl_json *node, struct fl_str allowed, const char *fmt, ...)
{
    struct fl_problem problem = {.allowed = allowed};
    char detail[320];
    va_list args;

    if (check->problems->len == FL_PROBLEMS_MAX) {
        check->problems->more++;
        return;
    }
    va_start(args, fmt);
    vsnprintf(detail, sizeof detail, fmt, args);
    va_end(args);
    problem.detail =
        (struct fl_str){fl_arena_copy(check->arena, detail, strlen(detail)), strlen(detail)};
    problem.pointer = fl_path_pointer(path, (struct fl_str){0}, check->arena);
    if (node) {
        problem.got = fl_problem_got(node, check->arena);
        problem.at = node->at;
    }
    fl_problems_add(check->problems, problem);
}

struct fl_str fl_job_check_allowed(const struct fl_job_check *check,
                                   const struct fl_job_field *field)
{
    char text[FL_JOB_ALLOWED_MAX];

    fl_job_allowed(field, text);
    return (struct fl_str){fl_arena_copy(check->arena, text, strlen(text)), strlen(text)};
}

void fl_job_misfit(const struct fl_job_check *check, const struct fl_job_field *field,
                   const struct fl_path *path, const struct fl_json *node)
{
    if (node->kind == FL_JSON_NULL) {
        fl_job_wrong(check, path, node, fl_job_check_allowed(check, field),
                     "null is no value here; leave the field out");
    } else {
        fl_job_wrong(check, path, node, fl_job_check_allowed(check, field),
                     "this is not what " FL_STR_FMT " holds", FL_STR_ARG(field->name));
    }
}

bool fl_job_holds(const struct fl_job_check *check, const struct fl_job_field *field,
                  const struct fl_path *path, const struct fl_json *node, enum fl_json_kind kind)
{
    if (node->kind == kind && node->len >= field->min && node->len <= field->max) return true;
    fl_job_misfit(check, field, path, node);
    return false;
}

void fl_job_check_indexes(const struct fl_job_check *check, const struct fl_json *object,
                          const struct fl_indexes *indexes, uint32_t elements)
{
    if (indexes->len == 0 || elements == indexes->len) return;
    fl_job_wrong(check, &(struct fl_path){.key = FL_STR("array")},
                 fl_json_member(object, FL_STR("array")), (struct fl_str){0},
                 "indexes names %" PRIu32 " elements: leave array out, or write that number",
                 indexes->len);
}

void fl_job_check_parallelism(const struct fl_job_check *check, const struct fl_json *object,
                              uint32_t elements, uint32_t parallelism)
{
    if (parallelism == 0 || elements > 1 || fl_json_member(object, FL_STR("array")) ||
        fl_json_member(object, FL_STR("indexes"))) {
        return;
    }
    fl_job_wrong(check, &(struct fl_path){.key = FL_STR("parallelism")},
                 fl_json_member(object, FL_STR("parallelism")), (struct fl_str){0},
                 "this limits how many elements of an array run at the same time, and there is no "
                 "array: write array for what runs apart, replicas for what runs together");
}
