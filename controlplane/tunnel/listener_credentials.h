/* listener_credentials.h - checks the listener's certificate, key and CA before libwebsockets gets
 * them. */
#pragma once

#include <stdbool.h>

#include "shared/base/err.h"

struct tunnel_server_config;

/* True: the files are whole and belong together.  libwebsockets does not report faults in them. */
FL_CHECK bool listener_credentials_check(const struct tunnel_server_config *config,
                                         struct fl_err *err);
