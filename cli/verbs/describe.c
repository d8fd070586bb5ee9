/* describe.c - 'describe': everything about one job. */
#include <stdio.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/elements.h"
#include "cli/follow.h"
#include "cli/output.h"
#include "cli/resource.h"
#include "cli/table.h"
#include "shared/base/node_label.h"
#include "shared/base/types.h"

#define LIVE_COLUMNS "|>ATTEMPT|STATE|CLUSTER|~NODES|~REPLICAS|~NOTE"

enum {
    LAST_LINES = 10,
    FAILURES_MAX = 3,          /* failures with their last lines */
    FAILED_SHOWN_MAX = 10,     /* rows of an array's failures */
    GROUPS_SHOWN_MAX = 2,      /* groups of an array's failures */
    GROUPED_MAX = 100000,      /* with more failures, groups are only named */
    RUNS_ELEMENTS_MAX = 10000, /* larger arrays have only their counts shown */
    CLUSTERS_SHOWN_MAX = 3,    /* in the lines about files */
    KEPT_SECONDS_MAX = 10 * 366 * 86400,
    LIMIT = 100,
    LIMIT_MAX = 100000,
};

static void put_line(struct cli *cli, const char *key, const char *value)
{
    if (*value && strcmp(value, "-") != 0) printf("%-12s %s\n", key, cli_plain(cli, value));
}

/* Since when its cluster has been silent; "" if the state shown is current. */
static const char *since(struct cli *cli, const json_t *one)
{
    const char *at = cli_text(one, "unknownSince");

    return *at ? fl_arena_printf(&cli->arena, "since %s", cli_when(cli, at)) : "";
}

static void put_after(struct cli *cli, const json_t *list)
{
    const json_t *one;
    size_t i;

    json_array_foreach(list, i, one)
    {
        const char *on = cli_text(one, "on");

        printf("%-12s %s of %s\n", "after",
               strcmp(on, "any") == 0    ? "end"
               : strcmp(on, "each") == 0 ? "each element"
                                         : cli_plain(cli, on),
               cli_plain(cli, cli_text(one, "job")));
    }
}

/* Says it where its cluster keeps no job within what it asks for. */
static void put_limits(struct cli *cli, const char *name)
{
    struct cli_request request = {.method = "GET", .is_impatient = true};
    struct cli_reply reply = {0};
    struct fl_err err = {0};
    json_t *cluster;

    if (!*name) return;
    request.path = fl_arena_printf(&cli->arena, "/v1/clusters/%s", name);
    if (!cli_send(cli, &request, &reply, &err) || reply.status != 200) return;
    cluster = json_loadb(reply.body, reply.len, 0, NULL);
    if (json_is_integer(json_object_get(cluster, "nodesLimited")) &&
        cli_int(cluster, "nodesReady") > 0 && cli_int(cluster, "nodesLimited") == 0) {
        put_line(cli, "limits", "none there: it may take more memory and CPU than it asks for");
    }
    json_decref(cluster);
}

/* For how many seconds the nodes of a cluster keep the files of a replica; -1: they do not say. */
static int64_t kept_seconds(struct cli *cli, const char *cluster)
{
    json_t *page = cli_look(cli, "/v1/clusters/%s/nodes?limit=1", cluster);
    const json_t *node = json_array_get(json_object_get(page, "nodes"), 0);
    const char *text = cli_text(json_object_get(node, "labels"), FL_NODE_KEEP_KEY);
    uint64_t seconds;
    bool is_there = fl_str_parse_u64(fl_str_c(text), &seconds) && seconds <= KEPT_SECONDS_MAX;

    json_decref(page);
    return is_there ? (int64_t)seconds : -1;
}

/* Its replicas start in a folder that is theirs, and so is not kept. */
static bool has_working_dir(const json_t *job)
{
    const json_t *roles = json_object_get(json_object_get(job, "spec"), "roles"), *role;
    size_t i;

    json_array_foreach(roles, i, role)
    {
        const json_t *pod = json_object_get(json_object_get(role, "template"), "spec");
        const json_t *container = json_array_get(json_object_get(pod, "containers"), 0);

        if (!*cli_text(container, "workingDir")) return false;
    }
    return json_array_size(roles) > 0;
}

/* All attempts on the cluster ended by its own word, so no file there is later than the job's end.
 * Where a cluster was silent or forgotten, processes may have gone on and left later ones;
 * likewise on those of further attempts, that are not listed here. */
static bool ended_in_order(const json_t *job, const char *cluster)
{
    static const char *const others[] = {"ClusterForgotten", "NodeLost", "ReplicaLost",
                                         "NeverArrived", "StartUnconfirmed"};
    const json_t *one;
    size_t i;

    json_array_foreach(json_object_get(job, "attempts"), i, one)
    {
        if (strcmp(cli_text(one, "cluster"), cluster) != 0) continue;
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            if (strcmp(cli_text(one, "reason"), others[k]) == 0) return false;
        }
    }
    return !*cli_text(job, "attemptsCursor");
}

static void put_kept(struct cli *cli, const json_t *job, const char *cluster)
{
    bool is_known = ended_in_order(job, cluster);
    int64_t seconds = kept_seconds(cli, cluster), until;
    const char *id = cli_text(job, "id"), *when;

    cluster = cli_plain(cli, cluster);
    if (seconds < 0 || (seconds > 0 && !is_known)) {
        printf("%-12s fairlead cp --list %s: shows what is kept of them on %s\n", "files", id,
               cluster);
        return;
    }
    if (seconds == 0) {
        printf("%-12s %s keeps none (its agent's keep_results is 0)\n", "files", cluster);
        return;
    }
    until = cli_parse_time(cli_text(job, "endedAt")) + seconds * FL_SECOND_MS;
    when = cli_when(cli, cli_time(cli, until));
    if (until <= cli_now_ms()) {
        printf("%-12s kept on %s until %s, and gone since\n", "files", cluster, when);
    } else {
        printf("%-12s kept on %s until %s at most: fairlead cp --list %s:\n", "files", cluster,
               when, id);
    }
}

/* Files are kept where they were left: on the clusters of its attempts. */
static void put_files(struct cli *cli, const json_t *job)
{
    const json_t *attempts = json_object_get(job, "attempts"), *one;
    const char *shown[CLUSTERS_SHOWN_MAX];
    size_t i, len = 0, k;

    if (!*cli_text(job, "endedAt")) return;
    if (has_working_dir(job)) {
        put_line(cli, "files", "not kept: it has a workingDir of its own");
        return;
    }
    json_array_foreach(attempts, i, one)
    {
        const char *cluster = cli_text(one, "cluster");

        for (k = 0; k < len && strcmp(shown[k], cluster) != 0; k++) {
        }
        if (!*cluster || k < len || len == CLUSTERS_SHOWN_MAX) continue;
        shown[len++] = cluster;
        put_kept(cli, job, cluster);
    }
}

static void describe_job(struct cli *cli, const json_t *job)
{
    const char *state = cli_text(job, "state"), *key;
    json_t *value;

    printf("%-12s %s\n", "job", cli_text(job, "id"));
    put_line(cli, "name", cli_text(job, "name"));
    put_line(cli, "queue", cli_text(job, "queue"));
    printf("%-12s %s%s%s\n", "state", cli_color(cli, state), state, cli_color_off(cli));
    if (strcmp(cli_text(job, "reason"), "none") != 0) {
        put_line(cli, "reason", cli_text(job, "reason"));
    }
    put_line(cli, "because", cli_text(job, "sentence"));
    put_line(cli, "unknown", since(cli, job));
    if (cli_int(job, "priority")) {
        printf("%-12s %lld\n", "priority", (long long)cli_int(job, "priority"));
    }
    if (cli_int(job, "deadline")) {
        printf("%-12s %lld s from its first start\n", "deadline",
               (long long)cli_int(job, "deadline"));
    }
    if (cli_int(job, "parallelism")) {
        printf("%-12s %lld elements at the same time\n", "parallelism",
               (long long)cli_int(job, "parallelism"));
    }
    if (cli_int(job, "revision")) {
        printf("%-12s %lld\n", "revision", (long long)cli_int(job, "revision"));
    }
    put_line(cli, "cluster", cli_text(job, "cluster"));
    put_limits(cli, cli_text(job, "cluster"));
    put_line(cli, "submitted", cli_when(cli, cli_text(job, "submittedAt")));
    put_line(cli, "by", cli_text(job, "submittedBy"));
    put_line(cli, "ended", cli_when(cli, cli_text(job, "endedAt")));
    put_files(cli, job);
    put_line(cli, "retry of", cli_text(job, "retryOf"));
    put_after(cli, json_object_get(job, "after"));
    if (json_is_true(json_object_get(job, "singleton"))) {
        put_line(cli, "singleton", "alone under its name and owner");
    }
    json_object_foreach(json_object_get(job, "labels"), key, value)
    {
        printf("%-12s %s=%s\n", "label", cli_plain(cli, key),
               cli_plain(cli, json_string_value(value)));
    }
    if (cli_indexes(job).len > 0) {
        printf("%-12s " FL_STR_FMT "\n", "indexes", FL_STR_ARG(cli_indexes(job)));
    }
    if (cli_int(json_object_get(job, "elements"), "total") > 1) {
        printf("%-12s", "elements");
        json_object_foreach(json_object_get(job, "elements"), key, value)
        {
            if (json_integer_value(value)) {
                printf("  %lld %s", (long long)json_integer_value(value), cli_plain(cli, key));
            }
        }
        putchar('\n');
    }
}

static const char *number(struct cli *cli, const json_t *value)
{
    if (!json_is_integer(value)) return "";
    return fl_arena_printf(&cli->arena, "%lld", (long long)json_integer_value(value));
}

/* The column of a job with indexes. */
static void put_index(struct cli *cli, struct cli_table *table, const json_t *one)
{
    const json_t *index = json_object_get(one, "index");

    if (index) cli_table_put(table, "%s", number(cli, index));
}

/* "16", or "16 (index 17)". */
static const char *element_name(struct cli *cli, const json_t *one)
{
    const char *element = number(cli, json_object_get(one, "element"));
    const char *index = number(cli, json_object_get(one, "index"));

    return *index ? fl_arena_printf(&cli->arena, "%s (index %s)", element, index) : element;
}

/* Prints the elements that run now, or wait for their next attempt. */
static void describe_live(struct cli *cli, const json_t *job)
{
    const json_t *live = json_object_get(job, "live");
    struct cli_table *table;
    json_t *one;
    size_t i;

    if (json_array_size(live) == 0) return;
    putchar('\n');
    table = cli_table_create(cli, cli_indexes(job).len > 0 ? ">ELEMENT|>INDEX" LIVE_COLUMNS
                                                           : ">ELEMENT" LIVE_COLUMNS);
    json_array_foreach(live, i, one)
    {
        cli_table_put(table, "%lld", (long long)cli_int(one, "element"));
        put_index(cli, table, one);
        cli_table_put(table, "%lld", (long long)cli_int(one, "attempt"));
        cli_table_put(table, "%s", cli_text(one, "state"));
        cli_table_put(table, "%s", cli_text(one, "cluster"));
        cli_table_put(table, "%s", cli_words(cli, json_object_get(one, "nodes")));
        cli_table_put(table, "%s", cli_words(cli, json_object_get(one, "replicas")));
        cli_table_put(table, "%s%s%s%s%s", since(cli, one), *since(cli, one) ? " " : "",
                      cli_text(one, "reason"), *cli_text(one, "waitsUntil") ? " until " : "",
                      cli_when(cli, cli_text(one, "waitsUntil")));
    }
    cli_table_print(table, stdout);
}

static void put_attempt(struct cli *cli, struct cli_table *table, const json_t *one)
{
    const json_t *usage = json_object_get(one, "usage");

    cli_table_put(table, "%lld", (long long)cli_int(one, "element"));
    put_index(cli, table, one);
    cli_table_put(table, "%lld", (long long)cli_int(one, "attempt"));
    cli_table_put(table, "%s", cli_text(one, "cluster"));
    cli_table_put(table, "%s", cli_words(cli, json_object_get(one, "nodes")));
    cli_table_put(table, "%s", number(cli, json_object_get(one, "exitCode")));
    cli_table_put(table, "%s", cli_text(one, "reason"));
    cli_table_put(table, "%s", number(cli, json_object_get(one, "firstReplica")));
    cli_table_put(table, "%s", usage ? cli_cpu(cli, cli_int(usage, "cpuMillis")) : "");
    cli_table_put(table, "%s",
                  usage ? cli_bytes(cli, (uint64_t)cli_int(usage, "memoryBytes")) : "");
    cli_table_put(table, "%s", cli_when(cli, cli_text(one, "placedAt")));
    cli_table_put(table, "%s", cli_when(cli, cli_text(one, "endedAt")));
}

#define ATTEMPT_COLUMNS "|>ATTEMPT|CLUSTER|~NODES|>EXIT|REASON|>FIRST|>CPU|>MEMORY|PLACED|ENDED"

/* [1]: with the indexes. */
static const struct cli_list attempt_lists[] = {
    {.header = ">ELEMENT" ATTEMPT_COLUMNS, .put = put_attempt, .none = "no attempt is like that"},
    {.header = ">ELEMENT|>INDEX" ATTEMPT_COLUMNS,
     .put = put_attempt,
     .none = "no attempt is like that"}};

static const struct cli_list *attempt_list(const json_t *job)
{
    return &attempt_lists[cli_indexes(job).len > 0];
}

static void describe_attempts(struct cli *cli, const json_t *job, const json_t *attempts)
{
    if (json_array_size(attempts) == 0) return;
    putchar('\n');
    cli_print_rows(cli, attempt_list(job), attempts);
}

/* Prints the last lines of the replicas that 'which', a part of a query, selects; prints nothing if
 * they have no output. */
static void describe_output(struct cli *cli, const char *id, const char *title, const char *which)
{
    struct cli_request request = {.method = "GET", .accept = "text/plain", .is_impatient = true};
    struct cli_reply reply = {0};
    struct fl_err err = {0};

    request.path = fl_arena_printf(&cli->arena, "/v1/jobs/%s/logs?format=text&tail=%d%s", id,
                                   LAST_LINES, which);
    if (!cli_send(cli, &request, &reply, &err) || reply.status != 200 || !reply.len) return;
    printf("\n%s\n", title);
    cli_log_write(cli, reply.body, reply.len, false);
    if (reply.body[reply.len - 1] != '\n') putchar('\n');
}

/* Prints what the first failure says of itself: its last error line, or its cluster's words. */
static void describe_words(struct cli *cli, const json_t *attempt)
{
    if (!*cli_text(attempt, "words")) return;
    printf("\nelement %s, attempt %lld, replica %lld failed with:\n    %s\n",
           element_name(cli, attempt), (long long)cli_int(attempt, "attempt"),
           (long long)cli_int(attempt, "firstReplica"), cli_plain(cli, cli_text(attempt, "words")));
}

/* Prints the last lines of the first replica that failed, for each failed attempt. */
static int describe_failures(struct cli *cli, const char *id, const json_t *attempts)
{
    json_t *one;
    size_t i;
    int told = 0;

    json_array_foreach(attempts, i, one)
    {
        const json_t *first = json_object_get(one, "firstReplica");
        long long element = (long long)cli_int(one, "element"),
                  attempt = (long long)cli_int(one, "attempt"),
                  replica = (long long)json_integer_value(first);

        if (!json_is_integer(first)) continue;
        if (told++ == FAILURES_MAX) {
            printf("\nmore of them failed: fairlead logs %s --element N\n", id);
            break;
        }
        describe_words(cli, one);
        describe_output(cli, id,
                        fl_arena_printf(&cli->arena,
                                        "last lines of element %s, attempt %lld, replica %lld:",
                                        element_name(cli, one), attempt, replica),
                        fl_arena_printf(&cli->arena, "&element=%lld&attempt=%lld&replica=%lld",
                                        element, attempt, replica));
    }
    return told;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static void describe_runs(struct cli *cli, const char *id, const char *state)
{
    struct cli_attempts_query query = {
        .state = state, .last = UINT32_MAX, .len_max = RUNS_ELEMENTS_MAX};
    json_t *all = json_array();
    bool is_more;

    if (cli_attempts_read(cli, id, &query, all, &is_more) == CLI_OK) {
        put_line(cli, state, cli_runs(cli, all));
    }
    json_decref(all);
}

static void put_group(struct cli *cli, const char *key, const json_t *group)
{
    const json_t *exit_code = json_object_get(group, "exitCode");
    const char *line = cli_text(group, "line");

    printf("%-12s %lld x %s", key, (long long)cli_int(group, "count"), cli_text(group, "reason"));
    if (json_is_integer(exit_code)) printf(" %s", number(cli, exit_code));
    printf("%s%s\n", *line ? ": " : "", cli_plain(cli, line));
}

/* Prints the largest groups of its failures. */
static void describe_groups(struct cli *cli, const char *id, long long failed)
{
    const json_t *groups;
    json_t *failures;

    if (failed < 2) return;
    if (failed > GROUPED_MAX) {
        printf("\n%-12s fairlead failures %s\n", "groups", id);
        return;
    }
    failures = cli_look(cli, "/v1/jobs/%s/failures", id);
    if (!failures) return;
    groups = json_object_get(failures, "groups");
    if (json_array_size(groups) > 0) putchar('\n');
    for (size_t i = 0; i < json_array_size(groups) && i < GROUPS_SHOWN_MAX; i++) {
        put_group(cli, i == 0 ? "failures" : "", json_array_get(groups, i));
    }
    if (json_array_size(groups) > 0) printf("%-12s all: fairlead failures %s\n", "", id);
    json_decref(failures);
}

/* The failures first, then which elements ended otherwise. */
static int describe_array(struct cli *cli, const char *id, const json_t *job)
{
    const json_t *counts = json_object_get(job, "elements");
    struct cli_attempts_query query = {
        .state = "failed", .last = UINT32_MAX, .len_max = FAILED_SHOWN_MAX};
    long long failed = (long long)cli_int(counts, "failed");
    json_t *attempts = json_array();
    bool is_more = false;
    int code = cli_attempts_read(cli, id, &query, attempts, &is_more);

    cli_indexes_add(job, attempts);
    if (code == CLI_OK) describe_groups(cli, id, failed);
    if (code == CLI_OK) describe_attempts(cli, job, attempts);
    if (is_more && failed > FAILED_SHOWN_MAX) {
        printf("%lld more failed: fairlead describe %s --state failed --limit %lld\n",
               failed - FAILED_SHOWN_MAX, id, failed);
    } else if (is_more) {
        printf("more failed: fairlead describe %s --state failed --limit " FL_QUOTE(
                   CLI_DESCRIBE_LIMIT) "\n",
               id);
    }
    if (code == CLI_OK && cli_int(counts, "total") <= RUNS_ELEMENTS_MAX) {
        putchar('\n');
        describe_runs(cli, id, "succeeded");
        describe_runs(cli, id, "cancelled");
    }
    if (code == CLI_OK) (void)describe_failures(cli, id, attempts);
    json_decref(attempts);
    return code;
}

/* ---- chosen attempts ------------------------------------------------------------------------- */

/* Those of the run of elements that begins with elements[*pos], and moves *pos behind it. */
static struct cli_attempts_query next_run(const uint32_t *elements, size_t len, size_t *pos)
{
    struct cli_attempts_query query = {.first = elements[*pos], .last = elements[*pos]};

    for ((*pos)++; *pos < len && elements[*pos] == query.last + 1; (*pos)++) {
        query.last++;
    }
    return query;
}

static int read_chosen(struct cli *cli, const char *id, long limit, json_t *all, bool *ret_is_more)
{
    const char *list = cli_value(&cli->args, CLI_OPT_element);
    struct cli_attempts_query query = {.last = UINT32_MAX};
    uint32_t *elements = NULL;
    size_t len = 0, pos = 0;
    struct fl_err err = {0};
    int code;

    if (list && !cli_numbers(list, &cli->arena, &elements, &len, &err)) return cli_fail_err(&err);
    do {
        if (list) query = next_run(elements, len, &pos);
        query.state = cli_value(&cli->args, CLI_OPT_state);
        query.len_max = (size_t)limit;
        code = cli_attempts_read(cli, id, &query, all, ret_is_more);
    } while (code == CLI_OK && !*ret_is_more && pos < len);
    return code;
}

/* --state names one state in which an element may have ended, or is not there. */
static bool is_end(const struct cli *cli)
{
    const char *state = cli_value(&cli->args, CLI_OPT_state);

    if (!state) return true;
    return cli->args.values[CLI_OPT_state].len == 1 &&
           (strcmp(state, "succeeded") == 0 || strcmp(state, "failed") == 0 ||
            strcmp(state, "cancelled") == 0);
}

/* With --state, --element or --limit it is a list of attempts. */
static int describe_chosen(struct cli *cli, const char *id)
{
    struct fl_err err = {0};
    bool is_more = false;
    json_t *all, *job = NULL;
    long limit;
    int code;

    if (!is_end(cli)) {
        return cli_fail(CLI_USAGE, "--state %s: wants one of succeeded, failed and cancelled here",
                        cli_value(&cli->args, CLI_OPT_state));
    }
    if (!cli_number(&cli->args, CLI_OPT_limit, LIMIT, 1, LIMIT_MAX, &limit, &err)) {
        return cli_fail_err(&err);
    }
    code = cli_get(cli, &job, "/v1/jobs/%s", id);
    if (code) return code;
    all = json_array();
    code = read_chosen(cli, id, limit, all, &is_more);
    cli_indexes_add(job, all);
    if (code == CLI_OK) cli_print_list(cli, attempt_list(job), all);
    if (code == CLI_OK && is_more) fprintf(stderr, "there are more: --limit %ld\n", limit * 10);
    json_decref(all);
    json_decref(job);
    return code;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int describe_whole(struct cli *cli, const char *id, const json_t *job)
{
    json_t *attempts = json_object_get(job, "attempts");

    cli_indexes_add(job, attempts);
    cli_indexes_add(job, json_object_get(job, "live"));
    cli_page(cli);
    describe_job(cli, job);
    describe_live(cli, job);
    if (cli_int(json_object_get(job, "elements"), "total") > 1) return describe_array(cli, id, job);
    describe_attempts(cli, job, attempts);
    if (!describe_failures(cli, id, attempts)) describe_output(cli, id, "last lines:", "");
    return CLI_OK;
}

int verb_describe(struct cli *cli)
{
    const char *id;
    json_t *job = NULL;
    int code = CLI_OK;

    if (cli->args.words.len != 1) return cli_fail(CLI_USAGE, "usage: fairlead describe JOB");
    id = cli_job_of_elements(cli, cli->args.words.at[0], &code);
    if (!id) return code;
    if (cli_has(&cli->args, CLI_OPT_state) || cli_has(&cli->args, CLI_OPT_element) ||
        cli_has(&cli->args, CLI_OPT_limit)) { /* --index has become --element */
        return describe_chosen(cli, id);
    }
    code = cli_get(cli, &job, "/v1/jobs/%s", id);
    if (code) return code;
    if (!cli_answer(cli, job, "id")) code = describe_whole(cli, id, job);
    json_decref(job);
    return code;
}
