#include "shared/http_client/http_client.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include <openssl/ssl.h>

#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/http_client/curl_error.h"
#include "shared/http_client/curl_library.h"
#include "shared/http_client/curl_loop.h"
#include "shared/http_client/curl_request.h"
#include "shared/io/loop.h"
#include "shared/tls/digest.h"

enum {
    CONNECTIONS_MAX = 16,
    CONNECT_MS = 10000,
    HEAD_MS = 30000,
    IDLE_MS = 60000,
    HEAD_BYTES_MAX = 64 << 10,
    BODY_BYTES_MAX = 1 << 20,
    PIECE_BYTES = 64 << 10, /* libcurl's buffer of a connection */
};

struct fl_http_client {
    struct fl_loop *loop;
    struct fl_curl_loop *curl;
    struct fl_tls_client tls;
    struct fl_digest ca_sha256;
    const char *server_name, *proxy, *no_proxy;
    bool is_http2;
    struct fl_arena arena; /* holds the client's strings */
    size_t calls_len;
};

enum phase {
    CALL_NEW,        /* goes to libcurl at the end of this turn */
    CALL_CONNECTING, /* a proxy may speak */
    CALL_ASKING,     /* sends the request and waits for the answer's head */
    CALL_ANSWERING,  /* the port has the head */
    CALL_ENDED,      /* 'done' was called, or will not be */
};

struct fl_http_call {
    struct fl_http_client *client;
    struct fl_http_port port;
    enum phase phase;
    struct fl_curl_request request;
    struct fl_buf body; /* the request's; empty when the port pulls it */
    size_t sent;        /* bytes of 'body' that libcurl has */
    fl_ms connect_ms, head_ms, idle_ms;
    fl_ms whole_at;    /* INT64_MAX: never */
    fl_ms progress_at; /* when this phase began, or bytes moved last */
    struct fl_timer timer;
    struct fl_after after;
    bool is_connect_only, is_head, is_endless, may_repeat, is_paused, is_resumed, is_pull_waiting;
    bool is_doomed; /* destroyed from within libcurl; goes at the end of this turn */
    uint64_t head_bytes, body_bytes, body_bytes_max;
    size_t head_bytes_max;
    struct fl_buf head; /* the answer's, or that of a 1xx before it */
    unsigned status;
    struct fl_err err; /* our own reason, which wins over libcurl's; no reason: text is "" */
    char error[CURL_ERROR_SIZE];
};

/* ---- ending ---------------------------------------------------------------------------------- */

static void release(struct fl_http_call *call)
{
    fl_timer_off(&call->timer);
    fl_after_off(&call->after);
    fl_curl_request_fini(&call->request);
    if (call->body.at) fl_secret_wipe(call->body.at, call->body.len);
    fl_buf_fini(&call->body);
    fl_buf_fini(&call->head);
    call->client->calls_len--;
    fl_free(call);
}

/* Takes the call from libcurl, so that no callback follows. */
static void end(struct fl_http_call *call)
{
    if (call->phase != CALL_NEW && call->phase != CALL_ENDED) {
        fl_curl_loop_remove(call->client->curl, call->request.easy);
    }
    call->phase = CALL_ENDED;
    fl_timer_off(&call->timer);
    fl_after_off(&call->after);
}

static void finish(struct fl_http_call *call, const struct fl_err *err)
{
    struct fl_err why = err ? *err : (struct fl_err){0};

    end(call);
    call->port.done(call->port.ctx, err ? &why : NULL); /* may destroy the call */
}

/* Notes our reason for the end that libcurl will report; the first reason stays.  Returns false. */
static bool stop(struct fl_http_call *call, enum fl_code code, const char *text)
{
    if (!call->err.text[0]) fl_fail(&call->err, code, "%s", text);
    return false;
}

/* From libcurl: the transfer is over. */
static void on_ended(void *private, CURLcode result)
{
    struct fl_http_call *call = private;
    struct fl_err err = call->err;

    if (call->is_doomed) return;
    if (!err.text[0] && result == CURLE_OK && call->is_endless) {
        fl_fail(&err, FL_TORN, "the answer has no length, so its end may be a cut");
    }
    if (!err.text[0] && result == CURLE_OK &&
        (call->phase == CALL_ANSWERING || call->is_connect_only)) {
        finish(call, NULL);
        return;
    }
    if (!err.text[0] && result == CURLE_OK) { /* libcurl accepts half a head */
        fl_fail(&err, FL_UNAVAILABLE, "cut before the answer's head was whole");
    }
    if (!err.text[0]) {
        long proxy_status = 0;

        curl_easy_getinfo(call->request.easy, CURLINFO_HTTP_CONNECTCODE, &proxy_status);
        fl_curl_fail(&err, result, call->error,
                     &(struct fl_curl_place){.is_answering = call->phase == CALL_ANSWERING,
                                             .proxy_status = proxy_status});
    }
    finish(call, &err);
}

/* ---- deadlines ------------------------------------------------------------------------------- */

static fl_ms phase_ends_at(const struct fl_http_call *call)
{
    switch (call->phase) {
    case CALL_CONNECTING:
        return call->progress_at + call->connect_ms;
    case CALL_ASKING:
        return call->is_pull_waiting ? INT64_MAX : call->progress_at + call->head_ms;
    case CALL_ANSWERING:
        return call->is_paused ? INT64_MAX : call->progress_at + call->idle_ms;
    default:
        return INT64_MAX;
    }
}

static fl_ms ends_at(const struct fl_http_call *call)
{
    fl_ms at = phase_ends_at(call);

    return at < call->whole_at ? at : call->whole_at;
}

/* Progress only moves the deadline away: the timer stays, and is set anew when it fires early. */
static void watch_time(struct fl_http_call *call)
{
    fl_ms at = ends_at(call);

    if (at == INT64_MAX) {
        fl_timer_off(&call->timer);
    } else if (!fl_timer_is_on(&call->timer) || at < call->timer.at) {
        fl_timer_at(&call->timer, at);
    }
}

static void progress(struct fl_http_call *call, enum phase phase)
{
    call->phase = phase;
    call->progress_at = fl_loop_now(call->client->loop);
    watch_time(call);
}

static void on_time(void *ctx)
{
    struct fl_http_call *call = ctx;
    fl_ms now = fl_loop_now(call->client->loop);
    struct fl_err err = {0};

    if (now < ends_at(call)) {
        watch_time(call);
        return;
    }
    if (now >= call->whole_at) {
        fl_fail(&err, FL_UNAVAILABLE, "the whole answer did not come in time");
    } else if (call->phase == CALL_CONNECTING) {
        fl_fail(&err, FL_UNAVAILABLE, "no connection within %lld ms", (long long)call->connect_ms);
    } else if (call->phase == CALL_ASKING) {
        fl_fail(&err, FL_UNAVAILABLE, "no answer within %lld ms", (long long)call->head_ms);
    } else {
        fl_fail(&err, FL_TORN, "the answer stopped for %lld ms", (long long)call->idle_ms);
    }
    finish(call, &err);
}

/* ---- libcurl's callbacks --------------------------------------------------------------------- */

static curl_socket_t on_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
    (void)ctx, (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* The connection is there, its proxy passed and its TLS made. */
static int on_connected(void *ctx, char *ip, char *local_ip, int port, int local_port)
{
    struct fl_http_call *call = ctx;
    bool is_first = call->phase == CALL_CONNECTING;

    (void)ip, (void)local_ip, (void)port, (void)local_port;
    if (call->is_doomed) return CURL_PREREQFUNC_ABORT;
    if (!is_first && !call->may_repeat) {
        stop(call, FL_UNAVAILABLE, "the connection broke, perhaps after the request was served");
        return CURL_PREREQFUNC_ABORT;
    }
    progress(call, CALL_ASKING);
    return CURL_PREREQFUNC_OK;
}

static bool read_status(struct fl_http_call *call)
{
    const char *line = (const char *)call->head.at;
    const char *space = memchr(line, ' ', call->head.len);
    size_t at = space ? (size_t)(space - line) + 1 : call->head.len;

    if (at + 3 > call->head.len || strspn(line + at, "0123456789") < 3) return false;
    call->status =
        (unsigned)((line[at] - '0') * 100 + (line[at + 1] - '0') * 10 + (line[at + 2] - '0'));
    return true;
}

/* The body goes on until the connection ends, so that its end looks like a cut: libcurl 7.88 does
 * not see whether TLS was closed in order. */
static bool has_no_end(const struct fl_http_call *call, curl_off_t length)
{
    long version = 0;

    curl_easy_getinfo(call->request.easy, CURLINFO_HTTP_VERSION, &version);
    return length < 0 && version < CURL_HTTP_VERSION_2_0 && !call->is_head && call->status != 204 &&
           call->status != 304 && !fl_http_call_header(call, "transfer-encoding").at;
}

/* The head is whole.  False: the answer is refused. */
static bool take_head(struct fl_http_call *call)
{
    curl_off_t length = -1;

    if (!read_status(call)) return stop(call, FL_TORN, "the answer has no status");
    if (call->status == 101) return stop(call, FL_TORN, "the server changes the protocol unasked");
    if (call->status < 200) {
        fl_buf_clear(&call->head);
        call->status = 0;
        return true;
    }
    curl_easy_getinfo(call->request.easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    if (length > 0 && (uint64_t)length > call->body_bytes_max && !call->is_head) {
        return stop(call, FL_TOO_LARGE, "the answer is larger than its limit");
    }
    call->is_endless = has_no_end(call, length);
    progress(call, CALL_ANSWERING);
    if (call->port.head) call->port.head(call->port.ctx);
    return !call->is_doomed;
}

/* One line: the proxy's, a 1xx's, the answer head's or a trailer's. */
static size_t on_header(char *line, size_t one, size_t len, void *ctx)
{
    struct fl_http_call *call = ctx;
    bool is_last = len > 0 && (line[0] == '\r' || line[0] == '\n');

    (void)one;
    if (call->is_doomed) return 0;
    call->head_bytes += len;
    if (call->head_bytes > call->head_bytes_max) {
        stop(call, FL_TOO_LARGE, "the answer's head is larger than its limit");
        return 0;
    }
    if (call->phase != CALL_ASKING) return len;
    if (is_last) return call->head.len > 0 && take_head(call) ? len : 0;
    fl_buf_put(&call->head, line, len);
    return len;
}

static size_t on_body(char *bytes, size_t one, size_t len, void *ctx)
{
    struct fl_http_call *call = ctx;

    (void)one;
    if (call->is_doomed) return 0;
    if (call->is_paused) return CURL_WRITEFUNC_PAUSE; /* these bytes come again */
    call->body_bytes += len;
    if (call->body_bytes > call->body_bytes_max) {
        stop(call, FL_TOO_LARGE, "the answer is larger than its limit");
        return 0;
    }
    progress(call, call->phase);
    call->port.body(call->port.ctx, (struct fl_str){bytes, len});
    return call->is_doomed ? 0 : len;
}

static size_t take_body(struct fl_http_call *call, char *at, size_t bytes_max)
{
    size_t len = call->body.len - call->sent;

    if (len > bytes_max) len = bytes_max;
    if (len) memcpy(at, call->body.at + call->sent, len);
    call->sent += len;
    return len;
}

static size_t on_read(char *at, size_t one, size_t bytes_max, void *ctx)
{
    struct fl_http_call *call = ctx;
    size_t len;

    (void)one;
    if (call->is_doomed) return CURL_READFUNC_ABORT;
    if (call->phase == CALL_ASKING) progress(call, CALL_ASKING);
    if (!call->port.pull) return take_body(call, at, bytes_max);
    len = call->port.pull(call->port.ctx, (uint8_t *)at, bytes_max);
    if (call->is_doomed) return CURL_READFUNC_ABORT;
    if (len == FL_HTTP_PULL_END) return 0;
    fl_assert(len <= bytes_max);
    call->is_pull_waiting = len == 0;
    if (len == 0) watch_time(call);
    return len ? len : CURL_READFUNC_PAUSE;
}

static int on_seek(void *ctx, curl_off_t offset, int origin)
{
    struct fl_http_call *call = ctx;

    if (call->port.pull || origin != SEEK_SET || offset < 0 || (size_t)offset > call->body.len) {
        return CURL_SEEKFUNC_FAIL;
    }
    call->sent = (size_t)offset;
    return CURL_SEEKFUNC_OK;
}

static CURLcode on_tls(CURL *easy, void *context, void *ctx)
{
    struct fl_http_call *call = ctx;
    char name[FL_NET_HOST_MAX];

    (void)easy;
    fl_curl_request_host(&call->request, name);
    if (fl_tls_client_set(&call->client->tls, name, context, &call->err)) return CURLE_OK;
    return CURLE_SSL_CERTPROBLEM;
}

/* ---- making a request ------------------------------------------------------------------------ */

static void set_body(struct fl_http_call *call, const struct fl_http_request *request)
{
    const char *method = request->method;
    bool wants_body =
        strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0 || strcmp(method, "PATCH") == 0;
    int64_t bytes = call->port.pull ? request->pull_bytes : (int64_t)request->body.len;

    fl_buf_init(&call->body, request->body.len + 1);
    if (request->body.len) fl_buf_put(&call->body, request->body.at, request->body.len);
    call->is_head = strcmp(method, "HEAD") == 0;
    if (call->is_head) {
        curl_easy_setopt(call->request.easy, CURLOPT_NOBODY, 1L);
        return;
    }
    if (wants_body || bytes != 0) {
        curl_easy_setopt(call->request.easy, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(call->request.easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)bytes);
        curl_easy_setopt(call->request.easy, CURLOPT_READFUNCTION, on_read);
        curl_easy_setopt(call->request.easy, CURLOPT_READDATA, call);
        curl_easy_setopt(call->request.easy, CURLOPT_SEEKFUNCTION, on_seek);
        curl_easy_setopt(call->request.easy, CURLOPT_SEEKDATA, call);
    }
    curl_easy_setopt(call->request.easy, CURLOPT_CUSTOMREQUEST, method);
}

static void set_options(struct fl_http_call *call)
{
    CURL *easy = call->request.easy;
    bool is_http2 = call->client->is_http2;

    curl_easy_setopt(easy, CURLOPT_PRIVATE, call);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, call->error);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                     (long)(is_http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, (long)is_http2);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)PIECE_BYTES);
    /* libcurl divides this among the addresses of a host. */
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)call->connect_ms);
    /* Else a call that ends while its name is looked up would wait for the name server. */
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    /* Trust is set in on_tls alone; libcurl neither reads a file of CAs nor keeps one. */
    curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    curl_easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, on_tls);
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, call);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_socket);
    if (call->is_connect_only) {
        curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
        curl_easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
    }
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_connected);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, call);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, call);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, call);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void on_after(void *ctx)
{
    struct fl_http_call *call = ctx;

    if (call->is_doomed) {
        end(call);
        release(call);
    } else if (call->phase == CALL_NEW && call->err.text[0]) {
        finish(call, &call->err);
    } else if (call->phase == CALL_NEW) {
        progress(call, CALL_CONNECTING);
        fl_curl_loop_add(call->client->curl, call->request.easy);
    } else if (call->is_resumed) {
        call->is_resumed = false;
        progress(call, call->phase);
        fl_curl_loop_unpause(call->client->curl, call->request.easy);
    }
}

static fl_ms or_default(fl_ms ms, fl_ms default_ms)
{
    return ms > 0 ? ms : default_ms;
}

struct fl_http_call *fl_http_call_start(struct fl_http_client *client,
                                        const struct fl_http_request *request,
                                        const struct fl_http_port *port)
{
    struct fl_http_call *call = fl_new(struct fl_http_call);
    const char *method = request->method;
    fl_ms now = fl_loop_now(client->loop);
    bool is_good;

    client->calls_len++;
    call->client = client;
    call->port = *port;
    fl_curl_request_init(&call->request);
    call->connect_ms = or_default(request->connect_ms, CONNECT_MS);
    call->head_ms = or_default(request->head_ms, HEAD_MS);
    call->idle_ms = or_default(request->idle_ms, IDLE_MS);
    call->whole_at = request->whole_ms > 0 ? now + request->whole_ms : INT64_MAX;
    call->head_bytes_max = request->head_bytes_max ? request->head_bytes_max : HEAD_BYTES_MAX;
    call->is_connect_only = request->is_connect_only;
    call->body_bytes_max = request->body_bytes_max ? request->body_bytes_max : BODY_BYTES_MAX;
    call->may_repeat = !port->pull && (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 ||
                                       strcmp(method, "PUT") == 0 || strcmp(method, "DELETE") == 0);
    fl_buf_init(&call->head, call->head_bytes_max);
    fl_timer_init(&call->timer, client->loop, on_time, call);
    fl_after_init(&call->after, client->loop, on_after, call);
    set_options(call);
    set_body(call, request);
    is_good = fl_curl_request_set(
        &call->request, request,
        &(struct fl_curl_route){client->server_name, client->proxy, client->no_proxy}, &call->err);
    fl_assert(is_good || call->err.text[0]); /* told at the end of this turn */
    fl_after_put(&call->after);
    return call;
}

void fl_http_call_destroy(struct fl_http_call *call)
{
    if (!call) return;
    if (fl_curl_loop_is_inside(call->client->curl)) {
        call->is_doomed = true;
        fl_after_put(&call->after);
        return;
    }
    end(call);
    release(call);
}

void fl_http_call_pause(struct fl_http_call *call)
{
    call->is_paused = true;
}

static void unpause(struct fl_http_call *call)
{
    if (call->phase != CALL_ASKING && call->phase != CALL_ANSWERING) return;
    call->is_resumed = true;
    fl_after_put(&call->after);
}

void fl_http_call_resume(struct fl_http_call *call)
{
    if (!call->is_paused) return;
    call->is_paused = false;
    unpause(call);
}

void fl_http_call_wants(struct fl_http_call *call)
{
    if (!call->is_pull_waiting) return;
    call->is_pull_waiting = false;
    unpause(call);
}

unsigned fl_http_call_status(const struct fl_http_call *call)
{
    return call->status;
}

static struct fl_str trimmed(struct fl_str text)
{
    while (text.len && (*text.at == ' ' || *text.at == '\t')) {
        text.at++;
        text.len--;
    }
    while (text.len && (text.at[text.len - 1] == ' ' || text.at[text.len - 1] == '\t')) {
        text.len--;
    }
    return text;
}

struct fl_str fl_http_call_header(const struct fl_http_call *call, const char *name)
{
    const char *at = (const char *)call->head.at;
    const char *end = at ? at + call->head.len : NULL;
    size_t name_len = strlen(name);

    /* Each line ends with its line feed; the first is the status. */
    while (at && (at = memchr(at, '\n', (size_t)(end - at))) && ++at < end) {
        size_t len = strcspn(at, "\r\n");

        if (len > name_len && at[name_len] == ':' && strncasecmp(at, name, name_len) == 0) {
            return trimmed((struct fl_str){at + name_len + 1, len - name_len - 1});
        }
    }
    return (struct fl_str){0};
}

X509 *fl_http_call_certificate(const struct fl_http_call *call)
{
    struct curl_tlssessioninfo *info = NULL;

    if (curl_easy_getinfo(call->request.easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || !info ||
        info->backend != CURLSSLBACKEND_OPENSSL || !info->internals) {
        return NULL;
    }
    return SSL_get0_peer_certificate(info->internals);
}

/* ---- clients --------------------------------------------------------------------------------- */

static const char *copy(struct fl_http_client *client, const char *text)
{
    return text ? fl_arena_printf(&client->arena, "%s", text) : NULL;
}

static struct fl_str copy_str(struct fl_http_client *client, struct fl_str text)
{
    return (struct fl_str){text.len ? fl_arena_copy(&client->arena, text.at, text.len) : NULL,
                           text.len};
}

bool fl_http_client_create(struct fl_loop *loop, const struct fl_http_client_config *config,
                           struct fl_http_client **ret_client, struct fl_err *err)
{
    struct fl_http_client *client;
    const struct fl_tls_client *tls = &config->tls;

    if (!fl_curl_load(FL_CURL_FILE, err)) return false;
    client = fl_new(struct fl_http_client);
    client->loop = loop;
    client->tls = *tls;
    client->tls.ca_pem = copy_str(client, tls->ca_pem);
    client->tls.cert_pem = copy_str(client, tls->cert_pem);
    client->tls.key_pem = copy_str(client, tls->key_pem);
    if (tls->ca_sha256) {
        client->ca_sha256 = *tls->ca_sha256;
        client->tls.ca_sha256 = &client->ca_sha256;
    }
    client->server_name = copy(client, config->server_name);
    client->proxy = copy(client, config->proxy);
    client->no_proxy = copy(client, config->no_proxy);
    client->is_http2 = config->is_http2;
    client->curl = fl_curl_loop_create(
        loop, config->connections_max ? config->connections_max : CONNECTIONS_MAX, on_ended);
    *ret_client = client;
    return true;
}

void fl_http_client_destroy(struct fl_http_client *client)
{
    if (!client) return;
    fl_assert(client->calls_len == 0);
    fl_curl_loop_destroy(client->curl);
    if (client->tls.key_pem.len) {
        fl_secret_wipe((char *)(uintptr_t)client->tls.key_pem.at, client->tls.key_pem.len);
    }
    fl_arena_fini(&client->arena);
    fl_free(client);
}
