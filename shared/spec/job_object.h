/* job_object.h - reads objects of the job document, and lists of them, into the members that
 * fields.def names.
 * Uses shared/base, shared/json and shared/spec.  Pure. */
#pragma once

#include "shared/spec/job_check.h"

/* Reads the fields of 'node' into the struct at 'base', and notes what is unknown, missing and
 * wrong.  Its defaults must be there already. */
void fl_job_read_object(const struct fl_job_check *check, enum fl_job_object object,
                        const struct fl_path *path, const struct fl_json *node, void *base);

/* Notes a member that is no field; 'flags': offers fields alone that have these. */
void fl_job_refuse_field(const struct fl_job_check *check, enum fl_job_object object,
                         uint32_t flags, const struct fl_path *path, const struct fl_json *item);

/* Reads one of them, which stands at 'path'. */
void fl_job_read_field(const struct fl_job_check *check, const struct fl_job_field *field,
                       const struct fl_path *path, const struct fl_json *node, void *base);
