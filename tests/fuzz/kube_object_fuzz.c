/* An object of the API server: a pod, a node, an event of a watch, the head of a list, a Status
 * (issue 13, F12).
 * Properties: all that is kept is bounded, and is the same at a second reading.  A pod requests no
 * less than each of its containers does, unless its own requests or a resize say otherwise.  A list
 * of amounts is sorted, with each name once.  A refusal has a text.
 * The corpus was written by hand, a file for each rule: its name says which.
 * The planted bug (planted/kube_object.patch) keeps the order in which amounts came.
 *
 *     cmake --workflow --preset fuzz
 *     build/fuzz/tests/fuzz/kube_object_fuzz -max_total_time=60 DIR tests/fuzz/corpus/kube_object
 *     tests/fuzz/planted.sh kube_object */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "agent/kube/kube_json.h"
#include "agent/kube/kube_node.h"
#include "agent/kube/kube_object.h"
#include "agent/kube/kube_pod.h"
#include "agent/kube/kube_status.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"

static void check_refusal(const struct fl_err *err)
{
    fl_assert(err->text[0] && err->code != FL_OK);
}

static void check_amounts(const struct kube_amounts *amounts)
{
    fl_assert(amounts->len <= KUBE_AMOUNTS_MAX && !amounts->is_over);
    for (size_t i = 0; i < amounts->len; i++) {
        fl_assert(amounts->at[i].name.len > 0);
        fl_assert(amounts->at[i].name.len <= KUBE_RESOURCE_NAME_BYTES_MAX);
        fl_assert(i == 0 || fl_str_cmp(amounts->at[i - 1].name, amounts->at[i].name) < 0);
        fl_assert(kube_amounts_of(amounts, amounts->at[i].name) == amounts->at[i].n);
    }
}

static bool is_same(const struct kube_amounts *a, const struct kube_amounts *b)
{
    if (a->len != b->len) return false;
    for (size_t i = 0; i < a->len; i++) {
        if (a->at[i].n != b->at[i].n || !fl_str_eq(a->at[i].name, b->at[i].name)) return false;
    }
    return true;
}

static bool has_plain_requests(const struct fl_json *spec, const struct fl_json *status)
{
    return !kube_json_at(spec, "resources") && !kube_json_at(status, "containerStatuses") &&
           !kube_json_at(status, "resources") && kube_json_list(spec, "containers");
}

static void check_containers(const struct fl_json *root, const struct kube_pod *pod,
                             struct fl_arena *arena)
{
    const struct fl_json *spec = kube_json_at(root, "spec");
    const struct fl_json *status = kube_json_at(root, "status");

    if (!has_plain_requests(spec, status)) return;
    FL_JSON_EACH (container, kube_json_list(spec, "containers")) {
        const struct fl_json *resources = kube_json_at(container, "resources");
        struct kube_amounts amounts;

        fl_assert(kube_amounts_read(kube_json_at(resources, "requests"), arena, &amounts, NULL));
        for (size_t i = 0; i < amounts.len; i++) {
            fl_assert(kube_amounts_of(&pod->requests, amounts.at[i].name) >= amounts.at[i].n);
        }
    }
}

static void check_pod(const struct fl_json *root, struct fl_arena *arena)
{
    struct kube_pod pod, again;
    struct fl_err err = {0};

    if (!kube_pod_read(root, arena, &pod, &err)) {
        check_refusal(&err);
        return;
    }
    fl_assert(pod.name.len > 0 && pod.name.len <= KUBE_NAME_BYTES_MAX);
    fl_assert(pod.uid.len > 0 && pod.uid.len <= KUBE_UID_BYTES_MAX);
    check_amounts(&pod.requests);
    check_containers(root, &pod, arena);
    fl_assert(kube_pod_read(root, arena, &again, &err));
    fl_assert(is_same(&pod.requests, &again.requests) && pod.phase == again.phase);
    fl_assert(!kube_pod_takes_room(&pod) || pod.node.len > 0);
}

static void check_node(const struct fl_json *root, struct fl_arena *arena)
{
    struct kube_node node, again;
    struct fl_err err = {0};

    if (!kube_node_read(root, arena, &node, &err)) {
        check_refusal(&err);
        return;
    }
    check_amounts(&node.allocatable);
    fl_assert(kube_node_read(root, arena, &again, &err));
    fl_assert(is_same(&node.allocatable, &again.allocatable) && node.ready == again.ready);
    fl_assert(node.labels_len == again.labels_len && node.taints_len == again.taints_len);
}

static void check_frames(const struct fl_json *root)
{
    struct kube_event event;
    struct kube_list_head head;
    struct kube_failure failure;
    struct fl_err err = {0};

    if (!kube_object_event(root, &event, &err)) {
        check_refusal(&err);
    } else if (event.kind == KUBE_EVENT_ERROR) {
        kube_status_of(event.object, &failure);
        check_refusal(&failure.err);
        fl_assert(failure.status >= 400 && failure.status <= 599);
    }
    if (kube_object_list(root, &head, &err)) {
        fl_assert(head.version.len > 0 && head.version.len <= KUBE_VERSION_BYTES_MAX);
        fl_assert(head.continue_at.len <= KUBE_CONTINUE_BYTES_MAX);
    } else {
        check_refusal(&err);
    }
}

static void check_status(struct fl_str text)
{
    struct kube_failure failure;

    kube_status_read(503, text, &failure);
    check_refusal(&failure.err);
    fl_assert(failure.err.code == FL_UNAVAILABLE);
    fl_assert(failure.retry_after_ms == -1 || failure.retry_after_ms > 0);
    for (const char *c = failure.err.text; *c; c++) {
        fl_assert((unsigned char)*c >= ' ' && *c != 0x7f);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_str text = {(const char *)data, size};
    struct fl_arena arena = {0};
    const struct fl_json *root;

    if (size > 1 << 14) return 0;
    check_status(text);
    if (fl_json_parse(text, &arena, &root, NULL, NULL)) {
        check_pod(root, &arena);
        check_node(root, &arena);
        check_frames(root);
    }
    fl_arena_fini(&arena);
    return 0;
}
