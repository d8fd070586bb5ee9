/* manifest.h - a Kubernetes manifest as a job document.
 * A batch/v1 Job, a PyTorchJob, a Pod, a PodTemplate, a pod template alone, or a List of one of
 * them.  Each field
 * is taken, passed over or refused by its row in manifest.def; a field without a row is refused, so
 * nothing is ever ignored.  The document is a tree in the long form whose values are those of the
 * manifest, with their places: fl_job_spec_parse judges them.
 * Uses shared/base, shared/json and shared/spec.  Pure. */
#pragma once

#include "shared/spec/job_check.h"

/* Where a field of the document came from, as JSON pointers. */
struct fl_manifest_move {
    struct fl_str to, from;
};

struct fl_manifest_moves {
    struct fl_manifest_move *at;
    size_t len, cap;
};

/* Whether 'document' is meant as a manifest: it has apiVersion, kind, or an object as its spec. */
bool fl_manifest_is(const struct fl_json *document);

/* On false a problem was noted. */
FL_CHECK bool fl_manifest_document(const struct fl_job_check *check, const struct fl_json *manifest,
                                   const struct fl_json **ret_document,
                                   struct fl_manifest_moves *ret_moves);

/* The place in the manifest of what stands at 'pointer' in the document. */
struct fl_str fl_manifest_origin(const struct fl_manifest_moves *moves, struct fl_str pointer,
                                 struct fl_arena *arena);
