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

/* A job's, and those of one node more: judge asks what these would change. */
enum { TOLERANCE_MAX = FL_JOB_TOLERATIONS_MAX + FL_NODE_TAINTS_MAX };

/* The tolerations of a shape for one search: read at the first node with taints. */
struct tolerance {
    const struct shape *shape;
    bool is_read;
    uint32_t len;
    struct fl_toleration at[TOLERANCE_MAX]; /* 'len' of them are set */
};

static inline void tolerance_init(struct tolerance *tolerance, const struct shape *shape)
{
    tolerance->shape = shape;
    tolerance->is_read = false;
    tolerance->len = 0;
}

/* The next of the lines, taints of a node, that the role does not tolerate; the lines are then
 * without it and those before it.  False: it tolerates all of them. */
bool tolerance_lacks(struct tolerance *tolerance, struct fl_str *lines,
                     const struct shape_role *role, struct fl_taint *ret_taint);

/* Whether a replica of the role may go there. */
static inline bool tolerance_has(struct tolerance *tolerance, const struct node *node,
                                 const struct shape_role *role)
{
    struct fl_str lines = node->taints;
    struct fl_taint taint;

    return lines.len == 0 || !tolerance_lacks(tolerance, &lines, role, &taint);
}

/* The same of the first role that may go there: false if none may. */
bool tolerance_has_any(struct tolerance *tolerance, const struct node *node);

/* The price of one comparison of the node's taints with the shape's tolerations, in looks. */
uint64_t tolerance_looks(const struct node *node, const struct shape *shape);
