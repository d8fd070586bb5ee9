/* world_state.h - one seed's fake world, for the files that make it up alone.
 * world_draw.c draws it from the seed and lets its parts meet; world_faults.c breaks and heals it;
 * world.c runs it. */
#pragma once

#include "tests/sim/agent_host.h"
#include "tests/sim/checks.h"
#include "tests/sim/checks_log.h"
#include "tests/sim/db.h"
#include "tests/sim/fake_client.h"
#include "tests/sim/fake_runtime.h"
#include "tests/sim/hub.h"
#include "tests/sim/net.h"
#include "tests/sim/world.h"

enum { HUBS_MAX = 2 };

struct world {
    struct sim sim;
    struct db *db;
    struct net *net;
    struct checks *checks;
    struct checks_log logs;
    struct fake_client *client;
    struct hub *hubs[HUBS_MAX];
    uint32_t hubs_len;
    uint64_t checked_epoch[HUBS_MAX];
    uint32_t clusters_len, mortal;  /* mortal: number from 1; 0: none */
    struct fake_runtime **runtimes; /* these four: one for each cluster */
    struct agent_host **agents;
    struct fl_cluster *clusters;
    bool *is_dead;
    fl_ms heal_at, fault_ms; /* faults come so often, on average */
    uint32_t weights[FAULTS_LEN];
    uint64_t room_margin;
    uint64_t partition_span, gone_below; /* job ids */
    fl_ms retention_ms, old_since;       /* 0: partitions stay; 0: the next may not go */
    bool is_healed, was_steady;
    fl_ms postgres_set_at, hub_set_at; /* a wall clock */
    bool do_hubs_differ;               /* their wall clocks */
    bool is_large;                     /* much room, large gangs and a large array */
    bool is_wide;                      /* and many clusters */
};

/* ---- world_draw.c ---------------------------------------------------------------------------- */
void world_create(struct world *world, uint64_t seed, bool is_live);
void world_destroy(struct world *world);
/* Whether there is place for few open jobs only. */
bool world_is_cramped(const struct sim *sim);
/* For sim_at: starts an agent whose cluster is left. */
void world_start_agent(void *ctx, uint64_t i, uint64_t b);

/* ---- world.c --------------------------------------------------------------------------------- */
void world_run_until(struct world *world, fl_ms until);

/* ---- world_history.c ------------------------------------------------------------------------- */
/* After everything was checked: the database goes back to older states. */
void world_lose_history(struct world *world);

/* ---- world_faults.c -------------------------------------------------------------------------- */
/* Draws which faults there are, and how often. */
void world_draw_faults(struct world *world);
/* For sim_at: a fault, and when the next one comes; none after heal_at. */
void world_fault(void *ctx, uint64_t a, uint64_t b);
void world_heal(struct world *world);
