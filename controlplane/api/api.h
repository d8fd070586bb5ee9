/* api.h - the REST API of one front thread: requests in, answers and streams out.
 * What it says and takes is in the tables of routes (route.h); docs/reference/api.md is made from them.
 * Decisions and live state come from the core through ask.h, ended work from the store's reader, log bytes
 * from the log store.  All of one front's API runs on the front's loop; what fronts share is token_table and
 * directory. */
#pragma once

#include "controlplane/http/limits.h"
#include "controlplane/http/request.h"
#include "shared/base/types.h"

struct api; /* opaque */
struct ask;
struct core_batch;
struct directory;
struct engine_event;
struct fl_loop;
struct fl_metrics;
struct identity;
struct log_front;
struct reader;
struct token_table;

/* How the control plane is, for readyz. */
struct api_health {
    bool is_leading;
    char why[256]; /* it does not lead; else empty */
    uint64_t epoch;
    uint64_t turn_longest_us;
    uint64_t waiting;     /* events */
    const char *database; /* "ok", "lost" or "full" */
    uint64_t commits;
    uint64_t commit_longest_ms;
    uint64_t disk_free_bytes, disk_total_bytes; /* where logs and keys lie; 0: not known */
    bool is_log_disk_full;                      /* the log store has stopped for want of room */
};

/* All are borrowed and outlive the API. */
struct api_parts {
    struct fl_loop *loop;
    struct ask *ask;
    struct token_table *tokens;
    struct directory *directory;
    struct identity *identity;
    struct reader *reader;
    void (*asked)(void *ctx); /* after each question to the reader */
    void *asked_ctx;
    struct log_front *logs;
    bool is_first; /* of the fronts: it fills what they share when a term begins */
    /* Makes the first token: its event (front_first.h). */
    bool (*first_token)(void *ctx, struct engine_event **ret_event, struct fl_err *err);
    void *first_token_ctx;
    void (*health)(void *ctx, struct api_health *ret_health);
    void *health_ctx;
    struct fl_metrics *metrics; /* with route_metric_families in them; NULL: nothing is counted */
};

struct api_config {
    struct http_limits limits;
    const char *api_url;        /* what a join token tells agents; kept by the caller */
    const char *tunnel_address; /* the same: "host:port" */
    uint32_t followers_max;     /* streams of this front */
    uint32_t heartbeat_ms;      /* a comment in a stream that is silent: 15 s at most */
    uint32_t query_ms;          /* a read that takes longer is answered with 503 */
};

struct api *api_create(const struct api_config *config, const struct api_parts *parts);
void api_destroy(struct api *api); /* after the http server; NULL is fine */

struct http_port api_port(struct api *api);

/* Rows that were committed, as they follow each other in the journal: for those who follow events.  The
 * bytes are borrowed for the call. */
void api_notice(struct api *api, uint64_t batch, fl_ms at, struct fl_str rows);
/* A term began: what fronts share is filled anew.  'is_lost': notices were lost meanwhile. */
void api_began(struct api *api, bool is_lost);

uint64_t api_streams(const struct api *api); /* open now */
