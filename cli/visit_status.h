/* visit_status.h - what 'exec', 'cp' and 'forward' share: which replica is meant, and how a visit
 * ended. */
#pragma once

#include "cli/cli.h"
#include "shared/base/str.h"

enum { CLI_VISIT_STATUS_MAX = 4096 };

/* Adds --element and --replica to a path that has a query already.  0, or an exit code, and stderr
 * says what is wrong. */
int cli_visit_query(struct cli *cli, const char **path);

/* The path of a command in a job's replica; without words, its shell.  0, or an exit code. */
int cli_visit_exec_path(struct cli *cli, const char *id, const char *const *words, size_t len,
                        bool has_tty, const char **ret_path);

/* {0} is before the first piece. */
struct cli_visit_status {
    char text[CLI_VISIT_STATUS_MAX];
    size_t len;
    bool is_there; /* it is whole */
};

void cli_visit_status_put(struct cli_visit_status *status, struct fl_str bytes, bool is_last);

/* The exit code: the command's own; or what the status stands for, and stderr says it.  'why' is
 * the connection's reason, for a visit that ended without a status. */
int cli_visit_status_end(struct cli *cli, const struct cli_visit_status *status, const char *why);
