/* pod_status.h - a pod of ours, as far as its replica's state depends on it.
 * Only our own container counts, also if admission has put others beside it.  Its states:
 *
 *   gated     POD_GATE is among its scheduling gates
 *   waiting   past the gate: not scheduled, its image is being fetched, its container made
 *   running   its container runs
 *   ended     its container has ended; or the pod has, or can never run any more: it is being
 *             deleted, and has a gate or no node
 *
 * A pod on a silent node keeps its state: nothing says that it has ended.  Kubernetes itself ends
 * it (phase Failed) when the node has gone for good.
 * Texts are views of the tree, or in the arena.  Uses shared/base and shared/json.  Pure. */
#pragma once

#include "agent/kube/kube_amounts.h"
#include "agent/kube/kube_object.h"
#include "agent/kube/pod_identity.h"
#include "shared/base/err.h"
#include "shared/base/resources.h"
#include "shared/base/types.h"

struct fl_arena;

#define POD_STAGES(X) X(gated) X(waiting) X(running) X(ended)

enum pod_stage {
#define POD_STAGE_ENUM(name) POD_STAGE_##name,
    POD_STAGES(POD_STAGE_ENUM)
#undef POD_STAGE_ENUM
};

/* Why a waiting pod does not run.  name, what the replica is refused with when it lasted too long,
 * meaning */
#define POD_TROUBLES(X)                                                                            \
    X(none, none, "it goes on by itself")                                                          \
    X(bad_image, image, "the image's name is malformed")                                           \
    X(image, image, "the image cannot be fetched")                                                 \
    X(container, container, "the container cannot be made")                                        \
    X(sandbox, runtime, "its node cannot set up its volumes or its network")                       \
    X(unscheduled, unscheduled, "the cluster's scheduler finds no room for it")                    \
    X(service, runtime, "the Service of its gang cannot be made")

enum pod_trouble {
#define POD_TROUBLE_ENUM(name, cause, meaning) POD_TROUBLE_##name,
    POD_TROUBLES(POD_TROUBLE_ENUM)
#undef POD_TROUBLE_ENUM
        POD_TROUBLES_LEN
};

struct pod_status {
    struct pod_identity identity;
    struct kube_meta meta;
    struct fl_str node;          /* that it was made for */
    uint64_t hash;               /* as POD_HASH has it; 0: not there */
    struct kube_share resources; /* its container's requests */
    enum pod_stage stage;
    enum pod_trouble trouble; /* while it waits */
    bool has_finalizer, is_deleting;
    bool is_named;         /* it has a name in the Service of its attempt */
    bool never_ran;        /* ended: its container was never started */
    bool has_exit;         /* ended: 'exit_code' is its container's own */
    bool has_log;          /* with has_exit: its container was started */
    bool is_out_of_memory; /* with has_exit */
    bool is_before_delete; /* with has_exit: it ended before its deletion was asked for */
    bool is_disrupted;     /* the cluster ended it: evicted, preempted, its node is gone */
    bool is_node_gone;     /* with is_disrupted */
    int32_t exit_code;
    /* The cluster's reason and message.  A container that ran and failed has its last error line in
     * 'words', and no 'why'.  Both may be empty. */
    struct fl_str why, words;
};

/* False without an error (code FL_OK): the pod is not ours.  FL_INVALID, FL_TOO_LARGE: it is,
 * and cannot be read. */
FL_CHECK bool pod_status_read(const struct fl_json *object, struct fl_arena *arena,
                              struct pod_status *ret_seen, struct fl_err *err);

const char *pod_stage_name(enum pod_stage stage);
const char *pod_trouble_name(enum pod_trouble trouble);
