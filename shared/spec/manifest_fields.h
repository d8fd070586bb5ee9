/* manifest_fields.h - the table of manifest.def, as those who read and document manifests see it.
 * Uses shared/base.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "shared/base/str.h"

/* The fields from which manifest.c makes those of the job document.  From 'replicas' to 'limits'
 * each role has its own. */
#define FL_MANIFEST_TAKES(X)                                                                       \
    X(completions)                                                                                 \
    X(parallelism)                                                                                 \
    X(completion_mode)                                                                             \
    X(backoff_limit)                                                                               \
    X(per_index)                                                                                   \
    X(deadline)                                                                                    \
    X(pod_deadline)                                                                                \
    X(suspend)                                                                                     \
    X(name)                                                                                        \
    X(generate_name)                                                                               \
    X(template_name)                                                                               \
    X(queue)                                                                                       \
    X(nproc)                                                                                       \
    X(master)                                                                                      \
    X(worker)                                                                                      \
    X(replicas)                                                                                    \
    X(side_restart)                                                                                \
    X(node_selector)                                                                               \
    X(affinity)                                                                                    \
    X(tolerations)                                                                                 \
    X(grace)                                                                                       \
    X(restart_policy)                                                                              \
    X(image)                                                                                       \
    X(pull_policy)                                                                                 \
    X(command)                                                                                     \
    X(args)                                                                                        \
    X(env)                                                                                         \
    X(secret_env)                                                                                  \
    X(working_dir)                                                                                 \
    X(requests)                                                                                    \
    X(volumes)                                                                                     \
    X(volume_mounts)                                                                               \
    X(limits)                                                                                      \
    X(variable_name)                                                                               \
    X(variable_value)                                                                              \
    X(variable_secret)                                                                             \
    X(variable_key)                                                                                \
    X(volume_name)                                                                                 \
    X(volume_claim)                                                                                \
    X(volume_config_map)                                                                           \
    X(volume_secret)                                                                               \
    X(volume_empty)                                                                                \
    X(volume_medium)                                                                               \
    X(volume_read_only)                                                                            \
    X(volume_size)                                                                                 \
    X(mount_name)                                                                                  \
    X(mount_path)                                                                                  \
    X(mount_sub_path)                                                                              \
    X(mount_read_only)

enum fl_manifest_take {
#define FL_MANIFEST_TAKE_ENUM(take) FL_MANIFEST_TAKE_##take,
    FL_MANIFEST_TAKES(FL_MANIFEST_TAKE_ENUM)
#undef FL_MANIFEST_TAKE_ENUM
        FL_MANIFEST_TAKES_LEN
};

enum fl_manifest_object {
#define OBJECT(id, name, text) FL_MANIFEST_OBJECT_##id,
#define TAKEN(object, name, take, text)
#define CHILD(object, name, child, how, text)
#define PASSED(object, name, values, text)
#define REFUSED(object, name, why)
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
    FL_MANIFEST_OBJECT_OBJECTS_LEN
};

enum fl_manifest_rule {
    FL_MANIFEST_taken,
    FL_MANIFEST_child,
    FL_MANIFEST_only_item, /* a list of exactly one child */
    FL_MANIFEST_passed,
    FL_MANIFEST_refused,
};

struct fl_manifest_field {
    enum fl_manifest_object object;
    struct fl_str name;
    enum fl_manifest_rule rule;
    enum fl_manifest_take take;    /* taken */
    enum fl_manifest_object child; /* child, only_item */
    const char *values;            /* passed: "a|b"; "": any */
    const char *text;
};

struct fl_manifest_kind {
    const char *api; /* "batch/v1"; a refused kind has its group only */
    const char *name;
    enum fl_manifest_object object; /* OBJECTS_LEN: a list, or refused */
    bool is_taken;
    const char *text;
};

/* NULL: no row has that name. */
const struct fl_manifest_field *fl_manifest_find_field(enum fl_manifest_object object,
                                                       struct fl_str name);
/* All rows, in the order of manifest.def; NULL behind the last. */
const struct fl_manifest_field *fl_manifest_field_at(size_t i);
const struct fl_manifest_kind *fl_manifest_kind_at(size_t i);

const char *fl_manifest_object_name(enum fl_manifest_object object);
const char *fl_manifest_object_text(enum fl_manifest_object object);
