#include "shared/spec/manifest.h"

#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/closest_match.h"
#include "shared/base/job_limits.h"
#include "shared/spec/manifest_fields.h"
#include "shared/spec/manifest_kind.h"
#include "shared/spec/text_map.h"

#define NOTHING ((struct fl_str){0})
#define BACKOFF_LIMIT_PRESET 6 /* Kubernetes' own */

/* A field of the manifest that was taken. */
struct taken {
    const struct fl_json *node; /* NULL: it is not there */
    const struct fl_path *path; /* in the arena */
    struct fl_str pointer;
};

/* An object or a list that is being made. */
struct built {
    struct fl_json *node, *last;
};

struct reading {
    const struct fl_job_check *check;
    struct taken taken[FL_MANIFEST_TAKES_LEN];
    struct built labels;
    struct fl_str pod; /* the pointers of the pod and of its container */
    struct fl_str container;
    bool is_job;  /* it may run again: its pods are made by a controller */
    bool is_gang; /* a PyTorchJob: a role for each kind of replica */
    struct fl_manifest_moves moves;
};

#define TAKE(reading, take) (&(reading)->taken[FL_MANIFEST_TAKE_##take])

static void wrong_taken(const struct reading *reading, const struct taken *taken, const char *text)
{
    fl_job_wrong(reading->check, taken->path, taken->node, NOTHING, "%s", text);
}

/* ---- building -------------------------------------------------------------------------------- */

static struct built begin(const struct reading *reading, enum fl_json_kind kind)
{
    struct built built = {.node = fl_arena_new(reading->check->arena, struct fl_json)};

    built.node->kind = kind;
    return built;
}

/* Appends a copy of 'node', which shares the values inside it. */
static void append(const struct reading *reading, struct built *to, struct fl_str key,
                   const struct fl_json *node)
{
    struct fl_json *copy = fl_arena_new(reading->check->arena, struct fl_json);

    *copy = *node;
    copy->key = key;
    copy->next = NULL;
    if (to->last) {
        to->last->next = copy;
    } else {
        to->node->first = copy;
    }
    to->last = copy;
    to->node->len++;
}

static void append_number(const struct reading *reading, struct built *to, struct fl_str key,
                          int64_t n)
{
    char *text = fl_arena_printf(reading->check->arena, "%lld", (long long)n);
    struct fl_json node = {.kind = FL_JSON_INT, .n = n, .text = fl_str_c(text)};

    append(reading, to, key, &node);
}

static void moved(struct reading *reading, struct fl_str to, struct fl_str from)
{
    fl_arena_push(reading->check->arena, &reading->moves, (struct fl_manifest_move){to, from});
}

/* Kubernetes takes an empty value for an absent one. */
static bool is_empty(const struct fl_json *node)
{
    switch (node->kind) {
    case FL_JSON_NULL:
        return true;
    case FL_JSON_STRING:
        return node->text.len == 0;
    case FL_JSON_LIST:
    case FL_JSON_OBJECT:
        return node->len == 0;
    default:
        return false;
    }
}

/* The last key of 'place', a pointer in the job document, gets what was taken. */
static void put(struct reading *reading, struct built *to, const char *place,
                const struct taken *taken)
{
    if (!taken->node || is_empty(taken->node)) return;
    append(reading, to, fl_str_c(strrchr(place, '/') + 1), taken->node);
    moved(reading, fl_str_c(place), taken->pointer);
}

/* The pointer of a place in the role that is being made. */
static const char *in_role(const struct reading *reading, const struct built *roles,
                           const char *place)
{
    return fl_arena_printf(reading->check->arena, "/roles/%u%s", (unsigned)roles->node->len, place);
}

static void put_in_role(struct reading *reading, const struct built *roles, struct built *to,
                        const char *place, const struct taken *taken)
{
    put(reading, to, in_role(reading, roles, place), taken);
}

/* ---- reading by the table -------------------------------------------------------------------- */

static void refuse_unknown(const struct fl_job_check *check, enum fl_manifest_object object,
                           const struct fl_path *path, const struct fl_json *node)
{
    struct fl_closest_match match = fl_closest_match(path->key);
    const struct fl_manifest_field *field;

    for (size_t i = 0; (field = fl_manifest_field_at(i)); i++) {
        if (field->object == object) fl_closest_match_offer(&match, field->name);
    }
    if (match.best.len) {
        fl_job_wrong(check, path, node, NOTHING, "unknown field; did you mean " FL_STR_FMT "?",
                     FL_STR_ARG(match.best));
    } else {
        fl_job_wrong(check, path, node, NOTHING,
                     "a field that Fairlead does not know: leave it out, or leave this object to "
                     "its cluster");
    }
}

static bool is_among(const char *values, struct fl_str text)
{
    for (const char *at = values; *at;) {
        size_t len = strcspn(at, "|");

        if (fl_str_eq((struct fl_str){at, len}, text)) return true;
        at += len + (at[len] == '|');
    }
    return false;
}

static void pass_over(const struct fl_job_check *check, const struct fl_manifest_field *field,
                      const struct fl_path *path, const struct fl_json *node)
{
    struct fl_str allowed = fl_str_c(field->values);

    if (!*field->values || is_empty(node)) return;
    if (node->kind != FL_JSON_LIST && node->kind != FL_JSON_OBJECT &&
        is_among(field->values, node->text)) {
        return;
    }
    fl_job_wrong(check, path, node, allowed, "%s", field->text);
}

static struct fl_path *keep_path(const struct fl_path *path, struct fl_arena *arena)
{
    struct fl_path *kept = NULL, **to = &kept;

    for (; path; path = path->up) {
        struct fl_path *step = fl_arena_new(arena, struct fl_path);

        *step = *path;
        step->up = NULL;
        *to = step;
        to = (struct fl_path **)&step->up;
    }
    return kept;
}

static void take(struct reading *reading, enum fl_manifest_take what, const struct fl_path *path,
                 const struct fl_json *node)
{
    struct taken *taken = &reading->taken[what];

    if (taken->node && what == FL_MANIFEST_TAKE_queue) { /* in the labels of whole and template */
        if (fl_str_eq(taken->node->text, node->text)) return;
        fl_job_wrong(reading->check, path, node, taken->node->text,
                     "it is not the queue that the metadata of the whole name");
        return;
    }
    taken->node = node;
    taken->path = keep_path(path, reading->check->arena);
    taken->pointer = fl_path_pointer(path, NOTHING, reading->check->arena);
}

/* One too many is kept, so that their number is refused. */
static void take_label(struct reading *reading, const struct fl_path *path,
                       const struct fl_json *node)
{
    const struct fl_json *before = fl_json_member(reading->labels.node, path->key);

    if (before && !fl_str_eq(before->text, node->text)) {
        fl_job_wrong(reading->check, path, node, before->text,
                     "this label has another value in the metadata of the whole: a job has one set "
                     "of labels");
    } else if (!before && reading->labels.node->len <= FL_JOB_LABELS_MAX) {
        append(reading, &reading->labels, path->key, node);
    }
}

static void take_other(struct reading *reading, enum fl_manifest_object object,
                       const struct fl_path *path, const struct fl_json *node)
{
    if (object == FL_MANIFEST_OBJECT_labels) {
        take_label(reading, path, node);
    } else if (object == FL_MANIFEST_OBJECT_annotations) {
        fl_job_wrong(reading->check, path, node, NOTHING,
                     "a job has no annotations: leave it out, or write a label");
    } else {
        refuse_unknown(reading->check, object, path, node);
    }
}

/* Remembers where objects stand that are named in no field of their own. */
static void note_place(struct reading *reading, enum fl_manifest_object object,
                       const struct fl_path *path)
{
    struct fl_arena *arena = reading->check->arena;

    if (object == FL_MANIFEST_OBJECT_pod) reading->pod = fl_path_pointer(path, NOTHING, arena);
    if (object == FL_MANIFEST_OBJECT_container) {
        reading->container = fl_path_pointer(path, NOTHING, arena);
    }
    if (object == FL_MANIFEST_OBJECT_labels && !reading->labels.node) {
        reading->labels = begin(reading, FL_JSON_OBJECT);
        moved(reading, FL_STR("/labels"), fl_path_pointer(path, NOTHING, arena));
    }
}

/* Calls itself for objects inside: manifest.def has no circle, so it ends. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static void read_object(struct reading *reading, enum fl_manifest_object object,
                        const struct fl_path *path, const struct fl_json *node)
{
    const struct fl_job_check *check = reading->check;

    if (node->kind != FL_JSON_OBJECT) {
        fl_job_wrong(check, path, node, FL_STR("an object"), "not an object");
        return;
    }
    note_place(reading, object, path);
    FL_JSON_EACH (item, node) {
        const struct fl_manifest_field *field = fl_manifest_find_field(object, item->key);
        struct fl_path here = {.up = path, .key = item->key};
        struct fl_path first = {.up = &here};

        if (!field) {
            if (item->kind != FL_JSON_NULL) take_other(reading, object, &here, item);
            continue;
        }
        switch (item->kind == FL_JSON_NULL ? FL_MANIFEST_passed : field->rule) {
        case FL_MANIFEST_taken:
            take(reading, field->take, &here, item);
            break;
        case FL_MANIFEST_child:
            read_object(reading, field->child, &here, item);
            break;
        case FL_MANIFEST_only_item:
            if (item->kind == FL_JSON_LIST && item->len == 1) {
                read_object(reading, field->child, &first, item->first);
            } else {
                fl_job_wrong(check, &here, item, FL_STR("a list of one"), "%s", field->text);
            }
            break;
        case FL_MANIFEST_passed:
            if (item->kind != FL_JSON_NULL) pass_over(check, field, &here, item);
            break;
        case FL_MANIFEST_refused:
            if (!is_empty(item)) fl_job_wrong(check, &here, item, NOTHING, "%s", field->text);
            break;
        }
    }
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Kubernetes puts the value of a variable for "$(NAME)", and '$' for "$$". */
static struct fl_json unfold(const struct reading *reading, const struct fl_path *path,
                             const struct fl_json *node, const struct fl_text_map *names)
{
    struct fl_json plain = *node;
    char *out = NULL;
    size_t len = 0;

    if (node->text.len == 0 || !memchr(node->text.at, '$', node->text.len)) return plain;
    out = fl_arena_alloc(reading->check->arena, node->text.len);
    for (size_t i = 0; i < node->text.len; i++) {
        struct fl_str rest = {node->text.at + i, node->text.len - i};
        const char *end = rest.len > 1 && rest.at[1] == '(' ? memchr(rest.at, ')', rest.len) : NULL;
        size_t low = 0, high = names->len;
        struct fl_str name;

        out[len++] = rest.at[0];
        if (rest.at[0] != '$') continue;
        if (rest.len > 1 && rest.at[1] == '$') i++;
        if (!end) continue;
        name = (struct fl_str){rest.at + 2, (size_t)(end - rest.at) - 2};
        while (low < high) {
            size_t middle = (low + high) / 2;

            if (fl_str_cmp(names->at[middle].key, name) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low == names->len || !fl_str_eq(names->at[low].key, name)) continue;
        fl_job_wrong(reading->check, path, node, NOTHING,
                     "$(NAME) of a variable is not replaced here: let a shell do it, as in "
                     "command: [sh, -c, 'exec train --lr \"$LR\"']");
        return plain;
    }
    plain.text = (struct fl_str){out, len};
    return plain;
}

static void unfold_words(struct reading *reading, struct taken *taken,
                         const struct fl_text_map *names)
{
    struct fl_path here = {.up = taken->path};
    struct built words = {0};

    if (!taken->node || taken->node->kind != FL_JSON_LIST) return;
    words = begin(reading, FL_JSON_LIST);
    words.node->at = taken->node->at;
    FL_JSON_EACH (item, taken->node) {
        struct fl_json word = *item;

        if (item->kind == FL_JSON_STRING) word = unfold(reading, &here, item, names);
        append(reading, &words, NOTHING, &word);
        here.index++;
    }
    taken->node = words.node;
}

/* A variable refers to those before it.  'names' gets all; one too many is kept, so that their
 * number is refused. */
static void read_env(struct reading *reading, struct fl_text_map *names)
{
    struct taken *env = TAKE(reading, env);
    struct fl_path here = {.up = env->path};
    struct built list;

    if (!env->node || env->node->kind != FL_JSON_LIST) return; /* said later */
    list = begin(reading, FL_JSON_LIST);
    list.node->at = env->node->at;
    *names = fl_text_map_new(env->node->len + 1, reading->check->arena);
    FL_JSON_EACH (item, env->node) {
        struct built variable = begin(reading, FL_JSON_OBJECT);
        struct taken *name = TAKE(reading, variable_name), *value = TAKE(reading, variable_value);

        *name = *value = (struct taken){0};
        read_object(reading, FL_MANIFEST_OBJECT_variable, &here, item);
        variable.node->at = item->at;
        if (name->node) append(reading, &variable, FL_STR("name"), name->node);
        if (value->node && value->node->kind == FL_JSON_STRING) {
            struct fl_json text = unfold(reading, value->path, value->node, names);

            append(reading, &variable, FL_STR("value"), &text);
        } else if (value->node) {
            append(reading, &variable, FL_STR("value"), value->node);
        }
        if (list.node->len > FL_JOB_ENV_MAX) break;
        append(reading, &list, NOTHING, variable.node);
        here.index++;
        if (!name->node || name->node->kind != FL_JSON_STRING) continue;
        names->at[names->len++] = (struct fl_text_map_entry){name->node->text, NOTHING};
        for (size_t i = names->len - 1; i > 0; i--) {
            struct fl_text_map_entry one = names->at[i];

            if (fl_str_cmp(names->at[i - 1].key, one.key) <= 0) break;
            names->at[i] = names->at[i - 1];
            names->at[i - 1] = one;
        }
    }
    env->node = list.node;
}

static bool is_text(const struct taken *taken, struct fl_str text)
{
    return taken->node && taken->node->kind == FL_JSON_STRING && fl_str_eq(taken->node->text, text);
}

/* The job's own variable of that name wins. */
static void put_nproc(struct reading *reading)
{
    static const struct fl_str name = FL_STR("PET_NPROC_PER_NODE");
    const struct taken *nproc = TAKE(reading, nproc);
    struct taken *env = TAKE(reading, env);
    struct fl_json key = {.kind = FL_JSON_STRING, .text = name}, value = {.kind = FL_JSON_STRING};
    struct built list, variable;

    if (!nproc->node || (env->node && env->node->kind != FL_JSON_LIST)) return;
    list = begin(reading, FL_JSON_LIST);
    if (env->node) {
        list.node->at = env->node->at;
        FL_JSON_EACH (item, env->node) {
            const struct fl_json *own = fl_json_member(item, FL_STR("name"));

            if (own && fl_str_eq(own->text, name)) return;
            append(reading, &list, NOTHING, item);
        }
    }
    value.text = nproc->node->text;
    variable = begin(reading, FL_JSON_OBJECT);
    append(reading, &variable, FL_STR("name"), &key);
    append(reading, &variable, FL_STR("value"), &value);
    append(reading, &list, NOTHING, variable.node);
    if (!env->node) *env = *nproc;
    env->node = list.node;
}

static void read_words(struct reading *reading)
{
    struct fl_text_map names = {0};

    read_env(reading, &names);
    if (is_text(TAKE(reading, completion_mode), FL_STR("Indexed"))) {
        struct fl_text_map more = fl_text_map_new(names.len + 1, reading->check->arena);

        for (size_t i = 0; i < names.len; i++) {
            more.at[more.len++] = names.at[i];
        }
        more.at[more.len++] = (struct fl_text_map_entry){FL_STR("JOB_COMPLETION_INDEX"), NOTHING};
        fl_text_map_sort(&more);
        names = more;
    }
    unfold_words(reading, TAKE(reading, command), &names);
    unfold_words(reading, TAKE(reading, args), &names);
    put_nproc(reading);
}

/* ---- the Job's own fields -------------------------------------------------------------------- */

/* False: it is absent, or no number, which is noted. */
static bool number_of(const struct reading *reading, const struct taken *taken, int64_t *ret)
{
    if (!taken->node) return false;
    if (taken->node->kind != FL_JSON_INT || taken->node->n < 0 || taken->node->n > INT32_MAX) {
        fl_job_wrong(reading->check, taken->path, taken->node, FL_STR("a whole number, from 0"),
                     "this is no whole number, or it is negative or too large");
        return false;
    }
    *ret = taken->node->n;
    return true;
}

/* How many elements run, and how many of them at the same time. */
static int64_t count_elements(const struct reading *reading, int64_t *ret_at_once)
{
    const struct taken *completions = TAKE(reading, completions);
    const struct taken *parallelism = TAKE(reading, parallelism);
    int64_t elements = 1, at_once = 1;
    bool has_elements = number_of(reading, completions, &elements);
    bool has_at_once = number_of(reading, parallelism, &at_once);

    if (has_at_once && at_once == 0) {
        wrong_taken(reading, parallelism,
                    "a Job with parallelism 0 does not start: write suspend: true, and a "
                    "parallelism of at least 1");
    } else if (has_elements && elements == 0) {
        wrong_taken(reading, completions, "there is nothing to run: write at least 1");
    } else if (!completions->node && at_once > 1) {
        wrong_taken(reading, parallelism,
                    "a Job without completions is a work queue, whose end one pod decides for "
                    "all: write completions with the same number, and each runs once; or a job "
                    "document with replicas, which start together");
    }
    *ret_at_once = at_once;
    return elements;
}

static void check_mode(const struct reading *reading)
{
    const struct taken *mode = TAKE(reading, completion_mode);

    if (!mode->node || is_text(mode, FL_STR("NonIndexed"))) return;
    if (!is_text(mode, FL_STR("Indexed"))) {
        fl_job_wrong(reading->check, mode->path, mode->node, FL_STR("Indexed or NonIndexed"),
                     "this is no completion mode");
    } else if (!TAKE(reading, completions)->node) {
        wrong_taken(reading, mode, "an Indexed Job needs completions: write how many there are");
    }
}

static void put_retry(struct reading *reading, struct built *to)
{
    const struct taken *limit = TAKE(reading, backoff_limit), *each = TAKE(reading, per_index);

    if (each->node && !is_text(TAKE(reading, completion_mode), FL_STR("Indexed"))) {
        wrong_taken(reading, each, "only an Indexed Job has it: write backoffLimit");
    }
    if (each->node && limit->node) {
        wrong_taken(reading, limit,
                    "elements of an array have a limit each, and no sum: leave it out beside "
                    "backoffLimitPerIndex");
    }
    put(reading, to, "/retry", each->node ? each : limit);
    if (reading->is_job && !reading->is_gang && !each->node && !limit->node) {
        append_number(reading, to, FL_STR("retry"), BACKOFF_LIMIT_PRESET);
    }
}

static void put_hold(struct reading *reading, struct built *to)
{
    const struct taken *suspend = TAKE(reading, suspend);

    if (!suspend->node) return;
    if (suspend->node->kind != FL_JSON_BOOL) {
        fl_job_wrong(reading->check, suspend->path, suspend->node, FL_STR("true or false"),
                     "this is neither true nor false");
    } else if (suspend->node->n && !TAKE(reading, queue)->node) {
        put(reading, to, "/hold", suspend);
    }
}

static void check_restart(const struct reading *reading)
{
    const struct taken *policy = TAKE(reading, restart_policy);

    if (!policy->node || is_text(policy, FL_STR("Never"))) return;
    if (!reading->is_job && is_text(policy, FL_STR("OnFailure"))) {
        wrong_taken(reading, policy,
                    "without a limit it would run again for ever: write Never, or a Job with "
                    "backoffLimit");
    } else if (!is_text(policy, FL_STR("OnFailure"))) {
        fl_job_wrong(reading->check, policy->path, policy->node,
                     reading->is_job ? FL_STR("Never or OnFailure") : FL_STR("Never"),
                     "a job ends: it is not started again once it has succeeded");
    }
}

static void check_pull(const struct reading *reading)
{
    const struct taken *policy = TAKE(reading, pull_policy), *image = TAKE(reading, image);
    struct fl_str name = image->node ? image->node->text : NOTHING;
    const char *slash = name.len ? memrchr(name.at, '/', name.len) : NULL;
    size_t skip = slash ? (size_t)(slash - name.at) : 0;
    const char *tag = name.len ? memchr(name.at + skip, ':', name.len - skip) : NULL;
    const char *digest = name.len ? memchr(name.at + skip, '@', name.len - skip) : NULL;
    bool is_latest =
        !digest && (!tag || fl_str_eq((struct fl_str){tag, name.len - (size_t)(tag - name.at)},
                                      FL_STR(":latest")));

    if (!policy->node || is_empty(policy->node) || is_text(policy, FL_STR("IfNotPresent"))) return;
    if (is_latest && is_text(policy, FL_STR("Always"))) return;
    fl_job_wrong(
        reading->check, policy->path, policy->node,
        FL_STR("IfNotPresent; for an image without a tag, Always"),
        "nodes pull an image that has a tag once: leave it out, and give a new image a new "
        "tag");
}

static const struct taken *deadline_of(const struct reading *reading)
{
    const struct taken *pod = TAKE(reading, pod_deadline);

    if (!reading->is_job) return pod;
    if (pod->node) {
        wrong_taken(reading, pod,
                    "a pod of a Job has no deadline of its own: write activeDeadlineSeconds in the "
                    "Job's spec");
    }
    return TAKE(reading, deadline);
}

/* ---- roles ----------------------------------------------------------------------------------- */

#define POD "/template/spec"
#define CONTAINER POD "/containers/0"

static struct built make_container(struct reading *reading, const struct built *roles)
{
    struct built container = begin(reading, FL_JSON_OBJECT);
    struct built resources = begin(reading, FL_JSON_OBJECT);

    put_in_role(reading, roles, &container, CONTAINER "/image", TAKE(reading, image));
    put_in_role(reading, roles, &container, CONTAINER "/command", TAKE(reading, command));
    put_in_role(reading, roles, &container, CONTAINER "/args", TAKE(reading, args));
    put_in_role(reading, roles, &container, CONTAINER "/env", TAKE(reading, env));
    put_in_role(reading, roles, &container, CONTAINER "/workingDir", TAKE(reading, working_dir));
    put_in_role(reading, roles, &resources, CONTAINER "/resources/requests",
                TAKE(reading, requests));
    put_in_role(reading, roles, &resources, CONTAINER "/resources/limits", TAKE(reading, limits));
    if (resources.last) append(reading, &container, FL_STR("resources"), resources.node);
    return container;
}

/* Appends the role of the pod template that was read last. */
static void make_role(struct reading *reading, struct fl_str called, struct built *roles)
{
    struct built role = begin(reading, FL_JSON_OBJECT), template = begin(reading, FL_JSON_OBJECT);
    struct built pod = begin(reading, FL_JSON_OBJECT), containers = begin(reading, FL_JSON_LIST);
    struct fl_json name = {.kind = FL_JSON_STRING, .text = called};

    check_restart(reading);
    check_pull(reading);
    read_words(reading);
    moved(reading, fl_str_c(in_role(reading, roles, "")), reading->container);
    moved(reading, fl_str_c(in_role(reading, roles, POD)), reading->pod);
    moved(reading, fl_str_c(in_role(reading, roles, CONTAINER)), reading->container);
    append(reading, &containers, NOTHING, make_container(reading, roles).node);
    append(reading, &pod, FL_STR("containers"), containers.node);
    put_in_role(reading, roles, &pod, POD "/nodeSelector", TAKE(reading, node_selector));
    put_in_role(reading, roles, &pod, POD "/affinity", TAKE(reading, affinity));
    put_in_role(reading, roles, &pod, POD "/tolerations", TAKE(reading, tolerations));
    put_in_role(reading, roles, &pod, POD "/terminationGracePeriodSeconds", TAKE(reading, grace));
    append(reading, &template, FL_STR("spec"), pod.node);
    append(reading, &role, FL_STR("name"), &name);
    put_in_role(reading, roles, &role, "/replicas", TAKE(reading, replicas));
    append(reading, &role, FL_STR("template"), template.node);
    append(reading, roles, NOTHING, role.node);
}

/* ---- a gang ---------------------------------------------------------------------------------- */

static void check_side_restart(const struct reading *reading)
{
    const struct taken *policy = TAKE(reading, side_restart);

    if (!policy->node || is_text(policy, FL_STR("Never"))) return;
    if (!is_text(policy, FL_STR("OnFailure"))) {
        fl_job_wrong(reading->check, policy->path, policy->node, FL_STR("Never or OnFailure"),
                     "exit codes are not told apart, and a job ends: it is not started again once "
                     "it has succeeded");
    } else if (!TAKE(reading, backoff_limit)->node) {
        wrong_taken(reading, policy,
                    "without a limit it would run again for ever: write runPolicy.backoffLimit, or "
                    "Never");
    }
}

static void read_side(struct reading *reading, const struct taken *side, struct fl_str name,
                      struct built *roles)
{
    for (int i = FL_MANIFEST_TAKE_replicas; i <= FL_MANIFEST_TAKE_limits; i++) {
        reading->taken[i] = (struct taken){0};
    }
    reading->pod = reading->container = side->pointer;
    read_object(reading, FL_MANIFEST_OBJECT_replica_spec, side->path, side->node);
    check_side_restart(reading);
    make_role(reading, name, roles);
}

static void read_sides(struct reading *reading, struct built *roles)
{
    struct taken master = *TAKE(reading, master), worker = *TAKE(reading, worker);
    const struct taken *replicas = TAKE(reading, replicas);
    struct fl_path spec = {.key = FL_STR("spec")};
    struct fl_path sides = {.up = &spec, .key = FL_STR("pytorchReplicaSpecs")};
    int64_t n;

    if (!master.node && !worker.node) {
        fl_job_wrong(reading->check, &sides, NULL, FL_STR("Master and Worker"),
                     "it has no replicas: write a Master, a Worker or both");
    }
    if (master.node) {
        read_side(reading, &master, FL_STR("master"), roles);
        if (replicas->node && number_of(reading, replicas, &n) && n != 1) {
            fl_job_wrong(reading->check, replicas->path, replicas->node, FL_STR("1"),
                         "there is one master: write the others under Worker");
        }
    }
    if (worker.node) read_side(reading, &worker, FL_STR("worker"), roles);
}

/* ---- the document ---------------------------------------------------------------------------- */

static const struct taken *name_of(const struct reading *reading)
{
    const struct taken *name = TAKE(reading, name), *begun = TAKE(reading, generate_name);

    if (name->node && !is_empty(name->node)) return name;
    return begun->node && !is_empty(begun->node) ? begun : TAKE(reading, template_name);
}

static const struct fl_json *make_document(struct reading *reading)
{
    struct built document = begin(reading, FL_JSON_OBJECT), roles = begin(reading, FL_JSON_LIST);
    int64_t at_once, elements = count_elements(reading, &at_once);

    check_mode(reading);
    if (reading->is_gang) {
        read_sides(reading, &roles);
    } else {
        make_role(reading, FL_STR("main"), &roles);
    }
    put(reading, &document, "/name", name_of(reading));
    put(reading, &document, "/queue", TAKE(reading, queue));
    if (reading->labels.node && reading->labels.last) {
        append(reading, &document, FL_STR("labels"), reading->labels.node);
    }
    if (elements > 1) {
        append_number(reading, &document, FL_STR("array"), elements);
        moved(reading, FL_STR("/array"), TAKE(reading, completions)->pointer);
    }
    if (at_once > 0 && elements > at_once) {
        append_number(reading, &document, FL_STR("parallelism"), at_once);
        moved(reading, FL_STR("/parallelism"), TAKE(reading, parallelism)->pointer);
    }
    put(reading, &document, "/deadline", deadline_of(reading));
    put_retry(reading, &document);
    put_hold(reading, &document);
    append(reading, &document, FL_STR("roles"), roles.node);
    return document.node;
}

/* ---- all ------------------------------------------------------------------------------------- */

bool fl_manifest_is(const struct fl_json *document)
{
    const struct fl_json *spec = fl_json_member(document, FL_STR("spec"));

    return fl_json_member(document, FL_STR("apiVersion")) ||
           fl_json_member(document, FL_STR("kind")) || (spec && spec->kind == FL_JSON_OBJECT);
}

bool fl_manifest_document(const struct fl_job_check *check, const struct fl_json *manifest,
                          const struct fl_json **ret_document, struct fl_manifest_moves *ret_moves)
{
    struct reading reading = {.check = check};
    struct fl_path items = {.key = FL_STR("items")}, first = {.up = &items}, *path = NULL;
    enum fl_manifest_object object = FL_MANIFEST_OBJECT_template;
    const struct fl_manifest_kind *kind = NULL;

    if (fl_json_member(manifest, FL_STR("kind")) ||
        fl_json_member(manifest, FL_STR("apiVersion"))) {
        kind = fl_manifest_kind_of(check, path, manifest);
        if (kind && kind->object == FL_MANIFEST_OBJECT_OBJECTS_LEN) {
            manifest = fl_manifest_only_item(check, &items, manifest);
            path = &first;
            kind = manifest ? fl_manifest_kind_of(check, path, manifest) : NULL;
        }
        if (!kind) return false;
        if (kind->object == FL_MANIFEST_OBJECT_OBJECTS_LEN) {
            fl_job_wrong(check, path, manifest, NOTHING, "a List inside a List is not taken");
            return false;
        }
        object = kind->object;
    }
    reading.is_gang = object == FL_MANIFEST_OBJECT_pytorch_job;
    reading.is_job = reading.is_gang || object == FL_MANIFEST_OBJECT_job;
    read_object(&reading, object, path, manifest);
    *ret_document = make_document(&reading);
    *ret_moves = reading.moves;
    return check->problems->len == 0;
}

struct fl_str fl_manifest_origin(const struct fl_manifest_moves *moves, struct fl_str pointer,
                                 struct fl_arena *arena)
{
    struct fl_manifest_move best = {0};
    struct fl_str rest;

    for (size_t i = 0; i < moves->len; i++) {
        struct fl_str to = moves->at[i].to;

        if (to.len <= best.to.len || to.len > pointer.len ||
            memcmp(to.at, pointer.at, to.len) != 0 ||
            (to.len < pointer.len && pointer.at[to.len] != '/')) {
            continue;
        }
        best = moves->at[i];
    }
    if (best.to.len == 0) return pointer;
    rest = (struct fl_str){pointer.at + best.to.len, pointer.len - best.to.len};
    return fl_str_c(
        fl_arena_printf(arena, FL_STR_FMT FL_STR_FMT, FL_STR_ARG(best.from), FL_STR_ARG(rest)));
}
