/* server_state.h - the fields of a server, for the files of this folder alone. */
#pragma once

#include "controlplane/handshakes/handshakes.h"
#include "controlplane/http/answer.h"
#include "controlplane/http/exchange.h"
#include "controlplane/http/server.h"
#include "controlplane/http/token_share.h"
#include "shared/base/slab.h"
#include "shared/base/vec.h"
#include "shared/io/clock.h"
#include "shared/io/loop.h"
#include "shared/wire/trace.h"

struct http_connection;
struct http_listener;

struct http_server {
    struct fl_loop *loop;
    struct http_limits limits;
    struct http_port port;
    FL_VEC(struct http_listener *) listeners;
    struct handshakes *handshakes; /* shared by all TLS listeners */
    struct ssl_ctx_st *tls;        /* theirs; NULL: there is none */

    struct fl_slab connections;
    struct http_connection *first;                          /* all of them, newest first */
    struct http_connection *stranger_first, *stranger_last; /* the oldest first */
    struct http_shares shares;
    int fd_max;            /* a connection with a higher descriptor is one too many */
    size_t share;          /* so many connections it may have where it is crowded */
    size_t crowded_places; /* the most connections, until crowded_until */
    fl_ms crowded_until;
    struct http_connection *dirty_first; /* those with work for the end of the turn, in order */
    struct http_connection *dirty_last;
    int64_t worked_us; /* fl_loop_now_us of the newest turn in which a connection had its turn */
    struct fl_after after;

    struct http_pool pool;
    struct http_date date;
    struct http_counts counts;
    struct fl_traces traces; /* name the refusals */

    bool is_draining;
    struct fl_timer drain_timer; /* cuts the remaining connections */
    void (*on_end)(void *ctx);   /* NULL once called */
    void *end_ctx;
};

/* After so much of a turn connections go on in the next one, so that others have theirs: one
 * request may take some milliseconds more. */
enum { HTTP_TURN_US = 3000 };

static inline bool http_server_is_late(const struct http_server *server)
{
    return fl_clock_mono_us() - fl_loop_now_us(server->loop) > HTTP_TURN_US;
}
