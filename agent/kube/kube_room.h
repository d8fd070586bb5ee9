/* kube_room.h - the nodes of a cluster and the room that others take on them.
 * From the nodes and pods that the watches show it makes what the agent's core hears: node_seen for
 * each node that has changed, node_gone for one that is gone.  The caller says of each pod how much
 * counts as foreign: all of it for a stranger's, for ours what is over its reservation.
 *
 * A node is ready when it may take our pods: its kubelet says so, it is not cordoned, and none of
 * its hard taints (NoSchedule, NoExecute) is one by which Kubernetes says that the node is unfit.
 * The other hard ones are reported, ready or not, and the control plane judges them.  A node with
 * too many of them for the list of taint.h is not ready and has nothing.  A node with the taint of
 * another accelerator than gpus has no gpus.
 * A node offers by name the first AGENT_NODE_NAMED_MAX resources that a job may ask for.
 * A node's number is its own as long as this object lives, also if it goes and comes back.  After
 * KUBE_ROOM_NODES_MAX names further nodes are left out, and news says so.
 * Uses shared/base, shared/spec and the types of agent/core.  Pure; not thread-safe. */
#pragma once

#include "agent/core/agent_event.h"
#include "agent/kube/kube_node.h"
#include "agent/kube/kube_object.h"
#include "shared/base/resources.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

struct fl_arena;
struct kube_room; /* opaque */

enum { KUBE_ROOM_NODES_MAX = 65535, KUBE_ROOM_LABELS_BYTES_MAX = 8192 };

struct kube_room *kube_room_create(void);
void kube_room_destroy(struct kube_room *room); /* NULL is fine */

/* The number of the node of that name, seen or not; KUBE_ROOM_NODES_MAX: there is none left. */
uint32_t kube_room_number(struct kube_room *room, struct fl_str name);
/* Empty: no node has that number. */
struct fl_str kube_room_name(const struct kube_room *room, uint32_t number);

void kube_room_put_node(struct kube_room *room, const struct kube_node *node);
void kube_room_drop_node(struct kube_room *room, struct fl_str name);
/* There is a node of which nothing is known. */
void kube_room_leave_out(struct kube_room *room);

/* Replaces the pod's former figures.  Nothing foreign, or no node: it is forgotten. */
void kube_room_put_pod(struct kube_room *room, const struct kube_meta *pod, struct fl_str node,
                       const struct kube_share *foreign);
void kube_room_drop_pod(struct kube_room *room, const struct kube_meta *pod);

/* The resource that news counts as gpus, and does not list by its name; empty, and so at first:
 * none.  News of all nodes follow. */
void kube_room_set_accelerator(struct kube_room *room, struct fl_str name);

/* The accelerators that nodes have, sorted, each once; the names live as long as the arena. */
struct fl_amounts kube_room_accelerators(const struct kube_room *room, struct fl_arena *arena);

/* False: nothing has changed.  Texts live until the next call. */
bool kube_room_take_news(struct kube_room *room, struct agent_event *ret_event);
