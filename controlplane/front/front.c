#include "controlplane/front/front_state.h"

#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "controlplane/api/v1/resources.h"
#include "controlplane/front/bootstrap_token.h"
#include "controlplane/front/front_reader.h"
#include "controlplane/views/views.h"
#include "shared/base/alloc.h"
#include "shared/io/log.h"

enum { MAILBOX_MAX = 10000, TICK_MS = 1000 };

/* ---- time ------------------------------------------------------------------------------------ */

static void on_request_due(void *ctx)
{
    struct front *front = ctx;

    pending_requests_tick(front->pending, fl_loop_now(front->loop));
    if (pending_requests_waiting(front->pending) > 0) {
        fl_timer_at(&front->requests_timer, pending_requests_deadline(front->pending));
    }
}

/* Requests leave through this, so that the timer knows of the first that waits. */
static bool adopt_request(void *ctx, struct engine_event *event, struct fl_err *err)
{
    struct front *front = ctx;

    if (!fl_timer_is_on(&front->requests_timer)) {
        fl_timer_in(&front->requests_timer, front->config.answer_ms);
    }
    return engine_feed_put(&front->feed, event, err);
}

static void on_http_drained(void *ctx)
{
    struct front *front = ctx;

    front->is_http_drained = true;
}

static void begin_drain(struct front *front)
{
    if (front->is_draining) return;
    front->is_draining = true;
    front->drain_at = fl_loop_now(front->loop) + front->config.drain_ms;
    http_server_drain(front->http, front->config.drain_ms, on_http_drained, front);
    visits_drain(front->visits);
    tunnel_server_drain(front->tunnels);
    fl_timer_in(&front->tick, 1);
}

static void take_certificate(struct front *front)
{
    struct ssl_ctx_st *tls = atomic_exchange(&front->tls_next, NULL);
    struct fl_err err = {0};

    if (!tls) return;
    if (!http_server_renew_tls(front->http, tls, &err)) {
        fl_log(FL_LOG_ERROR, "front", "certificate_not_taken", FL_LOG_ERR(&err));
    }
    SSL_CTX_free(tls);
    if (!tunnel_server_reload(front->tunnels, &err)) {
        fl_log(FL_LOG_ERROR, "front", "tunnel_certificate_not_taken", FL_LOG_ERR(&err));
    }
}

static void end_if_drained(struct front *front)
{
    bool is_late = fl_loop_now(front->loop) >= front->drain_at;

    if (!front->is_draining) return;
    if (is_late || (front->is_http_drained && visits_len(front->visits) == 0 &&
                    tunnel_server_stats(front->tunnels).connections == 0)) {
        fl_loop_stop(front->loop);
    }
}

static void on_tick(void *ctx)
{
    struct front *front = ctx;
    struct http_counts counts = http_server_counts(front->http);
    struct tunnel_server_stats tunnels = tunnel_server_stats(front->tunnels);

    atomic_store(&front->connections, counts.connections);
    atomic_store(&front->requests, counts.requests);
    atomic_store(&front->streams, counts.streams);
    atomic_store(&front->unsent_bytes, counts.unsent_bytes);
    atomic_store(&front->turn_longest_cpu_us, (uint64_t)fl_loop_longest_cpu_us(front->loop));
    for (int i = 0; i < HTTP_CLAIMS_LEN; i++) {
        atomic_store(&front->claims_refused[i], counts.claims_refused[i]);
    }
    atomic_store(&front->tunnels_up, tunnels.sessions);
    atomic_store(&front->tunnels_held, tunnels.held);
    front_outbox_want_rows(front->outbox, api_wants_rows(front->api));
    take_certificate(front);
    if (atomic_load(&front->must_drain)) begin_drain(front);
    end_if_drained(front);
    fl_timer_in(&front->tick, front->is_draining ? 50 : TICK_MS);
}

/* ---- the engine thread's letters ------------------------------------------------------------- */

static void handle_send(struct front *front, enum outbox_kind kind, const struct core_send *send)
{
    if (kind == OUTBOX_SEND) {
        if (send->kind == CORE_SEND_start) {
            attempt_owner_cache_started(front->owners, send->attempt, send->cluster);
        }
        tunnel_server_send(front->tunnels, send);
    } else {
        tunnel_server_superseded(front->tunnels, send->cluster, send->session_epoch,
                                 send->connection);
    }
}

static void take_item(struct front *front, struct outbox_letter *letter,
                      const struct outbox_item *item)
{
    switch (item->kind) {
    case OUTBOX_ANSWER:
        pending_requests_answer(front->pending, &letter->effects->effects.at[item->effect].answer);
        break;
    case OUTBOX_SEND:
    case OUTBOX_SUPERSEDED:
        handle_send(front, item->kind, &letter->effects->effects.at[item->effect].send);
        break;
    case OUTBOX_LOST:
    case OUTBOX_BEGAN:
        tunnel_server_began(front->tunnels);
        api_began(front->api, item->kind == OUTBOX_LOST);
        break;
    case OUTBOX_REFUSED:
        tunnel_server_refused(front->tunnels, item->cluster, item->code, item->text);
        break;
    case OUTBOX_CLOSE_CLUSTER:
        tunnel_server_close_cluster(front->tunnels, item->cluster, FL_DENIED,
                                    "its certificate counts no more");
        break;
    case OUTBOX_NOTICE:
        api_notice(front->api, item->batch, item->at,
                   item->rows ? row_chunk_rows(item->rows) : (struct fl_str){0});
        break;
    }
}

static void on_letter(void *ctx, struct fl_letter *received)
{
    struct front *front = ctx;
    struct outbox_letter *letter = (struct outbox_letter *)received;

    if (letter->is_drain) {
        begin_drain(front);
        return;
    }
    api_turn(front->api);
    for (size_t i = 0; i < letter->items.len; i++) {
        take_item(front, letter, &letter->items.at[i]);
    }
    outbox_letter_free(letter);
}

struct visits *front_visits(struct front *front)
{
    return front->visits;
}

struct front_outbox *front_outbox(struct front *front)
{
    return front->outbox;
}

/* ---- its life -------------------------------------------------------------------------------- */

static bool first_token(void *ctx, struct engine_event **ret_event, struct fl_err *err)
{
    struct front *front = ctx;

    return bootstrap_token_make(front->shared.dir, front->shared.identity, ret_event, err);
}

static void want_rows(void *ctx)
{
    struct front *front = ctx;

    front_outbox_want_rows(front->outbox, true);
}

static bool open_http(struct front *front, struct fl_err *err)
{
    struct api_parts parts = {
        .tables = &api_v1,
        .loop = front->loop,
        .pending = front->pending,
        .views = front->shared.views,
        .tokens = front->shared.views->tokens,
        .directory = front->shared.views->directory,
        .identity = front->shared.identity,
        .reader = front_reader(front->reader),
        .asked = front_reader_asked,
        .asked_ctx = front->reader,
        .want_rows = want_rows,
        .want_rows_ctx = front,
        .first_token = first_token,
        .must_make_token = front->shared.must_make_token,
        .first_token_ctx = front,
        .logs = front->logs,
        .is_first = front->config.number == 1,
        .health = front->shared.health,
        .health_ctx = front->shared.health_ctx,
        .metrics = front->shared.metrics,
    };
    int fd = front->config.api_fd;

    front_visits_init(front, &parts);
    front->api = api_create(&front->config.api, &parts);
    front->http = http_server_create(front->loop, &front->config.api.limits,
                                     pages_port(&front->pages, api_port(front->api)), err);
    if (!front->http) return false;
    http_server_admit(front->http,
                      &(struct http_admission){.cpu_percent = front->config.handshake_cpu,
                                               .listeners = front->config.listeners,
                                               .descriptors = front->config.descriptors,
                                               .known = front->shared.known});
    front->config.api_fd = -1;
    return http_server_listen(front->http, fd, front->config.api_tls, err);
}

static bool open_tunnels(struct front *front, struct fl_err *err)
{
    struct tunnel_server_ports ports = front_tunnel_ports(front);

    front->config.tunnel.front = front->config.number;
    front->config.tunnel.listen_fd = front->config.tunnel_fd;
    front->config.tunnel_fd = -1;
    front->config.tunnel.known = front->shared.known;
    front->config.tunnel.handshakes.limits.cpu_percent = front->config.handshake_cpu;
    if (front->config.descriptors) {
        handshakes_share(&front->config.tunnel.handshakes, front->config.descriptors,
                         front->config.listeners);
    }
    front->tunnels = tunnel_server_create(front->loop, &front->config.tunnel, &ports, err);
    return front->tunnels != NULL;
}

struct front *front_create(const struct front_config *config, const struct front_shared *shared,
                           struct fl_err *err)
{
    struct front *front = fl_new(struct front);
    struct log_front_ports log_ports = front_log_ports(front);
    struct pending_requests_config pending = {
        .front = config->number,
        .waiting_max = config->waiting_max,
        .timeout_ms = config->answer_ms,
        .adopt = adopt_request,
        .adopt_ctx = front,
    };

    front->config = *config;
    front->shared = *shared;
    front->loop = fl_loop_create();
    front->mailbox = fl_mailbox_create(front->loop, MAILBOX_MAX, on_letter, front);
    front->outbox = front_outbox_create(front->mailbox);
    front->drain_letter.is_drain = true;
    engine_feed_init(&front->feed, front->loop);
    fl_timer_init(&front->requests_timer, front->loop, on_request_due, front);
    fl_timer_init(&front->tick, front->loop, on_tick, front);
    front->pending = pending_requests_create(&pending);
    front->logs = log_front_create(shared->logs, front->loop, &log_ports);
    front->reader = front_reader_create(front->loop, shared->conninfo);
    front_tunnel_init(front);
    if (!open_http(front, err) || !open_tunnels(front, err)) {
        front_destroy(front);
        return NULL;
    }
    return front;
}

static void *run(void *ctx)
{
    struct front *front = ctx;

    fl_timer_in(&front->tick, TICK_MS);
    fl_loop_run(front->loop);
    return NULL;
}

void front_start(struct front *front, struct engine_thread *engine)
{
    sigset_t all, before;
    char name[16];
    int failed;

    front->feed.engine = engine;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(&front->thread, NULL, run, front);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    fl_assert(failed == 0);
    snprintf(name, sizeof name, "fl-front-%u", front->config.number);
    pthread_setname_np(front->thread, name);
    front->is_started = true;
}

void front_drain(struct front *front)
{
    if (atomic_exchange(&front->must_drain, true)) return;
    /* A mailbox without room is no matter: the next tick looks. */
    if (!fl_mailbox_put(front->mailbox, &front->drain_letter.letter)) return;
}

void front_join(struct front *front)
{
    if (!front->is_started) return;
    pthread_join(front->thread, NULL);
    front->is_started = false;
}

void front_destroy(struct front *front)
{
    struct fl_letter *letter;
    struct ssl_ctx_st *tls;

    if (!front) return;
    front_join(front);
    if (front->config.api_fd >= 0) close(front->config.api_fd);
    if (front->config.tunnel_fd >= 0) close(front->config.tunnel_fd);
    fl_timer_off(&front->tick);
    fl_timer_off(&front->requests_timer);
    engine_feed_fini(&front->feed);
    http_server_destroy(front->http);
    visits_destroy(front->visits); /* without a word to the engine, which has ended */
    tunnel_server_destroy(front->tunnels);
    api_destroy(front->api);
    pending_requests_destroy(front->pending);
    log_front_destroy(front->logs);
    front_reader_destroy(front->reader);
    front_tunnel_fini(front);
    front_outbox_destroy(front->outbox);
    fl_mailbox_close(front->mailbox);
    while ((letter = fl_mailbox_take(front->mailbox))) {
        if (letter != &front->drain_letter.letter) {
            outbox_letter_free((struct outbox_letter *)letter);
        }
    }
    fl_mailbox_destroy(front->mailbox);
    tls = atomic_exchange(&front->tls_next, NULL);
    if (tls) SSL_CTX_free(tls);
    fl_loop_destroy(front->loop);
    fl_free(front);
}

void front_renew(struct front *front, struct ssl_ctx_st *api_tls)
{
    struct ssl_ctx_st *before;

    SSL_CTX_up_ref(api_tls);
    before = atomic_exchange(&front->tls_next, api_tls);
    if (before) SSL_CTX_free(before);
}

struct front_counts front_counts(const struct front *front)
{
    struct front_counts counts = {
        .connections = atomic_load(&front->connections),
        .requests = atomic_load(&front->requests),
        .streams = atomic_load(&front->streams),
        .tunnels = atomic_load(&front->tunnels_up),
        .tunnels_held = atomic_load(&front->tunnels_held),
        .unsent_bytes = atomic_load(&front->unsent_bytes),
        .turn_longest_cpu_us = atomic_load(&front->turn_longest_cpu_us),
    };

    for (int i = 0; i < HTTP_CLAIMS_LEN; i++) {
        counts.claims_refused[i] = atomic_load(&front->claims_refused[i]);
    }
    return counts;
}
