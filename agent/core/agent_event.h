/* agent_event.h - everything that can happen to the agent's core.
 * An event is borrowed for the step: nothing in it needs to outlive agent_core_step.  It carries
 * its time.  A time before the newest counts as the newest.
 *
 * The tunnel's shell gives frames in the order they came, and a START with the resources of each
 * replica, which it reads from the spec (NULL: there is no spec, and the START is refused).
 *
 * The runtime's shell (the port of agent/runtime.h) has these duties:
 *   - It keeps identity, resources, gate and exit record of every replica outside this process.  At
 *     its start it gives replica_seen for each replica, then 'synced' once.
 *   - It answers a create by replica_seen 'created' or 'refused'.  A replica never runs before its
 *     release.
 *   - It answers a stop by a state that is_last; a stop of an ended replica has no effect.
 *   - For a remove it deletes a replica that is gated or has ended, with its record, and answers
 *     replica_gone, also if there was none.  It does not remove a running replica: the answer is
 *     replica_seen with its state.
 *   - It gives replica_gone for a replica that something else removed, too.
 * It carries out commands in order; repeating one changes nothing.  It answers a release, stop or
 * remove that could not be delivered, and certainly had no effect, by 'undelivered': the command is
 * due again.
 * Uses shared/base only. */
#pragma once

#include "agent/core/agent_command.h"
#include "shared/base/amounts.h"
#include "shared/base/replica.h"
#include "shared/base/resources.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/base/usage.h"

#define AGENT_EVENTS(X)                                                                            \
    X(tick, "time has passed: deadlines are acted on here, and nowhere else")                      \
    X(session_up, "WELCOME or RESYNC: answered by the whole inventory")                            \
    X(session_down, "the tunnel is gone")                                                          \
    X(busy, "much that was sent waits in the tunnel, or little again")                             \
    X(start, "START: the replicas of an attempt shall exist, gated")                               \
    X(go, "GO: they may run")                                                                      \
    X(stop, "STOP: they shall end")                                                                \
    X(ack, "ACK: every report up to this number is durable")                                       \
    X(replica_seen, "the runtime says how one replica is")                                         \
    X(replica_gone, "the runtime holds nothing of this replica any more")                          \
    X(undelivered, "a command to the runtime had no effect: it is due again")                      \
    X(synced, "the runtime has listed all that it held when this core began")                      \
    X(node_seen, "a node, and what others use on it")                                              \
    X(node_gone, "a node is gone")                                                                 \
    X(node_left_out, "there is a node that the runtime cannot describe")

enum agent_event_kind {
#define AGENT_EVENT_ENUM(name, meaning) AGENT_EV_##name,
    AGENT_EVENTS(AGENT_EVENT_ENUM)
#undef AGENT_EVENT_ENUM
        AGENT_EVENTS_LEN
};

enum {
    AGENT_NODE_NAMED_MAX = 16, /* resources with a name on one node, as the tunnel's bound */
    AGENT_GANG_MAX = 1024,     /* replicas of one attempt, as START's bound in messages.def */
};

struct agent_event {
    enum agent_event_kind kind;
    fl_ms now;
    union {
        struct {
            uint64_t session_epoch;
            bool is_new_connection; /* WELCOME; false: RESYNC */
        } session_up;
        struct {
            bool is_on;
        } busy;
        struct {
            uint64_t control_seq; /* counts from 1 in each session */
            struct fl_attempt attempt;
            struct fl_digest spec;
            const uint32_t *nodes;                /* the number of each replica's node */
            const struct fl_resources *resources; /* one for each replica; NULL: no spec, refused */
            const struct fl_amounts *named;       /* likewise; NULL: nothing by name */
            size_t replicas_len;                  /* at most AGENT_GANG_MAX */
        } start;
        struct {
            uint64_t control_seq;
            struct fl_attempt attempt;
        } go;
        struct {
            uint64_t control_seq;
            struct fl_attempt attempt;
            uint32_t grace_ms;
        } stop;
        struct {
            uint64_t report_seq;
        } ack;
        struct {
            struct fl_attempt attempt;
            uint32_t replica;            /* below UINT32_MAX */
            enum fl_replica_state state; /* created .. refused */
            int32_t exit_code;           /* with exited */
            enum agent_cause cause;      /* with an end: none, or what the runtime knows */
            uint64_t output_bytes;       /* with exited it is final */
            struct fl_str words;         /* with an end: why, for people; cut when too long */
            struct fl_usage usage;       /* with an end */
            uint32_t node; /* read when the replica is adopted, and so are its resources */
            struct fl_resources resources;
            struct fl_amounts named;
        } replica_seen;
        struct {
            struct fl_attempt attempt;
            uint32_t replica;
        } replica_gone;
        struct {
            struct fl_attempt attempt;
            uint32_t replica;
            enum agent_command_kind command; /* release, stop or remove */
        } undelivered;
        struct {
            uint32_t number; /* the agent's own, kept as long as this process lives; below 65,536 */
            bool is_ready;
            struct fl_str name;   /* at most 253 bytes */
            struct fl_str labels; /* "key=value\n" lines, sorted by key; at most 8,192 bytes */
            struct fl_str
                taints; /* the hard ones, a list of taint.h; the process runtime has none */
            struct fl_resources total;
            struct fl_resources foreign; /* used by others than our replicas */
            struct fl_amounts named;     /* belongs to 'total'; at most AGENT_NODE_NAMED_MAX */
            struct fl_amounts foreign_named;
        } node_seen;
        struct {
            uint32_t number;
        } node_gone;
    };
};
