/* output.h - the terminal: pages, colour, its width; and words and times for people.
 * On a terminal, text from outside loses its control characters; in logs colour sequences stay. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "cli/cli.h"

/* Reads --color, and looks at the terminal. */
FL_CHECK bool cli_output_begin(struct cli *cli, struct fl_err *err);
void cli_output_end(void); /* waits for the pager */

/* Call before a long answer: on a terminal it goes through $PAGER (else 'less -FRX'). */
void cli_page(const struct cli *cli);

/* ---- words ----------------------------------------------------------------------------------- */

/* "41m", "1h2m", "3d4h"; in the arena. */
const char *cli_ago(struct cli *cli, int64_t ms);
const char *cli_bytes(struct cli *cli, uint64_t bytes); /* "16 GiB" */
const char *cli_cpu(struct cli *cli, int64_t ms);       /* "0.25s", "4m10s" */
const char *cli_time(struct cli *cli, int64_t ms);      /* RFC 3339, UTC */
int64_t cli_parse_time(const char *text);               /* RFC 3339; -1: it is not */

/* A time of an answer in the zone of this machine, or with --utc in UTC; in the arena.  Other
 * texts stay as they are. */
const char *cli_when(struct cli *cli, const char *time);    /* "2026-01-31 10:00:00 CET" */
const char *cli_instant(struct cli *cli, const char *time); /* "2026-01-31T10:00:00.123+01:00" */

/* The text for a terminal: control characters become '?'. */
const char *cli_plain(struct cli *cli, const char *text);

/* The strings of a list, separated by commas. */
const char *cli_words(struct cli *cli, const json_t *list);

/* One piece of a log to stdout; on a terminal escape sequences other than colour are left out. */
void cli_log_write(const struct cli *cli, const char *bytes, size_t len, bool is_raw);

/* "\033[31m" and the like; "" without colour. */
const char *cli_color(const struct cli *cli, const char *state);
const char *cli_color_off(const struct cli *cli);
