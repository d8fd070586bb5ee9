/* shape.h - the part of a job that the scheduler decides by, and its canonical bytes.
 * The API writes them once it has checked the job document; jobs with equal bytes are equal
 * to the scheduler.  Decoding is total: bytes that shape_encode would not write are
 * refused, but for those of releases before migration 0003.  Their shapes held the deadline and the
 * retries of their jobs too, and the rows of these jobs do not: so both are read from the shape
 * until its jobs have ended.  A shape that asks for resources by name has a layout of its own; all
 * others have the bytes that they had before there were any, and so it is with tolerations and
 * with an affinity.
 * Uses shared/base only. */
#pragma once

#include "controlplane/core/named_resources.h"
#include "shared/base/err.h"
#include "shared/base/job_limits.h"
#include "shared/base/resources.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

struct fl_arena;
struct fl_buf;

enum {
    SHAPE_KINDS_MAX = FL_JOB_NAMED_MAX, /* resources with a name, in all roles together */
    SHAPE_NODE_LABELS_MAX = FL_JOB_NODE_LABELS_MAX + 1, /* that of requireLimits */
};

/* The first byte of a shape's bytes: another one is another layout. */
enum shape_format {
    SHAPE_FORMAT_old = 1, /* before migration 0003: with the deadline and the retries of its jobs */
    SHAPE_FORMAT_plain = 2,
    SHAPE_FORMAT_kinds = 3,       /* with resources by name */
    SHAPE_FORMAT_tolerations = 4, /* with tolerations, and perhaps with resources by name */
    SHAPE_FORMAT_affinity = 5,    /* with an affinity, and perhaps with both */
};

struct shape_label {
    struct fl_str key, value;
};

struct shape_role {
    uint32_t replicas;
    uint32_t replicas_min; /* below 'replicas' is refused by name: nothing is elastic yet */
    struct fl_resources each;
    uint64_t named[SHAPE_KINDS_MAX]; /* and so much of each of the shape's kinds */
};

struct shape {
    struct shape_role roles[FL_JOB_ROLES_MAX];
    uint32_t roles_len;
    struct fl_str kinds[SHAPE_KINDS_MAX];  /* names of resources, sorted; some role wants each */
    uint8_t kind_numbers[SHAPE_KINDS_MAX]; /* theirs in the fleet; 0: no node has offered it.  Not
                                              in the bytes: the shape table fills them in */
    uint32_t kinds_len;
    struct shape_label node_labels[SHAPE_NODE_LABELS_MAX]; /* every node must carry all of them */
    uint32_t node_labels_len;
    struct fl_str affinity;    /* the text of node_affinity.h: every node must match it, too */
    struct fl_str tolerations; /* the lines of taint.h, for all roles */
    struct fl_str clusters[FL_JOB_CLUSTERS_MAX]; /* only these; none: any */
    uint32_t clusters_len;
    struct fl_str not_clusters[FL_JOB_CLUSTERS_MAX];
    uint32_t not_clusters_len;
    bool has_image; /* only a cluster whose runtime has images can run it */
};

/* Appends the canonical bytes.  False when 'out' is full or a limit of job_limits.h is passed. */
FL_CHECK bool shape_encode(struct fl_buf *out, const struct shape *shape);

/* Strings of *ret_shape point into 'bytes'. */
FL_CHECK bool shape_decode(struct fl_str bytes, struct shape *ret_shape, struct fl_err *err);

/* Were 'bytes' written before migration 0003? */
bool shape_is_old(struct fl_str bytes);

/* The deadline and the retries of the jobs of an old shape, which shape_decode took. */
void shape_read_old(struct fl_str bytes, uint32_t *ret_deadline_s, uint32_t *ret_retries_max);

uint32_t shape_replicas(const struct shape *shape);

/* The role that the flat replica number belongs to. */
const struct shape_role *shape_role_of(const struct shape *shape, uint32_t replica);

/* The amounts that a replica of the role asks for by name. */
static inline struct named_requests shape_wants(const struct shape *shape,
                                                const struct shape_role *role)
{
    return (struct named_requests){shape->kind_numbers, role->named, shape->kinds_len};
}
