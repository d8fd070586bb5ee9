/* pod_call.h - a request of pod_rule as HTTP: path, body, preconditions.
 * The Service of an attempt has no address of its own (its name resolves to the pods'), names pods
 * that are not ready yet, and belongs to the pod that asks: the cluster removes it with that.
 * Each one that changes a pod names its uid, so that it does nothing to another pod of that name.
 * Uses shared/base and shared/json.  Pure. */
#pragma once

#include "agent/kube/kube_client.h"
#include "agent/kube/pod_rule.h"

/* All texts are in the arena, but for the body of a create, which is the request's. */
void pod_call_write(const struct pod_request *request, const char *namespace,
                    struct fl_arena *arena, struct kube_request *ret_call);
