/* output.h - prints answers: tables, JSON, colour, pages, times for people.
 * On a terminal, text from outside loses its control characters; in logs colour sequences stay. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "cli/cli.h"

/* Checks --output and --color, opens the pager where it makes sense. */
FL_CHECK bool cli_output_begin(struct cli *cli, struct fl_err *err);
void cli_output_end(void); /* waits for the pager */

/* Call before a long answer: on a terminal it goes through $PAGER (else 'less -FRX'). */
void cli_page(const struct cli *cli);

/* With --output json each value is an indented document, with jsonl a line.  The caller prints one
 * item after the other. */
bool cli_is_json(const struct cli *cli);
void cli_print_json(const struct cli *cli, const json_t *value);

/* ---- tables ---------------------------------------------------------------------------------- */

struct cli_table; /* opaque */

/* 'columns' as "JOB|NAME|STATE"; a column that begins with '+' is shown with --output wide only,
 * with '>' it is right-aligned. */
struct cli_table *cli_table_create(const struct cli *cli, const char *columns);
/* Adds the next cell; the last column's cell ends the row. */
void cli_table_put(struct cli_table *table, const char *fmt, ...) FL_PRINTF(2, 3);
void cli_table_print(struct cli_table *table, FILE *out); /* and destroys it */
void cli_table_destroy(struct cli_table *table);

/* ---- words ----------------------------------------------------------------------------------- */

/* "41m", "1h2m", "3d4h"; in the arena. */
const char *cli_ago(struct cli *cli, int64_t ms);
const char *cli_bytes(struct cli *cli, uint64_t bytes); /* "16 GiB" */
const char *cli_time(struct cli *cli, int64_t ms);      /* RFC 3339, UTC */
int64_t cli_parse_time(const char *text);               /* RFC 3339; -1: it is not */

/* The text for a terminal: control characters become '?'. */
const char *cli_plain(struct cli *cli, const char *text);

/* The strings of a list, separated by commas. */
const char *cli_words(struct cli *cli, const json_t *list);

/* One piece of a log to stdout; on a terminal escape sequences other than colour are left out. */
void cli_log_write(const struct cli *cli, const char *bytes, size_t len, bool is_raw);

/* "\033[31m" and the like; "" without colour. */
const char *cli_color(const struct cli *cli, const char *state);
const char *cli_color_off(const struct cli *cli);
