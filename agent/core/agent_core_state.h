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
    bool is_synced;        /* the runtime has listed all that it held at the start */
    bool is_up;            /* there is a session */
    bool is_listing;       /* the session's inventory is being sent */
    bool is_listed;        /* it was sent: reports may flow */
    bool is_busy;          /* the tunnel takes nothing now */
    bool is_nodes_ended;   /* nodes_end was sent in this session */
    bool is_node_left_out; /* ... but one was seen beyond nodes_max, for which there was no room */
    struct {
        uint32_t attempt, replica; /* the next one: its slot, or 0; its number, or a later one's */
        uint32_t count;
        uint64_t digest;
    } listing;        /* while is_listing */
    size_t page_left; /* bytes, in this step */
    uint64_t session_epoch;
    uint64_t mark;       /* highest control_seq of this session */
    uint64_t report_seq; /* the newest report's */
    fl_ms listed_at;     /* since when, while is_listed */
    fl_ms connected_ms;  /* how long earlier sessions were listed: part of the gates' clock */
};
