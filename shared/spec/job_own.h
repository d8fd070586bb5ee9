/* job_own.h - reads the job's own members where they stand without a spec: a line of a batch that
 * uses one.  They are the rows of fields.def with FL_FIELD_OWN.
 * Uses shared/base, shared/json and shared/spec.  Pure. */
#pragma once

#include "shared/spec/job_spec.h"

/* Into *spec, whose own members are there already: labels and parameters come over those of the
 * same name, and each other member takes the place of what was there.  'mark' is a member of the
 * line that is not read; any other is a problem.  On false 'problems', which was zeroed by the
 * caller, has at least one, and *spec is as it was. */
FL_CHECK bool fl_job_own_parse(const struct fl_json *line, struct fl_str mark,
                               struct fl_arena *arena, struct fl_job_spec *spec,
                               struct fl_problems *problems);
