/* store.h - Postgres as the engine sees it: take, load, commit, drop, lookup, and partitions
 * meanwhile.  Nothing here waits. A call of the engine's only notes or sends; every answer is
 * delivered from store_turn, as engine_results, and from inside one anything may be asked.  After
 * 'drop' or a new 'take' no result of what was asked before comes, but for look-ups, which are
 * answered once each in every case.
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
    const char *conninfo;  /* of libpq */
    const char *instance;  /* of the locked state directory: who takes over from itself at once */
    uint32_t lease_ttl_ms; /* 6 s; renewed each third of it, relied on for two thirds */
    uint32_t take_ms;      /* a takeover that takes longer has failed: 10 s */
    uint32_t lookup_ms;    /* a look-up that takes longer is answered with is_good false: 2 s */
    struct partition_config partition;
};

/* conninfo and instance are the caller's to set. */
struct store_config store_config_default(void);

enum { STORE_LOOKUPS_MAX = 1000, STORE_INFLIGHT_MAX = ENGINE_INFLIGHT_MAX };

/* For the log: a failure that is tried again, or that the engine hears as a code only. The first
 * text is one of a few words: take, load, commit, lookup, maintenance, make, detach, drop. */
typedef void store_trouble_fn(void *ctx, const char *what, const char *text);

/* Both structs are copied, with their strings. */
struct store *store_create(const struct store_config *config, const struct pg_waker *waker,
                           store_trouble_fn *trouble, void *trouble_ctx);
void store_destroy(struct store *store); /* NULL is fine; closes all, releases nothing */

/* The engine's side of it. */
struct engine_store store_port(struct store *store);

/* Where its answers go; before the first turn. */
void store_attach(struct store *store, const struct engine_results *results);

/* ---- the owner's ----------------------------------------------------------------------------- */

/* Drops what is in flight, ends the maintenance and gives up the lease, so that another need not
 * wait.  Turn on until store_is_released, which is so after 2 s at the latest. */
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
