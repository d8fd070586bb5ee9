/* backup_args.h - the command line of 'backup' and 'restore': the folder, switches, and the
 * settings of fairleadd, of which they need 'database' and 'state_dir'.  Where nothing names a file
 * of settings or a database, /etc/fairlead/fairleadd.conf counts if it is there. */
#pragma once

#include "shared/base/err.h"
#include "shared/io/config.h"

#define BACKUP_CONFIG_FILE "/etc/fairlead/fairleadd.conf"
#define BACKUP_STATE_DIR "/var/lib/fairleadd" /* where the unit's is, and its file names none */

struct backup_args {
    char *folder, *state_dir; /* absolute */
    char *database;
    bool without_logs;
    bool is_help; /* nothing else counts then */
};

/* 'argv' begins with the verb. */
FL_CHECK bool backup_args_read(int argc, char **argv, char *const *env,
                               struct backup_args *ret_args, struct fl_err *err);
void backup_args_fini(struct backup_args *args);
