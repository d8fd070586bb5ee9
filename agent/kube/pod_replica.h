/* pod_replica.h - what pod_rule.c keeps of one replica: its commands, its pod as it was seen last,
 * and what the core has heard of it.
 * For pod_rule.c only.  Uses shared/base and the types of agent/core.  Pure. */
#pragma once

#include "agent/kube/pod_rule.h"
#include "shared/base/job_limits.h"

struct pod_replica {
    struct fl_attempt attempt;
    uint32_t number, node;
    struct kube_share resources; /* its list is a clone */
    char name[POD_NAME_BYTES_MAX + 1];
    char role[FL_JOB_ROLE_NAME_BYTES_MAX + 1];
    char *body; /* until the pod is seen; NULL when adopted */
    size_t body_len;
    uint64_t hash;

    /* Its pod, as it was seen last. */
    bool is_shown;
    bool is_ahead; /* an answer brought this version, and the watch has not yet */
    char uid[KUBE_UID_BYTES_MAX + 1];
    char version[KUBE_VERSION_BYTES_MAX + 1];
    enum pod_stage stage;
    bool has_finalizer, is_deleting;
    enum pod_trouble trouble;
    fl_ms trouble_until;

    /* The commands that count. */
    bool is_released, is_stopping, is_removing, is_output_taken;
    bool is_given_up;
    bool is_deleted; /* a request of ours has deleted it */
    bool was_cut;    /* another hand deleted it while it ran */

    /* The Service of its attempt, where it is the first of several. */
    bool wants_service, has_service, is_service_taken;
    bool is_adopted; /* an earlier agent made it, and may have told so */

    /* Told to the core. */
    enum fl_replica_state state;
    int32_t exit_code;
    enum agent_cause cause;
    fl_ms ended_at;
    bool has_log;
    char why[256];

    /* The request under way. */
    uint64_t ticket; /* 0: none */
    enum pod_request_kind request;
    bool is_name_taken;
    unsigned failures; /* in a row */
    fl_ms again_at;    /* no request before */
};

/* Cuts what is too long. */
void pod_copy_text(char *to, size_t to_bytes, struct fl_str from);
void pod_replica_free_body(struct pod_replica *replica);
void pod_replica_reserve(struct pod_replica *replica, const struct kube_share *share);
void pod_replica_note(struct pod_replica *replica, struct fl_str why, struct fl_str words);

bool pod_replica_is_ended(const struct pod_replica *replica);
bool pod_replica_wants_service(const struct pod_replica *replica); /* before its gate opens */
bool pod_replica_is_same(const struct pod_replica *replica, const struct pod_status *seen);
bool pod_replica_is_older(const struct pod_replica *replica, const struct pod_status *seen);
