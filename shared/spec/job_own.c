#include "shared/spec/job_own.h"

#include "shared/spec/job_draft.h"
#include "shared/spec/job_object.h"
#include "shared/spec/job_params.h"

static void check_sums(const struct fl_job_check *check, const struct fl_job_spec *spec)
{
    if (spec->labels.len > FL_JOB_LABELS_MAX) {
        fl_job_wrong(
            check, &(struct fl_path){.key = FL_STR("labels")}, NULL, (struct fl_str){0},
            "with those of the spec these are over " FL_QUOTE(FL_JOB_LABELS_MAX) " labels");
    }
    if (spec->params.len > FL_JOB_PARAMS_MAX) {
        fl_job_wrong(
            check, &(struct fl_path){.key = FL_STR("params")}, NULL, (struct fl_str){0},
            "with those of the spec these are over " FL_QUOTE(FL_JOB_PARAMS_MAX) " parameters");
    }
}

/* Parallelism of the spec was seen where it was defined: only the line's own can be wrong. */
static void check_elements(const struct fl_job_check *check, const struct fl_json *line,
                           const struct fl_job_spec *spec)
{
    fl_job_check_indexes(check, line, &spec->indexes, spec->elements);
    if (spec->indexes.len > 0 || !fl_json_member(line, FL_STR("parallelism"))) return;
    fl_job_check_parallelism(check, line, spec->elements, spec->parallelism);
}

bool fl_job_own_parse(const struct fl_json *line, struct fl_str mark, struct fl_arena *arena,
                      struct fl_job_spec *spec, struct fl_problems *problems)
{
    const struct fl_job_check check = {.arena = arena, .problems = problems};
    struct fl_job_draft draft = {.spec = *spec};

    draft.spec.labels = draft.spec.params = (struct fl_text_map){0};
    FL_JSON_EACH (item, line) {
        const struct fl_job_field *field = fl_job_find_field(FL_JOB_OBJECT_job, item->key);
        struct fl_path here = {.key = item->key};

        if (fl_str_eq(item->key, mark)) continue;
        if (!field) {
            fl_job_refuse_field(&check, FL_JOB_OBJECT_job, FL_FIELD_OWN, &here, item);
        } else if (!(field->flags & FL_FIELD_OWN)) {
            fl_job_wrong(&check, &here, item, (struct fl_str){0},
                         "this belongs to the spec, which the line takes as it is");
        } else {
            fl_job_read_field(&check, field, &here, item, &draft);
        }
    }
    if (problems->len == 0) {
        draft.spec.labels = fl_text_map_over(&spec->labels, &draft.spec.labels, arena);
        draft.spec.params = fl_job_params_over(&spec->params, &draft.spec.params, arena);
        check_sums(&check, &draft.spec);
        check_elements(&check, line, &draft.spec);
    }
    if (problems->len > 0) return false;
    *spec = draft.spec;
    return true;
}
