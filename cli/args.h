/* args.h - parses a command line by the tables of verb.h.
 * Flags may stand anywhere before '--': --flag value, --flag=value, -f value, -fvalue, -abc of
 * switches.  Values are checked here only as far as the table describes them; the verb checks the
 * rest.  Pure but for memory; the words are borrowed. */
#pragma once

#include "cli/verb.h"
#include "shared/base/arena.h"
#include "shared/base/err.h"
#include "shared/base/vec.h"

struct cli_args {
    const struct cli_verb *verb; /* NULL: none was named */
    struct {
        const char **at;
        size_t len, cap;
    } values[CLI_OPTIONS_LEN]; /* "" for a switch */
    struct {
        const char **at;
        size_t len, cap;
    } words;                    /* behind the verb */
    const char *const *command; /* behind '--', or from its first word on; NULL: there was none */
    size_t command_len;
    bool is_slurm; /* a script's '#SBATCH' lines were read */
};

/* False: FL_INVALID, and the text says what to do.  'arena' holds the lists. */
FL_CHECK bool cli_args_parse(int argc, const char *const *argv, struct fl_arena *arena,
                             struct cli_args *ret_args, struct fl_err *err);

/* Adds the flags of a script's '#FAIRLEAD' and '#SBATCH' lines, but not those that the command line
 * has.  Words are cut at blanks; '...' and "..." keep blanks together. */
FL_CHECK bool cli_args_script(struct cli_args *args, const char *text, struct fl_arena *arena,
                              struct fl_err *err);

bool cli_has(const struct cli_args *args, enum cli_option_id option);
const char *cli_value(const struct cli_args *args, enum cli_option_id option); /* NULL: not given */

/* A number within bounds; 'fallback' when it was not given. */
FL_CHECK bool cli_number(const struct cli_args *args, enum cli_option_id option, long fallback,
                         long min, long max, long *ret_number, struct fl_err *err);

/* "90s", "30m", "2h", "1d", "1h30m" or seconds; in milliseconds. */
FL_CHECK bool cli_duration(const char *text, int64_t *ret_ms);
/* The same of an option's value; without the option it changes nothing. */
FL_CHECK bool cli_span(const struct cli_args *args, enum cli_option_id option, int64_t *ret_ms,
                       struct fl_err *err);

enum { CLI_NUMBERS_MAX = 65536 };

/* "0-3,7": ascending numbers below 2^24, at most CLI_NUMBERS_MAX, in the arena. */
FL_CHECK bool cli_numbers(const char *text, struct fl_arena *arena, uint32_t **ret_at,
                          size_t *ret_len, struct fl_err *err);
