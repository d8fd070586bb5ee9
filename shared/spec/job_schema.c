#include "shared/spec/job_schema.h"

#include "shared/base/assert.h"
#include "shared/base/dependency.h"
#include "shared/base/node_affinity.h"
#include "shared/base/taint.h"
#include "shared/json/json_out.h"
#include "shared/spec/job_fields.h"

static void put_type(struct fl_json_out *out, const char *type)
{
    fl_json_put_cstr(out, "type", type);
}

static void put_ref(struct fl_json_out *out, enum fl_job_object object)
{
    char text[80] = "#/components/schemas/";
    size_t len = sizeof "#/components/schemas/" - 1;

    for (const char *c = fl_job_object_name(object); *c; c++) {
        fl_assert(len < sizeof text);
        text[len++] = *c;
    }
    fl_json_put_str(out, "$ref", (struct fl_str){text, len});
}

/* "key": {"type": type} */
static void put_inner(struct fl_json_out *out, const char *key, const char *type)
{
    fl_json_open(out, key, '{');
    put_type(out, type);
    fl_json_close(out, '}');
}

static void put_range(struct fl_json_out *out, const struct fl_job_field *field, const char *min,
                      const char *max)
{
    fl_json_put_i64(out, min, field->min);
    fl_json_put_i64(out, max, field->max);
}

/* The schema of a map from text to text. */
static void put_map(struct fl_json_out *out, const struct fl_job_field *field)
{
    put_type(out, "object");
    put_range(out, field, "minProperties", "maxProperties");
    put_inner(out, "additionalProperties", "string");
}

/* A text or a number. */
static void put_amount(struct fl_json_out *out)
{
    fl_json_open(out, "type", '[');
    fl_json_put_cstr(out, NULL, "string");
    fl_json_put_cstr(out, NULL, "number");
    fl_json_close(out, ']');
}

/* A text, or what stands for one unquoted. */
static void put_word(struct fl_json_out *out)
{
    fl_json_open(out, "type", '[');
    fl_json_put_cstr(out, NULL, "string");
    fl_json_put_cstr(out, NULL, "number");
    fl_json_put_cstr(out, NULL, "boolean");
    fl_json_close(out, ']');
}

static void put_env(struct fl_json_out *out, const struct fl_job_field *field)
{
    fl_json_open(out, "oneOf", '[');
    fl_json_open(out, NULL, '{');
    put_map(out, field);
    fl_json_close(out, '}');
    fl_json_open(out, NULL, '{');
    put_type(out, "array");
    put_range(out, field, "minItems", "maxItems");
    fl_json_open(out, "items", '{');
    put_ref(out, FL_JOB_OBJECT_variable);
    fl_json_close(out, '}');
    fl_json_close(out, '}');
    fl_json_close(out, ']');
}

/* One of 'len' objects at most, or exactly one. */
static void put_objects(struct fl_json_out *out, const struct fl_job_field *field,
                        enum fl_job_object object)
{
    put_type(out, "array");
    fl_json_put_i64(out, "minItems", field->min);
    fl_json_put_i64(out, "maxItems", field->kind == FL_JOB_KIND_only_item ? 1 : field->max);
    fl_json_open(out, "items", '{');
    put_ref(out, object);
    fl_json_close(out, '}');
}

/* The texts of the kinds that have a few. */
static const char *const ends[] = {
#define END_NAME(name, number, meaning) #name,
    FL_DEPENDENCY_ONS(END_NAME)
#undef END_NAME
};
static const char *const effects[] = {"", /* as none */
#define EFFECT_NAME(name) #name,
                                      FL_TAINT_EFFECTS(EFFECT_NAME)
#undef EFFECT_NAME
};
static const char *const operators[] = {"", "Equal", "Exists"};
static const char *const node_operators[] = {
#define OPERATOR_NAME(name) #name,
    FL_NODE_OPERATORS(OPERATOR_NAME)
#undef OPERATOR_NAME
};

static void put_names(struct fl_json_out *out, const char *const *names, size_t len)
{
    put_type(out, "string");
    fl_json_open(out, "enum", '[');
    for (size_t i = 0; i < len; i++) {
        fl_json_put_cstr(out, NULL, names[i]);
    }
    fl_json_close(out, ']');
}

static void put_kind(struct fl_json_out *out, const struct fl_job_field *field)
{
    switch (field->kind) {
    case FL_JOB_KIND_text:
    case FL_JOB_KIND_queue:
    case FL_JOB_KIND_role_name:
    case FL_JOB_KIND_env_name:
    case FL_JOB_KIND_env_value:
    case FL_JOB_KIND_indexes:
        put_type(out, "string");
        put_range(out, field, "minLength", "maxLength");
        return;
    case FL_JOB_KIND_words:
    case FL_JOB_KIND_names:
        put_type(out, "array");
        put_range(out, field, "minItems", "maxItems");
        put_inner(out, "items", "string");
        return;
    case FL_JOB_KIND_labels:
    case FL_JOB_KIND_node_labels:
    case FL_JOB_KIND_params:
        put_map(out, field);
        return;
    case FL_JOB_KIND_env:
        put_env(out, field);
        return;
    case FL_JOB_KIND_boolean:
        put_type(out, "boolean");
        return;
    case FL_JOB_KIND_count:
    case FL_JOB_KIND_integer:
        put_type(out, "integer");
        put_range(out, field, "minimum", "maximum");
        return;
    case FL_JOB_KIND_duration:
    case FL_JOB_KIND_cpu:
    case FL_JOB_KIND_memory:
    case FL_JOB_KIND_gpus:
    case FL_JOB_KIND_bytes_named:
    case FL_JOB_KIND_devices_named:
        put_amount(out);
        return;
    case FL_JOB_KIND_dependencies:
        put_objects(out, field, FL_JOB_OBJECT_dependency);
        return;
    case FL_JOB_KIND_tolerations:
        put_objects(out, field, FL_JOB_OBJECT_toleration);
        return;
    case FL_JOB_KIND_mounts:
        put_objects(out, field, FL_JOB_OBJECT_mount);
        return;
    case FL_JOB_KIND_node_terms:
        put_objects(out, field, FL_JOB_OBJECT_node_term);
        return;
    case FL_JOB_KIND_node_requirements:
        put_objects(out, field, FL_JOB_OBJECT_node_requirement);
        return;
    case FL_JOB_KIND_node_operator:
        put_names(out, node_operators, sizeof node_operators / sizeof *node_operators);
        return;
    case FL_JOB_KIND_label_values:
        put_type(out, "array");
        put_range(out, field, "minItems", "maxItems");
        fl_json_open(out, "items", '{');
        put_word(out);
        fl_json_close(out, '}');
        return;
    case FL_JOB_KIND_label_key:
    case FL_JOB_KIND_taint_key:
        put_type(out, "string");
        put_range(out, field, "minLength", "maxLength");
        return;
    case FL_JOB_KIND_taint_value:
        put_word(out);
        put_range(out, field, "minLength", "maxLength");
        return;
    case FL_JOB_KIND_toleration_operator:
        put_names(out, operators, sizeof operators / sizeof *operators);
        return;
    case FL_JOB_KIND_taint_effect:
        put_names(out, effects, sizeof effects / sizeof *effects);
        return;
    case FL_JOB_KIND_job_id:
        put_type(out, "string");
        return;
    case FL_JOB_KIND_job_end:
        put_names(out, ends, sizeof ends / sizeof *ends);
        return;
    case FL_JOB_KIND_never:
        fl_json_put_cstr(out, "const", "Never");
        return;
    case FL_JOB_KIND_object:
    case FL_JOB_KIND_within:
        put_ref(out, field->child);
        return;
    case FL_JOB_KIND_only_item:
    case FL_JOB_KIND_roles:
        put_objects(out, field, field->child);
        return;
    }
}

static void put_field(struct fl_json_out *out, const struct fl_job_field *field)
{
    char allowed[FL_JOB_ALLOWED_MAX];

    fl_json_open(out, NULL, '{');
    put_kind(out, field);
    fl_json_put_cstr(out, "description", field->text);
    fl_job_allowed(field, allowed);
    fl_json_put_cstr(out, "x-allowed", allowed);
    fl_json_close(out, '}');
}

/* The field that stands for many names: those with a '/' that are no property. */
static void put_pattern(struct fl_json_out *out, const struct fl_job_field *field)
{
    fl_json_open(out, "patternProperties", '{');
    fl_json_put_key(out, FL_STR("^[a-z0-9][a-z0-9.-]*/[A-Za-z0-9][A-Za-z0-9._-]*$"));
    put_field(out, field);
    fl_json_close(out, '}');
}

static void put_object(struct fl_json_out *out, enum fl_job_object object)
{
    struct fl_job_fields fields = fl_job_fields(object);
    const struct fl_job_field *many = NULL;
    bool has_required = false;

    fl_json_open(out, fl_job_object_name(object), '{');
    put_type(out, "object");
    fl_json_put_cstr(out, "description", fl_job_object_text(object));
    fl_json_put_bool(out, "additionalProperties", false);
    fl_json_open(out, "properties", '{');
    for (size_t i = 0; i < fields.len; i++) {
        if (fields.at[i].kind == FL_JOB_KIND_devices_named) {
            many = &fields.at[i];
            continue;
        }
        fl_json_put_key(out, fields.at[i].name);
        put_field(out, &fields.at[i]);
        has_required |= (fields.at[i].flags & FL_FIELD_REQUIRED) != 0;
    }
    fl_json_close(out, '}');
    if (many) put_pattern(out, many);
    if (has_required) {
        fl_json_open(out, "required", '[');
        for (size_t i = 0; i < fields.len; i++) {
            if (fields.at[i].flags & FL_FIELD_REQUIRED) {
                fl_json_put_str(out, NULL, fields.at[i].name);
            }
        }
        fl_json_close(out, ']');
    }
    fl_json_close(out, '}');
}

void fl_job_schema(struct fl_json_out *out)
{
    for (int object = 0; object < FL_JOB_OBJECTS_LEN; object++) {
        put_object(out, (enum fl_job_object)object);
    }
}
