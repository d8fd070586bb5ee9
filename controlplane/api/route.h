/* route.h - one route of the REST API, and the list of all.
 * Each resource's file ends with an array of its routes; the router, the check of tokens, openapi.json and
 * docs/reference/api.md all read these arrays, so that none can say what another does not do.
 * Types only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct api_call;

enum api_method { API_GET, API_POST, API_PATCH, API_DELETE, API_METHODS_LEN };

/* What a token may do.  A token has a set of these bits; admin includes all. */
enum api_scope {
    API_SCOPE_read = 1,
    API_SCOPE_submit = 2,
    API_SCOPE_cancel = 4,
    API_SCOPE_admin = 8,
};

/* What a route asks of its caller. */
enum api_need {
    API_NEED_nothing, /* exempt: these very paths, nothing below them */
    API_NEED_token,   /* any valid token */
    API_NEED_read,
    API_NEED_submit,
    API_NEED_cancel,
    API_NEED_admin,
    API_NEED_fleet, /* admin, by a token that is not confined to a queue */
    API_NEEDS_LEN
};

/* body_max of routes whose bound is a setting: http_body_bytes_max, http_batch_bytes_max. */
enum { API_BODY = 1 << 20, API_BODY_BATCH = 8 << 20 };

struct api_field {
    const char *name; /* NULL ends the list */
    const char *type; /* of JSON Schema: string, integer, boolean, array, object */
    const char *text;
};

struct api_route {
    const char *path; /* "/v1/jobs/{job}:cancel"; NULL ends the list */
    enum api_method method;
    enum api_need need;
    void (*run)(struct api_call *call);
    const char *text; /* what it does, half a sentence */
    const struct api_field *query;
    const struct api_field *body;
    size_t body_max;    /* bytes; 0: a body is refused */
    const char *takes;  /* content types of the body, if not application/json */
    const char *gives;  /* content type of the answer, if not application/json */
    const char *schema; /* of the body, a name below components/schemas; NULL: made from 'body' */
    uint16_t status;    /* of success, if not 200 */
};

#define API_ROUTE(method_, path_, need_, run_, text_, ...)                                         \
    {                                                                                              \
        .method = (method_), .path = (path_), .need = (need_), .run = (run_), .text = (text_),     \
        ##__VA_ARGS__                                                                              \
    }

struct api_resource {
    const char *name;
    const struct api_route *routes;
};

/* All of them, in the order of the docs; the last has name NULL. */
extern const struct api_resource api_resources[];

const char *api_method_name(enum api_method method);
const char *api_need_name(enum api_need need);
