/* bulk_action.h - an action on all jobs of a filter: counted first, then confirmed, then carried
 * out call by call, since the server takes only so many at once. */
#pragma once

#include <jansson.h>

#include "cli/cli.h"

/* POST /v1/jobs:ACTION with 'body', the filter and what the action needs; frees it.  'done' as in
 * "5 jobs would be cancelled".  Obeys --dry-run and --yes.  Returns an exit code. */
int cli_bulk_action(struct cli *cli, const char *action, const char *done, json_t *body);
