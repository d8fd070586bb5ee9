/* supervisor.h - the life of one replica, from its gate to its exit record.
 * Waits behind the gate for GO, which is on disk before the job is forked; keeps its output; stops
 * it when told to (TERM to its group, after the grace KILL), when SIGTERM comes (10 s), or when the
 * lifeline is cut (KILL at once); and once the job's own process has ended, ends every descendant,
 * as a container does with its last breath, and only then writes how it ended.
 * The caller has made the process ready: leader of a session, sub-reaper, its signals blocked.
 * Uses shared/base and agent/process.  One thread, poll. */
#pragma once

#include "agent/process/layout.h"

struct supervisor_config {
    int dir;      /* locked */
    int lifeline; /* -1: none */
    int signals;  /* a signalfd for SIGCHLD and SIGTERM */
    const struct layout_spec *spec;
};

/* The exit status of the program: 0 if there is an exit record or nothing ran.  On false nothing
 * was run, or it is not known; 'err' says why. */
FL_CHECK bool supervisor_run(const struct supervisor_config *config, struct fl_err *err);
