#include "controlplane/api/openapi.h"

#include <stdio.h>
#include <string.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/resources.h"
#include "shared/base/version.h"
#include "shared/spec/job_schema.h"

static void write_fields(struct json *json, const struct api_field *fields)
{
    json_open(json, NULL, '{');
    json_cstr(json, "type", "object");
    json_bool(json, "additionalProperties", false);
    json_open(json, "properties", '{');
    for (; fields && fields->name; fields++) {
        json_open(json, fields->name, '{');
        json_cstr(json, "type", fields->type);
        json_cstr(json, "description", fields->text);
        json_close(json, '}');
    }
    json_close(json, '}');
    json_close(json, '}');
}

static void write_schema_ref(struct json *json, const char *key, const char *name)
{
    char ref[96];

    snprintf(ref, sizeof ref, "#/components/schemas/%s", name);
    json_open(json, key, '{');
    json_cstr(json, "$ref", ref);
    json_close(json, '}');
}

static void write_parameter(struct json *json, const char *where, struct fl_str name,
                            const char *type, const char *text)
{
    json_open(json, NULL, '{');
    json_text(json, "name", name);
    json_cstr(json, "in", where);
    if (strcmp(where, "path") == 0) json_bool(json, "required", true);
    if (text) json_cstr(json, "description", text);
    json_open(json, "schema", '{');
    json_cstr(json, "type", type);
    json_close(json, '}');
    json_close(json, '}');
}

static void write_parameters(struct json *json, const struct api_route *route)
{
    const char *open = strchr(route->path, '{');

    json_open(json, "parameters", '[');
    for (; open; open = strchr(open + 1, '{')) {
        const char *close = strchr(open, '}');

        write_parameter(json, "path", (struct fl_str){open + 1, (size_t)(close - open - 1)},
                        "string", NULL);
    }
    for (const struct api_field *field = route->query; field && field->name; field++) {
        write_parameter(json, "query", fl_str_c(field->name), field->type, field->text);
    }
    json_close(json, ']');
}

/* Each of "a, b". */
static void write_content(struct json *json, const struct api_route *route)
{
    const char *types = route->takes ? route->takes : "application/json";

    json_open(json, "requestBody", '{');
    json_open(json, "content", '{');
    while (*types) {
        size_t len = strcspn(types, ",");

        fl_json_put_key(&json->out, (struct fl_str){types, len});
        json_open(json, NULL, '{');
        if (route->schema) {
            write_schema_ref(json, "schema", route->schema);
        } else {
            fl_json_put_key(&json->out, FL_STR("schema"));
            write_fields(json, route->body);
        }
        json_close(json, '}');
        types += len + strspn(types + len, ", ");
    }
    json_close(json, '}');
    json_close(json, '}');
}

static void write_responses(struct json *json, const struct api_route *route)
{
    char status[8];

    snprintf(status, sizeof status, "%u", route->status ? route->status : 200U);
    json_open(json, "responses", '{');
    json_open(json, status, '{');
    json_cstr(json, "description", "done");
    json_open(json, "content", '{');
    json_open(json, route->gives ? route->gives : "application/json", '{');
    json_close(json, '}');
    json_close(json, '}');
    json_close(json, '}');
    json_open(json, "default", '{');
    json_cstr(json, "description", "not done, and why");
    json_open(json, "content", '{');
    json_open(json, "application/problem+json", '{');
    write_schema_ref(json, "schema", "Problem");
    json_close(json, '}');
    json_close(json, '}');
    json_close(json, '}');
    json_close(json, '}');
}

static void write_operation(struct json *json, const struct api_route *route)
{
    char method[8] = "";

    for (size_t i = 0; i + 1 < sizeof method && api_method_name(route->method)[i]; i++) {
        method[i] = (char)(api_method_name(route->method)[i] | 0x20);
    }
    json_open(json, method, '{');
    json_cstr(json, "summary", route->text);
    json_cstr(json, "x-scope", api_need_name(route->need));
    if (route->need == API_NEED_nothing) {
        json_open(json, "security", '[');
        json_close(json, ']');
    }
    write_parameters(json, route);
    if (route->body_max > 0) write_content(json, route);
    write_responses(json, route);
    json_close(json, '}');
}

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

static void write_path(struct json *json, const struct api_resource *resources, const char *path)
{
    json_open(json, path, '{');
    for (; resources->name; resources++) {
        for (const struct api_route *route = resources->routes; route->path; route++) {
            if (strcmp(route->path, path) == 0) write_operation(json, route);
        }
    }
    json_close(json, '}');
}

static void write_components(struct json *json)
{
    static const struct api_field problem[] = {
        {"type", "string", "which kind, as a URI that leads to its text"},
        {"title", "string", "of the status"},
        {"status", "integer", "as in the head"},
        {"code", "string", "which kind, in a word"},
        {"detail", "string", "what is wrong, and what to do"},
        {"errors", "array", "where: pointer, detail, got, allowed, line, col"},
        {"traceId", "string", "to be named when asking an administrator"},
        {0},
    };

    json_open(json, "components", '{');
    json_open(json, "securitySchemes", '{');
    json_open(json, "token", '{');
    json_cstr(json, "type", "http");
    json_cstr(json, "scheme", "bearer");
    json_close(json, '}');
    json_close(json, '}');
    json_open(json, "schemas", '{');
    fl_json_put_key(&json->out, FL_STR("Problem"));
    write_fields(json, problem);
    fl_job_schema(&json->out);
    json_close(json, '}');
    json_close(json, '}');
}

void api_openapi_write(struct fl_buf *out, const struct api_resource *resources)
{
    struct json begun = json_begin(out), *json = &begun;

    json_open(json, NULL, '{');
    json_cstr(json, "openapi", "3.1.0");
    json_open(json, "info", '{');
    json_cstr(json, "title", "Fairlead");
    json_cstr(json, "version", FL_VERSION);
    json_close(json, '}');
    json_open(json, "security", '[');
    json_open(json, NULL, '{');
    json_open(json, "token", '[');
    json_close(json, ']');
    json_close(json, '}');
    json_close(json, ']');
    json_open(json, "paths", '{');
    for (const struct api_resource *at = resources; at->name; at++) {
        for (const struct api_route *route = at->routes; route->path; route++) {
            if (is_first_of_path(resources, route)) write_path(json, resources, route->path);
        }
    }
    json_close(json, '}');
    write_components(json);
    json_close(json, '}');
}

static void get_openapi(struct api_call *call)
{
    api_json(call);
    api_openapi_write(&call->out, api_resources);
    api_answer(call);
}

const struct api_route openapi_routes[] = {
    API_ROUTE(API_GET, "/v1/openapi.json", API_NEED_token, get_openapi, "this API as OpenAPI 3.1"),
    {0},
};
