#include "agent/kube/pod_status.h"

#include <string.h>

#include "agent/kube/kube_amounts.h"
#include "agent/kube/kube_cache.h"
#include "agent/kube/kube_json.h"
#include "shared/base/arena.h"
#include "shared/base/enum_names.h"
#include "shared/base/last_line.h"
#include "shared/base/time_text.h"

enum { MESSAGE_BYTES_MAX = 2048 }; /* the kubelet keeps no more of a container's last output */

#define TROUBLE_NAME(name, cause, meaning) #name,
FL_ENUM_NAMES(pod_stage_name, enum pod_stage, POD_STAGES(FL_NAME))
FL_ENUM_NAMES(pod_trouble_name, enum pod_trouble, POD_TROUBLES(TROUBLE_NAME))

/* The kubelet's words for a container that waits.  Others pass by themselves. */
static const struct {
    const char *reason;
    enum pod_trouble trouble;
} waits[] = {
    {"InvalidImageName", POD_TROUBLE_bad_image},
    {"ErrImagePull", POD_TROUBLE_image},
    {"ImagePullBackOff", POD_TROUBLE_image},
    {"ErrImageNeverPull", POD_TROUBLE_image},
    {"ImageInspectError", POD_TROUBLE_image},
    {"RegistryUnavailable", POD_TROUBLE_image},
    {"SignatureValidationFailed", POD_TROUBLE_image},
    {"CreateContainerConfigError", POD_TROUBLE_container},
    {"CreateContainerError", POD_TROUBLE_container},
};

static void say(struct pod_status *seen, const struct fl_json *from)
{
    seen->why = kube_json_string(from, "reason");
    seen->words = kube_json_string(from, "message");
}

static bool lists(const struct fl_json *list, const char *text)
{
    if (!list) return false;
    FL_JSON_EACH (item, list) {
        if (item->kind == FL_JSON_STRING && fl_str_eq(item->text, fl_str_c(text))) return true;
    }
    return false;
}

static int64_t number_of(const struct fl_json *node, const char *key)
{
    const struct fl_json *member = kube_json_at(node, key);

    return member && member->kind == FL_JSON_INT ? member->n : 0;
}

static const struct fl_json *find_condition(const struct fl_json *status, const char *type)
{
    return kube_json_find(kube_json_list(status, "conditions"), "type", fl_str_c(type));
}

/* ---- its container --------------------------------------------------------------------------- */

/* The moment in which its deletion was asked for; its metadata has the one when it is due. */
static bool is_before_delete(const struct fl_json *metadata, const struct fl_json *terminated)
{
    int64_t grace_s = number_of(metadata, "deletionGracePeriodSeconds");
    fl_ms due_at, finished_at;

    return fl_time_parse(kube_json_string(metadata, "deletionTimestamp"), &due_at) &&
           fl_time_parse(kube_json_string(terminated, "finishedAt"), &finished_at) &&
           grace_s >= 0 && grace_s <= INT32_MAX && finished_at < due_at - grace_s * FL_SECOND_MS;
}

/* A container that ran and failed speaks for itself; for one that did not run, the cluster does. */
static void say_end(const struct fl_json *terminated, struct fl_arena *arena,
                    struct pod_status *seen)
{
    struct fl_str message = kube_json_string(terminated, "message"), line;
    char text[FL_WORDS_BYTES_MAX + 1];

    if (!seen->has_log) {
        say(seen, terminated);
    } else if (seen->exit_code != 0) {
        line = fl_last_line(message, message.len >= MESSAGE_BYTES_MAX, text);
        seen->words = fl_arena_str(arena, line);
        if (line.len == 0) seen->why = kube_json_string(terminated, "reason");
    }
}

static void read_terminated(const struct fl_json *metadata, const struct fl_json *terminated,
                            struct fl_arena *arena, struct pod_status *seen)
{
    int64_t code = number_of(terminated, "exitCode");

    seen->stage = POD_STAGE_ended;
    /* The kubelet's guess, when it knows nothing of the container's end. */
    if (kube_json_says(terminated, "reason", "ContainerStatusUnknown")) {
        say(seen, terminated);
        return;
    }
    seen->has_exit = true;
    seen->has_log = !kube_json_says(terminated, "reason", "StartError") &&
                    !kube_json_says(terminated, "reason", "ContainerCannotRun");
    seen->exit_code = code >= INT32_MIN && code <= INT32_MAX ? (int32_t)code : -1;
    seen->is_out_of_memory = kube_json_says(terminated, "reason", "OOMKilled");
    seen->is_before_delete = is_before_delete(metadata, terminated);
    say_end(terminated, arena, seen);
}

/* Before its volumes are mounted and its network is there, no image is fetched. */
static void read_sandbox(const struct fl_json *status, struct pod_status *seen)
{
    const struct fl_json *ready = find_condition(status, "PodReadyToStartContainers");

    if (!kube_json_says(ready, "status", "False")) return;
    seen->trouble = POD_TROUBLE_sandbox;
    seen->words = FL_STR("its volumes or its network are not ready on its node; the events of the "
                         "pod say why");
}

static void read_waiting(const struct fl_json *waiting, struct pod_status *seen)
{
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        if (!kube_json_says(waiting, "reason", waits[i].reason)) continue;
        seen->trouble = waits[i].trouble;
        say(seen, waiting);
    }
}

static void read_container(const struct fl_json *metadata, const struct fl_json *status,
                           struct fl_arena *arena, struct pod_status *seen)
{
    const struct fl_json *one =
        kube_json_find(kube_json_list(status, "containerStatuses"), "name", seen->identity.role);
    const struct fl_json *state = kube_json_at(one, "state");
    const struct fl_json *terminated = kube_json_at(state, "terminated");

    if (terminated) {
        read_terminated(metadata, terminated, arena, seen);
    } else if (kube_json_at(state, "running")) {
        seen->stage = POD_STAGE_running;
    } else {
        if (seen->trouble == POD_TROUBLE_none) read_sandbox(status, seen);
        read_waiting(kube_json_at(state, "waiting"), seen);
    }
}

/* ---- the pod --------------------------------------------------------------------------------- */

static void read_schedule(const struct fl_json *status, struct pod_status *seen)
{
    const struct fl_json *scheduled = find_condition(status, "PodScheduled");

    if (!kube_json_says(scheduled, "status", "False") ||
        !kube_json_says(scheduled, "reason", "Unschedulable")) {
        return;
    }
    seen->trouble = POD_TROUBLE_unscheduled;
    say(seen, scheduled);
}

/* The whole pod has ended, or can no longer begin. */
static void read_end(const struct fl_json *spec, const struct fl_json *status, bool is_gated,
                     struct pod_status *seen)
{
    const struct fl_json *statuses = kube_json_list(status, "containerStatuses");
    const struct fl_json *disrupted = find_condition(status, "DisruptionTarget");
    bool is_failed = kube_json_says(status, "phase", "Failed");
    bool is_over = is_failed || kube_json_says(status, "phase", "Succeeded");
    bool has_node = kube_json_string(spec, "nodeName").len > 0;

    if (seen->is_deleting && (is_gated || !has_node)) is_over = seen->never_ran = true;
    if (is_over && seen->stage != POD_STAGE_ended && (!statuses || statuses->len == 0)) {
        seen->never_ran = true; /* its node did not take it */
    }
    if (is_over) seen->stage = POD_STAGE_ended;
    if (seen->stage != POD_STAGE_ended) return;
    if (kube_json_says(disrupted, "status", "True")) {
        seen->is_disrupted = true;
        seen->is_node_gone = kube_json_says(disrupted, "reason", "DeletionByPodGC");
        say(seen, disrupted);
    } else if (is_failed && kube_json_string(status, "reason").len > 0) {
        seen->is_disrupted = true;
        say(seen, status);
    }
}

static bool read_resources(const struct fl_json *spec, struct fl_arena *arena,
                           struct pod_status *seen, struct fl_err *err)
{
    const struct fl_json *container =
        kube_json_find(kube_json_list(spec, "containers"), "name", seen->identity.role);
    struct kube_amounts amounts;

    if (!container) {
        return fl_fail(err, FL_INVALID, "it has no container " FL_STR_FMT,
                       FL_STR_ARG(seen->identity.role));
    }
    if (!kube_amounts_read(kube_json_at(kube_json_at(container, "resources"), "requests"), arena,
                           &amounts, err)) {
        return false;
    }
    seen->resources = kube_share_of(&amounts, arena);
    return true;
}

bool pod_status_read(const struct fl_json *object, struct fl_arena *arena,
                     struct pod_status *ret_seen, struct fl_err *err)
{
    const struct fl_json *metadata = kube_json_at(object, "metadata");
    const struct fl_json *annotations = kube_json_at(metadata, "annotations");
    const struct fl_json *spec = kube_json_at(object, "spec");
    const struct fl_json *status = kube_json_at(object, "status");
    struct pod_status seen = {.stage = POD_STAGE_waiting};
    bool is_gated;

    err->code = FL_OK;
    if (!pod_identity_read(metadata, &seen.identity)) return false;
    if (!kube_object_meta(object, &seen.meta, err)) return false;
    if (!read_resources(spec, arena, &seen, err)) {
        return fl_err_wrap(err, "pod " FL_STR_FMT, FL_STR_ARG(seen.meta.name));
    }
    seen.node = kube_json_string(annotations, POD_NODE);
    if (seen.node.len == 0) seen.node = kube_json_string(spec, "nodeName");
    seen.hash = kube_cache_version(kube_json_string(annotations, POD_HASH));
    seen.has_finalizer = lists(kube_json_list(metadata, "finalizers"), POD_FINALIZER);
    seen.is_deleting = kube_json_string(metadata, "deletionTimestamp").len > 0;
    seen.is_named = kube_json_string(spec, "subdomain").len > 0;
    is_gated =
        kube_json_find(kube_json_list(spec, "schedulingGates"), "name", FL_STR(POD_GATE)) != NULL;
    if (is_gated) {
        seen.stage = POD_STAGE_gated;
    } else {
        read_schedule(status, &seen);
        read_container(metadata, status, arena, &seen);
    }
    read_end(spec, status, is_gated, &seen);
    *ret_seen = seen;
    return true;
}
