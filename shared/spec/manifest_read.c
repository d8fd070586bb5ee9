#include "shared/spec/manifest_read.h"

#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/closest_match.h"
#include "shared/base/job_limits.h"

#define NOTHING ((struct fl_str){0})

void fl_manifest_wrong(const struct fl_reading *reading, const struct fl_taken *taken,
                       const char *text)
{
    fl_job_wrong(reading->check, taken->path, taken->node, NOTHING, "%s", text);
}

/* ---- building -------------------------------------------------------------------------------- */

struct fl_built fl_manifest_begin(const struct fl_reading *reading, enum fl_json_kind kind)
{
    struct fl_built built = {.node = fl_arena_new(reading->check->arena, struct fl_json)};

    built.node->kind = kind;
    return built;
}

/* Appends a copy of 'node', which shares the values inside it. */
void fl_manifest_append(const struct fl_reading *reading, struct fl_built *to, struct fl_str key,
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

void fl_manifest_append_number(const struct fl_reading *reading, struct fl_built *to,
                               struct fl_str key, int64_t n)
{
    char *text = fl_arena_printf(reading->check->arena, "%lld", (long long)n);
    struct fl_json node = {.kind = FL_JSON_INT, .n = n, .text = fl_str_c(text)};

    fl_manifest_append(reading, to, key, &node);
}

void fl_manifest_moved(struct fl_reading *reading, struct fl_str to, struct fl_str from)
{
    fl_arena_push(reading->check->arena, &reading->moves, (struct fl_manifest_move){to, from});
}

/* Kubernetes takes an empty value for an absent one. */
bool fl_manifest_is_empty(const struct fl_json *node)
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
void fl_manifest_put(struct fl_reading *reading, struct fl_built *to, const char *place,
                     const struct fl_taken *taken)
{
    if (!taken->node || fl_manifest_is_empty(taken->node)) return;
    fl_manifest_append(reading, to, fl_str_c(strrchr(place, '/') + 1), taken->node);
    fl_manifest_moved(reading, fl_str_c(place), taken->pointer);
}

/* The pointer of a place in the role that is being made. */
const char *fl_manifest_in_role(const struct fl_reading *reading, const struct fl_built *roles,
                                const char *place)
{
    return fl_arena_printf(reading->check->arena, "/roles/%u%s", (unsigned)roles->node->len, place);
}

void fl_manifest_put_in_role(struct fl_reading *reading, const struct fl_built *roles,
                             struct fl_built *to, const char *place, const struct fl_taken *taken)
{
    fl_manifest_put(reading, to, fl_manifest_in_role(reading, roles, place), taken);
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

    if (!*field->values || fl_manifest_is_empty(node)) return;
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

static void take(struct fl_reading *reading, enum fl_manifest_take what, const struct fl_path *path,
                 const struct fl_json *node)
{
    struct fl_taken *taken = &reading->taken[what];

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
static void take_label(struct fl_reading *reading, const struct fl_path *path,
                       const struct fl_json *node)
{
    const struct fl_json *before = fl_json_member(reading->labels.node, path->key);

    if (before && !fl_str_eq(before->text, node->text)) {
        fl_job_wrong(reading->check, path, node, before->text,
                     "this label has another value in the metadata of the whole: a job has one set "
                     "of labels");
    } else if (!before && reading->labels.node->len <= FL_JOB_LABELS_MAX) {
        fl_manifest_append(reading, &reading->labels, path->key, node);
    }
}

static void take_other(struct fl_reading *reading, enum fl_manifest_object object,
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
static void note_place(struct fl_reading *reading, enum fl_manifest_object object,
                       const struct fl_path *path)
{
    struct fl_arena *arena = reading->check->arena;

    if (object == FL_MANIFEST_OBJECT_pod) reading->pod = fl_path_pointer(path, NOTHING, arena);
    if (object == FL_MANIFEST_OBJECT_container) {
        reading->container = fl_path_pointer(path, NOTHING, arena);
    }
    if (object == FL_MANIFEST_OBJECT_labels && !reading->labels.node) {
        reading->labels = fl_manifest_begin(reading, FL_JSON_OBJECT);
        fl_manifest_moved(reading, FL_STR("/labels"), fl_path_pointer(path, NOTHING, arena));
    }
}

/* Calls itself for objects inside: manifest.def has no circle, so it ends. */
/* NOLINTNEXTLINE(misc-no-recursion) */
void fl_manifest_read_object(struct fl_reading *reading, enum fl_manifest_object object,
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
            fl_manifest_read_object(reading, field->child, &here, item);
            break;
        case FL_MANIFEST_only_item:
            if (item->kind == FL_JSON_LIST && item->len == 1) {
                fl_manifest_read_object(reading, field->child, &first, item->first);
            } else {
                fl_job_wrong(check, &here, item, FL_STR("a list of one"), "%s", field->text);
            }
            break;
        case FL_MANIFEST_passed:
            if (item->kind != FL_JSON_NULL) pass_over(check, field, &here, item);
            break;
        case FL_MANIFEST_refused:
            if (!fl_manifest_is_empty(item)) {
                fl_job_wrong(check, &here, item, NOTHING, "%s", field->text);
            }
            break;
        }
    }
}
