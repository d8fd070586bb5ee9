/* kube_visit.h - visits of pods (agent/runtime_visit.h): commands, and connections to their ports.
 * Each is a WebSocket of its own to the API server (kube_socket.h).  There are two
 * kinds: kube_visit_exec.c has the channels of a command, kube_visit_forward.c SPDY.
 * - Nothing is queued: output is read from the socket when the visit is read, input is taken while
 *   the socket has room.  A stop on one side holds up the other by TCP, through API server and
 *   kubelet.
 * - A command that was killed, or a connection that was cut, waits for the watch to say whether the
 *   replica itself has ended; then the visitor hears that.  It waits 3 s, and up to a minute while
 *   the replica's pod is being deleted.
 * Not thread-safe: the loop's thread calls it. */
#pragma once

#include "agent/kube/kube_client.h"
#include "agent/runtime_visit.h"

struct kube_visits; /* opaque */

struct kube_visits_port {
    void *ctx;
    /* Whether the replica's pod is being deleted. */
    bool (*is_leaving)(void *ctx, struct fl_attempt attempt, uint32_t replica);
};

/* The client must outlive them. */
struct kube_visits *kube_visits_create(struct kube_client *client, const char *namespace,
                                       const struct kube_visits_port *port);
void kube_visits_destroy(struct kube_visits *visits); /* and each visit; NULL is fine */

/* Begins a visit of a replica that runs; 'role' names its container.  As runtime_ops.visit. */
FL_CHECK bool kube_visits_start(struct kube_visits *visits, const struct fl_visit_open *open,
                                struct fl_str role, const struct runtime_visit_port *port,
                                struct runtime_visit *ret_visit, struct fl_err *err);

/* The replica has ended. */
void kube_visits_end(struct kube_visits *visits, struct fl_attempt attempt, uint32_t replica);
