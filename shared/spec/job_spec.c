#include "shared/spec/job_spec.h"

#include <inttypes.h>
#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/ascii.h"
#include "shared/base/assert.h"
#include "shared/base/node_label.h"
#include "shared/base/resource_name.h"
#include "shared/spec/job_draft.h"
#include "shared/spec/job_mount.h"
#include "shared/spec/job_object.h"
#include "shared/spec/job_params.h"

static const struct fl_job_limits limits_most = {FL_JOB_ELEMENTS_MAX, FL_JOB_REPLICAS_MAX};

/* ---- rules beyond the table ------------------------------------------------------------------ */

/* Notes a problem with 'member' of the object 'node', which stands at 'path'. */
#define WRONG(check, path, node, member, allowed, ...)                                             \
    fl_job_wrong((check), &(struct fl_path){.up = (path), .key = FL_STR(member)},                  \
                 fl_json_member((node), FL_STR(member)), (allowed), __VA_ARGS__)

#define NOTHING ((struct fl_str){0})

/* A device cannot be had in part: request and limit are the same, or there is a mistake. */
static void settle_whole(const struct fl_job_check *check, const struct fl_path *path,
                         const struct fl_json *node, struct fl_str name, uint64_t *request,
                         uint64_t *limit)
{
    if (*request == 0) *request = *limit;
    if (*limit == 0) *limit = *request;
    if (*limit == *request) return;
    fl_job_wrong(check, path, node, NOTHING, "request and limit of " FL_STR_FMT " differ",
                 FL_STR_ARG(name));
}

/* A name that only the request has comes into the limit, too, and the other way round. */
static void settle_named(const struct fl_job_check *check, const struct fl_path *path,
                         const struct fl_json *node, struct fl_job_role *role)
{
    struct fl_amounts *request = &role->request.named, *limit = &role->limit.named;
    bool has_pages = false;

    for (size_t i = 0; i < limit->len; i++) {
        uint64_t asked = fl_amounts_of(request, limit->at[i].name);

        settle_whole(check, path, node, limit->at[i].name, &asked, &limit->at[i].n);
        fl_amounts_set(request, (struct fl_amount){limit->at[i].name, asked}, check->arena);
    }
    for (size_t i = 0; i < request->len; i++) {
        has_pages = has_pages || fl_resource_page_bytes(request->at[i].name) > 0;
    }
    *limit = *request;
    if (has_pages && role->request.usual.cpu_milli == 0 && role->request.usual.memory_bytes == 0) {
        fl_job_wrong(check, path, node, NOTHING,
                     "it asks for hugepages, and for neither cpu nor memory beside them");
    }
}

/* A missing request is the limit's; a GPU cannot be had in part. */
static void settle_resources(const struct fl_job_check *check, const struct fl_path *path,
                             const struct fl_json *node, struct fl_job_role *role)
{
    struct fl_resources *request = &role->request.usual, *limit = &role->limit.usual;
    uint64_t gpus = request->gpus, gpus_limit = limit->gpus;

    if (request->cpu_milli == 0) request->cpu_milli = limit->cpu_milli;
    if (request->memory_bytes == 0) request->memory_bytes = limit->memory_bytes;
    settle_whole(check, path, node, FL_STR("GPUs"), &gpus, &gpus_limit);
    request->gpus = (uint32_t)gpus;
    limit->gpus = (uint32_t)gpus_limit;
    settle_named(check, path, node, role);
    if (limit->cpu_milli > 0 && limit->cpu_milli < request->cpu_milli) {
        fl_job_wrong(check, path, node, NOTHING, "the limit of cpu is below its request");
    }
    if (limit->memory_bytes > 0 && limit->memory_bytes < request->memory_bytes) {
        fl_job_wrong(check, path, node, NOTHING, "the limit of memory is below its request");
    }
}

static bool is_secret_key(struct fl_str value)
{
    struct fl_str key = value, secret = fl_str_cut(&key, '/');

    for (size_t i = 0; i < key.len; i++) {
        char c = key.at[i];

        if (!fl_is_alnum(c) && c != '-' && c != '_' && c != '.') return false;
    }
    return key.len > 0 && key.len <= FL_JOB_MOUNT_NAME_BYTES_MAX &&
           secret.len <= FL_JOB_MOUNT_NAME_BYTES_MAX && fl_job_is_object_name(secret);
}

static void check_secret_env(const struct fl_job_check *check, const struct fl_path *path,
                             const struct fl_json *node, const struct fl_job_role *role)
{
    for (size_t i = 0; i < role->secret_env.len; i++) {
        const struct fl_text_map_entry *one = &role->secret_env.at[i];

        if (!is_secret_key(one->value)) {
            WRONG(check, path, node, "secretEnv", FL_STR("HF_TOKEN: hf-token/token"),
                  "\"" FL_STR_FMT "\" is no SECRET/KEY", FL_STR_ARG(one->value));
        }
        for (size_t k = 0; k < role->env.len; k++) {
            if (!fl_str_eq(role->env.at[k].key, one->key)) continue;
            WRONG(check, path, node, "secretEnv", NOTHING,
                  "the variable \"" FL_STR_FMT "\" is in env, too", FL_STR_ARG(one->key));
        }
    }
}

/* Both forms; 'node' is the object that has replicas. */
static void check_role(const struct fl_job_check *check, const struct fl_path *path,
                       const struct fl_json *node, struct fl_job_role *role)
{
    settle_resources(check, path, node, role);
    check_secret_env(check, path, node, role);
    if (role->command.len == 0 && role->image.len == 0) {
        fl_job_wrong(check, path, NULL, FL_STR("command: [\"sh\", \"-c\", \"...\"]"),
                     "there is neither a command nor an image: nothing to run");
    }
    if (role->command.len > 0 && role->command.at[0].len == 0) {
        fl_job_wrong(check, path, NULL, NOTHING, "the first word of the command is empty");
    }
    if (role->replicas_min > role->replicas) {
        WRONG(check, path, node, "min", NOTHING, "min is over replicas, which is %u",
              role->replicas);
    } else if (role->replicas_min > 0 && role->replicas_min < role->replicas) {
        WRONG(check, path, node, "min", FL_STR("the same as replicas, or no min"),
              "a gang starts whole: min below replicas (%u) is not supported", role->replicas);
    }
    role->replicas_min = role->replicas;
}

static bool is_same_selector(const struct fl_text_map *a, const struct fl_text_map *b)
{
    if (a->len != b->len) return false;
    for (size_t i = 0; i < a->len; i++) {
        if (!fl_str_eq(a->at[i].key, b->at[i].key) || !fl_str_eq(a->at[i].value, b->at[i].value)) {
            return false;
        }
    }
    return true;
}

static bool is_same_tolerations(const struct fl_tolerations *a, const struct fl_tolerations *b)
{
    if (a->len != b->len) return false;
    for (size_t i = 0; i < a->len; i++) {
        if (!fl_str_eq(a->at[i].key, b->at[i].key) || !fl_str_eq(a->at[i].value, b->at[i].value) ||
            a->at[i].operates != b->at[i].operates || a->at[i].effect != b->at[i].effect) {
            return false;
        }
    }
    return true;
}

static void check_roles(const struct fl_job_check *check, const struct fl_json *root,
                        const struct fl_job_spec *spec)
{
    struct fl_path roles = {.key = FL_STR("roles")};
    struct fl_path here = {.up = &roles};
    const struct fl_json *node = fl_json_member(root, roles.key)->first;

    for (size_t i = 0; i < spec->roles.len; i++, node = node->next) {
        struct fl_job_role *role = &spec->roles.at[i];

        here.index = i;
        if (node->kind != FL_JSON_OBJECT) continue; /* said already */
        check_role(check, &here, node, role);
        for (size_t j = 0; j < i; j++) {
            if (role->name.len == 0 || !fl_str_eq(spec->roles.at[j].name, role->name)) continue;
            WRONG(check, &here, node, "name", NOTHING, "roles[%zu] has this name already", j);
        }
        if (!is_same_selector(&role->node_selector, &spec->roles.at[0].node_selector)) {
            WRONG(check, &here, node, "template", NOTHING,
                  "nodeSelector is not that of roles[0]: all roles of a gang run on nodes of one "
                  "kind");
        }
        if (!fl_str_eq(role->affinity, spec->roles.at[0].affinity)) {
            WRONG(check, &here, node, "template", NOTHING,
                  "affinity is not that of roles[0]: all roles of a gang run on nodes of one kind");
        }
        if (!is_same_tolerations(&role->tolerations, &spec->roles.at[0].tolerations)) {
            WRONG(check, &here, node, "template", NOTHING,
                  "tolerations are not those of roles[0]: a gang tolerates the same in all roles");
        }
    }
}

/* The short form is a role called main. */
static void expand(const struct fl_job_check *check, const struct fl_json *root,
                   struct fl_job_draft *draft)
{
    struct fl_job_role *role = fl_arena_new(check->arena, struct fl_job_role);

    *role = draft->only;
    role->name = FL_STR("main");
    role->request = role->limit = draft->amounts;
    draft->spec.roles = (struct fl_job_roles){role, 1, 1};
    check_role(check, NULL, root, role);
}

static void refuse_short_fields(const struct fl_job_check *check, const struct fl_json *root)
{
    FL_JSON_EACH (item, root) {
        const struct fl_job_field *field = fl_job_find_field(FL_JOB_OBJECT_job, item->key);

        if (!field || !(field->flags & FL_FIELD_SHORT)) continue;
        fl_job_wrong(check, &(struct fl_path){.key = item->key}, item, NOTHING,
                     "this field is of the short form; where there are roles it goes into each");
    }
}

static void check_limits(const struct fl_job_check *check, const struct fl_json *root,
                         const struct fl_job_spec *spec)
{
    const struct fl_text_map *labels =
        spec->roles.len > 0 ? &spec->roles.at[0].node_selector : NULL;

    for (size_t i = 0; spec->requires_limits && labels && i < labels->len; i++) {
        if (!fl_str_eq(labels->at[i].key, FL_STR(FL_NODE_LIMITS_KEY)) ||
            fl_str_eq(labels->at[i].value, FL_STR(FL_NODE_LIMITS_VALUE))) {
            continue;
        }
        WRONG(check, NULL, root, "requireLimits", NOTHING,
              "nodeSelector asks for another " FL_NODE_LIMITS_KEY);
    }
}

static void check_clusters(const struct fl_job_check *check, const struct fl_json *root,
                           const struct fl_job_spec *spec)
{
    for (size_t i = 0; i < spec->clusters.len; i++) {
        for (size_t j = 0; j < spec->not_clusters.len; j++) {
            if (!fl_str_is_name(spec->clusters.at[i]) || /* said already */
                !fl_str_eq(spec->clusters.at[i], spec->not_clusters.at[j])) {
                continue;
            }
            WRONG(check, NULL, root, "notClusters", NOTHING,
                  "\"" FL_STR_FMT "\" is in clusters too", FL_STR_ARG(spec->clusters.at[i]));
        }
    }
}

struct fl_amounts fl_job_spec_named(const struct fl_job_spec *spec, struct fl_arena *arena)
{
    struct fl_amounts sums = {0};

    for (size_t i = 0; i < spec->roles.len; i++) {
        const struct fl_job_role *role = &spec->roles.at[i];

        for (size_t k = 0; k < role->request.named.len; k++) {
            struct fl_amount one = role->request.named.at[k];

            one.n = one.n * role->replicas + fl_amounts_of(&sums, one.name); /* below 2^62 */
            fl_amounts_set(&sums, one, arena);
        }
    }
    return sums;
}

struct fl_str fl_job_spec_tolerations(const struct fl_job_spec *spec, struct fl_arena *arena)
{
    const struct fl_tolerations *list = &spec->roles.at[0].tolerations;
    char *text;
    size_t len = 0;

    if (list->len == 0) return (struct fl_str){0};
    text = fl_arena_alloc(arena, list->len * (FL_TAINT_TEXT_BYTES_MAX + 1));
    for (size_t i = 0; i < list->len; i++) {
        len += fl_toleration_write(&list->at[i], text + len);
        text[len++] = '\n';
    }
    return (struct fl_str){text, len};
}

/* Checks the sums over the roles, and the administrator's limits. */
static void sum_up(const struct fl_job_check *check, const struct fl_json *root,
                   const struct fl_job_limits *limits, struct fl_job_spec *spec)
{
    size_t named_len = fl_job_spec_named(spec, check->arena).len;
    uint64_t replicas = 0;

    if (named_len > FL_JOB_NAMED_MAX) {
        fl_job_wrong(check, NULL, NULL, NOTHING,
                     "it asks for %zu kinds of resources beside cpu, memory and gpus; the limit "
                     "is " FL_QUOTE(FL_JOB_NAMED_MAX) " in all roles together",
                     named_len);
    }
    for (size_t i = 0; i < spec->roles.len; i++) {
        replicas += spec->roles.at[i].replicas;
        spec->has_image |= spec->roles.at[i].image.len > 0 || spec->roles.at[i].mounts.len > 0 ||
                           spec->roles.at[i].secret_env.len > 0;
    }
    if (replicas > limits->replicas_max) {
        fl_job_wrong(check, NULL, NULL, NOTHING, "%u replicas in all are over the limit of %u",
                     (unsigned)replicas, limits->replicas_max);
    }
    spec->replicas = (uint32_t)replicas;
    if (spec->elements > limits->elements_max && spec->indexes.len > 0) {
        WRONG(check, NULL, root, "indexes", NOTHING,
              "these are %" PRIu32 " numbers, over the limit of %u elements", spec->elements,
              limits->elements_max);
    } else if (spec->elements > limits->elements_max) {
        WRONG(check, NULL, root, "array", NOTHING, "this is over the limit of %u elements",
              limits->elements_max);
    }
}

/* The indexes say how many elements there are; an array beside them may say the same. */
static void settle_elements(const struct fl_job_check *check, const struct fl_json *root,
                            struct fl_job_spec *spec)
{
    if (!fl_json_member(root, FL_STR("array"))) {
        if (spec->indexes.len > 0) spec->elements = spec->indexes.len;
    } else {
        fl_job_check_indexes(check, root, &spec->indexes, spec->elements);
    }
    if (spec->indexes.text.len == 0) spec->indexes = (struct fl_indexes){0};
}

bool fl_job_spec_parse(const struct fl_json *document, struct fl_arena *arena,
                       const struct fl_job_limits *limits, struct fl_job_spec *ret_spec,
                       struct fl_problems *problems)
{
    struct fl_job_check check = {.arena = arena, .problems = problems};
    struct fl_job_draft draft = {
        .spec = {.queue = FL_STR(FL_QUEUE_DEFAULT), .elements = 1},
        .only = {.replicas = 1, .grace_s = FL_JOB_GRACE_S},
    };

    fl_job_read_object(&check, FL_JOB_OBJECT_job, NULL, document, &draft);
    if (document->kind == FL_JSON_OBJECT) {
        if (!fl_json_member(document, FL_STR("roles"))) {
            expand(&check, document, &draft);
        } else {
            refuse_short_fields(&check, document);
            if (draft.spec.roles.len) check_roles(&check, document, &draft.spec);
        }
        check_clusters(&check, document, &draft.spec);
        check_limits(&check, document, &draft.spec);
        settle_elements(&check, document, &draft.spec);
        fl_job_check_parallelism(&check, document, draft.spec.elements, draft.spec.parallelism);
        sum_up(&check, document, limits ? limits : &limits_most, &draft.spec);
    }
    if (problems->len > 0) return false;
    *ret_spec = draft.spec;
    return true;
}

bool fl_job_spec_read(struct fl_str bytes, struct fl_arena *arena, struct fl_job_spec *ret_spec,
                      struct fl_err *err)
{
    struct fl_problems problems = {0};
    const struct fl_json *root;

    if (bytes.len > FL_JOB_SPEC_BYTES_MAX) {
        return fl_fail(err, FL_TOO_LARGE,
                       "a spec has over " FL_QUOTE(FL_JOB_SPEC_BYTES_MAX) " bytes");
    }
    if (!fl_json_parse(bytes, arena, &root, NULL, err)) return fl_err_wrap(err, "spec");
    if (!fl_job_spec_parse(root, arena, NULL, ret_spec, &problems)) {
        (void)fl_problems_fail(&problems, err);
        return fl_err_wrap(err, "spec");
    }
    return true;
}

struct fl_str fl_job_spec_indexes(struct fl_str canonical)
{
    static const char head[] =
        "{\"indexes\":\""; /* the first field that canonical bytes may have */
    struct fl_str text = canonical;

    if (text.len < sizeof head || memcmp(text.at, head, sizeof head - 1) != 0) {
        return (struct fl_str){0};
    }
    text = (struct fl_str){text.at + sizeof head - 1, text.len - (sizeof head - 1)};
    return fl_str_cut(&text, '"');
}

struct fl_job_replica fl_job_spec_replica(const struct fl_job_spec *spec,
                                          const struct fl_text_map *params, uint32_t flat,
                                          struct fl_arena *arena)
{
    struct fl_job_replica replica = {.number = flat};

    fl_assert(flat < spec->replicas);
    while (replica.number >= spec->roles.at[replica.role_number].replicas) {
        replica.number -= spec->roles.at[replica.role_number++].replicas;
    }
    replica.role = &spec->roles.at[replica.role_number];
    replica.env = replica.role->env;
    if (params) replica.env = fl_job_params_merge(&replica.env, params, arena);
    return replica;
}
