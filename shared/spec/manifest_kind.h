/* manifest_kind.h - what kind of object a manifest is, by its apiVersion and kind.
 * The kinds that are taken, and those that are refused with a reason of their own, are in
 * manifest.def; each problem is noted in 'check'.
 * Uses shared/base, shared/json and shared/spec.  Pure. */
#pragma once

#include "shared/spec/job_check.h"
#include "shared/spec/manifest_fields.h"

/* The kind of 'manifest', which stands at 'path'; NULL: it was refused. */
const struct fl_manifest_kind *fl_manifest_kind_of(const struct fl_job_check *check,
                                                   const struct fl_path *path,
                                                   const struct fl_json *manifest);

/* A List of one is its item.  NULL: it was refused. */
const struct fl_json *fl_manifest_only_item(const struct fl_job_check *check, struct fl_path *items,
                                            const struct fl_json *list);
