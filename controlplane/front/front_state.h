/* front_state.h - the state that the files of a front share, for them alone. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "controlplane/dashboard/pages.h"
#include "controlplane/front/attempt_owner_cache.h"
#include "controlplane/front/engine_feed.h"
#include "controlplane/front/front.h"
#include "controlplane/front/front_outbox.h"
#include "controlplane/front/pending_requests.h"
#include "controlplane/front/spec_cache.h"
#include "controlplane/front/start_reads.h"
#include "controlplane/http/server.h"
#include "controlplane/logs/log_front.h"
#include "controlplane/tunnel/log_stream.h"
#include "controlplane/visits/visits.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"
#include "shared/io/loop.h"

struct front {
    struct front_config config;
    struct front_shared shared;
    pthread_t thread;
    bool is_started;
    struct fl_loop *loop;
    struct fl_mailbox *mailbox;
    struct front_outbox *outbox; /* the engine thread fills it */
    struct outbox_letter drain_letter;
    struct pending_requests *pending;
    struct fl_timer requests_timer, tick;
    struct engine_feed feed;
    struct pages pages; /* the http server's door */
    struct http_server *http;
    struct api *api;
    struct tunnel_server *tunnels;
    struct log_front *logs;
    struct visits *visits;
    struct front_reader *reader;
    atomic_bool must_drain; /* any thread sets it */
    bool is_draining;
    fl_ms drain_at; /* when what is left is cut */
    bool is_http_drained;

    /* front_tunnel.c */
    struct start_reads *starts;
    struct fl_after close_broken;
    struct attempt_owner_cache *owners;
    struct log_stream_ports log_stream;
    struct fl_stream_kind stream_kinds[3]; /* the table of streams, but for the tunnel's own */
    struct fl_map log_clusters;            /* connection -> cluster, of those that sent logs */
    FL_VEC(struct fl_cluster) broken;      /* to be closed: they broke a rule of the LOG stream */
    struct fl_buf document, params;        /* find_spec's copies, for one call */

    /* Figures for other threads. */
    atomic_uint_fast64_t connections, requests, streams, tunnels_up, tunnels_held, unsent_bytes;
    atomic_uint_fast64_t turn_longest_cpu_us;
    atomic_uint_fast64_t claims_refused[HTTP_CLAIMS_LEN];
    _Atomic(struct ssl_ctx_st *) tls_next; /* to be taken at the next tick */
};

/* front_tunnel.c: the tunnels' questions to a front. */
void front_tunnel_init(struct front *front);
void front_tunnel_fini(struct front *front);
struct tunnel_server_ports front_tunnel_ports(struct front *front);
struct log_front_ports front_log_ports(struct front *front);

/* front_visits.c: makes the visits, and the API's way to them. */
void front_visits_init(struct front *front, struct api_parts *parts);
