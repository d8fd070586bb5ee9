/* pg_tool.h - runs Postgres's own programs (pg_dump, pg_restore, psql) on the control plane's
 * database.  The connection string goes into their environment, where no other user sees
 * the password.  Under root they run as the owner of the state directory, as the daemon does: a
 * local Postgres often lets in that user alone.
 * Uses libpq to read the connection string, and waits for what it runs. */
#pragma once

#include <sys/types.h>

#include "shared/base/buf.h"
#include "shared/base/err.h"

struct pg_tool;

FL_CHECK bool pg_tool_create(const char *conninfo, uid_t uid, gid_t gid, struct pg_tool **ret_tool,
                             struct fl_err *err);
void pg_tool_destroy(struct pg_tool *tool); /* NULL is fine */

const char *pg_tool_database(const struct pg_tool *tool); /* its name */

/* Runs a program with these words, the first its name, the last NULL, and waits for its end.
 * 'in' and 'out' are its standard input and output; -1: /dev/null.  Its messages go
 * to this process's standard error.  'on_wait' is called five times a second meanwhile; NULL is
 * fine.  FL_ABSENT: the program is not there. */
FL_CHECK bool pg_tool_run(const struct pg_tool *tool, const char *const *words, int in, int out,
                          void (*on_wait)(void *ctx), void *ctx, struct fl_err *err);

/* Runs SQL as one transaction; appends what it answers, a row a line, columns apart by '|'. */
FL_CHECK bool pg_tool_sql(const struct pg_tool *tool, const char *sql, struct fl_buf *out,
                          struct fl_err *err);
