#include "bench/bench_help_http.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/bench_help.h"
#include "shared/base/alloc.h"

enum { OUT_MAX = 16 << 20, IN_MAX = 16 << 20, READ_BYTES = 16384, TOKEN_MAX = 256 };

static char *copy_text(const char *from, size_t len)
{
    char *text = fl_alloc(len + 1);

    memcpy(text, from, len);
    return text;
}

static char *read_token(const char *path)
{
    char line[TOKEN_MAX];
    FILE *file = fopen(path, "re");

    if (!file || !fgets(line, sizeof line, file)) bench_die("%s: %m", path);
    (void)fclose(file);
    return copy_text(line, strcspn(line, "\r\n"));
}

void bench_api_init(struct bench_api *api, int argc, char **argv)
{
    const char *address = bench_arg(argc, argv, "api", NULL);
    const char *token = bench_arg(argc, argv, "token", NULL);
    const char *colon = address ? strrchr(address, ':') : NULL;

    *api = (struct bench_api){0};
    if (!colon || !token) bench_die("--api=HOST:PORT and --token=FILE are needed");
    api->host = copy_text(address, (size_t)(colon - address));
    api->port = colon + 1;
    api->token = read_token(token);
    if (bench_arg_number(argc, argv, "tls", 1) == 0) return;
    api->tls = SSL_CTX_new(TLS_client_method());
    if (!api->tls) bench_die("no TLS");
    SSL_CTX_set_mode(api->tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(api->tls, 1); /* else two reads a record */
}

void bench_api_fini(struct bench_api *api)
{
    SSL_CTX_free(api->tls);
    fl_free((void *)(uintptr_t)api->host);
    fl_free((void *)(uintptr_t)api->token);
}

int bench_dial(const char *host, const char *port)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST}, *found;
    int fd, one = 1;

    if (getaddrinfo(host, port, &hints, &found) != 0) bench_die("%s:%s is no address", host, port);
    fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, found->ai_addr, found->ai_addrlen) != 0) {
        bench_die("connect to %s:%s: %m", host, port);
    }
    freeaddrinfo(found);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

void bench_http_open(struct bench_http *http, const struct bench_api *api)
{
    *http = (struct bench_http){.fd = bench_dial(api->host, api->port)};
    fl_buf_init(&http->out, OUT_MAX);
    fl_buf_init(&http->in, IN_MAX);
    if (!api->tls) return;
    http->ssl = SSL_new(api->tls);
    if (!http->ssl || !SSL_set_fd(http->ssl, http->fd) || SSL_connect(http->ssl) != 1) {
        bench_die("the handshake with %s:%s failed", api->host, api->port);
    }
}

void bench_http_close(struct bench_http *http)
{
    SSL_free(http->ssl);
    if (http->fd >= 0) close(http->fd);
    fl_buf_fini(&http->out);
    fl_buf_fini(&http->in);
}

void bench_http_begin(struct bench_http *http, const struct bench_api *api, const char *method,
                      const char *path, const char *more, struct fl_str body)
{
    char head[1024];
    int len = snprintf(head, sizeof head,
                       "%s %s HTTP/1.1\r\nHost: %s:%s\r\nAuthorization: Bearer %s\r\n%s"
                       "Content-Length: %zu\r\n\r\n",
                       method, path, api->host, api->port, api->token, more, body.len);

    if (len < 0 || len >= (int)sizeof head) bench_die("the head of a request is too long");
    fl_buf_clear(&http->in);
    fl_buf_clear(&http->out);
    http->out_pos = 0;
    if (!fl_buf_put(&http->out, head, (size_t)len) || !fl_buf_put(&http->out, body.at, body.len)) {
        bench_die("a request is too long");
    }
}

/* Bytes; 0: would block, *ret_wait says for what. */
static size_t io(struct bench_http *http, bool is_write, void *bytes, size_t len,
                 enum bench_http_state *ret_wait)
{
    ssize_t n;

    *ret_wait = is_write ? BENCH_HTTP_WRITE : BENCH_HTTP_READ;
    if (http->ssl) {
        int error;

        n = is_write ? SSL_write(http->ssl, bytes, (int)len) : SSL_read(http->ssl, bytes, (int)len);
        if (n > 0) return (size_t)n;
        error = SSL_get_error(http->ssl, (int)n);
        if (error == SSL_ERROR_WANT_READ) *ret_wait = BENCH_HTTP_READ;
        if (error == SSL_ERROR_WANT_WRITE) *ret_wait = BENCH_HTTP_WRITE;
        if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return 0;
    } else {
        n = is_write ? write(http->fd, bytes, len) : read(http->fd, bytes, len);
        if (n > 0) return (size_t)n;
        if (n < 0 && errno == EAGAIN) return 0;
    }
    bench_die("the API closed a connection");
}

/* The answer, if it is whole. */
static bool parse(const struct bench_http *http, struct bench_http_answer *ret)
{
    const char *at = (const char *)http->in.at;
    const char *end = http->in.len ? memmem(at, http->in.len, "\r\n\r\n", 4) : NULL;
    const char *length;
    size_t head_len, body_len;

    if (!end) return false;
    head_len = (size_t)(end - at) + 4;
    length = strcasestr(at, "\ncontent-length:"); /* a zero byte is behind what has come */
    if (!length || length > end) bench_die("an answer without Content-Length: %.200s", at);
    body_len = strtoul(length + strlen("\ncontent-length:"), NULL, 10);
    if (http->in.len < head_len + body_len) return false;
    ret->status = atoi(at + strlen("HTTP/1.1 "));
    ret->body = (struct fl_str){at + head_len, body_len};
    return true;
}

enum bench_http_state bench_http_step(struct bench_http *http, struct bench_http_answer *ret)
{
    enum bench_http_state wait;
    static _Thread_local char bytes[READ_BYTES]; /* not on the stack, which is zeroed every time */

    while (http->out_pos < http->out.len) {
        size_t n =
            io(http, true, http->out.at + http->out_pos, http->out.len - http->out_pos, &wait);

        if (n == 0) return wait;
        http->out_pos += n;
        if (http->out_pos == http->out.len) return BENCH_HTTP_READ; /* nothing can be there yet */
    }
    for (;;) {
        size_t n = io(http, false, bytes, sizeof bytes, &wait);

        if (n == 0) return wait;
        if (!fl_buf_put(&http->in, bytes, n) || !fl_buf_put_u8(&http->in, 0)) {
            bench_die("an answer is too long");
        }
        fl_buf_truncate(&http->in, http->in.len - 1);
        if (parse(http, ret)) return BENCH_HTTP_DONE;
    }
}

struct bench_http_answer bench_http_ask(struct bench_http *http, const struct bench_api *api,
                                        const char *method, const char *path, const char *more,
                                        struct fl_str body)
{
    struct bench_http_answer answer;

    bench_http_begin(http, api, method, path, more, body);
    while (bench_http_step(http, &answer) != BENCH_HTTP_DONE) {
    }
    return answer;
}

struct fl_str bench_http_member(struct fl_str json, const char *name)
{
    char quoted[64];
    const char *at, *end;
    int len = snprintf(quoted, sizeof quoted, "\"%s\":\"", name);

    at = memmem(json.at, json.len, quoted, (size_t)len);
    if (!at) bench_die("no \"%s\" in an answer: " FL_STR_FMT, name, FL_STR_ARG(json));
    at += len;
    end = memchr(at, '"', json.len - (size_t)(at - json.at));
    if (!end) bench_die("an answer is cut");
    return (struct fl_str){at, (size_t)(end - at)};
}
