#include "controlplane/front/fronts.h"

#include "controlplane/front/front_outbox.h"
#include "controlplane/front/pending_requests.h"
#include "controlplane/front/spec_cache.h"
#include "controlplane/views/directory.h"
#include "controlplane/views/token_table.h"
#include "controlplane/views/views.h"
#include "shared/base/alloc.h"
#include "shared/io/log.h"

struct fronts {
    struct front_shared shared;
    struct front_ring ring;
    struct front *at[FRONTS_MAX];
    size_t len;
    bool is_started;
};

/* ---- ports: the engine thread ---------------------------------------------------------------- */

static void on_began(void *ctx, uint64_t epoch, fl_ms core_ahead_ms)
{
    struct fronts *fronts = ctx;

    token_table_set_time(fronts->shared.views->tokens, core_ahead_ms);
    fl_log(FL_LOG_INFO, "engine", "leading", FL_LOG_N("epoch", epoch));
    for (size_t i = 0; i < fronts->len; i++) {
        front_outbox_word(front_outbox(fronts->at[i]), OUTBOX_BEGAN, (struct fl_cluster){0}, FL_OK,
                          NULL);
    }
}

static void on_answer(void *ctx, const struct core_answer *answer)
{
    struct fronts *fronts = ctx;
    struct core_effect effect = {.kind = CORE_ANSWER, .answer = *answer};
    size_t number = pending_requests_front_of(answer->request);

    if (number == 0 || number > fronts->len) return; /* the main thread's: it looks for itself */
    front_outbox_effect(front_outbox(fronts->at[number - 1]), OUTBOX_ANSWER, &effect);
}

static void on_send(void *ctx, const struct core_send *send)
{
    struct fronts *fronts = ctx;
    struct core_effect effect = {.kind = CORE_SEND, .send = *send};
    bool is_session = send->kind == CORE_SEND_welcome || send->kind == CORE_SEND_resync;
    size_t number = tunnel_server_front(send->connection);

    for (size_t i = 0; i < fronts->len; i++) {
        if (i + 1 == number) {
            front_outbox_effect(front_outbox(fronts->at[i]), OUTBOX_SEND, &effect);
        } else if (is_session) {
            front_outbox_effect(front_outbox(fronts->at[i]), OUTBOX_SUPERSEDED, &effect);
        }
    }
}

/* The row is a cluster's, and its certificates count. */
static bool is_open(const struct fronts *fronts, const struct row *row)
{
    struct directory_cluster cluster;

    return row->kind == ROW_cluster_put &&
           directory_cluster(fronts->shared.views->directory,
                             (struct fl_cluster){row->cluster_put.cluster}, &cluster) &&
           cluster.access == CORE_ACCESS_open;
}

static void on_notice(void *ctx, const struct core_batch *batch)
{
    struct fronts *fronts = ctx;
    struct fl_str body = {(const char *)batch->body.at, batch->body.len};
    struct row_chunk *rows = NULL; /* one for all fronts that want rows */

    for (size_t i = 0; i < batch->rows.len; i++) {
        const struct row *row = &batch->rows.at[i];

        bool was_open = is_open(fronts, row);

        views_apply(fronts->shared.views, row);
        spec_cache_apply(fronts->shared.specs, row);
        if (!was_open || is_open(fronts, row)) continue;
        for (size_t f = 0; f < fronts->len; f++) {
            front_outbox_word(front_outbox(fronts->at[f]), OUTBOX_CLOSE_CLUSTER,
                              (struct fl_cluster){row->cluster_put.cluster}, FL_DENIED, NULL);
        }
    }
    for (size_t i = 0; i < fronts->len; i++) {
        struct front_outbox *outbox = front_outbox(fronts->at[i]);
        bool wants_rows = front_outbox_wants_rows(outbox);

        if (wants_rows && !rows) rows = row_chunk_create(body);
        front_outbox_notice(outbox, batch->number, batch->at, wants_rows ? rows : NULL);
    }
    row_chunk_release(rows);
}

static void on_refused(void *ctx, struct fl_cluster cluster, enum fl_code code, const char *text)
{
    struct fronts *fronts = ctx;

    for (size_t i = 0; i < fronts->len; i++) {
        front_outbox_word(front_outbox(fronts->at[i]), OUTBOX_REFUSED, cluster, code, text);
    }
}

static void on_quarantine(void *ctx, const struct core_event *event, const char *why)
{
    (void)ctx;
    fl_log(FL_LOG_ERROR, "engine", "quarantined", FL_LOG_S("kind", core_event_name(event->kind)),
           FL_LOG_N("request", event->request), FL_LOG_STR("actor", event->actor),
           FL_LOG_S("why", why));
}

static void on_trouble(void *ctx, const char *what, const char *text)
{
    (void)ctx;
    fl_log(FL_LOG_WARN, "store", "trouble", FL_LOG_S("what", what), FL_LOG_S("text", text));
}

static void on_turned(void *ctx)
{
    struct fronts *fronts = ctx;

    for (size_t i = 0; i < fronts->len; i++) {
        front_outbox_flush(front_outbox(fronts->at[i]));
    }
}

struct engine_thread_ports fronts_ports(struct fronts *fronts)
{
    return (struct engine_thread_ports){
        .engine = {.ctx = fronts,
                   .began = on_began,
                   .answer = on_answer,
                   .send = on_send,
                   .notice = on_notice,
                   .quarantine = on_quarantine},
        .ctx = fronts,
        .refused = on_refused,
        .trouble = on_trouble,
        .turned = on_turned,
    };
}

/* ---- their life: the main thread ------------------------------------------------------------- */

struct fronts *fronts_create(const struct front_shared *shared)
{
    struct fronts *fronts = fl_new(struct fronts);

    fronts->shared = *shared;
    fronts->shared.ring = &fronts->ring;
    return fronts;
}

void fronts_destroy(struct fronts *fronts)
{
    if (!fronts) return;
    for (size_t i = 0; i < fronts->len; i++) {
        front_destroy(fronts->at[i]);
    }
    fl_free(fronts);
}

bool fronts_add(struct fronts *fronts, const struct front_config *config, struct fl_err *err)
{
    struct front *front;

    fl_assert(fronts->len < FRONTS_MAX && config->number == fronts->len + 1);
    front = front_create(config, &fronts->shared, err);
    if (!front) return false;
    fronts->at[fronts->len++] = front;
    fronts->ring.at[fronts->ring.len++] = front_visits(front);
    return true;
}

void fronts_start(struct fronts *fronts, struct engine_thread *engine)
{
    for (size_t i = 0; i < fronts->len; i++) {
        front_start(fronts->at[i], engine);
    }
}

void fronts_drain(struct fronts *fronts)
{
    for (size_t i = 0; i < fronts->len; i++) {
        front_drain(fronts->at[i]);
    }
    for (size_t i = 0; i < fronts->len; i++) {
        front_join(fronts->at[i]);
    }
}

void fronts_renew(struct fronts *fronts, struct ssl_ctx_st *api_tls)
{
    for (size_t i = 0; i < fronts->len; i++) {
        front_renew(fronts->at[i], api_tls);
    }
}

size_t fronts_len(const struct fronts *fronts)
{
    return fronts->len;
}

struct front_counts fronts_counts_of(const struct fronts *fronts, size_t i)
{
    fl_assert(i < fronts->len);
    return front_counts(fronts->at[i]);
}

struct front_counts fronts_counts(const struct fronts *fronts)
{
    struct front_counts all = {0};

    for (size_t i = 0; i < fronts->len; i++) {
        struct front_counts counts = front_counts(fronts->at[i]);

        all.connections += counts.connections;
        all.requests += counts.requests;
        all.streams += counts.streams;
        all.tunnels += counts.tunnels;
        all.tunnels_held += counts.tunnels_held;
        all.unsent_bytes += counts.unsent_bytes;
        if (counts.turn_longest_cpu_us > all.turn_longest_cpu_us) {
            all.turn_longest_cpu_us = counts.turn_longest_cpu_us;
        }
        for (int claim = 0; claim < HTTP_CLAIMS_LEN; claim++) {
            all.claims_refused[claim] += counts.claims_refused[claim];
        }
    }
    return all;
}
