/* file.h - whole small files, read with a bound and written so that a crash leaves the old or the
 * new; or written over, where the caller keeps two of them.
 * For certificates, tokens and settings; nothing that is large or hot.
 * Blocks on the disk.  Thread-safe. */
#pragma once

#include <sys/types.h>

#include "shared/base/buf.h"
#include "shared/base/err.h"

/* Appends the whole file to 'ret', whose max is the bound.  FL_TOO_LARGE: the file is larger;
 * FL_ABSENT: it does not exist.  'dir_fd' may be AT_FDCWD. */
FL_CHECK bool fl_file_read(int dir_fd, const char *path, struct fl_buf *ret, struct fl_err *err);

/* Writes PATH.new, syncs it, renames it to PATH, and syncs the folder. */
FL_CHECK bool fl_file_write(int dir_fd, const char *path, const void *ptr, size_t len, mode_t mode,
                            struct fl_err *err);

/* Writes over the bytes of a file that is there, and syncs them: cheap, since no folder and no
 * journal of the file system takes part, but a crash may leave a part of both. */
FL_CHECK bool fl_file_overwrite(int dir_fd, const char *path, const void *ptr, size_t len,
                                struct fl_err *err);

/* Removes the file durably; an absent file is fine. */
FL_CHECK bool fl_file_remove(int dir_fd, const char *path, struct fl_err *err);
