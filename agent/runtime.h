/* runtime.h - the port behind which replicas run: processes of this host, or pods of a cluster.
 * The agent's engine commands, the runtime answers with events for agent_core (agent_event.h says
 * what a runtime owes).  The contract, which tests/unit/agent/runtime_contract.h demands:
 *   - Identity, node, resources, gate, output and exit of each replica are kept outside this
 *     process.  A new runtime object on the same state adopts them all, whichever process made
 *     them, and loses none of their output.
 *   - begin() is called once.  Its answer: node_seen for each node, replica_seen for each replica
 *     that is held, then 'synced'.  An event is never told from within a command, always from a
 *     later turn of the loop; 'now' in it is the loop's.
 *   - create: 'created', or 'refused'.  The order is the runtime's, also when it refuses or knows
 *     the replica already; it destroys the order when it needs it no longer, and by 'destroy'.
 *     A created replica runs nothing before its release, and then at most once, whichever process
 *     dies in between: if it cannot be known whether it ran, it ends as 'lost'.
 *   - stop: asked (SIGTERM), after the grace forced; the end is reported when nothing of it is
 *     left.
 *   - remove: the records of a gated or ended replica go, after its output went (see output_taken),
 *     and replica_gone follows.  The answer for a running one is replica_seen with its state. -
 *     Stop and remove of an unknown replica are answered by replica_gone.  Repeating a command
 *     changes nothing.
 *
 * Output.  stdout and stderr are one stream of bytes, counted from 0, kept as records of
 * shared/wire/log_record.h.  A gap among them stands for dropped bytes: the disk was full, or the
 * middle of a long output is not kept.  Uses shared code and the core's event types.  One thread:
 * the agent's loop. */
#pragma once

#include "agent/core/agent_event.h"
#include "agent/runtime_order.h"
#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

/* The listener.  None of these may call back into the runtime with other than commands. */
struct runtime_listener {
    void *ctx;
    void (*happened)(void *ctx, struct agent_event *event);
    /* There is new output, or no more will come: read_output is worth a call.  Also said once when
     * a replica stands behind its gate, so that its output is known of before it can end. */
    void (*output)(void *ctx, struct fl_attempt attempt, uint32_t replica);
};

/* Moves output: the engine tells it of each replica.  May be zero. */
struct output_listener {
    void *ctx;
    /* There is output to be read, or no more will come. */
    void (*output)(void *ctx, struct fl_attempt attempt, uint32_t replica);
    /* The replica is gone, and its output with it. */
    void (*gone)(void *ctx, struct fl_attempt attempt, uint32_t replica);
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
    void (*create)(void *self,
                   struct runtime_order *order); /* which is the runtime's from now on */
    void (*release)(void *self, struct fl_attempt attempt, uint32_t replica);
    void (*stop)(void *self, struct fl_attempt attempt, uint32_t replica, uint32_t grace_ms);
    void (*remove)(void *self, struct fl_attempt attempt, uint32_t replica);
    /* Puts records without a hole that begin at exactly 'offset', up to bytes_max bytes of them,
     * but one at least when there is one; 'records' has room for FL_LOG_RECORD_BYTES_MAX.
     * FL_ABSENT: an unknown replica; FL_IO. */
    bool (*read_output)(void *self, struct fl_attempt attempt, uint32_t replica, uint64_t offset,
                        size_t bytes_max, struct fl_buf *records, struct runtime_output *ret_output,
                        struct fl_err *err) FL_CHECK;
    /* All of its output is safe elsewhere: a removal need not wait for it any longer. */
    void (*output_taken)(void *self, struct fl_attempt attempt, uint32_t replica);
    void (*destroy)(void *self); /* leaves everything running */
};

struct runtime {
    const struct runtime_ops *ops;
    void *self;
};

/* ---- opening one: the rows of agent/runtimes.h ----------------------------------------------- */

struct fl_config;
struct fl_loop;

/* Borrowed for the call, but for the loop. */
struct runtime_setup {
    struct fl_loop *loop;
    const struct fl_config *config;
    size_t setting_first; /* the row of the runtime's own first setting */
    const char *state_dir;
    int lifeline_fd; /* replicas end when it is cut; -1: none */
};
