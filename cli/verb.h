/* verb.h - the tables of options.def and verbs.def as data, and the function of each verb.
 * Adding a verb is a row of verbs.def and its function in cli/verbs/; parser, help, completion, man
 * page and docs/reference/cli.md follow from the row.  Only main.c calls the functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/io/exits.h"

enum cli_option_id {
#define OPTION(name, letter, value, is_many, text) CLI_OPT_##name,
#include "cli/options.def"
#undef OPTION
    CLI_OPTIONS_LEN
};

struct cli_option {
    const char *name;  /* with '_' for each '-' */
    char letter;       /* 0: none */
    const char *value; /* NULL: a switch */
    bool is_many;
    const char *text;
};

extern const struct cli_option cli_options[CLI_OPTIONS_LEN];

/* "node-label": as it is typed, without the dashes before it. */
const char *cli_option_name(enum cli_option_id option);

/* CLI_OK, CLI_USAGE and so on, one for each row of the table. */
enum cli_exit {
#define EXIT(name, number, daemon, cli) CLI_##name = FL_EXIT_##name,
#define EXIT_NOTE(codes, cli)
#include "shared/io/exits.def"
#undef EXIT
#undef EXIT_NOTE
};

struct cli; /* cli.h */

#define CLI_DESCRIBE_LIMIT 1000 /* --limit of describe, as its example and its own hint say */

enum cli_group {
#define GROUP(name, title) CLI_GROUP_##name,
#include "cli/groups.def"
#undef GROUP
    CLI_GROUPS_LEN
};

extern const char *const cli_group_titles[CLI_GROUPS_LEN];

struct cli_verb {
    const char *words; /* "cluster join" */
    enum cli_group group;
    const char *arguments;
    uint64_t options[2]; /* bit i: cli_options[i] */
    const char *line;
    const char *more;
    const char *examples; /* a command line each */
};

enum {
#define VERB(function, words, group, arguments, options, line, more, examples) CLI_VERB_##function,
#include "cli/verbs.def"
#undef VERB
    CLI_VERBS_LEN
};

extern const char *const cli_verb_options[CLI_VERBS_LEN]; /* the lists of verbs.def, as text */

/* The table with its bits set; made once. */
const struct cli_verb *cli_verbs(void);

bool cli_verb_takes(const struct cli_verb *verb, enum cli_option_id option);
/* It changes nothing and waits for nothing. */
bool cli_verb_only_looks(const struct cli_verb *verb);

/* Whether every verb takes the option. */
bool cli_option_is_global(enum cli_option_id option);

/* True for "cluster" since there is a verb "cluster join". */
bool cli_verb_is_group(const char *word);

/* Each runs one verb and returns the exit code. */
#define VERB(function, words, group, arguments, options, line, more, examples)                     \
    int verb_##function(struct cli *cli);
#include "cli/verbs.def"
#undef VERB
