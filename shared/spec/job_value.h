/* job_value.h - reads one value of the job document, of the kind that its row in fields.def names:
 * texts, lists and objects of texts, numbers.  Objects with fields are read by job_object.h.
 * Uses shared/base, shared/json and shared/spec.  Pure. */
#pragma once

#include "shared/spec/job_check.h"

/* Writes *to, which is of the type that goes with the field's kind, or notes what is wrong.  The
 * kinds env, object, within, only_item and roles are not its own. */
void fl_job_read_value(const struct fl_job_check *check, const struct fl_job_field *field,
                       const struct fl_path *path, const struct fl_json *node, void *to);

bool fl_job_is_env_name(struct fl_str s);
