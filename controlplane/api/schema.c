#include "controlplane/api/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "shared/json/json.h"

#define OR " or "
#define LIST_OF "array of "
#define MAP_OF "map of "

/* ---- reading a table ------------------------------------------------------------------------- */

/* Cuts off what stands before 'separator'. */
static struct fl_str cut(const char **rest, const char *separator)
{
    const char *begin = *rest, *end = strstr(begin, separator);

    *rest = end ? end + strlen(separator) : begin + strlen(begin);
    return (struct fl_str){begin, end ? (size_t)(end - begin) : strlen(begin)};
}

static bool take_prefix(struct fl_str *text, const char *prefix)
{
    size_t len = strlen(prefix);

    if (text->len < len || memcmp(text->at, prefix, len) != 0) return false;
    *text = (struct fl_str){text->at + len, text->len - len};
    return true;
}

bool api_type_next(const char **types, enum api_form *ret_form, struct fl_str *ret_word)
{
    if (**types == 0) return false;
    *ret_word = cut(types, OR);
    *ret_form = take_prefix(ret_word, LIST_OF)  ? API_FORM_list
                : take_prefix(ret_word, MAP_OF) ? API_FORM_map
                                                : API_FORM_one;
    return true;
}

bool api_type_is_object(struct fl_str word)
{
    return word.len > 0 && word.at[0] >= 'A' && word.at[0] <= 'Z';
}

bool api_word_next(const char **words, struct fl_str *ret_word)
{
    if (!*words || **words == 0) return false;
    *ret_word = cut(words, ", ");
    return true;
}

const struct api_field *api_field_find(const struct api_field *fields, struct fl_str name)
{
    for (; fields && fields->name; fields++) {
        if (fl_str_eq(fl_str_c(fields->name), name)) return fields;
    }
    return NULL;
}

/* ---- checking -------------------------------------------------------------------------------- */

static bool is_within(const struct api_field *field, int64_t n)
{
    return (field->min == 0 && field->max == 0) || (n >= field->min && n <= field->max);
}

static bool is_among(const char *words, struct fl_str text)
{
    struct fl_str word;

    if (!words) return true;
    while (api_word_next(&words, &word)) {
        if (fl_str_eq(word, text)) return true;
    }
    return false;
}

static bool takes_string(const struct api_field *field, struct fl_str text)
{
    return is_within(field, (int64_t)text.len) && is_among(field->words, text) &&
           (field->format != API_FORMAT_name || fl_str_is_name(text));
}

/* One value, of the kind that the word says. */
static bool is_of(const struct fl_json *value, struct fl_str word)
{
    if (api_type_is_object(word)) return value->kind == FL_JSON_OBJECT;
    return fl_str_eq(fl_str_c(fl_json_type_name(value->kind)), word);
}

static bool takes_one(const struct api_field *field, const struct fl_json *value,
                      struct fl_str word)
{
    if (!is_of(value, word)) return false;
    if (value->kind == FL_JSON_INT) return is_within(field, value->n);
    return value->kind != FL_JSON_STRING || takes_string(field, value->text);
}

static bool is_item(const struct api_field *field, const struct fl_json *item, struct fl_str word)
{
    return is_of(item, word) &&
           (item->kind != FL_JSON_STRING || is_among(field->words, item->text));
}

/* The bounds of a field that holds many are of their number, its words those of each. */
static bool takes_many(const struct api_field *field, const struct fl_json *value,
                       enum api_form form, struct fl_str word)
{
    if (value->kind != (form == API_FORM_list ? FL_JSON_LIST : FL_JSON_OBJECT) ||
        !is_within(field, (int64_t)value->len)) {
        return false;
    }
    FL_JSON_EACH (item, value) {
        if (!is_item(field, item, word)) return false;
    }
    return true;
}

bool api_field_takes(const struct api_field *field, const struct fl_json *value)
{
    const char *types = field->type;
    enum api_form form;
    struct fl_str word;

    while (api_type_next(&types, &form, &word)) {
        if (form == API_FORM_one ? takes_one(field, value, word)
                                 : takes_many(field, value, form, word)) {
            return true;
        }
    }
    return false;
}

bool api_field_takes_text(const struct api_field *field, struct fl_str text)
{
    uint64_t n;

    if (strcmp(field->type, "integer") == 0) {
        return fl_str_parse_u64(text, &n) && n <= INT64_MAX && is_within(field, (int64_t)n);
    }
    if (strcmp(field->type, "boolean") == 0) {
        return text.len == 0 || fl_str_eq(text, FL_STR("true")) || fl_str_eq(text, FL_STR("false"));
    }
    return (text.len > 0 || field->max > 0) && takes_string(field, text);
}

const struct fl_json *api_field_wrong(const struct api_field *field, const struct fl_json *value)
{
    const char *types = field->type;
    enum api_form form;
    struct fl_str word;

    while (api_type_next(&types, &form, &word)) {
        bool is_many = form != API_FORM_one &&
                       value->kind == (form == API_FORM_list ? FL_JSON_LIST : FL_JSON_OBJECT);

        if (!is_many || !is_within(field, (int64_t)value->len)) continue;
        FL_JSON_EACH (item, value) {
            if (!is_item(field, item, word)) return item;
        }
    }
    return value;
}

static void print_words(const char *before, const char *words, char out[API_ALLOWED_MAX])
{
    int len = snprintf(out, API_ALLOWED_MAX, "%s%s", before, words);

    if (len > 2 && len < API_ALLOWED_MAX && strcmp(out + len - 2, ", ") == 0) out[len - 2] = 0;
}

void api_item_allowed(const struct api_field *field, char out[API_ALLOWED_MAX])
{
    const char *types = field->type;
    enum api_form form;
    struct fl_str word;

    *out = 0;
    if (field->words) print_words("", field->words, out);
    while (*out == 0 && api_type_next(&types, &form, &word)) {
        if (form != API_FORM_one) snprintf(out, API_ALLOWED_MAX, FL_STR_FMT, FL_STR_ARG(word));
    }
}

void api_field_allowed(const struct api_field *field, char out[API_ALLOWED_MAX])
{
    bool has_bounds = field->min != 0 || field->max != 0;
    int len = 0;

    if (field->format == API_FORMAT_name) {
        snprintf(out, API_ALLOWED_MAX, "%s", FL_NAME_ALLOWED);
        return;
    }
    if (field->words) {
        print_words(strstr(field->type, LIST_OF) ? "a list of " : "", field->words, out);
        return;
    }
    len = snprintf(out, API_ALLOWED_MAX, "%s", field->type);
    if (has_bounds && len < API_ALLOWED_MAX) {
        const char *what = strstr(field->type, "integer") == field->type  ? ""
                           : strstr(field->type, "string") == field->type ? " bytes"
                                                                          : " of them";

        snprintf(out + len, (size_t)(API_ALLOWED_MAX - len), ", %" PRId64 " to %" PRId64 "%s",
                 field->min, field->max, what);
    }
}
