/* help.h - prints the tables of verb.h for people: help, the man page and
 * docs/reference/cli.md. */
#pragma once

#include <stdio.h>

#include "cli/verb.h"

void cli_help(FILE *out);                                   /* all verbs */
void cli_help_verb(FILE *out, const struct cli_verb *verb); /* one */
void cli_help_group(FILE *out, const char *group);          /* "cluster" */
void cli_help_man(FILE *out);                               /* mdoc */
void cli_help_markdown(FILE *out);
