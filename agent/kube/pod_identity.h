/* pod_identity.h - which replica a pod is: its name, and the labels that say it again.
 * The name is fl-JOB-ELEMENT-ATTEMPT-ROLE-REPLICA, with JOB as people type it, without "job-".
 * Equal replicas have equal names, so a pod that is created twice is one pod.  The labels are read,
 * the name is only compared: a pod of ours has the name that its labels say.  The incarnation is a
 * label alone.
 * Where a replica is one of several, they find each other by name: the attempt has a Service,
 * fl-JOB-ELEMENT-ATTEMPT, and a replica the host name ROLE-REPLICA in it.
 * Uses shared/base and shared/json.  Pure. */
#pragma once

#include "shared/base/str.h"
#include "shared/base/types.h"

struct fl_json;
struct fl_json_out;

enum { POD_NAME_BYTES_MAX = 63 };

#define POD_GATE "fairlead.dev/go"          /* the scheduling gate that GO takes away */
#define POD_FINALIZER "fairlead.dev/report" /* until its end is durable with the control plane */
#define POD_NODE "fairlead.dev/node"        /* annotation: the node that it was made for */
#define POD_HASH "fairlead.dev/hash"        /* annotation: a hash of the spec, as created */

struct pod_identity {
    struct fl_attempt attempt;
    uint32_t replica;   /* its number in the attempt */
    struct fl_str role; /* also the name of its container */
};

void pod_identity_name(const struct pod_identity *identity, char ret_name[POD_NAME_BYTES_MAX + 1]);

/* The Service of the replica's attempt; the replica's name in it, and with it. */
void pod_identity_service(const struct pod_identity *identity,
                          char ret_name[POD_NAME_BYTES_MAX + 1]);
void pod_identity_host(const struct pod_identity *identity, char ret_name[POD_NAME_BYTES_MAX + 1]);

/* The labels that all pods of the attempt have, and no other pod. */
void pod_identity_put_attempt(const struct pod_identity *identity, struct fl_json_out *json);

/* Members of the object 'labels', which is open. */
void pod_identity_put_labels(const struct pod_identity *identity, struct fl_json_out *json);

/* False: the pod is not ours.  The role is a view of the tree. */
bool pod_identity_read(const struct fl_json *metadata, struct pod_identity *ret_identity);
