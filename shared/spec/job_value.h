/* job_value.h - reads one value of the job document, of the kind that its row in fields.def names:
 * texts, lists and objects of texts, numbers.  Objects with fields are read by job_object.h.
 * Uses shared/base, shared/json and shared/spec.  Pure. */
#pragma once

#include "shared/spec/job_check.h"

struct fl_strs;

/* Writes *to, which is of the type that goes with the field's kind, or notes what is wrong.  The
 * kinds env, object, within, only_item and roles are not its own. */
void fl_job_read_value(const struct fl_job_check *check, const struct fl_job_field *field,
                       const struct fl_path *path, const struct fl_json *node, void *to);

/* Puts the text, for which there is room, in its place among those that are sorted.  False: it is
 * there already. */
bool fl_job_strs_insert(struct fl_strs *to, struct fl_str text);

bool fl_job_is_env_name(struct fl_str s);
