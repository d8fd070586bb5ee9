#include "controlplane/api/route.h"

#include <string.h>

#include "shared/base/enum_names.h"

FL_ENUM_NAMES(api_method_name, enum api_method, API_METHODS(FL_NAME))

FL_ENUM_NAMES(api_need_name, enum api_need, API_NEEDS(FL_NAME))

uint16_t api_route_status(const struct api_route *route)
{
    return route->status ? route->status : 200;
}

bool api_route_has_etag(const struct api_route *route)
{
    bool is_text = route->gives && (route->headers & API_TAKES_range) == 0;

    if ((route->headers & API_TAKES_match) != 0) return true;
    return route->method == API_GET && !is_text && strcmp(route->path, "/readyz") != 0;
}

size_t api_route_headers(const struct api_route *route,
                         struct api_answer_header ret[API_ANSWER_HEADERS_MAX])
{
    const struct {
        struct api_answer_header header;
        bool is_there;
    } all[] = {
        {{"ETag", "names this answer, for If-None-Match; a job's also for If-Match"},
         api_route_has_etag(route)},
        {{"Location", "where the job is"},
         route->method == API_POST && strcmp(route->path, "/v1/jobs") == 0},
        {{"Idempotent-Replayed", "true: a request with this key was done before; absent otherwise"},
         (route->headers & API_TAKES_key) != 0},
        {{"Content-Range", "lines a-b/total"}, (route->headers & API_TAKES_range) != 0},
        {{"X-Fairlead-Next-Line",
          "in one piece: the line behind it; absent when it has all that is stored"},
         (route->headers & API_TAKES_range) != 0},
        {{"X-Fairlead-Output", "complete, incomplete, or more: some is still to come"},
         (route->headers & API_TAKES_range) != 0},
    };
    size_t len = 0;

    _Static_assert(sizeof all / sizeof *all <= API_ANSWER_HEADERS_MAX, "there is room for all");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].is_there) ret[len++] = all[i].header;
    }
    return len;
}

size_t api_route_problems(const struct api_route *route, uint16_t ret[API_PROBLEMS_MAX])
{
    bool has_name = strchr(route->path, '{') != NULL;
    bool has_body = route->body_max > 0 || route->method == API_POST;
    bool is_exempt = route->need == API_NEED_nothing, asks = !is_exempt || route->body;
    bool is_stream = route->gives && strcmp(route->gives, "text/event-stream") == 0;
    bool has_key = (route->headers & API_TAKES_key) != 0;
    const struct {
        uint16_t status;
        bool may_be;
    } all[] = {
        {400, true},
        {401, !is_exempt},
        {403, true}, /* at least for a foreign page */
        {404, has_name},
        {406, is_stream},
        {409, route->may_conflict || has_key},
        {412, (route->headers & API_TAKES_match) != 0},
        {413, true},
        {415, has_body},
        {416, (route->headers & API_TAKES_range) != 0},
        {422, true},
        {429, asks},
        {500, asks},
        {503, asks},
        {507, asks && route->method != API_GET},
    };
    size_t len = 0;

    _Static_assert(sizeof all / sizeof *all <= API_PROBLEMS_MAX, "there is room for all");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].may_be) ret[len++] = all[i].status;
    }
    return len;
}
