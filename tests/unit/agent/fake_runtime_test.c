/* The simulator's runtime keeps the same contract as the real ones, else what it proves is of no
 * use. */
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
    struct fake_runtime_hooks hooks = {
        .created = ignore, .runs = ignore, .ended = ignore, .taken = ignore};
    struct fake_runtime_config config = {
        .cluster = {1},
        .nodes = 2,
        .create_ms_max = 50,
        .pull_ms_max = 50,
        .run_ms_max = 500,
        .notify_ms_max = 10,
        .endless_ppm = job == CONTRACT_ENDLESS ? 1000000 : 0,
        .first = job == CONTRACT_ENDLESS ? FL_STR("ready\n") : FL_STR("done\n"),
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

static struct runtime open_runtime(void *ctx)
{
    struct world *world = ctx;

    fake_runtime_detach(world->fake, false);
    return fake_runtime_port(world->fake);
}

static const char *script(void *ctx)
{
    (void)ctx; /* it runs nothing */
    return "true";
}

static void the_simulators_runtime_keeps_the_contract(void **state)
{
    struct world world;
    struct contract_world contract = {
        .ctx = &world,
        .begin = begin,
        .end = end,
        .open = open_runtime,
        .script = script,
        .turn = turn,
        .is_late = is_late,
        .has_output = true,
    };

    (void)state;
    memset(&world, 0, sizeof(world));
    runtime_contract_run(&contract);
}

FL_TESTS(cmocka_unit_test(the_simulators_runtime_keeps_the_contract))
