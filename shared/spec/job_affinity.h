/* job_affinity.h - the affinity of a job document: read into the text of node_affinity.h, and
 * written from it again in the words of Kubernetes.
 * Uses shared/base, shared/json and shared/spec.  Pure. */
#pragma once

#include "shared/json/json_out.h"
#include "shared/spec/job_check.h"

/* nodeSelectorTerms. */
void fl_job_read_node_terms(const struct fl_job_check *check, const struct fl_job_field *field,
                            const struct fl_path *path, const struct fl_json *node,
                            struct fl_str *to);

/* matchExpressions. */
void fl_job_read_node_requirements(const struct fl_job_check *check,
                                   const struct fl_job_field *field, const struct fl_path *path,
                                   const struct fl_json *node, struct fl_str *to);

/* The list of terms.  With the name of a node they are terms that only this node matches, and
 * without a text it is one term. */
void fl_job_put_node_terms(struct fl_json_out *out, struct fl_str affinity, struct fl_str node);
