/* fake_log_store.h - a hub's log store, as controlplane/logs is seen from its tunnels: appends that
 * begin where the source ends, cursors derived from the stored bytes, acknowledgements once they
 * are synced, and no sooner.  Its contents outlive the hub's process.  A crash takes unsynced
 * bytes: none, all, or a part that ends anywhere, which the next start cuts at the last good
 * record.  Its disk can be full or fail to sync, and it can stand still: then its inbox fills up,
 * and credit does not return.  At each append it holds what came against what the replica truly
 * wrote (I8).
 * Single-threaded, in the sim's time. */
#pragma once

#include "shared/link/flow.h"
#include "tests/sim/fake_output.h"
#include "tests/sim/sim.h"

struct fake_log_store;

struct fake_log_ports {
    void *ctx;
    /* The replica's output; NULL: the replica is unknown. */
    const struct fake_output *(*truth)(void *ctx, struct fl_cluster cluster,
                                       struct fl_attempt attempt, uint32_t replica);
    void (*send)(void *ctx, uint64_t connection, struct fl_str payload);
    void (*consumed)(void *ctx, uint64_t connection, uint32_t bytes);
    void (*turned)(void *ctx); /* the end of a turn in which it sent or consumed */
};

struct fake_log_config {
    uint32_t host; /* the hub's, for the story */
    uint32_t inbox_bytes_max;
    fl_ms turn_ms_max, sync_ms_max;
    uint32_t sync_fails_ppm;
    uint64_t held_bytes_max; /* one connection's window: bytes held while the inbox is full */
};

struct fake_log_store *fake_log_store_create(struct sim *sim, const struct fake_log_config *config,
                                             const struct fake_log_ports *ports);
void fake_log_store_destroy(struct fake_log_store *store);

void fake_log_store_start(struct fake_log_store *store);
void fake_log_store_crash(struct fake_log_store *store);
void fake_log_store_pause(struct fake_log_store *store, fl_ms until); /* its process stands still */

/* A LOG frame, and its connection's end.  False: it breaks a rule. */
FL_CHECK bool fake_log_store_frame(struct fake_log_store *store, uint64_t connection,
                                   struct fl_cluster cluster, struct fl_str payload,
                                   struct fl_err *err);
void fake_log_store_closed(struct fake_log_store *store, uint64_t connection);

/* ---- faults ---------------------------------------------------------------------------------- */
void fake_log_store_full(struct fake_log_store *store, fl_ms until);
void fake_log_store_stall(struct fake_log_store *store, fl_ms until);
void fake_log_store_heal(struct fake_log_store *store);

/* ---- its contents ---------------------------------------------------------------------------- */
/* All of it to its end, and durably. */
bool fake_log_store_is_whole(const struct fake_log_store *store, struct fl_cluster cluster,
                             struct fl_attempt attempt, uint32_t replica);
/* I8: every stored log, from its first byte. */
void fake_log_store_check(struct fake_log_store *store);
