#include "controlplane/api/router.h"

#include <stdio.h>
#include <string.h>

/* Cuts the first segment, with its leading slash, off 'path'. */
static struct fl_str next_segment(struct fl_str *path)
{
    struct fl_str segment = {path->at + 1, 0};

    while (segment.len + 1 < path->len && segment.at[segment.len] != '/') {
        segment.len++;
    }
    path->at += segment.len + 1;
    path->len -= segment.len + 1;
    return segment;
}

static bool segment_matches(struct fl_str pattern, struct fl_str raw, struct api_match *match)
{
    const char *close =
        pattern.len > 0 && pattern.at[0] == '{' ? memchr(pattern.at, '}', pattern.len) : NULL;
    struct fl_str tail;

    if (!close) return fl_str_eq(pattern, raw);
    tail = (struct fl_str){close + 1, pattern.len - (size_t)(close + 1 - pattern.at)};
    if (raw.len <= tail.len ||
        !fl_str_eq(tail, (struct fl_str){raw.at + raw.len - tail.len, tail.len})) {
        return false;
    }
    raw.len -= tail.len;
    if (memchr(raw.at, ':', raw.len)) return false;
    match->params[match->params_len++] = raw;
    return true;
}

static bool path_matches(const char *path, struct fl_str raw, struct api_match *match)
{
    struct fl_str pattern = fl_str_c(path);

    match->params_len = 0;
    while (pattern.len > 0 && raw.len > 0) {
        if (raw.at[0] != '/') return false;
        if (!segment_matches(next_segment(&pattern), next_segment(&raw), match)) return false;
    }
    return pattern.len == 0 && raw.len == 0;
}

static void add_allowed(struct api_match *match, enum api_method method)
{
    size_t len = strlen(match->allow);

    snprintf(match->allow + len, sizeof match->allow - len, "%s%s%s", len > 0 ? ", " : "",
             api_method_name(method), method == API_GET ? ", HEAD" : "");
}

enum api_found api_route_find(const struct api_resource *resources, struct fl_str method,
                              struct fl_str path, struct api_match *ret_match)
{
    struct api_match match = {0};

    if (fl_str_eq(method, FL_STR("HEAD"))) method = FL_STR("GET");
    *ret_match = (struct api_match){0};
    for (; resources->name; resources++) {
        for (const struct api_route *route = resources->routes; route->path; route++) {
            if (!path_matches(route->path, path, &match)) continue;
            if (fl_str_eq(method, fl_str_c(api_method_name(route->method)))) {
                match.route = route;
                *ret_match = match;
                return API_FOUND;
            }
            add_allowed(ret_match, route->method);
        }
    }
    return ret_match->allow[0] ? API_NO_METHOD : API_NO_PATH;
}
