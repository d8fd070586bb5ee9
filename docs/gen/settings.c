/* settings.c - prints docs/reference/settings.md from the table of settings. */
#include "controlplane/config.h"

/* Those of HTTP follow the others, in the order of their table. */
int main(void)
{
    printf(
        "# Settings of fairleadd\n\n"
        "Made by `docs/gen/settings.c` from `controlplane/config.def`; change that, not this. A "
        "setting is read from the\nfile that `--config` names (`key = value`), from the variable "
        "`FAIRLEAD_KEY` and from the flag `--key`; each\noverrides the one before. Secrets are "
        "given "
        "by "
        "variable, by file, or as `@PATH` of a file, and are printed as `***`.\n"
        "The limits of HTTP (`http_*`) are on a page of their own: [limits](limits.md).\n\n");
    fl_config_print_markdown(config_settings, CONFIG_http_head_bytes_max, stdout);
    return fflush(stdout) != 0;
}
