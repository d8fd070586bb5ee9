/* bench_help_fake.h - fake: a client that submits and agents that run nothing, by script, at the
 * core's ports.  They stand in for the far side of a network: an agent answers START with CREATED,
 * and GO with RUNNING and EXITED 0, at once; each second it reports its one node.  No frames, no
 * sockets, no threads.
 *
 *   fake_boot; then again and again: fake_next -> core_step or engine_adopt;
 *   fake_heard and fake_answered with what comes out
 *
 * Uses the core's types.  Not thread-safe. */
#pragma once

#include "bench/bench_help_job.h"
#include "controlplane/core/core_command.h"
#include "controlplane/core/core_event.h"
#include "shared/base/buf.h"
#include "shared/base/vec.h"

struct fake_agent { /* its cluster's id is its index + 1 */
    uint64_t session_epoch, report_seq, control_seq;
    uint64_t live; /* attempts it holds */
    bool is_heard; /* its nodes were reported */
};

struct fake_note { /* an event to come */
    enum core_event_kind kind;
    uint32_t agent;
    enum fl_replica_state state;
    struct fl_attempt attempt;
};

struct fake {
    struct fake_agent agents[BENCH_CLUSTERS];
    uint32_t agents_len;
    uint32_t slots; /* jobs that an agent's node holds at a time */
    FL_VEC(struct fake_note) notes;
    size_t notes_at; /* those before it are done */
    uint64_t request_last;
    uint64_t requests_open;
    uint64_t started, exited;
    fl_ms nodes_at; /* when nodes are reported again */
    struct core_node_report node;
    struct fl_buf shape;
    struct fl_resources each;
    struct core_submit_item items[BENCH_REQUEST_JOBS];
    char params[BENCH_REQUEST_JOBS][BENCH_PARAMS_BYTES];
    char names[BENCH_CLUSTERS][16];
};

void fake_init(struct fake *fake, uint32_t agents, uint32_t slots);
void fake_fini(struct fake *fake);

/* A queue and the clusters are made, and their agents say HELLO; or only the latter. */
void fake_boot(struct fake *fake);
void fake_hello(struct fake *fake);
bool fake_is_ready(const struct fake *fake); /* every node is known */

/* The agents' next event; borrowed until the next call.  False: none is due. */
bool fake_next(struct fake *fake, fl_ms now, struct core_event *ret_event);

/* A request with so many jobs, at most BENCH_REQUEST_JOBS; it points into 'fake'. */
struct core_event fake_submit(struct fake *fake, size_t jobs);

void fake_heard(struct fake *fake, const struct core_send *send);
void fake_answered(struct fake *fake, const struct core_answer *answer);
