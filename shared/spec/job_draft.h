/* job_draft.h - what the rows of 'job' in fields.def are read into: the spec, and the fields of the
 * short form.  Uses shared/spec only. */
#pragma once

#include "shared/base/node_affinity.h"
#include "shared/spec/job_spec.h"

struct fl_job_draft {
    struct fl_job_spec spec;       /* first, so that a writer of specs may take it for a draft */
    struct fl_job_role only;       /* the short form's one role */
    struct fl_job_amounts amounts; /* and its resources */
};

/* A term of the affinity while it is read; only its text is kept. */
struct fl_job_node_term {
    struct fl_str text;
};

struct fl_job_node_requirement {
    struct fl_str key;
    enum fl_node_operator operates;
    struct fl_strs values; /* sorted, none twice */
};
