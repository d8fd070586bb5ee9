#include "shared/http_client/curl_request.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/io/proxy.h"

void fl_curl_request_init(struct fl_curl_request *request)
{
    *request = (struct fl_curl_request){.easy = curl_easy_init(), .url = curl_url()};
    fl_assert(request->easy && request->url);
}

void fl_curl_request_fini(struct fl_curl_request *request)
{
    curl_easy_cleanup(request->easy);
    curl_url_cleanup(request->url);
    curl_slist_free_all(request->headers);
    curl_slist_free_all(request->connect_to);
}

/* ---- headers --------------------------------------------------------------------------------- */

static bool is_token(const char *text)
{
    static const char others[] = "!#$%&'*+-.^_`|~";
    const char *at = text;

    while (isalnum((unsigned char)*at) || (*at && strchr(others, *at))) {
        at++;
    }
    return at != text && !*at;
}

static bool is_value(const char *text)
{
    for (const char *at = text; *at; at++) {
        if (((unsigned char)*at < ' ' && *at != '\t') || *at == 127) return false;
    }
    return true;
}

static void add_header(struct fl_curl_request *request, const char *name, const char *value)
{
    struct fl_arena arena = {0};
    /* For libcurl "Name;" is a header with an empty value, and "Name:" removes the header. */
    const char *line = !value   ? fl_arena_printf(&arena, "%s:", name)
                       : *value ? fl_arena_printf(&arena, "%s: %s", name, value)
                                : fl_arena_printf(&arena, "%s;", name);

    request->headers = curl_slist_append(request->headers, line);
    fl_assert(request->headers);
    fl_arena_fini(&arena);
}

static bool has_header(const struct fl_http_request *what, const char *name)
{
    for (size_t i = 0; i < what->headers_len; i++) {
        if (strcasecmp(what->headers[i].name, name) == 0) return true;
    }
    return false;
}

static bool set_headers(struct fl_curl_request *request, const struct fl_http_request *what,
                        struct fl_err *err)
{
    static const char *const unwanted[] = {"Accept", "Content-Type", "Expect"}; /* libcurl's own */

    if (what->headers_len > FL_HTTP_HEADERS_MAX) {
        return fl_fail(err, FL_INVALID, "the request has too many headers");
    }
    for (size_t i = 0; i < what->headers_len; i++) {
        const struct fl_http_header *header = &what->headers[i];

        if (!is_token(header->name) || !is_value(header->value)) {
            return fl_fail(err, FL_INVALID, "a header of the request has a forbidden character");
        }
        add_header(request, header->name, header->value);
    }
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++) {
        if (!has_header(what, unwanted[i])) add_header(request, unwanted[i], NULL);
    }
    curl_easy_setopt(request->easy, CURLOPT_HTTPHEADER, request->headers);
    return true;
}

/* ---- where it goes --------------------------------------------------------------------------- */

static bool set_proxy(struct fl_curl_request *request, const struct fl_curl_route *route,
                      const char *host, uint16_t port, struct fl_err *err)
{
    struct fl_proxy proxy;
    char text[FL_NET_HOST_MAX + 32] = "", user[FL_PROXY_LOGIN_MAX];
    size_t user_len;

    if (!fl_proxy_for(route->proxy, route->no_proxy, host, port, &proxy, err)) {
        return false;
    }
    /* The empty strings also switch off the environment's. */
    if (proxy.is_on) {
        snprintf(text, sizeof text, strchr(proxy.host, ':') ? "http://[%s]:%u" : "http://%s:%u",
                 proxy.host, proxy.port);
    }
    curl_easy_setopt(request->easy, CURLOPT_PROXY, text);
    curl_easy_setopt(request->easy, CURLOPT_NOPROXY, "");
    if (!proxy.is_on || !proxy.login[0]) return true;
    user_len = strcspn(proxy.login, ":");
    snprintf(user, sizeof user, "%.*s", (int)user_len, proxy.login);
    curl_easy_setopt(request->easy, CURLOPT_PROXYAUTH, CURLAUTH_BASIC);
    curl_easy_setopt(request->easy, CURLOPT_PROXYUSERNAME, user);
    curl_easy_setopt(request->easy, CURLOPT_PROXYPASSWORD,
                     proxy.login + user_len + (proxy.login[user_len] == ':'));
    return true;
}

/* Connects to the URL's host, but asks for server_name. */
static void set_server_name(struct fl_curl_request *request, const char *name, const char *host,
                            const char *port)
{
    struct fl_arena arena = {0};

    add_header(request, "Host", fl_arena_printf(&arena, "%s:%s", host, port));
    request->connect_to = curl_slist_append(NULL, fl_arena_printf(&arena, "::%s:%s", host, port));
    fl_assert(request->connect_to);
    curl_easy_setopt(request->easy, CURLOPT_CONNECT_TO, request->connect_to);
    curl_url_set(request->url, CURLUPART_HOST, name, 0);
    fl_arena_fini(&arena);
}

static bool set_url(struct fl_curl_request *request, const struct fl_curl_route *route,
                    const char *text, struct fl_err *err)
{
    char *host = NULL, *port = NULL, *scheme = NULL;
    char bare[FL_NET_HOST_MAX] = "";
    CURLUcode code =
        curl_url_set(request->url, CURLUPART_URL, text, CURLU_PATH_AS_IS | CURLU_DISALLOW_USER);
    bool is_tls = false, is_good;

    if (code == CURLUE_OK) code = curl_url_get(request->url, CURLUPART_SCHEME, &scheme, 0);
    if (code == CURLUE_OK) code = curl_url_get(request->url, CURLUPART_HOST, &host, 0);
    if (code == CURLUE_OK) {
        code = curl_url_get(request->url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT);
    }
    if (code == CURLUE_OK) is_tls = strcmp(scheme, "https") == 0;
    if (code != CURLUE_OK) {
        is_good = fl_fail(err, FL_INVALID, "the URL: %s", curl_url_strerror(code));
    } else if (!is_tls && strcmp(scheme, "http") != 0) {
        is_good = fl_fail(err, FL_INVALID, "the URL begins with neither https:// nor http://");
    } else {
        snprintf(bare, sizeof bare, "%.*s", (int)strcspn(host + (host[0] == '['), "]"),
                 host + (host[0] == '['));
        is_good = set_proxy(request, route, bare, (uint16_t)strtoul(port, NULL, 10), err);
    }
    if (is_good && is_tls && route->server_name) {
        set_server_name(request, route->server_name, host, port);
    }
    curl_free(scheme);
    curl_free(host);
    curl_free(port);
    curl_easy_setopt(request->easy, CURLOPT_CURLU, request->url);
    return is_good;
}

void fl_curl_request_host(const struct fl_curl_request *request, char ret_name[FL_NET_HOST_MAX])
{
    char *host = NULL;

    ret_name[0] = '\0';
    if (curl_url_get(request->url, CURLUPART_HOST, &host, 0) == CURLUE_OK) {
        bool is_v6 = host[0] == '[';

        snprintf(ret_name, FL_NET_HOST_MAX, "%.*s", (int)strcspn(host + is_v6, "]"), host + is_v6);
    }
    curl_free(host);
}

bool fl_curl_request_set(struct fl_curl_request *request, const struct fl_http_request *what,
                         const struct fl_curl_route *route, struct fl_err *err)
{
    if (!is_token(what->method)) {
        return fl_fail(err, FL_INVALID, "the request's method has a forbidden character");
    }
    return set_url(request, route, what->url, err) && set_headers(request, what, err);
}
