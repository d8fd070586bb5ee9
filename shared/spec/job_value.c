#include "shared/spec/job_value.h"

#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/dependency.h"
#include "shared/base/job_name.h"
#include "shared/base/node_affinity.h"
#include "shared/base/taint.h"
#include "shared/spec/indexes.h"
#include "shared/spec/job_params.h"
#include "shared/spec/quantity.h"

#define LABEL_KEY_MAX 317 /* a prefix of 253, a slash, a name */
#define LABEL_NAME_MAX 63
#define LABEL_ALLOWED                                                                              \
    FL_QUOTE(LABEL_NAME_MAX) " letters, digits, '-', '_' and '.', a letter or digit at both ends"
_Static_assert(LABEL_KEY_MAX + 1 + LABEL_NAME_MAX == FL_JOB_LABEL_BYTES_MAX, "a label's own limit");
_Static_assert(FL_JOB_LABELS_MAX *(FL_JOB_LABEL_BYTES_MAX + 1) <= FL_JOB_LABELS_BYTES_MAX,
               "labels that pass one by one fit together");

/* ---- text ------------------------------------------------------------------------------------ */

/* Strings, and numbers and booleans as they were written. */
static bool is_word(const struct fl_json *node)
{
    return node->kind == FL_JSON_STRING || node->kind == FL_JSON_INT ||
           node->kind == FL_JSON_REAL || node->kind == FL_JSON_BOOL;
}

static bool is_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_sign(char c)
{
    return c == '-' || c == '_' || c == '.';
}

static bool is_one_line(struct fl_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.at[i];

        if (c < 0x20 || c == 0x7f) return false;
        if (c == 0xc2 && i + 1 < s.len && (unsigned char)s.at[i + 1] < 0xa0) return false;
    }
    return true;
}

bool fl_job_is_env_name(struct fl_str s)
{
    const struct fl_str ours = FL_STR("FAIRLEAD_"), param = FL_STR("FAIRLEAD_PARAM_");

    if (s.len == 0 || (s.at[0] >= '0' && s.at[0] <= '9')) return false;
    for (size_t i = 0; i < s.len; i++) {
        if (!is_alnum(s.at[i]) && !is_sign(s.at[i])) return false;
    }
    if (s.len < ours.len || memcmp(s.at, ours.at, ours.len) != 0) return true;
    return s.len > param.len && memcmp(s.at, param.at, param.len) == 0;
}

/* Kubernetes: alphanumeric, with - _ . in between. */
static bool is_label_part(struct fl_str s)
{
    if (s.len == 0 || s.len > LABEL_NAME_MAX) return false;
    for (size_t i = 0; i < s.len; i++) {
        bool is_inner = i > 0 && i + 1 < s.len;

        if (!is_alnum(s.at[i]) && !(is_inner && is_sign(s.at[i]))) return false;
    }
    return true;
}

/* Names of DNS with dots between them. */
static bool is_label_prefix(struct fl_str s)
{
    size_t start = 0;

    for (size_t i = 0; i <= s.len; i++) {
        if (i < s.len && s.at[i] != '.') continue;
        if (!fl_str_is_name((struct fl_str){s.at + start, i - start})) return false;
        start = i + 1;
    }
    return s.len <= LABEL_KEY_MAX - LABEL_NAME_MAX - 1;
}

static bool is_label_key(struct fl_str s)
{
    const char *slash = s.len ? memchr(s.at, '/', s.len) : NULL;
    size_t prefix = slash ? (size_t)(slash - s.at) : 0;

    if (!slash) return is_label_part(s);
    return is_label_prefix((struct fl_str){s.at, prefix}) &&
           is_label_part((struct fl_str){slash + 1, s.len - prefix - 1});
}

static void read_text(const struct fl_job_check *check, const struct fl_job_field *field,
                      const struct fl_path *path, const struct fl_json *node, struct fl_str *to)
{
    bool is_right = node->kind == FL_JSON_STRING && node->text.len >= (size_t)field->min &&
                    node->text.len <= (size_t)field->max;

    switch (field->kind) {
    case FL_JOB_KIND_text:
        is_right = is_right && is_one_line(node->text);
        break;
    case FL_JOB_KIND_env_name:
        is_right = is_right && fl_job_is_env_name(node->text);
        break;
    case FL_JOB_KIND_env_value:
        is_right = is_word(node) && node->text.len <= (size_t)field->max;
        break;
    case FL_JOB_KIND_label_key:
        is_right = is_right && is_label_key(node->text);
        break;
    case FL_JOB_KIND_taint_key:
        is_right = is_right && (node->text.len == 0 || is_label_key(node->text));
        break;
    case FL_JOB_KIND_taint_value:
        is_right = is_word(node) && (node->text.len == 0 || is_label_part(node->text));
        break;
    default:
        is_right = is_right && fl_str_is_name(node->text);
    }
    if (is_right) {
        *to = node->text;
    } else {
        fl_job_misfit(check, field, path, node);
    }
}

static void read_indexes(const struct fl_job_check *check, const struct fl_job_field *field,
                         const struct fl_path *path, const struct fl_json *node,
                         struct fl_indexes *to)
{
    struct fl_err err = {0};

    if (node->kind != FL_JSON_STRING) {
        fl_job_misfit(check, field, path, node);
    } else if (!fl_indexes_parse(node->text, check->arena, to, &err)) {
        fl_job_wrong(check, path, node, fl_job_check_allowed(check, field), "%s", err.text);
    }
}

/* ---- lists of texts -------------------------------------------------------------------------- */

bool fl_job_strs_insert(struct fl_strs *to, struct fl_str text)
{
    size_t i = to->len, at = i;

    while (at > 0 && fl_str_cmp(to->at[at - 1], text) > 0) {
        at--;
    }
    if (at > 0 && fl_str_eq(to->at[at - 1], text)) return false;
    for (; i > at; i--) {
        to->at[i] = to->at[i - 1];
    }
    to->at[at] = text;
    to->len++;
    return true;
}

/* False: it is no list that fits, and that was noted. */
static bool begin_list(const struct fl_job_check *check, const struct fl_job_field *field,
                       const struct fl_path *path, const struct fl_json *node, struct fl_strs *to)
{
    if (!fl_job_holds(check, field, path, node, FL_JSON_LIST)) return false;
    to->at = fl_arena_array(check->arena, struct fl_str, node->len);
    to->cap = node->len;
    return true;
}

static void read_words(const struct fl_job_check *check, const struct fl_job_field *field,
                       const struct fl_path *path, const struct fl_json *node, struct fl_strs *to)
{
    struct fl_path here = {.up = path};

    if (!begin_list(check, field, path, node, to)) return;
    FL_JSON_EACH (item, node) {
        if (!is_word(item) || item->text.len > FL_JOB_WORD_BYTES_MAX) {
            fl_job_wrong(check, &here, item,
                         FL_STR("text of at most " FL_QUOTE(FL_JOB_WORD_BYTES_MAX) " bytes"),
                         "not a word of a command");
        }
        to->at[to->len++] = item->text;
        here.index++;
    }
}

static void read_names(const struct fl_job_check *check, const struct fl_job_field *field,
                       const struct fl_path *path, const struct fl_json *node, struct fl_strs *to)
{
    struct fl_path here = {.up = path};

    if (!begin_list(check, field, path, node, to)) return;
    FL_JSON_EACH (item, node) {
        if (item->kind != FL_JSON_STRING || !fl_str_is_name(item->text)) {
            fl_job_wrong(check, &here, item, FL_STR(FL_NAME_ALLOWED), "not a cluster name");
        }
        if (!fl_job_strs_insert(to, item->text)) {
            fl_job_wrong(check, &here, item, (struct fl_str){0}, "this name is there twice");
        }
        here.index++;
    }
}

/* Sorted; one that is there already adds nothing. */
static void read_label_values(const struct fl_job_check *check, const struct fl_job_field *field,
                              const struct fl_path *path, const struct fl_json *node,
                              struct fl_strs *to)
{
    struct fl_path here = {.up = path};

    if (!begin_list(check, field, path, node, to)) return;
    FL_JSON_EACH (item, node) {
        if (!is_word(item) || (item->text.len > 0 && !is_label_part(item->text))) {
            fl_job_wrong(check, &here, item, FL_STR("at most " LABEL_ALLOWED "; or nothing"),
                         "not a label value");
        } else {
            FL_IGNORE(fl_job_strs_insert(to, item->text));
        }
        here.index++;
    }
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static void read_labels(const struct fl_job_check *check, const struct fl_job_field *field,
                        const struct fl_path *path, const struct fl_json *node,
                        struct fl_text_map *to)
{
    struct fl_path here = {.up = path};

    if (!fl_job_holds(check, field, path, node, FL_JSON_OBJECT)) return;
    *to = fl_text_map_new(node->len, check->arena);
    FL_JSON_EACH (item, node) {
        here.key = item->key;
        if (!is_label_key(item->key)) {
            fl_job_wrong(check, &here, item,
                         FL_STR("1 to " LABEL_ALLOWED "; before it, if any, a DNS name and '/'"),
                         "not a label key");
        }
        if (!is_word(item) || (item->text.len > 0 && !is_label_part(item->text))) {
            fl_job_wrong(check, &here, item, FL_STR("at most " LABEL_ALLOWED "; or nothing"),
                         "not a label value");
        }
        to->at[to->len++] = (struct fl_text_map_entry){item->key, item->text};
    }
    fl_text_map_sort(to);
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Quantities and times may be numbers as well as texts. */
static bool read_amount(const struct fl_job_field *field, const struct fl_json *node,
                        uint64_t *ret_n)
{
    uint32_t seconds;

    if (node->kind == FL_JSON_BOOL || !is_word(node)) return false;
    switch (field->kind) {
    case FL_JOB_KIND_cpu:
        return fl_quantity_milli(node->text, ret_n);
    case FL_JOB_KIND_duration:
        if (!fl_duration_s(node->text, &seconds)) return false;
        *ret_n = seconds;
        return true;
    case FL_JOB_KIND_gpus: /* whole ones: half a GPU is not rounded up */
    case FL_JOB_KIND_devices_named:
        return fl_str_parse_u64(node->text, ret_n);
    default:
        return fl_quantity_units(node->text, ret_n);
    }
}

static void read_number(const struct fl_job_check *check, const struct fl_job_field *field,
                        const struct fl_path *path, const struct fl_json *node, void *to)
{
    uint64_t amount = 0;
    int64_t n;

    if (field->kind == FL_JOB_KIND_count || field->kind == FL_JOB_KIND_integer) {
        if (node->kind != FL_JSON_INT || node->n < field->min || node->n > field->max) {
            fl_job_misfit(check, field, path, node);
            return;
        }
        n = node->n;
    } else {
        if (!read_amount(field, node, &amount) || amount > (uint64_t)field->max ||
            amount < (uint64_t)field->min) {
            fl_job_misfit(check, field, path, node);
            return;
        }
        n = (int64_t)amount;
    }
    if (field->kind == FL_JOB_KIND_memory || field->kind == FL_JOB_KIND_bytes_named ||
        field->kind == FL_JOB_KIND_devices_named) {
        *(uint64_t *)to = (uint64_t)n;
    } else if (field->kind == FL_JOB_KIND_integer) {
        *(int32_t *)to = (int32_t)n;
    } else {
        *(uint32_t *)to = (uint32_t)n;
    }
}

/* ---- tolerations ----------------------------------------------------------------------------- */

/* As in Kubernetes, an empty text says what none says. */
static void read_operator(const struct fl_job_check *check, const struct fl_job_field *field,
                          const struct fl_path *path, const struct fl_json *node,
                          enum fl_toleration_operator *to)
{
    bool is_text = node->kind == FL_JSON_STRING;

    if (is_text && fl_str_eq(node->text, FL_STR("Exists"))) {
        *to = FL_TOLERATES_Exists;
    } else if (!is_text || (node->text.len > 0 && !fl_str_eq(node->text, FL_STR("Equal")))) {
        fl_job_misfit(check, field, path, node);
    }
}

static void read_effect(const struct fl_job_check *check, const struct fl_job_field *field,
                        const struct fl_path *path, const struct fl_json *node,
                        enum fl_taint_effect *to)
{
    bool is_text = node->kind == FL_JSON_STRING;

    if (is_text && node->text.len == 0) return;
    if (!is_text || !fl_taint_effect_parse(node->text, to)) {
        fl_job_misfit(check, field, path, node);
    }
}

/* ---- all kinds ------------------------------------------------------------------------------- */

void fl_job_read_value(const struct fl_job_check *check, const struct fl_job_field *field,
                       const struct fl_path *path, const struct fl_json *node, void *to)
{
    struct fl_err err;

    switch (field->kind) {
    case FL_JOB_KIND_text:
    case FL_JOB_KIND_queue:
    case FL_JOB_KIND_role_name:
    case FL_JOB_KIND_env_name:
    case FL_JOB_KIND_env_value:
    case FL_JOB_KIND_label_key:
    case FL_JOB_KIND_taint_key:
    case FL_JOB_KIND_taint_value:
        read_text(check, field, path, node, to);
        return;
    case FL_JOB_KIND_indexes:
        read_indexes(check, field, path, node, to);
        return;
    case FL_JOB_KIND_words:
        read_words(check, field, path, node, to);
        return;
    case FL_JOB_KIND_names:
        read_names(check, field, path, node, to);
        return;
    case FL_JOB_KIND_labels:
    case FL_JOB_KIND_node_labels:
        read_labels(check, field, path, node, to);
        return;
    case FL_JOB_KIND_params:
        FL_IGNORE(fl_job_params_parse(node, path, check->arena, to, check->problems));
        return;
    case FL_JOB_KIND_boolean:
        if (node->kind == FL_JSON_BOOL) {
            *(bool *)to = node->n != 0;
        } else {
            fl_job_misfit(check, field, path, node);
        }
        return;
    case FL_JOB_KIND_job_id:
        if (node->kind != FL_JSON_STRING || !fl_job_parse(node->text, to, &err)) {
            fl_job_misfit(check, field, path, node);
        }
        return;
    case FL_JOB_KIND_job_end:
        if (node->kind != FL_JSON_STRING || !fl_dependency_on_parse(node->text, to)) {
            fl_job_misfit(check, field, path, node);
        }
        return;
    case FL_JOB_KIND_label_values:
        read_label_values(check, field, path, node, to);
        return;
    case FL_JOB_KIND_node_operator:
        if (node->kind != FL_JSON_STRING || !fl_node_operator_parse(node->text, to)) {
            fl_job_misfit(check, field, path, node);
        }
        return;
    case FL_JOB_KIND_toleration_operator:
        read_operator(check, field, path, node, to);
        return;
    case FL_JOB_KIND_taint_effect:
        read_effect(check, field, path, node, to);
        return;
    case FL_JOB_KIND_never:
        if (node->kind != FL_JSON_STRING || !fl_str_eq(node->text, FL_STR("Never"))) {
            fl_job_misfit(check, field, path, node);
        }
        return;
    case FL_JOB_KIND_count:
    case FL_JOB_KIND_integer:
    case FL_JOB_KIND_duration:
    case FL_JOB_KIND_cpu:
    case FL_JOB_KIND_memory:
    case FL_JOB_KIND_gpus:
    case FL_JOB_KIND_bytes_named:
    case FL_JOB_KIND_devices_named:
        read_number(check, field, path, node, to);
        return;
    case FL_JOB_KIND_env:
    case FL_JOB_KIND_object:
    case FL_JOB_KIND_within:
    case FL_JOB_KIND_only_item:
    case FL_JOB_KIND_roles:
    case FL_JOB_KIND_dependencies:
    case FL_JOB_KIND_tolerations:
    case FL_JOB_KIND_mounts:
    case FL_JOB_KIND_node_terms:
    case FL_JOB_KIND_node_requirements:
        break;
    }
    fl_unreachable("objects are read by job_object.c");
}
