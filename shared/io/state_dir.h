/* state_dir.h - the folder of a program's few own files, used by one process at a time.  Opening
 * makes it (0700) when it is absent, locks it for as long as the process lives (a second one is
 * refused and told the holder's pid), and reads or makes the instance id: 128 random bits as 32 hex
 * digits, which say "the same replica, started again".
 * Not thread-safe, but for path, fd and instance. */
#pragma once

#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"

enum { FL_STATE_DIR_INSTANCE_MAX = 33 }; /* bytes, with the final zero */

struct fl_state_dir;

/* FL_CONFLICT: another process holds it. */
FL_CHECK bool fl_state_dir_open(const char *path, struct fl_state_dir **ret_dir,
                                struct fl_err *err);
void fl_state_dir_close(struct fl_state_dir *dir); /* NULL is fine */

const char *fl_state_dir_path(const struct fl_state_dir *dir); /* absolute */
const char *fl_state_dir_instance(const struct fl_state_dir *dir);
int fl_state_dir_fd(const struct fl_state_dir *dir); /* for the calls of file.h */
