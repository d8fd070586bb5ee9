/* visitor.h - becomes a visitor's command, or shell, in the place of a replica that runs: its
 * control group, working directory and environment.  The agent has made a session for us, and our
 * standard descriptors.  Uses shared/base and agent/process. */
#pragma once

#include "agent/process/layout.h"

/* 'term' is TERM of the terminal that our stdin is; empty: no terminal.  'words' is the command,
 * and ends with NULL; no word: a shell. */
_Noreturn void visitor_become(const struct layout_spec *spec, int dir, const char *term,
                              char *const *words);
