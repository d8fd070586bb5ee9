/* cli.c - prints docs/reference/cli.md from cli/verbs.def and cli/options.def. */
#include "cli/help.h"

int main(void)
{
    cli_help_markdown(stdout);
    return fflush(stdout) != 0;
}
