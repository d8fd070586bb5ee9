/* agent_settings.c - prints docs/reference/agent_settings.md from the agent's table of settings. */
#include "agent/config.h"

int main(void)
{
    printf(
        "# Settings of fairlead-agent\n\n"
        "Made by `docs/gen/agent_settings.c` from `agent/config.def`; change that, not this. A "
        "setting is read from the\nfile that `--config` names (`key = value`), from the variable "
        "`FAIRLEAD_KEY` and from the flag `--key`; each\noverrides the one before. Secrets are "
        "given "
        "by variable, by file, or as `@PATH` of a file, and are printed as `***`.\n\n");
    fl_config_print_markdown(agent_config_settings, AGENT_CONFIG_LEN, stdout);
    return fflush(stdout) != 0;
}
