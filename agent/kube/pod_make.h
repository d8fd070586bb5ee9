/* pod_make.h - the pod of one replica: an order in, the object for the API server out.
 *
 *   identity     name, labels (pod_identity.h)
 *   gate         nothing is scheduled before GO takes POD_GATE away
 *   finalizer    the object stays until its end is durable with the control plane
 *   node         required affinity to the node that the control plane chose: the cluster's own
 *                scheduler still judges the pod, and the control plane's sums stay true
 *   taints       the job's tolerations; for each device that it asks for one of a taint NoSchedule
 *                of the device's name, as ExtendedResourceToleration adds it
 *   container    one, named after the role; its words and variables are passed as written: a '$' is
 *                doubled, since Kubernetes would replace $(NAME)
 *   names        replicas that are several have a host name in the Service of their attempt
 *                (pod_identity.h), and the variables of agent/runtime_rendezvous.h
 *   autoscalers  are asked by annotations to leave the node alone: a gang would begin again
 *   secrets      variables whose values the cluster puts in
 *   mounts       those of the role; each source is one volume, also where it is mounted twice: a
 *                node waits for ever for a claim that a pod names twice
 *   resources    the control plane's reservation is the requests; resources with a name, and gpus,
 *                are limits too, since Kubernetes wants both to be the same
 *   restart      never: the whole attempt runs again, as the control plane decides
 *
 * The job gets no token of the cluster.  Equal orders give equal bytes.
 * Uses shared/base, shared/json and agent/runtime_order.h's types.  Pure. */
#pragma once

#include "agent/runtime_order.h"
#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"

enum { POD_BYTES_MAX = 1 << 20 }; /* etcd takes 1.5 MiB */

struct pod_making {
    struct fl_str node;
    struct fl_str image;        /* where the role names none; may be empty */
    struct fl_str accelerator;  /* the resource that gpus are here; empty: none */
    struct fl_str grants;       /* patterns of what a job may use, with spaces between them */
    struct fl_str pull_secrets; /* names, likewise */
    bool is_undisturbed;        /* the autoscalers that are known shall leave it alone */
};

/* Appends the object to 'out', whose limit is POD_BYTES_MAX.  FL_INVALID: there is no image,
 * or no accelerator for a job that wants one, or the job uses what is not granted; FL_TOO_LARGE. */
FL_CHECK bool pod_make(const struct runtime_order *order, const struct pod_making *making,
                       struct fl_buf *out, uint64_t *ret_hash, struct fl_err *err);
