#include "controlplane/api/openapi.h"

#include <stdio.h>
#include <string.h>

#include "controlplane/api/api_state.h"
#include "shared/base/api_limits.h"
#include "shared/base/version.h"
#include "shared/spec/job_schema.h"

/* ---- schemas --------------------------------------------------------------------------------- */

static void write_ref(struct fl_json_out *json, struct fl_str name)
{
    char ref[96];

    snprintf(ref, sizeof ref, "#/components/schemas/" FL_STR_FMT, FL_STR_ARG(name));
    fl_json_put_cstr(json, "$ref", ref);
}

static void write_words(struct fl_json_out *json, const char *words)
{
    struct fl_str word;

    if (!words) return;
    fl_json_open(json, "enum", '[');
    while (api_word_next(&words, &word)) {
        fl_json_put_str(json, NULL, word);
    }
    fl_json_close(json, ']');
}

static void write_bounds(struct fl_json_out *json, const struct api_field *field, const char *min,
                         const char *max)
{
    if (field->min == 0 && field->max == 0) return;
    fl_json_put_i64(json, min, field->min);
    fl_json_put_i64(json, max, field->max);
}

/* The bounds of one value of that kind. */
static void write_constraints(struct fl_json_out *json, const struct api_field *field,
                              struct fl_str word)
{
    static const char name_pattern[] = "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$";

    if (fl_str_eq(word, FL_STR("integer"))) {
        write_bounds(json, field, "minimum", "maximum");
        fl_json_put_cstr(json, "format", "int64");
        if (field->preset != 0) fl_json_put_i64(json, "default", field->preset);
    }
    if (!fl_str_eq(word, FL_STR("string"))) return;
    write_bounds(json, field, "minLength", "maxLength");
    write_words(json, field->words);
    if (field->format == API_FORMAT_time) fl_json_put_cstr(json, "format", "date-time");
    if (field->format != API_FORMAT_name) return;
    fl_json_put_cstr(json, "pattern", name_pattern);
    fl_json_put_u64(json, "maxLength", FL_NAME_BYTES_MAX);
}

/* "type", or "$ref", of one value. */
static void write_word(struct fl_json_out *json, struct fl_str word)
{
    if (api_type_is_object(word)) {
        write_ref(json, word);
    } else {
        fl_json_put_str(json, "type", word);
    }
}

/* The members of a schema for one alternative of a type. */
static void write_form(struct fl_json_out *json, const struct api_field *field, enum api_form form,
                       struct fl_str word)
{
    if (form == API_FORM_one) {
        write_word(json, word);
        write_constraints(json, field, word);
        return;
    }
    fl_json_put_cstr(json, "type", form == API_FORM_list ? "array" : "object");
    if (form == API_FORM_list) write_bounds(json, field, "minItems", "maxItems");
    fl_json_open(json, form == API_FORM_list ? "items" : "additionalProperties", '{');
    write_word(json, word);
    write_words(json, fl_str_eq(word, FL_STR("string")) ? field->words : NULL);
    fl_json_close(json, '}');
}

/* "string or null" is one schema with two types; other alternatives are schemas of their own. */
static void write_type(struct fl_json_out *json, const struct api_field *field)
{
    static const char or_null[] = " or null";
    const char *types = field->type;
    size_t len = strlen(types);
    enum api_form form;
    struct fl_str word;
    bool is_nullable =
             len > sizeof or_null && strcmp(types + len - (sizeof or_null - 1), or_null) == 0,
         is_one = !strstr(types, " or ");

    if (is_nullable && api_type_next(&types, &form, &word) && form == API_FORM_one) {
        fl_json_open(json, "type", '[');
        fl_json_put_str(json, NULL, word);
        fl_json_put_cstr(json, NULL, "null");
        fl_json_close(json, ']');
        write_constraints(json, field, word);
    } else if (is_one && api_type_next(&types, &form, &word)) {
        write_form(json, field, form, word);
    } else {
        fl_json_open(json, "anyOf", '[');
        while (api_type_next(&types, &form, &word)) {
            fl_json_open(json, NULL, '{');
            write_form(json, field, form, word);
            fl_json_close(json, '}');
        }
        fl_json_close(json, ']');
    }
}

static void write_field(struct fl_json_out *json, const char *key, const struct api_field *field)
{
    fl_json_open(json, key, '{');
    write_type(json, field);
    if (field->text && (field->type[0] < 'A' || field->type[0] > 'Z')) {
        fl_json_put_cstr(json, "description", field->text);
    }
    fl_json_close(json, '}');
}

/* The members of an object's schema. */
static void write_fields(struct fl_json_out *json, const struct api_field *fields, bool is_closed)
{
    bool has_required = false;

    fl_json_put_cstr(json, "type", "object");
    if (is_closed) fl_json_put_bool(json, "additionalProperties", false);
    fl_json_open(json, "properties", '{');
    for (const struct api_field *field = fields; field && field->name; field++) {
        write_field(json, field->name, field);
        has_required |= field->is_required;
    }
    fl_json_close(json, '}');
    if (!has_required) return;
    fl_json_open(json, "required", '[');
    for (const struct api_field *field = fields; field->name; field++) {
        if (field->is_required) fl_json_put_cstr(json, NULL, field->name);
    }
    fl_json_close(json, ']');
}

static void write_choice(struct fl_json_out *json, const struct api_object *object)
{
    const char *words = object->one_of;
    struct fl_str word;

    fl_json_open(json, object->tells_by ? "oneOf" : "anyOf", '[');
    while (api_word_next(&words, &word)) {
        fl_json_open(json, NULL, '{');
        write_ref(json, word);
        fl_json_close(json, '}');
    }
    fl_json_close(json, ']');
}

static void write_object(struct fl_json_out *json, const struct api_object *object)
{
    fl_json_open(json, object->name, '{');
    fl_json_put_cstr(json, "description", object->text);
    if (object->one_of) {
        write_choice(json, object);
    } else {
        write_fields(json, object->fields, false);
    }
    if (object->example) {
        fl_json_open(json, "examples", '[');
        fl_json_put_raw(json, NULL, fl_str_c(object->example));
        fl_json_close(json, ']');
    }
    fl_json_close(json, '}');
}

/* ---- requests -------------------------------------------------------------------------------- */

static void write_parameter(struct fl_json_out *json, const char *where, struct fl_str name,
                            const struct api_field *field)
{
    fl_json_open(json, NULL, '{');
    fl_json_put_str(json, "name", name);
    fl_json_put_cstr(json, "in", where);
    if (field->is_required) fl_json_put_bool(json, "required", true);
    if (field->text) fl_json_put_cstr(json, "description", field->text);
    fl_json_open(json, "schema", '{');
    write_type(json, field);
    fl_json_close(json, '}');
    fl_json_close(json, '}');
}

static void write_header(struct fl_json_out *json, const struct api_field *field)
{
    write_parameter(json, "header", fl_str_c(field->name), field);
}

static void write_headers(struct fl_json_out *json, const struct api_route *route)
{
    static const struct api_field key = API_MAY(
        "Idempotency-Key", "string",
        "a repetition with it has the first one's outcome, for " FL_QUOTE(FL_KEY_DAYS) " days",
        .min = 1, .max = FL_KEY_BYTES_MAX);
    static const struct api_field as =
        API_MAY(API_HEADER_AS, "string",
                "the person for whom the request acts; the token needs the scope delegate",
                .format = API_FORMAT_name);
    static const struct api_field event_id =
        API_MAY("Last-Event-ID", "string", "go on behind the event of this id");
    static const struct api_field range =
        API_MAY("Range", "string", "lines=100-199, or lines=100-");
    static const struct api_field match =
        API_MAY("If-Match", "string",
                "the job's ETag, or its revision in double quotes: 412 if it was edited since");
    static const struct api_field etag =
        API_MAY("If-None-Match", "string", "the ETag of an answer: 304 while nothing has changed");

    if (route->headers & API_TAKES_key) write_header(json, &key);
    if (route->headers & API_TAKES_as) write_header(json, &as);
    if (route->headers & API_TAKES_event_id) write_header(json, &event_id);
    if (route->headers & API_TAKES_range) write_header(json, &range);
    if (route->headers & API_TAKES_match) write_header(json, &match);
    if (api_route_has_etag(route) && route->method == API_GET) write_header(json, &etag);
}

static void write_parameters(struct fl_json_out *json, const struct api_route *route)
{
    static const struct api_field in_path = API_MUST(NULL, "string", NULL);
    const char *open = strchr(route->path, '{');

    fl_json_open(json, "parameters", '[');
    for (; open; open = strchr(open + 1, '{')) {
        const char *close = strchr(open, '}');

        write_parameter(json, "path", (struct fl_str){open + 1, (size_t)(close - open - 1)},
                        &in_path);
    }
    for (const struct api_field *field = route->query; field && field->name; field++) {
        write_parameter(json, "query", fl_str_c(field->name), field);
    }
    write_headers(json, route);
    fl_json_close(json, ']');
}

/* JSON has its own schema; lines, events and other texts are a string that names theirs. */
static void write_schema(struct fl_json_out *json, struct fl_str content_type, const char *type)
{
    const struct api_field field = {.type = type ? type : "string"};
    bool is_json = fl_str_eq(content_type, FL_STR("application/json")) ||
                   fl_str_eq(content_type, FL_STR("application/problem+json")) ||
                   fl_str_eq(content_type, FL_STR("application/yaml"));

    fl_json_open(json, "schema", '{');
    if (is_json || !type) {
        write_type(json, &field);
    } else {
        const char *item = strstr(type, "array of ") == type ? type + strlen("array of ") : type;

        fl_json_put_cstr(json, "type", "string");
        fl_json_put_str(json, "contentMediaType", content_type);
        fl_json_open(json, "contentSchema", '{');
        write_ref(json, fl_str_c(item));
        fl_json_close(json, '}');
    }
    fl_json_close(json, '}');
}

/* Each of "a, b". */
static void write_body(struct fl_json_out *json, const struct api_route *route)
{
    const char *types = route->takes ? route->takes : "application/json";
    const struct api_field *field = route->body;
    struct fl_str type;
    bool is_required = route->schema != NULL;

    for (; field && field->name; field++) {
        is_required |= field->is_required;
    }
    fl_json_open(json, "requestBody", '{');
    fl_json_put_bool(json, "required", is_required);
    fl_json_open(json, "content", '{');
    while (api_word_next(&types, &type)) {
        fl_json_put_key(json, type);
        fl_json_open(json, NULL, '{');
        if (route->schema) {
            write_schema(json, type, route->schema);
        } else {
            fl_json_open(json, "schema", '{');
            write_fields(json, route->body, true);
            fl_json_close(json, '}');
        }
        fl_json_close(json, '}');
    }
    fl_json_close(json, '}');
    fl_json_close(json, '}');
}

/* ---- answers --------------------------------------------------------------------------------- */

static void write_answer_header(struct fl_json_out *json, const char *name, const char *text)
{
    fl_json_open(json, name, '{');
    fl_json_put_cstr(json, "description", text);
    fl_json_open(json, "schema", '{');
    fl_json_put_cstr(json, "type", "string");
    fl_json_close(json, '}');
    fl_json_close(json, '}');
}

static void write_content(struct fl_json_out *json, const char *content_type, const char *type)
{
    if (!content_type) content_type = "application/json";
    fl_json_open(json, content_type, '{');
    write_schema(json, fl_str_c(content_type), type);
    fl_json_close(json, '}');
}

static void write_answer_headers(struct fl_json_out *json, const struct api_route *route)
{
    struct api_answer_header headers[API_ANSWER_HEADERS_MAX];
    size_t len = api_route_headers(route, headers);

    if (len == 0) return;
    fl_json_open(json, "headers", '{');
    for (size_t i = 0; i < len; i++) {
        write_answer_header(json, headers[i].name, headers[i].text);
    }
    fl_json_close(json, '}');
}

/* One status: its content types come from the route itself and from what it may answer, too. */
static void write_success(struct fl_json_out *json, const struct api_route *route, uint16_t status)
{
    const char *text = status == api_route_status(route) ? "done" : NULL;
    char key[8];

    for (const struct api_also *also = route->also; also && also->status && !text; also++) {
        if (also->status == status) text = also->text;
    }
    snprintf(key, sizeof key, "%u", status);
    fl_json_open(json, key, '{');
    fl_json_put_cstr(json, "description", text);
    if (status == api_route_status(route) || status == 206) write_answer_headers(json, route);
    fl_json_open(json, "content", '{');
    if (status == api_route_status(route)) write_content(json, route->gives, route->answer);
    for (const struct api_also *also = route->also; also && also->status; also++) {
        if (also->status == status) write_content(json, also->gives, also->answer);
    }
    fl_json_close(json, '}');
    fl_json_close(json, '}');
}

static void write_problem(struct fl_json_out *json, uint16_t status)
{
    char key[8];

    snprintf(key, sizeof key, "%u", status);
    fl_json_open(json, key, '{');
    fl_json_put_cstr(json, "description", api_status_text(status));
    if (api_retry_after_s(status) > 0) {
        fl_json_open(json, "headers", '{');
        write_answer_header(json, "Retry-After", "seconds");
        fl_json_close(json, '}');
    }
    fl_json_open(json, "content", '{');
    write_content(json, "application/problem+json", "Problem");
    fl_json_close(json, '}');
    fl_json_close(json, '}');
}

static bool is_among_also(const struct api_route *route, const struct api_also *until,
                          uint16_t status)
{
    for (const struct api_also *also = route->also; also && also->status && also != until; also++) {
        if (also->status == status) return true;
    }
    return false;
}

static void write_responses(struct fl_json_out *json, const struct api_route *route)
{
    uint16_t problems[API_PROBLEMS_MAX];
    size_t problems_len = api_route_problems(route, problems);

    fl_json_open(json, "responses", '{');
    write_success(json, route, api_route_status(route));
    for (const struct api_also *also = route->also; also && also->status; also++) {
        if (also->status == api_route_status(route) || is_among_also(route, also, also->status)) {
            continue;
        }
        write_success(json, route, also->status);
    }
    if (api_route_has_etag(route)) {
        fl_json_open(json, "304", '{');
        fl_json_put_cstr(json, "description", "nothing has changed");
        fl_json_close(json, '}');
    }
    for (size_t i = 0; i < problems_len; i++) {
        if (!is_among_also(route, NULL, problems[i])) write_problem(json, problems[i]);
    }
    fl_json_close(json, '}');
}

static void write_operation(struct fl_json_out *json, const struct api_route *route,
                            const char *tag)
{
    char method[8] = "";

    for (size_t i = 0; i + 1 < sizeof method && api_method_name(route->method)[i]; i++) {
        method[i] = (char)(api_method_name(route->method)[i] | 0x20);
    }
    fl_json_open(json, method, '{');
    fl_json_put_cstr(json, "operationId", route->id);
    fl_json_open(json, "tags", '[');
    fl_json_put_cstr(json, NULL, tag);
    fl_json_close(json, ']');
    fl_json_put_cstr(json, "summary", route->text);
    fl_json_put_cstr(json, "x-scope", api_need_name(route->need));
    if (route->need == API_NEED_nothing) {
        fl_json_open(json, "security", '[');
        fl_json_close(json, ']');
    }
    write_parameters(json, route);
    if (route->body_max > 0) write_body(json, route);
    write_responses(json, route);
    fl_json_close(json, '}');
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool is_first_of_path(const struct api_resource *resources, const struct api_route *route)
{
    for (; resources->name; resources++) {
        for (const struct api_route *other = resources->routes; other->path; other++) {
            if (other == route) return true;
            if (strcmp(other->path, route->path) == 0) return false;
        }
    }
    return true;
}

static void write_path(struct fl_json_out *json, const struct api_resource *resources,
                       const char *path)
{
    fl_json_open(json, path, '{');
    for (; resources->name; resources++) {
        for (const struct api_route *route = resources->routes; route->path; route++) {
            if (strcmp(route->path, path) == 0) write_operation(json, route, resources->name);
        }
    }
    fl_json_close(json, '}');
}

static void write_components(struct fl_json_out *json, const struct api_object *const *objects)
{
    fl_json_open(json, "components", '{');
    fl_json_open(json, "securitySchemes", '{');
    fl_json_open(json, "token", '{');
    fl_json_put_cstr(json, "type", "http");
    fl_json_put_cstr(json, "scheme", "bearer");
    fl_json_close(json, '}');
    fl_json_close(json, '}');
    fl_json_open(json, "schemas", '{');
    for (; *objects; objects++) {
        write_object(json, *objects);
    }
    fl_job_schema(json);
    fl_json_close(json, '}');
    fl_json_close(json, '}');
}

void api_openapi_write(struct fl_buf *out, const struct api_tables *tables)
{
    const struct api_resource *resources = tables->resources;
    struct fl_json_out begun = fl_json_out(out), *json = &begun;

    fl_json_open(json, NULL, '{');
    fl_json_put_cstr(json, "openapi", "3.1.0");
    fl_json_open(json, "info", '{');
    fl_json_put_cstr(json, "title", "Fairlead");
    fl_json_put_cstr(json, "version", FL_VERSION);
    fl_json_open(json, "license", '{');
    fl_json_put_cstr(json, "name", "Apache-2.0");
    fl_json_put_cstr(json, "identifier", "Apache-2.0");
    fl_json_close(json, '}');
    fl_json_close(json, '}');
    fl_json_open(json, "servers", '[');
    fl_json_open(json, NULL, '{');
    fl_json_put_cstr(json, "url", "/");
    fl_json_close(json, '}');
    fl_json_close(json, ']');
    fl_json_open(json, "security", '[');
    fl_json_open(json, NULL, '{');
    fl_json_open(json, "token", '[');
    fl_json_close(json, ']');
    fl_json_close(json, '}');
    fl_json_close(json, ']');
    fl_json_open(json, "paths", '{');
    for (const struct api_resource *at = resources; at->name; at++) {
        for (const struct api_route *route = at->routes; route->path; route++) {
            if (is_first_of_path(resources, route)) write_path(json, resources, route->path);
        }
    }
    fl_json_close(json, '}');
    write_components(json, tables->objects);
    fl_json_close(json, '}');
}
