/* Both ends of an inventory compute its digest for themselves: they must agree. */
#include "agent/core/agent_command.h"
#include "controlplane/core/core_event.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"

static void agent_and_control_plane_compute_the_same_digest(void **state)
{
    struct fl_prng prng;
    uint64_t ours = 0;
    uint64_t theirs = 0;
    uint64_t before;

    (void)state;
    fl_prng_seed(&prng, 3);
    for (int i = 0; i < 1000; i++) {
        struct agent_command item = {
            .kind = AGENT_CMD_inventory_item,
            .attempt = {.job = {fl_prng_u64(&prng)},
                        .element = (uint32_t)fl_prng_u64(&prng),
                        .n = (uint16_t)fl_prng_u64(&prng),
                        .incarnation = (uint32_t)fl_prng_u64(&prng)},
            .replica = (uint32_t)fl_prng_u64(&prng),
            .report.state = (enum fl_replica_state)fl_prng_below(&prng, FL_REPLICA_STATES_LEN),
            .report.exit_code = (int32_t)fl_prng_u64(&prng),
        };
        struct core_inventory_item theirs_item = {
            .attempt = item.attempt,
            .replica = item.replica,
            .state = item.report.state,
            .exit_code = item.report.exit_code,
        };

        before = ours;
        ours = agent_inventory_digest(ours, &item);
        theirs = core_inventory_digest(theirs, &theirs_item);
        assert_true(ours == theirs && ours != before);
    }
}

FL_TESTS(cmocka_unit_test(agent_and_control_plane_compute_the_same_digest))
