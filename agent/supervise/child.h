/* child.h - forks the job.
 * It leads a process group of its own, in the supervisor's session, with stdin from /dev/null,
 * stdout and stderr in one pipe, plain signals, and gets SIGKILL should the supervisor die.  Its
 * output says what kept it from running, and the exit code is a shell's: 127 not found, 126 not
 * allowed or broken.  Uses shared/base and agent/process. */
#pragma once

#include <sys/types.h>

#include "agent/process/layout.h"

enum { CHILD_NOT_FOUND = 127, CHILD_NOT_RUNNABLE = 126 };

/* ret_output: the reading end, non-blocking.  False: nothing was started. */
FL_CHECK bool child_start(const struct layout_spec *spec, int dir, pid_t *ret_pid, int *ret_output,
                          struct fl_err *err);
