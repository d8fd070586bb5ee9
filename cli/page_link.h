/* page_link.h - a link to the dashboard that signs its reader in, once: it carries a code, no token
 * (POST /v1/session-codes). */
#pragma once

#include "cli/cli.h"

enum { CLI_PAGE_LINK_S = 60, CLI_PAGE_LINK_S_MAX = 600 };

/* 'path' is a page's: "/jobs/job-7".  The link counts for so many seconds.  0, or an exit code, and
 * stderr says what the problem was. */
int cli_page_link(struct cli *cli, const char *path, int seconds, const char **ret_link);
