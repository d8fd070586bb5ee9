/* upgrade_rows.h - the kinds of rows.def in words, as a release's list keeps them:
 *
 *     11 queue_put u32:queue u32:tenant u8:is_paused bytes:name
 *
 * The types are those of the journal's bytes: a column may become another, bytes may not.
 * Uses the core's rows only. */
#pragma once

#include <stdbool.h>

#include "shared/base/buf.h"

/* A line a kind, in the order of numbers. */
void upgrade_rows_list(struct fl_buf *out);

/* Does each listed row still have its number, its name and its fields, in front of any others?
 * False: 'why' names the row. */
bool upgrade_rows_are_kept(const char *list, char why[256]);
