/* proc.h - finds and kills every process of a job, including detached children.
 * A supervisor finds them by descent, since it is their sub-reaper.  An agent whose supervisor is
 * gone finds them by the run id in their environment or by the supervisor's session, and then their
 * descendants.  A signal goes through a descriptor that was checked to be the process that was
 * seen, so that a reused number hits no stranger.  Zombies count as gone.
 * Reads /proc whole: some 10 us a process.  Uses shared/base. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Sends the signal 'number' (0: none) to each living descendant of 'ancestor' and returns how many
 * there were, without the ancestor. */
size_t proc_signal_below(pid_t ancestor, int number);

/* The same for the processes of a run.  'session' 0: unknown.  A session counts only while no
 * living process has its number, which may have been given anew.  Our own process never counts. */
size_t proc_signal_run(const char *run, pid_t session, int number);
