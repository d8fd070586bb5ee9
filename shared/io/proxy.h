/* proxy.h - decides which HTTP CONNECT proxy, if any, leads to a host.
 * The settings read as https_proxy and no_proxy of the environment do.  no_proxy lists names,
 * addresses, or "*" for all hosts.  A name means itself and every name below it (a leading dot
 * changes nothing); with a port it means that port only.  Networks (10.0.0.0/8) match nothing.
 * Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/err.h"
#include "shared/io/net.h"

enum { FL_PROXY_LOGIN_MAX = 256 };

struct fl_proxy {
    bool is_on; /* false: direct */
    char host[FL_NET_HOST_MAX];
    uint16_t port;
    char login[FL_PROXY_LOGIN_MAX]; /* "user:password", percent-decoded; or empty */
};

/* 'proxy' and 'no_proxy' may be NULL or empty.  FL_INVALID: 'proxy' is malformed or not http://. */
FL_CHECK bool fl_proxy_for(const char *proxy, const char *no_proxy, const char *host, uint16_t port,
                           struct fl_proxy *ret_proxy, struct fl_err *err);
