/* tolerance.h - which taints of a node keep a role's replicas off it.
 * A replica tolerates what its job says, and a taint NoSchedule whose key is the name of a device
 * that it asks for, as Kubernetes' ExtendedResourceToleration has it: a node may be kept for those
 * that use its devices.  With gpus that is the name of any accelerator, since each cluster has its
 * own one behind gpus; agent/kube gives pods the same tolerations.
 * Uses cluster_table and shape_table. */
#pragma once

#include "controlplane/core/cluster_table.h"
#include "controlplane/core/shape_table.h"
#include "shared/base/taint.h"

/* The next of the lines, taints of a node, that the role does not tolerate; the lines are then
 * without it and those before it.  False: it tolerates all of them. */
bool tolerance_lacks(struct fl_str *lines, const struct shape *shape, const struct shape_role *role,
                     struct fl_taint *ret_taint);

/* Whether a replica of the role may go there. */
static inline bool tolerance_has(const struct node *node, const struct shape *shape,
                                 const struct shape_role *role)
{
    struct fl_str lines = node->taints;
    struct fl_taint taint;

    return lines.len == 0 || !tolerance_lacks(&lines, shape, role, &taint);
}

/* The same of the first role that may go there: false if none may. */
bool tolerance_has_any(const struct node *node, const struct shape *shape);

/* The price of one comparison of the node's taints with the shape's tolerations, in looks. */
uint64_t tolerance_looks(const struct node *node, const struct shape *shape);
