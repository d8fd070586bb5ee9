#include "shared/spec/manifest_fields.h"

static const struct fl_manifest_field fields[] = {
#define OBJECT(id, name, text)
#define KIND(api, name, object, text)
#define NO_KIND(group, name, why)
#define TAKEN(owner, field, what, words)                                                           \
    {.object = FL_MANIFEST_OBJECT_##owner,                                                         \
     .name = FL_STR(field),                                                                        \
     .rule = FL_MANIFEST_taken,                                                                    \
     .take = FL_MANIFEST_TAKE_##what,                                                              \
     .text = (words)},
#define CHILD(owner, field, inner, how, words)                                                     \
    {.object = FL_MANIFEST_OBJECT_##owner,                                                         \
     .name = FL_STR(field),                                                                        \
     .rule = FL_MANIFEST_##how,                                                                    \
     .child = FL_MANIFEST_OBJECT_##inner,                                                          \
     .text = (words)},
#define PASSED(owner, field, allowed, words)                                                       \
    {.object = FL_MANIFEST_OBJECT_##owner,                                                         \
     .name = FL_STR(field),                                                                        \
     .rule = FL_MANIFEST_passed,                                                                   \
     .values = (allowed),                                                                          \
     .text = (words)},
#define REFUSED(owner, field, words)                                                               \
    {.object = FL_MANIFEST_OBJECT_##owner,                                                         \
     .name = FL_STR(field),                                                                        \
     .rule = FL_MANIFEST_refused,                                                                  \
     .text = (words)},
#include "shared/spec/manifest.def"
#undef OBJECT
#undef TAKEN
#undef CHILD
#undef PASSED
#undef REFUSED
#undef KIND
#undef NO_KIND
};

static const struct fl_manifest_kind kinds[] = {
#define OBJECT(id, name, text)
#define TAKEN(object, name, take, text)
#define CHILD(object, name, child, how, text)
#define PASSED(object, name, values, text)
#define REFUSED(object, name, why)
#define KIND(api, name, object, text) {api, name, FL_MANIFEST_OBJECT_##object, true, text},
#define NO_KIND(group, name, why) {group, name, FL_MANIFEST_OBJECT_OBJECTS_LEN, false, why},
#include "shared/spec/manifest.def"
#undef OBJECT
#undef KIND
#undef NO_KIND
};

static const struct {
    const char *name, *text;
} objects[] = {
#define OBJECT(id, name, text) {name, text},
#define KIND(api, name, object, text)
#define NO_KIND(group, name, why)
#include "shared/spec/manifest.def"
#undef OBJECT
#undef TAKEN
#undef CHILD
#undef PASSED
#undef REFUSED
#undef KIND
#undef NO_KIND
};

const struct fl_manifest_field *fl_manifest_find_field(enum fl_manifest_object object,
                                                       struct fl_str name)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (fields[i].object == object && fl_str_eq(fields[i].name, name)) return &fields[i];
    }
    return NULL;
}

const struct fl_manifest_field *fl_manifest_field_at(size_t i)
{
    return i < sizeof fields / sizeof *fields ? &fields[i] : NULL;
}

const struct fl_manifest_kind *fl_manifest_kind_at(size_t i)
{
    return i < sizeof kinds / sizeof *kinds ? &kinds[i] : NULL;
}

const char *fl_manifest_object_name(enum fl_manifest_object object)
{
    return objects[object].name;
}

const char *fl_manifest_object_text(enum fl_manifest_object object)
{
    return objects[object].text;
}
