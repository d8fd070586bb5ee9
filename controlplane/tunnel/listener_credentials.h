/* listener_credentials.h - the listener's certificate, key and CA: read and looked at, before
 * libwebsockets gets them. */
#pragma once

#include <stdbool.h>

#include "shared/base/err.h"

struct tunnel_server_config;

/* They are whole and belong together: libwebsockets would not say. */
FL_CHECK bool listener_credentials_check(const struct tunnel_server_config *config,
                                         struct fl_err *err);
