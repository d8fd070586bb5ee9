#include "shared/spec/job_fields.h"

#include <stdio.h>

#include "shared/base/assert.h"
#include "shared/base/resource_name.h"
#include "shared/spec/job_draft.h"

/* The struct that an object's members are of. */
#define STRUCT_job struct fl_job_draft
#define STRUCT_amounts struct fl_job_amounts
#define STRUCT_role struct fl_job_role
#define STRUCT_template struct fl_job_role
#define STRUCT_pod struct fl_job_role
#define STRUCT_container struct fl_job_role
#define STRUCT_demands struct fl_job_role
#define STRUCT_kube_amounts struct fl_job_amounts
#define STRUCT_variable struct fl_text_map_entry
#define STRUCT_dependency struct fl_dependency
#define STRUCT_toleration struct fl_toleration
#define STRUCT_mount struct fl_job_mount
#define STRUCT_affinity struct fl_job_role
#define STRUCT_node_affinity struct fl_job_role
#define STRUCT_node_selector struct fl_job_role
#define STRUCT_node_term struct fl_job_node_term
#define STRUCT_node_requirement struct fl_job_node_requirement

#define OFFSET(object, member) (uint32_t) offsetof(STRUCT_##object, member)
#define REFUSED(object, name, why)

static const struct fl_job_field rows[] = {
#define OBJECT(id, name, text)
#define FIELD(object, name, kind, member, min, max, preset, flags, text)                           \
    {FL_STR(name),                                                                                 \
     FL_JOB_KIND_##kind,                                                                           \
     FL_JOB_OBJECTS_LEN,                                                                           \
     flags,                                                                                        \
     OFFSET(object, member),                                                                       \
     min,                                                                                          \
     max,                                                                                          \
     preset,                                                                                       \
     text},
#define CHILD(object, name, kind, member, child, flags, text)                                      \
    {FL_STR(name),                                                                                 \
     FL_JOB_KIND_##kind,                                                                           \
     FL_JOB_OBJECT_##child,                                                                        \
     flags,                                                                                        \
     OFFSET(object, member),                                                                       \
     1,                                                                                            \
     FL_JOB_ROLES_MAX,                                                                             \
     0,                                                                                            \
     text},
#include "shared/spec/fields.def"
#undef OBJECT
#undef FIELD
#undef CHILD
};

/* FIRST_x is the number of the row behind OBJECT(x): the enumerator after it has the same value. */
#define PASTE(a, b) a##b
#define ROW(line) PASTE(ROW_, line)
enum {
#define OBJECT(id, name, text) FIRST_##id, BEFORE_##id = FIRST_##id - 1,
#define FIELD(object, name, kind, member, min, max, preset, flags, text) ROW(__LINE__),
#define CHILD(object, name, kind, member, child, flags, text) ROW(__LINE__),
#include "shared/spec/fields.def"
#undef OBJECT
#undef FIELD
#undef CHILD
    ROWS_LEN
};
_Static_assert(ROWS_LEN == sizeof rows / sizeof *rows, "a row a line");

static const struct {
    const char *name, *text;
    size_t first;
} objects[] = {
#define OBJECT(id, name, text) {#name, text, FIRST_##id},
#define FIELD(object, name, kind, member, min, max, preset, flags, text)
#define CHILD(object, name, kind, member, child, flags, text)
#include "shared/spec/fields.def"
#undef OBJECT
#undef REFUSED
    {"", "", ROWS_LEN},
};

static const struct fl_job_refused refused[] = {
#define OBJECT(id, name, text)
#define REFUSED(object, name, why) {FL_JOB_OBJECT_##object, FL_STR(name), why},
#include "shared/spec/fields.def"
#undef OBJECT
#undef FIELD
#undef CHILD
#undef REFUSED
};

struct fl_job_fields fl_job_fields(enum fl_job_object object)
{
    fl_assert(object < FL_JOB_OBJECTS_LEN);
    return (struct fl_job_fields){rows + objects[object].first,
                                  objects[object + 1].first - objects[object].first};
}

const char *fl_job_object_name(enum fl_job_object object)
{
    return objects[object].name;
}

const char *fl_job_object_text(enum fl_job_object object)
{
    return objects[object].text;
}

const struct fl_job_field *fl_job_find_field(enum fl_job_object object, struct fl_str name)
{
    struct fl_job_fields fields = fl_job_fields(object);

    for (size_t i = 0; i < fields.len; i++) {
        const struct fl_job_field *field = &fields.at[i];

        if (field->kind != FL_JOB_KIND_devices_named) {
            if (fl_str_eq(field->name, name)) return field;
        } else if (fl_is_job_resource(name) && !fl_job_find_refused(object, name)) {
            return field;
        }
    }
    return NULL;
}

const struct fl_job_refused *fl_job_refused_at(size_t i)
{
    return i < sizeof refused / sizeof *refused ? &refused[i] : NULL;
}

const struct fl_job_refused *fl_job_find_refused(enum fl_job_object object, struct fl_str name)
{
    const struct fl_job_refused *row;

    for (size_t i = 0; (row = fl_job_refused_at(i)); i++) {
        if (row->object == object && fl_str_eq(row->name, name)) return row;
    }
    return NULL;
}

void fl_job_allowed(const struct fl_job_field *field, char ret_text[FL_JOB_ALLOWED_MAX])
{
    enum { NOTHING, VALUE, BYTES, ITEMS };
    static const struct {
        const char *allowed;
        int counts;
    } kinds[] = {
#define FL_JOB_KIND_ROW(kind, allowed, counts) {allowed, counts},
        FL_JOB_KINDS(FL_JOB_KIND_ROW)
#undef FL_JOB_KIND_ROW
    };
    const char *allowed = kinds[field->kind].allowed;
    long long min = field->min, max = field->max;

    switch (kinds[field->kind].counts) {
    case VALUE:
        snprintf(ret_text, FL_JOB_ALLOWED_MAX, "%s, from %lld to %lld", allowed, min, max);
        break;
    case BYTES:
        snprintf(ret_text, FL_JOB_ALLOWED_MAX, "%s; %lld to %lld bytes", allowed, min, max);
        break;
    case ITEMS:
        snprintf(ret_text, FL_JOB_ALLOWED_MAX, "%s; %lld to %lld of them", allowed, min, max);
        break;
    default:
        snprintf(ret_text, FL_JOB_ALLOWED_MAX, "%s", allowed);
    }
}
