/* backup.h - 'fairleadd backup' and 'fairleadd restore'.
 * A backup is a folder: database.dump (pg_dump's custom format), state/ (a copy of the state
 * directory) and manifest.json (manifest.h).  It is made under FOLDER.part and gets its name when
 * all of it is on the disk.  The state directory is copied after the dump, so that its high-water
 * marks are never behind it: after a restore, batches committed in between count as lost, and no
 * number is given out again.
 * A restore checks everything before it changes anything: that the backup is whole, that this
 * program knows its schema, that no control plane runs, that the database is empty.  A state
 * directory that is there is newer than its copy, and stays. */
#pragma once

#include <stdio.h>

/* 'argv' begins with the verb.  Returns the exit code. */
int backup_main(int argc, char **argv);
int restore_main(int argc, char **argv);

void backup_print_help(FILE *out);
void restore_print_help(FILE *out);
