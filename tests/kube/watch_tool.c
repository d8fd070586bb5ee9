/* Watches pods or nodes of a cluster, and prints a line for each thing that happens.
 *
 *     watch_tool KUBECONFIG pods|nodes [PAGE_OBJECTS [WATCH_S]]
 *
 *     put NAMESPACE/NAME UID VERSION pod PHASE NODE CPU_MILLI MEMORY
 *     put /NAME UID VERSION node ready|not_ready|silent CPU_MILLI PODS
 *     remove NAMESPACE/NAME UID
 *     synced
 *     problem TEXT
 *     counts lists=N ...      the last line, once its standard input has ended
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/kube/kube_client.h"
#include "agent/kube/kube_node.h"
#include "agent/kube/kube_pod.h"
#include "agent/kube/kube_watch.h"
#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/io/file.h"
#include "shared/io/loop.h"
#include "tests/kube/tool_config.h"

struct tool {
    struct fl_loop *loop;
    struct fl_arena arena;
    bool is_pods;
};

static void put_pod(struct tool *tool, const struct fl_json *object)
{
    static const char *const phases[] = {"Pending", "Running", "Succeeded", "Failed"};
    struct kube_pod pod;
    struct fl_err err;

    if (!kube_pod_read(object, &tool->arena, &pod, &err)) {
        printf(" problem %s\n", err.text);
        return;
    }
    printf(" pod %s " FL_STR_FMT " %" PRIu64 " %" PRIu64 "\n", phases[pod.phase],
           FL_STR_ARG(pod.node.len > 0 ? pod.node : FL_STR("-")),
           kube_amounts_of(&pod.requests, FL_STR("cpu")),
           kube_amounts_of(&pod.requests, FL_STR("memory")));
}

static void put_node(struct tool *tool, const struct fl_json *object)
{
    static const char *const ready[] = {"ready", "not_ready", "silent"};
    struct kube_node node;
    struct fl_err err;

    if (!kube_node_read(object, &tool->arena, &node, &err)) {
        printf(" problem %s\n", err.text);
        return;
    }
    printf(" node %s %" PRIu64 " %" PRIu64 "\n", ready[node.ready],
           kube_amounts_of(&node.allocatable, FL_STR("cpu")),
           kube_amounts_of(&node.allocatable, FL_STR("pods")));
}

static void on_put(void *ctx, const struct kube_meta *meta, const struct fl_json *object)
{
    struct tool *tool = ctx;

    printf("put " FL_STR_FMT "/" FL_STR_FMT " " FL_STR_FMT " " FL_STR_FMT,
           FL_STR_ARG(meta->namespace), FL_STR_ARG(meta->name), FL_STR_ARG(meta->uid),
           FL_STR_ARG(meta->version));
    if (tool->is_pods) {
        put_pod(tool, object);
    } else {
        put_node(tool, object);
    }
    fl_arena_reset(&tool->arena);
}

static void on_remove(void *ctx, const struct kube_meta *meta)
{
    (void)ctx;
    printf("remove " FL_STR_FMT "/" FL_STR_FMT " " FL_STR_FMT "\n", FL_STR_ARG(meta->namespace),
           FL_STR_ARG(meta->name), FL_STR_ARG(meta->uid));
}

static void on_synced(void *ctx)
{
    (void)ctx;
    printf("synced\n");
}

static void on_problem(void *ctx, const struct kube_failure *failure)
{
    (void)ctx;
    printf("problem %s\n", failure->err.text);
}

static void on_input(void *ctx, unsigned events)
{
    struct tool *tool = ctx;
    char byte;

    (void)events;
    if (read(STDIN_FILENO, &byte, 1) <= 0) fl_loop_stop(tool->loop);
}

static void print_counts(const struct kube_watch *watch, const struct kube_client *client)
{
    struct kube_watch_counts counts = kube_watch_counts(watch);

    printf("counts objects=%zu lists=%" PRIu64 " pages=%" PRIu64 " watches=%" PRIu64
           " hung=%" PRIu64 " dropped=%" PRIu64 " failed=%" PRIu64 " puts=%" PRIu64
           " removes=%" PRIu64 " late=%" PRIu64 " connections=%" PRIu64 "\n",
           counts.objects, counts.lists, counts.pages, counts.watches, counts.hung, counts.dropped,
           counts.failed, counts.puts, counts.removes, counts.late,
           kube_client_counts(client).connections);
}

static void run(struct tool *tool, struct kube_client *client, struct kube_watch_config *config)
{
    struct fl_watch input;
    struct kube_watch *watch = kube_watch_create(
        client, config, &(struct kube_watch_port){tool, on_put, on_remove, on_synced, on_problem});

    fl_watch_init(&input, tool->loop, STDIN_FILENO, on_input, tool);
    fl_watch_set(&input, FL_WATCH_READ);
    fl_loop_run(tool->loop);
    fl_watch_off(&input);
    print_counts(watch, client);
    kube_watch_destroy(watch);
}

int main(int argc, char **argv)
{
    struct tool tool = {0};
    struct fl_arena arena = {0};
    struct kube_config kube;
    struct kube_client *client;
    struct kube_watch_times times = kube_watch_times_default;
    struct kube_watch_config config = {.times = &times, .seed = (uint64_t)getpid()};
    struct fl_err err = {0};

    if (argc < 3 || (strcmp(argv[2], "pods") != 0 && strcmp(argv[2], "nodes") != 0)) {
        fprintf(stderr, "usage: watch_tool KUBECONFIG pods|nodes [PAGE_OBJECTS [WATCH_S]]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    tool.is_pods = strcmp(argv[2], "pods") == 0;
    config.path = tool.is_pods ? "/api/v1/pods" : "/api/v1/nodes";
    if (argc > 3) config.page_objects = (unsigned)strtoul(argv[3], NULL, 10);
    if (argc > 4) {
        times.watch_ms = (fl_ms)strtoul(argv[4], NULL, 10) * 1000;
        times.grace_ms = 2000;
        times.page_ms = 10000;
    }
    tool.loop = fl_loop_create();
    if (!tool_config(argv[1], &arena, &kube, &err) ||
        !kube_client_create(tool.loop, &(struct kube_client_config){.kube = &kube}, &client,
                            &err)) {
        fprintf(stderr, "watch_tool: %s\n", err.text);
        return 1;
    }
    run(&tool, client, &config);
    kube_client_destroy(client);
    fl_loop_destroy(tool.loop);
    fl_arena_fini(&tool.arena);
    fl_arena_fini(&arena);
    return 0;
}
