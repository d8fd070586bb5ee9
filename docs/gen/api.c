/* api.c - prints docs/reference/api.md from the routes and the codes. */
#include <stdio.h>
#include <string.h>

#include "controlplane/api/problem.h"
#include "controlplane/api/resources.h"

static void print_fields(const char *title, const struct api_field *fields)
{
    if (!fields) return;
    printf("\n%s:\n\n", title);
    for (; fields->name; fields++) {
        printf("- `%s` (%s): %s\n", fields->name, fields->type, fields->text);
    }
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
    bool has_scope = route->need != API_NEED_nothing && route->need != API_NEED_token &&
                     route->need != API_NEED_fleet;

    printf("\n### %s %s\n\n", api_method_name(route->method), route->path);
    printf("%c%s. Needs %s%s; answers %u `%s`.\n", route->text[0] & ~0x20, route->text + 1,
           has_scope ? "scope " : "", need_text(route->need), route->status ? route->status : 200U,
           route->gives ? route->gives : "application/json");
    if (route->body_max > 0) {
        printf("Body: at most %zu bytes of %s%s.\n", route->body_max,
               route->takes ? route->takes : "application/json",
               route->schema ? ", [the job document](job.md)" : "");
    }
    print_fields("Query", route->query);
    print_fields("Body", route->body);
}

int main(void)
{
    printf(
        "# REST reference\n\n"
        "Made by `docs/gen/api.c` from the routes in `controlplane/api`; change those, not this. "
        "How requests, tokens, errors\nand streams work is told in [api.md](../api.md); the same "
        "routes as OpenAPI 3.1 are at `/v1/openapi.json`.\n");
    for (const struct api_resource *resource = api_resources; resource->name; resource++) {
        printf("\n## %s\n", resource->name);
        for (const struct api_route *route = resource->routes; route->path; route++) {
            print_route(route);
        }
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
