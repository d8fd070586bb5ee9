/* runtime.h - the port behind which replicas run: processes of this host, or pods of a cluster.
 * The agent's engine commands, the runtime answers with events for agent_core (agent_event.h lists
 * a runtime's duties).  The contract, which tests/unit/agent/runtime_contract.h checks:
 *   - Identity, node, resources, gate, output and exit of each replica are kept outside this
 *     process.  A new runtime object on the same state adopts them all, whichever process made
 *     them, and loses none of their output.
 *   - begin() is called once.  Its answer: node_seen for each node, replica_seen for each replica
 *     that it holds, then 'synced'.  The runtime never sends an event from within a command, always
 *     from a later turn of the loop, whose time is the event's 'now'.
 *   - create: the answer is 'created' or 'refused'.  The runtime owns the order, even if it refuses
 *     or knows the replica already; it destroys the order when it needs it no longer, at the latest
 *     in 'destroy'.  A created replica runs nothing before its release, and then at most once,
 *     whichever process dies in between: if the runtime cannot know whether it ran, it ends as
 *     'lost'.
 *   - stop: sends SIGTERM, and after the grace SIGKILL; reports the end when no process is left.
 *   - remove: removes the records of a gated or ended replica once its output went (see
 *     output_taken), and replica_gone follows.  For a running replica the answer is replica_seen
 *     with its state.
 *   - Stop and remove of an unknown replica are answered by replica_gone.  Repeating a command
 *     changes nothing.
 *
 * Output.  stdout and stderr are one stream of bytes, counted from 0, kept as records of
 * shared/wire/log_record.h.  A gap among them stands for dropped bytes: the disk was full, or the
 * middle of a long output is not kept.  Uses shared code and the core's event types.  One thread:
 * the agent's loop. */
#pragma once

#include "agent/core/agent_event.h"
#include "agent/runtime_order.h"
#include "agent/runtime_visit.h"
#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

/* The listener's functions may give the runtime commands, and call nothing else of it. */
struct runtime_listener {
    void *ctx;
    void (*happened)(void *ctx, struct agent_event *event);
    /* There is new output, or no more will come: call read_output.  Also called once when a replica
     * stands behind its gate, so that the listener knows of its output before it can end. */
    void (*output)(void *ctx, struct fl_attempt attempt, uint32_t replica);
};

/* Moves output; the engine passes on each replica's output and end.  May be zero. */
struct output_listener {
    void *ctx;
    /* There is output to be read, or no more will come. */
    void (*output)(void *ctx, struct fl_attempt attempt, uint32_t replica);
    /* The replica is gone, and its output with it. */
    void (*gone)(void *ctx, struct fl_attempt attempt, uint32_t replica);
};

struct runtime_output {
    uint64_t next_offset; /* where to read on: behind the last record that was put */
    uint64_t end_offset;  /* with is_ended: how many bytes the replica wrote in all */
    bool is_more;         /* there was more than fit */
    bool is_ended; /* the replica has ended, and nothing follows next_offset but, perhaps, a gap */
};

struct runtime_ops {
    const char *name;
    bool has_images; /* an order may name one */
    void (*begin)(void *self, const struct runtime_listener *listener);
    void (*create)(void *self, struct runtime_order *order); /* takes over the order */
    void (*release)(void *self, struct fl_attempt attempt, uint32_t replica);
    void (*stop)(void *self, struct fl_attempt attempt, uint32_t replica, uint32_t grace_ms);
    void (*remove)(void *self, struct fl_attempt attempt, uint32_t replica);
    /* Appends records without a hole, which begin at exactly 'offset': up to bytes_max bytes, but
     * at least one record if there is one.  'records' has room for FL_LOG_RECORD_BYTES_MAX.
     * FL_ABSENT: an unknown replica; FL_IO. */
    bool (*read_output)(void *self, struct fl_attempt attempt, uint32_t replica, uint64_t offset,
                        size_t bytes_max, struct fl_buf *records, struct runtime_output *ret_output,
                        struct fl_err *err) FL_CHECK;
    /* All of the replica's output is safe elsewhere: its removal need not wait any longer. */
    void (*output_taken)(void *self, struct fl_attempt attempt, uint32_t replica);
    /* Begins a visit (runtime_visit.h): to 'open->port' if that is not 0, else of a command.  NULL:
     * this runtime has none.  FL_ABSENT: an unknown replica; FL_CONFLICT: it does not run; FL_FULL,
     * FL_IO, FL_UNAVAILABLE.  A trouble that shows later is the visit's own status. */
    bool (*visit)(void *self, const struct fl_visit_open *open,
                  const struct runtime_visit_port *port, struct runtime_visit *ret_visit,
                  struct fl_err *err) FL_CHECK;
    /* The agent has joined a control plane that knows none of the earlier jobs, and gives their
     * numbers anew: their files, which were kept after their end, go.  NULL: none are kept. */
    void (*forget)(void *self);
    void (*destroy)(void *self); /* leaves everything running but visits */
};

struct runtime {
    const struct runtime_ops *ops;
    void *self;
};

/* The end of an installation, in place of a runtime: all that a runtime keeps is removed, running
 * or not.  No agent may run meanwhile.  'done' comes once, from a later turn of the loop; NULL:
 * nothing is left. */
struct runtime_clear_port {
    void *ctx;
    void (*done)(void *ctx, const struct fl_err *why_not); /* does not destroy it */
};

struct runtime_clear {
    void *self;
    void (*destroy)(void *self); /* no callback follows */
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
    uint64_t
        descriptors; /* the soft limit for jobs, which our own raised one is not for; 0: ours */
};
