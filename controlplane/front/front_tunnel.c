/* The tunnels' questions to a front: the certificate's cluster, documents, new certificates, the
 * way of logs. */
#include <string.h>

#include "controlplane/engine/engine_thread.h"
#include "controlplane/front/front_reader.h"
#include "controlplane/front/front_state.h"
#include "controlplane/identity/identity.h"
#include "controlplane/store/read_jobs.h"
#include "controlplane/store/read_specs.h"
#include "controlplane/views/directory.h"
#include "controlplane/views/views.h"
#include "shared/base/alloc.h"
#include "shared/io/log.h"
#include "shared/spec/job_spec.h"
#include "shared/tls/digest.h"

static bool on_adopt(void *ctx, struct engine_event *event, struct fl_err *err)
{
    struct front *front = ctx;

    return engine_feed_put(&front->feed, event, err);
}

/* ---- certificates ---------------------------------------------------------------------------- */

static bool on_peer(void *ctx, const struct tunnel_peer *peer, struct fl_str cluster_uid,
                    struct fl_cluster *ret_cluster, struct fl_err *err)
{
    struct front *front = ctx;
    struct directory_cluster cluster;
    char uuid[FL_UUID_TEXT_MAX];

    fl_uuid_print(peer->cert.cluster, uuid);
    if (!directory_cluster_uuid(front->shared.views->directory, fl_str_c(uuid), &cluster)) {
        return fl_fail(err, FL_DENIED, "no cluster %s is known here (yet)", uuid);
    }
    if (cluster.access != CORE_ACCESS_open) {
        return fl_fail(err, FL_DENIED,
                       "cluster %s is %s; 'fairlead cluster join %s' makes a token that lets it in "
                       "again",
                       cluster.name, cluster.access == CORE_ACCESS_locked ? "locked" : "revoked",
                       cluster.name);
    }
    if (!fl_str_eq(fl_str_c(cluster.uid), cluster_uid)) {
        return fl_fail(err, FL_DENIED, "cluster %s enrolled with another uid", cluster.name);
    }
    *ret_cluster = cluster.cluster;
    return true;
}

/* ---- documents of STARTs --------------------------------------------------------------------- */

static void fill_spec(struct front *front, struct fl_digest digest, struct tunnel_spec *ret_spec)
{
    *ret_spec = (struct tunnel_spec){
        .digest = digest,
        .document = {(const char *)front->document.at, front->document.len},
        .params = {(const char *)front->params.at, front->params.len},
    };
}

static bool find_spec(struct front *front, struct fl_job job, struct tunnel_spec *ret_spec)
{
    struct fl_digest digest;

    fl_buf_clear(&front->document);
    fl_buf_clear(&front->params);
    if (!spec_cache_find(front->shared.specs, job, &digest, &front->document, &front->params)) {
        return false;
    }
    fill_spec(front, digest, ret_spec);
    return true;
}

static bool on_spec(void *ctx, uint64_t ticket, struct fl_cluster cluster,
                    struct fl_attempt attempt, struct tunnel_spec *ret_spec)
{
    struct front *front = ctx;

    (void)cluster;
    if (find_spec(front, attempt.job, ret_spec)) return true;
    start_reads_add(front->starts, ticket, attempt.job);
    return false;
}

static uint64_t on_read_jobs(void *ctx, const struct fl_job *jobs, size_t len, read_jobs_fn *fn,
                             void *fn_ctx, struct fl_err *err)
{
    struct front *front = ctx;

    return read_jobs_by_id(front_reader(front->reader), FL_TENANT_ONLY, jobs, len, fn, fn_ctx, err);
}

static uint64_t on_read_documents(void *ctx, const struct read_spec *specs, size_t len,
                                  read_specs_fn *fn, void *fn_ctx, struct fl_err *err)
{
    struct front *front = ctx;

    return read_specs(front_reader(front->reader), specs, len, fn, fn_ctx, err);
}

static void on_asked(void *ctx)
{
    struct front *front = ctx;

    front_reader_asked(front->reader);
}

/* A document that is not there now cannot be had, and the agent refuses the START. */
static void on_start_read(void *ctx, uint64_t ticket, struct fl_job job)
{
    struct front *front = ctx;
    struct tunnel_spec spec;
    bool is_there = find_spec(front, job, &spec);

    tunnel_server_spec(front->tunnels, ticket, is_there ? &spec : NULL);
}

/* ---- the next certificate -------------------------------------------------------------------- */

struct renewal {
    struct front *front;
    uint64_t connection;
    struct fl_csr csr;
};

static void free_renewal(struct renewal *renewal)
{
    fl_csr_fini(&renewal->csr);
    fl_free(renewal);
}

static void on_renewed(void *ctx, const struct core_answer *answer)
{
    struct renewal *renewal = ctx;
    struct front *front = renewal->front;
    struct identity_issued issued;
    struct fl_uuid uuid;
    struct fl_err err = {0};
    struct fl_buf pem;

    fl_buf_init(&pem, FL_CERT_PEM_MAX);
    if (answer->code != FL_OK) {
        tunnel_server_renewed(front->tunnels, renewal->connection, answer->code,
                              fl_str_c(answer->text), (struct fl_str){0});
    } else if (fl_uuid_parse(fl_str_c(answer->uuid), &uuid, &err) &&
               identity_issue(front->shared.identity, &renewal->csr, uuid, answer->generation,
                              fl_loop_wall(front->loop), &pem, &issued, &err)) {
        tunnel_server_renewed(front->tunnels, renewal->connection, FL_OK, (struct fl_str){0},
                              (struct fl_str){(const char *)pem.at, pem.len});
    } else {
        tunnel_server_renewed(front->tunnels, renewal->connection, err.code, fl_str_c(err.text),
                              (struct fl_str){0});
    }
    fl_buf_fini(&pem);
    free_renewal(renewal);
}

static void on_renew(void *ctx, uint64_t connection, struct fl_cluster cluster,
                     const struct tunnel_peer *peer, struct fl_str csr)
{
    struct renewal *renewal = fl_new(struct renewal);
    struct engine_event *event;
    struct fl_err err = {0};

    renewal->front = ctx;
    renewal->connection = connection;
    if (!fl_csr_read(csr, &renewal->csr, &err)) {
        on_renewed(renewal, &(struct core_answer){.code = err.code, .text = err.text});
        return;
    }
    event = engine_event_create();
    event->event.kind = CORE_EV_renew;
    event->event.tenant = FL_TENANT_ONLY;
    event->event.actor = fl_str_c(fl_arena_printf(&event->arena, "agent at %s", peer->address));
    event->event.renew.cluster = cluster;
    event->event.renew.generation = peer->cert.generation;
    event->event.renew.key = renewal->csr.key_sha256;
    if (!pending_requests_send(renewal->front->pending, event, fl_loop_now(renewal->front->loop),
                               on_renewed, renewal, &err)) {
        on_renewed(renewal, &(struct core_answer){.code = err.code, .text = err.text});
    }
}

/* ---- output of jobs -------------------------------------------------------------------------- */

static void on_log_frame(void *ctx, uint64_t connection, struct fl_cluster cluster,
                         struct fl_str payload)
{
    struct front *front = ctx;

    fl_map_put(&front->log_clusters, &connection, sizeof connection, cluster.n);
    log_front_frame(front->logs, connection, cluster, payload);
}

static void on_log_closed(void *ctx, uint64_t connection, struct fl_cluster cluster)
{
    struct front *front = ctx;

    (void)cluster;
    fl_map_remove(&front->log_clusters, &connection, sizeof connection);
    log_front_closed(front->logs, connection);
}

static void on_log_send(void *ctx, uint64_t connection, struct fl_str payload)
{
    struct front *front = ctx;
    struct fl_err err = {0};

    /* A connection that is gone, or takes too little and is being closed, asks again when it is
     * back. */
    if (log_stream_put(tunnel_server_streams(front->tunnels, connection), payload, &err)) return;
    fl_log(FL_LOG_DEBUG, "front", "log_answer_dropped", FL_LOG_N("connection", connection),
           FL_LOG_ERR(&err));
}

static void on_log_consumed(void *ctx, uint64_t connection, uint32_t bytes)
{
    struct front *front = ctx;

    log_stream_consumed(tunnel_server_streams(front->tunnels, connection), bytes);
}

static bool on_log_owner(void *ctx, uint64_t ticket, struct fl_attempt attempt,
                         struct log_owner *ret_owner)
{
    struct front *front = ctx;

    return attempt_owner_cache_find(front->owners, ticket, attempt, ret_owner);
}

static void on_owner(void *ctx, uint64_t ticket, const struct log_owner *owner)
{
    struct front *front = ctx;
    struct log_owner told = *owner;

    if (told.cluster.n == 0 && front->feed.engine) {
        struct engine_thread_status status = engine_thread_status(front->feed.engine);

        /* Without a leader it is not known. */
        told.is_disputed = status.is_disputed || status.state != ENGINE_LEADING;
    }
    log_front_owner(front->logs, ticket, &told);
}

/* Within a call of the tunnels', which may not be called back: closed at the end of the turn. */
static void on_log_broken(void *ctx, uint64_t connection, const struct fl_err *err)
{
    struct front *front = ctx;
    uint64_t cluster;

    if (!fl_map_find(&front->log_clusters, &connection, sizeof connection, &cluster)) return;
    fl_log(FL_LOG_WARN, "front", "log_stream_broken", FL_LOG_N("cluster", cluster),
           FL_LOG_ERR(err));
    fl_vec_push(&front->broken, (struct fl_cluster){(uint32_t)cluster});
    fl_after_put(&front->close_broken);
}

static void close_broken(void *ctx)
{
    struct front *front = ctx;

    for (size_t i = 0; i < front->broken.len; i++) {
        tunnel_server_close_cluster(front->tunnels, front->broken.at[i], FL_INVALID,
                                    "it broke a rule of the LOG stream");
    }
    fl_vec_clear(&front->broken);
}

/* ---- its life -------------------------------------------------------------------------------- */

void front_tunnel_init(struct front *front)
{
    front->starts = start_reads_create(front->loop, front->shared.specs,
                                       &(struct start_reads_ports){.ctx = front,
                                                                   .jobs = on_read_jobs,
                                                                   .documents = on_read_documents,
                                                                   .asked = on_asked,
                                                                   .tell = on_start_read},
                                       START_READ_MS);
    fl_after_init(&front->close_broken, front->loop, close_broken, front);
    front->owners = attempt_owner_cache_create(front->loop, front->reader, on_owner, front);
    fl_buf_init(&front->document, FL_JOB_SPEC_BYTES_MAX);
    fl_buf_init(&front->params, FL_JOB_PARAMS_BYTES_MAX);
}

void front_tunnel_fini(struct front *front)
{
    start_reads_destroy(front->starts);
    fl_after_off(&front->close_broken);
    attempt_owner_cache_destroy(front->owners);
    fl_vec_fini(&front->broken);
    fl_map_fini(&front->log_clusters);
    fl_buf_fini(&front->document);
    fl_buf_fini(&front->params);
}

static bool on_seen(void *ctx, struct core_seen *ret_seen)
{
    struct front *front = ctx;

    if (!front->feed.engine) return false;
    *ret_seen = engine_thread_status(front->feed.engine).seen;
    return ret_seen->incarnation > 0;
}

/* The pepper is a key of the state directory; the bytes begin with a word of their own, so that no
 * token's MAC is a seal's. */
static void on_mac(void *ctx, const void *ptr, size_t len, uint8_t ret_mac[TUNNEL_MAC_BYTES])
{
    struct front *front = ctx;
    struct fl_str pepper = identity_pepper(front->shared.identity);
    struct fl_digest mac = fl_hmac_sha256(pepper.at, pepper.len, ptr, len);

    memcpy(ret_mac, mac.at, TUNNEL_MAC_BYTES);
}

struct tunnel_server_ports front_tunnel_ports(struct front *front)
{
    front->log_stream = (struct log_stream_ports){front, on_log_frame, on_log_closed};
    front->stream_kinds[0] = log_stream_kind(&front->log_stream);
    visits_kinds(front->visits, &front->stream_kinds[1]);
    return (struct tunnel_server_ports){
        .ctx = front,
        .adopt = on_adopt,
        .peer = on_peer,
        .spec = on_spec,
        .renew = on_renew,
        .seen = on_seen,
        .mac = on_mac,
        .streams = front->stream_kinds,
        .streams_len = sizeof front->stream_kinds / sizeof *front->stream_kinds,
    };
}

struct log_front_ports front_log_ports(struct front *front)
{
    return (struct log_front_ports){
        .ctx = front,
        .send = on_log_send,
        .consumed = on_log_consumed,
        .broken = on_log_broken,
        .owner = on_log_owner,
    };
}
