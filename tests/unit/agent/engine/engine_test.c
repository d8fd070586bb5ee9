/* The engine with the process runtime: from START to the removal, as a control plane sees it. */
#include "agent/engine/engine.h"

#include <fcntl.h>
#include <stdlib.h>

#include "agent/process/process.h"
#include "agent/process/remove_tree.h"
#include "shared/io/clock.h"
#include "tests/fl_test.h"
#include "tests/unit/agent/replica_dir.h"

enum { LATE_MS = 60000, REPLICAS_MAX = 4 };

static const struct fl_attempt attempt = {.job = {9}, .element = 0, .n = 1, .incarnation = 1};

struct world {
    char path[128], program[4096];
    struct fl_loop *loop;
    struct process *process;
    struct runtime runtime;
    struct agent_engine *engine;
    fl_ms began_at;
    /* The messages that were sent. */
    struct agent_command last[REPLICAS_MAX]; /* the newest report of each replica */
    uint64_t report_seq;
    uint64_t node_mark;
    unsigned inventories, items, gone, outputs;
};

static void on_send(void *ctx, const struct agent_command *command)
{
    struct world *world = ctx;

    switch (command->kind) {
    case AGENT_CMD_replica:
        assert_true(command->replica < REPLICAS_MAX);
        world->last[command->replica] = *command;
        world->report_seq = command->report.report_seq;
        break;
    case AGENT_CMD_inventory_item:
        world->items++;
        break;
    case AGENT_CMD_inventory_end:
        world->inventories++;
        break;
    case AGENT_CMD_node:
        world->node_mark = command->node.mark;
        world->report_seq = command->node.report_seq;
        break;
    default:
        break;
    }
}

static void on_output(void *ctx, struct fl_attempt id, uint32_t replica)
{
    struct world *world = ctx;

    (void)id;
    (void)replica;
    world->outputs++;
}

static void on_gone(void *ctx, struct fl_attempt id, uint32_t replica)
{
    struct world *world = ctx;

    (void)id;
    (void)replica;
    world->gone++;
}

static void turn(struct world *world)
{
    assert_true(fl_clock_mono() - world->began_at < LATE_MS);
    fl_loop_turn(world->loop, 5);
}

static void open_agent(struct world *world)
{
    struct agent_core_config core = agent_core_config_default();
    struct agent_engine_ports ports = {
        .ctx = world, .send = on_send, .output = {world, on_output, on_gone}};
    struct process_config config = {
        .dir = world->path,
        .supervisor = world->program,
        .name = "here",
        .lifeline = -1,
        .nodes = 1,
        .head_bytes = 1 << 20,
        .tail_bytes = 1 << 20,
        .log_grace_ms = FL_HOUR_MS,
    };
    struct agent_event up = {.kind = AGENT_EV_session_up};
    struct fl_err err = {0};

    assert_true(process_create(world->loop, &config, &world->process, &err));
    world->runtime = process_runtime(world->process);
    world->engine = agent_engine_create(world->loop, &core, world->runtime, &ports);
    agent_engine_begin(world->engine);
    up.session_up.session_epoch = 1;
    up.session_up.is_new_connection = true;
    world->inventories = world->items = 0;
    agent_engine_hear(world->engine, &up, (struct fl_str){0}, (struct fl_str){0});
    while (!world->inventories) {
        turn(world);
    }
}

static void close_agent(struct world *world)
{
    agent_engine_destroy(world->engine);
    process_destroy(world->process);
}

static void begin(struct world *world)
{
    memset(world, 0, sizeof(*world));
    replica_dir_program(world->program);
    snprintf(world->path, sizeof(world->path), "/tmp/fl-engine-XXXXXX");
    assert_non_null(mkdtemp(world->path));
    world->loop = fl_loop_create();
    world->began_at = fl_clock_mono();
    open_agent(world);
}

static void end(struct world *world)
{
    close_agent(world);
    fl_loop_destroy(world->loop);
    assert_true(remove_tree_some(AT_FDCWD, world->path, 100000));
}

static void start(struct world *world, struct fl_str spec, struct fl_str params, size_t replicas)
{
    static const uint32_t nodes[REPLICAS_MAX];
    struct agent_event event = {.kind = AGENT_EV_start};

    event.start.control_seq = 1;
    event.start.attempt = attempt;
    event.start.nodes = nodes;
    event.start.replicas_len = replicas;
    agent_engine_hear(world->engine, &event, spec, params);
}

static void go(struct world *world)
{
    struct agent_event event = {.kind = AGENT_EV_go};

    event.go.control_seq = 2;
    event.go.attempt = attempt;
    agent_engine_hear(world->engine, &event, (struct fl_str){0}, (struct fl_str){0});
}

static void ack(struct world *world)
{
    struct agent_event event = {.kind = AGENT_EV_ack};

    event.ack.report_seq = world->report_seq;
    agent_engine_hear(world->engine, &event, (struct fl_str){0}, (struct fl_str){0});
}

static void until(struct world *world, uint32_t replica, enum fl_replica_state state)
{
    while (world->last[replica].report.state != state) {
        turn(world);
    }
}

static void a_gang_runs_each_replica_as_its_spec_and_parameters_say(void **state)
{
    static const char spec[] =
        "{\"roles\":[{\"name\":\"main\",\"replicas\":1,\"template\":{\"spec\":{\"containers\":[{"
        "\"command\":[\"sh\",\"-c\"],\"args\":[\"test $FAIRLEAD_PARAM_LR = 0.1 && exit 10\"]}]}}},"
        "{\"name\":\"worker\",\"replicas\":2,\"template\":{\"spec\":{\"containers\":[{"
        "\"command\":[\"sh\",\"-c\",\"exit $((20 + FAIRLEAD_REPLICA))\"]}]}}}]}";
    struct world world;

    (void)state;
    begin(&world);
    start(&world, fl_str_c(spec), FL_STR("{\"lr\":\"0.1\"}"), 3);
    for (uint32_t i = 0; i < 3; i++) {
        until(&world, i, FL_REPLICA_created);
    }
    go(&world);
    for (uint32_t i = 0; i < 3; i++) {
        until(&world, i, FL_REPLICA_exited);
    }
    assert_int_equal(world.last[0].report.exit_code, 10);
    assert_int_equal(world.last[1].report.exit_code, 21);
    assert_int_equal(world.last[2].report.exit_code, 22);
    assert_true(world.outputs >= 3); /* the end of it is news, too */
    while (world.node_mark < 2) {
        turn(&world);
    }
    /* Durable with the control plane, but not the output: it stays. */
    ack(&world);
    for (int i = 0; i < 20; i++) {
        turn(&world);
    }
    assert_int_equal(world.gone, 0);
    for (uint32_t i = 0; i < 3; i++) {
        world.runtime.ops->output_taken(world.runtime.self, attempt, i);
    }
    while (world.gone < 3) {
        turn(&world);
    }
    assert_int_equal(agent_engine_stats(world.engine).replicas, 0);
    end(&world);
}

static void a_start_without_a_usable_spec_is_refused(void **state)
{
    struct world world;

    (void)state;
    begin(&world);
    start(&world, (struct fl_str){0}, (struct fl_str){0}, 1);
    until(&world, 0, FL_REPLICA_refused);
    assert_int_equal(world.last[0].report.cause, AGENT_CAUSE_no_spec);
    world.last[0].report.state = FL_REPLICA_pending;
    start(&world, FL_STR("{\"command\":"), (struct fl_str){0}, 1);
    until(&world, 0, FL_REPLICA_refused);
    world.last[0].report.state = FL_REPLICA_pending;
    start(&world, FL_STR("{\"command\":[\"true\"]}"), (struct fl_str){0}, 2);
    until(&world, 1, FL_REPLICA_refused);
    end(&world);
}

static void a_new_agent_lists_what_the_old_one_started(void **state)
{
    struct world world;
    struct agent_event stop = {.kind = AGENT_EV_stop};

    (void)state;
    begin(&world);
    start(&world, FL_STR("{\"command\":[\"sleep\",\"1000\"]}"), (struct fl_str){0}, 1);
    until(&world, 0, FL_REPLICA_created);
    go(&world);
    until(&world, 0, FL_REPLICA_running);
    close_agent(&world);
    memset(world.last, 0, sizeof(world.last));
    open_agent(&world);
    assert_int_equal(world.items, 1);
    stop.stop.control_seq = 1;
    stop.stop.attempt = attempt;
    stop.stop.grace_ms = 30000;
    agent_engine_hear(world.engine, &stop, (struct fl_str){0}, (struct fl_str){0});
    until(&world, 0, FL_REPLICA_exited);
    assert_int_equal(world.last[0].report.exit_code, 143);
    end(&world);
}

FL_TESTS(cmocka_unit_test(a_gang_runs_each_replica_as_its_spec_and_parameters_say),
         cmocka_unit_test(a_start_without_a_usable_spec_is_refused),
         cmocka_unit_test(a_new_agent_lists_what_the_old_one_started))
