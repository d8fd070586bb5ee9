/* child_setup.h - what a process does between fork and exec to be in its replica's place; shared by
 * the job itself (child.c) and its visitors (visitor.c).  Uses shared/base and agent/process. */
#pragma once

#include "agent/process/layout.h"

void child_plain_signals(void);
/* Enters control group and working directory, and closes 'dir', the replica's. */
void child_enter(const struct layout_spec *spec, int dir);
/* Sets our own PATH to the job's, since execvpe looks names up in ours. */
void child_take_path(const struct layout_spec *spec);
/* Says on stderr what could not be done, and ends with a shell's exit code. */
_Noreturn void child_give_up(const char *what, const char *name);
