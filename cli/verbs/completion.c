/* completion.c - 'completion': prints completion for a shell. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/completion.h"

int verb_completion(struct cli *cli)
{
    if (cli->args.words.len != 1 || !cli_completion(stdout, cli->args.words.at[0])) {
        return cli_fail(CLI_USAGE, "usage: fairlead completion bash | zsh | fish");
    }
    return CLI_OK;
}
