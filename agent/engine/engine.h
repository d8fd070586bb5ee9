/* engine.h - the agent's turn: messages of the control plane and reports of the runtime become
 * events of the core, and its commands are carried out.  A START's document is read once; its
 * orders (runtime_order.h) share it.  The engine keeps no spec: one travels with the START that
 * needs it.  Deadlines of the core are acted on at the end of a turn, so that many ends make one
 * report.
 * Uses shared code, the core and the runtime's port; agent.c joins it to tunnel and log feed.  One
 * thread: the loop's. */
#pragma once

#include "agent/core/agent_core.h"
#include "agent/runtime.h"
#include "shared/io/loop.h"

struct agent_engine;

struct agent_engine_ports {
    void *ctx;
    void (*send)(void *ctx, const struct agent_command *command); /* a frame; borrowed */
    struct output_listener output;
};

struct agent_engine *agent_engine_create(struct fl_loop *loop,
                                         const struct agent_core_config *config,
                                         struct runtime runtime,
                                         const struct agent_engine_ports *ports);
void agent_engine_destroy(struct agent_engine *engine); /* leaves all replicas; NULL is fine */

/* Begins the runtime, which lists what it holds.  Call it once. */
void agent_engine_begin(struct agent_engine *engine);

/* Takes session_up, start, go, stop or ack and fills in its 'now'.  For a START it fills in the
 * resources too, from 'spec', the canonical job document (at NULL: there is none), and 'params',
 * the job's own parameters. */
void agent_engine_hear(struct agent_engine *engine, struct agent_event *event, struct fl_str spec,
                       struct fl_str params);

/* Much of what was sent waits in the tunnel, or little again: not to be called from 'send'. */
void agent_engine_busy(struct agent_engine *engine, bool is_on);

void agent_engine_session_down(struct agent_engine *engine);

struct agent_core_stats agent_engine_stats(const struct agent_engine *engine);
