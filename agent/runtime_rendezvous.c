#include "agent/runtime_rendezvous.h"

#include <inttypes.h>
#include <string.h>

#include "shared/base/arena.h"

enum { PORTS = 3000 };

uint16_t rendezvous_port(struct fl_attempt attempt)
{
    uint64_t place = attempt.job.n % PORTS + attempt.element % PORTS + attempt.n;

    return (uint16_t)(RENDEZVOUS_PORT + place % PORTS);
}

size_t rendezvous_variables(const struct runtime_order *order, const char *master, uint16_t port,
                            struct fl_arena *arena,
                            struct rendezvous_variable ret_variables[RENDEZVOUS_LEN])
{
    const char *listens = fl_arena_printf(arena, "%u", port);
    const char *rank = fl_arena_printf(arena, "%" PRIu32, order->replica);
    const char *size = fl_arena_printf(arena, "%" PRIu32, order->spec->replicas);
    const struct rendezvous_variable all[RENDEZVOUS_LEN] = {
        {"MASTER_ADDR", master}, {"MASTER_PORT", listens},    {"RANK", rank},
        {"WORLD_SIZE", size},    {"PET_MASTER_ADDR", master}, {"PET_MASTER_PORT", listens},
        {"PET_NODE_RANK", rank}, {"PET_NNODES", size},
    };

    if (order->spec->replicas < 2) return 0;
    memcpy(ret_variables, all, sizeof all);
    return RENDEZVOUS_LEN;
}
