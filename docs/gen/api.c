/* api.c - prints docs/reference/api.md from the routes and the codes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/api/problem.h"
#include "controlplane/api/v1/resources.h"
#include "shared/spec/job_fields.h"

/* The page that describes the object: this one, or that of the job document. */
static const char *page_of(struct fl_str object)
{
    for (int i = 0; i < FL_JOB_OBJECTS_LEN; i++) {
        if (fl_str_eq(object, fl_str_c(fl_job_object_name((enum fl_job_object)i)))) return "job.md";
    }
    return "";
}

/* The type, with links to the objects in it. */
static void print_type(const char *types)
{
    const char *separator = "";
    enum api_form form;
    struct fl_str word;

    while (api_type_next(&types, &form, &word)) {
        printf("%s%s", separator,
               form == API_FORM_list  ? "list of "
               : form == API_FORM_map ? "object of "
                                      : "");
        if (!api_type_is_object(word)) {
            printf(FL_STR_FMT, FL_STR_ARG(word));
        } else {
            printf("[" FL_STR_FMT "](%s#", FL_STR_ARG(word), page_of(word));
            for (size_t i = 0; i < word.len; i++) {
                putchar(word.at[i] | 0x20);
            }
            printf(")");
        }
        separator = " or ";
    }
}

static void print_limits(const struct api_field *field)
{
    char allowed[API_ALLOWED_MAX];

    if (field->words || field->format == API_FORMAT_name) {
        api_field_allowed(field, allowed);
        printf(": %s", allowed);
    } else if (field->format == API_FORMAT_time) {
        printf(", RFC 3339");
    } else if (field->min != 0 || field->max != 0) {
        printf(", %" PRId64 " to %" PRId64 "%s", field->min, field->max,
               strstr(field->type, "integer") == field->type  ? ""
               : strstr(field->type, "string") == field->type ? " bytes"
                                                              : " of them");
    }
    if (field->preset != 0) printf("; preset %" PRId64, field->preset);
}

/* Requests have the required fields marked, answers those that may be absent. */
static void print_fields(const char *title, const struct api_field *fields, bool is_answer)
{
    if (!fields) return;
    if (title) printf("\n%s:\n", title);
    printf("\n");
    for (; fields->name; fields++) {
        printf("- `%s` (", fields->name);
        print_type(fields->type);
        print_limits(fields);
        printf("%s): %s\n",
               is_answer == fields->is_required ? ""
               : is_answer                      ? "; may be absent"
                                                : "; required",
               fields->text);
    }
}

static void print_object(const struct api_object *object)
{
    printf("\n### %s\n\n%s\n", object->name, object->text);
    if (object->one_of) {
        const char *words = object->one_of, *separator = "\nOne of ";
        struct fl_str word;

        while (api_word_next(&words, &word)) {
            char name[64];

            snprintf(name, sizeof name, FL_STR_FMT, FL_STR_ARG(word));
            printf("%s", separator);
            print_type(name);
            separator = ", ";
        }
        printf(".\n");
    }
    print_fields(NULL, object->fields, true);
    if (object->example) printf("\n```json\n%s\n```\n", object->example);
}

static const char *need_text(enum api_need need)
{
    switch (need) {
    case API_NEED_nothing:
        return "no token";
    case API_NEED_token:
        return "any token";
    case API_NEED_fleet:
        return "scope admin, for all queues";
    default:
        return api_need_name(need);
    }
}

static void print_route(const struct api_route *route)
{
    uint16_t problems[API_PROBLEMS_MAX];
    struct api_answer_header headers[API_ANSWER_HEADERS_MAX];
    size_t problems_len = api_route_problems(route, problems),
           headers_len = api_route_headers(route, headers);
    bool has_scope = route->need != API_NEED_nothing && route->need != API_NEED_token &&
                     route->need != API_NEED_fleet;

    printf("\n### %s %s\n\n", api_method_name(route->method), route->path);
    printf("%c%s. Needs %s%s; answers %u `%s`", route->text[0] & ~0x20, route->text + 1,
           has_scope ? "scope " : "", need_text(route->need), api_route_status(route),
           route->gives ? route->gives : "application/json");
    if (route->answer) {
        printf(", ");
        print_type(route->answer);
    }
    for (const struct api_also *also = route->also; also && also->status; also++) {
        printf("; or %u `%s`", also->status, also->gives ? also->gives : "application/json");
        if (also->answer) {
            printf(", ");
            print_type(also->answer);
        }
        printf(" (%s)", also->text);
    }
    printf(".\nProblems:");
    for (size_t i = 0; i < problems_len; i++) {
        printf("%s %u", i == 0 ? "" : ",", problems[i]);
    }
    printf(".\n");
    if (route->body_max > 0) {
        printf("Body: at most %zu bytes of %s", route->body_max,
               route->takes ? route->takes : "application/json");
        if (route->schema) {
            printf(", ");
            print_type(route->schema);
        }
        printf(".\n");
    }
    if (route->headers & API_TAKES_key) printf("Takes `Idempotency-Key`.\n");
    if (route->headers & API_TAKES_match) printf("Takes `If-Match`.\n");
    if (route->headers & API_TAKES_event_id) printf("Takes `Last-Event-ID`.\n");
    if (route->headers & API_TAKES_range) printf("Takes `Range`.\n");
    for (size_t i = 0; i < headers_len; i++) {
        printf("%s`%s`%s", i == 0 ? "Answers with " : ", ", headers[i].name,
               i + 1 == headers_len ? ".\n" : "");
    }
    print_fields("Query", route->query, false);
    print_fields("Body", route->body, false);
}

int main(void)
{
    const char *last = NULL;

    printf(
        "# REST reference\n\n"
        "Made by `docs/gen/api.c` from the routes in `controlplane/api`; change those, not this. "
        "How requests, tokens, errors\nand streams work is in [api.md](../api.md); the same "
        "routes as OpenAPI 3.1 are at `/v1/openapi.json`.\n");
    for (const struct api_resource *resource = api_v1.resources; resource->name; resource++) {
        if (!last || strcmp(last, resource->name) != 0) printf("\n## %s\n", resource->name);
        last = resource->name;
        for (const struct api_route *route = resource->routes; route->path; route++) {
            print_route(route);
        }
    }
    printf("\n## Objects\n");
    for (const struct api_object *const *object = api_v1.objects; *object; object++) {
        print_object(*object);
    }
    printf("\n## Errors\n\nThe `type` of a problem ends with its code.\n\n"
           "| code | status | |\n|---|---|---|\n");
#define FL_CODE(constant, name, meaning)                                                           \
    if ((constant) != FL_OK) {                                                                     \
        printf("| <a id=\"%s\"></a>%s | %u | %s |\n", name, name, api_status_of(constant),         \
               meaning);                                                                           \
    }
#include "shared/base/codes.def"
#undef FL_CODE
    printf("\n400, 401, 405, 406, 415 and 431 come before the core is asked; each says what is "
           "wrong.\n");
    return fflush(stdout) != 0;
}
