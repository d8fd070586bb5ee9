/* agent_command.h - the output of the agent's core: commands for the runtime, frames for the
 * tunnel.  The shell carries them out in the order of the batch, whose strings live in its arena
 * until the reset.  Uses shared/base only. */
#pragma once

#include "agent/core/agent_cause.h"
#include "shared/base/amounts.h"
#include "shared/base/arena.h"
#include "shared/base/replica.h"
#include "shared/base/resources.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/base/usage.h"
#include "shared/base/vec.h"

/* As a report's replica it means the whole attempt; only with state 'absent'. */
#define AGENT_WHOLE_ATTEMPT UINT32_MAX

#define AGENT_COMMANDS(X)                                                                          \
    X(create, false, "make the replica, gated")                                                    \
    X(release, false, "open its gate")                                                             \
    X(stop, false, "end it: ask first, after the grace force")                                     \
    X(remove, false, "take away what is gated or has ended, and its record")                       \
    X(inventory_begin, true, "later reports belong to this session")                               \
    X(inventory_item, true, "one replica that is known here")                                      \
    X(inventory_end, true, "that was all of them")                                                 \
    X(replica, true, "the state of a replica")                                                     \
    X(node, true, "a node and what is free on it")                                                 \
    X(nodes_end, true, "each node was reported once in this session")

/* name, whether it is a frame for the tunnel, meaning */
enum agent_command_kind {
#define AGENT_COMMAND_ENUM(name, is_frame, meaning) AGENT_CMD_##name,
    AGENT_COMMANDS(AGENT_COMMAND_ENUM)
#undef AGENT_COMMAND_ENUM
        AGENT_COMMANDS_LEN
};

/* A node has so much of a resource. */
struct agent_offer {
    struct fl_str name;
    uint64_t total, free;
};

/* Fields that a kind does not name are zero. */
struct agent_command {
    enum agent_command_kind kind;
    uint32_t replica; /* all but inventory_begin, inventory_end, node, nodes_end */
    struct fl_attempt attempt;
    union {
        struct {
            uint32_t node;
            struct fl_resources resources;
            struct fl_amounts named; /* lives as long as the replica is known */
            struct fl_digest spec;
        } create;
        struct {
            uint32_t grace_ms;
        } stop;
        struct {                 /* inventory_item, and replica */
            uint64_t report_seq; /* 0 in an inventory_item */
            uint64_t output_bytes;
            enum fl_replica_state state;
            enum agent_cause cause;
            int32_t exit_code;
            struct fl_str words; /* lives as long as the replica is known */
            struct fl_usage usage;
        } report;
        struct {
            uint64_t session_epoch;
        } inventory_begin;
        struct {
            uint64_t digest; /* fl_inventory_digest over the items in their order */
            uint32_t count;
        } inventory_end;
        struct {
            uint64_t report_seq;
            uint64_t mark; /* highest control_seq whose effect these numbers include */
            uint32_t number;
            bool is_ready;
            struct fl_resources total, free;
            struct fl_str name, labels, taints;
            const struct agent_offer *offers; /* resources with a name, sorted */
            size_t offers_len;
        } node;
        struct {
            bool is_whole; /* the core has left out no node */
        } nodes_end;
    };
};

struct agent_batch {
    FL_VEC(struct agent_command) commands;
    struct fl_arena arena;
};

/* {0} is an empty batch.  Steps append to it; the shell carries it out and resets it. */
void agent_batch_reset(struct agent_batch *batch);
void agent_batch_fini(struct agent_batch *batch); /* NULL is fine */

const char *agent_command_name(enum agent_command_kind kind);
bool agent_command_is_frame(enum agent_command_kind kind);
const char *agent_cause_name(enum agent_cause cause);
