/* job_spec.h - the job document: its struct for hub, agent and CLI, and its canonical bytes.
 * A document has a short form (one role, its fields at the top) and a long one ('roles', each with
 * a template in the words of a Kubernetes pod); both end in the same struct.  Which fields there
 * are, and what each may hold, is fields.def: validation, schema and docs/reference/job.md read
 * that one table.  A field that is not in it is refused by name.
 *
 * A job is stored in two parts.  The *spec* is what its replicas run and what the
 * scheduler looks at; fl_job_spec_canonical writes it, its SHA-256 is its name, and many jobs share
 * one.  The job's own fields (name, queue, labels, priority, array, parallelism, hold, params,
 * after, singleton) are the other part.
 *
 * Strings and lists of a spec are in the arena, or views of the document: it lives as long as both.
 * Uses shared/base and shared/json.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/amounts.h"
#include "shared/base/dependency.h"
#include "shared/base/err.h"
#include "shared/base/job_limits.h"
#include "shared/base/resources.h"
#include "shared/base/str.h"
#include "shared/base/taint.h"
#include "shared/base/types.h"
#include "shared/json/json.h"
#include "shared/spec/indexes.h"
#include "shared/spec/problems.h"
#include "shared/spec/text_map.h"

struct fl_arena;
struct fl_buf;

struct fl_strs {
    struct fl_str *at;
    size_t len, cap;
};

struct fl_job_amounts {
    struct fl_resources usual;
    struct fl_amounts named; /* all others, by their names */
};

/* A part of a replica's file system; just one of the four sources is set. */
struct fl_job_mount {
    struct fl_str path;
    struct fl_str claim, config_map, secret; /* names in the namespace of the pods */
    struct fl_str empty;                     /* "disk" or "memory" */
    uint64_t size_bytes;                     /* the most that an empty one holds; 0: no limit */
    struct fl_str sub_path;                  /* inside the others; empty: all of it */
    bool is_read_only;
};

struct fl_job_mounts {
    struct fl_job_mount *at;
    size_t len, cap;
};

struct fl_job_role {
    struct fl_str name;              /* "main" in the short form */
    uint32_t replicas, replicas_min; /* the same: a gang starts whole */
    struct fl_str image;             /* empty: none */
    struct fl_strs command,
        args; /* the program is command, then args; with an image both may be empty */
    struct fl_text_map env;
    struct fl_text_map secret_env; /* values are SECRET/KEY; no name is in both */
    struct fl_str working_dir;     /* empty: a fresh directory */
    struct fl_job_amounts request; /* the scheduler sets this aside for each replica */
    struct fl_job_amounts limit; /* each replica's; 0: none.  Never below the request, and the same
                                      where a part cannot be had */
    struct fl_text_map node_selector;  /* the same in all roles, as are the next two */
    struct fl_str affinity;            /* the text of node_affinity.h; empty: none */
    struct fl_tolerations tolerations; /* sorted by their texts, none twice */
    struct fl_job_mounts mounts;       /* sorted by their paths, none twice */
    uint32_t grace_s;                  /* between TERM and KILL */
};

struct fl_job_roles {
    struct fl_job_role *at;
    size_t len, cap;
};

struct fl_job_spec {
    /* The spec. */
    struct fl_job_roles roles;
    struct fl_strs clusters; /* only these; none: any.  Sorted, no name twice */
    struct fl_strs not_clusters;
    bool requires_limits; /* only nodes with FL_NODE_LIMITS */
    uint32_t deadline_s;  /* from the first start; 0: none */
    uint32_t retries;
    struct fl_indexes indexes; /* without a text each element has its own number */
    /* The job's own. */
    struct fl_str name;  /* may be empty */
    struct fl_str queue; /* "default" where the document does not say */
    struct fl_text_map labels;
    struct fl_text_map params;
    struct fl_dependencies after;
    int32_t priority;
    uint32_t elements;    /* 1: no array */
    uint32_t parallelism; /* so many of them run at the same time; 0: all */
    /* Sums over the roles. */
    uint32_t replicas;
    bool has_image; /* some role has one, a mount or a secret: only a runtime of pods gives them */
    bool is_held;   /* the job's own, as is_singleton */
    bool is_singleton;
};

/* The administrator's limits; where a call takes NULL, the limits above hold. */
struct fl_job_limits {
    uint32_t elements_max, replicas_max;
};

/* On false 'problems', which was zeroed by the caller, has at least one. */
FL_CHECK bool fl_job_spec_parse(const struct fl_json *document, struct fl_arena *arena,
                                const struct fl_job_limits *limits, struct fl_job_spec *ret_spec,
                                struct fl_problems *problems);

/* Appends the canonical bytes of the spec: a document in the long form, keys in the order of
 * fields.def, what is the default left out.  Equal specs have equal bytes, and reading them gives
 * these bytes again.  False when 'out' is full: init it with FL_JOB_SPEC_BYTES_MAX. */
FL_CHECK bool fl_job_spec_canonical(struct fl_buf *out, const struct fl_job_spec *spec);

/* Bytes from 'at' up to 'end' of a text. */
struct fl_job_addition {
    size_t at, end;
};

struct fl_job_additions {
    struct fl_job_addition at[FL_JOB_ROLES_MAX];
    size_t len;
};

/* The same for a spec that says more than 'asked' does: each role may have one value besides, and
 * all else is equal; 'asked' may be the spec itself.  Without the additions, the text is the
 * canonical one of 'asked'. */
FL_CHECK bool fl_job_spec_canonical_over(struct fl_buf *out, const struct fl_job_spec *spec,
                                         const struct fl_job_spec *asked,
                                         struct fl_job_additions *ret_additions);

/* The indexes of canonical bytes, a view of them; empty: each element has its own number. */
struct fl_str fl_job_spec_indexes(struct fl_str canonical);

/* The same with the job's own fields in front: the document "as resolved", which may be submitted
 * again. */
FL_CHECK bool fl_job_spec_document(struct fl_buf *out, const struct fl_job_spec *spec);

/* Reads canonical bytes.  Total: any other bytes are a spec as well, or FL_INVALID or
 * FL_TOO_LARGE. */
FL_CHECK bool fl_job_spec_read(struct fl_str bytes, struct fl_arena *arena,
                               struct fl_job_spec *ret_spec, struct fl_err *err);

/* The resources with names that the job asks for, sorted: how much of each in all replicas of all
 * roles. */
struct fl_amounts fl_job_spec_named(const struct fl_job_spec *spec, struct fl_arena *arena);

/* The tolerations of the job, as the lines of taint.h. */
struct fl_str fl_job_spec_tolerations(const struct fl_job_spec *spec, struct fl_arena *arena);

/* The program of one replica. */
struct fl_job_replica {
    const struct fl_job_role *role;
    uint32_t role_number;
    uint32_t number;        /* within its role */
    struct fl_text_map env; /* its role's, with the parameters merged over it */
};

/* 'flat' counts through all roles, and is below spec->replicas (anything else is a bug).  'params'
 * (NULL: none) are the job's own; they are not in canonical bytes. */
struct fl_job_replica fl_job_spec_replica(const struct fl_job_spec *spec,
                                          const struct fl_text_map *params, uint32_t flat,
                                          struct fl_arena *arena);
