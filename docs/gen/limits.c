/* limits.c - prints docs/reference/limits.md: the limits of what a client may send. */
#include <stdio.h>

#include "controlplane/api/route.h"
#include "controlplane/api/v1/resources.h"
#include "controlplane/config.h"
#include "controlplane/core/core_event.h"
#include "controlplane/core/dependency_table.h"
#include "controlplane/core/singleton_table.h"
#include "shared/base/api_limits.h"
#include "shared/json/json.h"
#include "shared/spec/job_spec.h"
#include "shared/yaml/yaml.h"

static void print_row(const char *what, long long most, const char *then)
{
    printf("| %s | %lld | %s |\n", what, most, then);
}

int main(void)
{
    printf("# Limits\n\n"
           "Made by `docs/gen/limits.c` from the tables and constants that are enforced; change "
           "those, not this. None can be\nswitched off. Those of HTTP are settings.\n\n"
           "## HTTP\n\n");
    fl_config_print_markdown(&config_settings[CONFIG_http_head_bytes_max],
                             CONFIG_LEN - CONFIG_http_head_bytes_max, stdout);
    printf("\n## Bodies\n\n| route | bytes |\n|---|---|\n");
    for (const struct api_resource *resource = api_v1.resources; resource->name; resource++) {
        for (const struct api_route *route = resource->routes; route->path; route++) {
            if (route->body_max == 0) continue;
            printf("| %s %s | %zu |\n", api_method_name(route->method), route->path,
                   route->body_max);
        }
    }
    printf("\nA body with a Content-Encoding is refused. Any other POST takes `{}`, no other route "
           "a body.\n");
    printf("\n## JSON and YAML\n\n| limit | most | then |\n|---|---|---|\n");
    print_row("objects and lists inside one another", FL_JSON_DEPTH_MAX, "413");
    print_row("values in one text", FL_JSON_NODES_MAX, "413");
    print_row("values in one YAML document", FL_YAML_NODES_MAX, "413");
    print_row("bytes of a string", FL_JSON_STRING_MAX, "413");
    print_row("bytes of a number as written", FL_JSON_NUMBER_MAX, "413");
    printf(
        "\nA key that comes twice, bytes that are no UTF-8, and in YAML aliases, anchors and tags "
        "are refused: 400.\n");
    printf("\n## Jobs\n\n| limit | most | then |\n|---|---|---|\n");
    print_row("jobs in one batch", CORE_SUBMIT_MAX, "413, nothing was submitted");
    print_row("elements of a job", FL_JOB_ELEMENTS_MAX, "422");
    print_row("roles of a job", FL_JOB_ROLES_MAX, "422");
    print_row("replicas of all roles", FL_JOB_REPLICAS_MAX, "422");
    print_row("retries of an element", FL_JOB_RETRIES_MAX, "422");
    print_row("jobs that one is to run after", FL_JOB_AFTER_MAX, "422");
    print_row("jobs that wait for the same one", DEPENDENTS_MAX, "429");
    print_row("open singletons of one name and owner", SINGLETONS_OF_NAME_MAX, "429");
    print_row("open singletons", SINGLETONS_MAX, "429");
    print_row("clusters that a job names or excludes", FL_JOB_CLUSTERS_MAX, "422");
    print_row("kinds of resources beside cpu, memory and gpus that a job asks for",
              FL_JOB_NAMED_MAX, "422");
    print_row("labels of a job", FL_JOB_LABELS_MAX, "422");
    print_row("labels in a nodeSelector", FL_JOB_NODE_LABELS_MAX, "422");
    print_row("terms of an affinity", FL_JOB_NODE_TERMS_MAX, "422");
    print_row("requirements of all its terms", FL_JOB_NODE_REQUIREMENTS_MAX, "422");
    print_row("values of a requirement", FL_JOB_NODE_VALUES_MAX, "422");
    print_row("bytes of an affinity, its terms written as `zone in (a,b),!ssd`",
              FL_JOB_AFFINITY_BYTES_MAX, "422");
    print_row("tolerations of a job", FL_JOB_TOLERATIONS_MAX, "422");
    print_row("mounts of a role", FL_JOB_MOUNTS_MAX, "422");
    print_row("variables of a role that are secrets", FL_JOB_SECRET_ENV_MAX, "422");
    print_row("words of a command, and of its arguments", FL_JOB_WORDS_MAX, "422");
    print_row("bytes of one word", FL_JOB_WORD_BYTES_MAX, "422");
    print_row("variables of a role's environment", FL_JOB_ENV_MAX, "422");
    print_row("bytes of a variable, and of a parameter", FL_JOB_ENV_VALUE_BYTES_MAX, "422");
    print_row("parameters of a job", FL_JOB_PARAMS_MAX, "422");
    print_row("bytes of the indexes of an array", FL_JOB_INDEXES_BYTES_MAX, "422");
    print_row("the highest index of an element", FL_JOB_INDEX_LAST, "422");
    print_row("bytes of the parameters of a job", FL_JOB_PARAMS_BYTES_MAX,
              "422, 413 for their canonical form");
    print_row("bytes of a spec as it is stored", FL_JOB_SPEC_BYTES_MAX, "413");
    print_row("bytes of an Idempotency-Key", FL_KEY_BYTES_MAX, "400");
    print_row("days for which its outcome is promised", FL_KEY_DAYS,
              "a repetition is a request of its own");
    print_row("jobs in one page of a list", CORE_PAGE_MAX, "422");
    printf("\n## Access\n\n| limit | most | then |\n|---|---|---|\n");
    print_row("API tokens that have not expired", CORE_TOKENS_MAX, "429");
    print_row("join tokens that are neither used nor expired", CORE_JOINS_MAX, "429");
    print_row("milliseconds that a join token may count", CORE_JOIN_TTL_MS, "422");
    return fflush(stdout) != 0;
}
