/* pages.h - the web application, served: a door before the API's.
 * GET of a file of the application, or of one of its paths, is answered here, to anybody: there is
 * no secret in them.  Every other request goes to the next door, as it came.  All paths of the
 * application have the same page, which reads its address itself.
 * The page may load scripts, styles and data from this control plane and from nowhere else, and no
 * other page may hold it in a frame (pages.c: POLICY).
 * Uses controlplane/http and assets.h.  Not thread-safe; all of it runs on the server's loop. */
#pragma once

#include <stdbool.h>

#include "controlplane/http/request.h"

/* {0} is before pages_init. */
struct pages {
    struct http_port next;
};

/* Whether a path begins as one of the application's does: "/jobs/job-7". */
bool pages_has_path(struct fl_str path);

/* 'pages' must stay where it is. */
struct http_port pages_port(struct pages *pages, struct http_port next);
