/* api_state.h - the state that the files of the API share, for them alone. */
#pragma once

#include "controlplane/api/call.h"
#include "controlplane/api/call_memory.h"
#include "controlplane/api/caller.h"
#include "controlplane/api/route_metrics.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"
#include "shared/io/loop.h"
#include "shared/tls/random.h"
#include "shared/wire/trace.h"

struct api_stream;
struct follower;
struct job_queue_map;
struct log_tail;
struct views_refill;

struct api {
    struct api_config config;
    struct api_parts parts;
    struct route_metrics *routes;        /* NULL: not counted */
    struct fl_map awaited;               /* calls whose body is on its way, by their handle */
    struct views_refill *refill;         /* NULL unless this is the first front's */
    struct fl_timer newest;              /* a read that failed is asked again */
    FL_VEC(struct follower *) followers; /* they follow events */
    uint64_t limited;                    /* so many of these see one queue; the map is there */
    struct job_queue_map *job_queues;    /* for them; else NULL */
    FL_VEC(struct log_tail *) tails;     /* they follow logs */
    struct call_memory memory;
    struct api_call *later_first, *later_last; /* their next slice is due */
    struct fl_timer later;
    int64_t sliced_us;                /* the turn, by fl_loop_now_us, that has had its slice */
    fl_ms rows_wanted_at;             /* the newest request that may become a follower */
    uint64_t batch_newest;            /* noticed; 0: none yet */
    uint64_t streams;                 /* open now, of events and logs */
    struct api_stream *streams_first; /* these */
    struct fl_map streams_of;         /* token id -> how many of these */
    struct fl_timer tokens_look;      /* on while there are some */
    struct fl_buf openapi;            /* its text, once it was asked for */
    struct api_callers callers;
    struct fl_traces traces;      /* name the calls in problem answers */
    struct fl_timer denials_look; /* on while refusals are counted that no row tells of */
    uint64_t denials_told;        /* so many does a row tell of that is on its way */
};

/* The call is the request's watcher from now on. */
struct api_call *api_call_create(struct api *api, struct http_request *request);
/* Between on_head and on_request. */
void api_call_await(struct api_call *call);
struct api_call *api_call_awaited(struct api *api, struct http_request *request);
/* It is about to be answered, or to stream, with this status; 0: it never will. */
void api_call_count(struct api_call *call, unsigned status);
/* The timer 'later' is due, and the API ends. */
void api_call_go_on(void *api);
void api_call_forget_later(struct api *api);
/* Gives its request to a stream; the call stays until api_drop. */
struct http_request *api_call_release(struct api_call *call);
/* Before the core is asked about something that is then followed: no notice behind the core's
 * answer may lack its rows. */
void api_want_rows(struct api *api);
/* job_logs.c */
void api_logs_settle(struct api *api, struct fl_job job);
/* Jobs may have ended without a notice: a term began, or one came without its rows. */
void api_logs_catch_up(struct api *api);
void api_logs_fini(struct api *api);

/* denial_audit.c: the call is about to be refused, with this outcome; and a timer's function. */
void api_audit_denial(struct api_call *call, const char *outcome);
void api_denials_look(void *api);

/* first_start.c: when the views are filled. */
void api_first_start(void *api);
/* events.c: a timer's function. */
void api_ask_newest(void *api);
void api_fail_place(struct api_call *call, unsigned status, struct fl_place at,
                    const struct fl_err *err);
size_t api_problem_errors(const struct fl_problems *problems, struct api_problem_error *ret);
