/* upgrade_help.h - a small life with every kind of row in it, and what a store says of a
 * database, in words.  The program 'dump' makes a release's files with it, upgrade_test reads
 * them with a later release. */
#pragma once

#include "shared/base/buf.h"
#include "tests/store/diff_help.h"

enum { UPGRADE_TEXT_MAX = 1 << 20, UPGRADE_AT_MS = 1000 };

/* The rows of life 'turn' (1, 2, ...), each turn with names, ids and keys of its own, in an
 * order in which a core could have decided them.  Between them they are of every kind. */
size_t upgrade_life_len(void);
struct row upgrade_life_row(uint8_t turn, size_t i);

/* A line a row: first "load ROW" for what a fresh core is loaded from, then "event BATCH.N ROW"
 * for the whole journal as the reader of events finds it. */
void upgrade_tell(struct help *help, const char *conninfo, struct fl_buf *out);

/* A store on a database, as its leader. */
struct help *upgrade_lead(const char *conninfo);
