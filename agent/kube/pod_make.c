#include "agent/kube/pod_make.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/kube/kube_amounts.h"
#include "agent/kube/pod_identity.h"
#include "agent/runtime_rendezvous.h"
#include "shared/base/arena.h"
#include "shared/base/hash.h"
#include "shared/base/job_name.h"
#include "shared/base/name_pattern.h"
#include "shared/base/resource_name.h"
#include "shared/json/json_out.h"
#include "shared/spec/job_affinity.h"
#include "shared/spec/job_mount.h"

struct maker {
    const struct runtime_order *order;
    const struct pod_making *making;
    struct fl_arena *arena;
    struct fl_json_out json;
};

/* ---- words ----------------------------------------------------------------------------------- */

/* As Kubernetes gives it back: each "$$" becomes '$', and nothing is replaced. */
static struct fl_str literal(struct maker *maker, struct fl_str text)
{
    char *out = fl_arena_alloc(maker->arena, 2 * text.len + 1);
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] == '$') out[len++] = '$';
        out[len++] = text.at[i];
    }
    return (struct fl_str){out, len};
}

static void put_words(struct maker *maker, const char *key, const struct fl_strs *words)
{
    if (words->len == 0) return;
    fl_json_open(&maker->json, key, '[');
    for (size_t i = 0; i < words->len; i++) {
        fl_json_put_str(&maker->json, NULL, literal(maker, words->at[i]));
    }
    fl_json_close(&maker->json, ']');
}

/* ---- variables ------------------------------------------------------------------------------- */

static void put_variable(struct maker *maker, struct fl_str name, struct fl_str value)
{
    fl_json_open(&maker->json, NULL, '{');
    fl_json_put_str(&maker->json, "name", name);
    fl_json_put_str(&maker->json, "value", literal(maker, value));
    fl_json_close(&maker->json, '}');
}

static void put_own(struct maker *maker, const char *name, const char *value)
{
    put_variable(maker, fl_str_c(name), fl_str_c(value));
}

static void put_own_number(struct maker *maker, const char *name, uint64_t n)
{
    put_own(maker, name, fl_arena_printf(maker->arena, "%" PRIu64, n));
}

/* Its value is SECRET/KEY. */
static void put_secret_variable(struct maker *maker, const struct fl_text_map_entry *one)
{
    struct fl_str key = one->value, secret = fl_str_cut(&key, '/');
    struct fl_json_out *json = &maker->json;

    fl_json_open(json, NULL, '{');
    fl_json_put_str(json, "name", one->key);
    fl_json_open(json, "valueFrom", '{');
    fl_json_open(json, "secretKeyRef", '{');
    fl_json_put_str(json, "name", secret);
    fl_json_put_str(json, "key", key);
    fl_json_close(json, '}');
    fl_json_close(json, '}');
    fl_json_close(json, '}');
}

static struct pod_identity identity_of(const struct runtime_order *order, uint32_t replica)
{
    return (struct pod_identity){order->attempt, replica,
                                 replica == 0 ? order->spec->roles.at[0].name : order->role->name};
}

/* Where the replicas of a gang meet: at the first of them, by its name in their Service. */
static void put_rendezvous(struct maker *maker)
{
    struct pod_identity first = identity_of(maker->order, 0);
    struct rendezvous_variable variables[RENDEZVOUS_LEN];
    char host[POD_NAME_BYTES_MAX + 1], service[POD_NAME_BYTES_MAX + 1];
    size_t len;

    pod_identity_host(&first, host);
    pod_identity_service(&first, service);
    len = rendezvous_variables(maker->order, fl_arena_printf(maker->arena, "%s.%s", host, service),
                               RENDEZVOUS_PORT, maker->arena, variables);
    for (size_t i = 0; i < len; i++) {
        put_own(maker, variables[i].name, variables[i].value);
    }
}

/* Kubernetes takes the last of a name, so ours win. */
static void put_env(struct maker *maker)
{
    const struct runtime_order *order = maker->order;
    struct fl_json_out *json = &maker->json;
    char job[FL_JOB_NAME_MAX];

    fl_json_open(json, "env", '[');
    put_own_number(maker, "JOB_COMPLETION_INDEX", order->attempt.element); /* the job's own wins */
    put_rendezvous(maker);                                                 /* here, too */
    for (size_t i = 0; i < order->env.len; i++) {
        put_variable(maker, order->env.at[i].key, order->env.at[i].value);
    }
    for (size_t i = 0; i < order->role->secret_env.len; i++) {
        put_secret_variable(maker, &order->role->secret_env.at[i]);
    }
    fl_job_name(order->attempt.job, job);
    put_own(maker, "FAIRLEAD_JOB_ID", job);
    put_own_number(maker, "FAIRLEAD_ELEMENT", order->attempt.element);
    put_own_number(maker, "FAIRLEAD_INDEX", order->index);
    put_own_number(maker, "FAIRLEAD_ATTEMPT", order->attempt.n);
    put_variable(maker, FL_STR("FAIRLEAD_ROLE"), order->role->name);
    put_own_number(maker, "FAIRLEAD_REPLICA", order->replica);
    put_own_number(maker, "FAIRLEAD_REPLICAS", order->spec->replicas);
    fl_json_open(json, NULL, '{'); /* different in each run, as in the process runtime */
    fl_json_put_cstr(json, "name", "FAIRLEAD_RUN_ID");
    fl_json_open(json, "valueFrom", '{');
    fl_json_open(json, "fieldRef", '{');
    fl_json_put_cstr(json, "fieldPath", "metadata.uid");
    fl_json_close(json, '}');
    fl_json_close(json, '}');
    fl_json_close(json, '}');
    fl_json_close(json, ']');
}

/* ---- resources ------------------------------------------------------------------------------- */

static void put_amounts(struct maker *maker, const char *key, struct fl_resources resources)
{
    struct kube_share told = {resources, maker->order->role->request.named};
    struct kube_share share = kube_share_untold(&told, maker->making->accelerator, maker->arena);
    struct fl_json_out *json = &maker->json;

    fl_json_open(json, key, '{');
    if (resources.cpu_milli) {
        fl_json_put_cstr(json, "cpu",
                         fl_arena_printf(maker->arena, "%" PRIu32 "m", resources.cpu_milli));
    }
    if (resources.memory_bytes) {
        fl_json_put_cstr(json, "memory",
                         fl_arena_printf(maker->arena, "%" PRIu64, resources.memory_bytes));
    }
    for (size_t i = 0; i < share.named.len; i++) {
        fl_json_put_key(json, share.named.at[i].name);
        fl_json_put_cstr(json, NULL,
                         fl_arena_printf(maker->arena, "%" PRIu64, share.named.at[i].n));
    }
    fl_json_close(json, '}');
}

/* ---- mounts ---------------------------------------------------------------------------------- */

/* The first mount that has the same source: its volume is shared.  Empty directories are apart. */
static size_t volume_of(const struct fl_job_mounts *mounts, size_t i)
{
    char source[FL_JOB_MOUNT_SOURCE_MAX], other[FL_JOB_MOUNT_SOURCE_MAX];

    if (mounts->at[i].empty.len > 0) return i;
    fl_job_mount_source(&mounts->at[i], source);
    for (size_t j = 0; j < i; j++) {
        fl_job_mount_source(&mounts->at[j], other);
        if (strcmp(source, other) == 0) return j;
    }
    return i;
}

static void put_volume_name(struct maker *maker, size_t volume)
{
    fl_json_put_cstr(&maker->json, "name", fl_arena_printf(maker->arena, "mount-%zu", volume));
}

static void put_source(struct maker *maker, const char *kind, const char *key, struct fl_str name)
{
    if (name.len == 0) return;
    fl_json_open(&maker->json, kind, '{');
    fl_json_put_str(&maker->json, key, name);
    fl_json_close(&maker->json, '}');
}

static void put_empty(struct maker *maker, const struct fl_job_mount *mount)
{
    if (mount->empty.len == 0) return;
    fl_json_open(&maker->json, "emptyDir", '{');
    if (fl_str_eq(mount->empty, FL_STR("memory"))) {
        fl_json_put_cstr(&maker->json, "medium", "Memory");
    }
    if (mount->size_bytes > 0) {
        fl_json_put_cstr(&maker->json, "sizeLimit",
                         fl_arena_printf(maker->arena, "%" PRIu64, mount->size_bytes));
    }
    fl_json_close(&maker->json, '}');
}

static void put_volumes(struct maker *maker)
{
    const struct fl_job_mounts *mounts = &maker->order->role->mounts;

    if (mounts->len == 0) return;
    fl_json_open(&maker->json, "volumes", '[');
    for (size_t i = 0; i < mounts->len; i++) {
        const struct fl_job_mount *mount = &mounts->at[i];

        if (volume_of(mounts, i) != i) continue;
        fl_json_open(&maker->json, NULL, '{');
        put_volume_name(maker, i);
        put_source(maker, "persistentVolumeClaim", "claimName", mount->claim);
        put_source(maker, "configMap", "name", mount->config_map);
        put_source(maker, "secret", "secretName", mount->secret);
        put_empty(maker, mount);
        fl_json_close(&maker->json, '}');
    }
    fl_json_close(&maker->json, ']');
}

static void put_mounts(struct maker *maker)
{
    const struct fl_job_mounts *mounts = &maker->order->role->mounts;
    struct fl_json_out *json = &maker->json;

    if (mounts->len == 0) return;
    fl_json_open(json, "volumeMounts", '[');
    for (size_t i = 0; i < mounts->len; i++) {
        const struct fl_job_mount *mount = &mounts->at[i];

        fl_json_open(json, NULL, '{');
        put_volume_name(maker, volume_of(mounts, i));
        fl_json_put_str(json, "mountPath", mount->path);
        if (mount->sub_path.len > 0) fl_json_put_str(json, "subPath", mount->sub_path);
        if (mount->is_read_only) fl_json_put_bool(json, "readOnly", true);
        fl_json_close(json, '}');
    }
    fl_json_close(json, ']');
}

static bool is_granted(const struct maker *maker, const char *source)
{
    struct fl_str patterns = maker->making->grants, pattern;

    while (fl_str_next_word(&patterns, ' ', &pattern)) {
        if (fl_name_fits(pattern, fl_str_c(source))) return true;
    }
    return false;
}

static bool check_granted(const struct maker *maker, const char *source, struct fl_err *err)
{
    return is_granted(maker, source) ||
           fl_fail(err, FL_INVALID,
                   "it uses %s, which this cluster's setting kube_grants does not grant", source);
}

static bool check_grants(const struct maker *maker, struct fl_err *err)
{
    const struct fl_job_mounts *mounts = &maker->order->role->mounts;
    const struct fl_text_map *secrets = &maker->order->role->secret_env;

    for (size_t i = 0; i < mounts->len; i++) {
        char source[FL_JOB_MOUNT_SOURCE_MAX];

        if (mounts->at[i].empty.len > 0) continue;
        fl_job_mount_source(&mounts->at[i], source);
        if (!check_granted(maker, source, err)) return false;
    }
    for (size_t i = 0; i < secrets->len; i++) {
        struct fl_str key = secrets->at[i].value, secret = fl_str_cut(&key, '/');

        if (!check_granted(maker,
                           fl_arena_printf(maker->arena, "secret/" FL_STR_FMT, FL_STR_ARG(secret)),
                           err)) {
            return false;
        }
    }
    return true;
}

/* ---- the container --------------------------------------------------------------------------- */

static void put_container(struct maker *maker, struct fl_str image)
{
    const struct fl_job_role *role = maker->order->role;
    struct fl_json_out *json = &maker->json;
    struct fl_resources limit = role->limit.usual;

    limit.gpus = maker->order->resources.gpus; /* a device has no limit but its number */
    fl_json_open(json, NULL, '{');
    fl_json_put_str(json, "name", role->name);
    fl_json_put_str(json, "image", image);
    put_words(maker, "command", &role->command);
    put_words(maker, "args", &role->args);
    if (role->working_dir.len > 0) fl_json_put_str(json, "workingDir", role->working_dir);
    put_env(maker);
    put_mounts(maker);
    fl_json_put_cstr(json, "terminationMessagePolicy", "FallbackToLogsOnError");
    fl_json_open(json, "resources", '{');
    put_amounts(maker, "requests", maker->order->resources);
    put_amounts(maker, "limits", limit);
    fl_json_close(json, '}');
    fl_json_close(json, '}');
}

/* ---- the pod --------------------------------------------------------------------------------- */

/* The node that was chosen, and the job's own terms: the cluster judges them once more. */
static void put_affinity(struct maker *maker)
{
    struct fl_json_out *json = &maker->json;

    fl_json_open(json, "affinity", '{');
    fl_json_open(json, "nodeAffinity", '{');
    fl_json_open(json, "requiredDuringSchedulingIgnoredDuringExecution", '{');
    fl_json_put_key(json, FL_STR("nodeSelectorTerms"));
    fl_job_put_node_terms(json, maker->order->role->affinity, maker->making->node);
    fl_json_close(json, '}');
    fl_json_close(json, '}');
    fl_json_close(json, '}');
}

static void put_node_selector(struct maker *maker)
{
    const struct fl_text_map *labels = &maker->order->role->node_selector;
    struct fl_json_out *json = &maker->json;

    if (labels->len == 0) return;
    fl_json_open(json, "nodeSelector", '{');
    for (size_t i = 0; i < labels->len; i++) {
        fl_json_put_key(json, labels->at[i].key);
        fl_json_put_str(json, NULL, labels->at[i].value);
    }
    fl_json_close(json, '}');
}

static void put_toleration(struct maker *maker, const struct fl_toleration *toleration)
{
    struct fl_json_out *json = &maker->json;

    fl_json_open(json, NULL, '{');
    if (toleration->key.len > 0) fl_json_put_str(json, "key", toleration->key);
    fl_json_put_cstr(json, "operator",
                     toleration->operates == FL_TOLERATES_Exists ? "Exists" : "Equal");
    if (toleration->value.len > 0) fl_json_put_str(json, "value", toleration->value);
    if (toleration->effect != FL_EFFECT_any) {
        fl_json_put_cstr(json, "effect", fl_taint_effect_name(toleration->effect));
    }
    fl_json_close(json, '}');
}

/* The job's own, and one for each device that it asks for. */
static void put_tolerations(struct maker *maker)
{
    const struct fl_job_role *role = maker->order->role;
    struct kube_share told = {maker->order->resources, role->request.named};
    struct fl_amounts named =
        kube_share_untold(&told, maker->making->accelerator, maker->arena).named;
    bool is_open = false;

    for (size_t i = 0; i < role->tolerations.len; i++) {
        if (!is_open) fl_json_open(&maker->json, "tolerations", '[');
        is_open = true;
        put_toleration(maker, &role->tolerations.at[i]);
    }
    for (size_t i = 0; i < named.len; i++) {
        struct fl_toleration device = {.key = named.at[i].name,
                                       .operates = FL_TOLERATES_Exists,
                                       .effect = FL_EFFECT_NoSchedule};

        if (fl_is_bytes_resource(device.key)) continue;
        if (!is_open) fl_json_open(&maker->json, "tolerations", '[');
        is_open = true;
        put_toleration(maker, &device);
    }
    if (is_open) fl_json_close(&maker->json, ']');
}

static void put_pull_secrets(struct maker *maker)
{
    struct fl_str names = maker->making->pull_secrets, name;
    bool is_open = false;

    while (fl_str_next_word(&names, ' ', &name)) {
        if (name.len == 0) continue;
        if (!is_open) fl_json_open(&maker->json, "imagePullSecrets", '[');
        is_open = true;
        fl_json_open(&maker->json, NULL, '{');
        fl_json_put_str(&maker->json, "name", name);
        fl_json_close(&maker->json, '}');
    }
    if (is_open) fl_json_close(&maker->json, ']');
}

static void put_host(struct maker *maker)
{
    struct pod_identity identity = identity_of(maker->order, maker->order->replica);
    char name[POD_NAME_BYTES_MAX + 1];

    if (maker->order->spec->replicas < 2) return;
    pod_identity_host(&identity, name);
    fl_json_put_cstr(&maker->json, "hostname", name);
    pod_identity_service(&identity, name);
    fl_json_put_cstr(&maker->json, "subdomain", name);
}

static void put_spec(struct maker *maker, struct fl_str image)
{
    struct fl_json_out *json = &maker->json;
    uint32_t grace_s = maker->order->role->grace_s;

    fl_json_open(json, NULL, '{');
    put_host(maker);
    fl_json_put_cstr(json, "restartPolicy", "Never");
    /* With 0 a deletion would not wait for the node's word that the pod has ended. */
    fl_json_put_u64(json, "terminationGracePeriodSeconds", grace_s > 0 ? grace_s : 1);
    fl_json_put_bool(json, "automountServiceAccountToken", false);
    fl_json_put_bool(json, "enableServiceLinks", false);
    fl_json_open(json, "schedulingGates", '[');
    fl_json_open(json, NULL, '{');
    fl_json_put_cstr(json, "name", POD_GATE);
    fl_json_close(json, '}');
    fl_json_close(json, ']');
    put_affinity(maker);
    put_node_selector(maker);
    put_tolerations(maker);
    fl_json_open(json, "containers", '[');
    put_container(maker, image);
    fl_json_close(json, ']');
    put_volumes(maker);
    put_pull_secrets(maker);
    fl_json_close(json, '}');
}

static void put_metadata(struct maker *maker, uint64_t hash)
{
    const struct runtime_order *order = maker->order;
    struct pod_identity identity = identity_of(order, order->replica);
    struct fl_json_out *json = &maker->json;
    char name[POD_NAME_BYTES_MAX + 1];

    pod_identity_name(&identity, name);
    fl_json_open(json, "metadata", '{');
    fl_json_put_cstr(json, "name", name);
    fl_json_open(json, "labels", '{');
    pod_identity_put_labels(&identity, json);
    fl_json_close(json, '}');
    fl_json_open(json, "annotations", '{');
    fl_json_put_str(json, POD_NODE, maker->making->node);
    fl_json_put_cstr(json, POD_HASH, fl_arena_printf(maker->arena, "%" PRIu64, hash));
    if (maker->making->is_undisturbed) {
        fl_json_put_cstr(json, "cluster-autoscaler.kubernetes.io/safe-to-evict", "false");
        fl_json_put_cstr(json, "karpenter.sh/do-not-disrupt", "true");
    }
    fl_json_close(json, '}');
    fl_json_open(json, "finalizers", '[');
    fl_json_put_cstr(json, NULL, POD_FINALIZER);
    fl_json_close(json, ']');
    fl_json_close(json, '}');
}

static bool write(struct maker *maker, struct fl_buf *out, uint64_t *ret_hash, struct fl_err *err)
{
    struct fl_str image = maker->order->role->image;
    struct fl_buf spec;

    if (image.len == 0) image = maker->making->image;
    if (image.len == 0) {
        return fl_fail(err, FL_INVALID,
                       "it names no image, and neither does this cluster's setting kube_image");
    }
    if (maker->order->resources.gpus > 0 && maker->making->accelerator.len == 0) {
        return fl_fail(err, FL_INVALID,
                       "it asks for GPUs, and this cluster has several kinds of them: name one in "
                       "the setting kube_accelerator");
    }
    if (!check_grants(maker, err)) return false;
    fl_buf_init_in(&spec, POD_BYTES_MAX, maker->arena);
    maker->json = fl_json_out(&spec);
    put_spec(maker, image);
    *ret_hash = fl_hash64(0, spec.at, spec.len);
    maker->json = fl_json_out(out);
    fl_json_open(&maker->json, NULL, '{');
    fl_json_put_cstr(&maker->json, "apiVersion", "v1");
    fl_json_put_cstr(&maker->json, "kind", "Pod");
    put_metadata(maker, *ret_hash);
    fl_json_put_raw(&maker->json, "spec", (struct fl_str){(const char *)spec.at, spec.len});
    fl_json_close(&maker->json, '}');
    if (!spec.is_over && !out->is_over) return true;
    return fl_fail(err, FL_TOO_LARGE, "its pod would have over %d bytes", POD_BYTES_MAX);
}

bool pod_make(const struct runtime_order *order, const struct pod_making *making,
              struct fl_buf *out, uint64_t *ret_hash, struct fl_err *err)
{
    struct fl_arena arena = {0};
    struct maker maker = {.order = order, .making = making, .arena = &arena};
    bool is_made = write(&maker, out, ret_hash, err);

    fl_arena_fini(&arena);
    return is_made;
}
