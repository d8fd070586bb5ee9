/* The simulator's runtime keeps the same contract as the real ones, else what it proves is of no use. */
#include "tests/sim/fake_runtime.h"

#include <string.h>

#include "tests/fl_test.h"
#include "tests/unit/agent/runtime_contract.h"

enum { TURN_MS = 20, LATE_MS = 3600000 };

struct world {
    struct sim sim;
    struct fake_runtime *fake;
};

static void ignore(void *ctx, struct fl_cluster cluster, const struct fake_replica *replica)
{
    (void)ctx;
    (void)cluster;
    (void)replica;
}

static void begin(void *ctx, enum contract_job job)
{
    struct world *world = ctx;
    struct fake_runtime_hooks hooks = {.created = ignore, .runs = ignore, .ended = ignore};
    struct fake_runtime_config config = {
        .cluster = {1},
        .nodes = 2,
        .create_ms_max = 50,
        .pull_ms_max = 50,
        .run_ms_max = 500,
        .notify_ms_max = 10,
        .endless_ppm = job == CONTRACT_ENDLESS ? 1000000 : 0,
    };

    sim_init(&world->sim, 7, false);
    world->fake = fake_runtime_create(&world->sim, &config, &hooks);
}

static void end(void *ctx)
{
    struct world *world = ctx;

    fake_runtime_destroy(world->fake);
    sim_fini(&world->sim);
}

static void turn(void *ctx)
{
    struct world *world = ctx;
    fl_ms until = world->sim.now + TURN_MS;

    while (sim_step(&world->sim, until)) {
    }
}

static bool is_late(void *ctx)
{
    struct world *world = ctx;

    return world->sim.now > LATE_MS;
}

/* ---- the port, over the fake's commands ------------------------------------------------------------- */

static void do_begin(void *self, const struct runtime_listener *listener)
{
    struct world *world = self;

    fake_runtime_attach(world->fake, listener->happened, listener->ctx);
}

static void do_create(void *self, const struct runtime_order *what)
{
    struct world *world = self;
    struct agent_command command = {
        .kind = AGENT_CMD_create, .attempt = what->attempt, .replica = what->replica};

    command.create.node = what->node;
    command.create.resources = what->resources;
    fake_runtime_do(world->fake, &command);
}

static void do_other(void *self, enum agent_command_kind kind, struct fl_attempt attempt,
                     uint32_t replica, uint32_t grace_ms)
{
    struct world *world = self;
    struct agent_command command = {.kind = kind, .attempt = attempt, .replica = replica};

    command.stop.grace_ms = grace_ms;
    fake_runtime_do(world->fake, &command);
}

static void do_release(void *self, struct fl_attempt attempt, uint32_t replica)
{
    do_other(self, AGENT_CMD_release, attempt, replica, 0);
}

static void do_stop(void *self, struct fl_attempt attempt, uint32_t replica, uint32_t grace_ms)
{
    do_other(self, AGENT_CMD_stop, attempt, replica, grace_ms);
}

static void do_remove(void *self, struct fl_attempt attempt, uint32_t replica)
{
    do_other(self, AGENT_CMD_remove, attempt, replica, 0);
}

static void do_output_taken(void *self, struct fl_attempt attempt, uint32_t replica)
{
    (void)self; /* it has no output */
    (void)attempt;
    (void)replica;
}

static struct runtime open_runtime(void *ctx)
{
    static const struct runtime_ops ops = {
        .name = "fake",
        .begin = do_begin,
        .create = do_create,
        .release = do_release,
        .stop = do_stop,
        .remove = do_remove,
        .output_taken = do_output_taken,
    };
    struct world *world = ctx;

    fake_runtime_detach(world->fake, false);
    return (struct runtime){.ops = &ops, .self = world};
}

static void order(void *ctx, struct runtime_order *what)
{
    (void)ctx; /* it runs nothing */
    (void)what;
}

static void the_simulators_runtime_keeps_the_contract(void **state)
{
    struct world world;
    struct contract_world contract = {
        .ctx = &world,
        .begin = begin,
        .end = end,
        .open = open_runtime,
        .order = order,
        .turn = turn,
        .is_late = is_late,
    };

    (void)state;
    memset(&world, 0, sizeof(world));
    runtime_contract_run(&contract);
}

FL_TESTS(cmocka_unit_test(the_simulators_runtime_keeps_the_contract))
