#include "agent/kube/kube_client.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/kube/kube_rate_limit.h"
#include "agent/kube/kube_retry.h"
#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/prng.h"
#include "shared/base/version.h"
#include "shared/http_client/http_client.h"
#include "shared/io/file.h"
#include "shared/io/loop.h"
#include "shared/tls/context.h"
#include "shared/tls/digest.h"

#define USER_AGENT "fairlead-agent/" FL_VERSION

enum { STREAMS_MAX = 16 }; /* connections that HTTP/1.1 needs beside the requests at once */

/* One HTTP client; a newer one takes its place when its connection is in doubt. */
struct transport {
    struct fl_http_client *http;
    unsigned calls_len;
    struct transport *next;
};

struct call_list {
    struct kube_call *first, *last;
};

struct kube_client {
    struct fl_loop *loop;
    struct fl_arena arena; /* holds the strings of 'kube' */
    struct kube_config kube;
    struct kube_rate_limit rate_limit;
    struct fl_prng prng;
    unsigned waiting_max, calls_len;
    struct transport *transports;     /* the newest first */
    bool is_renewed;                  /* the newest is in doubt */
    struct call_list streams, others; /* they wait for their turn */
    struct fl_timer timer;            /* the rate allows the next */
    struct fl_timer sweep;            /* transports without calls go */
    struct fl_after after;            /* looks at the lists at the end of this turn */
    struct fl_buf token;
    struct stat token_file; /* as it was read last */
    struct kube_client_counts counts;
};

enum call_state {
    CALL_WAITING, /* in a list of the client */
    CALL_RUNNING,
    CALL_RESTING, /* until it is sent again */
    CALL_FAILING, /* 'done' follows with 'failure' */
    CALL_ENDED,
};

struct kube_call {
    struct kube_client *client;
    struct kube_port port;
    enum call_state state;
    const char *method, *path, *content_type; /* in 'arena' */
    struct fl_str body;
    struct fl_arena arena;
    struct fl_http_request limits; /* only its limits count */
    bool is_stream, is_once, is_good;
    unsigned retries;
    struct fl_http_call *http;
    struct transport *transport;
    fl_ms retry_after_ms; /* as the answer says it; -1: not at all */
    struct fl_buf answer; /* the body of an answer that is no 2xx */
    struct kube_failure failure;
    struct fl_timer timer;
    struct kube_call *next, *prev; /* in a list of the client */
};

/* ---- lists ----------------------------------------------------------------------------------- */

static struct call_list *list_of(struct kube_call *call)
{
    return call->is_stream ? &call->client->streams : &call->client->others;
}

static void put_waiting(struct kube_call *call)
{
    struct call_list *list = list_of(call);

    call->state = CALL_WAITING;
    call->next = NULL;
    call->prev = list->last;
    if (list->last) {
        list->last->next = call;
    } else {
        list->first = call;
    }
    list->last = call;
    call->client->counts.waiting++;
    fl_after_put(&call->client->after);
}

static void take_waiting(struct kube_call *call)
{
    struct call_list *list = list_of(call);

    if (call->prev) {
        call->prev->next = call->next;
    } else {
        list->first = call->next;
    }
    if (call->next) {
        call->next->prev = call->prev;
    } else {
        list->last = call->prev;
    }
    call->client->counts.waiting--;
}

/* ---- transports ------------------------------------------------------------------------------ */

static bool read_pem(const struct kube_pem *pem, struct fl_buf *ret_text, struct fl_err *err)
{
    if (pem->data.len > 0) return fl_buf_put(ret_text, pem->data.at, pem->data.len);
    if (pem->path.len == 0) return true;
    return fl_file_read(AT_FDCWD, pem->path.at, ret_text, err) ||
           fl_err_wrap(err, "%s", pem->path.at);
}

static struct fl_str view(const struct fl_buf *buf)
{
    return (struct fl_str){(const char *)buf->at, buf->len};
}

static void wipe(struct fl_buf *buf)
{
    if (buf->at) fl_secret_wipe(buf->at, buf->len);
    fl_buf_fini(buf);
}

/* The texts of a connection's certificates. */
struct pems {
    struct fl_buf ca, certificate, key;
};

static bool read_pems(const struct kube_config *kube, struct pems *pems, struct fl_tls_client *tls,
                      struct fl_err *err)
{
    fl_buf_init(&pems->ca, KUBE_CONFIG_PEM_BYTES_MAX);
    fl_buf_init(&pems->certificate, KUBE_CONFIG_PEM_BYTES_MAX);
    fl_buf_init(&pems->key, KUBE_CONFIG_PEM_BYTES_MAX);
    if (!read_pem(&kube->ca, &pems->ca, err) ||
        !read_pem(&kube->certificate, &pems->certificate, err) ||
        !read_pem(&kube->key, &pems->key, err)) {
        return false;
    }
    tls->ca_pem = view(&pems->ca);
    tls->cert_pem = view(&pems->certificate);
    tls->key_pem = view(&pems->key);
    return true;
}

static void forget_pems(struct pems *pems)
{
    fl_buf_fini(&pems->ca);
    fl_buf_fini(&pems->certificate);
    wipe(&pems->key);
}

static bool make_transport(struct kube_client *client, struct fl_err *err)
{
    const struct kube_config *kube = &client->kube;
    struct fl_http_client_config config = {
        .server_name = kube->server_name.len > 0 ? kube->server_name.at : NULL,
        .is_http2 = true,
        .connections_max = client->rate_limit.at_once_max + STREAMS_MAX,
    };
    struct fl_http_client *http = NULL;
    struct transport *transport;
    struct pems pems;
    bool is_good;

    is_good = read_pems(kube, &pems, &config.tls, err) &&
              fl_http_client_create(client->loop, &config, &http, err);
    forget_pems(&pems);
    if (!is_good) return false;
    transport = fl_new(struct transport);
    *transport = (struct transport){.http = http, .next = client->transports};
    client->transports = transport;
    client->is_renewed = false;
    client->counts.connections++;
    fl_timer_in(&client->sweep, 0);
    return true;
}

/* Keeps the newest. */
static void on_sweep(void *ctx)
{
    struct kube_client *client = ctx;
    struct transport **at = &client->transports->next;

    while (*at) {
        struct transport *transport = *at;

        if (transport->calls_len > 0) {
            at = &transport->next;
            continue;
        }
        *at = transport->next;
        fl_http_client_destroy(transport->http);
        fl_free(transport);
    }
}

void kube_client_renew(struct kube_client *client)
{
    client->is_renewed = true;
}

/* ---- the token ------------------------------------------------------------------------------- */

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void trim(struct fl_buf *token)
{
    while (token->len > 0 && strchr(" \t\r\n", token->at[token->len - 1])) {
        token->len--;
    }
}

/* Reads the file when it has changed; keeps the last token where that fails. */
static bool read_token(struct kube_client *client, struct fl_err *err)
{
    const char *path = client->kube.token_path.at;
    struct stat now = {0};
    struct fl_buf text;

    if (client->kube.token_path.len == 0) return true;
    if (stat(path, &now) == 0 && client->token.len > 0 && is_same_file(&now, &client->token_file)) {
        return true;
    }
    fl_buf_init(&text, KUBE_CONFIG_TOKEN_BYTES_MAX);
    if (!fl_file_read(AT_FDCWD, path, &text, err)) {
        wipe(&text);
        return client->token.len > 0 || fl_err_wrap(err, "the token %s", path);
    }
    trim(&text);
    if (text.len == 0) {
        wipe(&text);
        return client->token.len > 0 || fl_fail(err, FL_INVALID, "the token %s is empty", path);
    }
    wipe(&client->token);
    client->token = text;
    client->token_file = now;
    return true;
}

static struct fl_str token_of(const struct kube_client *client)
{
    return client->kube.token_path.len > 0 ? view(&client->token) : client->kube.token;
}

bool kube_client_terms(struct kube_client *client, struct kube_client_terms *ret_terms,
                       struct fl_err *err)
{
    struct fl_tls_client want = {0};
    SSL_CTX *tls = NULL;
    struct pems pems;
    bool is_good;

    is_good = read_pems(&client->kube, &pems, &want, err) && read_token(client, err) &&
              fl_tls_client(&want, &tls, err);
    forget_pems(&pems);
    if (!is_good) return false;
    *ret_terms = (struct kube_client_terms){
        .server = client->kube.server,
        .server_name = client->kube.server_name,
        .token = token_of(client),
        .tls = tls,
    };
    return true;
}

/* ---- the end of a call ----------------------------------------------------------------------- */

static void drop_http(struct kube_call *call)
{
    struct kube_client *client = call->client;

    if (!call->transport) return;
    fl_http_call_destroy(call->http);
    call->http = NULL;
    if (--call->transport->calls_len == 0 && call->transport != client->transports) {
        fl_timer_in(&client->sweep, 0); /* not from within a callback of its own */
    }
    call->transport = NULL;
    kube_rate_limit_end(&client->rate_limit, call->is_stream);
    if (!call->is_stream) client->counts.running--;
    fl_after_put(&client->after);
}

static void finish(struct kube_call *call, const struct kube_failure *failure)
{
    struct kube_failure why = failure ? *failure : (struct kube_failure){0};

    call->state = CALL_ENDED;
    call->port.done(call->port.ctx, failure ? &why : NULL); /* may destroy the call */
}

static void fail_later(struct kube_call *call)
{
    call->state = CALL_FAILING;
    fl_timer_in(&call->timer, 0);
}

static void on_call_time(void *ctx)
{
    struct kube_call *call = ctx;

    if (call->state == CALL_FAILING) {
        finish(call, &call->failure);
    } else {
        put_waiting(call);
    }
}

/* The server refused, or did not answer. */
static void take_failure(struct kube_call *call)
{
    struct kube_client *client = call->client;
    bool is_read = strcmp(call->method, "GET") == 0;
    fl_ms now = fl_loop_now(client->loop);
    fl_ms wait = kube_retry_wait(&call->failure, is_read, call->retries, &client->prng);

    if (call->failure.status == 429 && wait >= 0) {
        kube_rate_limit_pause(&client->rate_limit, now + wait);
    }
    if (call->is_once || wait < 0) {
        finish(call, &call->failure);
        return;
    }
    call->retries++;
    client->counts.sent_again++;
    call->state = CALL_RESTING;
    fl_timer_in(&call->timer, wait);
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void on_head(void *ctx)
{
    struct kube_call *call = ctx;
    unsigned status = fl_http_call_status(call->http);

    call->is_good = status >= 200 && status < 300;
    call->retry_after_ms = kube_status_retry_after(fl_http_call_header(call->http, "retry-after"));
}

static void on_body(void *ctx, struct fl_str bytes)
{
    struct kube_call *call = ctx;

    if (call->is_good) {
        call->port.body(call->port.ctx, bytes); /* may destroy the call */
    } else {
        FL_IGNORE(fl_buf_put(&call->answer, bytes.at, bytes.len)); /* too long: no Status */
    }
}

static void on_done(void *ctx, const struct fl_err *err)
{
    struct kube_call *call = ctx;
    struct kube_client *client = call->client;
    unsigned status = fl_http_call_status(call->http);
    bool is_newest = call->transport == client->transports;

    drop_http(call);
    if (!err && call->is_good) {
        finish(call, NULL);
        return;
    }
    if (err && (status == 0 || call->is_good)) {
        if (is_newest && err->code == FL_UNAVAILABLE) kube_client_renew(client);
        call->failure = (struct kube_failure){.err = *err, .retry_after_ms = -1};
    } else {
        client->counts.refused++;
        kube_status_read(status, view(&call->answer), &call->failure);
        if (call->retry_after_ms >= 0) call->failure.retry_after_ms = call->retry_after_ms;
    }
    take_failure(call);
}

/* ---- sending --------------------------------------------------------------------------------- */

static void start_http(struct kube_call *call)
{
    struct kube_client *client = call->client;
    struct fl_http_request request = call->limits;
    struct fl_http_port port = {.ctx = call, .head = on_head, .body = on_body, .done = on_done};
    struct fl_str token = token_of(client);
    struct fl_buf bearer;
    struct fl_http_header headers[4] = {{"Accept", "application/json"}, {"User-Agent", USER_AGENT}};
    size_t len = 2;

    fl_buf_init(&bearer, KUBE_CONFIG_TOKEN_BYTES_MAX + 16);
    if (token.len > 0) {
        fl_assert(fl_buf_put(&bearer, "Bearer ", 7) && fl_buf_put(&bearer, token.at, token.len) &&
                  fl_buf_put_u8(&bearer, 0));
        headers[len++] = (struct fl_http_header){"Authorization", (const char *)bearer.at};
    }
    if (call->body.len > 0) {
        headers[len++] = (struct fl_http_header){"Content-Type", call->content_type};
    }
    request.method = call->method;
    request.url =
        fl_arena_printf(&call->arena, FL_STR_FMT "%s", FL_STR_ARG(client->kube.server), call->path);
    request.headers = headers;
    request.headers_len = len;
    request.body = call->body;
    call->is_good = false;
    call->retry_after_ms = -1;
    fl_buf_fini(&call->answer);
    fl_buf_init(&call->answer, KUBE_STATUS_BYTES_MAX);
    call->state = CALL_RUNNING;
    call->transport = client->transports;
    call->transport->calls_len++;
    call->http = fl_http_call_start(call->transport->http, &request, &port);
    wipe(&bearer);
}

static void send_call(struct kube_call *call)
{
    struct kube_client *client = call->client;
    struct kube_failure failure = {.retry_after_ms = -1};

    take_waiting(call);
    if (!read_token(client, &failure.err) ||
        (client->is_renewed && !make_transport(client, &failure.err))) {
        call->failure = failure;
        fail_later(call);
        return;
    }
    kube_rate_limit_start(&client->rate_limit, call->is_stream, fl_loop_now(client->loop));
    client->counts.sent++;
    if (!call->is_stream) client->counts.running++;
    start_http(call);
}

/* Starts each that may, and sets the timer for the next one. */
static void send_waiting(void *ctx)
{
    struct kube_client *client = ctx;
    fl_ms now = fl_loop_now(client->loop), next_at = KUBE_RATE_LIMIT_NEVER;
    struct call_list *const lists[] = {&client->streams, &client->others};

    for (size_t i = 0; i < 2; i++) {
        while (lists[i]->first) {
            fl_ms at =
                kube_rate_limit_ready_at(&client->rate_limit, lists[i]->first->is_stream, now);

            if (at > now) {
                if (at < next_at) next_at = at;
                break;
            }
            send_call(lists[i]->first);
        }
    }
    if (next_at != KUBE_RATE_LIMIT_NEVER) fl_timer_at(&client->timer, next_at);
}

struct kube_call *kube_call_start(struct kube_client *client, const struct kube_request *request,
                                  const struct kube_port *port)
{
    struct kube_call *call = fl_new(struct kube_call);

    call->client = client;
    call->port = *port;
    call->method = fl_arena_printf(&call->arena, "%s", request->method);
    call->path = fl_arena_printf(&call->arena, "%s", request->path);
    call->content_type = fl_arena_printf(
        &call->arena, "%s", request->content_type ? request->content_type : "application/json");
    call->body = fl_arena_str(&call->arena, request->body);
    call->is_stream = request->is_stream;
    call->is_once = request->is_once;
    call->limits = (struct fl_http_request){
        .head_ms = request->head_ms,
        .idle_ms = request->idle_ms,
        .whole_ms = request->whole_ms,
        .body_bytes_max = request->body_bytes_max,
    };
    fl_timer_init(&call->timer, client->loop, on_call_time, call);
    client->calls_len++;
    if (client->counts.waiting >= client->waiting_max) {
        call->failure.retry_after_ms = -1;
        fl_fail(&call->failure.err, FL_FULL, "%u requests wait for the API server already",
                client->waiting_max);
        fail_later(call);
    } else {
        put_waiting(call);
    }
    return call;
}

void kube_call_destroy(struct kube_call *call)
{
    if (!call) return;
    if (call->state == CALL_WAITING) take_waiting(call);
    drop_http(call);
    fl_timer_off(&call->timer);
    fl_buf_fini(&call->answer);
    fl_arena_fini(&call->arena);
    call->client->calls_len--;
    fl_free(call);
}

/* ---- clients --------------------------------------------------------------------------------- */

static void copy_pem(struct fl_arena *arena, struct kube_pem *pem)
{
    pem->data = fl_arena_str(arena, pem->data);
    pem->path = fl_arena_str(arena, pem->path);
}

static void copy_config(struct kube_client *client, const struct kube_config *kube)
{
    struct kube_config *copy = &client->kube;

    *copy = *kube;
    copy->server = fl_arena_str(&client->arena, kube->server);
    copy->server_name = fl_arena_str(&client->arena, kube->server_name);
    copy->token = fl_arena_str(&client->arena, kube->token);
    copy->token_path = fl_arena_str(&client->arena, kube->token_path);
    copy->namespace = fl_arena_str(&client->arena, kube->namespace);
    copy->namespace_path = fl_arena_str(&client->arena, kube->namespace_path);
    copy_pem(&client->arena, &copy->ca);
    copy_pem(&client->arena, &copy->certificate);
    copy_pem(&client->arena, &copy->key);
}

static unsigned or_default(unsigned n, unsigned default_n)
{
    return n > 0 ? n : default_n;
}

bool kube_client_create(struct fl_loop *loop, const struct kube_client_config *config,
                        struct kube_client **ret_client, struct fl_err *err)
{
    struct kube_client *client = fl_new(struct kube_client);

    client->loop = loop;
    client->waiting_max = or_default(config->waiting_max, KUBE_CLIENT_WAITING_MAX);
    kube_rate_limit_init(&client->rate_limit,
                         or_default(config->per_second, KUBE_CLIENT_PER_SECOND),
                         or_default(config->burst, KUBE_CLIENT_BURST),
                         or_default(config->at_once_max, KUBE_CLIENT_AT_ONCE), fl_loop_now(loop));
    fl_prng_seed(&client->prng, config->seed);
    copy_config(client, config->kube);
    fl_timer_init(&client->timer, loop, send_waiting, client);
    fl_timer_init(&client->sweep, loop, on_sweep, client);
    fl_after_init(&client->after, loop, send_waiting, client);
    if (!make_transport(client, err) || !read_token(client, err)) {
        kube_client_destroy(client);
        return false;
    }
    *ret_client = client;
    return true;
}

static void wipe_str(struct fl_str s)
{
    if (s.len > 0) fl_secret_wipe((char *)(uintptr_t)s.at, s.len);
}

void kube_client_destroy(struct kube_client *client)
{
    if (!client) return;
    fl_assert(client->calls_len == 0);
    fl_timer_off(&client->timer);
    fl_timer_off(&client->sweep);
    fl_after_off(&client->after);
    while (client->transports) {
        struct transport *transport = client->transports;

        client->transports = transport->next;
        fl_http_client_destroy(transport->http);
        fl_free(transport);
    }
    wipe(&client->token);
    wipe_str(client->kube.token);
    wipe_str(client->kube.key.data);
    fl_arena_fini(&client->arena);
    fl_free(client);
}

struct fl_loop *kube_client_loop(const struct kube_client *client)
{
    return client->loop;
}

struct kube_client_counts kube_client_counts(const struct kube_client *client)
{
    return client->counts;
}
