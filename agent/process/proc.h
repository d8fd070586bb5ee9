/* proc.h - finds and kills every process of a job, including detached children. By descent, for a
 * supervisor that is their sub-reaper; and by their marks, for an agent whose supervisor is gone:
 * the run id in their environment, or the supervisor's session, and all descendants of those.  A
 * process is signalled through a descriptor that was checked to be still the one that was seen, so
 * that a reused number hits no stranger.  Zombies count as gone.
 * Reads /proc whole: some 10 us a process.  Uses shared/base. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* How many living descendants of 'ancestor', without itself, there were; each was sent 'number' (0:
 * only counted). */
size_t proc_signal_below(pid_t ancestor, int number);

/* The same for what belongs to a run.  'session' 0: unknown.  A session counts only while no living
 * process has its number, for then the number may have been given anew.  Our own process never
 * belongs. */
size_t proc_signal_run(const char *run, pid_t session, int number);
