/* call.h - one request on its way through the API, as the handlers of routes see it.
 * A handler answers now, or asks the core or the store and answers from what is called then.  A
 * call lives until it was answered and nothing it asked for is outstanding; when the peer went
 * away, what comes for it is dropped.  All it needs is in its arena. */
#pragma once

#include "controlplane/api/api.h"
#include "controlplane/api/problem.h"
#include "controlplane/api/router.h"
#include "controlplane/api/session_table.h"
#include "controlplane/core/core_command.h"
#include "controlplane/engine/engine_event.h"
#include "controlplane/views/token_table.h"
#include "shared/base/arena.h"
#include "shared/json/json_out.h"
#include "shared/spec/problems.h"
#include "shared/wire/trace.h"

enum { API_VALUES_MAX = 25000 /* in one body or line, so that no turn is long */ };
enum { API_HEADERS_MAX = 6, API_ANSWER_BYTES_MAX = 32 << 20 };

_Static_assert(FL_TRACE_MAX == ROW_TRACE_BYTES_MAX + 1, "a row of the audit has the same trace");

struct api_call {
    struct api *api;
    const struct api_config *config;
    const struct api_parts *parts;
    struct http_request *request; /* NULL: answered, or the peer went away */
    struct http_handle handle;
    struct api_match match;
    const struct api_route *route;
    struct fl_str params[API_PARAMS_MAX]; /* decoded */
    struct http_query query;
    struct fl_str body;
    struct fl_str as;            /* the person for whom it acts; empty: its token's owner */
    struct token_grant token;    /* the caller's; zeroed without one, on routes that take that */
    char trace_id[FL_TRACE_MAX]; /* the peer's own, by 'traceparent', or one of ours */
    bool is_traced;              /* it is the peer's own */
    bool is_page;                /* it shows the cookie of 'session' in place of a token */
    struct session session;
    fl_ms now, wall; /* when it came */
    fl_ms at;        /* the same, in the core's time */
    struct fl_arena arena;
    struct fl_buf out;
    struct fl_json_out json;
    struct fl_http_field headers[API_HEADERS_MAX]; /* further ones of the answer */
    size_t headers_len;
    const char *tag;      /* its ETag begins with this and a dot; NULL: it is a hash alone */
    bool is_replay;       /* the answer says that a key was used before */
    bool is_hidden;       /* it asked for an object that its token may not see */
    uint32_t outstanding; /* questions whose answer has not come */
    void *state;          /* the handler's own, from the arena */
    /* The peer went away, or the call is over otherwise: frees what is not in its arena; once.
     * NULL is fine. */
    void (*on_end)(struct api_call *call);
    size_t counted;       /* bytes, in the budget of all requests */
    int64_t slice_end_us; /* by fl_clock_mono_us */
    void (*later)(struct api_call *call);
    struct api_call *later_next;
};

/* ---- its request ----------------------------------------------------------------------------- */

/* The value of a query field; empty when it is not given. */
struct fl_str api_query(const struct api_call *call, const char *name);
bool api_query_has(const struct api_call *call, const char *name);
/* A number or a flag of the query, checked by the route's table; else its preset, or false. */
uint64_t api_query_u64(const struct api_call *call, const char *name);
bool api_query_flag(const struct api_call *call, const char *name);
/* False: the call was answered with what is wrong. */
FL_CHECK bool api_param_job(struct api_call *call, struct fl_job *ret_job);
struct fl_str api_header(const struct api_call *call, const char *name);

/* The body as JSON, an object whose members are as the route's table says, unless
 * the route names a schema of its own.  NULL: it was answered with what is wrong, and the call is
 * gone.  An empty body is an empty object when 'may_be_empty'. */
const struct fl_json *api_body_json(struct api_call *call, bool may_be_empty);

/* ---- answering, once ------------------------------------------------------------------------- */

struct fl_json_out *api_json(struct api_call *call); /* begins the answer's body */
void api_answer(struct api_call *call); /* the text of api_json, with the route's status */
void api_answer_as(struct api_call *call, unsigned status, const char *content_type,
                   struct fl_str body);
void api_header_add(struct api_call *call, const char *name, struct fl_str value);
void api_fail(struct api_call *call, enum fl_code code, const char *fmt, ...) FL_PRINTF(3, 4);
void api_fail_status(struct api_call *call, unsigned status, enum fl_code code, const char *fmt,
                     ...) FL_PRINTF(4, 5);
/* One thing is wrong: in the body, where 'pointer' (RFC 6901) says; or a parameter of the path or
 * the query, or a header, by its name. */
typedef void api_fail_one(struct api_call *call, const char *where, const char *detail,
                          struct fl_str got, const char *allowed);
api_fail_one api_fail_at, api_fail_parameter, api_fail_header;
/* The body or the query names something that is not there: 422 with the code absent, since 404 is
 * for the path. */
void api_fail_absent_at(struct api_call *call, const char *where, const char *detail,
                        struct fl_str got);
void api_fail_absent_parameter(struct api_call *call, const char *where, const char *detail,
                               struct fl_str got);
void api_fail_problems(struct api_call *call, const struct fl_problems *problems);
/* The token leaves too much of its answers unread. */
void api_fail_unsent(struct api_call *call);
void api_absent(struct api_call *call); /* 404, also for what may not be seen */
/* Whether the call's token may see that queue; if not, the refusal that follows is audited. */
bool api_sees_queue(struct api_call *call, struct fl_str queue);

/* ---- asking the core ------------------------------------------------------------------------- */

/* The person for whom the call acts: by its header Fairlead-As, which asks for a right; else the
 * owner of its token, or the token's name where it has none. */
struct fl_str api_owner(const struct api_call *call);

/* For the audit: the token that asks, and for whom; 'api' without one. */
const char *api_actor(const struct api_call *call, struct fl_arena *arena);

/* With tenant, actor, owner, address and trace of the call. */
struct engine_event *api_event(struct api_call *call, enum core_event_kind kind);

/* 'then' is called unless the peer went away meanwhile.  With another code than FL_OK the call is
 * answered with that as a problem, and 'then' is not called. */
typedef void api_then(struct api_call *call, const struct core_answer *answer);
void api_ask(struct api_call *call, struct engine_event *event, api_then *then);
/* The same, but 'then' is called for every code. */
void api_ask_any(struct api_call *call, struct engine_event *event, api_then *then);

/* For a question that is asked elsewhere: between hold and drop the call stays.  False from
 * api_drop: the peer went away or the call was answered, and it may be gone now. */
void api_hold(struct api_call *call);
FL_CHECK bool api_drop(struct api_call *call);

/* ---- long work, in slices -------------------------------------------------------------------- */

/* Work that a large request makes long stops when its slice is over, and goes on in a later turn of
 * the front, so that others have theirs. */
enum { API_SLICE_US = 4000 };

bool api_slice_is_over(const struct api_call *call);
/* Calls 'then' with a slice of its own, unless the peer went away.  A turn of the front has one
 * slice for all calls: 'then' is called at once if it is free and no other call waits for one. */
void api_in_slices(struct api_call *call, void (*then)(struct api_call *call));
/* The slice is over: 'then' is called with a new one, in a later turn. */
void api_later(struct api_call *call, void (*then)(struct api_call *call));

/* Counts what the call holds by now, before it waits for anything: api_ask does by itself.  False:
 * all requests together hold too much; nothing was answered. */
FL_CHECK bool api_count_memory(struct api_call *call, struct fl_err *err);

/* One token as an object; 'secret' is its text, once, else NULL. */
void api_token_write(struct fl_json_out *json, const char *key, const struct token_grant *token,
                     const char *secret);
