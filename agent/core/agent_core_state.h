/* agent_core_state.h - the agent's core from inside, for agent_core.c, which alone changes it, and
 * agent_core_check.c. */
#pragma once

#include "agent/core/agent_core.h"
#include "agent/core/node_table.h"
#include "agent/core/replica_table.h"
#include "agent/core/stopped_table.h"

struct agent_core {
    struct agent_core_config config;
    struct replica_table replicas;
    struct node_table nodes;
    struct stopped_table stopped;
    fl_ms now;
    bool is_synced; /* the runtime has listed all that it held at the start */
    bool is_up;     /* there is a session */
    bool is_listed; /* the session's inventory was sent: reports may flow */
    uint64_t session_epoch;
    uint64_t mark;       /* highest control_seq of this session */
    uint64_t report_seq; /* the newest report's */
    fl_ms listed_at;     /* since when, while is_listed */
    fl_ms connected_ms;  /* how long earlier sessions were listed: part of the gates' clock */
    struct agent_core_highest highest;
};
