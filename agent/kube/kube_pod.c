#include "agent/kube/kube_pod.h"

#include <string.h>

#include "agent/kube/kube_json.h"
#include "agent/kube/kube_object.h"
#include "shared/base/arena.h"

static const struct {
    const char *name;
    enum kube_phase phase;
} phases[] = {
    {"Pending", KUBE_PHASE_PENDING},
    {"Running", KUBE_PHASE_RUNNING},
    {"Succeeded", KUBE_PHASE_SUCCEEDED},
    {"Failed", KUBE_PHASE_FAILED},
};

/* The pod that is read. */
struct reader {
    const struct fl_json *spec, *status;
    bool is_infeasible; /* the node refuses the resize that the spec asks for */
    struct fl_arena *arena;
    struct fl_err *err;
};

/* ---- requests -------------------------------------------------------------------------------- */

/* The requests that a container, or the pod as a whole, counts with.  'where' is its part of spec,
 * 'seen' its part of status, which may be absent. */
static bool read_effective(struct reader *reader, const struct fl_json *where,
                           const struct fl_json *seen, struct kube_amounts *ret_amounts)
{
    const struct fl_json *wanted = kube_json_at(where, "resources");
    const struct fl_json *actual = kube_json_at(seen, "resources");
    struct kube_amounts amounts = {0}, more;

    wanted = kube_json_at(wanted, "requests");
    if (!actual || actual->kind != FL_JSON_OBJECT) {
        return kube_amounts_read(wanted, reader->arena, ret_amounts, reader->err);
    }
    if (!reader->is_infeasible) {
        if (!kube_amounts_read(wanted, reader->arena, &amounts, reader->err)) return false;
    }
    if (!kube_amounts_read(kube_json_at(actual, "requests"), reader->arena, &more, reader->err)) {
        return false;
    }
    kube_amounts_raise(&amounts, &more, reader->arena);
    if (!kube_amounts_read(kube_json_at(seen, "allocatedResources"), reader->arena, &more,
                           reader->err)) {
        return false;
    }
    kube_amounts_raise(&amounts, &more, reader->arena);
    *ret_amounts = amounts;
    return true;
}

static bool add_containers(struct reader *reader, struct kube_amounts *requests)
{
    const struct fl_json *containers = kube_json_list(reader->spec, "containers");
    const struct fl_json *statuses = kube_json_list(reader->status, "containerStatuses");

    if (!containers) return true;
    FL_JSON_EACH (container, containers) {
        struct fl_str name = kube_json_string(container, "name");
        struct kube_amounts amounts;

        if (!read_effective(reader, container, kube_json_find(statuses, "name", name), &amounts)) {
            return fl_err_wrap(reader->err, "container " FL_STR_FMT, FL_STR_ARG(name));
        }
        kube_amounts_add(requests, &amounts, reader->arena);
    }
    return true;
}

static bool add_init_containers(struct reader *reader, struct kube_amounts *requests)
{
    const struct fl_json *containers = kube_json_list(reader->spec, "initContainers");
    const struct fl_json *statuses = kube_json_list(reader->status, "initContainerStatuses");
    struct kube_amounts sidecars = {0}, largest = {0};

    if (!containers) return true;
    FL_JSON_EACH (container, containers) {
        struct fl_str name = kube_json_string(container, "name");
        bool is_sidecar = kube_json_says(container, "restartPolicy", "Always");
        const struct fl_json *seen = is_sidecar ? kube_json_find(statuses, "name", name) : NULL;
        struct kube_amounts amounts;

        if (!read_effective(reader, container, seen, &amounts)) {
            return fl_err_wrap(reader->err, "container " FL_STR_FMT, FL_STR_ARG(name));
        }
        if (is_sidecar) {
            kube_amounts_add(requests, &amounts, reader->arena);
            kube_amounts_add(&sidecars, &amounts, reader->arena);
            kube_amounts_raise(&largest, &sidecars, reader->arena);
        } else {
            kube_amounts_add(&amounts, &sidecars, reader->arena);
            kube_amounts_raise(&largest, &amounts, reader->arena);
        }
    }
    kube_amounts_raise(requests, &largest, reader->arena);
    return true;
}

/* A pod may ask for these as a whole. */
static bool is_of_pods(struct fl_str name)
{
    const struct fl_str pages = FL_STR("hugepages-");

    return fl_str_eq(name, FL_STR("cpu")) || fl_str_eq(name, FL_STR("memory")) ||
           (name.len >= pages.len && memcmp(name.at, pages.at, pages.len) == 0);
}

static bool set_own(struct reader *reader, struct kube_amounts *requests)
{
    const struct fl_json *wanted = kube_json_at(reader->spec, "resources");
    struct kube_amounts asked, amounts;

    if (!kube_amounts_read(kube_json_at(wanted, "requests"), reader->arena, &asked, reader->err) ||
        !read_effective(reader, reader->spec, reader->status, &amounts)) {
        return fl_err_wrap(reader->err, "the pod's own requests");
    }
    for (size_t i = 0; i < asked.len; i++) {
        struct fl_str name = asked.at[i].name;

        if (!is_of_pods(name)) continue;
        kube_amounts_set(requests, (struct kube_amount){name, kube_amounts_of(&amounts, name)},
                         reader->arena);
    }
    return true;
}

static bool read_requests(struct reader *reader, struct kube_amounts *ret_requests)
{
    struct kube_amounts overhead;

    if (!add_containers(reader, ret_requests) || !add_init_containers(reader, ret_requests) ||
        !set_own(reader, ret_requests)) {
        return false;
    }
    if (!kube_amounts_read(kube_json_at(reader->spec, "overhead"), reader->arena, &overhead,
                           reader->err)) {
        return fl_err_wrap(reader->err, "overhead");
    }
    kube_amounts_add(ret_requests, &overhead, reader->arena);
    if (!ret_requests->is_over) return true;
    return fl_fail(reader->err, FL_TOO_LARGE, "it names over %d resources", KUBE_AMOUNTS_MAX);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static bool is_infeasible(const struct fl_json *status)
{
    const struct fl_json *conditions = kube_json_list(status, "conditions");

    if (!conditions) return false;
    FL_JSON_EACH (item, conditions) {
        if (!kube_json_says(item, "type", "PodResizePending")) continue;
        return kube_json_says(item, "reason", "Infeasible");
    }
    return false;
}

static enum kube_phase read_phase(const struct fl_json *status)
{
    struct fl_str text = kube_json_string(status, "phase");

    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        if (fl_str_eq(text, fl_str_c(phases[i].name))) return phases[i].phase;
    }
    return KUBE_PHASE_PENDING;
}

static int32_t read_priority(const struct fl_json *spec)
{
    const struct fl_json *priority = kube_json_at(spec, "priority");

    if (!priority || priority->kind != FL_JSON_INT) return 0;
    if (priority->n > INT32_MAX) return INT32_MAX;
    return priority->n < INT32_MIN ? INT32_MIN : (int32_t)priority->n;
}

bool kube_pod_read(const struct fl_json *object, struct fl_arena *arena, struct kube_pod *ret_pod,
                   struct fl_err *err)
{
    const struct fl_json *metadata = kube_json_at(object, "metadata");
    struct reader reader = {
        .spec = kube_json_at(object, "spec"),
        .status = kube_json_at(object, "status"),
        .arena = arena,
        .err = err,
    };
    struct kube_pod pod = {0};
    struct kube_meta meta;

    if (!kube_object_meta(object, &meta, err)) return false;
    reader.is_infeasible = is_infeasible(reader.status);
    if (!read_requests(&reader, &pod.requests)) {
        return fl_err_wrap(err, "pod " FL_STR_FMT "/" FL_STR_FMT, FL_STR_ARG(meta.namespace),
                           FL_STR_ARG(meta.name));
    }
    pod.namespace = fl_arena_str(arena, meta.namespace);
    pod.name = fl_arena_str(arena, meta.name);
    pod.uid = fl_arena_str(arena, meta.uid);
    pod.node = fl_arena_str(arena, kube_json_string(reader.spec, "nodeName"));
    pod.phase = read_phase(reader.status);
    pod.is_deleting = kube_json_string(metadata, "deletionTimestamp").len > 0;
    pod.priority = read_priority(reader.spec);
    *ret_pod = pod;
    return true;
}

bool kube_pod_takes_room(const struct kube_pod *pod)
{
    return pod->node.len > 0 && pod->phase != KUBE_PHASE_SUCCEEDED &&
           pod->phase != KUBE_PHASE_FAILED;
}
