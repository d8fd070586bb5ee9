/* Puts the Kubernetes runtime to the contract of all runtimes, on a real cluster.
 *
 *     contract_tool KUBECONFIG NAMESPACE IMAGE FOLDER      prints what cmocka prints
 *
 * The namespace holds no pods of ours; afterwards it holds none again. */
#include <fcntl.h>
#include <stdlib.h>

#include "agent/kube/kube_runtime.h"
#include "shared/base/arena.h"
#include "shared/io/clock.h"
#include "shared/io/file.h"
#include "shared/io/loop.h"
#include "tests/fl_test.h"
#include "tests/unit/agent/runtime_contract.h"

enum { LATE_MS = 60000, TURN_MS = 20 };

struct world {
    struct fl_arena arena;
    struct kube_config kube;
    struct kube_runtime_config config;
    struct fl_loop *loop;
    struct kube_runtime *runtime;
    const char *script;
    fl_ms began_at;
};

static struct world the_world;

static void begin(void *ctx, enum contract_job job)
{
    struct world *world = ctx;

    world->loop = fl_loop_create();
    world->began_at = fl_clock_mono();
    /* The first process of a container ignores TERM, unless it says what to do. */
    world->script = job == CONTRACT_SHORT
                        ? "echo done"
                        : "trap 'exit 1' TERM; echo ready; while :; do sleep 0.1; done";
}

static void end(void *ctx)
{
    struct world *world = ctx;

    kube_runtime_destroy(world->runtime);
    world->runtime = NULL;
    fl_loop_destroy(world->loop);
}

static struct runtime open_runtime(void *ctx)
{
    struct world *world = ctx;
    struct fl_err err = {0};

    kube_runtime_destroy(world->runtime);
    if (!kube_runtime_create(world->loop, &world->config, &world->runtime, &err)) {
        fail_msg("%s", err.text);
    }
    return kube_runtime_port(world->runtime);
}

static const char *script(void *ctx)
{
    return ((struct world *)ctx)->script;
}

static void turn(void *ctx)
{
    fl_loop_turn(((struct world *)ctx)->loop, TURN_MS);
}

static bool is_late(void *ctx)
{
    return fl_clock_mono() - ((struct world *)ctx)->began_at > LATE_MS;
}

static void pods_keep_the_contract(void **state)
{
    struct contract_world contract = {
        .ctx = &the_world,
        .begin = begin,
        .end = end,
        .open = open_runtime,
        .script = script,
        .turn = turn,
        .is_late = is_late,
        .has_output = true,
    };

    (void)state;
    runtime_contract_run(&contract);
}

static bool read_kubeconfig(struct world *world, const char *path, struct fl_err *err)
{
    struct fl_buf text;

    fl_buf_init_in(&text, KUBE_CONFIG_BYTES_MAX, &world->arena);
    return fl_file_read(AT_FDCWD, path, &text, err) &&
           kube_config_read((struct fl_str){(const char *)text.at, text.len}, (struct fl_str){0},
                            (struct fl_str){0}, &world->arena, &world->kube, err);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pods_keep_the_contract)};
    struct fl_err err = {0};
    int failed;

    if (argc != 5) {
        fprintf(stderr, "usage: contract_tool KUBECONFIG NAMESPACE IMAGE FOLDER\n");
        return 2;
    }
    if (!read_kubeconfig(&the_world, argv[1], &err)) {
        fprintf(stderr, "contract_tool: %s\n", err.text);
        return 1;
    }
    the_world.config = (struct kube_runtime_config){
        .kube = &the_world.kube,
        .namespace = fl_str_c(argv[2]),
        .image = fl_str_c(argv[3]),
        .times = pod_times_default,
        .spool_dir = argv[4],
        .spool_each_bytes = 8 << 20,
        .spool_all_bytes = 64 << 20,
        .seed = 7,
    };
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    fl_arena_fini(&the_world.arena);
    return failed;
}
