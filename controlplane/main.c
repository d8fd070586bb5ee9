/* fairleadd: the control plane.  This file knows all parts; it starts them in order and ends them
 * in reverse. */
#include <errno.h>
#include <fcntl.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "controlplane/api/call_budget.h"
#include "controlplane/api/denial_budget.h"
#include "controlplane/api/route_metrics.h"
#include "controlplane/api/session_file.h"
#include "controlplane/backup/backup.h"
#include "controlplane/config.h"
#include "controlplane/engine/high_water_file.h"
#include "controlplane/front/fronts.h"
#include "controlplane/front/metrics_listener.h"
#include "controlplane/front/process_metrics.h"
#include "controlplane/front/spec_cache.h"
#include "controlplane/handshakes/known_addresses.h"
#include "controlplane/identity/identity.h"
#include "controlplane/init.h"
#include "controlplane/logs/log_store.h"
#include "controlplane/store/migrate.h"
#include "controlplane/store/pepper_check.h"
#include "controlplane/usage/usage_ledger.h"
#include "controlplane/views/token_table.h"
#include "controlplane/views/views.h"
#include "shared/base/alloc.h"
#include "shared/base/job_limits.h"
#include "shared/io/clock.h"
#include "shared/io/descriptors.h"
#include "shared/io/file.h"
#include "shared/io/log.h"
#include "shared/io/net.h"
#include "shared/io/notify.h"
#include "shared/io/state_dir.h"
#include "shared/spec/quantity.h"
#include "shared/tls/context.h"
#include "shared/tls/digest.h"
#include "shared/tls/random.h"

enum {
    RENEW_MS = 10 * 60 * 1000,
    KEEP_MS = 1000,
    KEEP_USED_MS = 5 * 60 * 1000,
    USAGE_PAUSE_MS = 1000,
    USAGE_WAIT_MS = 90 * 1000,
    URL_MAX = 300
};

struct daemon {
    const struct fl_program_run *run;
    struct fl_state_dir *dir;
    struct identity *identity;
    uint64_t identity_version;
    SSL_CTX *api_tls; /* NULL: the API is plain, on a loopback address */
    struct fl_metrics *metrics;
    struct views *views;
    struct spec_cache *specs;
    struct known_addresses *known;
    struct log_store *logs;
    struct fronts *fronts;
    struct call_budget requests; /* all fronts' */
    struct denial_budget denials;
    struct session_table *sessions; /* the same */
    bool keeps_sessions;            /* over a restart */
    uint64_t sessions_kept;         /* as of so many changes, and of this time */
    fl_ms sessions_kept_at;
    struct engine_thread *engine;
    struct metrics_listener *metrics_server;
    struct usage_ledger *usage;
    struct process_metrics_parts figures;
    struct fl_timer look, renew, keep;
    bool is_ready;
    uint64_t turns_seen;
    uint32_t default_cpu_milli;
    char api_url[URL_MAX], tunnel_address[URL_MAX];
};

static const char *text(const struct daemon *daemon, enum config_setting setting)
{
    return fl_config_string(daemon->run->config, setting);
}

static int64_t number(const struct daemon *daemon, enum config_setting setting)
{
    return fl_config_int(daemon->run->config, setting);
}

/* ---- certificates ---------------------------------------------------------------------------- */

static bool read_file(const char *path, struct fl_buf *buf, struct fl_err *err)
{
    return fl_file_read(AT_FDCWD, path, buf, err) || fl_err_wrap(err, "%s", path);
}

/* Makes a TLS context with the API's present certificate. */
static bool make_tls(struct daemon *daemon, SSL_CTX **ret_tls, struct fl_err *err)
{
    const char *certificate = text(daemon, CONFIG_api_certificate);
    struct fl_buf cert, key;
    bool is_good;

    fl_buf_init(&cert, 4 * FL_CERT_PEM_MAX);
    fl_buf_init(&key, FL_CERT_PEM_MAX);
    is_good = certificate[0] ? read_file(certificate, &cert, err) &&
                                   read_file(text(daemon, CONFIG_api_key), &key, err)
                             : identity_server(daemon->identity, &cert, &key, err);
    if (is_good) {
        struct fl_tls_server want = {
            .cert_pem = {(const char *)cert.at, cert.len},
            .key_pem = {(const char *)key.at, key.len},
        };

        is_good = fl_tls_server(&want, ret_tls, err);
    }
    fl_buf_fini(&cert);
    fl_buf_fini(&key);
    return is_good;
}

static void on_renew(void *ctx)
{
    struct daemon *daemon = ctx;
    struct fl_err err = {0};
    SSL_CTX *tls;

    fl_timer_in(&daemon->renew, RENEW_MS);
    if (!identity_renew(daemon->identity, fl_clock_wall(), &err)) {
        fl_log(FL_LOG_ERROR, "main", "certificate_not_renewed", FL_LOG_ERR(&err));
        return;
    }
    if (identity_version(daemon->identity) == daemon->identity_version &&
        !text(daemon, CONFIG_api_certificate)[0]) {
        return;
    }
    daemon->identity_version = identity_version(daemon->identity);
    if (!make_tls(daemon, &tls, &err)) {
        fl_log(FL_LOG_ERROR, "main", "certificate_not_read", FL_LOG_ERR(&err));
        return;
    }
    fronts_renew(daemon->fronts, tls);
    SSL_CTX_free(tls);
}

/* ---- sessions of browsers -------------------------------------------------------------------- */

static struct session_times session_times(const struct daemon *daemon)
{
    return (struct session_times){fl_loop_now(daemon->run->loop), fl_clock_wall()};
}

static void keep_sessions(struct daemon *daemon)
{
    uint64_t changes = session_table_changes(daemon->sessions);
    struct fl_err err = {0};

    if (session_file_write(fl_state_dir_fd(daemon->dir), daemon->sessions, session_times(daemon),
                           &err)) {
        daemon->sessions_kept = changes;
        daemon->sessions_kept_at = fl_loop_now(daemon->run->loop);
    } else {
        fl_log(FL_LOG_WARN, "main", "sessions_not_kept", FL_LOG_ERR(&err));
    }
}

static void on_keep(void *ctx)
{
    struct daemon *daemon = ctx;
    bool is_changed = session_table_changes(daemon->sessions) != daemon->sessions_kept;
    bool is_old = fl_loop_now(daemon->run->loop) - daemon->sessions_kept_at >= KEEP_USED_MS;

    fl_timer_in(&daemon->keep, KEEP_MS);
    if (is_changed || (is_old && session_table_len(daemon->sessions) > 0)) keep_sessions(daemon);
}

/* Without TLS a cookie names its process: none would come again. */
static void open_sessions(struct daemon *daemon, const struct page_cookie *cookie)
{
    struct fl_err err = {0};

    daemon->keeps_sessions = cookie->is_secure;
    if (!daemon->keeps_sessions) return;
    if (!session_file_read(fl_state_dir_fd(daemon->dir), daemon->sessions, session_times(daemon),
                           &err) &&
        err.code != FL_ABSENT) {
        fl_log(FL_LOG_WARN, "main", "sessions_not_read", FL_LOG_ERR(&err));
    }
    fl_timer_in(&daemon->keep, KEEP_MS);
}

/* ---- watching -------------------------------------------------------------------------------- */

static const char *database_name(enum engine_breaker breaker)
{
    return breaker == ENGINE_DB_LOST ? "lost" : breaker == ENGINE_DB_FULL ? "full" : "ok";
}

static void health(void *ctx, struct api_health *ret_health)
{
    struct daemon *daemon = ctx;
    struct engine_thread_status status = engine_thread_status(daemon->engine);
    struct statvfs disk;

    *ret_health = (struct api_health){
        .is_leading = status.state == ENGINE_LEADING,
        .epoch = status.epoch,
        .turn_longest_us = status.turn_longest_cpu_us,
        .waiting = status.handover_len,
        .database = database_name(status.breaker),
        .commits = status.store.commits,
        .commit_longest_ms = (uint64_t)status.store.commit_longest_ms,
        .is_disputed = status.is_disputed,
        .losses = status.engine.losses,
        .lost_jobs_min = status.engine.loss.jobs_min,
        .lost_jobs_max = status.engine.loss.jobs_max,
        .is_log_disk_full = log_store_stats(daemon->logs).is_full,
    };
    if (fstatvfs(fl_state_dir_fd(daemon->dir), &disk) == 0) {
        ret_health->disk_free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
        ret_health->disk_total_bytes = (uint64_t)disk.f_blocks * disk.f_frsize;
    }
    if (!ret_health->is_leading) {
        snprintf(ret_health->why, sizeof ret_health->why, "%s", status.why);
    }
}

/* Whether the engine thread has turned since the last call.  It sleeps a second at most, so without
 * a turn it hangs. */
static bool is_well(void *ctx)
{
    struct daemon *daemon = ctx;
    uint64_t turns = engine_thread_status(daemon->engine).turns;
    bool has_turned = turns != daemon->turns_seen;

    daemon->turns_seen = turns;
    return has_turned;
}

static void on_look(void *ctx)
{
    struct daemon *daemon = ctx;
    struct api_health now = {0};

    health(daemon, &now);
    if (now.is_leading && token_table_is_loaded(daemon->views->tokens)) {
        daemon->is_ready = true;
        fl_log(FL_LOG_INFO, "main", "ready", FL_LOG_S("api", daemon->api_url),
               FL_LOG_S("tunnel", daemon->tunnel_address),
               FL_LOG_S("state_dir", fl_state_dir_path(daemon->dir)));
        fl_notify_ready(daemon->run->notify);
        return;
    }
    fl_timer_in(&daemon->look, 50);
}

/* ---- starting -------------------------------------------------------------------------------- */

static struct partition_config partitions(const struct daemon *daemon)
{
    struct partition_config config = partition_config_default();

    config.retention_ms = config.journal_retention_ms = number(daemon, CONFIG_retention);
    config.audit_retention_ms = number(daemon, CONFIG_audit_retention);
    return config;
}

/* Migrates the database; waits if it is not up yet, as after a boot. */
static bool prepare_database(struct daemon *daemon, struct fl_err *err)
{
    struct partition_config config = partitions(daemon);

    for (int tries = 0; !migrate(text(daemon, CONFIG_database), &config, err); tries++) {
        if (err->code != FL_UNAVAILABLE || tries == 120 || fl_program_should_stop(daemon->run)) {
            return false;
        }
        fl_log(FL_LOG_WARN, "main", "no_database_yet", FL_LOG_ERR(err));
        usleep(500 * 1000);
    }
    return true;
}

static bool open_identity(struct daemon *daemon, struct fl_err *err)
{
    struct identity_config config = identity_config_default();
    struct fl_config_list names = fl_config_list(daemon->run->config, CONFIG_names);
    const char *all[FL_CONFIG_LIST_MAX + 8];
    char host[256] = "localhost";
    size_t len = 0;

    gethostname(host, sizeof host - 1);
    if (names.len > 0) {
        all[len++] = "localhost";
        all[len++] = "127.0.0.1";
        all[len++] = "::1";
        all[len++] = host;
        for (size_t i = 0; i < names.len; i++) {
            all[len++] = names.at[i];
        }
        config.names = (struct fl_ca_names){all, len};
    }
    config.client_lifetime_ms = number(daemon, CONFIG_agent_certificate_lifetime);
    if (!identity_open(daemon->dir, &config, fl_clock_wall(), &daemon->identity, err)) return false;
    daemon->identity_version = identity_version(daemon->identity);
    return true;
}

static bool check_pepper(struct daemon *daemon, struct fl_err *err)
{
    struct fl_str bytes = identity_pepper(daemon->identity);
    struct pepper pepper = {
        .sha256 = fl_sha256(bytes.at, bytes.len),
        .is_new = identity_has_new_pepper(daemon->identity),
        .may_replace = fl_config_bool(daemon->run->config, CONFIG_make_admin_token),
    };

    if (pepper_check(text(daemon, CONFIG_database), &pepper, err)) return true;
    identity_forget_new_pepper(daemon->identity);
    return false;
}

static bool open_logs(struct daemon *daemon, struct fl_err *err)
{
    char dir[4096];
    struct log_store_config config;

    snprintf(dir, sizeof dir, "%s/logs", fl_state_dir_path(daemon->dir));
    config = log_store_config_default(dir);
    config.segment_bytes = (uint32_t)number(daemon, CONFIG_log_segment);
    config.segment_age_ms = number(daemon, CONFIG_log_segment_age);
    config.attempt_bytes_max = (uint64_t)number(daemon, CONFIG_log_attempt_max);
    config.retention_ms = number(daemon, CONFIG_log_retention);
    daemon->logs = log_store_create(&config, err);
    return daemon->logs != NULL;
}

/* Listeners that share a port would share it with another fairleadd too, and each would get some of
 * the other's connections.  So the port must first be free for a listener that does not share. */
static bool is_free(const char *setting, const struct fl_net_address *address, struct fl_err *err)
{
    int fd;

    if (!fl_net_listen(address, (struct fl_net_listen){0}, &fd, err)) {
        return fl_err_wrap(err, "%s", setting);
    }
    close(fd);
    return true;
}

/* Makes one of several listeners on one port; a port 0 in *address becomes the chosen one. */
static bool listen_on(const char *setting, struct fl_net_address *address, int *ret_fd,
                      struct fl_err *err)
{
    struct fl_net_listen options = {.is_shared = true};

    if (!fl_net_listen(address, options, ret_fd, err) || !fl_net_local(*ret_fd, address, err)) {
        return fl_err_wrap(err, "%s", setting);
    }
    return true;
}

static bool wants_tls(struct daemon *daemon, const struct fl_net_address *address, bool *ret_wants,
                      struct fl_err *err)
{
    const char *mode = text(daemon, CONFIG_api_tls);

    if (strcmp(mode, "auto") != 0 && strcmp(mode, "on") != 0) {
        return fl_fail(err, FL_INVALID, "api_tls: %s is neither auto nor on", mode);
    }
    *ret_wants = strcmp(mode, "on") == 0 || !fl_net_is_loopback(address) ||
                 text(daemon, CONFIG_api_certificate)[0];
    return true;
}

static bool read_impossible(const struct daemon *daemon, bool *ret_refuses, struct fl_err *err)
{
    const char *mode = text(daemon, CONFIG_impossible_jobs);

    if (strcmp(mode, "refuse") != 0 && strcmp(mode, "wait") != 0) {
        return fl_fail(err, FL_INVALID, "impossible_jobs: %s is neither refuse nor wait", mode);
    }
    *ret_refuses = strcmp(mode, "refuse") == 0;
    return true;
}

static void fill_limits(const struct daemon *daemon, struct http_limits *limits)
{
#define HTTP_LIMIT(name, type, ...) limits->name = (type)number(daemon, CONFIG_http_##name);
#include "controlplane/http/http_limits.def"
#undef HTTP_LIMIT
}

static bool read_default_cpu(struct daemon *daemon, struct fl_err *err)
{
    const char *said = text(daemon, CONFIG_default_cpu);
    uint64_t milli;

    if (!fl_quantity_milli(fl_str_c(said), &milli) || milli > FL_JOB_CPU_MILLI_MAX) {
        return fl_fail(err, FL_INVALID, "default_cpu: \"%s\" is no number of CPUs like 1 or 500m",
                       said);
    }
    daemon->default_cpu_milli = (uint32_t)milli;
    return true;
}

static struct front_config front_config(struct daemon *daemon)
{
    struct front_config config = {
        .api_tls = daemon->api_tls,
        .waiting_max = (uint32_t)number(daemon, CONFIG_waiting_max),
        .answer_ms = (uint32_t)number(daemon, CONFIG_answer_timeout),
        .drain_ms = (uint32_t)number(daemon, CONFIG_drain_timeout),
    };

    config.tunnel = tunnel_server_config_default();
    config.tunnel.certificate_file = identity_server_cert_path(daemon->identity);
    config.tunnel.key_file = identity_server_key_path(daemon->identity);
    config.tunnel.ca_file = identity_ca_path(daemon->identity);
    config.tunnel.has_tickets = true;
    config.tunnel.ticket_key = identity_ticket_key(daemon->identity);
    config.descriptors = fl_descriptors_limit();
    config.handshake_cpu = (uint32_t)number(daemon, CONFIG_handshake_cpu);
    config.tunnel.connections_max = (uint32_t)number(daemon, CONFIG_agents_max);
    config.api.api_url = daemon->api_url;
    config.api.tunnel_address = daemon->tunnel_address;
    config.api.followers_max = (uint32_t)number(daemon, CONFIG_followers_max);
    config.api.heartbeat_ms = (uint32_t)number(daemon, CONFIG_heartbeat);
    config.api.query_ms = (uint32_t)number(daemon, CONFIG_query_timeout);
    daemon->requests.max = (size_t)number(daemon, CONFIG_requests_memory);
    config.api.budget = &daemon->requests;
    daemon->denials.rows_max = (uint32_t)number(daemon, CONFIG_audit_denials);
    config.api.denials = &daemon->denials;
    config.api.sessions = daemon->sessions;
    config.api.cookie = page_cookie_make(daemon->api_url, daemon->api_tls != NULL,
                                         session_table_instance(daemon->sessions));
    config.api.token_life_max = number(daemon, CONFIG_token_lifetime_max);
    config.api.log_grace_ms = number(daemon, CONFIG_log_grace);
    config.api.default_cpu_milli = daemon->default_cpu_milli;
    config.visits.visits_max = (uint32_t)number(daemon, CONFIG_visits_max);
    config.visits.token_visits_max = (uint32_t)number(daemon, CONFIG_visits_token_max);
    config.visits.idle_ms = number(daemon, CONFIG_visit_idle);
    fill_limits(daemon, &config.api.limits);
    return config;
}

static void name_addresses(struct daemon *daemon, const struct fl_net_address *api,
                           const struct fl_net_address *tunnel)
{
    char address[FL_NET_TEXT_MAX];

    fl_net_print(api, address);
    snprintf(daemon->api_url, sizeof daemon->api_url, "%s://%s", daemon->api_tls ? "https" : "http",
             address);
    fl_net_print(tunnel, daemon->tunnel_address);
    if (text(daemon, CONFIG_api_url)[0]) {
        snprintf(daemon->api_url, sizeof daemon->api_url, "%s", text(daemon, CONFIG_api_url));
    }
    if (text(daemon, CONFIG_tunnel_address)[0]) {
        snprintf(daemon->tunnel_address, sizeof daemon->tunnel_address, "%s",
                 text(daemon, CONFIG_tunnel_address));
    }
}

static bool open_fronts(struct daemon *daemon, struct fl_err *err)
{
    size_t len = (size_t)number(daemon, CONFIG_fronts);
    struct fl_net_address api, tunnel;
    struct front_config config;
    int api_fds[FRONTS_MAX], tunnel_fds[FRONTS_MAX];
    bool has_tls = false;

    if (!fl_net_parse(fl_str_c(text(daemon, CONFIG_api_listen)), &api, err) ||
        !wants_tls(daemon, &api, &has_tls, err)) {
        return fl_err_wrap(err, "api_listen");
    }
    if (!fl_net_parse(fl_str_c(text(daemon, CONFIG_tunnel_listen)), &tunnel, err)) {
        return fl_err_wrap(err, "tunnel_listen");
    }
    if (has_tls && !make_tls(daemon, &daemon->api_tls, err)) return false;
    if (!is_free("api_listen", &api, err) || !is_free("tunnel_listen", &tunnel, err)) return false;
    for (size_t i = 0; i < len; i++) {
        if (!listen_on("api_listen", &api, &api_fds[i], err) ||
            !listen_on("tunnel_listen", &tunnel, &tunnel_fds[i], err)) {
            return false;
        }
    }
    name_addresses(daemon, &api, &tunnel);
    config = front_config(daemon);
    config.listeners = (uint32_t)(2 * len); /* the API's and the tunnels' */
    open_sessions(daemon, &config.api.cookie);
    for (size_t i = 0; i < len; i++) {
        config.number = (uint8_t)(i + 1);
        config.api_fd = api_fds[i];
        config.tunnel_fd = tunnel_fds[i];
        if (!fronts_add(daemon->fronts, &config, err)) return false;
    }
    return true;
}

/* One that does not lead leaves the ledger to the one that does. */
static struct usage_progress usage_progress(void *ctx)
{
    struct engine_thread_status status = engine_thread_status(((struct daemon *)ctx)->engine);

    if (status.state != ENGINE_LEADING) return (struct usage_progress){0};
    return (struct usage_progress){.newest = status.engine.batch_newest,
                                   .newest_at = status.engine.batch_newest_at,
                                   .counted = status.engine.batch_counted};
}

static void usage_trouble(void *ctx, const char *text)
{
    (void)ctx;
    fl_log(FL_LOG_WARN, "usage", "usage_delayed", FL_LOG_S("text", text));
}

static void open_usage(struct daemon *daemon)
{
    struct fl_config_list labels = fl_config_list(daemon->run->config, CONFIG_usage_labels);
    struct usage_ledger_config config = {
        .conninfo = text(daemon, CONFIG_database),
        .labels = labels.at,
        .labels_len = labels.len,
        .retention_ms = number(daemon, CONFIG_usage_retention),
        .pause_ms = USAGE_PAUSE_MS,
        .wait_ms = USAGE_WAIT_MS,
    };
    struct usage_ledger_hooks hooks = {daemon, usage_progress, usage_trouble};

    daemon->usage = usage_ledger_create(daemon->run->loop, &config, &hooks);
}

static bool open_metrics(struct daemon *daemon, struct fl_err *err)
{
    struct metrics_listener_parts parts = {
        .loop = daemon->run->loop,
        .metrics = daemon->metrics,
        .tokens = daemon->views->tokens,
        .identity = daemon->identity,
    };
    struct fl_net_address address;

    daemon->figures = (struct process_metrics_parts){daemon->metrics, daemon->engine,
                                                     daemon->fronts, daemon->logs, daemon->usage};
    process_metrics_add(&daemon->figures);
    fill_limits(daemon, &parts.limits);
    if (!text(daemon, CONFIG_metrics_listen)[0]) return true;
    if (!fl_net_parse(fl_str_c(text(daemon, CONFIG_metrics_listen)), &address, err) ||
        !fl_net_listen(&address, (struct fl_net_listen){0}, &parts.listen_fd, err)) {
        return fl_err_wrap(err, "metrics_listen");
    }
    if (!fl_net_is_loopback(&address)) {
        if (!daemon->api_tls && !make_tls(daemon, &daemon->api_tls, err)) return false;
        parts.tls = daemon->api_tls;
    }
    daemon->metrics_server = metrics_listener_create(&parts, err);
    return daemon->metrics_server != NULL;
}

static bool start_engine(struct daemon *daemon, struct fl_err *err)
{
    struct engine_thread_config config = engine_thread_config_default();
    struct engine_thread_ports ports = fronts_ports(daemon->fronts);

    config.store.conninfo = text(daemon, CONFIG_database);
    config.store.instance = fl_state_dir_instance(daemon->dir);
    config.store.partition = partitions(daemon);
    config.engine.seed = fl_random_u64();
    config.engine.core.rejoin_ms = (uint32_t)number(daemon, CONFIG_agent_rejoin);
    config.engine.core.queues_max = (uint32_t)number(daemon, CONFIG_queues_max);
    config.engine.core.queue_percent = (uint32_t)number(daemon, CONFIG_queue_percent);
    config.engine.core.owner_percent = (uint32_t)number(daemon, CONFIG_owner_percent);
    config.engine.core.claims_percent_max = (uint32_t)number(daemon, CONFIG_claims_percent);
    config.engine.core.start_ms = (uint32_t)number(daemon, CONFIG_start_timeout);
    config.engine.core.stop_ms = (uint32_t)number(daemon, CONFIG_stop_timeout);
    config.engine.core.inventory_ms = (uint32_t)number(daemon, CONFIG_inventory_timeout);
    if (!read_impossible(daemon, &config.engine.core.refuses_impossible, err)) return false;
    config.state_dir_fd = fl_state_dir_fd(daemon->dir);
    if (!high_water_file_read(config.state_dir_fd, &config.engine.found, err)) return false;
    daemon->engine = engine_thread_create(&config, &ports);
    fronts_start(daemon->fronts, daemon->engine);
    return true;
}

static bool start(void *ctx, const struct fl_program_run *run, struct fl_err *err)
{
    struct daemon *daemon = ctx;
    struct front_shared shared = {.health = health, .health_ctx = daemon};
    struct http_limits limits;

    daemon->run = run;
    fill_limits(daemon, &limits);
    if (!http_limits_check_together(&limits, err)) return false;
    fl_timer_init(&daemon->look, daemon->run->loop, on_look, daemon);
    fl_timer_init(&daemon->renew, daemon->run->loop, on_renew, daemon);
    fl_timer_init(&daemon->keep, daemon->run->loop, on_keep, daemon);
    if (!read_default_cpu(daemon, err) ||
        !fl_state_dir_open(text(daemon, CONFIG_state_dir), &daemon->dir, err) ||
        !open_identity(daemon, err) || !prepare_database(daemon, err) ||
        !check_pepper(daemon, err) || !open_logs(daemon, err)) {
        return false;
    }
    daemon->metrics = fl_metrics_create();
    fl_metrics_add(daemon->metrics, route_metric_families, ROUTE_METRICS_LEN);
    daemon->views = views_create();
    daemon->sessions = session_table_create();
    daemon->specs = spec_cache_create((size_t)number(daemon, CONFIG_spec_cache));
    daemon->known = known_addresses_create();
    shared.views = daemon->views;
    shared.known = daemon->known;
    shared.must_make_token = fl_config_bool(daemon->run->config, CONFIG_make_admin_token);
    shared.identity = daemon->identity;
    shared.logs = daemon->logs;
    shared.specs = daemon->specs;
    shared.dir = daemon->dir;
    shared.metrics = daemon->metrics;
    shared.conninfo = text(daemon, CONFIG_database);
    daemon->fronts = fronts_create(&shared);
    if (!open_fronts(daemon, err) || !start_engine(daemon, err)) return false;
    open_usage(daemon);
    if (!open_metrics(daemon, err)) return false;
    fl_timer_in(&daemon->look, 1);
    fl_timer_in(&daemon->renew, RENEW_MS);
    return true;
}

/* Stops the parts in reverse order: a part ends before those that it uses. */
static void stop(void *ctx)
{
    struct daemon *daemon = ctx;

    if (daemon->engine) {
        fronts_drain(daemon->fronts);
        engine_thread_stop(daemon->engine);
    }
    metrics_listener_destroy(daemon->metrics_server);
    usage_ledger_destroy(daemon->usage);
    fronts_destroy(daemon->fronts);
    known_addresses_destroy(daemon->known);
    engine_thread_destroy(daemon->engine);
    log_store_destroy(daemon->logs);
    spec_cache_destroy(daemon->specs);
    if (daemon->keeps_sessions) keep_sessions(daemon);
    session_table_destroy(daemon->sessions);
    views_destroy(daemon->views);
    fl_metrics_destroy(daemon->metrics);
    if (daemon->api_tls) SSL_CTX_free(daemon->api_tls);
    identity_close(daemon->identity);
    fl_state_dir_close(daemon->dir);
    fl_timer_off(&daemon->look);
    fl_timer_off(&daemon->renew);
    fl_timer_off(&daemon->keep);
}

int main(int argc, char **argv)
{
    struct daemon daemon = {0};
    struct fl_program_steps steps = {&daemon, start, stop, is_well};

    if (argc > 1 && strcmp(argv[1], "init") == 0) return init_main(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "backup") == 0) return backup_main(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "restore") == 0) return restore_main(argc - 1, argv + 1);
    fl_program_keep_freed_memory(); /* batches come and go many times a second */
    return fl_program_main(&fairleadd_program, &steps, argc, argv);
}
