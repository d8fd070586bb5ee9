/* states.c - prints docs/reference/states.md from the tables of states. */
#include <stdio.h>

#include "controlplane/core/job.h"
#include "shared/base/replica.h"

static void print_head(const char *title, const char *about)
{
    printf("\n## %s\n\n%s\n\n| state | number | last | |\n|---|---|---|---|\n", title, about);
}

#define PRINT(name, number, is_last, meaning)                                                      \
    printf("| %s | %d | %s | %s |\n", #name, number, (is_last) ? "yes" : "", meaning);

int main(void)
{
    printf(
        "# States\n\n"
        "Made by `docs/gen/states.c` from `controlplane/core/job.h` and "
        "`shared/base/replica.h`; change those, not\n"
        "this. Numbers are stored and sent: they are never reused. Nothing leaves a last state.\n");
    print_head("Jobs and elements",
               "A job has elements 0 to n-1; a plain job has element 0 alone. The job is "
               "*stopping* while a "
               "cancel or its\ndeadline ends it; else it is what the furthest of its elements is.");
    JOB_STATES(PRINT)
    print_head(
        "Attempts",
        "One placement of one element on one cluster. When it ends and the element does not, "
        "the element\nis queued again, under the next attempt number.");
    ATTEMPT_STATES(PRINT)
    print_head("Replicas",
               "One pod, or one supervised process, of an attempt; its agent reports it.");
    FL_REPLICA_STATES(PRINT)
    return fflush(stdout) != 0;
}
