/* session_file.h - the sessions in a file, "sessions" in the state directory, by which people stay
 * signed in over a restart.  It has no usable secret: a session's key is a hash, and of the token's
 * secret it has the MAC.  Times in it are of the wall clock: the loops' clock is this process's.
 * A lost or damaged file costs a new sign-in, and is no reason not to start.
 * Blocks on the disk.  Thread-safe. */
#pragma once

#include "controlplane/api/session_table.h"
#include "shared/base/err.h"

#define SESSION_FILE "sessions"

struct session_times {
    fl_ms now, wall; /* the same moment, by the loops' clock and by the wall clock */
};

/* Sessions that are over, also by being idle since, stay out.  False: FL_ABSENT, or it is damaged
 * and nothing of it was taken. */
FL_CHECK bool session_file_read(int dir_fd, struct session_table *table, struct session_times at,
                                struct fl_err *err);
FL_CHECK bool session_file_write(int dir_fd, struct session_table *table, struct session_times at,
                                 struct fl_err *err);
