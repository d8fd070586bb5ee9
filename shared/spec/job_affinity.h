/* job_affinity.h - the affinity of a job document: its parts, as job_object.c reads them, become
 * the text of node_affinity.h, and the text is written again in the words of Kubernetes.
 * Uses shared/base, shared/json and shared/spec.  Pure. */
#pragma once

#include "shared/json/json_out.h"
#include "shared/spec/job_check.h"
#include "shared/spec/job_draft.h"

/* The text of a requirement, which stands at 'path'; values that its operator does not take are
 * noted. */
struct fl_str fl_job_requirement_text(const struct fl_job_check *check, const struct fl_path *path,
                                      const struct fl_json *item,
                                      const struct fl_job_node_requirement *one);

/* The text of a term; its requirements are sorted, none twice. */
struct fl_str fl_job_term_text(const struct fl_strs *requirements, struct fl_arena *arena);

/* The text of all terms, which are sorted, none twice; too many requirements or bytes are noted. */
struct fl_str fl_job_affinity_text(const struct fl_job_check *check, const struct fl_path *path,
                                   const struct fl_json *node, const struct fl_strs *terms);

/* Writes the list of terms.  With the name of a node they are terms that only this node matches,
 * and without a text it is one term. */
void fl_job_put_node_terms(struct fl_json_out *out, struct fl_str affinity, struct fl_str node);
