/* kube_node.h - a node of a cluster, as far as placement looks at it.
 * Uses shared/base and shared/json.  Pure. */
#pragma once

#include "agent/kube/kube_amounts.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/taint.h"

struct kube_label {
    struct fl_str key, value;
};

enum kube_ready {
    KUBE_NODE_READY,
    KUBE_NODE_NOT_READY, /* the kubelet says so, or has not said anything yet */
    KUBE_NODE_SILENT,    /* the control plane has not heard of the kubelet for a while */
};

struct kube_node {
    struct fl_str name, uid;
    struct kube_label *labels; /* as the object lists them */
    size_t labels_len;
    struct fl_taint *taints; /* those of unknown effect are left out, as the scheduler does */
    size_t taints_len;
    struct kube_amounts allocatable;
    enum kube_ready ready;
    bool is_unschedulable; /* cordoned */
};

/* All that is kept is copied into the arena.  FL_INVALID or FL_TOO_LARGE says what is wrong. */
FL_CHECK bool kube_node_read(const struct fl_json *object, struct fl_arena *arena,
                             struct kube_node *ret_node, struct fl_err *err);
