/* fairlead.c - prints docs/man/fairlead.1 from cli/verbs.def and cli/options.def. */
#include "cli/help.h"

int main(void)
{
    cli_help_man(stdout);
    return fflush(stdout) != 0;
}
