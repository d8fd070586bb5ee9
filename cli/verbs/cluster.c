/* cluster.c - 'cluster': list, show, join, cordon, drain, revoke and remove clusters. */
#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/output.h"
#include "cli/resource.h"

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

/* Three columns, of a cluster or a node. */
static void put_shares(struct cli *cli, struct cli_table *table, const json_t *one)
{
    cli_table_put(table, "%s", share(cli, one, "cpuMilli", 1000));
    cli_table_put(table, "%s", share(cli, one, "memoryBytes", 1));
    cli_table_put(table, "%s", share(cli, one, "gpus", 1));
}

static void put_cluster(struct cli *cli, struct cli_table *table, const json_t *cluster)
{
    cli_table_put(table, "%s", cli_text(cluster, "name"));
    cli_table_put(table, "%s", cli_text(cluster, "state"));
    cli_table_put(table, "%lld", (long long)cli_int(cluster, "nodes"));
    put_shares(cli, table, cluster);
    cli_table_put(table, "%lld", (long long)cli_int(cluster, "attempts"));
    cli_table_put(table, "%s", cli_text(cluster, "id"));
    cli_table_put(table, "%s", cli_text(cluster, "cordon"));
}

int verb_cluster_ls(struct cli *cli)
{
    static const struct cli_list clusters = {
        .group = "clusters",
        .name = "name",
        .header = "CLUSTER|STATE|>NODES|>CPU used/all|>MEMORY used/all|>GPU used/all|>ATTEMPTS|"
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
}

static const struct cli_list nodes_of_one = {
    .header = "NODE|READY|>CPU used/all|>MEMORY used/all|>GPU used/all", .put = put_node};

int verb_cluster_get(struct cli *cli)
{
    const char *name = cli_one_name(cli);
    json_t *cluster = NULL, *nodes = NULL;
    int code = CLI_USAGE;

    if (!name || (code = cli_get(cli, &cluster, "/v1/clusters/%s", name)) != 0) return code;
    nodes = cli_get_all(cli, fl_arena_printf(&cli->arena, "/v1/clusters/%s/nodes", name), "nodes",
                        &code);
    if (nodes && cli_is_json(cli)) {
        json_object_set(cluster, "nodeList", nodes);
        cli_print_json(cli, cluster);
    } else if (nodes) {
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

int verb_cluster_join(struct cli *cli)
{
    const char *name = cli_one_name(cli);
    json_t *token = NULL, *body = json_object();
    struct fl_err err = {0};
    int code;

    if (!cli_put_ttl(cli, body, &err)) {
        json_decref(body);
        return cli_fail_err(&err);
    }
    if (!name) {
        json_decref(body);
        return CLI_USAGE;
    }
    code = cli_post(cli, &token, body, "/v1/clusters/%s/join-tokens", name);
    if (code) return code;
    if (cli_is_json(cli)) {
        cli_print_json(cli, token);
    } else {
        printf("%s\n", cli_text(token, "token"));
        fprintf(stderr,
                "good for one agent until %s; on its machine:  fairlead-agent --join-token @FILE\n",
                cli_text(token, "expiresAt"));
    }
    json_decref(token);
    return CLI_OK;
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

int verb_cluster_drain(struct cli *cli)
{
    json_t *body = reason_of(cli);

    if (cli_has(&cli->args, CLI_OPT_stop_jobs)) {
        json_object_set_new(body, "running", json_string("stop"));
    }
    return cli_act(cli, "clusters", "drain", body, "is draining: it takes no new work");
}

int verb_cluster_revoke(struct cli *cli)
{
    return cli_act(cli, "clusters", "revoke", NULL,
                   "is revoked; 'fairlead cluster join' lets it in again");
}

int verb_cluster_rm(struct cli *cli)
{
    struct cli_request request = {.method = "DELETE"};
    const char *name = cli_one_name(cli);
    int code;

    if (!name) return CLI_USAGE;
    if (!cli_has(&cli->args, CLI_OPT_yes)) {
        return cli_fail(
            CLI_USAGE,
            "the jobs on %s would count as lost and run again elsewhere; if nothing runs there "
            "any more, repeat this with --yes; nothing was changed",
            cli->args.words.at[0]);
    }
    request.path = fl_arena_printf(&cli->arena, "/v1/clusters/%s", name);
    code = cli_call(cli, &request, NULL);
    if (code == CLI_OK) fprintf(stderr, "%s is forgotten\n", cli->args.words.at[0]);
    return code;
}
