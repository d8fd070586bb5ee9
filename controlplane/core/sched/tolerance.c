#include "controlplane/core/sched/tolerance.h"

#include "shared/base/resource_name.h"

/* Whether the role asks for the device of this name. */
static bool asks_for(const struct shape *shape, const struct shape_role *role, struct fl_str name)
{
    if (role->each.gpus > 0 && fl_is_accelerator_resource(name)) return true;
    for (uint32_t k = 0; k < shape->kinds_len; k++) {
        if (role->named[k] == 0 || fl_is_bytes_resource(shape->kinds[k])) continue;
        if (fl_str_eq(shape->kinds[k], name)) return true;
    }
    return false;
}

static bool is_tolerated(const struct fl_taint *taint, const struct shape *shape,
                         const struct shape_role *role)
{
    struct fl_str lines = shape->tolerations;
    struct fl_toleration toleration;

    while (fl_toleration_take(&lines, &toleration)) {
        if (fl_tolerates(&toleration, taint)) return true;
    }
    return taint->effect == FL_EFFECT_NoSchedule && asks_for(shape, role, taint->key);
}

bool tolerance_lacks(struct fl_str *lines, const struct shape *shape, const struct shape_role *role,
                     struct fl_taint *ret_taint)
{
    while (fl_taint_take(lines, ret_taint)) {
        if (!is_tolerated(ret_taint, shape, role)) return true;
    }
    return false;
}

bool tolerance_has_any(const struct node *node, const struct shape *shape)
{
    for (uint32_t r = 0; r < shape->roles_len; r++) {
        if (tolerance_has(node, shape, &shape->roles[r])) return true;
    }
    return false;
}

uint64_t tolerance_looks(const struct node *node, const struct shape *shape)
{
    return 1 + node->taints.len * (64 + shape->tolerations.len) / 32768;
}
