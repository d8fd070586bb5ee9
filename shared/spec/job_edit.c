#include "shared/spec/job_edit.h"

#include "shared/base/arena.h"
#include "shared/spec/job_draft.h"
#include "shared/spec/job_object.h"

/* The labels that the edit gives, over those that there are, but for those that it takes away. */
static void read_labels(const struct fl_job_check *check, const struct fl_job_field *field,
                        const struct fl_path *path, const struct fl_json *node,
                        const struct fl_text_map *there, struct fl_job_draft *draft)
{
    struct fl_json given = *node;
    const struct fl_json **last = &given.first;
    struct fl_str *gone = fl_arena_array(check->arena, struct fl_str, node->len + 1);
    size_t gone_len = 0;

    given.first = NULL;
    given.len = 0;
    FL_JSON_EACH (item, node) {
        struct fl_json *copy;

        if (item->kind == FL_JSON_NULL) {
            gone[gone_len++] = item->key;
            continue;
        }
        copy = fl_arena_new(check->arena, struct fl_json);
        *copy = *item;
        copy->next = NULL;
        *last = copy;
        last = &copy->next;
        given.len++;
    }
    draft->spec.labels = (struct fl_text_map){0};
    fl_job_read_field(check, field, path, &given, draft);
    draft->spec.labels = fl_text_map_over(there, &draft->spec.labels, check->arena);
    fl_text_map_without(&draft->spec.labels, gone, gone_len);
    if (draft->spec.labels.len > FL_JOB_LABELS_MAX) {
        fl_job_wrong(
            check, path, NULL, (struct fl_str){0},
            "with those that the job has these are over " FL_QUOTE(FL_JOB_LABELS_MAX) " labels");
    }
}

/* False: it is not to be taken away. */
static bool take_away(const struct fl_job_field *field, struct fl_job_spec *spec)
{
    if (fl_str_eq(field->name, FL_STR("name"))) return spec->name = FL_STR(""), true;
    if (fl_str_eq(field->name, FL_STR("deadline"))) return spec->deadline_s = 0, true;
    if (fl_str_eq(field->name, FL_STR("parallelism"))) return spec->parallelism = 0, true;
    if (field->kind == FL_JOB_KIND_labels) return spec->labels = (struct fl_text_map){0}, true;
    return false;
}

bool fl_job_edit_parse(const struct fl_json *edit, struct fl_arena *arena, struct fl_job_spec *spec,
                       struct fl_problems *problems)
{
    const struct fl_job_check check = {.arena = arena, .problems = problems};
    struct fl_job_draft draft = {.spec = *spec};

    if (edit->kind != FL_JSON_OBJECT) {
        fl_job_wrong(&check, NULL, edit, (struct fl_str){0},
                     "an edit is an object of members of the job document");
        return false;
    }
    FL_JSON_EACH (item, edit) {
        const struct fl_job_field *field = fl_job_find_field(FL_JOB_OBJECT_job, item->key);
        struct fl_path here = {.key = item->key};

        if (!field) {
            fl_job_refuse_field(&check, FL_JOB_OBJECT_job, FL_FIELD_EDIT, &here, item);
        } else if (!(field->flags & FL_FIELD_EDIT)) {
            fl_job_wrong(&check, &here, item, (struct fl_str){0},
                         "a job that was accepted keeps this; submit another one");
        } else if (item->kind == FL_JSON_NULL && take_away(field, &draft.spec)) {
            continue;
        } else if (field->kind == FL_JOB_KIND_labels && item->kind == FL_JSON_OBJECT) {
            read_labels(&check, field, &here, item, &spec->labels, &draft);
        } else {
            fl_job_read_field(&check, field, &here, item, &draft);
        }
    }
    if (problems->len > 0) return false;
    *spec = draft.spec;
    return true;
}
