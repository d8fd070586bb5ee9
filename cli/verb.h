/* verb.h - the tables of options.def and verbs.def as data, and the function of each verb.
 * Adding a verb is a row of verbs.def and its function; parser, help, completion, man page and
 * docs/reference/cli.md follow from the row. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cli; /* cli.h */

enum cli_option_id {
#define OPTION(name, letter, value, is_many, text) CLI_OPT_##name,
#include "cli/options.def"
#undef OPTION
    CLI_OPTIONS_LEN
};

struct cli_option {
    const char *name;  /* as it is typed, without the dashes */
    char letter;       /* 0: none */
    const char *value; /* NULL: a switch */
    bool is_many;
    const char *text;
};

extern const struct cli_option cli_options[CLI_OPTIONS_LEN];

enum cli_exit {
    CLI_OK = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 64,
    CLI_BAD_SPEC = 65,
    CLI_UNREACHABLE = 69,
    CLI_INTERNAL = 70,
    CLI_IO = 74,
    CLI_TIMED_OUT = 75,
    CLI_DENIED = 77,
    CLI_DEADLINE = 124,
    CLI_CANCELLED = 130,
};

struct cli_verb {
    int (*run)(struct cli *cli); /* the exit code */
    const char *words;           /* "cluster join" */
    const char *arguments;
    uint64_t options[2]; /* bit i: cli_options[i] */
    const char *line;
    const char *more;
};

enum {
#define VERB(function, words, arguments, options, line, more) CLI_VERB_##function,
#include "cli/verbs.def"
#undef VERB
    CLI_VERBS_LEN
};

extern const char *const cli_verb_options[CLI_VERBS_LEN]; /* as verbs.def has them */

/* The table with its bits set; made once. */
const struct cli_verb *cli_verbs(void);

bool cli_verb_takes(const struct cli_verb *verb, enum cli_option_id option);

/* Taken by every verb. */
bool cli_option_is_global(enum cli_option_id option);

#define VERB(function, words, arguments, options, line, more) int verb_##function(struct cli *cli);
#include "cli/verbs.def"
#undef VERB
