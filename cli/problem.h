/* problem.h - says a problem that the API answered with (application/problem+json, RFC 9457) in the
 * words of the command line: a field that came from a flag is named by that flag. */
#pragma once

#include "cli/cli.h"

/* On stderr; 'path' is the request's, whose object a conflict or an absence is of.  The exit code
 * that it stands for. */
int cli_problem(struct cli *cli, const char *path, const char *body, unsigned status);
