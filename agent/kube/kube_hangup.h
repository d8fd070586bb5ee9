/* kube_hangup.h - ends a command that its visitor left on a terminal in a pod.
 * A kubelet only closes the terminal's other end, which a program need not notice.  So the agent
 * runs a second command there, which finds the first by its mark (kube_channel.h).  It is tried
 * once: a container without 'grep', or an API server that is away, leaves the first running.
 * At most 64 are under way; one more ends the oldest, as 15 s do.
 * Not thread-safe: the loop's thread calls it. */
#pragma once

#include "agent/kube/kube_channel.h"
#include "agent/kube/kube_client.h"

struct kube_hangups; /* opaque */

struct kube_hangups *kube_hangups_create(struct kube_client *client);
void kube_hangups_destroy(struct kube_hangups *hangups); /* NULL is fine */

void kube_hangups_start(struct kube_hangups *hangups, const struct kube_channel_target *target,
                        const char *mark);
