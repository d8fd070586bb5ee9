/* completion.h - completion for a shell, made from the tables of verb.h: verbs, flags, what a flag
 * may be, and names of jobs, clusters, queues, tokens and contexts, for which the shell asks
 * 'fairlead ... --output name' for at most a second. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

bool cli_completion(FILE *out, const char *shell); /* false: unknown shell */
