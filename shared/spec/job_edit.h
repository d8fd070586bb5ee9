/* job_edit.h - reads the edit of an open job: those members of the job document that may change,
 * which are the rows of fields.def with FL_FIELD_EDIT.  A member that is left out stays; null takes
 * a name, a deadline, a parallelism, a label or all labels away (RFC 7396).
 * Uses shared/base, shared/json and shared/spec.  Pure. */
#pragma once

#include "shared/spec/job_spec.h"

/* Into *spec, whose members are those of the job as it is.  On false 'problems', which was zeroed
 * by the caller, has at least one, and *spec is as it was. */
FL_CHECK bool fl_job_edit_parse(const struct fl_json *edit, struct fl_arena *arena,
                                struct fl_job_spec *spec, struct fl_problems *problems);
