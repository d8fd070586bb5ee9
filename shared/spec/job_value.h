/* job_value.h - reads the fields of the job document into the members that fields.def names.
 * Values are read by job_value.c, objects and lists of them by job_object.c; each needs the other.
 * Uses shared/base, shared/json and shared/spec.  Pure. */
#pragma once

#include "shared/spec/job_fields.h"
#include "shared/spec/job_spec.h"

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

/* Reads the fields of 'object' into the struct at 'base', and notes what is unknown, missing and
 * wrong.  Its defaults must be there already. */
void fl_job_read_object(const struct fl_job_check *check, enum fl_job_object object,
                        const struct fl_path *path, const struct fl_json *node, void *base);

/* Writes *to, which is of the type that goes with the field's kind (no object), or notes what is
 * wrong. */
void fl_job_read_value(const struct fl_job_check *check, const struct fl_job_field *field,
                       const struct fl_path *path, const struct fl_json *node, void *to);

/* Sorts by key; the first that is there twice, or NULL. */
const struct fl_pair *fl_pairs_sort(struct fl_pairs *pairs);
