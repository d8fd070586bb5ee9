/* curl_request.h - a request's method, URL, headers and proxy as options of a libcurl handle; for
 * this folder alone.  It refuses (FL_INVALID) control characters in a header, with which a request
 * could be read as two, a URL with a user, and schemes other than http and https. */
#pragma once

#include <curl/curl.h>

#include "shared/http_client/http_client.h"
#include "shared/io/net.h"

struct fl_curl_request {
    CURL *easy;
    CURLU *url;
    struct curl_slist *headers, *connect_to;
};

/* Where all requests of a client go; NULL: not set. */
struct fl_curl_route {
    const char *server_name, *proxy, *no_proxy;
};

void fl_curl_request_init(struct fl_curl_request *request);
void fl_curl_request_fini(
    struct fl_curl_request *request); /* take the handle from its loop before */

/* Once. */
FL_CHECK bool fl_curl_request_set(struct fl_curl_request *request,
                                  const struct fl_http_request *what,
                                  const struct fl_curl_route *route, struct fl_err *err);

/* The name that the server's certificate must bear, without the brackets of an IPv6 address. */
void fl_curl_request_host(const struct fl_curl_request *request, char ret_name[FL_NET_HOST_MAX]);
