/* store.h - Postgres as the engine sees it: take, load, commit, drop and lookup; it keeps
 * partitions, too.  No call waits: it only notes or sends.  store_turn delivers every answer, as
 * engine_results; their callbacks may ask further.  After 'drop' or a new 'take' no result of
 * earlier calls comes, except for look-ups, each of which gets one answer in every case.
 *
 *   migrate (migrate.h) -> store_create -> store_port, handed to engine_create -> store_attach ->
 *   store_turn ... -> store_release -> store_destroy
 *
 * It is on its owner's loop: its connections call 'wake', which only notes that a turn is due, and
 * the owner calls store_turn after that, and at store_deadline.
 * Connections: writer (one, new with each take), lease, two for maintenance (while leading),
 * reader, and two that live for one load.  A takeover that succeeded starts the lease and the
 * maintenance; they go on through reloads.
 * Uses libpq inside, not in this header.  Not thread-safe: the engine thread owns it. */
#pragma once

#include "controlplane/engine/engine_port.h"
#include "controlplane/store/partition.h"
#include "controlplane/store/pg_waker.h"

struct store;

struct store_config {
    const char *conninfo;  /* libpq's connection string */
    const char *instance;  /* the state directory's id: takes over from itself without a wait */
    uint32_t lease_ttl_ms; /* renewed each third of it, relied on for two thirds [6 s] */
    uint32_t take_ms;      /* a takeover that takes longer fails [10 s] */
    uint32_t lookup_ms;    /* a look-up that takes longer is answered with is_good false [2 s] */
    struct partition_config partition;
};

/* The values in brackets; the caller sets conninfo and instance. */
struct store_config store_config_default(void);

enum { STORE_LOOKUPS_MAX = 1000, STORE_INFLIGHT_MAX = ENGINE_INFLIGHT_MAX };

/* For the log: a failure that will be tried again, or that gives the engine only a code.  Values of
 * 'what' are take, clock, load, commit, lookup, maintenance, make, detach and drop. */
typedef void store_trouble_fn(void *ctx, const char *what, const char *text);

/* Both structs are copied, with their strings. */
struct store *store_create(const struct store_config *config, const struct pg_waker *waker,
                           store_trouble_fn *trouble, void *trouble_ctx);
void store_destroy(struct store *store); /* NULL is fine; closes all, releases nothing */

/* The store's calls for the engine. */
struct engine_store store_port(struct store *store);

/* Sets the receiver of its answers; before the first turn. */
void store_attach(struct store *store, const struct engine_results *results);

/* ---- for the owner --------------------------------------------------------------------------- */

/* Drops what is in flight, ends the maintenance and gives up the lease, so that another leader need
 * not wait.  Go on with store_turn until store_is_released, which takes 2 s at most. */
void store_release(struct store *store, fl_ms now);
bool store_is_released(const struct store *store);

fl_ms store_deadline(const struct store *store); /* at or before now: at once */
void store_turn(struct store *store, fl_ms now);

struct store_stats {
    uint64_t commits, lookups;
    fl_ms commit_longest_ms; /* from 'commit' to its result */
    struct partition_stats partition;
};

struct store_stats store_stats(const struct store *store);
