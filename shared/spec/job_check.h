/* job_check.h - notes what is wrong with a job document while it is read.
 * Uses shared/base, shared/json and shared/spec.  Pure. */
#pragma once

#include "shared/spec/indexes.h"
#include "shared/spec/job_fields.h"
#include "shared/spec/problems.h"

/* The state of reading one document. */
struct fl_job_check {
    struct fl_arena *arena;
    struct fl_problems *problems;
};

/* Notes what is wrong with 'node' (NULL: something is missing), which stands at 'path'. */
void fl_job_wrong(const struct fl_job_check *check, const struct fl_path *path,
                  const struct fl_json *node, struct fl_str allowed, const char *fmt, ...)
    FL_PRINTF(5, 6);

/* Notes that 'node' is not what 'field' may hold. */
void fl_job_misfit(const struct fl_job_check *check, const struct fl_job_field *field,
                   const struct fl_path *path, const struct fl_json *node);

/* True if 'node' is of 'kind', a list or an object, and has as many items as 'field' may hold; a
 * misfit is noted. */
bool fl_job_holds(const struct fl_job_check *check, const struct fl_job_field *field,
                  const struct fl_path *path, const struct fl_json *node, enum fl_json_kind kind);

/* The values that 'field' may hold, in words. */
struct fl_str fl_job_check_allowed(const struct fl_job_check *check,
                                   const struct fl_job_field *field);

/* Notes another number of elements than there are indexes; 'object' has the array. */
void fl_job_check_indexes(const struct fl_job_check *check, const struct fl_json *object,
                          const struct fl_indexes *indexes, uint32_t elements);

/* Notes a parallelism of a job without elements; 'object' has it, and the array or the indexes if
 * there are some. */
void fl_job_check_parallelism(const struct fl_job_check *check, const struct fl_json *object,
                              uint32_t elements, uint32_t parallelism);
