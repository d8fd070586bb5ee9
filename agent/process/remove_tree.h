/* remove_tree.h - removes a folder with all that a job left in it, a bounded piece at a time.
 * Uses shared/base. */
#pragma once

#include <stdbool.h>

/* Removes up to 'entries_max' entries of dir/name, and at last the folder.  True: it is gone. */
bool remove_tree_some(int dir, const char *name, unsigned entries_max);

/* The same, and counts the entries down, with one for the folder. */
bool remove_tree_counted(int dir, const char *name, unsigned *entries_left);
