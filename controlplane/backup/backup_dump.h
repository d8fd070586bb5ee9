/* backup_dump.h - the dump of the database in a backup: written by pg_dump, checked by its digest,
 * read by pg_restore. */
#pragma once

#include "controlplane/backup/pg_tool.h"
#include "controlplane/backup/progress.h"
#include "shared/base/err.h"
#include "shared/base/types.h"

struct backup_dump {
    uint64_t bytes;
    struct fl_digest digest;
};

/* Writes it into the folder, on the disk. */
FL_CHECK bool backup_dump(const struct pg_tool *tool, const char *folder, struct progress *progress,
                          struct backup_dump *ret_dump, struct fl_err *err);

/* Reads the folder's dump, as it is now. */
FL_CHECK bool backup_dump_read(const char *folder, struct progress *progress,
                               struct backup_dump *ret_dump, struct fl_err *err);

/* Brings it into an empty database, all of it or nothing. */
FL_CHECK bool backup_dump_restore(const struct pg_tool *tool, const char *folder,
                                  struct fl_err *err);
