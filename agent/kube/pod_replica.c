#include "agent/kube/pod_replica.h"

#include <stdio.h>
#include <string.h>

#include "agent/kube/kube_cache.h"
#include "shared/base/alloc.h"

void pod_copy_text(char *to, size_t to_bytes, struct fl_str from)
{
    size_t len = from.len < to_bytes ? from.len : to_bytes - 1;

    if (len > 0) memcpy(to, from.at, len);
    to[len] = 0;
}

void pod_replica_free_body(struct pod_replica *replica)
{
    fl_free(replica->body);
    replica->body = NULL;
}

void pod_replica_reserve(struct pod_replica *replica, const struct kube_share *share)
{
    fl_amounts_free(&replica->resources.named);
    replica->resources = (struct kube_share){share->usual, fl_amounts_clone(&share->named)};
}

bool pod_replica_is_ended(const struct pod_replica *replica)
{
    return fl_replica_state_is_last(replica->state);
}

bool pod_replica_wants_service(const struct pod_replica *replica)
{
    return replica->wants_service && !replica->has_service && replica->stage == POD_STAGE_gated &&
           !replica->is_deleting && !replica->is_given_up && !replica->is_stopping;
}

void pod_replica_note(struct pod_replica *replica, struct fl_str why, struct fl_str words)
{
    snprintf(replica->why, sizeof replica->why, FL_STR_FMT "%s" FL_STR_FMT, FL_STR_ARG(why),
             why.len > 0 && words.len > 0 ? ": " : "", FL_STR_ARG(words));
}

bool pod_replica_is_same(const struct pod_replica *replica, const struct pod_status *seen)
{
    return fl_str_eq(fl_str_c(replica->uid), seen->meta.uid);
}

bool pod_replica_is_older(const struct pod_replica *replica, const struct pod_status *seen)
{
    return replica->is_shown &&
           kube_cache_version(seen->meta.version) <= kube_cache_version(fl_str_c(replica->version));
}
