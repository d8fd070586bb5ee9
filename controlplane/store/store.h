/* store.h - the engine's ports to Postgres: take, load, commit, drop, lookup, and partitions meanwhile.
 * Nothing here waits.  A port function only notes or sends; every result is delivered from store_turn,
 * through store_results, whose functions are the engine's own.  From inside a result any port function may
 * be called.  After store_drop or a new store_take no result of what was asked before comes, but for
 * look-ups, which are answered once each whatever happens.
 *
 *   migrate (migrate.h) -> store_create -> store_take -> taken -> store_load -> rows, loaded ->
 *   store_commit ..., each committed -> store_release -> store_destroy
 *
 * The owner polls store_fds, at most until store_deadline, and then calls store_turn.
 * Connections: writer (one, new with each take), lease, two for maintenance (while leading), reader, and two
 * that live for one load.  A takeover that succeeded starts the lease and the maintenance; they go on through
 * reloads.
 * Uses libpq inside, not in this header.  Not thread-safe: the engine thread owns it. */
#pragma once

#include <poll.h>

#include "controlplane/engine_port.h"
#include "controlplane/store/partition.h"

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

enum { STORE_FDS_MAX = 7, STORE_LOOKUPS_MAX = 1000, STORE_INFLIGHT_MAX = ENGINE_INFLIGHT_MAX };

/* As engine.h says of the results of ports; ctx first. */
struct store_results {
    void *ctx;
    void (*taken)(void *ctx, const struct engine_taken *taken, fl_ms now);
    void (*take_failed)(void *ctx, enum fl_code why, fl_ms now);
    void (*load_row)(void *ctx, const struct row *row);
    void (*loaded)(void *ctx, bool is_good, fl_ms now);
    void (*committed)(void *ctx, uint64_t batch, enum engine_commit result, const char *text,
                      fl_ms now);
    void (*found)(void *ctx, uint64_t lookup, const struct fl_digest *body_sha,
                  struct fl_str answer, bool is_good, fl_ms now);
    void (*room)(void *ctx, uint64_t job_below, uint64_t batch_below);
    void (*lease_lost)(void *ctx, fl_ms now);
    /* Something went wrong that is tried again, or is told to the engine as a code only; for the log.
     * 'what' is one of a few words: take, load, commit, lookup, maintenance, make, detach, drop. */
    void (*trouble)(void *ctx, const char *what, const char *text);
};

/* Both structs are copied, with their strings. */
struct store *store_create(const struct store_config *config, const struct store_results *results);
void store_destroy(struct store *store); /* NULL is fine; closes all, releases nothing */

/* --- ports --- */

void store_take(struct store *store, uint64_t batch_from, fl_ms now);
void store_load(struct store *store, fl_ms now);

/* After 'taken'.  The batch is read within the call, and only its number is kept. */
void store_commit(struct store *store, const struct core_batch *batch, uint64_t epoch, fl_ms now);
void store_drop(struct store *store);
void store_lookup(struct store *store, uint64_t lookup, struct fl_tenant tenant, struct fl_str key,
                  fl_ms now);

/* --- the owner's --- */

/* Drops what is in flight, ends the maintenance and gives up the lease, so that another need not wait.
 * Turn on until store_is_released, which is so after 2 s at the latest. */
void store_release(struct store *store, fl_ms now);
bool store_is_released(const struct store *store);

size_t store_fds(const struct store *store, struct pollfd *ret_fds); /* room for STORE_FDS_MAX */
fl_ms store_deadline(const struct store *store);                     /* at or before now: at once */
void store_turn(struct store *store, fl_ms now);

struct store_stats {
    uint64_t commits, lookups;
    fl_ms commit_longest_ms; /* from store_commit to its result */
    struct partition_stats partition;
};

struct store_stats store_stats(const struct store *store);
