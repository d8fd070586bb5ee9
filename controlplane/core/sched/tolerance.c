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

static void read_all(struct tolerance *tolerance)
{
    struct fl_str lines = tolerance->shape->tolerations;

    tolerance->is_read = true;
    while (tolerance->len < TOLERANCE_MAX &&
           fl_toleration_take(&lines, &tolerance->at[tolerance->len])) {
        tolerance->len++;
    }
}

static bool is_tolerated(const struct tolerance *tolerance, const struct fl_taint *taint,
                         const struct shape_role *role)
{
    for (uint32_t i = 0; i < tolerance->len; i++) {
        if (fl_tolerates(&tolerance->at[i], taint)) return true;
    }
    return taint->effect == FL_EFFECT_NoSchedule && asks_for(tolerance->shape, role, taint->key);
}

bool tolerance_lacks(struct tolerance *tolerance, struct fl_str *lines,
                     const struct shape_role *role, struct fl_taint *ret_taint)
{
    if (!tolerance->is_read) read_all(tolerance);
    while (fl_taint_take(lines, ret_taint)) {
        if (!is_tolerated(tolerance, ret_taint, role)) return true;
    }
    return false;
}

bool tolerance_has_any(struct tolerance *tolerance, const struct node *node)
{
    const struct shape *shape = tolerance->shape;

    for (uint32_t r = 0; r < shape->roles_len; r++) {
        if (tolerance_has(tolerance, node, &shape->roles[r])) return true;
    }
    return false;
}

uint64_t tolerance_looks(const struct node *node, const struct shape *shape)
{
    return 1 + node->taints.len * (64 + shape->tolerations.len) / 32768;
}
