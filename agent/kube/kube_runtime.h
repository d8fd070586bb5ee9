/* kube_runtime.h - the runtime of a Kubernetes cluster: each replica is a pod.
 * The pods are the truth: pod_make writes them, pod_rule decides which request comes next,
 * kube_room counts the free room.  Kept beside them is only output on its way to the hub
 * (kube_output).  Here are the watches, the requests and the clock.  A new object adopts every pod
 * of ours in its namespace; 'synced' follows the first list of nodes and the first list of pods.
 * Pods of all namespaces are watched, since their requests count against the nodes; ours are those
 * of one namespace, which no other agent may use.
 * Uses shared code and agent/runtime.h.  One thread: the loop's. */
#pragma once

#include "agent/kube/kube_config.h"
#include "agent/kube/pod_rule.h"
#include "agent/runtime.h"

struct fl_loop;
struct kube_runtime; /* opaque */

struct kube_runtime_config {
    const struct kube_config *kube;
    struct fl_str namespace;
    struct fl_str image; /* for jobs that name none; may be empty */
    /* As pod_making has them. */
    struct fl_str grants, pull_secrets;
    bool is_undisturbed;
    /* The resource that gpus are; empty: the one kind of accelerator that its nodes have when they
     * are first listed, nvidia.com/gpu where they have none, and no resource where they have
     * several. */
    struct fl_str accelerator;
    const char *spool_dir; /* for output; made when absent */
    uint64_t spool_each_bytes, spool_all_bytes;
    struct pod_times times;
    uint64_t seed;
};

/* All is copied.  False: as kube_client_create. */
FL_CHECK bool kube_runtime_create(struct fl_loop *loop, const struct kube_runtime_config *config,
                                  struct kube_runtime **ret_runtime, struct fl_err *err);

/* Leaves all pods as they are.  NULL is fine. */
void kube_runtime_destroy(struct kube_runtime *runtime);

struct runtime kube_runtime_port(struct kube_runtime *runtime);
