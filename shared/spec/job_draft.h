/* job_draft.h - what the rows of 'job' in fields.def are read into: the spec, and the fields of the
 * short form.  Uses shared/spec only. */
#pragma once

#include "shared/spec/job_spec.h"

struct fl_job_draft {
    struct fl_job_spec spec;       /* first, so that a writer of specs may take it for a draft */
    struct fl_job_role only;       /* the short form's one role */
    struct fl_job_amounts amounts; /* and its resources */
};
