/* metrics.c - prints docs/reference/metrics.md from the families that fairleadd has. */
#include "controlplane/api/route_metrics.h"
#include "controlplane/front/process_metrics.h"

int main(void)
{
    printf(
        "# Metrics of fairleadd\n\n"
        "Made by `docs/gen/metrics.c` from `controlplane/front/process_metrics.c` and "
        "`controlplane/api/route_metrics.c`; change those, not this. `GET /metrics` on\n"
        "`metrics_listen`, in the text format of Prometheus, with a token of "
        "scope read for all queues. Labels come from bounded sets only:\nno job ever is one.\n\n");
    fl_metrics_print_markdown(process_metrics, PROCESS_METRICS_LEN, stdout);
    printf("\n## Routes of the API\n\n`route` is the pattern of the table, as in "
           "`/v1/jobs/{job}`; `other` is every path that is not a route.\n\n");
    fl_metrics_print_markdown(route_metric_families, ROUTE_METRICS_LEN, stdout);
    return fflush(stdout) != 0;
}
