/* table.h - a table of text for people.  Cells lose their control characters.  On a terminal a row
 * fits: the columns that may be cut are cut, the widest first, unless --output is wide. */
#pragma once

#include <stdio.h>

#include "cli/cli.h"

enum { CLI_TABLE_COLUMNS_MAX = 24 };

struct cli_table; /* opaque */

/* 'columns' as "JOB|~NAME|STATE"; a column that begins with '+' is shown with --output wide only,
 * with '>' it is right-aligned, with '~' it may be cut. */
struct cli_table *cli_table_create(const struct cli *cli, const char *columns);
/* A table whose columns are added one by one, before the first cell. */
struct cli_table *cli_table_create_empty(const struct cli *cli);
void cli_table_column(struct cli_table *table, const char *head);
void cli_table_without_head(struct cli_table *table); /* it goes on with one that had it */

/* Adds the next cell, "-" for none; the last column's cell ends the row. */
void cli_table_put(struct cli_table *table, const char *fmt, ...) FL_PRINTF(2, 3);
void cli_table_print(struct cli_table *table, FILE *out); /* and destroys it */
void cli_table_destroy(struct cli_table *table);
