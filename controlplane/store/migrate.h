/* migrate.h - brings the schema up to what this binary knows, before anything else touches the
 * database.  It goes forward only, each step in a transaction of its own, under a lock on
 * schema_version: several programs may start at once.  It refuses, with the reason and the next
 * step:
 *   - a schema that is newer than this binary; the text names both
 *   - fsync, full_page_writes or synchronous_commit off: an answered commit could be lost
 *   - another encoding than UTF8, a server older than 15, a server in recovery
 * It waits for Postgres, so call it at the start of a program, never on a loop.
 * Uses libpq. */
#pragma once

#include "controlplane/store/migrations.h"
#include "controlplane/store/partition_plan.h"

struct partition_config;

/* FL_UNAVAILABLE: there is no database; FL_UNSUPPORTED: it was refused; FL_IO: a step failed and
 * was rolled back. */
FL_CHECK bool migrate(const char *conninfo, const struct partition_config *config,
                      struct fl_err *err);

/* The same with other steps than those of this binary; for tests. */
FL_CHECK bool migrate_to(const char *conninfo, const struct partition_config *config,
                         const struct migration *steps, size_t steps_len, struct fl_err *err);
