/* job_fields.h - the table of fields.def, as those who validate, write, describe and document read
 * it.  Uses shared/base.  Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "shared/base/str.h"

/* kind, what it holds, what min and max of the row count (an ending of fl_job_allowed) */
#define FL_JOB_KINDS(X)                                                                            \
    X(text, "text without control characters", BYTES)                                              \
    X(queue, "the name of a queue: a-z, 0-9 and '-', no '-' at an end", BYTES)                     \
    X(role_name, "a name: a-z, 0-9 and '-', no '-' at an end", BYTES)                              \
    X(env_name, "letters, digits, '_', '.' and '-', no digit at first, not a name of ours", BYTES) \
    X(env_value, "text", BYTES)                                                                    \
    X(words, "a list of texts", ITEMS)                                                             \
    X(indexes, "numbers and ranges in ascending order, as 1-100:3,200", BYTES)                     \
    X(names, "a list of names of clusters, none twice", ITEMS)                                     \
    X(labels, "an object of labels", ITEMS)                                                        \
    X(node_labels, "an object of labels", ITEMS)                                                   \
    X(env, "an object of texts, or a list of objects with name and value", ITEMS)                  \
    X(params, "an object of texts", ITEMS)                                                         \
    X(dependencies, "a list of objects with job or line, and on", ITEMS)                           \
    X(tolerations, "a list of objects with key, operator, value and effect", ITEMS)                \
    X(mounts, "a list of objects with path and a source", ITEMS)                                   \
    X(node_terms, "a list of objects with matchExpressions", ITEMS)                                \
    X(node_requirements, "a list of objects with key, operator and values", ITEMS)                 \
    X(node_operator, "In, NotIn, Exists, DoesNotExist, Gt or Lt", NOTHING)                         \
    X(label_key, "the key of a label: a name, before it, if any, a DNS name and '/'", BYTES)       \
    X(label_values, "a list of values of a label: letters, digits, '-', '_' and '.'", ITEMS)       \
    X(taint_key, "the key of a taint: a name, before it, if any, a DNS name and '/'", BYTES)       \
    X(taint_value, "the value of a taint: letters, digits, '-', '_' and '.'", BYTES)               \
    X(toleration_operator, "Equal or Exists", NOTHING)                                             \
    X(taint_effect, "NoSchedule, PreferNoSchedule or NoExecute", NOTHING)                          \
    X(job_id, "the id of a job, as job-7", NOTHING)                                                \
    X(job_end, "success, failure, any or each", NOTHING)                                           \
    X(boolean, "true or false", NOTHING)                                                           \
    X(count, "a whole number", VALUE)                                                              \
    X(integer, "a whole number", VALUE)                                                            \
    X(duration, "a time like 90s, 5m or 1h30m, or a number of seconds", VALUE)                     \
    X(cpu, "cores like 2, 1.5 or 500m", NOTHING)                                                   \
    X(memory, "bytes like 2Gi or 512M", NOTHING)                                                   \
    X(gpus, "a whole number", VALUE)                                                               \
    X(bytes_named, "bytes like 2Gi or 512M", NOTHING)                                              \
    X(devices_named, "a whole number", VALUE)                                                      \
    X(never, "\"Never\"", NOTHING)                                                                 \
    X(object, "an object", NOTHING)                                                                \
    X(within, "an object", NOTHING)                                                                \
    X(only_item, "a list of exactly one object", NOTHING)                                          \
    X(roles, "a list of objects", ITEMS)

enum fl_job_kind {
#define FL_JOB_KIND_ENUM(kind, allowed, counts) FL_JOB_KIND_##kind,
    FL_JOB_KINDS(FL_JOB_KIND_ENUM)
#undef FL_JOB_KIND_ENUM
};

enum fl_job_object {
#define OBJECT(id, name, text) FL_JOB_OBJECT_##id,
#define FIELD(object, name, kind, member, min, max, preset, flags, text)
#define CHILD(object, name, kind, member, child, flags, text)
#define REFUSED(object, name, why)
#include "shared/spec/fields.def"
#undef OBJECT
#undef FIELD
#undef CHILD
#undef REFUSED
    FL_JOB_OBJECTS_LEN
};

enum {
    FL_FIELD_REQUIRED = 1,
    FL_FIELD_SHORT = 2,     /* the short form's: not beside 'roles', and never written */
    FL_FIELD_OWN = 4,       /* the job's own: no part of the spec */
    FL_FIELD_EDIT = 16,     /* may be changed while the job is open */
    FL_FIELD_UNWRITTEN = 8, /* says nothing that is not known: the canonical form leaves it out */
};

struct fl_job_field {
    struct fl_str name;
    enum fl_job_kind kind;
    enum fl_job_object child; /* kinds object, within, only_item and roles: the object inside */
    uint32_t flags;
    /* in the struct of its object; unused for 'within', 'only_item' and 'never' */
    uint32_t offset;
    int64_t min, max, preset;
    const char *text;
};

struct fl_job_fields {
    const struct fl_job_field *at;
    size_t len;
};

struct fl_job_refused {
    enum fl_job_object object;
    struct fl_str name;
    const char *why;
};

struct fl_job_fields fl_job_fields(enum fl_job_object object);
const char *fl_job_object_name(enum fl_job_object object); /* "PodSpec" */
const char *fl_job_object_text(enum fl_job_object object);

/* NULL: no row has that name, nor takes it. */
const struct fl_job_field *fl_job_find_field(enum fl_job_object object, struct fl_str name);
const struct fl_job_refused *fl_job_find_refused(enum fl_job_object object, struct fl_str name);
const struct fl_job_refused *fl_job_refused_at(size_t i); /* all of them */

#define FL_JOB_ALLOWED_MAX 160

/* The values that the field may hold, in words. */
void fl_job_allowed(const struct fl_job_field *field, char ret_text[FL_JOB_ALLOWED_MAX]);
