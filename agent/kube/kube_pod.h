/* kube_pod.h - a pod, as far as its node's room and its own end are concerned.
 * 'requests' is the room that the cluster's scheduler keeps for the pod on its node.  It follows
 * the scheduler's own rules (PodRequests of Kubernetes 1.36):
 *
 *   containers, and sidecars (restartable init containers), add up
 *   an init container needs its own request and those of the sidecars before it; the largest of
 *     these counts where it is larger than the sum above
 *   requests of the pod itself win for cpu, memory and huge pages
 *   while a resize is under way, a container or pod counts with the largest of what its spec asks,
 *     what its node has granted and what is in force; a spec that its node calls infeasible is
 *     left out
 *   overhead is added at last
 *
 * Room for the pod itself, the resource 'pods', is not in it.  Claims of dynamic resource
 * allocation are not counted.
 * Uses shared/base and shared/json.  Pure. */
#pragma once

#include "agent/kube/kube_amounts.h"
#include "shared/base/err.h"
#include "shared/base/str.h"

enum kube_phase {
    KUBE_PHASE_PENDING, /* also what is not known */
    KUBE_PHASE_RUNNING,
    KUBE_PHASE_SUCCEEDED,
    KUBE_PHASE_FAILED,
};

struct kube_pod {
    struct fl_str namespace, name, uid;
    struct fl_str node; /* empty: not bound to one */
    enum kube_phase phase;
    bool is_deleting; /* has a deletionTimestamp */
    int32_t priority; /* 0: not said */
    struct kube_amounts requests;
};

/* All that is kept is copied into the arena.  FL_INVALID or FL_TOO_LARGE says what is wrong. */
FL_CHECK bool kube_pod_read(const struct fl_json *object, struct fl_arena *arena,
                            struct kube_pod *ret_pod, struct fl_err *err);

/* Its requests count against its node: it is bound, and has not ended. */
bool kube_pod_takes_room(const struct kube_pod *pod);
