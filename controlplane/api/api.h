/* api.h - the REST API of one front thread: requests in, answers and streams out.
 * Its answers and parameters are in the tables of routes (route.h); docs/reference/api.md is made
 * from them.  Decisions and live state come from the core through pending_requests.h, ended work
 * from the store's reader, log bytes from the log store.  All of one front's API runs on the
 * front's loop; the fronts share token_table and directory. */
#pragma once

#include "controlplane/api/page.h"
#include "controlplane/http/limits.h"
#include "controlplane/http/request.h"
#include "shared/base/types.h"

struct api; /* opaque */
struct api_tables;
struct pending_requests;
struct core_batch;
struct directory;
struct engine_event;
struct fl_loop;
struct fl_metrics;
struct identity;
struct log_front;
struct visit_order;
struct reader;
struct token_table;

/* How the control plane is, for readyz. */
struct api_health {
    bool is_leading;
    char why[256]; /* it does not lead; else empty */
    uint64_t epoch;
    uint64_t turn_longest_us;
    uint64_t waiting;     /* events that wait for the engine thread */
    const char *database; /* "ok", "lost" or "full" */
    uint64_t commits;
    uint64_t commit_longest_ms;
    uint64_t disk_free_bytes, disk_total_bytes;    /* where logs and keys lie; 0: not known */
    bool is_disputed;                              /* agents know of a later database */
    uint64_t losses, lost_jobs_min, lost_jobs_max; /* see struct engine_loss */
    bool is_log_disk_full;                         /* the log store has stopped for want of room */
};

/* All are borrowed and outlive the API. */
struct api_parts {
    const struct api_tables *tables; /* served by it */
    struct fl_loop *loop;
    struct pending_requests *pending;
    struct views *views;
    struct token_table *tokens;  /* the views' */
    struct directory *directory; /* the views' */
    struct identity *identity;
    struct reader *reader;
    void (*asked)(void *ctx); /* after each question to the reader */
    void *asked_ctx;
    void (*want_rows)(void *ctx); /* notices carry rows from now on, until api_wants_rows says no */
    void *want_rows_ctx;
    struct log_front *logs;
    void (*visit)(void *ctx, struct visit_order *order); /* takes it over (visits.h) */
    void *visit_ctx;
    bool is_first;        /* the first front fills the views, which all share, when a term begins */
    bool must_make_token; /* a first token even if there is one, once */
    /* Makes the first token: its event (bootstrap_token.h). */
    bool (*first_token)(void *ctx, struct engine_event **ret_event, struct fl_err *err);
    void *first_token_ctx;
    void (*health)(void *ctx, struct api_health *ret_health);
    void *health_ctx;
    struct fl_metrics *metrics; /* with route_metric_families in them; NULL: nothing is counted */
};

struct call_budget;
struct denial_budget;
struct session_table;

struct api_config {
    struct http_limits limits;
    const char *api_url;            /* addresses in a join token; kept by the caller */
    const char *tunnel_address;     /* the same: "host:port" */
    uint32_t followers_max;         /* streams of this front */
    uint32_t heartbeat_ms;          /* a comment in a stream that is silent: 15 s at most */
    uint32_t query_ms;              /* a read that takes longer is answered with 503 */
    fl_ms token_life_max;           /* for a token that is made */
    struct call_budget *budget;     /* shared by all fronts, kept by the caller */
    struct denial_budget *denials;  /* the same */
    struct session_table *sessions; /* the same */
    struct page_cookie cookie;      /* the sessions' */
    fl_ms log_grace_ms;         /* how long readers of an ended job wait for output still to come */
    uint32_t default_cpu_milli; /* v1/default_cpu.h, where the queue has none */
};

struct api *api_create(const struct api_config *config, const struct api_parts *parts);
void api_destroy(struct api *api); /* after the http server; NULL is fine */

struct http_port api_port(struct api *api);

/* The notices of one letter follow: their cost is counted together, from here on. */
void api_turn(struct api *api);
/* A batch was committed.  'rows' are its rows as the journal has them, borrowed for the call, or
 * empty when none were wanted. */
void api_notice(struct api *api, uint64_t batch, fl_ms at, struct fl_str rows);
/* It has followers of events or logs, or had a request of theirs lately. */
bool api_wants_rows(const struct api *api);
/* A term began: the views are filled anew.  'is_lost': notices were lost meanwhile. */
void api_began(struct api *api, bool is_lost);

uint64_t api_streams(const struct api *api); /* open now */
