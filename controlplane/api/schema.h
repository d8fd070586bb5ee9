/* schema.h - the shapes of what the API takes and gives, as tables.
 * From one table come the check of a body or query before its handler runs, openapi.json,
 * docs/reference/api.md and the limits in texts.  The words of a field's type are those of JSON
 * Schema, "string", or the name of an object, "Job"; "array of string" and "map of string" hold
 * many, and "string or null" is either.
 * Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/str.h"

struct fl_json;

enum api_format {
    API_FORMAT_none,
    API_FORMAT_time, /* RFC 3339 */
    API_FORMAT_name, /* FL_NAME_ALLOWED */
};

struct api_field {
    const char *name; /* NULL ends the list */
    const char *type;
    const char *text;
    bool is_required;
    const char *words; /* the only texts there can be, each with ", " behind it, but the last */
    enum api_format format;
    /* Bounds of an integer, a text's bytes or a list's items; both 0: none. */
    int64_t min, max;
    int64_t preset; /* for an integer that is not given */
};

/* A member that is always there, and one that may be left out. */
#define API_MUST(name_, type_, text_, ...)                                                         \
    {                                                                                              \
        .name = (name_), .type = (type_), .text = (text_), .is_required = true, ##__VA_ARGS__      \
    }
#define API_MAY(name_, type_, text_, ...)                                                          \
    {                                                                                              \
        .name = (name_), .type = (type_), .text = (text_), ##__VA_ARGS__                           \
    }

/* The names of a list of states, "X(name, ...)", as words. */
#define API_WORD(name, ...) #name ", "

/* A kind of object, below components/schemas in openapi.json. */
struct api_object {
    const char *name;
    const char *text;
    const struct api_field *fields;
    const char *one_of;   /* instead of fields: names of objects, as api_field.words */
    const char *tells_by; /* the member that tells those apart; NULL: none */
    const char *example;  /* JSON; NULL: none */
};

/* ---- reading a table ------------------------------------------------------------------------- */

enum api_form { API_FORM_one, API_FORM_list, API_FORM_map };

/* The next alternative of a type, cut off its words; false: that was all. */
bool api_type_next(const char **types, enum api_form *ret_form, struct fl_str *ret_word);
/* Is it the name of an object?  Those begin with a capital. */
bool api_type_is_object(struct fl_str word);
/* The next of the words. */
bool api_word_next(const char **words, struct fl_str *ret_word);

const struct api_field *api_field_find(const struct api_field *fields, struct fl_str name);

/* ---- checking -------------------------------------------------------------------------------- */

/* May the field hold that?  An object by name is an object here: its members are its handler's. */
bool api_field_takes(const struct api_field *field, const struct fl_json *value);
/* A value that the field does not take is wrong in an item of it, or as a whole: that node. */
const struct fl_json *api_field_wrong(const struct api_field *field, const struct fl_json *value);
/* The same as api_field_takes of a text in a query, which is empty only where bounds allow it. */
bool api_field_takes_text(const struct api_field *field, struct fl_str text);

#define API_ALLOWED_MAX 256
/* The allowed values, in words. */
void api_field_allowed(const struct api_field *field, char out[API_ALLOWED_MAX]);
/* The same for an item of a field that holds many. */
void api_item_allowed(const struct api_field *field, char out[API_ALLOWED_MAX]);
