/* kube_clear.h - takes every pod of ours out of a namespace, with its finalizer, and tells when
 * none is left: the last step of an uninstallation, when no agent is there to do it.
 *
 *     clear = kube_clear_start(loop, &config, &port, &err);    never calls back from within
 *     port.done(ctx, why_not)     once; NULL: a list of the namespace had no pod of ours
 *
 * It lists in passes, and each pass sends a pod the one request that comes next: a deletion with
 * the pod's own grace, then a patch that takes our finalizer away.  Each names the uid that was
 * listed.  A pod is ours if it has our finalizer, or labels and a name that agree.  Memory holds
 * one page of names.  A request that failed is repeated in the next pass, until give_up_ms; one
 * that the server forbids ends it at once.
 * The agent of the namespace must be gone: it would make pods anew.
 * On the loop; not thread-safe. */
#pragma once

#include "agent/kube/kube_config.h"
#include "shared/base/err.h"
#include "shared/base/types.h"

struct fl_loop;
struct kube_clear; /* opaque */

struct kube_clear_config {
    const struct kube_config *kube;
    struct fl_str namespace;
    fl_ms give_up_ms;
    fl_ms rest_ms; /* between passes that had nothing to send; 0: one second */
    uint64_t seed;
};

struct kube_clear_port {
    void *ctx;
    /* May not destroy the clear. */
    void (*done)(void *ctx, const struct fl_err *why_not);
};

/* All is copied.  False: as kube_client_create. */
FL_CHECK bool kube_clear_start(struct fl_loop *loop, const struct kube_clear_config *config,
                               const struct kube_clear_port *port, struct kube_clear **ret_clear,
                               struct fl_err *err);
void kube_clear_destroy(struct kube_clear *clear); /* no callback follows; NULL is fine */
