/* listener_credentials.h - checks the listener's certificate, key and CA before libwebsockets gets
 * them. */
#pragma once

#include <stdbool.h>

#include "shared/base/err.h"

/* PEM files. */
struct listener_files {
    const char *certificate, *key; /* the listener's; its chain behind it */
    const char *ca;                /* signs the clients */
};

/* True: the files are whole and belong together.  libwebsockets does not report faults in them. */
FL_CHECK bool listener_credentials_check(const struct listener_files *files, struct fl_err *err);
