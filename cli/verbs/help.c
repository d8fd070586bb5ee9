/* help.c - 'help': one verb, a group of verbs, or all. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/help.h"

int verb_help(struct cli *cli)
{
    const char *first = cli->args.words.len ? cli->args.words.at[0] : NULL;
    const char *second = cli->args.words.len > 1 ? cli->args.words.at[1] : NULL;
    const char *words = second ? fl_arena_printf(&cli->arena, "%s %s", first, second) : first;

    if (first && strcmp(first, "man") == 0) {
        cli_help_man(stdout);
        return CLI_OK;
    }
    for (int i = 0; first && i < CLI_VERBS_LEN; i++) {
        const struct cli_verb *verb = &cli_verbs()[i];

        if (strcmp(verb->words, words) == 0 ||
            strcmp(verb->words, fl_arena_printf(&cli->arena, "%s dump", words)) == 0) {
            cli_help_verb(stdout, verb);
            return CLI_OK;
        }
    }
    if (first && !second && cli_verb_is_group(first)) {
        cli_help_group(stdout, first);
        return CLI_OK;
    }
    if (first) return cli_fail(CLI_USAGE, "no verb '%s'; 'fairlead help' lists them", words);
    cli_help(stdout);
    return CLI_OK;
}
