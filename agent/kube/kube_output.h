/* kube_output.h - the output of all replicas: for each a log that is followed and a spool.
 * Following begins when a replica's container is seen running or ended, and goes on over restarts
 * of the agent, where its spool stands.  The output ends when its container has, and all of its log
 * was read; a log that can no longer be read ends with a gap.
 * Uses kube_log.h and log_spool.h.  On the client's loop; not thread-safe. */
#pragma once

#include "agent/kube/pod_identity.h"
#include "agent/runtime.h"
#include "shared/base/err.h"
#include "shared/base/types.h"

struct kube_client;
struct kube_outputs; /* opaque */

struct kube_outputs_config { /* strings are copied */
    const char *path;        /* the folder of the spools; made when absent */
    struct fl_str namespace;
    uint64_t each_bytes_max, all_bytes_max;
    uint64_t seed;
};

/* As runtime_listener.output.  Called from a turn of the loop only, never from within. */
struct kube_outputs_port {
    void *ctx;
    void (*output)(void *ctx, struct fl_attempt attempt, uint32_t replica);
};

/* FL_IO. */
FL_CHECK bool kube_outputs_create(struct kube_client *client,
                                  const struct kube_outputs_config *config,
                                  const struct kube_outputs_port *port,
                                  struct kube_outputs **ret_outputs, struct fl_err *err);
void kube_outputs_destroy(struct kube_outputs *outputs); /* spools stay; NULL is fine */

/* A pod whose container has been started.  Repeating it changes nothing. */
struct kube_output_pod {
    struct pod_identity identity;
    struct fl_str name, uid;
};
void kube_outputs_follow(struct kube_outputs *outputs, const struct kube_output_pod *pod);

/* The container has ended.  Without a log the output ends with a gap. */
void kube_outputs_end(struct kube_outputs *outputs, const struct kube_output_pod *pod,
                      bool has_log);

/* The container has ended, and its pod is being deleted.  The kubelet soon removes the container,
 * and then its log cannot be read to the end: after so many failures it ends with a gap, since
 * bytes may be missing.  Repeating it changes nothing. */
enum { KUBE_OUTPUT_TRIES = 3 };
void kube_outputs_deleted(struct kube_outputs *outputs, struct fl_attempt attempt,
                          uint32_t replica);

/* As runtime_ops.read_output; a replica without a container has no output yet. */
FL_CHECK bool kube_outputs_read(struct kube_outputs *outputs, struct fl_attempt attempt,
                                uint32_t replica, uint64_t offset, size_t bytes_max,
                                struct fl_buf *records, struct runtime_output *ret_output,
                                struct fl_err *err);

/* The replica is gone: so are its log and its spool. */
void kube_outputs_drop(struct kube_outputs *outputs, struct fl_attempt attempt, uint32_t replica);

/* Removes the spools that no replica has: their pods went while there was no agent. */
void kube_outputs_sweep(struct kube_outputs *outputs);
