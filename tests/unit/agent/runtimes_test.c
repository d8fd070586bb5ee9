#include "agent/runtimes.h"

#include <stdlib.h>
#include <unistd.h>

#include "agent/config.h"
#include "shared/io/loop.h"
#include "tests/fl_test.h"

struct world {
    char dir[40];
    struct fl_config *config;
    struct fl_loop *loop;
    struct runtime runtime;
    struct fl_err err;
    char node[300]; /* the first that it told of */
    uint64_t memory_bytes, hca;
    uint32_t nodes;
    bool is_synced;
};

static void happened(void *ctx, struct agent_event *event)
{
    struct world *world = ctx;

    if (event->kind == AGENT_EV_synced) world->is_synced = true;
    if (event->kind != AGENT_EV_node_seen) return;
    if (world->nodes++) return;
    snprintf(world->node, sizeof world->node, FL_STR_FMT, FL_STR_ARG(event->node_seen.name));
    world->memory_bytes = event->node_seen.total.memory_bytes;
    world->hca = fl_amounts_of(&event->node_seen.named, FL_STR("rdma/hca"));
}

static bool open_with(struct world *world, const char *name, const char *settings)
{
    struct runtime_setup setup = {.lifeline_fd = -1};

    *world = (struct world){.dir = "/tmp/fl-runtimes-XXXXXX"};
    assert_non_null(mkdtemp(world->dir));
    world->config = fl_config_create(agent_config_settings, AGENT_CONFIG_LEN);
    assert_true(fl_config_read_text(world->config, "test", fl_str_c(settings), &world->err));
    world->loop = fl_loop_create();
    setup.loop = world->loop;
    setup.config = world->config;
    setup.state_dir = world->dir;
    world->err = (struct fl_err){0};
    return agent_runtime_open(name, setup, &world->runtime, &world->err);
}

static void close_world(struct world *world)
{
    char path[80];

    if (world->runtime.ops) world->runtime.ops->destroy(world->runtime.self);
    fl_loop_destroy(world->loop);
    fl_config_destroy(world->config);
    snprintf(path, sizeof path, "%s/replicas", world->dir);
    rmdir(path);
    snprintf(path, sizeof path, "%s/kept", world->dir);
    rmdir(path);
    snprintf(path, sizeof path, "%s/output", world->dir);
    rmdir(path);
    assert_int_equal(rmdir(world->dir), 0);
}

static void begin(struct world *world)
{
    struct runtime_listener listener = {.ctx = world, .happened = happened};

    world->runtime.ops->begin(world->runtime.self, &listener);
    while (!world->is_synced) {
        fl_loop_turn(world->loop, 10);
    }
}

static void a_runtime_is_chosen_by_name_and_has_its_own_settings(void **state)
{
    struct world world;

    (void)state;
    assert_true(open_with(&world, "process",
                          "node_name = whale\nnodes = 3\nmemory = 5MiB\ncgroup = off\n"
                          "supervisor = /bin/true\nnode_resources = rdma/hca=4\n"));
    assert_string_equal(world.runtime.ops->name, "process");
    begin(&world);
    assert_int_equal(world.nodes, 3);
    assert_int_equal(world.hca, 4);
    assert_string_equal(world.node, "whale-1");
    assert_int_equal(world.memory_bytes, 5 << 20);
    close_world(&world);
}

static void what_a_setting_leaves_open_is_found_on_the_host(void **state)
{
    struct world world;
    char host[256] = "";

    (void)state;
    assert_int_equal(gethostname(host, sizeof host - 1), 0);
    assert_true(open_with(&world, "process", "cgroup = off\nsupervisor = /bin/true\n"));
    begin(&world);
    assert_string_equal(world.node, host);
    assert_true(world.memory_bytes > 0);
    close_world(&world);
    assert_false(open_with(&world, "process", "supervisor = /nowhere/supervise\n"));
    assert_non_null(strstr(world.err.text, "runtime process: cannot run /nowhere/supervise"));
    close_world(&world);
}

#define KUBECONFIG                                                                                 \
    "{\"current-context\":\"a\",\"contexts\":[{\"name\":\"a\",\"context\":{\"cluster\":\"c\","     \
    "\"user\":"                                                                                    \
    "\"u\",\"namespace\":\"mine\"}}],\"clusters\":[{\"name\":\"c\",\"cluster\":{\"server\":"       \
    "\"https://127.0.0.1:1\"}}],\"users\":[{\"name\":\"u\",\"user\":{\"token\":\"t\"}}]}"

static void a_kubeconfig_opens_kubernetes(void **state)
{
    char path[] = "/tmp/fl-kubeconfig-XXXXXX", settings[200];
    struct world world;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, KUBECONFIG, strlen(KUBECONFIG)), strlen(KUBECONFIG));
    close(fd);
    snprintf(settings, sizeof settings, "kubeconfig = %s\n", path);
    if (!open_with(&world, "kubernetes", settings)) fail_msg("%s", world.err.text);
    assert_string_equal(world.runtime.ops->name, "kubernetes");
    assert_true(world.runtime.ops->has_images);
    close_world(&world);
    snprintf(settings, sizeof settings, "kubeconfig = %s\nkube_context = b\n", path);
    assert_false(open_with(&world, "kubernetes", settings));
    assert_int_equal(world.err.code, FL_ABSENT);
    close_world(&world);
    snprintf(settings, sizeof settings, "kubeconfig = %s\nkube_accelerator = h100\n", path);
    assert_false(open_with(&world, "kubernetes", settings));
    assert_non_null(
        strstr(world.err.text, "kube_accelerator: 'h100' is no resource's name with a '/'"));
    close_world(&world);
    snprintf(settings, sizeof settings, "kubeconfig = %s\nkube_namespace = Not_one\n", path);
    assert_false(open_with(&world, "kubernetes", settings));
    assert_non_null(strstr(world.err.text, "namespace 'Not_one' is no name; allowed: 1 to 63"));
    close_world(&world);
    assert_int_equal(unlink(path), 0);
    assert_false(open_with(&world, "kubernetes", settings));
    assert_int_equal(world.err.code, FL_ABSENT);
    assert_non_null(strstr(world.err.text, path));
    close_world(&world);
}

static void without_a_kubeconfig_the_agent_must_be_a_pod(void **state)
{
    struct world world;

    (void)state;
    unsetenv("KUBERNETES_SERVICE_HOST");
    assert_false(open_with(&world, "kubernetes", ""));
    assert_int_equal(world.err.code, FL_ABSENT);
    assert_non_null(
        strstr(world.err.text, "runtime kubernetes: the setting kubeconfig is empty: "));
    close_world(&world);
}

static void cleared(void *ctx, const struct fl_err *why_not)
{
    struct world *world = ctx;

    world->is_synced = true;
    if (why_not) world->err = *why_not;
}

/* Nothing listens where the kubeconfig points to; the state directory is not touched. */
static void only_kubernetes_has_something_to_clear(void **state)
{
    struct runtime_clear_port port = {.done = cleared};
    struct runtime_setup setup = {.lifeline_fd = -1};
    struct runtime_clear clear = {0};
    char path[] = "/tmp/fl-kubeconfig-XXXXXX", settings[200];
    struct world world;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, KUBECONFIG, strlen(KUBECONFIG)), strlen(KUBECONFIG));
    close(fd);
    snprintf(settings, sizeof settings, "kubeconfig = %s\nsupervisor = /bin/true\ncgroup = off\n",
             path);
    assert_true(open_with(&world, "process", settings));
    setup.loop = world.loop;
    setup.config = world.config;
    port.ctx = &world;
    assert_false(agent_runtime_clear("process", setup, 1, &port, &clear, &world.err));
    assert_int_equal(world.err.code, FL_UNSUPPORTED);
    assert_non_null(strstr(world.err.text, "runtime process has nothing to clear"));
    assert_null(clear.self);
    assert_true(agent_runtime_clear("kubernetes", setup, 1, &port, &clear, &world.err));
    world.is_synced = false;
    while (!world.is_synced) {
        fl_loop_turn(world.loop, 10);
    }
    assert_int_equal(world.err.code, FL_UNAVAILABLE);
    assert_non_null(strstr(world.err.text, "namespace mine is not clear: "));
    clear.destroy(clear.self);
    close_world(&world);
    assert_int_equal(unlink(path), 0);
}

static void an_unknown_runtime_is_refused_with_the_list(void **state)
{
    struct world world;

    (void)state;
    assert_false(open_with(&world, "kubee", ""));
    assert_int_equal(world.err.code, FL_INVALID);
    assert_string_equal(world.err.text,
                        "runtime: 'kubee' is unknown; known are: process, kubernetes");
    close_world(&world);
}

/* A heading of --help and the man page stands where a runtime's settings begin. */
static void every_runtime_has_its_heading(void **state)
{
    (void)state;
    for (size_t i = 0; i < agent_runtimes_len; i++) {
        char heading[100];

        snprintf(heading, sizeof heading, "Settings of runtime = %s", agent_runtimes[i].name);
        assert_int_equal(agent_program.groups[i].first, agent_runtimes[i].setting_first);
        assert_string_equal(agent_program.groups[i].heading, heading);
    }
    assert_null(agent_program.groups[agent_runtimes_len].heading);
}

FL_TESTS(cmocka_unit_test(a_runtime_is_chosen_by_name_and_has_its_own_settings),
         cmocka_unit_test(what_a_setting_leaves_open_is_found_on_the_host),
         cmocka_unit_test(a_kubeconfig_opens_kubernetes),
         cmocka_unit_test(without_a_kubeconfig_the_agent_must_be_a_pod),
         cmocka_unit_test(only_kubernetes_has_something_to_clear),
         cmocka_unit_test(an_unknown_runtime_is_refused_with_the_list),
         cmocka_unit_test(every_runtime_has_its_heading))
