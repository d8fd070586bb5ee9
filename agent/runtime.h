/* runtime.h - the port behind which replicas run: processes of this host, or pods of a cluster.
 * The agent's engine commands, the runtime answers with events for agent_core (agent_event.h says what a
 * runtime owes).  What an implementation keeps to, and tests/unit/agent/runtime_contract.h demands:
 *   - Identity, node, resources, gate, output and exit of each replica are kept outside this process.  A
 *     new runtime object on the same state adopts them all, whoever made them, and loses none of their
 *     output.
 *   - begin() is called once.  Its answer: node_seen for each node, replica_seen for each replica that is
 *     held, then 'synced'.  An event is never told from within a command, always from a later turn of
 *     the loop; 'now' in it is the loop's.
 *   - create: 'created', or 'refused'.  What was created runs nothing before its release, and then at most
 *     once, whatever dies in between: if nobody can say whether it ran, it ends as 'lost'.
 *   - stop: asked (SIGTERM), after the grace forced; the end is told when nothing of it is left.
 *   - remove of what is gated or has ended: its records go, after its output went (see output_taken), and
 *     replica_gone is told.  Of what runs: replica_seen with its state.  Of nothing: replica_gone.
 *   - Stop and remove of what is not known are answered by replica_gone.  Repeating a command changes nothing.
 *
 * Output.  stdout and stderr are one stream of bytes, counted from 0, kept as records of
 * shared/wire/log_record.h.  What was dropped, because the disk was full or because the middle of a long
 * output is not kept, stands among them as a gap.
 * Uses shared code and the core's event types.  One thread: the agent's loop. */
#pragma once

#include "agent/core/agent_event.h"
#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

struct runtime_env {
    struct fl_str name, value; /* neither has a zero byte, the name no '=' */
};

/* What a replica is made from; borrowed for the call. */
struct runtime_order {
    struct fl_attempt attempt;
    uint32_t replica;  /* its number in the attempt */
    uint32_t replicas; /* of the attempt */
    uint32_t node;
    struct fl_resources resources; /* what it asks for */
    struct fl_resources
        limits;        /* what it may use at most, where that can be enforced; 0: anything */
    uint32_t grace_ms; /* its own, between TERM and KILL; 0: as whoever stops it says */
    struct fl_str role;
    struct fl_str image;       /* empty: whatever the host has */
    struct fl_str working_dir; /* empty: a fresh folder */
    const struct fl_str *argv; /* may be empty with an image */
    size_t argv_len;
    const struct runtime_env *env; /* what the job asks for; the runtime adds FAIRLEAD_* */
    size_t env_len;
};

/* Who is told.  None of these may call back into the runtime with other than commands. */
struct runtime_listener {
    void *ctx;
    void (*happened)(void *ctx, struct agent_event *event);
    /* There is new output, or no more will come: read_output is worth a call.  Also said once when a replica
     * stands behind its gate, so that its output is known of before it can end. */
    void (*output)(void *ctx, struct fl_attempt attempt, uint32_t replica);
};

struct runtime_output {
    uint64_t next_offset; /* where to go on: behind the last record that was put */
    uint64_t end_offset;  /* with is_ended: how many bytes it wrote in all */
    bool is_more;         /* there was more than fit */
    bool is_ended; /* the replica has ended, and nothing follows next_offset but, perhaps, a gap */
};

struct runtime_ops {
    const char *name;
    bool has_images; /* an order may name one */
    void (*begin)(void *self, const struct runtime_listener *listener);
    void (*create)(void *self, const struct runtime_order *order);
    void (*release)(void *self, struct fl_attempt attempt, uint32_t replica);
    void (*stop)(void *self, struct fl_attempt attempt, uint32_t replica, uint32_t grace_ms);
    void (*remove)(void *self, struct fl_attempt attempt, uint32_t replica);
    /* Puts records without a hole that begin at exactly 'offset', up to bytes_max bytes of them, but one at
     * least when there is one; 'records' has room for FL_LOG_RECORD_BYTES_MAX.  FL_ABSENT: no such replica;
     * FL_IO. */
    bool (*read_output)(void *self, struct fl_attempt attempt, uint32_t replica, uint64_t offset,
                        size_t bytes_max, struct fl_buf *records, struct runtime_output *ret_output,
                        struct fl_err *err) FL_CHECK;
    /* All of its output is safe elsewhere: a removal need not wait for it any longer. */
    void (*output_taken)(void *self, struct fl_attempt attempt, uint32_t replica);
};

struct runtime {
    const struct runtime_ops *ops;
    void *self;
};
