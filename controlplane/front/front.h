/* front.h - one front thread: its loop with the API's and the tunnels' listeners, and what they
 * stand on.  Clients' requests and agents' messages come in here, are parsed here, and leave to the
 * engine thread as events; the engine's effects come back through the front's outbox
 * (front_outbox.h).  Fronts share nothing but what front_shared names, which is thread-safe.
 *
 *   front_create (all listeners are open, nothing is served) -> front_start -> front_drain ->
 *   front_join -> front_destroy */
#pragma once

#include "controlplane/api/api.h"
#include "controlplane/core/core_command.h"
#include "controlplane/http/limits.h"
#include "controlplane/http/request.h"
#include "controlplane/tunnel/server.h"
#include "controlplane/visits/visits.h"

enum { FRONTS_MAX = 64 };

struct engine_thread;
struct known_addresses;
struct front; /* opaque */
struct front_outbox;
struct log_store;
struct spec_cache;
struct ssl_ctx_st;

/* All fronts' visits, by the fronts' numbers: filled before the first front starts. */
struct front_ring {
    struct visits *at[FRONTS_MAX];
    size_t len;
};

/* Borrowed; outlives the fronts. */
struct front_shared {
    struct views *views;
    struct identity *identity;
    struct log_store *logs;
    struct spec_cache *specs;
    struct known_addresses *known;
    const struct fl_state_dir *dir;
    const char *conninfo;
    bool must_make_token; /* api.h */
    const struct front_ring *ring;
    void (*health)(void *ctx, struct api_health *ret_health); /* any thread */
    void *health_ctx;
    struct fl_metrics *metrics; /* with route_metric_families in them, or NULL */
};

struct front_config {
    uint8_t number;             /* from 1 */
    int api_fd, tunnel_fd;      /* listening; ours from now on, also when it fails */
    struct ssl_ctx_st *api_tls; /* NULL: plain */
    struct api_config api;
    struct visits_config visits;
    struct tunnel_server_config tunnel; /* files and limits; the rest is filled in */
    uint32_t waiting_max, answer_ms, drain_ms;
    uint32_t handshake_cpu; /* percent */
    uint32_t listeners;     /* all fronts'; over 0 where descriptors are known */
    uint64_t descriptors;   /* the process's; a quarter is not for clients; 0: not known */
};

/* NULL: why is in 'err'. */
struct front *front_create(const struct front_config *config, const struct front_shared *shared,
                           struct fl_err *err);
void front_start(struct front *front, struct engine_thread *engine);

/* For the ring. */
struct visits *front_visits(struct front *front);

/* The engine thread puts its effects here; see front_outbox.h. */
struct front_outbox *front_outbox(struct front *front);

/* Any thread.  Listeners close, requests end, streams get a word; the thread ends at the latest
 * after drain_ms. */
void front_drain(struct front *front);
void front_join(struct front *front);    /* after front_drain */
void front_destroy(struct front *front); /* NULL is fine */

/* New connections get this certificate; any thread. */
void front_renew(struct front *front, struct ssl_ctx_st *api_tls);

struct front_counts {
    uint64_t connections, requests, streams, tunnels, tunnels_held, unsent_bytes;
    uint64_t claims_refused[HTTP_CLAIMS_LEN]; /* by enum http_claim */
    uint64_t turn_longest_cpu_us;
};
struct front_counts front_counts(const struct front *front); /* any thread; as of its last second */
