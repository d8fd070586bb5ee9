/* cluster.c - 'cluster': list, show, cordon, revoke and remove clusters. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/output.h"
#include "cli/resource.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "shared/base/resource_name.h"

static const char *share(struct cli *cli, const json_t *cluster, const char *key, int64_t unit)
{
    int64_t total = cli_int(json_object_get(cluster, "total"), key);
    int64_t free = cli_int(json_object_get(cluster, "free"), key);

    if (strcmp(key, "memoryBytes") == 0) {
        return fl_arena_printf(&cli->arena, "%s/%s",
                               cli_bytes(cli, (uint64_t)(total > free ? total - free : 0)),
                               cli_bytes(cli, (uint64_t)total));
    }
    return fl_arena_printf(&cli->arena, "%lld/%lld", (long long)((total - free) / unit),
                           (long long)(total / unit));
}

/* "rdma/hca 1/4, ephemeral-storage 0/10 GiB": those that have names. */
static const char *named_shares(struct cli *cli, const json_t *one)
{
    const json_t *free = json_object_get(json_object_get(one, "free"), "named");
    json_t *total = json_object_get(json_object_get(one, "total"), "named"), *amount;
    const char *text = "", *name;

    json_object_foreach(total, name, amount)
    {
        uint64_t all = (uint64_t)json_integer_value(amount);
        uint64_t left = (uint64_t)cli_int(free, name), used = all > left ? all - left : 0;
        bool is_bytes = fl_is_bytes_resource(fl_str_c(name));

        text = fl_arena_printf(
            &cli->arena, "%s%s%s %s/%s", text, *text ? ", " : "", name,
            is_bytes ? cli_bytes(cli, used) : fl_arena_printf(&cli->arena, "%" PRIu64, used),
            is_bytes ? cli_bytes(cli, all) : fl_arena_printf(&cli->arena, "%" PRIu64, all));
    }
    return *text ? text : "-";
}

/* Four columns, of a cluster or a node. */
static void put_shares(struct cli *cli, struct cli_table *table, const json_t *one)
{
    cli_table_put(table, "%s", share(cli, one, "cpuMilli", 1000));
    cli_table_put(table, "%s", share(cli, one, "memoryBytes", 1));
    cli_table_put(table, "%s", share(cli, one, "gpus", 1));
    cli_table_put(table, "%s", named_shares(cli, one));
}

/* Whether its nodes keep jobs within what they ask for. */
static const char *limits_of(struct cli *cli, const json_t *cluster)
{
    long long ready = (long long)cli_int(cluster, "nodesReady");
    long long limited = (long long)cli_int(cluster, "nodesLimited");

    if (ready == 0 || !json_is_integer(json_object_get(cluster, "nodesLimited"))) return "-";
    if (limited == 0) return "no";
    if (limited == ready) return "yes";
    return fl_arena_printf(&cli->arena, "%lld of %lld", limited, ready);
}

static void put_cluster(struct cli *cli, struct cli_table *table, const json_t *cluster)
{
    cli_table_put(table, "%s", cli_text(cluster, "name"));
    cli_table_put(table, "%s", cli_text(cluster, "state"));
    cli_table_put(table, "%lld", (long long)cli_int(cluster, "nodes"));
    put_shares(cli, table, cluster);
    cli_table_put(table, "%s", limits_of(cli, cluster));
    cli_table_put(table, "%lld", (long long)cli_int(cluster, "attempts"));
    cli_table_put(table, "%s", cli_text(cluster, "id"));
    cli_table_put(table, "%s", cli_text(cluster, "cordon"));
}

int verb_cluster_ls(struct cli *cli)
{
    static const struct cli_list clusters = {
        .group = "clusters",
        .name = "name",
        .header = "CLUSTER|STATE|>NODES|>CPU used/all|>MEMORY used/all|>GPU used/all|"
                  "~OTHERS used/all|LIMITS|>ATTEMPTS|"
                  "+ID|+NOTE",
        .put = put_cluster,
        .none = "no cluster has joined; 'fairlead cluster join NAME' makes a join token"};

    return cli_list(cli, &clusters);
}

static void put_node(struct cli *cli, struct cli_table *table, const json_t *node)
{
    cli_table_put(table, "%s", cli_text(node, "name"));
    cli_table_put(table, "%s", json_is_true(json_object_get(node, "ready")) ? "yes" : "no");
    put_shares(cli, table, node);
    cli_table_put(table, "%s", cli_words(cli, json_object_get(node, "taints")));
}

static const struct cli_list nodes_of_one = {
    .header = "~NODE|READY|>CPU used/all|>MEMORY used/all|>GPU used/all|~OTHERS used/all|~TAINTS",
    .put = put_node};

int verb_cluster_get(struct cli *cli)
{
    const char *name = cli_one_name(cli);
    json_t *cluster = NULL, *nodes = NULL;
    int code = CLI_USAGE;

    if (!name || (code = cli_get(cli, &cluster, "/v1/clusters/%s", name)) != 0) return code;
    nodes = cli_get_all(cli, fl_arena_printf(&cli->arena, "/v1/clusters/%s/nodes", name), "nodes",
                        &code);
    if (nodes) json_object_set(cluster, "nodeList", nodes);
    if (nodes && !cli_answer(cli, cluster, "name")) {
        printf("%s  %s%s%s  %s  %lld attempts\n", cli_plain(cli, cli_text(cluster, "name")),
               cli_color(cli, cli_text(cluster, "state")), cli_text(cluster, "state"),
               cli_color_off(cli), cli_text(cluster, "id"),
               (long long)cli_int(cluster, "attempts"));
        if (*cli_text(cluster, "cordon")) {
            printf("cordoned: %s\n", cli_plain(cli, cli_text(cluster, "cordon")));
        }
        cli_print_rows(cli, &nodes_of_one, nodes);
    }
    json_decref(nodes);
    json_decref(cluster);
    return code;
}

static json_t *reason_of(struct cli *cli)
{
    json_t *body = json_object();

    if (cli_has(&cli->args, CLI_OPT_reason)) {
        json_object_set_new(body, "reason", json_string(cli_value(&cli->args, CLI_OPT_reason)));
    }
    return body;
}

int verb_cluster_cordon(struct cli *cli)
{
    return cli_act(cli, "clusters", "cordon", reason_of(cli), "takes no new work");
}

int verb_cluster_uncordon(struct cli *cli)
{
    return cli_act(cli, "clusters", "uncordon", NULL, "takes work again");
}

int verb_cluster_revoke(struct cli *cli)
{
    return cli_act(cli, "clusters", "revoke", NULL,
                   "is revoked; 'fairlead cluster join' lets it in again");
}

int verb_cluster_unlock(struct cli *cli)
{
    return cli_act(cli, "clusters", "unlock", NULL, "may speak again");
}

int verb_cluster_rm(struct cli *cli)
{
    struct cli_request request = {.method = "DELETE"};
    const char *name = cli_one_name(cli), *what;
    int code;

    if (!name) return CLI_USAGE;
    what =
        fl_arena_printf(&cli->arena, "the jobs on %s would count as lost and run again elsewhere",
                        cli->args.words.at[0]);
    if (!cli_has(&cli->args, CLI_OPT_yes) && !cli_terminal_agrees(what)) {
        return cli_fail(CLI_USAGE,
                        "%s; if nothing runs there any more, repeat this with --yes; nothing was "
                        "changed",
                        what);
    }
    request.path = fl_arena_printf(&cli->arena, "/v1/clusters/%s", name);
    code = cli_call(cli, &request, NULL);
    if (code == CLI_OK) fprintf(stderr, "%s is forgotten\n", cli->args.words.at[0]);
    return code;
}
