/* fake_runtime.h - what one cluster runs: nodes, and replicas that take time to be made, run, end.
 * It keeps what agent_event.h says a runtime keeps, outlives the agent's process, and writes the
 * ledger: every replica that ever was, when it ran, what it wrote, how it ended.  The ledger is the
 * truth that rows, reports and answers are held against.
 * Single-threaded, in the sim's time. */
#pragma once

#include "agent/core/agent_command.h"
#include "agent/runtime.h"
#include "tests/sim/fake_output.h"
#include "tests/sim/sim.h"
#include "tests/sim/sim_amounts.h"

struct fake_runtime;
struct shape;

struct fake_replica {
    struct fl_attempt attempt;
    uint32_t replica;
    uint32_t node;
    struct sim_amounts resources;
    enum fl_replica_state state;
    bool is_present;                    /* the runtime holds it, or its exit record */
    bool is_counted;                    /* its resources are part of its node's 'used' */
    uint32_t turn;                      /* which of its timers still counts */
    fl_ms created_at, run_from, run_to; /* 0: never */
    int32_t exit_code;
    enum agent_cause cause;
    struct fake_output output;
    uint32_t writes_left;
    bool is_told;     /* a notice of its output is on its way */
    bool is_taken;    /* output_taken was called: all output is safe elsewhere */
    bool is_removing; /* to be removed once is_taken */
    bool is_wiped;    /* a fault removed its output */
    bool is_deaf;     /* the newest command was not delivered */
};

/* Called at the instant it is so. */
struct fake_runtime_hooks {
    void *ctx;
    void (*created)(void *ctx, struct fl_cluster cluster, const struct fake_replica *replica);
    void (*runs)(void *ctx, struct fl_cluster cluster, const struct fake_replica *replica);
    void (*ended)(void *ctx, struct fl_cluster cluster, const struct fake_replica *replica);
    void (*taken)(void *ctx, struct fl_cluster cluster, const struct fake_replica *replica);
};

struct fake_runtime_config {
    struct fl_cluster cluster;
    uint32_t nodes;
    fl_ms create_ms_max, pull_ms_max, run_ms_max, notify_ms_max;
    uint32_t refused_ppm; /* chances, per million */
    uint32_t fails_ppm;
    uint32_t lost_ppm;
    uint32_t undelivered_ppm; /* a release, stop or remove */
    uint32_t unreadable_ppm;  /* a replica that a new listener hears of seconds later */
    uint32_t long_ppm;        /* runs up to five times longer */
    uint32_t endless_ppm;     /* runs until it is stopped */
    uint32_t writes_max;      /* a replica writes at most so often */
    struct fl_str first;      /* each replica's first output; empty: none */
    bool has_old_agent;       /* one without taints: it tells a tainted node as not ready */
};

enum { FAKE_RUNTIME_NODES_MAX = 16 };

struct fake_runtime *fake_runtime_create(struct sim *sim, const struct fake_runtime_config *config,
                                         const struct fake_runtime_hooks *hooks);
void fake_runtime_destroy(struct fake_runtime *runtime);

/* An agent's process begins to listen: it gets all held replicas, then 'synced', then the changes.
 * 'now' of the events is for the listener to fill in; 'output' may be NULL. */
void fake_runtime_attach(struct fake_runtime *runtime, const struct runtime_listener *listener);
/* The process is gone; with 'is_abrupt' commands that were not carried out yet are lost with it. */
void fake_runtime_detach(struct fake_runtime *runtime, bool is_abrupt);

/* The listener stands still: it hears of everything, in order, but not before then. */
void fake_runtime_pause(struct fake_runtime *runtime, fl_ms until);
/* No listener hears anything until then: neither the end of a list, nor that a replica is there, or
 * has ended. */
void fake_runtime_wedge(struct fake_runtime *runtime, fl_ms until);

/* create, release, stop, remove: carried out a little later, in order. */
void fake_runtime_do(struct fake_runtime *runtime, const struct agent_command *command);

/* All of it as a runtime (agent/runtime.h); attaching is its begin. */
struct runtime fake_runtime_port(struct fake_runtime *runtime);

/* ---- faults ---------------------------------------------------------------------------------- */
void fake_runtime_calm(struct fake_runtime *runtime); /* no more refusals or losses; short runs */
void fake_runtime_node_down(struct fake_runtime *runtime, uint32_t node, fl_ms until);
void fake_runtime_node_shrunk(struct fake_runtime *runtime, uint32_t node, fl_ms until);
/* The records of all ended replicas are gone; its agent is down and hears nothing of it. */
bool fake_runtime_lose_records(struct fake_runtime *runtime);
bool fake_runtime_lose_one(struct fake_runtime *runtime); /* something running vanishes */
void fake_runtime_die(struct fake_runtime *runtime);      /* everything, for good */
/* The hub loses the database's end and its own state: only agents know. */
void fake_runtime_blind(struct fake_runtime *runtime);
/* The agent says HELLO without the hub's newest seal, or with one that the hub cannot tell from its
 * own: replicas of the time before the hub was blind may come again (decision 73). */
void fake_runtime_unsealed(struct fake_runtime *runtime);
/* The agent hears a seal of the hub.  Replicas made after it, and before the next one is due, are
 * in no seal: no agent can tell of them (decision 73). */
void fake_runtime_sealed(struct fake_runtime *runtime);

/* The most that each of its nodes has; and how many of that size find room on them, all empty. */
struct fl_resources fake_runtime_smallest(const struct fake_runtime *runtime);
uint32_t fake_runtime_slots(const struct fake_runtime *runtime, struct fl_resources each);

/* Whether a gang of this form would find room, taken node by node: beside what others use of its
 * nodes, while it lives ... */
bool fake_runtime_could_run(const struct fake_runtime *runtime, const struct shape *shape);
/* ... or on the whole of its nodes, as a hub knows them: it hears neither of a cluster's death nor
 * of the end of what others use, and by an old agent of no taints. */
bool fake_runtime_could_ever(const struct fake_runtime *runtime, const struct shape *shape);
/* The name of the node of that number, if it has GPUs, offered now or not; NULL: it has none. */
const char *fake_runtime_gpu_node(const struct fake_runtime *runtime, uint32_t number);

void fake_runtime_tell(const struct fake_runtime *runtime); /* its nodes, into the story */
/* Something of this job runs, and has for so long. */
bool fake_runtime_runs(const struct fake_runtime *runtime, struct fl_job job, fl_ms for_ms);

/* ---- the ledger ------------------------------------------------------------------------------ */
size_t fake_runtime_len(const struct fake_runtime *runtime);
const struct fake_replica *fake_runtime_at(const struct fake_runtime *runtime, size_t i);
const struct fake_replica *fake_runtime_find(const struct fake_runtime *runtime,
                                             struct fl_attempt attempt, uint32_t replica);
struct sim_amounts fake_runtime_node_total(const struct fake_runtime *runtime, uint32_t node);
struct sim_amounts fake_runtime_node_used(const struct fake_runtime *runtime, uint32_t node);
