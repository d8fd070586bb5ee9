/* supervisor.h - the life of one replica, from its gate to its exit record.
 * It waits behind the gate for GO, which is on disk before the job is forked, and keeps the job's
 * output.  It stops the job on STOP (TERM to its group, after the grace KILL), on SIGTERM (a grace
 * of 10 s), and when the lifeline is cut (KILL at once).  Once the job's own process has ended, it
 * kills every descendant, as a container would, and only then writes how the job ended.
 * The caller has prepared the process: a session of its own, sub-reaper, signals blocked.
 * Uses shared/base and agent/process.  One thread, poll. */
#pragma once

#include "agent/process/layout.h"

struct supervisor_config {
    int dir;      /* locked */
    int lifeline; /* -1: none */
    int signals;  /* a signalfd for SIGCHLD and SIGTERM */
    const struct layout_spec *spec;
};

/* True: there is an exit record, or LEAVE came before anything ran.  False: nothing was run, or
 * that is not known; 'err' says why. */
FL_CHECK bool supervisor_run(const struct supervisor_config *config, struct fl_err *err);
