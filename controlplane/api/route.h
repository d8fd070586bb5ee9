/* route.h - one route of the REST API, and the tables of all.
 * Each resource's file ends with an array of its routes; the router, the check of tokens,
 * openapi.json and docs/reference/api.md all read these arrays, so that none can say what another
 * does not do.
 * Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controlplane/api/schema.h"

struct api;
struct api_call;

#define API_METHODS(X) X(GET) X(POST) X(PATCH) X(DELETE)

enum api_method {
#define API_METHOD_ENUM(name) API_##name,
    API_METHODS(API_METHOD_ENUM)
#undef API_METHOD_ENUM
        API_METHODS_LEN
};

/* The right that a route asks of its caller.  'nothing' exempts these very paths, and none below
 * them; 'token' is any valid one; 'fleet' is admin, by a token that is not confined to a queue. */
#define API_NEEDS(X) X(nothing) X(token) X(read) X(submit) X(cancel) X(exec) X(admin) X(fleet)

enum api_need {
#define API_NEED_ENUM(name) API_NEED_##name,
    API_NEEDS(API_NEED_ENUM)
#undef API_NEED_ENUM
        API_NEEDS_LEN
};

/* body_max of routes whose bound is a setting: http_body_bytes_max, http_batch_bytes_max. */
enum { API_BODY = 1 << 20, API_BODY_BATCH = 8 << 20 };

/* Headers of a request that a route looks at, beside those of all. */
enum {
    API_TAKES_key = 1,      /* Idempotency-Key */
    API_TAKES_event_id = 2, /* Last-Event-ID */
    API_TAKES_range = 4,    /* Range */
    API_TAKES_match = 16,   /* If-Match */
    API_TAKES_as = 8,       /* Fairlead-As, with which any request may come, changes its answer */
};

#define API_HEADER_AS "Fairlead-As"

/* An answer of a route beside its first one. */
struct api_also {
    uint16_t status; /* 0 ends the list */
    const char *gives, *answer;
    const char *text;
};

struct api_route {
    const char *path; /* "/v1/jobs/{job}:cancel"; NULL ends the list */
    enum api_method method;
    enum api_need need;
    void (*run)(struct api_call *call);
    const char *id;   /* "cancelJob": its name in generated clients */
    const char *text; /* half a sentence for people */
    const struct api_field *query;
    const struct api_field *body;
    size_t body_max;    /* bytes; 0: a body is refused */
    const char *takes;  /* content types of the body, if not application/json alone */
    const char *schema; /* the body's type as in schema.h; NULL: made from 'body' */
    uint32_t headers;   /* API_TAKES_... */
    uint16_t status;    /* on success, if not 200 */
    const char *gives;  /* content type of the answer, if not application/json */
    const char *answer; /* its type; for text and streams, that of each line or event */
    const struct api_also *also;
    bool may_conflict; /* 409: its state does not allow it */
    bool takes_probes; /* also answers, by its status alone, a request that shows no token */
};

#define API_ROUTE(method_, path_, need_, run_, id_, text_, ...)                                    \
    {                                                                                              \
        .method = (method_), .path = (path_), .need = (need_), .run = (run_), .id = (id_),         \
        .text = (text_), ##__VA_ARGS__                                                             \
    }

struct api_resource {
    const char *name; /* the tag of its operations; several files may share one */
    const struct api_route *routes;
};

/* The routes and objects of a version of the API. */
struct api_tables {
    const struct api_resource *resources;    /* in the order of the docs; the last has name NULL */
    const struct api_object *const *objects; /* in bodies and answers; NULL ends the list */
    void (*end)(struct api *api);            /* ends its streams; NULL: there are none */
};

uint16_t api_route_status(const struct api_route *route); /* on success */
/* Its answers are named by an ETag. */
bool api_route_has_etag(const struct api_route *route);
/* The statuses of the problems it may answer, as its needs, path and body make them. */
enum { API_PROBLEMS_MAX = 16 };
size_t api_route_problems(const struct api_route *route, uint16_t ret[API_PROBLEMS_MAX]);

/* The headers of its first answer, beside those of all. */
struct api_answer_header {
    const char *name, *text;
};
enum { API_ANSWER_HEADERS_MAX = 6 };
size_t api_route_headers(const struct api_route *route,
                         struct api_answer_header ret[API_ANSWER_HEADERS_MAX]);

const char *api_method_name(enum api_method method);
const char *api_need_name(enum api_need need);
