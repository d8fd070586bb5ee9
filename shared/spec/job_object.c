#include "shared/spec/job_object.h"

#include <inttypes.h>

#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/closest_match.h"
#include "shared/base/resource_name.h"
#include "shared/spec/job_affinity.h"
#include "shared/spec/job_mount.h"
#include "shared/spec/job_spec.h"
#include "shared/spec/job_value.h"

/* ---- fields that are not in the table -------------------------------------------------------- */

void fl_job_refuse_field(const struct fl_job_check *check, enum fl_job_object object,
                         uint32_t flags, const struct fl_path *path, const struct fl_json *item)
{
    const struct fl_job_refused *refused = fl_job_find_refused(object, item->key);
    struct fl_job_fields fields = fl_job_fields(object);
    struct fl_closest_match match = fl_closest_match(item->key);
    const char *names = "";
    struct fl_json at_key = {.kind = FL_JSON_STRING, .text = item->key, .at = item->key_at};

    if (check->problems->len == FL_PROBLEMS_MAX) { /* thousands may come: quickly past them */
        check->problems->more++;
        return;
    }
    if (refused) {
        fl_job_wrong(check, path, &at_key, (struct fl_str){0}, "%s", refused->why);
        return;
    }
    for (size_t i = 0; i < fields.len; i++) {
        if ((fields.at[i].flags & flags) != flags) continue;
        names = fl_arena_printf(check->arena, "%s%s" FL_STR_FMT, names, *names ? ", " : "",
                                FL_STR_ARG(fields.at[i].name));
        fl_closest_match_offer(&match, fields.at[i].name);
    }
    if (match.best.len) {
        fl_job_wrong(check, path, &at_key, match.best,
                     "unknown field; did you mean " FL_STR_FMT "?", FL_STR_ARG(match.best));
    } else {
        fl_job_wrong(check, path, &at_key, fl_str_c(names), "unknown field");
    }
}

/* ---- those that are -------------------------------------------------------------------------- */

/* One variable, from a member of an object. */
static void read_variable(const struct fl_job_check *check, const struct fl_path *path,
                          const struct fl_json *item, struct fl_text_map_entry *to)
{
    static const char ours[] = "FAIRLEAD_";
    const struct fl_job_field *fields = fl_job_fields(FL_JOB_OBJECT_variable).at;
    bool is_ours =
        item->key.len >= sizeof ours - 1 && memcmp(item->key.at, ours, sizeof ours - 1) == 0;

    *to = (struct fl_text_map_entry){.key = item->key};
    if (is_ours && !fl_job_is_env_name(item->key)) {
        fl_job_wrong(check, path, item, (struct fl_str){0},
                     "names that begin with FAIRLEAD_ are reserved");
    } else if (item->key.len > (size_t)fields[0].max || !fl_job_is_env_name(item->key)) {
        fl_job_wrong(check, path, item, fl_job_check_allowed(check, &fields[0]),
                     "not a variable name");
    }
    fl_job_read_value(check, &fields[1], path, item, &to->value);
}

static void read_env(const struct fl_job_check *check, const struct fl_job_field *field,
                     const struct fl_path *path, const struct fl_json *node, struct fl_text_map *to)
{
    struct fl_path here = {.up = path};
    const struct fl_text_map_entry *repeated;
    bool is_list = node->kind == FL_JSON_LIST;

    if (!fl_job_holds(check, field, path, node, is_list ? FL_JSON_LIST : FL_JSON_OBJECT)) return;
    *to = fl_text_map_new(node->len, check->arena);
    FL_JSON_EACH (item, node) {
        here.key = item->key;
        here.index = to->len;
        if (is_list) {
            fl_job_read_object(check, FL_JOB_OBJECT_variable, &here, item, &to->at[to->len]);
        } else {
            read_variable(check, &here, item, &to->at[to->len]);
        }
        to->len++;
    }
    repeated = fl_text_map_sort(to);
    if (repeated && fl_job_is_env_name(repeated->key)) { /* the empty one was refused already */
        fl_job_wrong(check, path, NULL, (struct fl_str){0},
                     "the variable \"" FL_STR_FMT "\" is there twice", FL_STR_ARG(repeated->key));
    }
}

static void read_roles(const struct fl_job_check *check, const struct fl_job_field *field,
                       const struct fl_path *path, const struct fl_json *node,
                       struct fl_job_roles *to)
{
    struct fl_path here = {.up = path};

    if (!fl_job_holds(check, field, path, node, FL_JSON_LIST)) return;
    *to = (struct fl_job_roles){.at = fl_arena_array(check->arena, struct fl_job_role, node->len),
                                .cap = node->len};
    FL_JSON_EACH (item, node) {
        struct fl_job_role *role = &to->at[to->len++];

        role->replicas = 1;
        role->grace_s = FL_JOB_GRACE_S;
        fl_job_read_object(check, field->child, &here, item, role);
        here.index++;
    }
}

static void check_dependency(const struct fl_job_check *check, const struct fl_path *path,
                             const struct fl_json *item, const struct fl_dependencies *list)
{
    const struct fl_dependency *last = &list->at[list->len - 1];

    if (item->kind != FL_JSON_OBJECT) return; /* said already */
    if ((last->job.n != 0) == (last->line != 0)) {
        fl_job_wrong(check, path, item, (struct fl_str){0},
                     "one of job and line says which job it is to run after");
        return;
    }
    for (size_t i = 0; i + 1 < list->len; i++) {
        if (list->at[i].job.n != last->job.n || list->at[i].line != last->line) continue;
        fl_job_wrong(check, path, item, (struct fl_str){0}, "this job is there twice");
    }
}

static void read_dependencies(const struct fl_job_check *check, const struct fl_job_field *field,
                              const struct fl_path *path, const struct fl_json *node,
                              struct fl_dependencies *to)
{
    size_t before = check->problems->len;
    struct fl_path here = {.up = path};

    if (!fl_job_holds(check, field, path, node, FL_JSON_LIST)) return;
    *to = (struct fl_dependencies){
        .at = fl_arena_array(check->arena, struct fl_dependency, node->len), .cap = node->len};
    FL_JSON_EACH (item, node) {
        struct fl_dependency *one = &to->at[to->len++];

        one->on = FL_ON_success;
        fl_job_read_object(check, FL_JOB_OBJECT_dependency, &here, item, one);
        if (check->problems->len == before) check_dependency(check, &here, item, to);
        here.index++;
    }
}

static void check_toleration(const struct fl_job_check *check, const struct fl_path *path,
                             const struct fl_json *item, const struct fl_toleration *one)
{
    if (one->operates == FL_TOLERATES_Exists && one->value.len > 0) {
        fl_job_wrong(check, path, item, (struct fl_str){0},
                     "with operator Exists there is no value: leave one of them out");
    } else if (one->operates == FL_TOLERATES_Equal && one->key.len == 0) {
        fl_job_wrong(check, path, item, FL_STR("key: nvidia.com/gpu, operator: Exists"),
                     "a toleration without a key goes for each taint: that is operator Exists");
    }
}

static int compare_tolerations(const struct fl_toleration *a, const struct fl_toleration *b)
{
    char texts[2][FL_TAINT_TEXT_BYTES_MAX];
    struct fl_str first = {texts[0], fl_toleration_write(a, texts[0])};
    struct fl_str second = {texts[1], fl_toleration_write(b, texts[1])};

    return fl_str_cmp(first, second);
}

/* Puts one in its place among those that are sorted; one that is there already adds nothing. */
static void put_toleration(struct fl_tolerations *to, struct fl_toleration one)
{
    size_t at = to->len;
    int order = 1;

    while (at > 0 && (order = compare_tolerations(&one, &to->at[at - 1])) < 0) {
        at--;
    }
    if (at > 0 && order == 0) return;
    for (size_t i = to->len++; i > at; i--) {
        to->at[i] = to->at[i - 1];
    }
    to->at[at] = one;
}

static void read_tolerations(const struct fl_job_check *check, const struct fl_job_field *field,
                             const struct fl_path *path, const struct fl_json *node,
                             struct fl_tolerations *to)
{
    struct fl_path here = {.up = path};

    if (!fl_job_holds(check, field, path, node, FL_JSON_LIST)) return;
    *to = (struct fl_tolerations){
        .at = fl_arena_array(check->arena, struct fl_toleration, node->len), .cap = node->len};
    FL_JSON_EACH (item, node) {
        size_t before = check->problems->len;
        struct fl_toleration one = {0};

        fl_job_read_object(check, FL_JOB_OBJECT_toleration, &here, item, &one);
        if (check->problems->len == before) {
            check_toleration(check, &here, item, &one);
            put_toleration(to, one);
        }
        here.index++;
    }
}

static void read_mounts(const struct fl_job_check *check, const struct fl_job_field *field,
                        const struct fl_path *path, const struct fl_json *node,
                        struct fl_job_mounts *to)
{
    struct fl_path here = {.up = path};

    if (!fl_job_holds(check, field, path, node, FL_JSON_LIST)) return;
    *to = (struct fl_job_mounts){.at = fl_arena_array(check->arena, struct fl_job_mount, node->len),
                                 .cap = node->len};
    FL_JSON_EACH (item, node) {
        size_t before = check->problems->len;
        struct fl_job_mount one = {0};

        fl_job_read_object(check, FL_JOB_OBJECT_mount, &here, item, &one);
        if (check->problems->len == before) fl_job_mount_put(check, &here, item, &one, to);
        here.index++;
    }
}

static struct fl_strs new_strs(const struct fl_job_check *check, size_t cap)
{
    return (struct fl_strs){.at = fl_arena_array(check->arena, struct fl_str, cap), .cap = cap};
}

/* matchExpressions, as the text of a term. */
static void read_node_requirements(const struct fl_job_check *check,
                                   const struct fl_job_field *field, const struct fl_path *path,
                                   const struct fl_json *node, struct fl_str *to)
{
    struct fl_path here = {.up = path};
    struct fl_strs texts;

    if (!fl_job_holds(check, field, path, node, FL_JSON_LIST)) return;
    texts = new_strs(check, node->len);
    FL_JSON_EACH (item, node) {
        size_t before = check->problems->len;
        struct fl_job_node_requirement one = {0};

        fl_job_read_object(check, FL_JOB_OBJECT_node_requirement, &here, item, &one);
        if (check->problems->len == before) {
            FL_IGNORE(
                fl_job_strs_insert(&texts, fl_job_requirement_text(check, &here, item, &one)));
        }
        here.index++;
    }
    *to = fl_job_term_text(&texts, check->arena);
}

/* nodeSelectorTerms, as the text of the affinity. */
static void read_node_terms(const struct fl_job_check *check, const struct fl_job_field *field,
                            const struct fl_path *path, const struct fl_json *node,
                            struct fl_str *to)
{
    size_t before = check->problems->len;
    struct fl_path here = {.up = path};
    struct fl_strs texts;

    if (!fl_job_holds(check, field, path, node, FL_JSON_LIST)) return;
    texts = new_strs(check, node->len);
    FL_JSON_EACH (item, node) {
        struct fl_job_node_term term = {0};

        fl_job_read_object(check, FL_JOB_OBJECT_node_term, &here, item, &term);
        FL_IGNORE(fl_job_strs_insert(&texts, term.text));
        here.index++;
    }
    if (check->problems->len == before) *to = fl_job_affinity_text(check, path, node, &texts);
}

/* One resource, by the key under which it stands. */
static void read_named(const struct fl_job_check *check, const struct fl_job_field *field,
                       const struct fl_path *path, const struct fl_json *node,
                       struct fl_amounts *to)
{
    uint64_t page_bytes = fl_resource_page_bytes(path->key), n = 0;

    if (to->len == FL_JOB_NAMED_MAX) {
        fl_job_wrong(check, path, NULL, (struct fl_str){0},
                     "a job may ask for " FL_QUOTE(
                         FL_JOB_NAMED_MAX) " kinds of resources beside cpu, memory and gpus, and "
                                           "this is one more");
        return;
    }
    fl_job_read_value(check, field, path, node, &n);
    if (page_bytes > 0 && n % page_bytes != 0) {
        fl_job_wrong(check, path, node, (struct fl_str){0},
                     "this is no whole number of pages, of %" PRIu64 " bytes each", page_bytes);
    }
    fl_amounts_set(to, (struct fl_amount){path->key, n}, check->arena);
}

void fl_job_read_field(const struct fl_job_check *check, const struct fl_job_field *field,
                       const struct fl_path *path, const struct fl_json *node, void *base)
{
    void *member = (char *)base + field->offset;
    struct fl_path first = {.up = path};

    switch (field->kind) {
    case FL_JOB_KIND_bytes_named:
    case FL_JOB_KIND_devices_named:
        read_named(check, field, path, node, member);
        return;
    case FL_JOB_KIND_object:
        fl_job_read_object(check, field->child, path, node, member);
        return;
    case FL_JOB_KIND_within:
        fl_job_read_object(check, field->child, path, node, base);
        return;
    case FL_JOB_KIND_only_item:
        if (node->kind != FL_JSON_LIST || node->len != 1) {
            fl_job_misfit(check, field, path, node);
            return;
        }
        fl_job_read_object(check, field->child, &first, node->first, base);
        return;
    case FL_JOB_KIND_env:
        read_env(check, field, path, node, member);
        return;
    case FL_JOB_KIND_roles:
        read_roles(check, field, path, node, member);
        return;
    case FL_JOB_KIND_dependencies:
        read_dependencies(check, field, path, node, member);
        return;
    case FL_JOB_KIND_tolerations:
        read_tolerations(check, field, path, node, member);
        return;
    case FL_JOB_KIND_mounts:
        read_mounts(check, field, path, node, member);
        return;
    case FL_JOB_KIND_node_terms:
        read_node_terms(check, field, path, node, member);
        return;
    case FL_JOB_KIND_node_requirements:
        read_node_requirements(check, field, path, node, member);
        return;
    default:
        fl_job_read_value(check, field, path, node, member);
    }
}

void fl_job_read_object(const struct fl_job_check *check, enum fl_job_object object,
                        const struct fl_path *path, const struct fl_json *node, void *base)
{
    struct fl_job_fields fields = fl_job_fields(object);
    uint64_t seen = 0;

    fl_assert(fields.len <= 64);
    if (node->kind != FL_JSON_OBJECT) {
        fl_job_wrong(check, path, node, FL_STR("an object"), "not an object");
        return;
    }
    FL_JSON_EACH (item, node) {
        const struct fl_job_field *field = fl_job_find_field(object, item->key);
        struct fl_path here = {.up = path, .key = item->key};

        if (field) {
            seen |= (uint64_t)1 << (field - fields.at);
            fl_job_read_field(check, field, &here, item, base);
        } else {
            fl_job_refuse_field(check, object, 0, &here, item);
        }
    }
    for (size_t i = 0; i < fields.len; i++) {
        struct fl_path here = {.up = path, .key = fields.at[i].name};

        if (!(fields.at[i].flags & FL_FIELD_REQUIRED) || seen >> i & 1) continue;
        fl_job_wrong(check, &here, NULL, (struct fl_str){0}, "this field is missing");
    }
}
