/* metrics.c - prints docs/reference/metrics.md from the families that fairleadd has. */
#include "controlplane/front_figures.h"

int main(void)
{
    printf(
        "# Metrics of fairleadd\n\n"
        "Made by `docs/gen/metrics.c` from `controlplane/front_figures.c`; change that, not this. "
        "`GET /metrics` on\n`metrics_listen`, in the text format of Prometheus, with a token of "
        "scope read. Labels come from bounded sets only:\nno job ever is one.\n\n");
    fl_metrics_print_markdown(front_figures, FIGURES_LEN, stdout);
    return fflush(stdout) != 0;
}
