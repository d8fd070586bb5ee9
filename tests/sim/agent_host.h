/* agent_host.h - one cluster's agent as a process: the real agent core and multiplexer, the fake
 * net and runtime.  The process can be killed and started, and stand still; its memory is lost
 * then, the runtime's replicas are not.  Single-threaded, in the sim's time; the agent's own clock
 * is another. */
#pragma once

#include "agent/core/agent_core.h"
#include "shared/link/flow.h"
#include "tests/sim/fake_client.h"
#include "tests/sim/fake_runtime.h"
#include "tests/sim/net.h"
#include "tests/sim/sim.h"

struct agent_host;

struct agent_host_config {
    uint32_t host;   /* in the net */
    uint32_t number; /* the cluster's, from 1: its name and uid follow from it */
    struct agent_core_config core;
    struct fl_flow_limits flow; /* its tunnel's */
    uint32_t busy_bytes;        /* more control than that, and its tunnel is busy */
    uint16_t protocol_max;      /* an older agent's is below FL_PROTOCOL_MAX */
    uint32_t log_sources_max;   /* replicas whose output is sent at once */
    uint32_t no_spec_ppm;
    uint32_t (*choose_hub)(void *ctx);
    void *choose_hub_ctx;
};

struct agent_host *agent_host_create(struct sim *sim, struct net *net, struct fake_runtime *runtime,
                                     const struct fake_client *blobs,
                                     const struct agent_host_config *config);
void agent_host_destroy(struct agent_host *agent);

void agent_host_start(struct agent_host *agent); /* a fresh process */
void agent_host_kill(struct agent_host *agent, bool is_silent);
void agent_host_pause(struct agent_host *agent, fl_ms until);
void agent_host_step_clock(struct agent_host *agent, fl_ms by);
bool agent_host_is_up(const struct agent_host *agent);
void agent_host_check(struct agent_host *agent);
void agent_host_heal(struct agent_host *agent); /* specs can always be had */

/* From the net. */
void agent_host_opened(struct agent_host *agent, uint64_t connection);
void agent_host_bytes(struct agent_host *agent, uint64_t connection, struct fl_str bytes);
void agent_host_closed(struct agent_host *agent, uint64_t connection);

/* It speaks of an attempt that is not its cluster's, or sends what is no frame at all, and is cut
 * off. */
enum agent_lie { AGENT_LIE_FOREIGN, AGENT_LIE_INVENTORY, AGENT_LIE_GARBAGE, AGENT_LIE_KINDS };
void agent_host_lie(struct agent_host *agent, enum agent_lie lie, struct fl_attempt foreign,
                    int32_t exit_code);
