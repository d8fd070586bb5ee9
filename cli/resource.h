/* resource.h - helpers of the verbs for clusters, queues and tokens: one name, all pages of a list,
 * an action. */
#pragma once

#include "cli/cli.h"

struct cli_table;

/* The verb's only argument, escaped.  NULL: the error was printed; return CLI_USAGE. */
const char *cli_one_name(struct cli *cli);

/* All pages of a list as one array, which the caller frees.  NULL: *ret_code is the exit code. */
json_t *cli_get_all(struct cli *cli, const char *path, const char *key, int *ret_code);

struct cli_list {
    const char *group;  /* "queues", in the path and in the answer */
    const char *name;   /* the field that -o name prints */
    const char *header; /* as in cli_table_create */
    /* Puts the columns of one row. */
    void (*put)(struct cli *cli, struct cli_table *table, const json_t *one);
    const char *none; /* a line on stderr when the list is empty; NULL is fine */
};

/* The verb 'ls': all pages, in the format that was asked for. */
int cli_list(struct cli *cli, const struct cli_list *what);

/* The list that is there, likewise, and as a table in any format. */
void cli_print_list(struct cli *cli, const struct cli_list *what, json_t *list);
void cli_print_rows(struct cli *cli, const struct cli_list *what, const json_t *list);

/* Puts an option's time into a body, where it was given.  FL_INVALID: it is no span. */
FL_CHECK bool cli_put_seconds(struct cli *cli, enum cli_option_id option, const char *member,
                              json_t *body, struct fl_err *err);

/* Sends POST /v1/GROUP/NAME:ACTION with the body, which it frees; prints 'done' to stderr, and the
 * answer where a format asks for it. */
int cli_act(struct cli *cli, const char *group, const char *action, json_t *body, const char *done);
