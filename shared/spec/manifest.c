#include "shared/spec/manifest.h"

#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/job_limits.h"
#include "shared/spec/manifest_kind.h"
#include "shared/spec/manifest_mounts.h"
#include "shared/spec/manifest_read.h"
#include "shared/spec/text_map.h"

#define NOTHING ((struct fl_str){0})
#define BACKOFF_LIMIT_PRESET 6 /* Kubernetes' own */

/* ---- words ----------------------------------------------------------------------------------- */

/* Kubernetes puts the value of a variable for "$(NAME)", and '$' for "$$". */
static struct fl_json unfold(const struct fl_reading *reading, const struct fl_path *path,
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

static void unfold_words(struct fl_reading *reading, struct fl_taken *taken,
                         const struct fl_text_map *names)
{
    struct fl_path here = {.up = taken->path};
    struct fl_built words = {0};

    if (!taken->node || taken->node->kind != FL_JSON_LIST) return;
    words = fl_manifest_begin(reading, FL_JSON_LIST);
    words.node->at = taken->node->at;
    FL_JSON_EACH (item, taken->node) {
        struct fl_json word = *item;

        if (item->kind == FL_JSON_STRING) word = unfold(reading, &here, item, names);
        fl_manifest_append(reading, &words, NOTHING, &word);
        here.index++;
    }
    taken->node = words.node;
}

/* The variable's value is SECRET/KEY. */
static void put_secret(struct fl_reading *reading, struct fl_built *variable)
{
    const struct fl_taken *secret = FL_TAKE(reading, variable_secret);
    const struct fl_taken *key = FL_TAKE(reading, variable_key);
    char *text = fl_arena_printf(reading->check->arena, FL_STR_FMT "/" FL_STR_FMT,
                                 FL_STR_ARG(secret->node ? secret->node->text : NOTHING),
                                 FL_STR_ARG(key->node ? key->node->text : NOTHING));
    struct fl_json value = {.kind = FL_JSON_STRING, .text = fl_str_c(text)};

    fl_manifest_append(reading, variable, FL_STR("value"), &value);
}

static void refuse_no_source(const struct fl_reading *reading, const struct fl_path *variable,
                             const struct fl_json *item)
{
    struct fl_path here = {.up = variable, .key = FL_STR("valueFrom")};
    const struct fl_json *source = fl_json_member(item, here.key);

    if (!source || source->kind != FL_JSON_OBJECT || source->first) return;
    fl_job_wrong(reading->check, &here, source, NOTHING,
                 "it names no source: write a value, or a secretKeyRef");
}

/* A variable refers to those before it.  'names' gets all; one too many is kept, so that their
 * number is refused. */
static void read_env(struct fl_reading *reading, struct fl_text_map *names)
{
    struct fl_taken *env = FL_TAKE(reading, env);
    struct fl_path here = {.up = env->path};
    struct fl_built list, secrets;

    if (!env->node || env->node->kind != FL_JSON_LIST) return; /* said later */
    secrets = fl_manifest_begin(reading, FL_JSON_LIST);
    list = fl_manifest_begin(reading, FL_JSON_LIST);
    list.node->at = env->node->at;
    *names = fl_text_map_new(env->node->len + 1, reading->check->arena);
    FL_JSON_EACH (item, env->node) {
        struct fl_built variable = fl_manifest_begin(reading, FL_JSON_OBJECT);
        struct fl_taken *name = FL_TAKE(reading, variable_name),
                        *value = FL_TAKE(reading, variable_value),
                        *secret = FL_TAKE(reading, variable_secret),
                        *key = FL_TAKE(reading, variable_key);
        bool is_secret;

        *name = *value = *secret = *key = (struct fl_taken){0};
        fl_manifest_read_object(reading, FL_MANIFEST_OBJECT_variable, &here, item);
        refuse_no_source(reading, &here, item);
        variable.node->at = item->at;
        is_secret = secret->node || key->node;
        if (name->node) fl_manifest_append(reading, &variable, FL_STR("name"), name->node);
        if (value->node && value->node->kind == FL_JSON_STRING) {
            struct fl_json text = unfold(reading, value->path, value->node, names);

            fl_manifest_append(reading, &variable, FL_STR("value"), &text);
        } else if (value->node) {
            fl_manifest_append(reading, &variable, FL_STR("value"), value->node);
        }
        if (list.node->len + secrets.node->len > FL_JOB_ENV_MAX) break;
        if (is_secret && value->node) {
            fl_job_wrong(reading->check, &here, item, NOTHING, "it has a value and a valueFrom");
        } else if (is_secret) {
            put_secret(reading, &variable);
        }
        fl_manifest_append(reading, is_secret ? &secrets : &list, NOTHING, variable.node);
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
    *FL_TAKE(reading, secret_env) = (struct fl_taken){secrets.node, env->path, env->pointer};
    env->node = list.node;
}

static bool is_text(const struct fl_taken *taken, struct fl_str text)
{
    return taken->node && taken->node->kind == FL_JSON_STRING && fl_str_eq(taken->node->text, text);
}

/* The job's own variable of that name wins. */
static void put_nproc(struct fl_reading *reading)
{
    static const struct fl_str name = FL_STR("PET_NPROC_PER_NODE");
    const struct fl_taken *nproc = FL_TAKE(reading, nproc);
    struct fl_taken *env = FL_TAKE(reading, env);
    struct fl_json key = {.kind = FL_JSON_STRING, .text = name}, value = {.kind = FL_JSON_STRING};
    struct fl_built list, variable;

    if (!nproc->node || (env->node && env->node->kind != FL_JSON_LIST)) return;
    list = fl_manifest_begin(reading, FL_JSON_LIST);
    if (env->node) {
        list.node->at = env->node->at;
        FL_JSON_EACH (item, env->node) {
            const struct fl_json *own = fl_json_member(item, FL_STR("name"));

            if (own && fl_str_eq(own->text, name)) return;
            fl_manifest_append(reading, &list, NOTHING, item);
        }
    }
    value.text = nproc->node->text;
    variable = fl_manifest_begin(reading, FL_JSON_OBJECT);
    fl_manifest_append(reading, &variable, FL_STR("name"), &key);
    fl_manifest_append(reading, &variable, FL_STR("value"), &value);
    fl_manifest_append(reading, &list, NOTHING, variable.node);
    if (!env->node) *env = *nproc;
    env->node = list.node;
}

static void read_words(struct fl_reading *reading)
{
    struct fl_text_map names = {0};

    read_env(reading, &names);
    if (is_text(FL_TAKE(reading, completion_mode), FL_STR("Indexed"))) {
        struct fl_text_map more = fl_text_map_new(names.len + 1, reading->check->arena);

        for (size_t i = 0; i < names.len; i++) {
            more.at[more.len++] = names.at[i];
        }
        more.at[more.len++] = (struct fl_text_map_entry){FL_STR("JOB_COMPLETION_INDEX"), NOTHING};
        fl_text_map_sort(&more);
        names = more;
    }
    unfold_words(reading, FL_TAKE(reading, command), &names);
    unfold_words(reading, FL_TAKE(reading, args), &names);
    put_nproc(reading);
}

/* ---- the Job's own fields -------------------------------------------------------------------- */

/* False: it is absent, or no number, which is noted. */
static bool number_of(const struct fl_reading *reading, const struct fl_taken *taken, int64_t *ret)
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
static int64_t count_elements(const struct fl_reading *reading, int64_t *ret_at_once)
{
    const struct fl_taken *completions = FL_TAKE(reading, completions);
    const struct fl_taken *parallelism = FL_TAKE(reading, parallelism);
    int64_t elements = 1, at_once = 1;
    bool has_elements = number_of(reading, completions, &elements);
    bool has_at_once = number_of(reading, parallelism, &at_once);

    if (has_at_once && at_once == 0) {
        fl_manifest_wrong(reading, parallelism,
                          "a Job with parallelism 0 does not start: write suspend: true, and a "
                          "parallelism of at least 1");
    } else if (has_elements && elements == 0) {
        fl_manifest_wrong(reading, completions, "there is nothing to run: write at least 1");
    } else if (!completions->node && at_once > 1) {
        fl_manifest_wrong(
            reading, parallelism,
            "a Job without completions is a work queue, whose end one pod decides for "
            "all: write completions with the same number, and each runs once; or a job "
            "document with replicas, which start together");
    }
    *ret_at_once = at_once;
    return elements;
}

static void check_mode(const struct fl_reading *reading)
{
    const struct fl_taken *mode = FL_TAKE(reading, completion_mode);

    if (!mode->node || is_text(mode, FL_STR("NonIndexed"))) return;
    if (!is_text(mode, FL_STR("Indexed"))) {
        fl_job_wrong(reading->check, mode->path, mode->node, FL_STR("Indexed or NonIndexed"),
                     "this is no completion mode");
    } else if (!FL_TAKE(reading, completions)->node) {
        fl_manifest_wrong(reading, mode,
                          "an Indexed Job needs completions: write how many there are");
    }
}

static void put_retry(struct fl_reading *reading, struct fl_built *to)
{
    const struct fl_taken *limit = FL_TAKE(reading, backoff_limit),
                          *each = FL_TAKE(reading, per_index);

    if (each->node && !is_text(FL_TAKE(reading, completion_mode), FL_STR("Indexed"))) {
        fl_manifest_wrong(reading, each, "only an Indexed Job has it: write backoffLimit");
    }
    if (each->node && limit->node) {
        fl_manifest_wrong(reading, limit,
                          "elements of an array have a limit each, and no sum: leave it out beside "
                          "backoffLimitPerIndex");
    }
    fl_manifest_put(reading, to, "/retry", each->node ? each : limit);
    if (reading->is_job && !reading->is_gang && !each->node && !limit->node) {
        fl_manifest_append_number(reading, to, FL_STR("retry"), BACKOFF_LIMIT_PRESET);
    }
}

static void put_hold(struct fl_reading *reading, struct fl_built *to)
{
    const struct fl_taken *suspend = FL_TAKE(reading, suspend);

    if (!suspend->node) return;
    if (suspend->node->kind != FL_JSON_BOOL) {
        fl_job_wrong(reading->check, suspend->path, suspend->node, FL_STR("true or false"),
                     "this is neither true nor false");
    } else if (suspend->node->n && !FL_TAKE(reading, queue)->node) {
        fl_manifest_put(reading, to, "/hold", suspend);
    }
}

static void check_restart(const struct fl_reading *reading)
{
    const struct fl_taken *policy = FL_TAKE(reading, restart_policy);

    if (!policy->node || is_text(policy, FL_STR("Never"))) return;
    if (!reading->is_job && is_text(policy, FL_STR("OnFailure"))) {
        fl_manifest_wrong(reading, policy,
                          "without a limit it would run again for ever: write Never, or a Job with "
                          "backoffLimit");
    } else if (!is_text(policy, FL_STR("OnFailure"))) {
        fl_job_wrong(reading->check, policy->path, policy->node,
                     reading->is_job ? FL_STR("Never or OnFailure") : FL_STR("Never"),
                     "a job ends: it is not started again once it has succeeded");
    }
}

static void check_pull(const struct fl_reading *reading)
{
    const struct fl_taken *policy = FL_TAKE(reading, pull_policy), *image = FL_TAKE(reading, image);
    struct fl_str name = image->node ? image->node->text : NOTHING;
    const char *slash = name.len ? memrchr(name.at, '/', name.len) : NULL;
    size_t skip = slash ? (size_t)(slash - name.at) : 0;
    const char *tag = name.len ? memchr(name.at + skip, ':', name.len - skip) : NULL;
    const char *digest = name.len ? memchr(name.at + skip, '@', name.len - skip) : NULL;
    bool is_latest =
        !digest && (!tag || fl_str_eq((struct fl_str){tag, name.len - (size_t)(tag - name.at)},
                                      FL_STR(":latest")));

    if (!policy->node || fl_manifest_is_empty(policy->node)) return;
    if (is_text(policy, FL_STR("IfNotPresent"))) return;
    if (is_latest && is_text(policy, FL_STR("Always"))) return;
    fl_job_wrong(
        reading->check, policy->path, policy->node,
        FL_STR("IfNotPresent; for an image without a tag, Always"),
        "nodes pull an image that has a tag once: leave it out, and give a new image a new "
        "tag");
}

static const struct fl_taken *deadline_of(const struct fl_reading *reading)
{
    const struct fl_taken *pod = FL_TAKE(reading, pod_deadline);

    if (!reading->is_job) return pod;
    if (pod->node) {
        fl_manifest_wrong(
            reading, pod,
            "a pod of a Job has no deadline of its own: write activeDeadlineSeconds in the "
            "Job's spec");
    }
    return FL_TAKE(reading, deadline);
}

/* ---- roles ----------------------------------------------------------------------------------- */

#define POD "/template/spec"
#define CONTAINER POD "/containers/0"

static struct fl_built make_container(struct fl_reading *reading, const struct fl_built *roles)
{
    struct fl_built container = fl_manifest_begin(reading, FL_JSON_OBJECT);
    struct fl_built resources = fl_manifest_begin(reading, FL_JSON_OBJECT);

    fl_manifest_put_in_role(reading, roles, &container, CONTAINER "/image",
                            FL_TAKE(reading, image));
    fl_manifest_put_in_role(reading, roles, &container, CONTAINER "/command",
                            FL_TAKE(reading, command));
    fl_manifest_put_in_role(reading, roles, &container, CONTAINER "/args", FL_TAKE(reading, args));
    fl_manifest_put_in_role(reading, roles, &container, CONTAINER "/env", FL_TAKE(reading, env));
    fl_manifest_put_in_role(reading, roles, &container, CONTAINER "/secretEnv",
                            FL_TAKE(reading, secret_env));
    fl_manifest_put_in_role(reading, roles, &container, CONTAINER "/workingDir",
                            FL_TAKE(reading, working_dir));
    fl_manifest_put_mounts(reading, roles, &container);
    fl_manifest_put_in_role(reading, roles, &resources, CONTAINER "/resources/requests",
                            FL_TAKE(reading, requests));
    fl_manifest_put_in_role(reading, roles, &resources, CONTAINER "/resources/limits",
                            FL_TAKE(reading, limits));
    if (resources.last) {
        fl_manifest_append(reading, &container, FL_STR("resources"), resources.node);
    }
    return container;
}

/* Appends the role of the pod template that was read last. */
static void make_role(struct fl_reading *reading, struct fl_str called, struct fl_built *roles)
{
    struct fl_built role = fl_manifest_begin(reading, FL_JSON_OBJECT),
                    template = fl_manifest_begin(reading, FL_JSON_OBJECT);
    struct fl_built pod = fl_manifest_begin(reading, FL_JSON_OBJECT),
                    containers = fl_manifest_begin(reading, FL_JSON_LIST);
    struct fl_json name = {.kind = FL_JSON_STRING, .text = called};

    check_restart(reading);
    check_pull(reading);
    read_words(reading);
    fl_manifest_moved(reading, fl_str_c(fl_manifest_in_role(reading, roles, "")),
                      reading->container);
    fl_manifest_moved(reading, fl_str_c(fl_manifest_in_role(reading, roles, POD)), reading->pod);
    fl_manifest_moved(reading, fl_str_c(fl_manifest_in_role(reading, roles, CONTAINER)),
                      reading->container);
    fl_manifest_append(reading, &containers, NOTHING, make_container(reading, roles).node);
    fl_manifest_append(reading, &pod, FL_STR("containers"), containers.node);
    fl_manifest_put_in_role(reading, roles, &pod, POD "/nodeSelector",
                            FL_TAKE(reading, node_selector));
    fl_manifest_put_in_role(reading, roles, &pod, POD "/affinity", FL_TAKE(reading, affinity));
    fl_manifest_put_in_role(reading, roles, &pod, POD "/tolerations",
                            FL_TAKE(reading, tolerations));
    fl_manifest_put_in_role(reading, roles, &pod, POD "/terminationGracePeriodSeconds",
                            FL_TAKE(reading, grace));
    fl_manifest_append(reading, &template, FL_STR("spec"), pod.node);
    fl_manifest_append(reading, &role, FL_STR("name"), &name);
    fl_manifest_put_in_role(reading, roles, &role, "/replicas", FL_TAKE(reading, replicas));
    fl_manifest_append(reading, &role, FL_STR("template"), template.node);
    fl_manifest_append(reading, roles, NOTHING, role.node);
}

/* ---- a gang ---------------------------------------------------------------------------------- */

static void check_side_restart(const struct fl_reading *reading)
{
    const struct fl_taken *policy = FL_TAKE(reading, side_restart);

    if (!policy->node || is_text(policy, FL_STR("Never"))) return;
    if (!is_text(policy, FL_STR("OnFailure"))) {
        fl_job_wrong(reading->check, policy->path, policy->node, FL_STR("Never or OnFailure"),
                     "exit codes are not told apart, and a job ends: it is not started again once "
                     "it has succeeded");
    } else if (!FL_TAKE(reading, backoff_limit)->node) {
        fl_manifest_wrong(
            reading, policy,
            "without a limit it would run again for ever: write runPolicy.backoffLimit, or "
            "Never");
    }
}

static void read_side(struct fl_reading *reading, const struct fl_taken *side, struct fl_str name,
                      struct fl_built *roles)
{
    for (int i = FL_MANIFEST_TAKE_replicas; i <= FL_MANIFEST_TAKE_limits; i++) {
        reading->taken[i] = (struct fl_taken){0};
    }
    reading->pod = reading->container = side->pointer;
    fl_manifest_read_object(reading, FL_MANIFEST_OBJECT_replica_spec, side->path, side->node);
    check_side_restart(reading);
    make_role(reading, name, roles);
}

static void read_sides(struct fl_reading *reading, struct fl_built *roles)
{
    struct fl_taken master = *FL_TAKE(reading, master), worker = *FL_TAKE(reading, worker);
    const struct fl_taken *replicas = FL_TAKE(reading, replicas);
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

static const struct fl_taken *name_of(const struct fl_reading *reading)
{
    const struct fl_taken *name = FL_TAKE(reading, name), *begun = FL_TAKE(reading, generate_name);

    if (name->node && !fl_manifest_is_empty(name->node)) return name;
    return begun->node && !fl_manifest_is_empty(begun->node) ? begun
                                                             : FL_TAKE(reading, template_name);
}

static const struct fl_json *make_document(struct fl_reading *reading)
{
    struct fl_built document = fl_manifest_begin(reading, FL_JSON_OBJECT),
                    roles = fl_manifest_begin(reading, FL_JSON_LIST);
    int64_t at_once, elements = count_elements(reading, &at_once);

    check_mode(reading);
    if (reading->is_gang) {
        read_sides(reading, &roles);
    } else {
        make_role(reading, FL_STR("main"), &roles);
    }
    fl_manifest_put(reading, &document, "/name", name_of(reading));
    fl_manifest_put(reading, &document, "/queue", FL_TAKE(reading, queue));
    if (reading->labels.node && reading->labels.last) {
        fl_manifest_append(reading, &document, FL_STR("labels"), reading->labels.node);
    }
    if (elements > 1) {
        fl_manifest_append_number(reading, &document, FL_STR("array"), elements);
        fl_manifest_moved(reading, FL_STR("/array"), FL_TAKE(reading, completions)->pointer);
    }
    if (at_once > 0 && elements > at_once) {
        fl_manifest_append_number(reading, &document, FL_STR("parallelism"), at_once);
        fl_manifest_moved(reading, FL_STR("/parallelism"), FL_TAKE(reading, parallelism)->pointer);
    }
    fl_manifest_put(reading, &document, "/deadline", deadline_of(reading));
    put_retry(reading, &document);
    put_hold(reading, &document);
    fl_manifest_append(reading, &document, FL_STR("roles"), roles.node);
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
    struct fl_reading reading = {.check = check};
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
    fl_manifest_read_object(&reading, object, path, manifest);
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
