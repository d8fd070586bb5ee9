/* manifest_read.h - reads a manifest by the table of manifest.def, and builds a document of it.
 * For manifest.c and manifest_mounts.c.
 * Uses shared/base, shared/json and shared/spec.  Pure. */
#pragma once

#include "shared/spec/manifest.h"
#include "shared/spec/manifest_fields.h"

/* A field of the manifest that was taken. */
struct fl_taken {
    const struct fl_json *node; /* NULL: it is not there */
    const struct fl_path *path; /* in the arena */
    struct fl_str pointer;
};

/* An object or a list that is being made. */
struct fl_built {
    struct fl_json *node, *last;
};

struct fl_reading {
    const struct fl_job_check *check;
    struct fl_taken taken[FL_MANIFEST_TAKES_LEN];
    struct fl_built labels;
    struct fl_str pod; /* the pointers of the pod and of its container */
    struct fl_str container;
    bool is_job;  /* it may run again: its pods are made by a controller */
    bool is_gang; /* a PyTorchJob: a role for each kind of replica */
    struct fl_manifest_moves moves;
};

#define FL_TAKE(reading, take) (&(reading)->taken[FL_MANIFEST_TAKE_##take])

void fl_manifest_wrong(const struct fl_reading *reading, const struct fl_taken *taken,
                       const char *text);

/* ---- building -------------------------------------------------------------------------------- */

struct fl_built fl_manifest_begin(const struct fl_reading *reading, enum fl_json_kind kind);
/* Appends a copy of 'node', which shares the values inside it. */
void fl_manifest_append(const struct fl_reading *reading, struct fl_built *to, struct fl_str key,
                        const struct fl_json *node);
void fl_manifest_append_number(const struct fl_reading *reading, struct fl_built *to,
                               struct fl_str key, int64_t n);
void fl_manifest_moved(struct fl_reading *reading, struct fl_str to, struct fl_str from);
/* Kubernetes takes an empty value for an absent one. */
bool fl_manifest_is_empty(const struct fl_json *node);
/* The last key of 'place', a pointer in the job document, gets the value, if there is one. */
void fl_manifest_put(struct fl_reading *reading, struct fl_built *to, const char *place,
                     const struct fl_taken *taken);
/* The pointer of a place in the role that is being made; the same with its value. */
const char *fl_manifest_in_role(const struct fl_reading *reading, const struct fl_built *roles,
                                const char *place);
void fl_manifest_put_in_role(struct fl_reading *reading, const struct fl_built *roles,
                             struct fl_built *to, const char *place, const struct fl_taken *taken);

/* ---- reading --------------------------------------------------------------------------------- */

/* Takes the fields of the object and of those inside it. */
void fl_manifest_read_object(struct fl_reading *reading, enum fl_manifest_object object,
                             const struct fl_path *path, const struct fl_json *node);
