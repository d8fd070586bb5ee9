/* submission.h - reads what people submit: a job document, or a manifest of Kubernetes.
 * Uses shared/base, shared/json and shared/spec.  Pure. */
#pragma once

#include "shared/spec/job_spec.h"

struct fl_submission {
    struct fl_job_spec spec;
    bool has_queue; /* it names one */
};

/* As fl_job_spec_parse; problems of a manifest name its own fields. */
FL_CHECK bool fl_submission_parse(const struct fl_json *document, struct fl_arena *arena,
                                  struct fl_submission *ret, struct fl_problems *problems);
