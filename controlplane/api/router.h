/* router.h - which route a request's method and raw path name.
 * Routing is by raw segments: a percent-encoded part is decoded once, afterwards, and only in the
 * parts that a pattern leaves open, so that no spelling of a path reaches another route than its
 * bytes say.  A pattern's segment is a literal, '{name}', or '{name}:verb'; '{name}' alone never
 * takes a segment that has a ':' in it.
 * Pure. */
#pragma once

#include "controlplane/api/route.h"
#include "shared/base/str.h"

enum { API_PARAMS_MAX = 4 };

enum api_found { API_FOUND, API_NO_PATH, API_NO_METHOD };

struct api_match {
    const struct api_route *route;
    struct fl_str params[API_PARAMS_MAX]; /* raw, in the order of the pattern */
    size_t params_len;
    char allow[48]; /* with API_NO_METHOD: "GET, POST" */
};

/* 'path' is what stands before '?', as it came.  HEAD is asked for as GET. */
enum api_found api_route_find(const struct api_resource *resources, struct fl_str method,
                              struct fl_str path, struct api_match *ret_match);
