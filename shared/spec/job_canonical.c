#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/job_name.h"
#include "shared/base/resource_name.h"
#include "shared/json/json_out.h"
#include "shared/spec/job_affinity.h"
#include "shared/spec/job_draft.h"
#include "shared/spec/job_fields.h"
#include "shared/spec/quantity.h"

/* ---- omissions ------------------------------------------------------------------------------- */

static bool has_member(enum fl_job_object object, const void *base);

/* Is the resource one of those under names with a '/'? */
static bool is_device(const struct fl_amount *amount)
{
    return !fl_is_bytes_resource(amount->name);
}

static bool has_device(const struct fl_amounts *amounts)
{
    for (size_t i = 0; i < amounts->len; i++) {
        if (is_device(&amounts->at[i])) return true;
    }
    return false;
}

/* Says the field anything that its absence would not say? */
static bool is_told(const struct fl_job_field *field, const void *base)
{
    const void *member = (const char *)base + field->offset;

    if (field->flags & FL_FIELD_UNWRITTEN) return false;
    switch (field->kind) {
    case FL_JOB_KIND_queue:
        return !fl_str_eq(*(const struct fl_str *)member, FL_STR(FL_QUEUE_DEFAULT));
    case FL_JOB_KIND_text:
    case FL_JOB_KIND_role_name:
    case FL_JOB_KIND_env_name:
    case FL_JOB_KIND_env_value:
    case FL_JOB_KIND_taint_key:
    case FL_JOB_KIND_taint_value:
    case FL_JOB_KIND_node_terms:
        return ((const struct fl_str *)member)->len > 0;
    case FL_JOB_KIND_indexes:
        return ((const struct fl_indexes *)member)->text.len > 0;
    case FL_JOB_KIND_words:
    case FL_JOB_KIND_names:
        return ((const struct fl_strs *)member)->len > 0;
    case FL_JOB_KIND_labels:
    case FL_JOB_KIND_node_labels:
    case FL_JOB_KIND_env:
    case FL_JOB_KIND_params:
        return ((const struct fl_text_map *)member)->len > 0;
    case FL_JOB_KIND_dependencies:
        return ((const struct fl_dependencies *)member)->len > 0;
    case FL_JOB_KIND_tolerations:
        return ((const struct fl_tolerations *)member)->len > 0;
    case FL_JOB_KIND_mounts:
        return ((const struct fl_job_mounts *)member)->len > 0;
    case FL_JOB_KIND_toleration_operator:
        return (int64_t) * (const enum fl_toleration_operator *)member != field->preset;
    case FL_JOB_KIND_taint_effect:
        return (int64_t) * (const enum fl_taint_effect *)member != field->preset;
    case FL_JOB_KIND_job_id:
        return ((const struct fl_job *)member)->n != 0;
    case FL_JOB_KIND_job_end:
        return (int64_t) * (const enum fl_dependency_on *)member != field->preset;
    case FL_JOB_KIND_boolean:
        return *(const bool *)member;
    case FL_JOB_KIND_memory:
        return *(const uint64_t *)member != 0;
    case FL_JOB_KIND_integer:
        return *(const int32_t *)member != field->preset;
    case FL_JOB_KIND_count:
    case FL_JOB_KIND_duration:
    case FL_JOB_KIND_cpu:
    case FL_JOB_KIND_gpus:
        return *(const uint32_t *)member != field->preset;
    case FL_JOB_KIND_bytes_named:
        return fl_amounts_of(member, field->name) > 0;
    case FL_JOB_KIND_devices_named:
        return has_device(member);
    case FL_JOB_KIND_object:
        return has_member(field->child, member);
    case FL_JOB_KIND_within:
        return has_member(field->child, base);
    case FL_JOB_KIND_only_item:
    case FL_JOB_KIND_roles:
    case FL_JOB_KIND_never:
    case FL_JOB_KIND_node_requirements:
    case FL_JOB_KIND_node_operator:
    case FL_JOB_KIND_label_key:
    case FL_JOB_KIND_label_values:
        break;
    }
    return true;
}

static bool has_member(enum fl_job_object object, const void *base)
{
    struct fl_job_fields fields = fl_job_fields(object);

    for (size_t i = 0; i < fields.len; i++) {
        if (is_told(&fields.at[i], base)) return true;
    }
    return false;
}

/* ---- writing --------------------------------------------------------------------------------- */

struct writer {
    struct fl_json_out json;
    uint32_t skipped;              /* fields with one of these flags are left out */
    struct fl_job_additions *more; /* NULL: there is no other spec to compare with */
};

/* 'asked': the same part of the other spec; NULL: there is none. */
static void put_object(struct writer *out, enum fl_job_object object, const void *base,
                       const void *asked);

static void put_strs(struct fl_json_out *out, const struct fl_strs *strs)
{
    fl_json_open(out, NULL, '[');
    for (size_t i = 0; i < strs->len; i++) {
        fl_json_put_str(out, NULL, strs->at[i]);
    }
    fl_json_close(out, ']');
}

static void put_pairs(struct fl_json_out *out, const struct fl_text_map *pairs)
{
    fl_json_open(out, NULL, '{');
    for (size_t i = 0; i < pairs->len; i++) {
        fl_json_put_key(out, pairs->at[i].key);
        fl_json_put_str(out, NULL, pairs->at[i].value);
    }
    fl_json_close(out, '}');
}

/* As Kubernetes has it: a list of name and value. */
static void put_env(struct fl_json_out *out, const struct fl_text_map *env)
{
    fl_json_open(out, NULL, '[');
    for (size_t i = 0; i < env->len; i++) {
        fl_json_open(out, NULL, '{');
        fl_json_put_str(out, "name", env->at[i].key);
        fl_json_put_str(out, "value", env->at[i].value);
        fl_json_close(out, '}');
    }
    fl_json_close(out, ']');
}

static void put_roles(struct writer *out, enum fl_job_object role, const struct fl_job_roles *roles,
                      const struct fl_job_roles *asked)
{
    fl_json_open(&out->json, NULL, '[');
    for (size_t i = 0; i < roles->len; i++) {
        put_object(out, role, &roles->at[i], asked ? &asked->at[i] : NULL);
    }
    fl_json_close(&out->json, ']');
}

static void put_value(struct writer *writer, const struct fl_job_field *field, const void *base,
                      const void *asked)
{
    struct fl_json_out *out = &writer->json;
    const void *member_asked = asked ? (const char *)asked + field->offset : NULL;
    const void *member = (const char *)base + field->offset;
    char quantity[FL_QUANTITY_TEXT_MAX], name[FL_JOB_NAME_MAX];

    switch (field->kind) {
    case FL_JOB_KIND_text:
    case FL_JOB_KIND_queue:
    case FL_JOB_KIND_role_name:
    case FL_JOB_KIND_env_name:
    case FL_JOB_KIND_env_value:
    case FL_JOB_KIND_taint_key:
    case FL_JOB_KIND_taint_value:
        fl_json_put_str(out, NULL, *(const struct fl_str *)member);
        return;
    case FL_JOB_KIND_indexes:
        fl_json_put_str(out, NULL, ((const struct fl_indexes *)member)->text);
        return;
    case FL_JOB_KIND_words:
    case FL_JOB_KIND_names:
        put_strs(out, member);
        return;
    case FL_JOB_KIND_labels:
    case FL_JOB_KIND_node_labels:
    case FL_JOB_KIND_params:
        put_pairs(out, member);
        return;
    case FL_JOB_KIND_env:
        put_env(out, member);
        return;
    case FL_JOB_KIND_boolean:
        fl_json_put_bool(out, NULL, *(const bool *)member);
        return;
    case FL_JOB_KIND_integer:
        fl_json_put_i64(out, NULL, *(const int32_t *)member);
        return;
    case FL_JOB_KIND_count:
    case FL_JOB_KIND_duration:
        fl_json_put_u64(out, NULL, *(const uint32_t *)member);
        return;
    case FL_JOB_KIND_cpu:
        fl_quantity_write_milli(*(const uint32_t *)member, quantity);
        fl_json_put_cstr(out, NULL, quantity);
        return;
    case FL_JOB_KIND_memory:
        fl_quantity_write_bytes(*(const uint64_t *)member, quantity);
        fl_json_put_cstr(out, NULL, quantity);
        return;
    case FL_JOB_KIND_gpus: /* a text, as in Kubernetes */
        fl_quantity_write_milli((uint64_t) * (const uint32_t *)member * 1000, quantity);
        fl_json_put_cstr(out, NULL, quantity);
        return;
    case FL_JOB_KIND_bytes_named:
        fl_quantity_write_bytes(fl_amounts_of(member, field->name), quantity);
        fl_json_put_cstr(out, NULL, quantity);
        return;
    case FL_JOB_KIND_object:
        put_object(writer, field->child, member, member_asked);
        return;
    case FL_JOB_KIND_within:
        put_object(writer, field->child, base, asked);
        return;
    case FL_JOB_KIND_only_item:
        fl_json_open(out, NULL, '[');
        put_object(writer, field->child, base, asked);
        fl_json_close(out, ']');
        return;
    case FL_JOB_KIND_roles:
        put_roles(writer, field->child, member, member_asked);
        return;
    case FL_JOB_KIND_dependencies: {
        const struct fl_dependencies *after = member;

        fl_json_open(out, NULL, '[');
        for (size_t i = 0; i < after->len; i++) {
            put_object(writer, FL_JOB_OBJECT_dependency, &after->at[i], NULL);
        }
        fl_json_close(out, ']');
        return;
    }
    case FL_JOB_KIND_tolerations: {
        const struct fl_tolerations *tolerations = member;

        fl_json_open(out, NULL, '[');
        for (size_t i = 0; i < tolerations->len; i++) {
            put_object(writer, FL_JOB_OBJECT_toleration, &tolerations->at[i], NULL);
        }
        fl_json_close(out, ']');
        return;
    }
    case FL_JOB_KIND_mounts: {
        const struct fl_job_mounts *mounts = member;

        fl_json_open(out, NULL, '[');
        for (size_t i = 0; i < mounts->len; i++) {
            put_object(writer, FL_JOB_OBJECT_mount, &mounts->at[i], NULL);
        }
        fl_json_close(out, ']');
        return;
    }
    case FL_JOB_KIND_node_terms:
        fl_job_put_node_terms(out, *(const struct fl_str *)member, (struct fl_str){0});
        return;
    case FL_JOB_KIND_toleration_operator:
        fl_json_put_cstr(out, NULL, "Exists"); /* Equal is not written */
        return;
    case FL_JOB_KIND_taint_effect:
        fl_json_put_cstr(out, NULL, fl_taint_effect_name(*(const enum fl_taint_effect *)member));
        return;
    case FL_JOB_KIND_job_id:
        fl_job_name(*(const struct fl_job *)member, name);
        fl_json_put_cstr(out, NULL, name);
        return;
    case FL_JOB_KIND_job_end:
        fl_json_put_cstr(out, NULL, fl_dependency_on_name(*(const enum fl_dependency_on *)member));
        return;
    case FL_JOB_KIND_never:
        fl_json_put_str(out, NULL, FL_STR("Never"));
        return;
    case FL_JOB_KIND_devices_named:
    case FL_JOB_KIND_node_requirements:
    case FL_JOB_KIND_node_operator:
    case FL_JOB_KIND_label_key:
    case FL_JOB_KIND_label_values:
        break;
    }
    fl_unreachable("put_devices writes devices, fl_job_put_node_terms all parts of a term");
}

/* Each under its own name. */
static void put_devices(struct fl_json_out *out, const struct fl_amounts *amounts)
{
    char quantity[FL_QUANTITY_TEXT_MAX];

    for (size_t i = 0; i < amounts->len; i++) {
        if (!is_device(&amounts->at[i])) continue;
        fl_quantity_write_milli(amounts->at[i].n * 1000, quantity);
        fl_json_put_key(out, amounts->at[i].name);
        fl_json_put_cstr(out, NULL, quantity);
    }
}

/* The other spec's text has not these bytes. */
static void note_addition(struct writer *out, size_t at, size_t end)
{
    struct fl_job_additions *more = out->more;
    struct fl_job_addition *last = more->len > 0 ? &more->at[more->len - 1] : NULL;

    if (out->json.buf->is_over) return;
    if (last && last->end == at) {
        last->end = end;
        return;
    }
    fl_assert(more->len < FL_JOB_ROLES_MAX);
    more->at[more->len++] = (struct fl_job_addition){at, end};
}

static void put_field(struct writer *out, const struct fl_job_field *field, const void *base,
                      const void *asked)
{
    if (field->kind == FL_JOB_KIND_devices_named) {
        put_devices(&out->json, (const void *)((const char *)base + field->offset));
        return;
    }
    fl_json_put_word(&out->json, field->name);
    put_value(out, field, base, asked);
}

/* The fields that say something.  A field that says nothing in 'asked' is an addition, with its
 * comma; and where it stands first, the comma of the next one is. */
static void put_object(struct writer *out, enum fl_job_object object, const void *base,
                       const void *asked)
{
    struct fl_job_fields fields = fl_job_fields(object);
    const struct fl_buf *buf = out->json.buf;
    bool has_asked = false;

    fl_json_open(&out->json, NULL, '{');
    for (size_t i = 0; i < fields.len; i++) {
        const struct fl_job_field *field = &fields.at[i];
        bool is_first = !out->json.has_before;
        size_t at = buf->len;

        if ((field->flags & out->skipped) || !is_told(field, base)) continue;
        if (!asked) {
            put_field(out, field, base, NULL);
        } else if (!is_told(field, asked)) {
            put_field(out, field, base, NULL);
            note_addition(out, at, buf->len);
        } else {
            if (!has_asked && !is_first) note_addition(out, at, at + 1);
            put_field(out, field, base, asked);
            has_asked = true;
        }
    }
    fl_json_close(&out->json, '}');
}

static bool put_spec(struct fl_buf *out, const struct fl_job_spec *spec, uint32_t skipped,
                     const struct fl_job_spec *asked, struct fl_job_additions *more)
{
    /* Skips the fields of the short form: only the draft's first member, the spec, is read. */
    struct writer writer = {fl_json_out(out), skipped | FL_FIELD_SHORT, more};

    put_object(&writer, FL_JOB_OBJECT_job, spec, asked);
    return !out->is_over;
}

bool fl_job_spec_canonical(struct fl_buf *out, const struct fl_job_spec *spec)
{
    return put_spec(out, spec, FL_FIELD_OWN, NULL, NULL);
}

bool fl_job_spec_canonical_over(struct fl_buf *out, const struct fl_job_spec *spec,
                                const struct fl_job_spec *asked,
                                struct fl_job_additions *ret_additions)
{
    struct fl_job_additions additions = {0};

    if (asked == spec) asked = NULL;
    if (!put_spec(out, spec, FL_FIELD_OWN, asked, &additions)) return false;
    *ret_additions = additions;
    return true;
}

bool fl_job_spec_document(struct fl_buf *out, const struct fl_job_spec *spec)
{
    return put_spec(out, spec, 0, NULL, NULL);
}
