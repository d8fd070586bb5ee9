/* front_state.h - what the files of a front share and nobody else sees. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "controlplane/ask.h"
#include "controlplane/front.h"
#include "controlplane/front_owners.h"
#include "controlplane/front_post.h"
#include "controlplane/front_specs.h"
#include "controlplane/http/server.h"
#include "controlplane/logs/log_front.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"
#include "shared/io/loop.h"

/* A START whose document is being read. */
struct front_start {
    uint64_t ticket;
    struct fl_job job;
};

struct front {
    struct front_config config;
    struct front_shared shared;
    pthread_t thread;
    bool is_started;
    struct fl_loop *loop;
    struct fl_mailbox *mailbox;
    struct front_post *post; /* the engine thread's */
    struct post_letter drain_letter;
    struct ask *ask;
    struct fl_timer ask_timer, tick;
    struct fl_after wake; /* the engine, of all that a turn adopted */
    struct http_server *http;
    struct api *api;
    struct tunnel_server *tunnels;
    struct log_front *logs;
    struct front_reader *reader;
    atomic_bool must_drain; /* any thread's word */
    bool is_draining;
    fl_ms drain_at; /* when what is left is cut */
    bool is_http_drained;

    /* front_tunnel.c */
    FL_VEC(struct front_start) starts; /* gathered until the end of the turn */
    struct fl_after read_starts, close_broken;
    struct front_owners *owners;
    struct fl_map log_clusters;       /* connection -> cluster, of those that sent logs */
    FL_VEC(struct fl_cluster) broken; /* to be closed: they broke a rule of the LOG stream */
    struct fl_buf document, params;   /* of the answer of one 'spec' */

    /* Figures for other threads. */
    atomic_uint_fast64_t connections, requests, streams, tunnels_up, tunnels_held;
    _Atomic(struct ssl_ctx_st *) tls_next; /* to be taken at the next tick */
};

bool front_adopt(void *ctx, struct engine_event *event, struct fl_err *err);

/* front_tunnel.c: what the tunnels ask of a front. */
void front_tunnel_init(struct front *front);
void front_tunnel_fini(struct front *front);
struct tunnel_server_ports front_tunnel_ports(struct front *front);
struct log_front_ports front_log_ports(struct front *front);
