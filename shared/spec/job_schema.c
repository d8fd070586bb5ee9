#include "shared/spec/job_schema.h"

#include "shared/base/assert.h"
#include "shared/json/json_out.h"
#include "shared/spec/job_fields.h"

static void put_type(struct fl_json_out *out, const char *type)
{
    fl_json_put_field_str(out, FL_STR("type"), fl_str_c(type));
}

static void put_ref(struct fl_json_out *out, enum fl_job_object object)
{
    char text[80] = "#/components/schemas/";
    size_t len = sizeof "#/components/schemas/" - 1;

    for (const char *c = fl_job_object_name(object); *c; c++) {
        fl_assert(len < sizeof text);
        text[len++] = *c;
    }
    fl_json_put_field_str(out, FL_STR("$ref"), (struct fl_str){text, len});
}

/* "key": {"type": type} */
static void put_inner(struct fl_json_out *out, struct fl_str key, const char *type)
{
    fl_json_put_key(out, key);
    fl_json_begin_object(out);
    put_type(out, type);
    fl_json_end_object(out);
}

static void put_range(struct fl_json_out *out, const struct fl_job_field *field, struct fl_str min,
                      struct fl_str max)
{
    fl_json_put_field_i64(out, min, field->min);
    fl_json_put_field_i64(out, max, field->max);
}

/* The schema of a map from text to text. */
static void put_map(struct fl_json_out *out, const struct fl_job_field *field)
{
    put_type(out, "object");
    put_range(out, field, FL_STR("minProperties"), FL_STR("maxProperties"));
    put_inner(out, FL_STR("additionalProperties"), "string");
}

/* A text or a number. */
static void put_amount(struct fl_json_out *out)
{
    fl_json_put_key(out, FL_STR("type"));
    fl_json_begin_list(out);
    fl_json_put_str(out, FL_STR("string"));
    fl_json_put_str(out, FL_STR("number"));
    fl_json_end_list(out);
}

static void put_env(struct fl_json_out *out, const struct fl_job_field *field)
{
    fl_json_put_key(out, FL_STR("oneOf"));
    fl_json_begin_list(out);
    fl_json_begin_object(out);
    put_map(out, field);
    fl_json_end_object(out);
    fl_json_begin_object(out);
    put_type(out, "array");
    put_range(out, field, FL_STR("minItems"), FL_STR("maxItems"));
    fl_json_put_key(out, FL_STR("items"));
    fl_json_begin_object(out);
    put_ref(out, FL_JOB_OBJECT_variable);
    fl_json_end_object(out);
    fl_json_end_object(out);
    fl_json_end_list(out);
}

/* One of 'len' objects at most, or exactly one. */
static void put_objects(struct fl_json_out *out, const struct fl_job_field *field)
{
    put_type(out, "array");
    fl_json_put_field_u64(out, FL_STR("minItems"), 1);
    fl_json_put_field_i64(out, FL_STR("maxItems"),
                          field->kind == FL_JOB_KIND_only_item ? 1 : field->max);
    fl_json_put_key(out, FL_STR("items"));
    fl_json_begin_object(out);
    put_ref(out, field->child);
    fl_json_end_object(out);
}

static void put_kind(struct fl_json_out *out, const struct fl_job_field *field)
{
    switch (field->kind) {
    case FL_JOB_KIND_text:
    case FL_JOB_KIND_queue:
    case FL_JOB_KIND_role_name:
    case FL_JOB_KIND_env_name:
    case FL_JOB_KIND_env_value:
        put_type(out, "string");
        put_range(out, field, FL_STR("minLength"), FL_STR("maxLength"));
        return;
    case FL_JOB_KIND_words:
    case FL_JOB_KIND_names:
        put_type(out, "array");
        put_range(out, field, FL_STR("minItems"), FL_STR("maxItems"));
        put_inner(out, FL_STR("items"), "string");
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
        put_range(out, field, FL_STR("minimum"), FL_STR("maximum"));
        return;
    case FL_JOB_KIND_duration:
    case FL_JOB_KIND_cpu:
    case FL_JOB_KIND_memory:
    case FL_JOB_KIND_gpus:
        put_amount(out);
        return;
    case FL_JOB_KIND_never:
        fl_json_put_field_str(out, FL_STR("const"), FL_STR("Never"));
        return;
    case FL_JOB_KIND_object:
    case FL_JOB_KIND_within:
        put_ref(out, field->child);
        return;
    case FL_JOB_KIND_only_item:
    case FL_JOB_KIND_roles:
        put_objects(out, field);
        return;
    }
}

static void put_object(struct fl_json_out *out, enum fl_job_object object)
{
    struct fl_job_fields fields = fl_job_fields(object);
    char allowed[FL_JOB_ALLOWED_MAX];
    bool has_required = false;

    fl_json_put_key(out, fl_str_c(fl_job_object_name(object)));
    fl_json_begin_object(out);
    put_type(out, "object");
    fl_json_put_field_str(out, FL_STR("description"), fl_str_c(fl_job_object_text(object)));
    fl_json_put_field_bool(out, FL_STR("additionalProperties"), false);
    fl_json_put_key(out, FL_STR("properties"));
    fl_json_begin_object(out);
    for (size_t i = 0; i < fields.len; i++) {
        fl_json_put_key(out, fields.at[i].name);
        fl_json_begin_object(out);
        put_kind(out, &fields.at[i]);
        fl_json_put_field_str(out, FL_STR("description"), fl_str_c(fields.at[i].text));
        fl_job_allowed(&fields.at[i], allowed);
        fl_json_put_field_str(out, FL_STR("x-allowed"), fl_str_c(allowed));
        fl_json_end_object(out);
        has_required |= (fields.at[i].flags & FL_FIELD_REQUIRED) != 0;
    }
    fl_json_end_object(out);
    if (has_required) {
        fl_json_put_key(out, FL_STR("required"));
        fl_json_begin_list(out);
        for (size_t i = 0; i < fields.len; i++) {
            if (fields.at[i].flags & FL_FIELD_REQUIRED) fl_json_put_str(out, fields.at[i].name);
        }
        fl_json_end_list(out);
    }
    fl_json_end_object(out);
}

void fl_job_schema(struct fl_json_out *out)
{
    for (int object = 0; object < FL_JOB_OBJECTS_LEN; object++) {
        put_object(out, (enum fl_job_object)object);
    }
}
