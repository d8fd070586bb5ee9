/* fake_runtime_state.h - what one fake cluster is made of, for the files that make it up alone.
 * fake_runtime.c carries out commands and lets replicas live; runtime_notices.c tells the agent;
 * runtime_faults.c breaks things, and answers whether something would fit. */
#pragma once

#include "shared/base/map.h"
#include "shared/base/vec.h"
#include "tests/sim/fake_runtime.h"

enum { RUNTIME_GONE = 255 }; /* beside the states of a replica: nothing of it is held */
/* The listener's events. */
struct runtime_notice {
    fl_ms at;
    enum { NOTICE_REPLICA, NOTICE_NODE, NOTICE_SYNCED, NOTICE_OUTPUT, NOTICE_UNDELIVERED } kind;
    uint32_t place; /* the replica's place, or the node's number */
    uint32_t what;  /* a replica's state, or RUNTIME_GONE; the command that was not delivered */
};

struct runtime_node {
    struct sim_amounts total, foreign, used;
    bool has_lost_gpus; /* they are there, and not offered for a while */
    bool is_ready;
    char name[32], labels[64];
    const char *taints; /* as long as it lives */
};

struct fake_runtime {
    struct sim *sim;
    struct fake_runtime_config config;
    struct fake_runtime_hooks hooks;
    struct runtime_node nodes[FAKE_RUNTIME_NODES_MAX];
    FL_VEC(struct fake_replica) replicas;
    struct fl_map index;                   /* identity to place in 'replicas', plus 1 */
    struct runtime_listener listener;      /* happened at NULL: the listener is gone */
    uint64_t boot;                         /* which listener */
    uint64_t boot_lost;                    /* commands of this one and before are lost */
    fl_ms command_at, notify_at;           /* a later command is carried out later */
    fl_ms paused_until;                    /* the listener stands still */
    fl_ms wedged_until;                    /* or hears nothing */
    FL_VEC(struct runtime_notice) notices; /* on their way to it, oldest first */
    size_t notices_taken;
    bool is_pumping;
    bool is_dead;
    fl_ms blind_at;   /* no hub knows what was before, but by this cluster's agent; 0: never */
    fl_ms sealed_at;  /* its agent's newest seal before that; 0: none */
    bool is_unsealed; /* and the agent did not tell */
};

/* ---- runtime_notices.c: late, and in order --------------------------------------------------- */
void runtime_notify_synced(struct fake_runtime *runtime);
/* The replica has this state now, or RUNTIME_GONE. */
void runtime_notify_replica(struct fake_runtime *runtime, size_t place, uint32_t what);
void runtime_notify_undelivered(struct fake_runtime *runtime, size_t place,
                                enum agent_command_kind command);
void runtime_notify_node(struct fake_runtime *runtime, uint64_t number);
/* One on its way is enough. */
void runtime_notify_output(struct fake_runtime *runtime, size_t place);

/* ---- fake_runtime.c -------------------------------------------------------------------------- */
/* The replica ends, having run or not; its record stays until it is removed. */
void runtime_end(struct fake_runtime *runtime, size_t place, enum fl_replica_state state,
                 int32_t exit_code, enum agent_cause cause);
